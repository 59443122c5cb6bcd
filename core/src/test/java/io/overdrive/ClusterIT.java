package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DefaultProtocolVersion;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that break, and nodes that hang, die and come back, while rows are written. The last test kills all nodes. */
@Tag("cluster")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterIT {
    private static final int DEFAULT_ATTEMPTS = 10;

    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private static Overdrive overdrive;

    @BeforeAll
    static void start(@TempDir Path directory) {
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .nodesPerDatacenter(3)
                // Acknowledged rows are on disk, so a killed node loses none of them.
                .setting("commitlog_sync", "batch")
                .setting("commitlog_sync_period", "0ms")
                .stopWithJvm(true)
                .build());
        overdrive = TestCluster.connect(cluster);
        for (int replicas : new int[] {1, 3}) {
            overdrive.changeSchema("CREATE KEYSPACE rf" + replicas
                    + " WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': " + replicas + "}");
            overdrive.changeSchema("CREATE TABLE rf" + replicas + ".t (k int, c int, v text, PRIMARY KEY (k, c))");
        }
    }

    @AfterAll
    static void stop() {
        overdrive.close();
        cluster.wipe();
    }

    @Test
    @Order(0)
    @Tag("server")
    void readsEachRowOnceAndKnowsTheReplicasOfEachSplit() {
        Ring ring = new Ring(overdrive);
        assertThat(ring.tokens()).isEqualTo(3 * 16);
        for (int replicas = 1; replicas <= 3; replicas++) {
            LoadedTable table = new LoadedTable(overdrive, "tokens_rf" + replicas, "'dc1': " + replicas, 600);
            try (Scan scan = overdrive.scan(table.options().build())) {
                ring.assertReplicas(scan.splits(), replicas);
            }
            table.assertRead(table.options());
            table.assertRead(table.options().pageRows(3).splitsInFlight(100));
            table.assertCounted(ScanOptions.from(table.keyspace, "t"));
        }
    }

    /** Rows of many small cells and of collections: the server counts far more bytes than a request has. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @Order(0)
    @Tag("nightly")
    void sendsSingleRowsTogetherWithoutAWarningInTheLog(int replicas) {
        String table = "rf" + replicas + ".singles";
        overdrive.changeSchema("CREATE TABLE " + table
                + " (k int PRIMARY KEY, a int, b int, c int, d int, e int, f int, g int, h int, m map<int, int>)");
        Map<Integer, Integer> last = new HashMap<>();
        RowWriter writer = overdrive.writer(
                WriteOptions.into("rf" + replicas, "singles").bulk().build());
        int rows = 0;
        try (writer) {
            Random random = new Random(1);
            while (writer.totals().batches() < 100) {
                assertThat(rows).as("none are gathered").isLessThan(5_000_000);
                for (int i = 0; i < 100; i++, rows++) {
                    int k = random.nextInt(10_000);
                    RowBuffer row = writer.row().setInt(0, k);
                    for (int column = 1; column <= 8; column++) {
                        row.setInt(column, rows);
                    }
                    row.set(9, Map.of(1, rows, 2, rows, 3, rows));
                    last.put(k, rows);
                    writer.send();
                }
            }
        }
        assertThat(writer.grouping()).isEqualTo(Grouping.NONE);
        assertThat(writer.totals().rowsWritten()).isEqualTo(rows);
        assertThat(writer.totals().batchedRows())
                .isLessThanOrEqualTo(10 * writer.totals().batches());
        Map<Integer, Integer> found = new HashMap<>();
        for (Row row : readWhatIsWritten("SELECT k, h FROM " + table)) {
            found.put(row.getInt(0), row.getInt(1));
        }
        assertThat(found).isEqualTo(last);
        assertThat(warningsOfBatches()).isEmpty();
    }

    @Test
    @Order(1)
    @Tag("nightly")
    void largerBatchesLeaveAWarningInTheLog() throws InterruptedException {
        try (RowWriter writer = overdrive.writer(WriteOptions.into("rf3", "singles")
                .grouping(Grouping.REPLICA_SET)
                .batchRows(11)
                .build())) {
            for (int i = 0; i < 11; i++) {
                writer.row().setInt(0, i);
                writer.send();
            }
        }
        while (warningsOfBatches().isEmpty()) {
            Thread.sleep(20);
        }
    }

    /** Rows are written at LOCAL_QUORUM: a single replica may not have the last ones yet. */
    private static ResultSet readWhatIsWritten(String query) {
        return overdrive
                .session()
                .execute(SimpleStatement.newInstance(query).setConsistencyLevel(DefaultConsistencyLevel.LOCAL_QUORUM));
    }

    private static List<String> warningsOfBatches() {
        return cluster.nodes().stream()
                .flatMap(node -> lines(node.logFile()))
                .filter(line ->
                        line.startsWith("WARN") && (line.contains(" - Unlogged batch ") || line.contains(" - Batch ")))
                .toList();
    }

    private static Stream<String> lines(Path log) {
        try {
            return Files.readAllLines(log).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * All connections to all nodes are slow; in each round some are throttled, stalled, cut inside a frame, or pass on a bit that was
     * changed. First all are stalled, as a scan keeps away from a single node that does not answer.
     */
    @Test
    @Order(2)
    @Tag("nightly")
    void losesDoublesAndChangesNothingWhileConnectionsAreSlowStalledDamagedAndCut() {
        LoadedTable source = new LoadedTable(overdrive, "proxied_source", "'dc1': 3", 900);
        overdrive.changeSchema(
                "CREATE KEYSPACE proxied WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
        overdrive.changeSchema("CREATE TABLE proxied.t (k int, c int, v text, PRIMARY KEY (k, c))");
        Seeds.once(random -> {
            List<TcpProxy> proxies = new ArrayList<>();
            try {
                for (Node node : cluster.nodes()) {
                    proxies.add(new TcpProxy(node.address(), random));
                }
                try (Overdrive slow = Overdrive.connect(
                        proxies.get(0).through().datacenter("dc1").build())) {
                    proxies.forEach(proxy -> proxy.delay(200));
                    assertThat(slow.session().getContext().getProtocolVersion())
                            .as("a version with checksums")
                            .isEqualTo(DefaultProtocolVersion.V5);
                    loadAndRead(slow, source, proxies, random);
                }
            } finally {
                proxies.forEach(TcpProxy::close);
            }
        });
    }

    private static void loadAndRead(Overdrive slow, LoadedTable source, List<TcpProxy> proxies, Random random)
            throws InterruptedException {
        List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean enough = new AtomicBoolean();
        Job job = new Job(slow, "proxied", DEFAULT_ATTEMPTS, new Random(random.nextLong()), enough, rejected);
        job.start();
        try (Reading reading = new Reading(
                source,
                slow.scan(source.options()
                        .consistency(DefaultConsistencyLevel.LOCAL_QUORUM)
                        .pageRows(10)
                        .rowsPerSecond(300)
                        .requestTimeout(Duration.ofSeconds(3))
                        .build()))) {
            reading.start();
            while (reading.scan.totals().pages() == 0) {
                Thread.sleep(20);
            }
            proxies.forEach(TcpProxy::stall);
            while (reading.scan.totals().retries() == 0) {
                assertThat(reading.isAlive()).isTrue();
                Thread.sleep(20);
            }
            proxies.forEach(TcpProxy::resume);
            for (int round = 0; round < 6; round++) {
                TcpProxy first = proxies.get(random.nextInt(3));
                TcpProxy second = proxies.get(random.nextInt(3));
                first.throttle(50_000);
                long retries = job.writer.totals().retries();
                if (round % 3 == 0) {
                    second.cutInsideAFrame();
                } else if (round % 3 == 1) {
                    awaitConnections(slow);
                    second.flipABit();
                    await(List.of(job), totals -> totals.retries() > retries);
                } else {
                    awaitConnections(slow); // a node without one gets no request that could time out
                    second.stall();
                    await(List.of(job), totals -> totals.retries() > retries);
                    second.resume();
                }
                long written = job.writer.totals().rowsWritten();
                await(List.of(job), totals -> totals.rowsWritten() > written + 300);
                first.throttle(Long.MAX_VALUE);
            }
            enough.set(true);
            job.join();
            reading.assertAll();
            assertThat(reading.scan.totals().retries()).isPositive();
        }
        assertThat(rejected).isEmpty();
        assertThat(job.writer.totals().retries()).isPositive();
        job.assertWhole();
    }

    @Test
    @Order(3)
    void losesNothingWhileNodesHangDieAndComeBack() {
        Seeds.once(random -> {
            List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());
            List<Job> jobs = new ArrayList<>();
            AtomicBoolean enough = new AtomicBoolean();
            for (int replicas : new int[] {1, 3}) {
                Job job = new Job(
                        overdrive, "rf" + replicas, DEFAULT_ATTEMPTS, new Random(random.nextLong()), enough, rejected);
                jobs.add(job);
                job.start();
            }
            List<Node> nodes = new ArrayList<>(cluster.nodes());
            Collections.shuffle(nodes, random);
            await(jobs, totals -> totals.rowsWritten() > 500);
            nodes.get(0).pause();
            await(jobs, totals -> totals.retries() > 0);
            nodes.get(0).resume();
            List<Totals> resumed = jobs.stream().map(job -> job.writer.totals()).toList();
            for (int i = 0; i < jobs.size(); i++) {
                Totals before = resumed.get(i);
                await(jobs.subList(i, i + 1), totals -> totals.rowsWritten() > before.rowsWritten() + 500);
            }
            nodes.get(1).kill();
            // With one replica, rows of this node wait until it is back.
            long retries = jobs.get(0).writer.totals().retries();
            await(jobs.subList(0, 1), totals -> totals.retries() > retries);
            nodes.get(1).start();
            enough.set(true);
            for (Job job : jobs) {
                job.join();
            }
            for (Job job : jobs) {
                job.assertWhole();
            }
            assertThat(rejected).isEmpty();
        });
    }

    /** Two of three replicas hang: the third reports timeouts, until it considers them down; from then on, that there are too few. */
    @Test
    @Order(4)
    @Tag("nightly")
    void losesAndDoublesNothingWhileReplicasAreTooSlowAndThenUnavailable() throws Exception {
        LoadedTable source = new LoadedTable(overdrive, "hanging_source", "'dc1': 3", 500);
        overdrive.changeSchema(
                "CREATE KEYSPACE hanging WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 3}");
        overdrive.changeSchema("CREATE TABLE hanging.t (k int, c int, v text, PRIMARY KEY (k, c))");
        List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());
        AtomicBoolean enough = new AtomicBoolean();
        int maxAttempts = 30; // enough for the time that it takes to consider a node down
        Job job = new Job(overdrive, "hanging", maxAttempts, new Random(1), enough, rejected);
        Node coordinator = cluster.nodes().get(0);
        List<Node> hanging = cluster.nodes().subList(1, 3);
        NodeBeans.set(coordinator, "WriteRpcTimeout", 300L);
        NodeBeans.set(coordinator, "RangeRpcTimeout", 300L);
        try (Reading reading = new Reading(
                source,
                overdrive.scan(source.options()
                        .consistency(DefaultConsistencyLevel.LOCAL_QUORUM)
                        .pageRows(10)
                        .rowsPerSecond(300)
                        .requestTimeout(Duration.ofSeconds(3))
                        .maxAttempts(maxAttempts)
                        .build()))) {
            job.start();
            reading.start();
            await(List.of(job), totals -> totals.rowsWritten() > 500);
            hanging.forEach(Node::pause);
            try {
                for (String error : List.of("Timeouts", "Unavailables")) {
                    for (String requests : List.of("Write", "RangeSlice")) {
                        while (NodeBeans.count(coordinator, "type=ClientRequest,scope=" + requests + ",name=" + error)
                                == 0) {
                            assertThat(job.isAlive() && reading.isAlive()).isTrue();
                            Thread.sleep(100);
                        }
                    }
                }
            } finally {
                hanging.forEach(Node::resume);
            }
            enough.set(true);
            job.join();
            reading.assertAll();
            assertThat(reading.scan.totals().retries()).isPositive();
        }
        assertThat(rejected).isEmpty();
        assertThat(job.writer.totals().retries()).isPositive();
        job.assertWhole();
    }

    private static void awaitConnections(Overdrive through) throws InterruptedException {
        while (through.session().getMetadata().getNodes().values().stream()
                .anyMatch(node -> node.getOpenConnections() == 0)) {
            Thread.sleep(20);
        }
    }

    private static void await(List<Job> jobs, Predicate<Totals> reached) throws InterruptedException {
        for (Job job : jobs) {
            while (!reached.test(job.writer.totals())) {
                assertThat(job.isAlive()).isTrue();
                Thread.sleep(20);
            }
        }
    }

    /** A scan of a table, and the rows that it found. */
    private static final class Reading extends Thread implements AutoCloseable {
        final Scan scan;
        private final LoadedTable.Found found;
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

        Reading(LoadedTable table, Scan scan) {
            super("reading");
            this.scan = scan;
            this.found = table.new Found();
            setUncaughtExceptionHandler((thread, e) -> failure.set(e));
        }

        @Override
        public void run() {
            scan.forEach(3, found::add);
        }

        void assertAll() throws InterruptedException {
            join();
            assertThat(failure.get()).isNull();
            found.assertAll();
        }

        @Override
        public void close() {
            scan.close();
        }
    }

    /** A writer and what it wrote; confined to its thread until the thread has ended. */
    private static final class Job extends Thread {
        final String keyspace;
        final RowWriter writer;
        private final Random random;
        private final AtomicBoolean enough;
        private final Map<Long, String> model = new HashMap<>();
        private long rows;
        private @Nullable Throwable failure;

        Job(
                Overdrive through,
                String keyspace,
                int maxAttempts,
                Random random,
                AtomicBoolean enough,
                List<RejectedRow> rejected) {
            super("job-" + keyspace);
            this.keyspace = keyspace;
            this.random = random;
            this.enough = enough;
            writer = through.writer(WriteOptions.into(keyspace, "t")
                    .columns("k", "c", "v")
                    .consistency(DefaultConsistencyLevel.LOCAL_QUORUM)
                    .requestTimeout(Duration.ofSeconds(3))
                    .maxAttempts(maxAttempts)
                    // The rate limit paces requests: small batches keep rows from waiting long for others.
                    .batchRows(5)
                    .rowsPerSecond(1_000)
                    .inFlightRequests(64)
                    .onReject(rejected::add)
                    .build());
            setUncaughtExceptionHandler((thread, e) -> failure = e);
        }

        @Override
        public void run() {
            try (writer) {
                while (!enough.get()) {
                    int k = random.nextInt(500);
                    int c = random.nextInt(50);
                    String v = "v" + rows++;
                    writer.row().setInt(0, k).setInt(1, c).setText(2, v);
                    writer.send();
                    model.put((long) k << 32 | c, v);
                }
            }
        }

        void assertWhole() {
            assertThat(failure).isNull();
            Totals totals = writer.totals();
            assertThat(totals.rowsTaken()).isEqualTo(rows);
            assertThat(totals.rowsWritten()).isEqualTo(rows);
            Map<Long, String> found = new HashMap<>();
            for (Row row : readWhatIsWritten("SELECT k, c, v FROM " + keyspace + ".t")) {
                found.put((long) row.getInt(0) << 32 | row.getInt(1), row.getString(2));
            }
            List<String> wrong = new ArrayList<>();
            model.forEach((key, v) -> {
                if (!v.equals(found.get(key))) {
                    wrong.add(key + ": " + v + ", found " + found.get(key));
                }
            });
            assertThat(wrong).as("of %d rows in %s", model.size(), keyspace).isEmpty();
            assertThat(found).hasSameSizeAs(model);
        }
    }

    @Test
    @Order(5)
    void waitsForPermitsWhileNoNodeIsUp() throws InterruptedException {
        AtomicLong peak = new AtomicLong();
        List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());
        RowWriter writer = overdrive.writer(WriteOptions.into("rf3", "t")
                .grouping(Grouping.NONE)
                .inFlightRequests(10)
                .patience(Duration.ofSeconds(2))
                .onReject(rejected::add)
                .build());
        cluster.nodes().forEach(Node::kill);
        while (overdrive.session().getMetadata().getNodes().values().stream()
                .anyMatch(node -> node.getState() != NodeState.DOWN)) {
            Thread.sleep(50);
        }
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> {
                    try (writer) {
                        for (int i = 0; i < 200; i++) {
                            writer.row().setInt(0, i).setInt(1, i).setText(2, "v");
                            writer.send();
                            peak.accumulateAndGet(writer.totals().inFlightRequests(), Math::max);
                        }
                    }
                })
                .withMessageStartingWith("[rf3.t] cannot write: nodes ")
                .withMessageEndingWith(" do not answer; gave up after 2 s, which is set by patience");
        assertThat(peak.get()).isLessThanOrEqualTo(10);
        assertThat(writer.totals().rowsTaken()).isLessThan(200);
        assertThat(writer.totals().rowsWritten()).isZero();
        assertThat(rejected).isEmpty();
    }
}
