package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.WriteOptions;
import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedCounts;
import io.overdrive.simulated.SimulatedNode;
import io.overdrive.simulated.SimulatedOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands, and the engine below them, against clusters that are simulated: larger than any of real nodes, and with nodes that fail. */
class SimulatedClusterTest {
    private static final int ROWS = 5_003;
    private static final String KEYSPACE = "simulated";
    private static final String TABLE = "numbers";

    private final Path directory;

    SimulatedClusterTest(@TempDir Path directory) {
        this.directory = directory;
    }

    private static SimulatedOptions.Builder options(int nodes) {
        return SimulatedOptions.builder().nodesPerDatacenter(nodes).rows(ROWS);
    }

    @ParameterizedTest
    @CsvSource({"3, 16, 5", "3, 16, 4", "20, 16, 4", "100, 8, 5"})
    void commandsCountLoadAndUnload(int nodes, int tokens, int version) throws IOException {
        Path input = directory.resolve("in.csv");
        Files.writeString(
                input,
                IntStream.range(0, 700)
                        .mapToObj(i -> new UUID(i, i) + "," + i + ",label " + i)
                        .collect(Collectors.joining("\n", "id,n,label\n", "\n")));
        try (SimulatedCluster cluster = SimulatedCluster.start(
                options(nodes).tokensPerNode(tokens).protocolVersion(version).build())) {
            String host = cluster.contactPoint();
            Cli count = Cli.run("count", SimulatedCluster.TABLE, "--host", host);
            assertThat(count.code()).as(count.err()).isEqualTo(Main.DONE);
            assertThat(count.out()).startsWith("5,003 rows\n");

            Cli load = Cli.run("load", input.toString(), SimulatedCluster.TABLE, "--host", host);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
            assertThat(cluster.counts().rowsWritten()).isEqualTo(700);

            Path output = directory.resolve("out.csv");
            Cli unload = Cli.run("unload", SimulatedCluster.TABLE, output.toString(), "--columns", "n", "--host", host);
            assertThat(unload.code()).as(unload.err()).isEqualTo(Main.DONE);
            List<Long> numbers = Files.readAllLines(output).stream()
                    .skip(1)
                    .map(Long::valueOf)
                    .sorted()
                    .toList();
            assertThat(numbers).isEqualTo(LongStream.range(0, ROWS).boxed().toList());
            assertThat(cluster.nodes())
                    .allSatisfy(node -> assertThat(node.counts().requests()).isPositive());
        }
    }

    /** An upgrade of the cluster is not finished: its nodes do not agree on the schema until then. */
    @ParameterizedTest
    @CsvSource({"4.0.13, 5, 4.1.7", "4.0.13, 5, 5.0.9", "3.11.17, 4, 4.1.7"})
    @Timeout(9)
    void commandsDoNotWaitForNodesOfSeveralReleasesToAgree(String old, int version, String release) throws IOException {
        Path input = directory.resolve("in.csv");
        Files.writeString(input, "id,n,label\n" + new UUID(1, 1) + ",1,one\n");
        try (SimulatedCluster cluster =
                SimulatedCluster.start(options(6).release(release).build())) {
            cluster.nodes().subList(1, 4).forEach(node -> node.runRelease(old, version));
            String host = cluster.contactPoint();
            Cli count = Cli.run("count", SimulatedCluster.TABLE, "--host", host);
            assertThat(count.code()).as(count.err()).isEqualTo(Main.DONE);
            assertThat(count.out()).startsWith("5,003 rows\n");
            Cli load = Cli.run("load", input.toString(), SimulatedCluster.TABLE, "--host", host);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
            assertThat(cluster.counts().rowsWritten()).isEqualTo(1);
            Path output = directory.resolve("out.csv");
            Cli unload = Cli.run("unload", SimulatedCluster.TABLE, output.toString(), "--columns", "n", "--host", host);
            assertThat(unload.code()).as(unload.err()).isEqualTo(Main.DONE);
            assertThat(Files.readAllLines(output)).hasSize(ROWS + 1).doesNotHaveDuplicates();
            assertThat(cluster.nodes())
                    .allSatisfy(node -> assertThat(node.counts().requests()).isPositive());
        }
    }

