package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.servererrors.OverloadedException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A node that from some moment on refuses a load and a scan: the role has no right or password any more, there are too many
 * requests, or the disk is full.
 */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RefusingNodeIT {
    private static final String USER = "worker";
    private static final String PASSWORD = "r0le-s3cret";
    private static final int COMMIT_LOG_SEGMENT_BYTES = 1 << 20;

    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private static Overdrive admin;

    private static Path data = Path.of("");

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        cluster = LocalCluster.start(options(directory, "stop"));
        data = directory.resolve("node1").resolve("data");
        admin = connectAdmin();
        cql("CREATE ROLE " + USER + " WITH PASSWORD = '" + PASSWORD + "' AND LOGIN = true");
    }

    /** @param failurePolicy what the node does if its disk fails; stop is Cassandra's default */
    private static LocalOptions options(Path directory, String failurePolicy) {
        return LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .profile(LocalOptions.Profile.SMALL)
                .setting("authenticator", "PasswordAuthenticator")
                .setting("authorizer", "CassandraAuthorizer")
                .setting("permissions_validity", "0ms")
                .setting("credentials_validity", "0ms")
                // The disk counts as full when the files of the node have nine tenths of this size.
                .setting("data_disk_usage_max_disk_size", "1GiB")
                .setting("data_disk_usage_percentage_warn_threshold", "80")
                .setting("data_disk_usage_percentage_fail_threshold", "90")
                .jvmArguments("-Dcassandra.disk_usage.monitor_interval_ms=200")
                .setting("commit_failure_policy", failurePolicy)
                .setting("disk_failure_policy", failurePolicy)
                // Acknowledged rows are on disk, so a killed node loses none of them; it often needs a new file for
                // that.
                .setting("commitlog_sync", "batch")
                .setting("commitlog_sync_period", "0ms")
                .setting("commitlog_segment_size", (COMMIT_LOG_SEGMENT_BYTES >> 20) + "MiB")
                .stopWithJvm(true)
                .build();
    }

    @AfterAll
    static void stop() {
        admin.close();
        cluster.wipe();
    }

    /** The node creates its first user some seconds after its start. */
    private static Overdrive connectAdmin() throws InterruptedException {
        for (int i = 0; ; i++) {
            try {
                return Overdrive.connect(options("cassandra", "cassandra"));
            } catch (OverdriveException e) {
                if (i == 60) {
                    throw e;
                }
                Thread.sleep(1000);
            }
        }
    }

    private static ConnectOptions options(String user, String password) {
        return ConnectOptions.builder()
                .contactPoint(cluster.contactPoints().get(0))
                .credentials(user, password)
                .driverSetting("advanced.heartbeat.timeout", "60 seconds") // a slow node is not dead
                .build();
    }

    private static void cql(String statement) {
        admin.session().execute(statement);
    }

    /** A node refuses a change within 5 s of the one before. */
    private static void changePassword(String password) throws InterruptedException {
        while (true) {
            try {
                cql("ALTER ROLE " + USER + " WITH PASSWORD = '" + password + "'");
                return;
            } catch (OverloadedException e) {
                Thread.sleep(100);
            }
        }
    }

    /** A table to write, and one to read. */
    private static void createKeyspace(String keyspace) {
        new LoadedTable(admin, keyspace, "'dc1': 1", 1_000);
        admin.changeSchema("CREATE TABLE " + keyspace + ".target (k int PRIMARY KEY, v text)");
        cql("GRANT MODIFY ON TABLE " + keyspace + ".target TO " + USER);
        cql("GRANT SELECT ON TABLE " + keyspace + ".t TO " + USER);
    }

    /** A load and a scan, which do not end by themselves. */
    private static final class Work implements AutoCloseable {
        final RowWriter writer;
        final Scan scan;
        final List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());
        private final AtomicReference<@Nullable OverdriveException> writeFailure = new AtomicReference<>();
        private final AtomicReference<@Nullable OverdriveException> readFailure = new AtomicReference<>();
        private final Thread load;
        private final Thread read;
        private volatile boolean enough;
        private volatile int sent;

        Work(Overdrive overdrive, String keyspace, Duration patience) {
            writer = overdrive.writer(WriteOptions.into(keyspace, "target")
                    .grouping(Grouping.NONE)
                    .rowsPerSecond(300)
                    .inFlightRequests(20)
                    .patience(patience)
                    .onReject(rejected::add)
                    .build());
            scan = overdrive.scan(ScanOptions.from(keyspace, "t")
                    .columns("k", "c", "v")
                    .pageRows(5)
                    .rowsPerSecond(20)
                    .patience(patience)
                    .build());
            load = new Thread(() -> run(writeFailure, this::load), "load");
            read = new Thread(() -> run(readFailure, () -> scan.forEach(2, row -> {})), "read");
            load.start();
            read.start();
        }

        private static void run(AtomicReference<@Nullable OverdriveException> failure, Runnable work) {
            try {
                work.run();
            } catch (OverdriveException e) {
                failure.set(e);
            }
        }

        private void load() {
            try (writer) {
                while (!enough) {
                    writer.row().setInt(0, sent).setText(1, "v");
                    writer.send();
                    sent++;
                }
            }
        }

        void awaitProgress() throws InterruptedException {
            long written = writer.totals().rowsWritten();
            awaitRead();
            while (writer.totals().rowsWritten() < written + 50) {
                assertRuns();
                Thread.sleep(10);
            }
        }

        void awaitRead() throws InterruptedException {
            long rows = scan.totals().rowsRead();
            while (scan.totals().rowsRead() < rows + 5) {
                assertRuns();
                Thread.sleep(10);
            }
        }

        void assertRuns() {
            assertThat(load.isAlive() && read.isAlive()).as("both run").isTrue();
        }

        boolean bothRetry() {
            return writer.totals().retries() > 0 && scan.totals().retries() > 0;
        }

        void awaitWaitingFor(String reason) throws InterruptedException {
            while (!String.valueOf(writer.totals().waiting()).contains(reason)) {
                assertThat(load.isAlive()).as("the load runs").isTrue();
                Thread.sleep(10);
            }
        }

        OverdriveException writeFailure() throws InterruptedException {
            load.join();
            return Objects.requireNonNull(writeFailure.get(), "the load has ended without a failure");
        }

        OverdriveException readFailure() throws InterruptedException {
            read.join();
            return Objects.requireNonNull(readFailure.get(), "the scan has ended without a failure");
        }

        /** Ends the load, which has written each row. */
        void assertAllWritten(String keyspace) throws InterruptedException {
            enough = true;
            load.join();
            assertThat(writeFailure.get()).isNull();
            assertThat(rejected).isEmpty();
            assertThat(writer.totals().rowsWritten()).isEqualTo(sent);
            assertThat(admin.session()
                            .execute("SELECT k FROM " + keyspace + ".target")
                            .all())
                    .hasSize(sent);
        }

        @Override
        public void close() throws InterruptedException {
            enough = true;
            scan.close();
            load.join();
            read.join();
        }
    }

    @Test
    void theRoleLosesItsRights() throws Exception {
        createKeyspace("revoked");
        try (Overdrive overdrive = Overdrive.connect(options(USER, PASSWORD));
                Work work = new Work(overdrive, "revoked", Duration.ofMinutes(5))) {
            work.awaitProgress();
            cql("REVOKE MODIFY ON TABLE revoked.target FROM " + USER);
            cql("REVOKE SELECT ON TABLE revoked.t FROM " + USER);
            assertThat(work.writeFailure())
                    .hasMessageStartingWith("[revoked.target] cannot write: User worker has no MODIFY permission on"
                            + " <table revoked.target> or any of its parents; have it granted");
            assertThat(work.readFailure())
                    .hasMessageStartingWith("[revoked.t] cannot read token range ")
                    .hasMessageContaining("User worker has no SELECT permission on <table revoked.t>");
            assertThat(work.writer.totals().retries() + work.scan.totals().retries())
                    .isZero();
            assertThat(work.rejected).isEmpty();
        }
    }

    @Test
    void theTablesAreDropped() throws Exception {
        createKeyspace("dropped");
        try (Overdrive overdrive = Overdrive.connect(options(USER, PASSWORD));
                Work work = new Work(overdrive, "dropped", Duration.ofMinutes(5))) {
            work.awaitProgress();
            cql("DROP TABLE dropped.target");
            cql("DROP TABLE dropped.t");
            assertThat(work.writeFailure())
                    .hasMessageStartingWith("[dropped.target] cannot write: ")
                    .hasMessageFindingMatch("does not exist|unconfigured");
            assertThat(work.readFailure())
                    .hasMessageStartingWith("[dropped.t] cannot read token range ")
                    .hasMessageFindingMatch("does not exist|unconfigured");
            assertThat(work.rejected).isEmpty();
        }
    }

    @Test
    @Tag("nightly")
    void aColumnIsDropped() throws Exception {
        createKeyspace("altered");
        try (Overdrive overdrive = Overdrive.connect(options(USER, PASSWORD));
                Work work = new Work(overdrive, "altered", Duration.ofMinutes(5))) {
            work.awaitProgress();
            cql("ALTER TABLE altered.target DROP v");
            cql("ALTER TABLE altered.t DROP v");
            assertThat(work.writeFailure())
                    .hasMessageStartingWith(
                            "[altered.target] cannot write: Undefined column name v in table" + " altered.target");
            assertThat(work.readFailure())
                    .hasMessageStartingWith("[altered.t] cannot read token range ")
                    .hasMessageContaining("Undefined column name v in table altered.t");
            assertThat(work.rejected).isEmpty();
        }
    }

    /** Connections that are open stay open: only one that breaks needs the password again. */
    @Test
    @Tag("nightly")
    void thePasswordIsChangedAndConnectionsBreak() throws Exception {
        createKeyspace("password");
        try (TcpProxy proxy = new TcpProxy(cluster.contactPoints().get(0), new Random(1));
                Overdrive overdrive = Overdrive.connect(
                        proxy.through().credentials(USER, PASSWORD).build())) {
            String refused = proxy.address().getPort() + " does not accept the password of user worker";
            try (Work work = new Work(overdrive, "password", Duration.ofMinutes(5))) {
                work.awaitProgress();
                changePassword("an0ther-s3cret");
                work.awaitProgress();
                proxy.cut();
                work.awaitWaitingFor(refused);
                changePassword(PASSWORD);
                work.awaitProgress();
                work.assertAllWritten("password");
            }
            try (Work work = new Work(overdrive, "password", Duration.ofSeconds(6))) {
                work.awaitProgress();
                changePassword("an0ther-s3cret");
                proxy.cut();
                String gaveUp = refused + "; gave up after 6 s, which is set by patience";
                assertThat(work.writeFailure()).hasMessageContaining(gaveUp);
                assertThat(work.readFailure()).hasMessageContaining(gaveUp);
                assertThat(work.rejected).isEmpty();
            }
        } finally {
            changePassword(PASSWORD);
        }
    }

    @Test
    void thePasswordIsWrong() {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> Overdrive.connect(options(USER, "s3cret-typo")))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT))
                .withMessageContaining("check the user and the password")
                .withMessageNotContaining("s3cret-typo");
    }

    @Test
    void itsDiskIsFullUntilThereIsSpace() throws Exception {
        createKeyspace("disk_full");
        try (Overdrive overdrive = Overdrive.connect(options(USER, PASSWORD));
                Work work = new Work(overdrive, "disk_full", Duration.ofMinutes(5))) {
            work.awaitProgress();
            Path filler = data.resolve("filler");
            fill(filler);
            work.awaitWaitingFor("a replica's disk is full, so free space there or add nodes: ");
            Files.delete(filler);
            work.awaitProgress();
            work.assertAllWritten("disk_full");
        }
    }

    /** A file without content that counts as one of 2 GB. */
    private static void fill(Path filler) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
            file.setLength(2L << 30);
        }
    }

    /** It answers that it is overloaded, if it is set to; else, as by default, it stops reading from the connection for a while. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("nightly")
    void itLimitsTheRateOfRequests(boolean refuses) throws Exception {
        String keyspace = refuses ? "refused" : "held_back";
        String meter = "type=Client,name=" + (refuses ? "RequestDiscarded" : "ConnectionPaused");
        createKeyspace(keyspace);
        Node node = cluster.nodes().get(0);
        NodeBeans.set(node, "NativeTransportThrowOnOverload", refuses); // for new connections
        NodeBeans.set(node, "NativeTransportMaxRequestsPerSecond", 50);
        try (Overdrive overdrive = Overdrive.connect(options(USER, PASSWORD));
                Work work = new Work(overdrive, keyspace, Duration.ofMinutes(5))) {
            work.awaitProgress();
            long before = NodeBeans.count(node, meter);
            NodeBeans.set(node, "NativeTransportRateLimitingEnabled", true);
            while (NodeBeans.count(node, meter) == before || refuses && !work.bothRetry()) {
                work.assertRuns();
                Thread.sleep(20);
            }
            work.awaitProgress();
            NodeBeans.set(node, "NativeTransportRateLimitingEnabled", false);
            work.awaitProgress();
            work.assertAllWritten(keyspace);
        } finally {
            NodeBeans.set(node, "NativeTransportRateLimitingEnabled", false);
            NodeBeans.set(node, "NativeTransportThrowOnOverload", false);
        }
    }

    /**
     * The node cannot make a file for its commit log. By default, it then serves nobody until it is restarted; the policy "ignore"
     * has it try to make the file until it can.
     */
    @Test
    @Order(Order.DEFAULT + 1) // files that it failed to write keep the node from changing its schema
    @EnabledOnOs(OS.LINUX)
    @Tag("nightly")
    void itCannotWriteItsCommitLogUntilThereIsSpace() throws Exception {
        createKeyspace("no_space");
        admin.changeSchema("CREATE TABLE no_space.filler (k int PRIMARY KEY, v text)");
        Node node = cluster.nodes().get(0);
        try (Overdrive overdrive = Overdrive.connect(options(USER, PASSWORD));
                Work work = new Work(overdrive, "no_space", Duration.ofMinutes(5))) {
            work.awaitProgress();
            limitFiles(node, Integer.toString(COMMIT_LOG_SEGMENT_BYTES / 2));
            fillCommitLog();
            // "node … does not answer", or "there is no connection to …": the node leaves some connections open
            work.awaitWaitingFor(":" + node.address().getPort());
            node.kill();
            cluster.stop();
            cluster = LocalCluster.start(options(cluster.directory(), "ignore"));
            work.awaitProgress();
            awaitAdmin();

            long before = work.writer.totals().retries();
            limitFiles(node, Integer.toString(COMMIT_LOG_SEGMENT_BYTES / 2));
            fillCommitLog();
            while (NodeBeans.count(node, "type=ClientRequest,scope=Write,name=Timeouts") == 0
                    || work.writer.totals().retries() == before) {
                work.assertRuns();
                Thread.sleep(20);
            }
            work.awaitRead();
            limitFiles(node, "unlimited");
            work.awaitProgress();
            awaitAdmin();
            work.assertAllWritten("no_space");
        }
    }

    /** Limits the size of files that the process of a node writes, as a full disk does. */
    private static void limitFiles(Node node, String bytes) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        "prlimit", "--pid", Long.toString(node.pid().orElseThrow()), "--fsize=" + bytes + ":")
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();
    }

    /** More than the files have that are ready to be written. */
    private static void fillCommitLog() {
        for (int i = 0; i < 20; i++) {
            admin.session()
                    .executeAsync(
                            "INSERT INTO no_space.filler (k, v) VALUES (" + i + ", '" + "v".repeat(200_000) + "')");
        }
    }

    /** Waits for the connection of the test, which the driver sets up again. */
    private static void awaitAdmin() throws InterruptedException {
        while (admin.session().getMetadata().getNodes().values().stream()
                .noneMatch(node -> node.getState() == NodeState.UP && node.getOpenConnections() > 0)) {
            Thread.sleep(100);
        }
    }
}
