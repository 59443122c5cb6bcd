package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.DefaultBatchType;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.uuid.Uuids;
import io.overdrive.spark.TestSpark;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.IntFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several tasks read a large partition: each row once, and in the order of the partition. */
class WidePartitionsIT {
    private static final String KEYSPACE = "spark_wide";
    private static final int ROWS = 4000;
    private static final String KILOBYTE = "x".repeat(1000);

    private static final Map<String, IntFunction<Object>> TYPES = new LinkedHashMap<>();

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        Random random = new Random(1);
        TYPES.put("int", i -> random.nextInt());
        TYPES.put("bigint", i -> i % 5 == 0 ? random.nextLong() : i);
        TYPES.put("varint", i -> new BigInteger(90, random));
        TYPES.put("timestamp", i -> Instant.ofEpochMilli(random.nextLong(1_000_000_000_000L)));
        TYPES.put("date", i -> LocalDate.ofEpochDay(random.nextInt(40_000) - 20_000));
        TYPES.put("text", i -> (i % 3 == 0 ? "\u00e4" : "user:") + Long.toString(random.nextLong(), 36));
        TYPES.put("uuid", i -> new UUID(random.nextLong() & ~0xF000L | 0x4000L, random.nextLong()));
        TYPES.put(
                "timeuuid",
                i -> new UUID(
                        Uuids.startOf(random.nextLong(1_000_000_000_000L)).getMostSignificantBits(),
                        random.nextLong()));
        TYPES.put("double", i -> random.nextDouble());
        create("bigint", "ASC");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".nested (p text, q int, c1 int, c2 bigint, s text STATIC, v text,"
                + " PRIMARY KEY ((p, q), c1, c2)) WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC)");
        insert(KEYSPACE + ".nested", "p, q, c1, c2, v", i -> new Object[] {"it's", 1, 7, (long) i * i, KILOBYTE});
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".nested (p, q, c1, c2, v) VALUES ('it''s', 1, 6, 0, 'small')");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".nested (p, q, c1, c2, v) VALUES ('it''s', 1, 8, 0, 'small')");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".nested (p, q, c1, c2, v) VALUES ('small', 1, 7, 0, 'small')");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".nested (p, q, s) VALUES ('static', 1, 's')");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".nested (p, q, s) VALUES ('it''s', 1, 's')");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".empty (p int, c int, n int, s text STATIC, v text,"
                + " PRIMARY KEY (p, c, n))");
        insert(KEYSPACE + ".empty", "p, c, n, v", i -> new Object[] {1, i, 0, KILOBYTE});
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".empty (p, c, n, v) VALUES (1, blobAsInt(0x), 0, 'empty')");
        TestSpark.refreshEstimates(KEYSPACE);
    }

    /** Returns the name of a table with a wide partition in this order of values of the type. */
    private static String create(String type, String order) {
        String table = type + "_" + order.toLowerCase(Locale.ROOT);
        IntFunction<Object> value = Objects.requireNonNull(TYPES.get(type));
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + "." + table + " (p int, c " + type + ", n int, s text STATIC, v text,"
                        + " PRIMARY KEY (p, c, n)) WITH CLUSTERING ORDER BY (c " + order + ", n ASC)");
        insert(KEYSPACE + "." + table, "p, c, n, v", i -> new Object[] {1, value.apply(i), i, KILOBYTE});
        return table;
    }

    private static void insert(String table, String columns, IntFunction<Object[]> row) {
        CqlSession session = TestSpark.overdrive().session();
        PreparedStatement insert = session.prepare(
                "INSERT INTO " + table + " (" + columns + ") VALUES (" + columns.replaceAll("\\w+", "?") + ")");
        for (int i = 0; i < ROWS; i += 20) {
            BatchStatement batch = BatchStatement.newInstance(DefaultBatchType.UNLOGGED);
            for (int j = i; j < i + 20; j++) {
                batch = batch.add(insert.bind(row.apply(j)));
            }
            session.execute(batch);
        }
    }

    private static Dataset<Row> read(String table) {
        return TestSpark.read(KEYSPACE, table, "splitMB", "1");
    }

    private static Dataset<Row> readByOne(String table) {
        return TestSpark.read(KEYSPACE, table, "splitPartitions", "false");
    }

    private static int tasks(Dataset<Row> rows) {
        return rows.rdd().getNumPartitions();
    }

    @ParameterizedTest
    @CsvSource({"text, ASC", "timestamp, DESC", "double, ASC"})
    void readsAPartitionInItsOrder(String type, String order) {
        String table = create(type, order);
        TestSpark.refreshEstimates(KEYSPACE);
        assertInOrder(type, table);
    }

    @Test
    @Tag("nightly")
    void readsAPartitionInItsOrderWhateverTheTypeOfTheColumn() {
        Map<String, String> types = new LinkedHashMap<>(Map.of("bigint_asc", "bigint"));
        for (String type : TYPES.keySet()) {
            for (String order : List.of("ASC", "DESC")) {
                if (!(type + " " + order).matches("bigint ASC|text ASC|timestamp DESC|double ASC")) {
                    types.put(create(type, order), type);
                }
            }
        }
        TestSpark.refreshEstimates(KEYSPACE);
        types.forEach((table, type) -> assertInOrder(type, table));
    }

    private static void assertInOrder(String type, String table) {
        Dataset<Row> wide = read(table).filter("p = 1");
        if (type.equals("double")) {
            assertThat(tasks(wide)).as(table).isEqualTo(1);
        } else {
            assertThat(tasks(wide)).as(table).isBetween(2, 6);
        }
        assertThat(wide.collectAsList())
                .as(table)
                .hasSizeGreaterThan(ROWS - 10)
                .isEqualTo(readByOne(table).filter("p = 1").collectAsList());
    }

    @Test
    @Tag("nightly")
    void dividesOnlyWhatTheConditionsLeave() {
        String key = "p = \"it's\" and q = 1";
        for (String condition : List.of(
                key,
                key + " and c1 = 7",
                key + " and c1 = 7 and c2 > 1000000 and c2 <= 15000000",
                key + " and c1 = 7 and c2 >= 1000001",
                key + " and c1 = 7 and c2 < 15000000",
                key + " and c1 >= 7",
                key + " and c1 in (6, 7)",
                key + " and c1 = 6",
                key + " and c1 = 7 and c2 = 4",
                "p in (\"it's\", 'small', 'static', 'none') and q in (1, 2)",
                "p = 'small' and q = 1",
                "p = 'static' and q = 1",
                "p = 'none' and q = 1")) {
            assertThat(read("nested").filter(condition).collectAsList())
                    .as(condition)
                    .hasSameElementsAs(readByOne("nested").filter(condition).collectAsList())
                    .hasSameSizeAs(readByOne("nested").filter(condition).collectAsList());
        }
        assertThat(tasks(read("nested").filter(key + " and c1 = 7"))).isBetween(3, 6);
        assertThat(tasks(read("nested").filter(key + " and c1 = 7 and c2 > 4000000 and c2 < 9000000")))
                .isEqualTo(1);
        assertThat(tasks(read("nested").filter(key + " and c1 = 7 and c2 > 1000000")))
                .isBetween(2, 4);
        assertThat(tasks(read("nested").filter("p = 'small' and q = 1"))).isEqualTo(1);
        assertThat(tasks(read("nested").filter("p = 'static' and q = 1"))).isEqualTo(1);
        assertThat(read("nested").filter("p = 'static' and q = 1").count()).isEqualTo(1);
    }

    @Test
    void readsOtherColumnsOrNone() {
        Dataset<Row> wide = read("nested").filter("p = \"it's\" and q = 1 and c1 = 7");
        assertThat(wide.count()).isEqualTo(ROWS);
        assertThat(wide.filter("s = 's'").count()).isEqualTo(ROWS);
        assertThat(wide.select("s").collectAsList()).hasSize(ROWS);
        assertThat(tasks(wide.select("s"))).isGreaterThan(1);
        assertThat(wide.selectExpr("sum(c2)").first().getLong(0))
                .isEqualTo(java.util.stream.LongStream.range(0, ROWS)
                        .map(i -> i * i)
                        .sum());
    }

    @Test
    void readsAnEmptyValueOnce() {
        assertThat(tasks(read("empty").filter("p = 1"))).isGreaterThan(1);
        assertThat(read("empty").filter("p = 1").collectAsList())
                .hasSize(ROWS + 1)
                .isEqualTo(readByOne("empty").filter("p = 1").collectAsList());
    }

    @Test
    void dividesThePartitionsOfATableWithFew() {
        Dataset<Row> all = read("nested");
        // the range of one large partition each, one task for each of the two others, and two for all other tokens
        assertThat(tasks(all)).isBetween(6, 10);
        List<String> found = sorted(all);
        assertThat(found).hasSize(ROWS + 4).isEqualTo(sorted(readByOne("nested")));
        assertThat(sorted(all.filter("c1 = 7")))
                .isEqualTo(sorted(readByOne("nested").filter("c1 = 7")));
        assertThat(all.groupBy("p").count().collectAsList())
                .hasSameElementsAs(readByOne("nested").groupBy("p").count().collectAsList());
    }

    @Test
    void findsThePartitionsThatWereCreatedSinceADataFrameWasMade() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".kept (p int, c int, n int, v text, PRIMARY KEY (p, c))");
        insert(KEYSPACE + ".kept", "p, c, n, v", i -> new Object[] {1, i, 1, KILOBYTE});
        TestSpark.refreshEstimates(KEYSPACE);
        Dataset<Row> kept = read("kept").select("p", "n");
        assertThat(tasks(kept)).isGreaterThan(2);
        assertThat(kept.collectAsList()).hasSize(ROWS);
        for (int p = 2; p <= 20; p++) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + ".kept (p, c, n) VALUES (" + p + ", 1, 1)");
        }
        assertThat(kept.collectAsList()).hasSize(ROWS + 19);
    }

    private static List<String> sorted(Dataset<Row> rows) {
        List<String> texts = new ArrayList<>();
        rows.collectAsList().forEach(row -> texts.add(row.toString()));
        texts.sort(null);
        return texts;
    }

    @Test
    void readsAPartitionByOneTaskIfItIsNotLargeOrNotAllIsWanted() {
        Dataset<Row> wide = read("bigint_asc").filter("p = 1");
        assertThat(tasks(wide)).isGreaterThan(1);
        assertThat(tasks(readByOne("bigint_asc").filter("p = 1"))).isEqualTo(1);
        assertThat(tasks(TestSpark.read(KEYSPACE, "bigint_asc", "splitMB", "3").filter("p = 1")))
                .isEqualTo(1);
        Dataset<Row> withRateLimit = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "bigint_asc")
                .option("splitMB", "1")
                .option("readMBPerSecond", "100")
                .load()
                .filter("p = 1");
        assertThat(tasks(withRateLimit)).isEqualTo(1);
        assertThat(wide.limit(3).collectAsList()).hasSize(3);
        assertThat(tasks(wide.limit(3))).isEqualTo(1);
        assertThat(wide.orderBy("c").limit(3).collectAsList())
                .isEqualTo(readByOne("bigint_asc").filter("p = 1").limit(3).collectAsList());
    }
}
