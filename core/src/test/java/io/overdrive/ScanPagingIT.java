package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every kind of read, of every shape of primary key, in pages so small that each split has several, over versions 4 and 5 of the
 * protocol.
 */
@Tag("server")
@Timeout(300)
class ScanPagingIT {
    private static final int PARTITIONS = 120;
    private static final List<Integer> PAGE_ROWS = List.of(1, 7, 100);

    /** Table to partition key and the columns that follow in its primary key. */
    private static final Map<String, String[]> TABLES = Map.of(
            "one", new String[] {"a", ""},
            "composite", new String[] {"a, b", ""},
            "wide", new String[] {"a", ", c"},
            "wide_composite", new String[] {"a, b", ", c"},
            "statics", new String[] {"a", ", c"},
            "only_statics", new String[] {"a", ", c"});

    private static final Map<String, Overdrive> BY_PROTOCOL = new ConcurrentHashMap<>();

    @BeforeAll
    static void load(@TempDir Path directory) throws Exception {
        TestCluster.keyspace("paging");
        for (var table : TABLES.entrySet()) {
            String name = table.getKey();
            String key = table.getValue()[0];
            String clustering = table.getValue()[1];
            TestCluster.execute("CREATE TABLE paging." + name + " (a int, b text, c int, v int"
                    + (clustering.isEmpty() ? "" : ", s text static") + ", PRIMARY KEY ((" + key + ")" + clustering
                    + "))");
            for (int a = 0; a < PARTITIONS; a++) {
                boolean composite = key.contains("b");
                String columns = composite ? "a, b" : "a";
                String values = composite ? a + ", 'b" + a % 5 + "'" : a + "";
                if (name.contains("statics")) {
                    TestCluster.execute(
                            "INSERT INTO paging." + name + " (" + columns + ", s) VALUES (" + values + ", 's')");
                }
                int rows = clustering.isEmpty()
                        ? 1
                        : name.equals("only_statics") ? 0 : name.equals("statics") ? a % 4 : 1 + a % 9;
                for (int c = 0; c < rows; c++) {
                    TestCluster.execute("INSERT INTO paging." + name + " (" + columns
                            + (clustering.isEmpty() ? "" : ", c") + ", v) VALUES (" + values
                            + (clustering.isEmpty() ? "" : ", " + c) + ", " + a * c + ")");
                }
            }
        }
        for (String version : List.of("V4", "V5")) {
            Path file = Files.writeString(
                    directory.resolve(version + ".conf"),
                    "datastax-java-driver { advanced.protocol { version = " + version + " } }");
            BY_PROTOCOL.put(
                    version,
                    Overdrive.connect(ConnectOptions.builder()
                            .contactPoint(TestCluster.address())
                            .datacenter("dc1")
                            .driverConfig(file)
                            .build()));
        }
    }

    @AfterAll
    static void close() {
        BY_PROTOCOL.values().forEach(Overdrive::close);
    }

    private static ScanTotals readAll(Overdrive overdrive) {
        try (Scan scan = overdrive.scan(ScanOptions.from("paging", "wide").build())) {
            scan.forEach(1, row -> {});
            return scan.totals();
        }
    }

