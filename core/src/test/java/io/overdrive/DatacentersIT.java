package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach.Quorum;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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

/** Two data centres of two nodes with 16 tokens each, of which the first is the local one. The last tests stop nodes. */
@Tag("cluster")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("nightly")
class DatacentersIT {
    private static LocalCluster cluster;
    private static Overdrive overdrive;
    private static List<Node> remote;

    @BeforeAll
    static void start(@TempDir Path directory) {
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .datacenters(2)
                .nodesPerDatacenter(2)
                .tokensPerNode(16)
                .stopWithJvm(true)
                .build());
        assertThat(cluster.nodes()).extracting(Node::datacenter).containsExactly("dc1", "dc1", "dc2", "dc2");
        assertThat(cluster.contactPoints()).hasSize(2);
        overdrive = TestCluster.connect(cluster);
        remote = cluster.nodes().subList(2, 4);
    }

    @AfterAll
    static void stop() {
        overdrive.close();
        cluster.wipe();
    }

    private static Overdrive connect(Node contactPoint, Function<ConnectOptions.Builder, ConnectOptions.Builder> more) {
        return Overdrive.connect(more.apply(ConnectOptions.builder()
                        .contactPoint(contactPoint.address())
                        .driverSetting("advanced.heartbeat.timeout", "60 seconds"))
                .build());
    }

    @Test
    @Order(1)
    void readsEachRowOnceFromTheLocalDatacentre() {
        Set<String> local = cluster.contactPoints().stream()
                .map(InetSocketAddress::getHostString)
                .collect(Collectors.toSet());
        List<LoadedTable> tables = List.of(
                new LoadedTable(overdrive, "one", "'dc1': 1", 500),
                new LoadedTable(overdrive, "two", "'dc1': 2, 'dc2': 1", 500),
                new LoadedTable(overdrive, "each", "'dc1': 1, 'dc2': 1", 500));
        for (LoadedTable table : tables) {
            try (Scan scan = overdrive.scan(table.options().build())) {
                int replicas = table.keyspace.equals("two") ? 2 : 1;
                assertThat(scan.splits()).hasSizeBetween(32, 100).allSatisfy(split -> assertThat(split.replicas())
                        .hasSize(replicas)
                        .isSubsetOf(local));
            }
            table.assertRead(table.options().pageRows(7));
            table.assertCounted(ScanOptions.from(table.keyspace, "t"));
        }
        LoadedTable far = new LoadedTable(overdrive, "far", "'dc2': 2", 200);
        far.assertRead(far.options().consistency(DefaultConsistencyLevel.ONE));
        far.assertCounted(ScanOptions.from("far", "t").consistency(DefaultConsistencyLevel.ONE));

        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> far.assertRead(far.options()))
                .withMessageStartingWith(
                        "consistency LOCAL_QUORUM needs 1 replica in dc1, but keyspace \"far\" has" + " none there: ");

        LoadedTable each = tables.get(2);
        LoadedTable.Found found = each.new Found();
        try (Scan scan = overdrive.scan(each.options()
                .maxAttempts(1)
                .requestTimeout(Duration.ofSeconds(60))
                .build())) {
            assertThat(scan.splits()).isNotEmpty();
            remote.forEach(Node::pause);
            try {
                scan.forEach(2, found::add);
            } finally {
                remote.forEach(Node::resume);
            }
        }
        found.assertAll();
    }

    /** Asks the other data centre's nodes who is connected, and for which tables they have coordinated requests. */
    @Test
    @Order(2)
    void sendsEveryRequestToTheLocalDatacentreEvenFromARemoteContactPoint() {
        overdrive.changeSchema(
                "CREATE KEYSPACE kept WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}");
        overdrive.changeSchema("CREATE TABLE kept.t (k int, c int, v text, PRIMARY KEY (k, c))");
        try (Overdrive observer = connect(remote.get(0), options -> options.datacenter("dc2"))) {
            Set<String> before = clients(observer);
            try (Overdrive local = connect(remote.get(1), options -> options.datacenter("dc1"))) {
                assertThat(local.isSameCluster(observer)).isTrue();
                local.refreshSchema();
                local.changeSchema("CREATE TABLE kept.u (k int PRIMARY KEY)");
                write(local, DefaultConsistencyLevel.LOCAL_QUORUM, 0, 2_000);
                assertThat(read(local)).isEqualTo(2_000);
                try (Scan count = local.count(ScanOptions.from("kept", "t").build())) {
                    count.forEach(1, row -> {});
                }
                try (Lookup lookup = local.lookup(ScanOptions.from("kept", "t").build(), List.of("k"));
                        Lookup.Queue queue = lookup.open(16)) {
                    for (int k = 0; k < 10; k++) {
                        queue.key().setInt(0, k);
                        queue.submit();
                        assertThat(Objects.requireNonNull(queue.take()).next()).isTrue();
                    }
                }
                assertThat(clients(observer)).as("clients of dc2").isSubsetOf(before);
            }
            for (String what : List.of("write", "read", "scan")) {
                assertThat(coordinated(observer, what))
                        .as("%s requests in dc2", what)
                        .isZero();
                assertThat(coordinated(overdrive, what))
                        .as("%s requests in dc1", what)
                        .isPositive();
            }
        }
    }

    /** Address and port of each client of the session's data centre. */
    private static Set<String> clients(Overdrive of) {
        return onEachNode(of.session(), "SELECT address, port FROM system_views.clients").stream()
                .map(row -> row.getInetAddress(0) + ":" + row.getInt(1))
                .collect(Collectors.toSet());
    }

    private static long coordinated(Overdrive of, String what) {
        return onEachNode(
                        of.session(),
                        "SELECT count FROM system_views.coordinator_" + what
                                + "_latency WHERE keyspace_name = 'kept' AND table_name = 't'")
                .stream()
                .mapToLong(row -> row.getLong(0))
                .sum();
    }

    private static List<Row> onEachNode(CqlSession session, String cql) {
        List<Row> rows = new ArrayList<>();
        session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getOpenConnections() > 0)
                .forEach(node -> rows.addAll(
                        session.execute(SimpleStatement.newInstance(cql).setNode(node))
                                .all()));
        return rows;
    }

    private static void write(Overdrive to, ConsistencyLevel level, int from, int rows) {
        try (RowWriter writer = to.writer(WriteOptions.into("kept", "t")
                .consistency(level)
                .patience(Duration.ofSeconds(60))
                .build())) {
            for (int i = from; i < from + rows; i++) {
                writer.row().setInt(0, i % 100).setInt(1, i).setText(2, "v");
                writer.send();
            }
        }
    }

    private static long read(Overdrive of) {
        try (Scan scan = of.scan(
                ScanOptions.from("kept", "t").patience(Duration.ofSeconds(60)).build())) {
            scan.forEach(2, row -> {});
            return scan.totals().rowsRead();
        }
    }

    @Test
    @Order(3)
    void saysWhichNodesAreReachedAndWhichOthersAreWaitedFor() {
        overdrive.changeSchema(
                "CREATE KEYSPACE reached WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': 2, 'dc2': 1}");
        overdrive.changeSchema("CREATE TABLE reached.t (k int PRIMARY KEY)");
        Reach writes = reach(null);
        assertThat(writes.datacenter()).isEqualTo("dc1");
        assertThat(writes.nodes())
                .containsExactlyElementsOf(cluster.nodes().subList(0, 2).stream()
                        .map(node -> node.address().getHostString() + ":"
                                + node.address().getPort())
                        .sorted()
                        .toList());
        assertThat(writes.nodesDown()).isEmpty();
        assertThat(writes.failoverDatacenter()).isNull();
        assertThat(writes.nodesByDatacenter()).isEqualTo(Map.of("dc1", 2, "dc2", 2));
        assertThat(writes.replicas()).isEqualTo(Map.of("dc1", 2, "dc2", 1));
        assertThat(writes.otherDatacenters()).containsExactly("dc2");
        assertThat(writes.waitsForOthers()).isFalse();
        assertThat(writes.waitsFor()).containsExactly(new Quorum(2, 2, List.of("dc1")));

        assertThat(reach(ConsistencyLevel.QUORUM).waitsForOthers()).isTrue();
        assertThat(reach(ConsistencyLevel.QUORUM).waitsFor()).containsExactly(new Quorum(2, 3, List.of("dc1", "dc2")));
        try (Scan scan = overdrive.scan(ScanOptions.from("reached", "t").build())) {
            assertThat(scan.reach().waitsForOthers()).isFalse();
            assertThat(scan.reach().waitsFor()).containsExactly(new Quorum(2, 2, List.of("dc1")));
        }
        try (RowWriter conditional =
                overdrive.writer(WriteOptions.into("reached", "t").ifNotExists().build())) {
            assertThat(conditional.reach().waitsForOthers())
                    .as("Paxos asks all data centres")
                    .isTrue();
        }
    }

    private static Reach reach(@Nullable ConsistencyLevel level) {
        WriteOptions.Builder options = WriteOptions.into("reached", "t");
        if (level != null) {
            options.consistency(level);
        }
        try (RowWriter writer = overdrive.writer(options.build())) {
            return writer.reach();
        }
    }

    @Test
    @Order(4)
    void namesTheDatacentresIfOneDoesNotExist() {
        Node contact = cluster.nodes().get(0);
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> connect(contact, options -> options.datacenter("dc3")))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT))
                .withMessageEndingWith(" reports no node in data centre \"dc3\"; the cluster has dc1, dc2");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() ->
                        connect(contact, options -> options.datacenter("dc1").failoverDatacenter("dc4")))
                .withMessageEndingWith(
                        " reports no node in data centre \"dc4\" to fail over to; the cluster has dc1, dc2");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> Overdrive.connect(ConnectOptions.builder()
                        .contactPoint(contact.address())
                        .contactPoint(remote.get(0).address())
                        .build()))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT))
                .withMessageEndingWith(" are in several data centres (dc1, dc2): name the one to use with datacenter");
    }

    @Test
    @Order(5)
    void failsOverOnlyIfThatIsAllowed() {
        try (Overdrive stays = connect(remote.get(0), options -> options.datacenter("dc1"));
                Overdrive failsOver = connect(
                        remote.get(0), options -> options.datacenter("dc1").failoverDatacenter("dc2"))) {
            // at all replicas, as those of dc1 die at once: rows of the test before, too
            write(failsOver, DefaultConsistencyLevel.ALL, 0, 2_100);
            try (RowWriter writer = stays.writer(WriteOptions.into("kept", "t")
                            .patience(Duration.ofSeconds(1))
                            .build());
                    RowWriter moves = failsOver.writer(WriteOptions.into("kept", "t")
                            .patience(Duration.ofSeconds(60))
                            .build())) {
                assertThat(moves.reach().failoverDatacenter()).isEqualTo("dc2");
                cluster.nodes().subList(0, 2).forEach(Node::kill);
                moves.row().setInt(0, 1).setInt(1, 5_000).setText(2, "moved");
                moves.send();
                moves.flush();
                writer.row().setInt(0, 1).setInt(1, 6_000).setText(2, "lost");
                writer.send();
                assertThatExceptionOfType(OverdriveException.class)
                        .isThrownBy(writer::close)
                        .withMessageContaining("gave up after 1 s");
            }
            assertThat(read(failsOver)).isEqualTo(2_101);
        }
    }

    /** The nodes of dc1 are dead. */
    @Test
    @Order(6)
    void waitsForANodeBeforeAnythingIsAsked() {
        try (Overdrive early = connect(remote.get(0), options -> options.datacenter("dc1"))) {
            Duration patience = Duration.ofSeconds(1);
            ScanOptions read = ScanOptions.from("kept", "t").patience(patience).build();
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> early.writer(
                            WriteOptions.into("kept", "t").patience(patience).build()),
                    () -> early.scan(read),
                    () -> early.scan(ScanOptions.query("SELECT * FROM kept.t")
                            .patience(patience)
                            .build()),
                    () -> early.count(read),
                    () -> early.lookup(read, List.of("k")))) {
                assertThatExceptionOfType(OverdriveException.class)
                        .isThrownBy(call)
                        .satisfies(e -> assertThat(e.kind()).isEqualTo(Kind.CONNECT))
                        .withMessageStartingWith("no node is up after 1 s (patience): ")
                        .withMessageContaining(" of data centre dc1 is down");
            }
            ScanOptions patient = ScanOptions.from("kept", "t")
                    .patience(Duration.ofMinutes(3))
                    .build();
            CompletableFuture<Void> waiting =
                    CompletableFuture.runAsync(() -> early.scan(patient).close());
            cluster.nodes().get(0).start();
            assertThat(waiting).succeedsWithin(Duration.ofMinutes(3));
        }
    }

    /** One node of dc1 may be dead. */
    @Test
    @Order(7)
    @Tag("server")
    void aChangeOfTheSchemaWaitsForTheOtherDatacentreButNotForeverIfANodeIsDown() throws Exception {
        try (Overdrive changes = TestCluster.connect(cluster)) {
            Node far = remote.get(1);

            far.pause();
            CompletableFuture<Void> change =
                    CompletableFuture.runAsync(() -> changes.changeSchema("CREATE KEYSPACE both WITH replication ="
                            + " {'class': 'NetworkTopologyStrategy', 'dc1': 1, 'dc2': 1}"));
            try {
                assertThatThrownBy(() -> change.get(3, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
            } finally {
                far.resume();
            }
            change.get(60, TimeUnit.SECONDS);
            try (Overdrive there = connect(far, options -> options.datacenter(far.datacenter()))) {
                assertThat(version(there)).isEqualTo(version(changes));
            }

            far.stop();
            changes.changeSchema("CREATE TABLE both.t (k int PRIMARY KEY)");
            assertThat(changes.table("both", "t").columns()).hasSize(1);

            // a client that connects now is not notified that the node is down, and waits for some time
            try (Overdrive late = TestCluster.connect(cluster)) {
                late.changeSchema("ALTER TABLE both.t ADD v int");
                assertThat(late.table("both", "t").columns()).hasSize(2);
            }
        }
    }

    private static UUID version(Overdrive overdrive) {
        return overdrive
                .session()
                .execute("SELECT schema_version FROM system.local")
                .one()
                .getUuid(0);
    }
}
