package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.Split.Range;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.Murmur3;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tables with more tombstones between their rows than a server reads for one page: readers request fewer rows, and then
 * halves of the rest of the range. Writes that have to read so many fail, too.
 */
@Tag("server")
@Timeout(600)
class ScanTombstonesIT {
    private static final String KEYSPACE = "tombs";
    private static final Overdrive OVERDRIVE = SeparateNode.overdrive();
    private static final Split WHOLE = new Split(List.of(Split.WHOLE_RING), List.of(), 0);
    private static final int PARTITIONS = 900;
    private static final int DELETED_ROWS = 45;

    /** Rows of each partition that has any: c to v. */
    private static final Map<Integer, TreeMap<Integer, Integer>> MODEL = new HashMap<>();

    private static int defaultFailure;
    private static int defaultWarning;

    @BeforeAll
    static void load() throws Exception {
        SeparateNode.keyspace(KEYSPACE);
        OVERDRIVE.session().execute("CREATE TABLE tombs.t (k int, c int, v int, PRIMARY KEY (k, c))");
        Random random = new Random(11);
        List<Integer> byToken = new ArrayList<>();
        for (int k = 0; k < PARTITIONS; k++) {
            byToken.add(k);
        }
        byToken.sort(Comparator.comparingLong(ScanTombstonesIT::token));
        PreparedStatement insert = OVERDRIVE.session().prepare("INSERT INTO tombs.t (k, c, v) VALUES (?, ?, ?)");
        PreparedStatement delete = OVERDRIVE.session().prepare("DELETE FROM tombs.t WHERE k = ? AND c = ?");
        List<CompletionStage<?>> writes = new ArrayList<>();
        for (int i = 0; i < PARTITIONS; i++) {
            int k = byToken.get(i);
            BatchStatementBuilder batch = BatchStatement.builder(DefaultBatchType.UNLOGGED);
            // Long stretches of the ring hold only rows, or hardly any, or rows and tombstones.
            int kind = i / 100 % 3;
            for (int c = 0; c < DELETED_ROWS && kind != 0; c++) {
                batch.addStatement(delete.bind(k, 2 * c));
            }
            int rows = kind == 1 ? (i % 50 == 7 ? 1 : 0) : random.nextInt(25);
            for (int j = 0; j < rows; j++) {
                int c = 2 * random.nextInt(60) + 1;
                int v = random.nextInt(1_000);
                if (MODEL.computeIfAbsent(k, key -> new TreeMap<>()).putIfAbsent(c, v) == null) {
                    batch.addStatement(insert.bind(k, c, v));
                }
            }
            BatchStatement statements = batch.build();
            if (statements.size() > 0) {
                writes.add(OVERDRIVE.session().executeAsync(statements));
            }
            if (writes.size() == 100 || i == PARTITIONS - 1) {
                writes.forEach(write -> write.toCompletableFuture().join());
                writes.clear();
            }
        }
        defaultFailure = threshold("TombstoneFailureThreshold", 100);
        defaultWarning = threshold("TombstoneWarnThreshold", 20);
    }

    @AfterAll
    static void restore() throws Exception {
        threshold("TombstoneFailureThreshold", defaultFailure);
        threshold("TombstoneWarnThreshold", defaultWarning);
    }

    private static int threshold(String name, int value) throws Exception {
        return (int) NodeBeans.set(SeparateNode.node(), name, value);
    }

    private static long token(int k) {
        Bytes key = new Bytes(4);
        key.putInt(k);
        return Murmur3.token(key.array(), 0, 4);
    }

    private static ScanOptions.Builder table() {
        return ScanOptions.from(KEYSPACE, "t");
    }

    private interface RowText {
        String of(int k, int c, int v);
    }

    private static Set<String> model(RowText text) {
        Set<String> rows = new HashSet<>();
        MODEL.forEach((k, cells) -> cells.forEach((c, v) -> rows.add(text.of(k, c, v))));
        return rows;
    }