    /** A release before 4.0 has its estimates in another table. */
    @Test
    void estimatesOfNodesOfSeveralReleasesAreAddedUp() throws IOException {
        try (SimulatedCluster cluster =
                SimulatedCluster.start(options(6).rows(10_000_000).build())) {
            String[] command = {"count", SimulatedCluster.TABLE, "--json", "--host", cluster.contactPoint()};
            JsonNode bytes = part(dryRun(command), "reads").get("bytes");
            assertThat(bytes.asLong()).isBetween(990_000_000L, 1_010_000_000L);
            cluster.nodes().subList(1, 4).forEach(node -> node.runRelease("3.11.17", 4));
            assertThat(part(dryRun(command), "reads").get("bytes")).isEqualTo(bytes);
        }
    }

    /** The estimate has the requests that the run then sends, of a cluster with many tokens. */
    @Test
    void aDryRunEstimatesTheRequestsAndReadsNothing() throws IOException {
        try (SimulatedCluster cluster = SimulatedCluster.start(
                options(300).tokensPerNode(256).rows(10_000_000).build())) {
            String host = cluster.contactPoint();
            String table = SimulatedCluster.TABLE;
            Path output = directory.resolve("out");
            JsonNode count = dryRun("count", table, "--host", host, "--json");
            JsonNode unload = dryRun("unload", table, output.toString(), "--host", host, "--json");
            assertThat(cluster.counts().rowsRead()).isZero();
            assertThat(output).doesNotExist();
            for (JsonNode estimate : List.of(count, unload)) {
                assertThat(estimate.get("tokens").asInt()).isEqualTo(300 * 256);
                assertThat(estimate.get("connections").asInt()).isBetween(300, 301);
                assertThat(estimate.get("maxSeconds").asDouble()).isPositive();
            }
            Cli run = Cli.run("count", table, "--host", host, "--json");
            assertThat(new ObjectMapper().readTree(run.out()).get("requests"))
                    .isEqualTo(part(count, "reads").get("minRequests"));
        }
    }

    private static JsonNode part(JsonNode estimate, String label) {
        return estimate.get("parts").get(label);
    }

