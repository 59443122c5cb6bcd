package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.scan.RowDigest;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans of tables of all shapes, and of tables that change during the scan. */
@Tag("server")
@Timeout(300)
class ScanEdgesIT {
    private static final String KEYSPACE = "edges";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive();

    @BeforeAll
    static void makeKeyspace() {
        TestCluster.keyspace(KEYSPACE);
    }

    private static void execute(String cql) {
        OVERDRIVE.session().execute(cql);
    }

    private static ScanOptions.Builder from(String table) {
        return ScanOptions.from(KEYSPACE, table);
    }

    private static String format(DataType type, @Nullable Object value) {
        return OVERDRIVE
                .session()
                .getContext()
                .getCodecRegistry()
                .codecFor(type)
                .format(value);
    }

    private static String text(RowCursor row) {
        return IntStream.range(0, row.columns())
                .mapToObj(i -> format(row.type(i), row.get(i)))
                .collect(Collectors.joining("|"));
    }

    /** All rows, sorted, with repetitions. */
    private static List<String> read(Scan scan, int threads) {
        List<String> rows = Collections.synchronizedList(new ArrayList<>());
        scan.forEach(threads, row -> rows.add(text(row)));
        Collections.sort(rows);
        return rows;
    }

    private static List<String> read(ScanOptions.Builder options) {
        try (Scan scan = OVERDRIVE.scan(options.build())) {
            return read(scan, 2);
        }
    }

    /** The rows by the driver's own paging. */
    private static List<String> expected(SimpleStatement query) {
        List<String> rows = new ArrayList<>();
        for (Row row : OVERDRIVE.session().execute(query)) {
            rows.add(IntStream.range(0, row.size())
                    .mapToObj(i -> format(row.getType(i), row.isNull(i) ? null : row.getObject(i)))
                    .collect(Collectors.joining("|")));
        }
        Collections.sort(rows);
        return rows;
    }

    private static List<String> expected(String table) {
        String columns = OVERDRIVE.table(KEYSPACE, table).columns().stream()
                .map(TableSchema.Column::cqlName)
                .collect(Collectors.joining(", "));
        return expected(
                SimpleStatement.newInstance("SELECT " + columns + " FROM \"" + KEYSPACE + "\".\"" + table + "\""));
    }

    private static long count(String table) {
        AtomicLong sum = new AtomicLong();
        try (Scan scan = OVERDRIVE.count(from(table).build())) {
            scan.forEach(2, row -> sum.addAndGet(row.getLong(0)));
        }
        return sum.get();
    }

    private static String digest(String table) {
        RowDigest digest = new RowDigest();
        try (Scan scan = OVERDRIVE.scan(from(table).build())) {
            scan.forEachSplit(2, split -> page -> {
                RowDigest.Part part = digest.part();
                while (page.next()) {
                    part.add(page);
                }
                part.finish();
            });
        }
        return digest.toString();
    }

