package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.ProtocolVersion;
import io.overdrive.OverdriveException.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ways to connect to a cluster, and the messages when that fails. */
@Tag("server")
@Timeout(300)
class ConnectIT {
    private final Path directory;

    ConnectIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static ConnectOptions.Builder testNode() {
        return ConnectOptions.builder().contactPoint(address());
    }

    private static InetSocketAddress address() {
        return (InetSocketAddress) TestCluster.overdrive()
                .session()
                .getMetadata()
                .getNodes()
                .values()
                .iterator()
                .next()
                .getEndPoint()
                .resolve();
    }

    @Test
    void knowsOnlyTheKeyspacesThatItIsFor() {
        String own = TestCluster.keyspace("connect_own");
        String other = TestCluster.keyspace("connect_other");
        for (String keyspace : List.of(own, other)) {
            TestCluster.execute("CREATE TABLE " + keyspace + ".t (k int PRIMARY KEY, v text)");
        }
        try (Overdrive overdrive =
                Overdrive.connect(testNode().keyspaces(List.of(own)).build())) {
            try (RowWriter writer = overdrive.writer(WriteOptions.into(own, "t").build())) {
                writer.row().setInt(0, 1).setText(1, "v");
                writer.send();
            }
            assertThat(overdrive.session().getMetadata().getKeyspaces().keySet())
                    .extracting(name -> name.asInternal())
                    .containsExactly(own);
            assertThat(TestCluster.execute("SELECT * FROM " + own + ".t")).hasSize(1);
            assertThatExceptionOfType(OverdriveException.class)
                    .isThrownBy(() -> overdrive.table(other, "t"))
                    .withMessage("this connection does not know keyspace \"" + other
                            + "\", as it was opened for others: open one for it, too")
                    .matches(e -> e.kind() == Kind.SCHEMA);
            assertThat(overdrive.table("system", "local").columns()).isNotEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\.0.*",
            disabledReason = "the server does not report the compression of its clients")
    void writesAndReadsWithEachCompression(WireCompression compression) {
        String ks = TestCluster.keyspace("connect_" + compression.name().toLowerCase(Locale.ROOT));
        TestCluster.execute("CREATE TABLE " + ks + ".t (k int PRIMARY KEY, v text)");
        try (Overdrive overdrive =
                Overdrive.connect(testNode().wireCompression(compression).build())) {
            ProtocolVersion version = overdrive.session().getContext().getProtocolVersion();
            assertThat(version)
                    .isEqualTo(compression == WireCompression.SNAPPY ? ProtocolVersion.V4 : ProtocolVersion.V5);
            try (RowWriter writer = overdrive.writer(WriteOptions.into(ks, "t").build())) {
                for (int i = 0; i < 1_000; i++) {
                    writer.row().setInt(0, i).setText(1, "value ".repeat(i % 50));
                    writer.send();
                }
            }
            assertThat(overdrive.session().execute("SELECT k FROM " + ks + ".t").all())
                    .hasSize(1_000);
            assertThat(overdrive
                            .session()
                            .execute("SELECT client_options FROM system_views.clients")
                            .all())
                    .extracting(row -> String.valueOf(row.getObject(0)))
                    .anyMatch(options ->
                            options.contains("COMPRESSION=" + compression.name().toLowerCase(Locale.ROOT))
                                    || compression == WireCompression.NONE);
        }
    }

    /** A connection that was closed does not come back, so nothing is to wait for it. */
    @Test
    @Timeout(60)
    void whatIsStillOpenFailsAtOnceWhenTheConnectionIsClosed() {
        String ks = TestCluster.keyspace("connect_closed");
        TestCluster.execute("CREATE TABLE " + ks + ".t (k int PRIMARY KEY, v text)");
        WriteOptions writes = WriteOptions.into(ks, "t").build();
        ScanOptions reads = ScanOptions.from(ks, "t").columns("k").pageRows(16).build();
        Overdrive overdrive = Overdrive.connect(testNode().build());
        RowWriter idle = overdrive.writer(writes);
        List<CompletableFuture<?>> rows = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            idle.row().setInt(0, i).setText(1, "v");
            rows.add(idle.sendAsync());
        }
        CompletableFuture.allOf(rows.toArray(new CompletableFuture<?>[0])).join();
        RowWriter writer = overdrive.writer(writes);
        Scan scan = overdrive.scan(reads);
        assertFails(Kind.READ, "the connection was closed", () -> scan.forEach(2, row -> overdrive.close()));
        writer.row().setInt(0, 1).setText(1, "v");
        writer.send();
        assertFails(Kind.WRITE, "[" + ks + ".t] cannot write: the connection was closed", writer::close);
        assertFails(Kind.WRITE, "Session is closed", idle::close);
        for (ThrowingCallable use : List.<ThrowingCallable>of(
                () -> overdrive.writer(writes),
                () -> overdrive.scan(reads),
                () -> overdrive.lookup(reads, List.of("k")))) {
            assertFails(Kind.CONNECT, "the connection was closed", use);
        }
        overdrive.close();
    }