    private static String text(RowCursor row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < row.columns(); i++) {
            text.append(row.get(i)).append('|');
        }
        return text.toString();
    }

    /** The whole ring as one split, so that a reader has to cut it many times. */
    private static List<String> readAsOne(Scan scan, Set<Range> ranges) {
        List<String> rows = new ArrayList<>();
        try (RowCursor cursor = scan.open(WHOLE)) {
            while (cursor.next()) {
                rows.add(text(cursor));
                ranges.add(cursor.range());
            }
        }
        return rows;
    }

    @Test
    void aServerRefusesSuchAPage() {
        assertThatThrownBy(() -> OVERDRIVE
                        .session()
                        .execute("SELECT k, c, v FROM tombs.t")
                        .all())
                .hasMessageContaining("1 failed");
    }

    /** Names only a few of thousands of rows. */
    private static void assertSame(String what, Collection<String> found, Collection<String> expected) {
        Map<String, Integer> surplus = new HashMap<>();
        found.forEach(row -> surplus.merge(row, 1, Integer::sum));
        expected.forEach(row -> surplus.merge(row, -1, Integer::sum));
        surplus.values().removeIf(times -> times == 0);
        assertThat(surplus.entrySet().stream().limit(10))
                .as("rows that were read more than once, %s: %d of %d", what, surplus.size(), expected.size())
                .isEmpty();
    }

    @Test
    void readsEachRowOnceIfPartlyReadRangesAreHalved() {
        for (int pageRows : new int[] {1, 20, 20_000}) {
            Set<Range> ranges = new HashSet<>();
            try (Scan scan = OVERDRIVE.scan(table().pageRows(pageRows).build())) {
                assertSame(
                        "pages of " + pageRows,
                        readAsOne(scan, ranges),
                        model((k, c, v) -> k + "|" + c + "|" + v + "|"));
                assertThat(scan.totals().retries()).isGreaterThan(50);
                assertThat(ranges).hasSizeGreaterThan(10);
            }
        }
    }

    @Test
    @Tag("nightly")
    void readsASelectionOfSuchRowsOnce() {
        try (Scan scan = OVERDRIVE.scan(table().where("v >= 500").build())) {
            Set<String> expected = model((k, c, v) -> v < 500 ? "" : k + "|" + c + "|" + v + "|");
            expected.remove("");
            assertSame("where", readAsOne(scan, new HashSet<>()), expected);
        }
        for (int pageRows : new int[] {1, 5_000}) {
            String query = "SELECT k, c FROM tombs.t PER PARTITION LIMIT 2";
            try (Scan scan =
                    OVERDRIVE.scan(ScanOptions.query(query).pageRows(pageRows).build())) {
                List<String> expected = new ArrayList<>();
                MODEL.forEach(
                        (k, cells) -> cells.keySet().stream().limit(2).forEach(c -> expected.add(k + "|" + c + "|")));
                assertSame("per partition, pages of " + pageRows, readAsOne(scan, new HashSet<>()), expected);
            }
        }
    }

    @Test
    void countsEachPartitionOnce() {
        for (int pageRows : new int[] {2, 5_000}) {
            try (Scan scan =
                    OVERDRIVE.countPartitions(table().pageRows(pageRows).build())) {
                List<String> expected = new ArrayList<>();
                MODEL.forEach((k, cells) -> expected.add(k + "|" + cells.size() + "|"));
                assertSame("pages of " + pageRows, readAsOne(scan, new HashSet<>()), expected);
                assertThat(scan.totals().retries()).isGreaterThan(20);
            }
        }
    }

    @Test
    void countsAllRows() {
        long rows = MODEL.values().stream().mapToLong(Map::size).sum();
        try (Scan scan = OVERDRIVE.count(table().build())) {
            long[] sum = {0};
            scan.forEach(1, row -> sum[0] += row.getLong(0));
            assertThat(sum[0]).isEqualTo(rows);
            sum[0] = 0;
            try (RowCursor cursor = scan.open(WHOLE)) {
                while (cursor.next()) {
                    sum[0] += cursor.getLong(0);
                }
            }
            assertThat(sum[0]).isEqualTo(rows);
        }
    }

    @Test
    void goesOnWithTheRestOfARangeThatWasHalved() {
        Set<String> found = new HashSet<>();
        try (Scan scan = OVERDRIVE.scan(table().pageRows(11).build())) {
            int repeated = 0;
            int cursors = 0;
            for (Split rest = WHOLE; rest != null; cursors++) {
                try (RowCursor cursor = scan.open(rest)) {
                    for (int i = 0; i < 700 && cursor.next(); i++) {
                        repeated += found.add(text(cursor)) ? 0 : 1;
                    }
                    rest = cursor.rest();
                }
            }
            assertThat(cursors).isGreaterThan(5);
            assertThat(repeated).isLessThan(cursors * (11 + 2 * 25));
        }
        assertSame("in pieces", found, model((k, c, v) -> k + "|" + c + "|" + v + "|"));
    }

    /** More tombstones in one partition than the server reads for one page: no token range is narrow enough. */
    @Test
    void saysWhatItCannotRead() {
        OVERDRIVE.session().execute("CREATE TABLE tombs.wide (k int, c int, PRIMARY KEY (k, c))");
        for (int c = 0; c < 150; c++) {
            OVERDRIVE.session().execute("DELETE FROM tombs.wide WHERE k = 1 AND c = " + c);
        }
        OVERDRIVE.session().execute("INSERT INTO tombs.wide (k, c) VALUES (1, 1000)");
        ScanOptions options = ScanOptions.from(KEYSPACE, "wide").maxAttempts(2).build();
        try (Scan scan = OVERDRIVE.scan(options)) {
            assertThatThrownBy(() -> scan.forEach(1, row -> {}))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith("[tombs.wide] cannot read token range (")
                    .hasMessageContaining("failures")
                    .hasMessageEndingWith("(given up after 2 attempts)");
        }
        try (Lookup lookup = OVERDRIVE.lookup(options, List.of("k"));
                Lookup.Queue queue = lookup.open(1)) {
            queue.key().setInt(0, 1);
            queue.submit();
            assertThatThrownBy(() -> Objects.requireNonNull(queue.take()).next())
                    .isInstanceOf(OverdriveException.class)
                    .hasMessageStartingWith("[tombs.wide] cannot read rows with k = 1: ")
                    .hasMessageContaining("failures")
                    .hasMessageEndingWith("(given up after 2 attempts)");
        }
    }

    /** The server reads a partition to delete it from a table with a view. */
    @Test
    void rejectsTheOnlyRowThatTheServerFailsToWrite() throws Exception {
        OVERDRIVE.session().execute("CREATE TABLE tombs.viewed (k int, c int, v int, PRIMARY KEY (k, c))");
        OVERDRIVE
                .session()
                .execute("CREATE MATERIALIZED VIEW tombs.by_v AS SELECT * FROM tombs.viewed"
                        + " WHERE k IS NOT NULL AND c IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, k, c)");
        while (OVERDRIVE
                        .session()
                        .execute("SELECT view_name FROM system.built_views WHERE keyspace_name = 'tombs'")
                        .one()
                == null) {
            Thread.sleep(10);
        }
        for (int c = 0; c < 150; c++) {
            OVERDRIVE.session().execute("DELETE FROM tombs.viewed WHERE k = 5 AND c = " + c);
        }
        for (int k = 0; k < 10; k++) {
            OVERDRIVE.session().execute("INSERT INTO tombs.viewed (k, c, v) VALUES (" + k + ", 1000, 1)");
        }
        List<RejectedRow> rejected = Collections.synchronizedList(new ArrayList<>());
        RowWriter writer =
                OVERDRIVE.writer(WriteOptions.statement("DELETE FROM tombs.viewed USING TIMESTAMP :at WHERE k = :k")
                        .grouping(Grouping.REPLICA_SET)
                        .maxAttempts(2)
                        .onReject(rejected::add)
                        .build());
        try (writer) {
            for (int k = 0; k < 10; k++) {
                writer.row().setInt(1, k);
                writer.send();
            }
        }
        assertThat(rejected).hasSize(1);
        assertThat(rejected.get(0).position()).isEqualTo(5);
        assertThat(rejected.get(0).reason())
                .contains("1 failures")
                .endsWith(" attempts); whether the row was written is unknown");
        assertThat(writer.totals().rowsWritten()).isEqualTo(9);
        assertThat(writer.totals().splits()).isPositive();
        assertThat(OVERDRIVE
                        .session()
                        .execute("SELECT k FROM tombs.viewed WHERE c = 1000 ALLOW FILTERING")
                        .all())
                .extracting(row -> row.getInt(0))
                .containsExactly(5);
    }
}
