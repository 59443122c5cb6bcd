package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
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

/** Scans of three nodes with one token each, some of which hang or die, and miss rows for good. After the last test two nodes are down. */
@Tag("cluster")
@Timeout(600)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("nightly")
class ScanClusterIT {
    @SuppressWarnings("NullAway.Init")
    private static LocalCluster cluster;

    @SuppressWarnings("NullAway.Init")
    private static Overdrive overdrive;

    /** Tables with one, two and three replicas. */
    private static final List<LoadedTable> TABLES = new ArrayList<>();

    @BeforeAll
    static void start(@TempDir Path directory) {
        cluster = LocalCluster.start(LocalOptions.builder()
                .heapMegabytes(256)
                .directory(directory)
                .port(0)
                .nodesPerDatacenter(3)
                .tokensPerNode(1)
                .setting("hinted_handoff_enabled", "false")
                .setting("dynamic_snitch", "false") // a replica that is asked reads its own rows
                .stopWithJvm(true)
                .build());
        overdrive = TestCluster.connect(cluster);
        for (int replicas = 1; replicas <= 3; replicas++) {
            TABLES.add(new LoadedTable(overdrive, "scan_rf" + replicas, "'dc1': " + replicas, 900));
        }
        // Reads of several replicas would write what one of them lacks.
        overdrive.changeSchema("ALTER TABLE scan_rf3.t WITH read_repair = 'NONE'");
    }

    @AfterAll
    static void stop() {
        overdrive.close();
        cluster.wipe();
    }

    @Test
    @Order(1)
    void readsEachRowOnce() {
        for (LoadedTable table : TABLES) {
            table.assertRead(table.options());
            table.assertRead(table.options().pageRows(2).splitsInFlight(100));
            table.assertCounted(ScanOptions.from(table.keyspace, "t"));
        }
    }

    /** Each node hangs in turn, and no request may notice: none goes to a node that is not a replica. */
    @Test
    @Order(2)
    void readsEachSplitFromItsReplicasOnly() {
        for (LoadedTable table : TABLES.subList(0, 2)) {
            int replicas = TABLES.indexOf(table) + 1;
            Set<Split> read = new HashSet<>();
            try (Scan scan = overdrive.scan(table.options()
                    .maxAttempts(1)
                    .requestTimeout(Duration.ofSeconds(60))
                    .build())) {
                List<Split> splits = scan.splits(); // reads the estimates of all nodes
                for (Node hanging : cluster.nodes()) {
                    LoadedTable.Found found = table.new Found();
                    hanging.pause();
                    try {
                        for (Split split : splits) {
                            assertThat(split.replicas()).hasSize(replicas);
                            if (!split.replicas().contains(hanging.address().getHostString())) {
                                read.add(split);
                                try (RowCursor rows = scan.open(split)) {
                                    while (rows.next()) {
                                        found.add(rows);
                                    }
                                }
                            }
                        }
                    } finally {
                        hanging.resume();
                    }
                    assertThat(found.size()).isGreaterThan(table.rows.size() / 10);
                }
                assertThat(scan.totals().retries()).isZero();
                assertThat(read).hasSameSizeAs(splits);
            }
        }
    }

    @Test
    @Order(3)
    void readsEachRowOnceWhileNodesHangAndDie() throws Exception {
        List<Reader> readers = new ArrayList<>();
        for (LoadedTable table : TABLES.subList(1, 3)) {
            Reader reader = new Reader(table);
            readers.add(reader);
            reader.start();
        }
        Seeker seeker = new Seeker(TABLES.get(2));
        seeker.start();
        List<Node> nodes = cluster.nodes();
        await(readers, reader -> reader.found.size() > 500);
        nodes.get(0).pause();
        await(readers, reader -> reader.scan.totals().retries() > 0);
        await(List.of(seeker), seeks -> seeks.lookup.totals().retries() > 0);
        nodes.get(0).resume();
        await(readers, reader -> reader.found.size() > 3_000);
        nodes.get(2).kill();
        for (Reader reader : readers) {
            reader.join();
            assertThat(reader.failure).isNull();
            reader.found.assertAll();
            reader.scan.close();
        }
        seeker.enough = true;
        seeker.join();
        assertThat(seeker.failure).isNull();
        seeker.lookup.close();
    }

    /** Reads one table slowly; confined to its thread until the thread has ended. */
    private static final class Reader extends Thread {
        final Scan scan;
        final LoadedTable.Found found;
        private @Nullable Throwable failure;

        /** One of two replicas is enough, as the other one dies. */
        Reader(LoadedTable table) {
            ScanOptions.Builder options = table.options();
            if (table.keyspace.equals("scan_rf2")) {
                options.consistency(DefaultConsistencyLevel.LOCAL_ONE);
            }
            scan = overdrive.scan(options.pageRows(10)
                    .rowsPerSecond(800)
                    .requestTimeout(Duration.ofSeconds(2))
                    .maxAttempts(100)
                    .build());
            found = table.new Found();
            setUncaughtExceptionHandler((thread, e) -> failure = e);
        }

        @Override
        public void run() {
            scan.forEach(2, found::add);
        }
    }

    /** Looks up the partitions of one table repeatedly; confined to its thread until the thread has ended. */
    private static final class Seeker extends Thread {
        final Lookup lookup;
        private final LoadedTable table;
        private volatile boolean enough;
        private @Nullable Throwable failure;