    private static JsonNode dryRun(String... arguments) throws IOException {
        Cli run = Cli.run(
                Stream.concat(Stream.of(arguments), Stream.of("--dry-run")).toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isEqualTo(Main.DONE);
        return new ObjectMapper().readTree(run.out()).get("estimate");
    }

    @Test
    void dryRunsOfCopiesLoadsAndVerifications() throws IOException {
        Path input = Files.writeString(directory.resolve("in.csv"), "id,n\n" + new UUID(1, 1) + ",1\n");
        try (SimulatedCluster cluster = SimulatedCluster.start(options(5).build())) {
            String host = cluster.contactPoint();
            String table = SimulatedCluster.TABLE;
            String target = KEYSPACE + ".target";
            Cli missing = Cli.run("copy", table, target, "--dry-run", "--create", "--host", host);
            assertThat(missing.code()).as(missing.err()).isEqualTo(Main.DONE);
            assertThat(missing.err())
                    .contains("CREATE TABLE " + target)
                    .endsWith("overdrive: dry run: nothing was created or copied\n");
            Cli created = Cli.run("load", input.toString(), target, "--create", "--key", "id", "--host", host);
            assertThat(created.code()).as(created.err()).isEqualTo(Main.DONE);

            JsonNode copy = dryRun("copy", table, target, "--columns", "n", "--host", host, "--json");
            assertThat(part(copy, "reads").get("road").asText()).isEqualTo("read");
            assertThat(part(copy, "reads").get("copies").asInt()).isEqualTo(2);
            assertThat(part(copy, "writes").get("road").asText()).isEqualTo("write");
            assertThat(part(copy, "writes").get("copies").asInt()).isEqualTo(3);
            assertThat(part(copy, "writes").get("bytes"))
                    .isEqualTo(part(copy, "reads").get("bytes"));
            assertThat(copy.get("minSeconds").isNumber()).isTrue();
            JsonNode sstables = dryRun(
                    "copy",
                    table,
                    target,
                    "--columns",
                    "n",
                    "--host",
                    host,
                    "--json",
                    "--sstables",
                    "--sstable-directory",
                    directory.resolve("out").toString());
            assertThat(part(sstables, "writes").get("road").asText()).isEqualTo("write_sstables");

            JsonNode load = dryRun("load", input.toString(), table, "--host", host, "--json");
            assertThat(part(load, "writes").get("road").asText()).isEqualTo("write");
            assertThat(part(load, "writes").get("rows").asLong()).isEqualTo(1);
            assertThat(part(load, "writes").get("requests").asLong()).isEqualTo(1);
            Cli verify = Cli.run("verify", input.toString(), table, "--dry-run", "--host", host);
            assertThat(verify.code()).as(verify.err()).isEqualTo(Main.DONE);
            assertThat(verify.err())
                    .contains("estimate of what the run would take")
                    .endsWith("overdrive: dry run: no row was compared\n");
            assertThat(cluster.counts().rowsRead()).isZero();
            assertThat(cluster.counts().rowsWritten()).isEqualTo(1);
        }
    }

    @Test
    void aDryRunOfALoadSavesRejectedRecordsOnlyInAGivenDirectory() throws IOException {
        String name = "dry-" + UUID.randomUUID();
        Path input = Files.writeString(directory.resolve(name + ".csv"), "id,n\n" + new UUID(1, 1) + ",1o\n");
        Path rejected = Path.of(name + ".csv.rejected");
        try (SimulatedCluster cluster = SimulatedCluster.start(options(3).build())) {
            String[] dry = {
                "load", input.toString(), SimulatedCluster.TABLE, "--dry-run", "--host", cluster.contactPoint()
            };
            Cli load = Cli.run(dry);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(load.out())
                    .startsWith("1 row read = 0 could be written + 1 rejected\n")
                    .contains("  rejected  not saved\n            the first: " + input + " line 2: ");
            assertThat(rejected).doesNotExist();

            Cli given = Cli.run(Stream.concat(Stream.of(dry), Stream.of("--rejects", directory.toString()))
                    .toArray(String[]::new));
            assertThat(given.out()).contains("  rejected  " + directory.resolve(rejected) + ", with the reasons");
            assertThat(directory.resolve(rejected)).exists();
        } finally {
            Files.deleteIfExists(rejected);
            Files.deleteIfExists(Path.of(rejected + ".reasons"));
        }
    }

    @Test
    void aDryRunRefusesWhatTheRunWouldRefuse() throws IOException {
        Path full = Files.createDirectory(directory.resolve("full"));
        Files.createFile(full.resolve("old.csv"));
        try (SimulatedCluster cluster = SimulatedCluster.start(options(3).build())) {
            String host = cluster.contactPoint();
            String table = SimulatedCluster.TABLE;
            List<List<String>> wrong = List.of(
                    List.of("count", KEYSPACE + ".nubmers"),
                    List.of("unload", table, directory.resolve("out").toString(), "--columns", "m"),
                    List.of("copy", table, table),
                    List.of("copy", table, KEYSPACE + ".missing"),
                    List.of("verify", full.resolve("old.csv").toString(), KEYSPACE + ".missing"),
                    List.of("unload", table, full.toString()),
                    List.of("unload", table, full.resolve("old.csv").toString()),
                    List.of("unload", table, full.resolve("missing/new.csv").toString()));
            for (List<String> each : wrong) {
                String[] line =
                        Stream.concat(each.stream(), Stream.of("--host", host)).toArray(String[]::new);
                Cli run = Cli.run(line);
                Cli dry = Cli.run(
                        Stream.concat(Stream.of(line), Stream.of("--dry-run")).toArray(String[]::new));
                assertThat(dry.code()).as(dry.err()).isEqualTo(run.code()).isNotEqualTo(Main.DONE);
                assertThat(dry.err()).isEqualTo(run.err());
            }
            Cli resumed = Cli.run("count", table, "--host", host, "--dry-run", "--resume");
            assertThat(resumed.code()).isEqualTo(Main.USAGE);
            assertThat(resumed.err())
                    .startsWith(
                            "overdrive: --resume does not go with --dry-run, which runs nothing: leave out one of them");
        }
    }

    private static Overdrive connect(SimulatedCluster cluster) {
        return Overdrive.connect(ConnectOptions.builder()
                .contactPoint(cluster.contactPoint())
                .timeout(Duration.ofSeconds(2))
                .driverSetting(DefaultDriverOption.RECONNECTION_BASE_DELAY.getPath(), "20 ms")
                .build());
    }

    private static long count(Overdrive overdrive) {
        LongAdder rows = new LongAdder();
        try (Scan scan = overdrive.count(ScanOptions.from(KEYSPACE, TABLE)
                .requestTimeout(Duration.ofMillis(300))
                .build())) {
            scan.forEach(2, row -> rows.add(row.getLong(0)));
        }
        return rows.sum();
    }

    private static void write(Overdrive overdrive, int rows, Consumer<Integer> beforeRow) {
        WriteOptions options = WriteOptions.into(KEYSPACE, TABLE)
                .columns("id", "n")
                .requestTimeout(Duration.ofMillis(300))
                .build();
        try (RowWriter writer = overdrive.writer(options)) {
            for (int i = 0; i < rows; i++) {
                beforeRow.accept(i);
                writer.row().setUuid(0, new UUID(i, i)).setLong(1, i);
                writer.send();
            }
        }
    }

    private static void write(Overdrive overdrive, int rows) {
        write(overdrive, rows, row -> {});
    }

    /** Switches of a node that is not the one that the driver has its control connection with. */
    private static void allRowsDespite(Consumer<SimulatedNode> before, Consumer<SimulatedNode> during) {
        try (SimulatedCluster cluster = SimulatedCluster.start(options(5).build())) {
            SimulatedNode node = cluster.nodes().get(3);
            before.accept(node);
            try (Overdrive overdrive = connect(cluster)) {
                during.accept(node);
                assertThat(count(overdrive)).isEqualTo(ROWS);
                write(overdrive, 300);
                assertThat(cluster.counts().rowsWritten()).isGreaterThanOrEqualTo(300);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"3, 8192", "300, 4096"})
    void connectionsOfManyNodesHavePlacesForFewerRequests(int nodes, int places) {
        try (SimulatedCluster cluster =
                        SimulatedCluster.start(options(nodes).tokensPerNode(1).build());
                Overdrive overdrive = connect(cluster)) {
            assertThat(overdrive
                            .session()
                            .getContext()
                            .getConfig()
                            .getDefaultProfile()
                            .getInt(DefaultDriverOption.CONNECTION_MAX_REQUESTS))
                    .isEqualTo(places);
            assertThat(count(overdrive)).isEqualTo(ROWS);
        }
    }

    private static Overdrive connectWhenUsed(SimulatedCluster cluster) {
        return Overdrive.connect(ConnectOptions.builder()
                .contactPoint(cluster.contactPoint())
                .connectWhenUsed()
                .driverSetting(DefaultDriverOption.RECONNECTION_BASE_DELAY.getPath(), "20 ms")
                .build());
    }

    private static long read(Overdrive overdrive, List<Split> splits) {
        long rows = 0;
        try (Scan scan = overdrive.scan(ScanOptions.from(KEYSPACE, TABLE).build())) {
            for (Split split : splits) {
                try (RowCursor cursor = scan.open(split)) {
                    while (cursor.next()) {
                        rows++;
                    }
                }
            }
        }
        return rows;
    }

    /** An executor of Spark reads in this way, to which the splits travel. */
    @Test
    void connectsOnlyToNodesThatAreUsed() {
        try (SimulatedCluster cluster = SimulatedCluster.start(
                options(300).tokensPerNode(16).rows(50_000).build())) {
            List<Split> all;
            List<Split> two;
            long rows;
            try (Overdrive overdrive = connect(cluster)) {
                try (Scan scan =
                        overdrive.scan(ScanOptions.from(KEYSPACE, TABLE).build())) {
                    all = scan.splits();
                }
                two = List.of(all.get(0), all.get(all.size() / 2));
                rows = read(overdrive, two);
                assertThat(rows).isPositive();
                assertThat(cluster.counts().connections()).isEqualTo(301);
            }
            while (cluster.counts().connections() > 0) { // they are closed
                Thread.onSpinWait();
            }
            try (Overdrive overdrive = connectWhenUsed(cluster)) {
                assertThat(cluster.counts().connections()).isEqualTo(1 + 3);
                assertThat(read(overdrive, two)).isEqualTo(rows);
                assertThat(cluster.counts().connections()).isBetween(1L + 3, 1L + 3 + 2 * 3);
                assertThat(read(overdrive, all)).isEqualTo(50_000);
                assertThat(overdrive.nodes()).hasSizeGreaterThan(200);
                assertThat(cluster.counts().connections()).isBetween(200L, 301L);
            }
        }
    }

    @Test
    void statementsOfTheUserConnectToFurtherNodes() {
        try (SimulatedCluster cluster = SimulatedCluster.start(options(12).build());
                Overdrive overdrive = connectWhenUsed(cluster)) {
            while (cluster.counts().connections() < 1 + 12) {
                assertThat(overdrive
                                .session()
                                .execute("SELECT count(*) FROM " + SimulatedCluster.TABLE)
                                .one())
                        .isNotNull();
            }
        }
    }

    @Test
    void nodesThatCannotBeConnectedToWhenTheyAreUsedCostNoRow() {
        try (SimulatedCluster cluster = SimulatedCluster.start(options(12).build());
                Overdrive overdrive = connectWhenUsed(cluster)) {
            List<SimulatedNode> unused = cluster.nodes().stream()
                    .filter(node -> node.counts().connections() == 0)
                    .toList();
            assertThat(unused).hasSize(9);
            unused.get(0).refuse();
            unused.get(1).hang();
            assertThat(count(overdrive)).isEqualTo(ROWS);
            write(overdrive, 300);
            assertThat(cluster.counts().rowsWritten()).isGreaterThanOrEqualTo(300);
            assertThat(unused.subList(2, 9))
                    .allSatisfy(node -> assertThat(node.counts().connections()).isPositive());
        }
    }

    /** The nodes that are connected to are down, and others are not. */
    @Test
    void anotherNodeIsConnectedToIfTheFirstOnesAreLost() {
        try (SimulatedCluster cluster = SimulatedCluster.start(options(12).build());
                Overdrive overdrive = connectWhenUsed(cluster)) {
            List<SimulatedNode> first = cluster.nodes().stream()
                    .filter(node -> node.counts().connections() > 0)
                    .toList();
            assertThat(first).hasSize(3);
            first.forEach(SimulatedNode::refuse);
            while (overdrive.session().getMetadata().getNodes().values().stream()
                            .filter(node -> node.getState() == NodeState.DOWN)
                            .count()
                    < first.size()) {
                Thread.onSpinWait();
            }
            overdrive.awaitNode(Duration.ofSeconds(20));
            assertThat(count(overdrive)).isEqualTo(ROWS);
        }
    }

    @Test
    void aHungNodeCostsNoRow() {
        allRowsDespite(SimulatedNode::hang, node -> {});
    }

    /** It is chosen at random for half of the statements that a command sends for itself; each of them waits a second or two. */
    @Test
    @Tag("nightly")
    void commandsFinishAlthoughOneOfTwoNodesHangs() throws IOException {
        Path input = Files.writeString(directory.resolve("in.csv"), "id,n\n" + new UUID(1, 1) + ",1\n");
        String sstables = directory.resolve("sstables").toString();
        try (SimulatedCluster cluster =
                SimulatedCluster.start(options(2).rows(203).build())) {
            cluster.nodes().get(1).hangAfterConnect();
            String host = cluster.contactPoint();
            String from = SimulatedCluster.TABLE;
            Cli copy = Cli.run("copy", from, from + "2", "--create", "--request-timeout", "0.3", "--host", host);
            assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE);
            assertThat(copy.out()).startsWith("203 rows read = 203 written");
            Cli load = Cli.run(
                    "load", input.toString(), from, "--sstables", "--sstable-directory", sstables, "--host", host);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
            assertThat(load.out()).startsWith("1 row read = 1 in SSTables that are not imported yet");
        }
    }

    /** Its rows wait for answers, and no retry can end while the nodes have the requests. */
    @Test
    @Tag("nightly")
    @Timeout(240)
    void sigtermEndsALoadWhoseNodesHang() throws Exception {
        try (SimulatedCluster cluster = SimulatedCluster.start(options(3).build())) {
            List<String> command = Child.command(
                    "load", "-", KEYSPACE + "." + TABLE, "--host", cluster.contactPoint(), "--rows-per-second", "20k");
            Path err = directory.resolve("err");
            Process load = new ProcessBuilder(command)
                    .redirectError(err.toFile())
                    .redirectOutput(directory.resolve("out").toFile())
                    .start();
            try {
                Feed.start(load, "id,n", i -> new UUID(i, i) + "," + i, Integer.MAX_VALUE);
                while (cluster.counts().rowsWritten() == 0) {
                    assertThat(load.isAlive())
                            .as("runs: %s", Files.readString(err))
                            .isTrue();
                    Thread.sleep(20);
                }
                cluster.nodes().forEach(SimulatedNode::hang);
                Child.signal(load, "TERM");
                assertThat(load.waitFor()).isEqualTo(Main.INTERRUPTED);
            } finally {
                load.destroyForcibly();
            }
            assertThat(err)
                    .content()
                    .contains(
                            "overdrive: it has not ended within 10 s, and is ended at once; unfinished work is lost\n");
        }
    }

    @Test
    void aNodeThatRefusesConnectionsCostsNoRow() {
        allRowsDespite(SimulatedNode::refuse, node -> {});
    }

    @Test
    void aNodeThatIsLostCostsNoRow() {
        allRowsDespite(node -> {}, node -> node.lose(Duration.ofMillis(100)));
    }

    @Test
    void aNodeThatIsSlowCostsNoRow() {
        allRowsDespite(node -> {}, node -> node.slow(Duration.ofMillis(20)));
    }

    @Test
    void anOverloadedNodeCostsNoRow() {
        allRowsDespite(node -> {}, node -> node.overload(2));
    }

    @Test
    void aNodeThatIsReplacedAtItsAddressCostsNoRow() {
        allRowsDespite(node -> {}, SimulatedNode::replace);
    }

    @ParameterizedTest
    @CsvSource({"4", "5"})
    void statementsArePreparedAgainOnANodeThatHasRestarted(int version) {
        try (SimulatedCluster cluster = SimulatedCluster.start(
                        options(1).protocolVersion(version).build());
                Overdrive overdrive = connect(cluster)) {
            SimulatedNode node = cluster.nodes().get(0);
            write(overdrive, 200, row -> {
                if (row == 100) {
                    node.restart(Duration.ofMillis(50));
                }
            });
            SimulatedCounts counts = node.counts();
            assertThat(counts.rowsWritten()).isGreaterThanOrEqualTo(200);
            assertThat(counts.prepares()).isGreaterThanOrEqualTo(2);
        }
    }

    @Test
    void statementsThatANodeForgetsArePreparedAgain() {
        try (SimulatedCluster cluster = SimulatedCluster.start(options(3).build());
                Overdrive overdrive = connect(cluster)) {
            try (Scan scan = overdrive.count(ScanOptions.from(KEYSPACE, TABLE).build())) {
                cluster.nodes().forEach(SimulatedNode::forget);
                LongAdder rows = new LongAdder();
                scan.forEach(2, row -> rows.add(row.getLong(0)));
                assertThat(rows.sum()).isEqualTo(ROWS);
            }
            assertThat(cluster.counts().unprepared()).isPositive();
        }
    }

    @Test
    void aTableThatIsCreatedTakesRowsAndKeepsNone() throws IOException {
        Path input = Files.writeString(directory.resolve("in.csv"), "id,name\n1,a\n2,b\n");
        try (SimulatedCluster cluster = SimulatedCluster.start(options(3).build())) {
            String host = cluster.contactPoint();
            Cli load = Cli.run("load", input.toString(), "simulated.users", "--create", "--key", "id", "--host", host);
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE);
            assertThat(cluster.counts().rowsWritten()).isEqualTo(2);
            assertThat(Cli.run("count", "simulated.users", "--host", host).out())
                    .startsWith("0 rows\n");
        }
    }