    /** No node has estimates of a table that was just written, so the first scan cannot know that it is small. */
    @Test
    void aLaterScanOfASmallTableOverTheSameSessionTakesFewRequests() {
        ConnectOptions options = ConnectOptions.builder()
                .contactPoint(TestCluster.address())
                .datacenter("dc1")
                .build();
        try (Overdrive overdrive = Overdrive.connect(options);
                Overdrive later = overdrive.share(options)) {
            ScanTotals first = readAll(overdrive);
            ScanTotals second = readAll(later);
            assertThat(second.rowsRead()).isEqualTo(first.rowsRead());
            assertThat(second.splits()).isLessThanOrEqualTo(first.splits());
            assertThat(first.pages()).isGreaterThan(first.splits());
            assertThat(second.pages()).isEqualTo(second.splits());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"V5", "V4"})
    @OneCaseIn(2)
    void readsEveryQueryInPages(String protocol) {
        Overdrive overdrive = Objects.requireNonNull(BY_PROTOCOL.get(protocol));
        for (var table : TABLES.entrySet()) {
            String name = "paging." + table.getKey();
            String key = table.getValue()[0];
            List<String> queries = new ArrayList<>(List.of(
                    "SELECT * FROM " + name,
                    "SELECT " + key + ", v FROM " + name + " WHERE v >= 0 ALLOW FILTERING",
                    "SELECT DISTINCT " + key + " FROM " + name,
                    "SELECT " + key + ", count(*) FROM " + name + " GROUP BY " + key,
                    "SELECT " + key + ", max(v) FROM " + name + " WHERE v > 3 GROUP BY " + key + " ALLOW FILTERING",
                    "SELECT " + key + ", sum(v) FROM " + name + " GROUP BY " + key + " PER PARTITION LIMIT 1",
                    "SELECT * FROM " + name + " PER PARTITION LIMIT 2",
                    "SELECT " + key + ", count(*) FROM " + name + " GROUP BY " + key + " LIMIT 1000",
                    "SELECT " + key + ", v FROM " + name + " LIMIT 1000"));
            if (!table.getValue()[1].isEmpty()) {
                queries.add("SELECT " + key + ", c, count(v) FROM " + name + " GROUP BY " + key + ", c");
            }
            for (String query : queries) {
                List<String> wanted = expected(query);
                for (int pageRows : PAGE_ROWS) {
                    ScanOptions options =
                            ScanOptions.query(query).pageRows(pageRows).build();
                    try (Scan scan = overdrive.scan(options)) {
                        assertThat(read(scan))
                                .as(query + ", " + pageRows + " rows a page")
                                .isEqualTo(wanted);
                        assertThat(scan.totals().retries()).as(query).isZero();
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"V5", "V4"})
    @OneCaseIn(2)
    void countsInPages(String protocol) {
        Overdrive overdrive = Objects.requireNonNull(BY_PROTOCOL.get(protocol));
        TABLES.forEach((name, key) -> {
            List<String> partitions =
                    expected("SELECT " + key[0] + ", count(*) FROM paging." + name + " GROUP BY " + key[0]);
            long rows = TestCluster.count("paging." + name);
            for (int pageRows : PAGE_ROWS) {
                ScanOptions options =
                        ScanOptions.from("paging", name).pageRows(pageRows).build();
                try (Scan scan = overdrive.countPartitions(options)) {
                    assertThat(read(scan))
                            .as(name + ", " + pageRows + " rows a page")
                            .isEqualTo(partitions);
                    assertThat(scan.totals().retries()).as(name).isZero();
                }
                try (Scan scan = overdrive.count(options)) {
                    LongAdder sum = new LongAdder();
                    scan.forEach(2, row -> sum.add(row.getLong(0)));
                    assertThat(sum.sum()).as(name).isEqualTo(rows);
                }
                try (Scan scan = overdrive.scan(options)) {
                    assertThat(read(scan)).as(name).hasSize(Math.toIntExact(rows));
                }
            }
        });
    }

    /** All rows as the driver returns them in a single page. */
    private static List<String> expected(String query) {
        List<String> rows = new ArrayList<>();
        for (Row row : TestCluster.overdrive()
                .session()
                .execute(SimpleStatement.newInstance(query).setPageSize(100_000))) {
            rows.add(IntStream.range(0, row.getColumnDefinitions().size())
                    .mapToObj(row::getObject)
                    .toList()
                    .toString());
        }
        Collections.sort(rows);
        return rows;
    }

    private static List<String> read(Scan scan) {
        List<String> rows = Collections.synchronizedList(new ArrayList<>());
        scan.forEach(
                2,
                row -> rows.add(IntStream.range(0, row.columns())
                        .mapToObj(row::get)
                        .toList()
                        .toString()));
        Collections.sort(rows);
        return rows;
    }
}