    /** The answer got lost, and the connection stays: the driver would wait for it, without an end. */
    @Test
    @Timeout(60)
    void closesAlthoughARequestHasNoAnswer() throws IOException {
        String ks = TestCluster.keyspace("connect_lost");
        TestCluster.execute("CREATE TABLE " + ks + ".t (k int PRIMARY KEY, v text)");
        try (TcpProxy proxy = new TcpProxy(address(), new Random(1))) {
            Overdrive overdrive = Overdrive.connect(proxy.through()
                    .driverSetting("advanced.heartbeat.interval", "1 hour")
                    .build());
            RowWriter writer = overdrive.writer(WriteOptions.into(ks, "t").build());
            proxy.stall();
            writer.row().setInt(0, 1).setText(1, "v");
            writer.send();
            writer.flush();
            writer.abandon();
            overdrive.close();
            assertThat(overdrive.session().isClosed()).isTrue();
        }
    }

    private static void assertFails(Kind kind, String message, ThrowingCallable action) {
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(action)
                .withMessageEndingWith(message)
                .satisfies(e -> assertThat(e.kind()).isEqualTo(kind));
    }

    @Test
    void writesOverTheProtocolOfOlderServersToo() throws IOException {
        String ks = TestCluster.keyspace("connect_it");
        TestCluster.execute("CREATE TABLE " + ks + ".t (k int, c int, v text, PRIMARY KEY (k, c))");
        Path file = Files.writeString(
                directory.resolve("driver.conf"), "datastax-java-driver.advanced.protocol.version = V4");
        try (Overdrive overdrive =
                Overdrive.connect(testNode().driverConfig(file).build())) {
            assertThat(overdrive.session().getContext().getProtocolVersion()).isEqualTo(ProtocolVersion.V4);
            for (Grouping grouping : Grouping.values()) {
                int key = grouping.ordinal();
                try (RowWriter writer = overdrive.writer(
                        WriteOptions.into(ks, "t").grouping(grouping).build())) {
                    for (int i = 0; i < 1_000; i++) {
                        RowBuffer row = writer.row().setInt(0, key).setInt(1, i);
                        if (i % 3 != 0) {
                            row.setText(2, "value " + i);
                        }
                        writer.send();
                    }
                }
                assertThat(TestCluster.execute("SELECT v FROM " + ks + ".t WHERE k = " + key))
                        .hasSize(1_000)
                        .satisfies(rows -> assertThat(rows.get(0).isNull(0)).isTrue())
                        .satisfies(
                                rows -> assertThat(rows.get(500).getString(0)).isEqualTo("value 500"));
            }
            try (RowWriter writer =
                    overdrive.writer(WriteOptions.statement("UPDATE " + ks + ".t SET v = :v WHERE k = :k AND c = :c")
                            .build())) {
                writer.row().setText(0, "updated").setInt(1, 1).setInt(2, 7);
                writer.send();
            }
            assertThat(TestCluster.execute("SELECT v FROM " + ks + ".t WHERE k = 1 AND c = 7")
                            .get(0)
                            .getString(0))
                    .isEqualTo("updated");
        }
    }

    @Test
    void namesTheAddressThatDoesNotAnswer() throws IOException {
        // bound, so that no other process listens there
        try (Socket taken = new Socket()) {
            taken.bind(new InetSocketAddress("127.0.0.1", 0));
            int port = taken.getLocalPort();
            assertThatExceptionOfType(OverdriveException.class)
                    .isThrownBy(() -> Overdrive.connect(ConnectOptions.to("127.0.0.1:" + port)))
                    .withMessageContaining("cannot connect to 127.0.0.1:" + port)
                    .withMessageContaining("refused")
                    .withMessageContaining("is Cassandra running there");
        }
    }

    @Test
    void namesTheDataCentresIfTheGivenOneDoesNotExist() throws IOException {
        ConnectOptions options = testNode().datacenter("dc9").build();
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> Overdrive.connect(options))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT))
                .withMessageEndingWith(" reports no node in data centre \"dc9\"; the cluster has dc1");
        Path file = Files.writeString(
                directory.resolve("driver.conf"),
                "datastax-java-driver.basic.load-balancing-policy.local-datacenter = dc8");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(
                        () -> Overdrive.connect(testNode().driverConfig(file).build()))
                .withMessageEndingWith(
                        " reports no node in the data centre of the driver's configuration; the cluster has dc1");
    }

    @Test
    void namesADriverFileThatIsInvalidOrMissing() throws IOException {
        Path broken = Files.writeString(directory.resolve("broken.conf"), "datastax-java-driver { basic");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(
                        () -> Overdrive.connect(testNode().driverConfig(broken).build()))
                .withMessageContaining("driver's configuration")
                .withMessageContaining("broken.conf");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> Overdrive.connect(testNode()
                        .driverConfig(directory.resolve("missing.conf"))
                        .build()))
                .withMessageContaining("missing.conf");
    }

    @Test
    void refusesMoreGroupingMemoryThanTheHeapHas() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> TestCluster.overdrive()
                        .writer(WriteOptions.into("x", "y")
                                .groupingMemory(1L << 40)
                                .build()))
                .withMessageContaining("groupingMemory is 1048576 MiB, too much for a Java heap of");
    }
}