    @Test
    void readsAnEmptyTable() {
        execute("CREATE TABLE edges.empty (k int PRIMARY KEY, v text)");
        assertThat(read(from("empty"))).isEmpty();
        assertThat(count("empty")).isZero();
        try (Scan scan = OVERDRIVE.scan(from("empty").build())) {
            assertThat(scan.splits()).hasSize(16);
            for (Split split : scan.splits()) {
                try (RowCursor cursor = scan.open(split)) {
                    assertThat(cursor.next()).isFalse();
                    assertThat(cursor.next()).as("at the next call").isFalse();
                    assertThat(cursor.rest()).isNull();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5_000})
    void readsPartitionsWithOnlyStaticColumns(int pageRows) {
        execute("CREATE TABLE IF NOT EXISTS edges.statics (k int, c int, s text static, v int, PRIMARY KEY (k, c))");
        for (int k = 0; k < 40; k++) {
            if (k % 3 != 1) {
                execute("INSERT INTO edges.statics (k, s) VALUES (" + k + ", 's" + k + "')");
            }
            for (int c = 0; c < k % 4 && k % 3 > 0; c++) {
                execute("INSERT INTO edges.statics (k, c, v) VALUES (" + k + ", " + c + ", " + c + ")");
            }
            if (k % 5 == 0) {
                execute("DELETE FROM edges.statics WHERE k = " + k);
            }
        }
        assertThat(read(from("statics").pageRows(pageRows)))
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(40)
                .isEqualTo(expected("statics"));
        assertThat(count("statics")).isEqualTo(expected("statics").size());
        String distinct = "SELECT DISTINCT k, s FROM edges.statics";
        assertThat(read(ScanOptions.query(distinct).pageRows(pageRows)))
                .isEqualTo(expected(SimpleStatement.newInstance(distinct)));
    }

    @Test
    void readsQuotedAndReservedNames() {
        String keyspace = TestCluster.keyspace("\"Order\"").replace("\"", "");
        execute("CREATE TABLE \"Order\".\"where\" (\"token\" int, \"LIMIT\" int, \"a \"\"b\" text, \"group by\" text,"
                + " \"count\" text, PRIMARY KEY ((\"token\", \"LIMIT\"), \"a \"\"b\"))");
        for (int i = 0; i < 50; i++) {
            execute(
                    "INSERT INTO \"Order\".\"where\" (\"token\", \"LIMIT\", \"a \"\"b\", \"group by\", \"count\") VALUES ("
                            + i + ", 1, 'limit " + i + "', 'where', 'count " + i + "')");
        }
        try (Scan scan =
                OVERDRIVE.scan(ScanOptions.from(keyspace, "where").pageRows(3).build())) {
            assertThat(scan.whyNotSplit()).isEmpty();
            assertThat(scan.columns()).containsExactly("token", "LIMIT", "a \"b", "count", "group by");
            assertThat(read(scan, 2)).hasSize(50).doesNotHaveDuplicates();
        }
        try (Scan scan = OVERDRIVE.scan(
                ScanOptions.query("select \"group by\", \"LIMIT\" from \"Order\".\"where\" -- limit 3, it's all\n where"
                                + " \"a \"\"b\" = $$limit 7$$ /* limit */ allow filtering; -- done")
                        .build())) {
            assertThat(scan.whyNotSplit()).isEmpty();
            assertThat(read(scan, 2)).containsExactly("'where'|1");
        }
        try (Scan scan = OVERDRIVE.scan(
                ScanOptions.query("SELECT * FROM \"Order\".\"where\"LIMIT 7").build())) {
            assertThat(scan.whyNotSplit()).isEqualTo("it has a LIMIT over all rows");
            assertThat(read(scan, 2)).hasSize(7);
        }
        // A text column of that name is not an aggregate: pages stay small.
        try (Scan scan = OVERDRIVE.scan(ScanOptions.from(keyspace, "where")
                .columns("count")
                .pageBytes(1024)
                .build())) {
            Split whole = new Split(List.of(Split.WHOLE_RING), List.of(), 0);
            try (RowCursor cursor = scan.open(whole)) {
                while (cursor.next()) {
                    assertThat(cursor.text(0)).startsWith("count ");
                }
            }
            assertThat(scan.totals().pages()).isGreaterThan(2);
        }
        assertThatThrownBy(() -> OVERDRIVE.scan(ScanOptions.from(keyspace, "where")
                        .where("\"group by\" = 'where' LIMIT 3")
                        .build()))
                .hasMessageStartingWith("the conditions have a LIMIT, and would have it for each token range");
    }

    /** A server answers from the start if the page size is the limit or more, whatever the paging state says. */
    @Test
    void readsAsManyRowsAsTheLimitAllows() {
        load("limited", 700);
        for (int limit : new int[] {1, 4, 5, 63, 64, 65, 300, 699, 700, 701}) {
            for (int pageRows : new int[] {1, 3, 5_000}) {
                List<String> rows = read(ScanOptions.query("SELECT * FROM edges.limited LIMIT " + limit)
                        .pageRows(limit > 65 ? Math.max(3, pageRows) : pageRows));
                assertThat(rows).as("limit %d, pages of %d", limit, pageRows).hasSize(Math.min(limit, 700));
                assertThat(new HashSet<>(rows)).hasSameSizeAs(rows);
            }
        }
    }

    /** Another column has the name of the key: no token is computed from it, and no range is cut by it. */
    @Test
    void isNotMisledByAnotherColumnWithTheNameOfTheKey() {
        execute("CREATE TABLE edges.alias (k int, c int, PRIMARY KEY (k, c))");
        execute("INSERT INTO edges.alias (k, c) VALUES (1, 2)");
        try (Scan scan = OVERDRIVE.scan(
                        ScanOptions.query("SELECT c AS k FROM edges.alias").build());
                RowCursor cursor = scan.open(new Split(List.of(Split.WHOLE_RING), List.of(), 0))) {
            assertThat(cursor.next()).isTrue();
            assertThatThrownBy(cursor::token).isInstanceOf(IllegalStateException.class);
        }
    }

    /** Reads like a scan that continues where an earlier one has stopped. */
    @Test
    void readsOnlyWhatIsLeftOfTheSplitsOfAnEarlierScan() {
        execute("CREATE TABLE edges.rests (k int PRIMARY KEY)");
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "rests").build())) {
            for (int k = 0; k < 2_000; k++) {
                writer.row().setInt(0, k);
                writer.send();
            }
        }
        List<Split> rests = new ArrayList<>();
        Set<Integer> expected = ConcurrentHashMap.newKeySet();
        try (Scan first = OVERDRIVE.scan(from("rests").build())) {
            assertThat(first.hasTokens()).isTrue();
            for (Split split : first.splits().subList(0, 5)) {
                Split.Range range = split.ranges().get(0);
                Split rest = split.after((range.start() >> 1) + (range.end() >> 1));
                if (rest != null) {
                    rests.add(rest);
                }
            }
            first.forEach(2, row -> {
                if (rests.stream()
                        .flatMap(rest -> rest.ranges().stream())
                        .anyMatch(range -> row.token() > range.start() && row.token() <= range.end())) {
                    expected.add(row.getInt(0));
                }
            });
        }
        assertThat(expected).isNotEmpty();
        List<Integer> found = Collections.synchronizedList(new ArrayList<>());
        try (Scan second = OVERDRIVE.scan(from("rests").build())) {
            second.readOnly(rests);
            second.forEach(2, row -> found.add(row.getInt(0)));
            assertThat(second.totals().splits()).isEqualTo(rests.size());
            assertThatThrownBy(() -> second.readOnly(rests)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        try (Scan nothing = OVERDRIVE.scan(from("rests").build())) {
            nothing.readOnly(List.of());
            nothing.forEach(2, row -> found.clear());
        }
        assertThat(found).hasSameSizeAs(expected);
    }

    /** It fits into the heap of either side, since pages are small. */
    @Test
    void readsOneWidePartitionInOrder() {
        execute("CREATE TABLE edges.wide (k int, c int, v blob, PRIMARY KEY (k, c))");
        int rows = 60_000;
        byte[] value = new byte[1_000];
        new Random(3).nextBytes(value);
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "wide").build())) {
            for (int c = 0; c < rows; c++) {
                writer.row().setInt(0, 1).setInt(1, c).setBytes(2, ByteBuffer.wrap(value));
                writer.send();
            }
        }
        AtomicInteger next = new AtomicInteger();
        AtomicInteger largest = new AtomicInteger();
        try (Scan scan = OVERDRIVE.scan(from("wide").pageBytes(256 << 10).build())) {
            scan.forEachSplit(3, split -> page -> {
                while (page.next()) {
                    if (page.getInt(1) != next.getAndIncrement() || page.length(2) != value.length) {
                        throw new IllegalStateException("row " + page.getInt(1) + " after " + (next.get() - 2));
                    }
                    largest.accumulateAndGet(page.array().length, Math::max);
                }
            });
            assertThat(next.get()).isEqualTo(rows);
            assertThat(largest.get()).isBetween(200 << 10, 300 << 10);
        }
        assertThat(count("wide")).isEqualTo(rows);
    }

    @Test
    void readsRowsLargerThanAPageOneByOne() {
        execute("CREATE TABLE edges.large (k int PRIMARY KEY, v blob)");
        byte[] value = new byte[700 << 10];
        new Random(3).nextBytes(value);
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "large").build())) {
            for (int k = 0; k < 60; k++) {
                writer.row().setInt(0, k).setBytes(1, ByteBuffer.wrap(value));
                writer.send();
            }
        }
        try (Scan scan = OVERDRIVE.scan(from("large").pageMemory(1 << 20).build())) {
            Set<Integer> found = new HashSet<>();
            List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
            scan.forEachSplit(2, split -> page -> {
                while (page.next()) {
                    synchronized (found) {
                        assertThat(found.add(page.getInt(0))).isTrue();
                    }
                    sizes.add(page.array().length);
                }
            });
            assertThat(found).hasSize(60);
            assertThat(sizes).allSatisfy(size -> assertThat(size).isLessThan(4 * (701 << 10)));
            // the first page of each split in flight, and those requested before the first arrived
            assertThat(sizes.stream().filter(size -> size > 701 << 10).count())
                    .isLessThanOrEqualTo(4L * scan.splitsInFlight());
        }
        execute("CREATE TABLE edges.maps (k int PRIMARY KEY, m map<int, text>)");
        Map<Integer, String> map = new HashMap<>();
        for (int i = 0; i < 10_000; i++) {
            map.put(i, "value " + i);
        }
        OVERDRIVE.session().execute(SimpleStatement.newInstance("INSERT INTO edges.maps (k, m) VALUES (1, ?)", map));
        try (Scan scan = OVERDRIVE.scan(from("maps").build())) {
            scan.forEach(2, row -> assertThat(row.get(1)).isEqualTo(map));
            assertThat(scan.totals().rowsRead()).isEqualTo(1);
        }
    }

    @Test
    void readsRowsOnceThatDoNotExpireDuringTheScan() {
        execute("CREATE TABLE edges.expiring (k int, c int, PRIMARY KEY (k, c))");
        PreparedStatement insert =
                OVERDRIVE.session().prepare("INSERT INTO edges.expiring (k, c) VALUES (?, ?) USING TTL ?");
        Random random = new Random(5);
        Set<String> lasting = new HashSet<>();
        Set<String> expiring = new HashSet<>();
        for (int k = 0; k < 100; k++) {
            for (int c = 0; c < 10; c++) {
                int ttl = random.nextInt(4);
                (ttl == 0 ? lasting : expiring).add(k + "|" + c);
                OVERDRIVE.session().execute(insert.bind(k, c, ttl));
            }
        }
        List<String> rows = read(from("expiring").pageRows(4).rowsPerSecond(300));
        assertThat(rows).doesNotHaveDuplicates().containsAll(lasting).hasSizeLessThan(1_000);
        assertThat(rows.stream().filter(row -> !lasting.contains(row))).allMatch(expiring::contains);
    }

    private static void load(String table, int rows) {
        execute("CREATE TABLE edges." + table + " (k int, c int, v text, PRIMARY KEY (k, c))");
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, table).build())) {
            for (int i = 0; i < rows; i++) {
                writer.row().setInt(0, i / 7).setInt(1, i).setText(2, "v" + i);
                writer.send();
            }
        }
    }

    /** Each change makes the server forget all statements of the table. */
    @Test
    void goesOnWhileColumnsAreAdded() {
        load("growing", 700);
        List<String> wanted = expected("growing");
        AtomicInteger seen = new AtomicInteger();
        List<String> rows = Collections.synchronizedList(new ArrayList<>());
        try (Scan scan = OVERDRIVE.scan(from("growing").pageRows(5).build())) {
            scan.forEach(1, row -> {
                rows.add(text(row));
                if (seen.incrementAndGet() % 200 == 50) {
                    execute("ALTER TABLE edges.growing ADD added_" + seen.get() + " int");
                }
            });
        }
        Collections.sort(rows);
        assertThat(rows).isEqualTo(wanted);
    }

    @Test
    void saysThatTheTableWasDroppedAndCreatedDuringTheScan() {
        assertDropped(
                "again",
                "the table",
                "DROP TABLE edges.again",
                "CREATE TABLE edges.again (k int, c int, v text, PRIMARY KEY (k, c))");
    }

    @Test
    void saysThatAColumnWasDroppedAndAddedDuringTheScan() {
        assertDropped(
                "renewed", "column \"v\"", "ALTER TABLE edges.renewed DROP v", "ALTER TABLE edges.renewed ADD v text");
    }

    /** Nodes only ask for the query to be prepared again. */
    private static void assertDropped(String table, String what, String drop, String create) {
        load(table, 700);
        AtomicInteger rows = new AtomicInteger();
        try (Scan scan =
                OVERDRIVE.scan(from(table).pageRows(5).splitsInFlight(1).build())) {
            assertThatThrownBy(() -> scan.forEach(1, row -> {
                        if (rows.getAndIncrement() == 0) {
                            while (scan.totals().pages() < 2) {
                                Thread.onSpinWait(); // the table must be there when the next page is requested
                            }
                            execute(drop);
                            execute(create);
                        }
                    }))
                    .isInstanceOfSatisfying(
                            OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.READ))
                    .hasMessage(
                            "[edges." + table + "] " + what + " was dropped while the table was read, so rows or values"
                                    + " are missing, even if it was created again; start again");
        }
    }

    @Test
    void saysThatTheColumnsChangedDuringTheScan(@TempDir Path directory) throws Exception {
        for (String protocol : List.of("V5", "V4")) {
            String table = "changing_" + protocol.toLowerCase(java.util.Locale.ROOT);
            load(table, 700);
            try (Overdrive other = connect(directory, "version = " + protocol)) {
                AtomicInteger seen = new AtomicInteger();
                try (Scan scan = other.scan(ScanOptions.query("SELECT * FROM edges." + table)
                        .pageRows(5)
                        .build())) {
                    assertThatThrownBy(() -> scan.forEach(1, row -> {
                                assertThat(row.text(2)).isEqualTo("v" + row.getInt(1));
                                if (seen.incrementAndGet() == 50) {
                                    execute("ALTER TABLE edges." + table + " ADD a int");
                                }
                            }))
                            .isInstanceOfSatisfying(OverdriveException.class, e -> assertThat(e.kind())
                                    .isEqualTo(Kind.READ))
                            .hasMessageStartingWith("[edges." + table + "] cannot read token range (")
                            .hasMessageEndingWith("the table was changed while it was read; start again");
                }
                seen.set(0);
                try (Scan scan =
                        other.scan(from(table).pageRows(5).maxAttempts(3).build())) {
                    assertThatThrownBy(() -> scan.forEach(1, row -> {
                                if (seen.incrementAndGet() == 50) {
                                    execute("ALTER TABLE edges." + table + " DROP v");
                                }
                            }))
                            .isInstanceOfSatisfying(OverdriveException.class, e -> assertThat(e.kind())
                                    .isEqualTo(Kind.READ))
                            .hasMessageContaining("v");
                }
            }
        }
    }

    /** Virtual tables, tables with a partitioner other than the cluster's, and tables that are local to each node. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "system_views.settings",
                "system_views.thread_pools",
                "system_virtual_schema.columns",
                "system.local",
                "system.batches",
                "system_schema.columns",
                "system_auth.roles"
            })
    void readsSystemTablesUnsplit(String table) {
        String[] name = table.split("\\.");
        ScanOptions.Builder all = ScanOptions.from(name[0], name[1]).pageRows(7);
        int wanted;
        List<Integer> found = new ArrayList<>();
        do { // again if tests of another JVM have created something meanwhile
            found.clear();
            wanted = OVERDRIVE.session().execute("SELECT * FROM " + table).all().size();
            try (Scan scan = OVERDRIVE.scan(all.build());
                    Scan query = OVERDRIVE.scan(ScanOptions.query("SELECT * FROM " + table)
                            .pageRows(7)
                            .build())) {
                assertThat(scan.whyNotSplit())
                        .isEqualTo("it is a table of Cassandra's own, and these may hold other rows on each node");
                assertThat(query.whyNotSplit()).isEqualTo(scan.whyNotSplit());
                assertThat(scan.splits()).hasSize(1);
                found.add(read(scan, 2).size());
                found.add(read(query, 2).size());
            }
            AtomicInteger rows = new AtomicInteger();
            try (Scan count = OVERDRIVE.count(all.build())) {
                count.forEach(1, row -> rows.addAndGet((int) row.getLong(0)));
            }
            found.add(rows.get());
        } while (OVERDRIVE.session().execute("SELECT * FROM " + table).all().size() != wanted);
        assertThat(found).containsOnly(wanted);
    }

    @Test
    void namesTheTablesOfASystemKeyspace() {
        assertThatThrownBy(() -> OVERDRIVE.table("system_views", "setings"))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith("keyspace \"system_views\" has no table \"setings\"; its tables are ")
                .hasMessageEndingWith(" more: did you mean \"settings\"?");
        assertThatThrownBy(() -> OVERDRIVE.table("system_vews", "settings"))
                .hasMessageStartingWith("there is no keyspace \"system_vews\"");
        assertThatThrownBy(() -> OVERDRIVE.table("system_nowhere", "t"))
                .hasMessage("there is no keyspace \"system_nowhere\"");
        assertThat(OVERDRIVE.table("system", "size_estimates").clusteringColumns())
                .extracting(TableSchema.Column::name)
                .containsExactly("table_name", "range_start", "range_end");
    }

    private static Overdrive connect(Path directory, String protocol) throws Exception {
        Path file = Files.createTempFile(directory, "driver", ".conf");
        Files.writeString(file, "datastax-java-driver { advanced.protocol { " + protocol + " } }");
        return Overdrive.connect(ConnectOptions.builder()
                .contactPoint(TestCluster.address())
                .datacenter("dc1")
                .driverConfig(file)
                .build());
    }

    @Test
    void readsOverEachVersionOfTheProtocolCompressedOrNot(@TempDir Path directory) throws Exception {
        load("framed", 5_000);
        List<String> wanted = expected("framed");
        for (String protocol : List.of(
                "version = V4", "version = V4, compression = lz4", "version = V5", "version = V5, compression = lz4")) {
            try (Overdrive other = connect(directory, protocol)) {
                // small pages, of which many arrive in one buffer, and large ones that need several frames
                for (int pageRows : new int[] {3, 20_000}) {
                    try (Scan scan = other.scan(
                            from("framed").pageRows(pageRows).splitsInFlight(64).build())) {
                        assertThat(read(scan, 2)).as(protocol).isEqualTo(wanted);
                    }
                    try (Scan scan = other.scan(from("framed")
                                    .pageRows(pageRows * 50L)
                                    .pageBytes(8 << 20)
                                    .build());
                            RowCursor rows = scan.open(new Split(List.of(Split.WHOLE_RING), List.of(), 0))) {
                        int count = 0;
                        while (rows.next()) {
                            count++;
                        }
                        assertThat(count).isEqualTo(5_000);
                    }
                }
            }
        }
    }

    @Test
    void failsReadersWhenTheScanIsClosed() throws Exception {
        load("closing", 700);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        // reading all rows would take longer than the timeout of the test
        Scan scan = OVERDRIVE.scan(from("closing").pageRows(1).rowsPerSecond(2).build());
        Thread reader = new Thread(() -> {
            try {
                scan.forEach(2, row -> {});
            } catch (Throwable e) {
                failure.set(e);
            }
        });
        reader.start();
        while (scan.totals().rowsRead() < 5) {
            Thread.sleep(10);
        }
        scan.close();
        reader.join(60_000);
        assertThat(reader.isAlive()).isFalse();
        assertThat(failure.get())
                .isInstanceOfSatisfying(
                        OverdriveException.class, e -> assertThat(e.kind()).isEqualTo(Kind.INTERRUPTED))
                .hasMessage("[edges.closing] reading was closed");
    }

    @Test
    void readsRandomTablesAsTheDriverDoes() {
        int[] number = {0};
        Seeds.times(3, random -> {
            String table = "random_" + number[0]++;
            RandomTable made = new RandomTable(table, random);
            made.load(50 + random.nextInt(300));
            List<String> wanted = expected(table);
            for (int i = 0; i < 3; i++) {
                List<String> found = read(from(table)
                        .pageRows(1 + random.nextInt(random.nextBoolean() ? 3 : 1_000))
                        .pageBytes(1024 << random.nextInt(12))
                        .splitsInFlight(1 + random.nextInt(40)));
                assertThat(found).as(made.schema).isEqualTo(wanted);
            }
            assertThat(count(table)).isEqualTo(wanted.size());
            String before = digest(table);
            assertThat(digest(table)).isEqualTo(before);
            if (made.changeOneCell()) {
                assertThat(digest(table)).as(made.schema).isNotEqualTo(before);
            }
        });
    }

    /** A table of one to three key columns, up to two clustering columns, and others, some of them static. */
    private static final class RandomTable {
        private static final List<String> KEYS = List.of("int", "bigint", "text", "uuid", "blob", "double", "varint");
        private static final List<String> VALUES =
                List.of("int", "text", "blob", "list<int>", "map<text, int>", "frozen<set<int>>");

        final String schema;
        private final String table;
        private final Random random;
        private final List<String> columns = new ArrayList<>();
        private final List<String> types = new ArrayList<>();
        private final int keys;

        RandomTable(String table, Random random) {
            this.table = table;
            this.random = random;
            int partition = 1 + random.nextInt(3);
            int clustering = random.nextInt(3);
            keys = partition + clustering;
            List<String> definitions = new ArrayList<>();
            for (int i = 0; i < keys; i++) {
                add("k" + i, KEYS, "", definitions);
            }
            if (clustering > 0 && random.nextBoolean()) {
                add("s", VALUES, " static", definitions);
            }
            for (int i = random.nextInt(3); i > 0; i--) {
                add("v" + i, VALUES, "", definitions);
            }
            schema = "CREATE TABLE edges." + table + " (" + String.join(", ", definitions) + ", PRIMARY KEY (("
                    + String.join(", ", columns.subList(0, partition)) + ")"
                    + columns.subList(partition, keys).stream()
                            .map(c -> ", " + c)
                            .collect(Collectors.joining())
                    + "))"
                    + (clustering > 0 && random.nextBoolean()
                            ? " WITH CLUSTERING ORDER BY (" + columns.get(partition) + " DESC"
                                    + (clustering > 1 ? ", " + columns.get(partition + 1) + " ASC" : "") + ")"
                            : "");
            execute(schema);
        }

        private void add(String name, List<String> from, String suffix, List<String> definitions) {
            columns.add(name);
            types.add(from.get(random.nextInt(from.size())));
            definitions.add(name + " " + types.get(types.size() - 1) + suffix);
        }

        void load(int rows) {
            PreparedStatement insert = OVERDRIVE
                    .session()
                    .prepare("INSERT INTO edges." + table + " (" + String.join(", ", columns) + ") VALUES ("
                            + columns.stream().map(c -> "?").collect(Collectors.joining(", ")) + ")");
            List<CompletionStage<?>> writes = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                Object[] values = new Object[columns.size()];
                for (int c = 0; c < values.length; c++) {
                    values[c] = c >= keys && random.nextInt(4) == 0 ? null : value(types.get(c));
                }
                writes.add(OVERDRIVE.session().executeAsync(insert.bind(values)));
            }
            writes.forEach(write -> write.toCompletableFuture().join());
        }

        private Object value(String type) {
            int n = random.nextInt(random.nextBoolean() ? 10 : 1_000_000) - 5;
            byte[] bytes = new byte[1 + random.nextInt(40)];
            random.nextBytes(bytes);
            return switch (type) {
                case "int" -> n;
                case "bigint" -> (long) n * n;
                case "text" -> "tä" + n;
                case "uuid" -> new UUID(n, 5);
                case "blob" -> ByteBuffer.wrap(bytes);
                case "double" -> n / 8.0;
                case "varint" -> java.math.BigInteger.valueOf(n);
                case "list<int>" -> List.of(n, 1, n);
                case "map<text, int>" -> Map.of("a", n, "b" + n, 2);
                case "frozen<set<int>>" -> Set.of(n, n + 1);
                default -> throw new IllegalArgumentException(type);
            };
        }

        boolean changeOneCell() {
            int column = columns.size() - 1;
            if (column < keys || columns.get(column).equals("s")) {
                return false;
            }
            String key = String.join(", ", columns.subList(0, keys));
            // A partition that has static columns only has no such row.
            for (Row row : OVERDRIVE.session().execute("SELECT " + key + " FROM edges." + table)) {
                Object[] values = new Object[keys + 1];
                values[0] = Objects.equals(types.get(column), "text") ? "changed" : value(types.get(column));
                for (int i = 0; i < keys; i++) {
                    values[i + 1] = row.getObject(i);
                }
                List<String> before = expected(table);
                OVERDRIVE
                        .session()
                        .execute(SimpleStatement.newInstance(
                                "UPDATE edges." + table + " SET " + columns.get(column) + " = ? WHERE "
                                        + columns.subList(0, keys).stream()
                                                .map(c -> c + " = ?")
                                                .collect(Collectors.joining(" AND ")),
                                values));
                return !expected(table).equals(before);
            }
            return false;
        }
    }
}