    @Test
    void theCommandSimulatesUntilItIsInterrupted() throws InterruptedException {
        Cli[] result = new Cli[1];
        Thread command = new Thread(() -> result[0] = Cli.run(
                "local", "start", "--simulated", "4", "--dcs", "2", "--tokens", "4", "--rows", "2k", "--port", "0"));
        command.start();
        while (command.getState() != Thread.State.WAITING) { // for its nodes, and then for Ctrl-C
            Thread.onSpinWait();
        }
        command.interrupt();
        command.join();
        assertThat(result[0].code()).as(result[0].err()).isEqualTo(Main.DONE);
        assertThat(result[0].out())
                .matches(
                        "A SIMULATED CLUSTER OF 8 NODES ANSWERS: NO ROW IS KEPT\\. Writes are acknowledged and counted;"
                                + " simulated\\.numbers has 2,000 computed rows\\.\n"
                                + "connect with --host 127\\.77\\.0\\.1:[0-9]+; end it with Ctrl-C\n");
    }

    @Test
    void theCommandTakesOnlyOptionsOfSimulatedNodes() {
        assertThat(Cli.run("local", "start", "--simulated", "3", "--nodes", "3", "--heap-mb", "300")
                        .err())
                .startsWith(
                        "overdrive: --nodes, --heap-mb: has no effect with --simulated N, which has the number of nodes"
                                + " and starts no real one; leave this out\n");
        assertThat(Cli.run("local", "start", "--tokens", "256").err())
                .startsWith("overdrive: --tokens: has an effect only with --simulated; add it, or leave this out\n");
        assertThat(Cli.run("local", "start", "--simulated", "3000").err())
                .startsWith("overdrive: --simulated: nodes of a data centre: 3000, must be 1 to 2000\n");
    }
}
