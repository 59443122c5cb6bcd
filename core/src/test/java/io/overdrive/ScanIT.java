package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.Pacer;
import io.overdrive.internal.scan.RowDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads of whole tables and of queries, compared with the driver's own paging. */
@Tag("server")
@Timeout(300)
class ScanIT {
    private static final String KEYSPACE = "scans";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive();
    private static final int PARTITIONS = 400;

    private static int rows;

    @BeforeAll
    static void load() {
        TestCluster.keyspace(KEYSPACE);
        execute("CREATE TABLE scans.t (p text, q int, c int, v text, w bigint, PRIMARY KEY ((p, q), c))");
        Random random = new Random(7);
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "t").build())) {
            for (int p = 0; p < PARTITIONS; p++) {
                for (int c = random.nextInt(60); c >= 0; c--) {
                    RowBuffer row =
                            writer.row().setText(0, "p" + p).setInt(1, p).setInt(2, c);
                    row.setText(3, "v".repeat(random.nextInt(50)));
                    if (random.nextBoolean()) {
                        row.setLong(4, random.nextLong());
                    }
                    writer.send();
                    rows++;
                }
            }
        }
    }

    private static void execute(String cql) {
        OVERDRIVE.session().execute(cql);
    }

    private static ScanOptions.Builder all() {
        return ScanOptions.from(KEYSPACE, "t");
    }

    private static Set<String> expected(String cql) {
        Set<String> found = new HashSet<>();
        for (Row row : OVERDRIVE.session().execute(cql)) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < row.getColumnDefinitions().size(); i++) {
                text.append(row.getObject(i)).append('|');
            }
            found.add(text.toString());
        }
        return found;
    }

    private static String text(RowCursor row) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < row.columns(); i++) {
            text.append(row.get(i)).append('|');
        }
        return text.toString();
    }

    /** All rows; none may occur twice. */
    private static Set<String> read(Scan scan) {
        Map<String, Boolean> found = new ConcurrentHashMap<>();
        LongAdder count = new LongAdder();
        scan.forEach(3, row -> {
            found.put(text(row), true);
            count.increment();
        });
        assertThat(count.sum()).isEqualTo(found.size());
        assertThat(scan.totals().rowsRead()).isEqualTo(found.size());
        assertThat(scan.totals().splitsRead()).isEqualTo(scan.splits().size());
        return found.keySet();
    }

    @Test
    void countsTablesButNotQueries() {
        assertThatThrownBy(() -> OVERDRIVE.count(
                        ScanOptions.query("SELECT * FROM scans.t").build()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("this needs a table, and the options have a query: SELECT * FROM scans.t");
    }

    @Test
    void readsWriteTimesAndTimesToLiveOfColumns() {
        execute("CREATE TABLE scans.timed (k int PRIMARY KEY, \"V v\" int, \"ttl(k)\" int)");
        execute("INSERT INTO scans.timed (k, \"V v\", \"ttl(k)\") VALUES (1, 2, 3) USING TIMESTAMP 77 AND TTL 1000000");
        ScanOptions options = ScanOptions.from(KEYSPACE, "timed")
                .columns("writetime(V v)", "ttl(V v)", "ttl(k)", "k")
                .build();
        try (Scan scan = OVERDRIVE.scan(options)) {
            scan.forEach(1, row -> {
                assertThat(row.getLong(0)).isEqualTo(77);
                assertThat(row.getInt(1)).isBetween(900_000, 1_000_000);
                assertThat(row.getInt(2)).isEqualTo(3); // a column with such a name takes precedence
                assertThat(row.token()).isEqualTo(-4069959284402364209L);
            });
            assertThat(scan.totals().rowsRead()).isEqualTo(1);
        }
        assertThatThrownBy(() -> OVERDRIVE.scan(
                        ScanOptions.from(KEYSPACE, "timed").columns("ttl(x)").build()))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith("[scans.timed] has no column \"x\"");
    }

    @Test
    void readsEachRowOnce() {
        try (Scan scan = OVERDRIVE.scan(all().build())) {
            assertThat(scan.splits()).hasSizeGreaterThan(3);
            assertThat(scan.columns()).containsExactly("p", "q", "c", "v", "w");
            assertThat(scan.whyNotSplit()).isEmpty();
            assertThat(read(scan)).hasSize(rows).isEqualTo(expected("SELECT p, q, c, v, w FROM scans.t"));
        }
    }

    @Test
    void readsNoMoreSplitsAtOnceThanTheOptionsSay() {
        try (Scan scan = OVERDRIVE.scan(all().pageRows(10).splitsInFlight(2).build())) {
            assertThat(scan.splits()).hasSizeGreaterThan(3);
            assertThat(scan.splitsInFlight()).isEqualTo(2);
            AtomicInteger begun = new AtomicInteger();
            AtomicInteger maxBegun = new AtomicInteger();
            LongAdder count = new LongAdder();
            scan.forEachSplit(4, split -> {
                maxBegun.accumulateAndGet(begun.incrementAndGet(), Math::max);
                return new Scan.SplitHandler() {
                    @Override
                    public void page(RowCursor page) {
                        while (page.next()) {
                            count.increment();
                        }
                    }

                    @Override
                    public void end() {
                        begun.decrementAndGet();
                    }
                };
            });
            assertThat(maxBegun).hasValue(2);
            assertThat(begun).hasValue(0);
            assertThat(count.sum()).isEqualTo(rows);
        }
    }

    @Test
    @Tag("nightly")
    void readsPagesOfOneRow() {
        try (Scan scan = OVERDRIVE.scan(
                all().columns("w", "p").pageRows(1).splitsInFlight(64).build())) {
            LongAdder count = new LongAdder();
            scan.forEach(2, row -> count.increment());
            assertThat(count.sum()).isEqualTo(rows);
            assertThat(scan.totals().pages()).isGreaterThanOrEqualTo(rows);
        }
    }

    @Test
    void readsRowsThatMeetACondition() {
        for (String where : List.of("p = 'p7' AND q = 7", "p = 'p7'", "c > 30", "w >= 0 AND c IN (1, 2, 3)")) {
            try (Scan scan = OVERDRIVE.scan(all().where(where).build())) {
                assertThat(read(scan))
                        .as(where)
                        .isEqualTo(expected("SELECT p, q, c, v, w FROM scans.t WHERE " + where + " ALLOW FILTERING"));
            }
        }
    }

    @Test
    void readsAQuery() {
        for (String query : List.of(
                "SELECT * FROM scans.t",
                "select c, writetime(v), \"p\" from scans.t where c > 3 allow filtering;",
                "SELECT p, q, c AS \"where limit\" FROM scans.t PER PARTITION LIMIT 2",
                "SELECT DISTINCT p, q FROM scans.t",
                "SELECT p, q, max(c) FROM scans.t GROUP BY p, q")) {
            try (Scan scan = OVERDRIVE.scan(ScanOptions.query(query).build())) {
                assertThat(scan.whyNotSplit()).as(query).isEmpty();
                assertThat(scan.splits()).as(query).hasSizeGreaterThan(3);
                assertThat(read(scan)).as(query).isEqualTo(expected(query));
            }
        }
    }

    @Test
    void runsAQueryThatCannotBeSplitAsOne() {
        Map<String, String> queries = Map.of(
                "SELECT count(*) FROM scans.t", "it aggregates all rows",
                "SELECT p, q, c FROM scans.t LIMIT 17", "it has a LIMIT over all rows",
                "SELECT p, c FROM scans.t WHERE p = 'p3' AND q = 3 ORDER BY c DESC", "");
        queries.forEach((query, why) -> {
            try (Scan scan = OVERDRIVE.scan(ScanOptions.query(query).build())) {
                if (!why.isEmpty()) {
                    assertThat(scan.whyNotSplit()).as(query).isEqualTo(why);
                    assertThat(scan.splits()).hasSize(1);
                }
                assertThat(read(scan)).as(query).isEqualTo(expected(query));
            }
        });
    }

    /** Each of them would have all rows. */
    @Test
    void refusesPartsOfAQueryThatCannotBeSplit() {
        try (Scan parts = OVERDRIVE.scan(
                        ScanOptions.query("SELECT p FROM scans.t").build());
                Scan whole = OVERDRIVE.scan(
                        ScanOptions.query("SELECT p FROM scans.t LIMIT 17").build())) {
            assertThat(parts.splits()).hasSizeGreaterThan(1);
            assertThatThrownBy(() -> whole.open(parts.splits().get(0)))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage(
                            "[scans.t] the query was split where its splits come from, and cannot be split here: it has a"
                                    + " LIMIT over all rows; if its table has just been created or changed, try again");
            assertThatThrownBy(() -> whole.readOnly(parts.splits())).isInstanceOf(OverdriveException.class);
            assertThat(whole.splits()).hasSize(1);
        }
    }

    @Test
    void refusesInvalidQueries() {
        assertThatThrownBy(() -> OVERDRIVE.scan(
                        ScanOptions.query("SELECT nothing FROM scans.t").build()))
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.SCHEMA))
                .hasMessageContaining("the server refuses the query")
                .hasMessageContaining("SELECT nothing FROM scans.t");
        assertThatThrownBy(() -> OVERDRIVE.scan(ScanOptions.query("INSERT INTO scans.t (p, q, c) VALUES ('a', 1, 1)")
                        .build()))
                .hasMessageContaining("it must be a SELECT");
        assertThatThrownBy(() -> OVERDRIVE.scan(ScanOptions.query("SELECT * FROM scans.t WHERE p = ? AND q = 1")
                        .build()))
                .hasMessageContaining("the query has markers");
        assertThatThrownBy(() -> OVERDRIVE.scan(all().columns("p", "nope").build()))
                .hasMessageContaining("has no column \"nope\"; its columns are p, q, c, v, w");
        assertThatThrownBy(() -> OVERDRIVE.scan(all().where("nope = 1").build()))
                .hasMessageContaining("nope");
    }

    @Test
    void countsAtTheServer() {
        try (Scan counts = OVERDRIVE.count(all().build())) {
            LongAdder sum = new LongAdder();
            counts.forEach(2, row -> sum.add(row.getLong(0)));
            assertThat(sum.sum()).isEqualTo(rows);
            assertThat(counts.totals().rowsRead()).isEqualTo(counts.totals().pages());
        }
        try (Scan counts = OVERDRIVE.countPartitions(all().where("c < 5").build())) {
            Map<String, Long> found = new ConcurrentHashMap<>();
            counts.forEach(2, row -> found.put(row.text(0) + row.getInt(1), row.getLong(2)));
            Map<String, Long> wanted = new HashMap<>();
            OVERDRIVE
                    .session()
                    .execute("SELECT p, q FROM scans.t WHERE c < 5 ALLOW FILTERING")
                    .forEach(row -> wanted.merge(row.getString(0) + row.getInt(1), 1L, Long::sum));
            assertThat(found).isEqualTo(wanted);
        }
    }

    /** The server reads the rows that it groups in pages of as many rows as the requested number of groups. */
    @Test
    void requestsManyGroupsAtOnce() {
        Split ring = new Split(List.of(Split.WHOLE_RING), List.of(), 0);
        ScanOptions.Builder query = ScanOptions.query("SELECT p, q, max(c) FROM scans.t Group  By p, q");
        try (Scan counts = OVERDRIVE.countPartitions(all().build());
                Scan largest = OVERDRIVE.scan(query.build())) {
            for (Scan scan : List.of(counts, largest)) {
                int groups = 0;
                try (RowCursor cursor = scan.open(ring)) {
                    while (cursor.next()) {
                        groups++;
                    }
                }
                assertThat(groups).isEqualTo(PARTITIONS);
                assertThat(scan.totals().pages()).isEqualTo(2); // 100, and then up to 400
            }
        }
    }

    @Test
    void aggregatesAtTheServer() {
        List<String> selection = List.of("count(*) AS p", "count(w)", "min(c)", "max(\"v\")", "sum(w)");
        for (String where : List.of("c >= 0", "c > 55", "c > 1000", "p = 'p3' AND q = 3")) {
            try (Scan sums = OVERDRIVE.aggregate(all().where(where).build(), selection)) {
                List<Object> found = Collections.synchronizedList(new ArrayList<>(Collections.nCopies(5, null)));
                sums.forEach(2, row -> {
                    synchronized (found) {
                        add(found, 0, row.get(0), Long::sum);
                        add(found, 1, row.get(1), Long::sum);
                        add(found, 2, row.get(2), (Integer a, Integer b) -> Math.min(a, b));
                        add(found, 3, row.get(3), (String a, String b) -> a.compareTo(b) > 0 ? a : b);
                        add(found, 4, row.get(4), Long::sum);
                    }
                });
                Row wanted = Objects.requireNonNull(OVERDRIVE
                        .session()
                        .execute("SELECT " + String.join(", ", selection) + " FROM scans.t WHERE " + where
                                + " ALLOW FILTERING")
                        .one());
                for (int i = 0; i < 5; i++) {
                    assertThat(found.get(i))
                            .as("%s where %s", selection.get(i), where)
                            .isEqualTo(wanted.getObject(i));
                }
                assertThat(sums.totals().rowsRead()).isEqualTo(sums.splits().size());
            }
        }
        assertThatThrownBy(() -> OVERDRIVE.aggregate(all().build(), List.of("max(nope)")))
                .hasMessageContaining("the server refuses the query")
                .hasMessageContaining("max(nope)");
        assertThatThrownBy(() -> OVERDRIVE.aggregate(all().build(), List.of()))
                .hasMessageContaining("selection is empty");
    }

    @SuppressWarnings("unchecked")
    private static <T> void add(List<Object> sums, int i, @Nullable Object value, BinaryOperator<T> adder) {
        Object before = sums.get(i);
        if (value != null) {
            sums.set(i, before == null ? value : adder.apply((T) before, (T) value));
        }
    }

    @Test
    void readsSplitsOneByOneAndSaysWhatIsLeft() {
        try (Scan scan = OVERDRIVE.scan(all().pageRows(7).build())) {
            Set<String> found = new HashSet<>();
            for (Split split : scan.splits()) {
                try (RowCursor cursor = scan.open(split)) {
                    for (int i = 0; i < 100 && cursor.next(); i++) {
                        found.add(text(cursor));
                    }
                    Split rest = cursor.rest();
                    if (rest != null) {
                        try (RowCursor others = scan.open(rest)) {
                            int repeated = 0;
                            while (others.next()) {
                                repeated += found.add(text(others)) ? 0 : 1;
                            }
                            assertThat(repeated).isLessThanOrEqualTo(60 + 2 * 7);
                            assertThat(others.rest()).isNull();
                        }
                    }
                }
            }
            assertThat(found).isEqualTo(expected("SELECT p, q, c, v, w FROM scans.t"));
        }
    }

    @Test
    void opensSplitsThatAnotherScanPlanned() throws Exception {
        try (Scan planner = OVERDRIVE.scan(all().build());
                Scan reader = OVERDRIVE.scan(all().build())) {
            List<CompletableFuture<List<Split>>> plans = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                plans.add(CompletableFuture.supplyAsync(planner::splits));
            }
            for (CompletableFuture<List<Split>> plan : plans) {
                assertThat(plan.get()).isSameAs(planner.splits());
            }
            assertThat(planner.totals().splits()).isEqualTo(planner.splits().size());
            assertThat(planner.estimatedBytes())
                    .isEqualTo(planner.splits().stream()
                            .mapToLong(Split::estimatedBytes)
                            .sum())
                    .isNotNegative();
            Set<String> found = new HashSet<>();
            for (Split split : planner.splits()) {
                try (RowCursor rows = reader.open(split)) {
                    while (rows.next()) {
                        assertThat(found.add(text(rows))).isTrue();
                    }
                }
            }
            assertThat(found).hasSize(rows);
            assertThat(reader.totals().splits()).as("the reader plans nothing").isZero();
            assertThat(reader.totals().rowsRead()).isEqualTo(rows);
        }
    }

    @Test
    void aDigestDoesNotDependOnTheOrderOrThePages() {
        Set<String> digests = new HashSet<>();
        for (int pageRows : List.of(3, 100, 20_000)) {
            try (Scan scan = OVERDRIVE.scan(all().pageRows(pageRows).build())) {
                RowDigest digest = new RowDigest();
                scan.forEachSplit(3, split -> page -> {
                    RowDigest.Part part = digest.part();
                    while (page.next()) {
                        part.add(page);
                    }
                    part.finish();
                });
                digests.add(digest.toString());
            }
        }
        assertThat(digests).hasSize(1);
        execute("CREATE TABLE scans.one (p int PRIMARY KEY)");
        execute("INSERT INTO scans.one (p) VALUES (1)");
        try (Scan scan = OVERDRIVE.scan(ScanOptions.from(KEYSPACE, "one").build())) {
            RowDigest digest = new RowDigest();
            scan.forEach(1, row -> {
                RowDigest.Part part = digest.part();
                part.add(row);
                part.finish();
            });
            assertThat(digests).doesNotContain(digest.toString());
        }
    }

    @Test
    void stops() {
        try (Scan scan = OVERDRIVE.scan(all().pageRows(1).build())) {
            assertThatThrownBy(() -> scan.forEach(2, row -> scan.stop()))
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INTERRUPTED));
            assertThat(scan.totals().rowsRead()).isLessThan(rows);
        }
    }

    /** The first pages of a few splits take minutes at one row a second. */
    @Test
    @Tag("nightly")
    void stopsWithoutWaitingForItsRateLimits() throws InterruptedException {
        try (Scan scan =
                OVERDRIVE.scan(all().rowsPerSecond(1).splitsInFlight(30).build())) {
            Thread reader = new Thread(() -> scan.forEach(30, row -> {}));
            reader.setUncaughtExceptionHandler((thread, e) -> {});
            reader.start();
            while (scan.totals().pages() < 8) {
                Thread.sleep(10);
            }
            Threads.awaitAnyInside(Pacer.class);
            scan.stop();
            reader.join(60_000);
            assertThat(reader.isAlive()).isFalse();
        }
    }

    @Test
    void throwsWhatAHandlerThrows() {
        try (Scan scan = OVERDRIVE.scan(all().build())) {
            assertThatThrownBy(() -> scan.forEach(3, row -> {
                        throw new IllegalStateException("mine");
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("mine");
        }
    }

    @Test
    void readsEveryColumnTypeOfACounterTableAndAView() throws InterruptedException {
        execute("CREATE TABLE scans.hits (\"Page\" text PRIMARY KEY, \"select\" counter)");
        execute("UPDATE scans.hits SET \"select\" = \"select\" + 7 WHERE \"Page\" = 'x'");
        try (Scan scan = OVERDRIVE.scan(
                ScanOptions.from(KEYSPACE, "hits").columns("select", "Page").build())) {
            assertThat(read(scan)).containsExactly("7|x|");
        }
        TableSchema view = viewOfT();
        assertThat(view.partitionKey().stream().map(TableSchema.Column::name)).containsExactly("c");
        try (Scan scan = OVERDRIVE.scan(ScanOptions.from(KEYSPACE, "by_c").build())) {
            assertThat(read(scan))
                    .isEqualTo(expected("SELECT " + names(view) + " FROM scans.by_c"))
                    .hasSize(rows);
        }
    }

    private static String names(TableSchema table) {
        return table.columns().stream().map(TableSchema.Column::cqlName).collect(Collectors.joining(", "));
    }

    private static TableSchema viewOfT() throws InterruptedException {
        execute("CREATE MATERIALIZED VIEW scans.by_c AS SELECT * FROM scans.t WHERE p IS NOT NULL AND q IS NOT NULL AND"
                + " c IS NOT NULL PRIMARY KEY (c, p, q)");
        while (TestCluster.count("scans.by_c") < rows) { // the server builds it in the background
            Thread.sleep(50);
        }
        return OVERDRIVE.table(KEYSPACE, "by_c");
    }
}