        Seeker(LoadedTable table) {
            this.table = table;
            lookup = overdrive.lookup(
                    table.options()
                            .pageRows(5)
                            .rowsPerSecond(3_000)
                            .requestTimeout(Duration.ofSeconds(2))
                            .maxAttempts(100)
                            .build(),
                    List.of("k"));
            setUncaughtExceptionHandler((thread, e) -> failure = e);
        }

        @Override
        public void run() {
            while (!enough) {
                LoadedTable.Found found = table.new Found();
                try (Lookup.Queue queue = lookup.open(50)) {
                    for (int submitted = 0, taken = 0; taken < table.partitions; taken++) {
                        for (; submitted < table.partitions && !queue.isFull(); submitted++) {
                            queue.key().setInt(0, submitted);
                            queue.submit();
                        }
                        for (RowCursor row = Objects.requireNonNull(queue.take()); row.next(); ) {
                            assertThat(row.getInt(0)).isEqualTo(taken);
                            found.add(row);
                        }
                    }
                }
                found.assertAll();
            }
        }
    }

    private static <T extends Thread> void await(List<T> threads, Predicate<T> reached) throws InterruptedException {
        for (T thread : threads) {
            while (thread.isAlive() && !reached.test(thread)) {
                Thread.sleep(5);
            }
            assertThat(reached.test(thread)).isTrue();
        }
    }

    @Test
    @Order(4)
    void namesTheTokenRangeThatNoNodeHolds() {
        LoadedTable table = TABLES.get(0);
        String dead = dead();
        try (Scan scan =
                overdrive.scan(table.options().patience(Duration.ofSeconds(2)).build())) {
            assertThatThrownBy(() -> scan.forEach(2, row -> {}))
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.READ))
                    .hasMessageMatching("\\[scan_rf1.t] cannot read token range \\(-?\\d+, -?\\d+]: node \\Q" + dead
                            + "\\E:\\d+ does not answer; gave up after 2 s, which is set by patience");
            LoadedTable.Found found = table.new Found();
            for (Split split : scan.splits()) {
                if (!split.replicas().contains(dead)) {
                    try (RowCursor rows = scan.open(split)) {
                        while (rows.next()) {
                            found.add(rows);
                        }
                    }
                }
            }
            assertThat(found.size()).isBetween(table.rows.size() / 3, table.rows.size() * 9 / 10);
        }
    }

    @Test
    @Order(5)
    void oneOfTwoReplicasIsEnoughForALowerLevelOnly() {
        LoadedTable table = TABLES.get(1);
        table.assertRead(table.options().consistency(DefaultConsistencyLevel.LOCAL_ONE));
        table.assertCounted(ScanOptions.from(table.keyspace, "t").consistency(DefaultConsistencyLevel.LOCAL_ONE));
        assertTooFew(table, "node \\Q" + dead() + "\\E:\\d+ does not answer");
    }

    private static String dead() {
        return cluster.nodes().get(2).address().getHostString();
    }

    private static void assertTooFew(LoadedTable table, String reason) {
        ScanOptions options =
                table.options().patience(Duration.ofSeconds(2)).maxAttempts(100).build();
        try (Scan scan = overdrive.scan(options)) {
            assertThatThrownBy(() -> scan.forEach(2, row -> {}))
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.READ))
                    .hasMessageMatching("\\[" + table.keyspace + ".t] cannot read token range \\(-?\\d+, -?\\d+]: "
                            + reason + " \\(LOCAL_QUORUM needs 2 replicas, and 1 can answer\\); gave up after"
                            + " 2 s, which is set by patience; a new run with consistency LOCAL_ONE needs 1,"
                            + " and leaves out the rows that only the missing replicas have");
        }
    }

    /** The node that is down until now gets none of the rows that are written meanwhile. */
    @Test
    @Order(6)
    void findsTheRowsThatAReplicaHasMissed() {
        LoadedTable table = TABLES.get(2);
        int before = table.rows.size();
        table.write(DefaultConsistencyLevel.LOCAL_QUORUM, table.partitions, 2 * table.partitions);
        cluster.nodes().get(2).start();
        assertThat(found(table, table.options())).isEqualTo(table.rows.size());
        table.assertCounted(ScanOptions.from(table.keyspace, "t"));
        try (Lookup lookup = overdrive.lookup(table.options().build(), List.of("k"));
                Lookup.Queue queue = lookup.open(16)) {
            for (int k = table.partitions; k < 2 * table.partitions; k++) {
                queue.key().setInt(0, k);
                queue.submit();
                assertThat(Objects.requireNonNull(queue.take()).next()).isTrue();
            }
        }

        cluster.nodes().subList(0, 2).forEach(Node::stop);
        assertThat(found(table, table.options().consistency(DefaultConsistencyLevel.LOCAL_ONE)))
                .as("rows of the replica that has missed some")
                .isBetween(1, before);
        assertTooFew(table, "nodes? .+ do(es)? not answer");
    }

    private static int found(LoadedTable table, ScanOptions.Builder options) {
        LoadedTable.Found found = table.new Found();
        try (Scan scan = overdrive.scan(options.maxAttempts(100).build())) {
            scan.forEach(3, found::add);
        }
        return found.size();
    }
}
