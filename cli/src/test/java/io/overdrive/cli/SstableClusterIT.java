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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code overdrive load --sstables} into two data centres of two nodes with 16 tokens, all on this host. */
@Tag("server")
@Tag("cluster")
@Timeout(600)
class SstableClusterIT {
    private static final int ROWS = 3000;
    private static final int ROWS_OF_A_PARTITION = 3;

    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private static Overdrive overdrive;

    /** Reads from nodes of the second data centre. */
    @SuppressWarnings("NullAway.Init")
    private static Overdrive second;

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
                .datacenters(2)
                .nodesPerDatacenter(2)
                .tokensPerNode(16)
                .setting("dynamic_snitch", "false") // a replica that is asked reads its own rows
                .setting("hinted_handoff_enabled", "false")
                .stopWithJvm(true)
                .build());
        overdrive = Overdrive.connect(ConnectOptions.to(host(), cluster.datacenter()));
        Node remote = cluster.nodes().stream()
                .filter(node -> !node.datacenter().equals(cluster.datacenter()))
                .findFirst()
                .orElseThrow();
        second = Overdrive.connect(ConnectOptions.to(name(remote), remote.datacenter()));
        List<String> lines = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < ROWS; i++) {
            lines.add(i % (ROWS / ROWS_OF_A_PARTITION) + "," + i + ",v" + i);
        }
        rows = Files.write(directory.resolve("rows.csv"), lines);
    }

    @AfterAll
    static void stop() {
        overdrive.close();
        second.close();
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

    /** @param replication such as {@code 'dc1': 1, 'dc2': 2} */
    private static String created(String keyspace, String replication) {
        overdrive.changeSchema("CREATE KEYSPACE " + keyspace
                + " WITH replication = {'class': 'NetworkTopologyStrategy', " + replication + "}");
        overdrive.changeSchema("CREATE TABLE " + keyspace + ".t (p int, c int, v text, PRIMARY KEY (p, c))");
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

    /** Asserts that each node has its rows by a separate read, and returns their numbers by the node's name. */
    private static Map<String, Long> assertRowsOfReplicas(String keyspace) {
        TokenMap tokens = overdrive.session().getMetadata().getTokenMap().orElseThrow();
        Map<String, Long> rowsOfNodes = new TreeMap<>();
        long all = 0;
        for (TokenRange ring : tokens.getTokenRanges()) {
            for (TokenRange range : ring.unwrap()) {
                long expected = -1;
                for (com.datastax.oss.driver.api.core.metadata.Node replica : tokens.getReplicas(keyspace, range)) {
                    Overdrive near = cluster.datacenter().equals(replica.getDatacenter()) ? overdrive : second;
                    long count = near.session()
                            .execute(SimpleStatement.newInstance(
                                            "SELECT count(*) FROM " + keyspace
                                                    + ".t WHERE token(p) > ? AND token(p) <= ?",
                                            Long.parseLong(tokens.format(range.getStart())),
                                            Long.parseLong(tokens.format(range.getEnd())))
                                    .setNode(near.session()
                                            .getMetadata()
                                            .findNode(replica.getEndPoint())
                                            .orElseThrow()))
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
        Map<String, Integer> replications =
                Map.of("'dc1': 1", 1, "'dc1': 1, 'dc2': 1", 2, "'dc1': 2, 'dc2': 1", 3, "'dc1': 2, 'dc2': 2", 4);
        for (Map.Entry<String, Integer> each : replications.entrySet()) {
            int replicas = each.getValue();
            String keyspace = "ranges_rf" + replicas;
            Cli load = load(created(keyspace, each.getKey()));
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
            JsonNode summary = new JsonMapper().readTree(load.out());
            assertThat(summary.get("rowsWritten").asLong()).isEqualTo(ROWS);
            // nodes verify at the import that all tokens are their own, so equal numbers are the same rows
            assertThat(rowsInSstables(summary))
                    .hasSize(replicas == 1 ? 2 : 4)
                    .isEqualTo(assertRowsOfReplicas(keyspace));
            assertThat(rowsInSstables(summary).values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo((long) replicas * ROWS);
        }
    }

    private static Node node(JsonNode result) {
        return cluster.nodes().stream()
                .filter(node -> name(node).equals(result.get("node").asText()))
                .findFirst()
                .orElseThrow();
    }

    /** Runs a command with nodetool of a node. */
    private int run(Node node, String command) throws Exception {
        Path nodetool = Nodetool.script(directory.resolve("nodetool"), "127.0.0.1:" + node.jmxPort());
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).inheritIO();
        builder.environment().put("PATH", nodetool.getParent() + ":" + System.getenv("PATH"));
        return builder.start().waitFor();
    }

    @Test
    @Tag("nightly")
    void aNodeDoesNotTakeTheRowsOfAnother() throws Exception {
        created("others", "'dc1': 1");
        Path out = directory.resolve("out");
        Cli load = Cli.run(
                "load",
                rows.toString(),
                "others.t",
                "--sstables",
                "--sstable-directory",
                out.toString(),
                "--rejects",
                directory.toString(),
                "--host",
                host(),
                "--json");
        assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
        JsonNode nodes = new JsonMapper().readTree(load.out()).get("nodes");
        assertThat(nodes).hasSize(2);
        Node first = node(nodes.get(0));
        Node other = node(nodes.get(1));
        String script = nodes.get(0).get("directory").asText() + "/import.sh -p ";
        assertThat(run(other, script + other.jmxPort())).isNotZero();
        assertThat(execute("SELECT p FROM others.t")).isEmpty();
        assertThat(run(first, script + first.jmxPort())).isZero();
        assertThat(run(other, nodes.get(1).get("directory").asText() + "/import.sh -p " + other.jmxPort()))
                .isZero();
        assertRowsOfReplicas("others");
    }

    /** The node is not the first one, by which the test and the load connect. */
    @Test
    @Tag("nightly")
    void aNodeThatWasDownGetsItsSstablesByTheCommandOfTheSummary() throws Exception {
        String table = created("down", "'dc1': 1, 'dc2': 1");
        Node node = cluster.nodes().get(1);
        node.stop();
        JsonNode summary;
        try {
            Cli load = load(table);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.FAILED);
            assertThat(load.err())
                    .contains("node " + name(node)
                            + " is down: its SSTables are written, and have to be imported when it is up again")
                    .contains("1 of 4 nodes has not imported its SSTables, which are kept in " + directory);
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

        assertThat(run(node, command)).isZero();
        assertThat(rowsInSstables(summary)).isEqualTo(assertRowsOfReplicas("down"));
        try (Stream<Path> files = Files.walk(directory.resolve("staging"))) {
            assertThat(files).noneMatch(file -> file.toString().endsWith("-Data.db"));
        }
        Cli next = load(created("next", "'dc1': 1"));
        assertThat(next.code()).as(next.err()).isEqualTo(Main.DONE);
        assertThat(directory.resolve("staging")).isEmptyDirectory();
    }
}
