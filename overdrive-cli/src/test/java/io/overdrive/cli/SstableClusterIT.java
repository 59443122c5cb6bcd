package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.TokenRange;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive load --sstables} into three nodes of 16 tokens, all on this host. */
@Timeout(600)
class SstableClusterIT {
    private static final int ROWS = 3000;
    private static final int ROWS_OF_A_PARTITION = 3;

    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private static Overdrive overdrive;

    @SuppressWarnings("NullAway.Init")
    private static Path rows;

    private final Path directory;

    SstableClusterIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void start(@TempDir Path directory) throws IOException {
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory.resolve("cluster"))
                .port(0)
                .nodesPerDatacenter(3)
                .tokensPerNode(16)
                .setting("dynamic_snitch", "false") // a replica that is asked reads its own rows
                .setting("hinted_handoff_enabled", "false")
                .stopWithJvm(true)
                .build());
        overdrive = Overdrive.connect(ConnectOptions.to(host(), cluster.datacenter()));
        List<String> lines = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < ROWS; i++) {
            lines.add(i % (ROWS / ROWS_OF_A_PARTITION) + "," + i + ",v" + i);
        }
        rows = Files.write(directory.resolve("rows.csv"), lines);
    }

    @AfterAll
    static void stop() {
        overdrive.close();
        cluster.wipe();
    }

    private static String host() {
        return name(cluster.nodes().get(0));
    }

    private static String name(Node node) {
        InetSocketAddress address = node.address();
        return address.getHostString() + ":" + address.getPort();
    }

    private static List<Row> execute(String cql) {
        return overdrive.session().execute(cql).all();
    }

    private static String created(String keyspace, int replicas) {
        execute("CREATE KEYSPACE " + keyspace + " WITH replication = {'class': 'NetworkTopologyStrategy', '"
                + cluster.datacenter() + "': " + replicas + "}");
        execute("CREATE TABLE " + keyspace + ".t (p int, c int, v text, PRIMARY KEY (p, c))");
        return keyspace + ".t";
    }

    private Cli load(String table) throws IOException {
        Path staging = directory.resolve("staging");
        Files.createDirectories(staging);
        String jmx = cluster.nodes().stream()
                .map(node -> "127.0.0.1:" + node.jmxPort())
                .collect(Collectors.joining(","));
        return Cli.run(
                "load",
                rows.toString(),
                table,
                "--sstables",
                "--jmx",
                jmx,
                "--staging-directory",
                staging.toString(),
                "--rejects",
                directory.toString(),
                "--host",
                host(),
                "--json");
    }

    /** By the node's name, how many rows each has to have, and that each has them by a separate read. */
    private static Map<String, Long> assertRowsOfReplicas(String keyspace) {
        TokenMap tokens = overdrive.session().getMetadata().getTokenMap().orElseThrow();
        Map<String, Long> rowsOfNodes = new TreeMap<>();
        long all = 0;
        for (TokenRange ring : tokens.getTokenRanges()) {
            for (TokenRange range : ring.unwrap()) {
                long expected = -1;
                for (com.datastax.oss.driver.api.core.metadata.Node replica : tokens.getReplicas(keyspace, range)) {
                    long count = overdrive
                            .session()
                            .execute(SimpleStatement.newInstance(
                                            "SELECT count(*) FROM " + keyspace
                                                    + ".t WHERE token(p) > ? AND token(p) <= ?",
                                            Long.parseLong(tokens.format(range.getStart())),
                                            Long.parseLong(tokens.format(range.getEnd())))
                                    .setNode(replica))
                            .one()
                            .getLong(0);
                    assertThat(count)
                            .as("rows of " + replica + " in " + range)
                            .isEqualTo(expected < 0 ? count : expected);
                    expected = count;
                    rowsOfNodes.merge(NodeName.of(replica), count, Long::sum);
                }
                all += expected;
            }
        }
        assertThat(all).isEqualTo(ROWS);
        return rowsOfNodes;
    }

    private static Map<String, Long> rowsInSstables(JsonNode summary) {
        Map<String, Long> rowsOfNodes = new TreeMap<>();
        summary.get("nodes")
                .forEach(node -> rowsOfNodes.put(
                        node.get("node").asText(), node.get("rows").asLong()));
        return rowsOfNodes;
    }

    @Test
    void eachNodeHasJustTheRowsOfItsRanges() throws IOException {
        for (int replicas = 1; replicas <= 3; replicas++) {
            String keyspace = "ranges_rf" + replicas;
            Cli load = load(created(keyspace, replicas));
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
            JsonNode summary = new JsonMapper().readTree(load.out());
            assertThat(summary.get("rowsWritten").asLong()).isEqualTo(ROWS);
            // nodes verify at the import that all tokens are their own, so equal numbers are the same rows
            assertThat(rowsInSstables(summary)).hasSize(3).isEqualTo(assertRowsOfReplicas(keyspace));
            assertThat(rowsInSstables(summary).values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo((long) replicas * ROWS);
        }
    }

    /** The node is not the first one, by which the test and the load connect. */
    @Test
    void aNodeThatWasDownGetsItsSstablesByTheCommandOfTheSummary() throws Exception {
        String table = created("down", 2);
        Node node = cluster.nodes().get(2);
        node.stop();
        JsonNode summary;
        try {
            Cli load = load(table);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.FAILED);
            assertThat(load.err())
                    .contains("node " + name(node)
                            + " is down: its SSTables are written, and have to be imported when it is up again")
                    .contains("1 of 3 nodes has not imported its SSTables, which are kept in " + directory);
            summary = new JsonMapper().readTree(load.out());
        } finally {
            node.start();
        }
        assertThat(summary.get("rowsWritten").asLong()).isBetween(1L, ROWS - 1L);
        String command = "";
        for (JsonNode each : summary.get("nodes")) {
            boolean isDown = each.get("node").asText().equals(name(node));
            assertThat(each.get("imported").asBoolean()).isEqualTo(!isDown);
            assertThat(each.has("command")).isEqualTo(isDown);
            command = isDown ? each.get("command").asText() : command;
        }
        assertThat(command).startsWith("nodetool -p " + node.jmxPort() + " import down t ");

        Path nodetool = Nodetool.script(directory.resolve("nodetool"), "127.0.0.1:" + node.jmxPort());
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).inheritIO();
        builder.environment().put("PATH", nodetool.getParent() + ":" + System.getenv("PATH"));
        assertThat(builder.start().waitFor()).isZero();
        assertThat(rowsInSstables(summary)).isEqualTo(assertRowsOfReplicas("down"));
        try (Stream<Path> files = Files.walk(directory.resolve("staging"))) {
            assertThat(files).noneMatch(file -> file.toString().endsWith("-Data.db"));
        }
        Cli next = load(created("next", 2));
        assertThat(next.code()).as(next.err()).isEqualTo(Main.DONE);
        assertThat(directory.resolve("staging")).isEmptyDirectory();
    }
}
