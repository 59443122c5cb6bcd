package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.OneCaseIn;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import io.overdrive.spark.TestSpark;
import java.util.List;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spark groups and joins by partition key without a shuffle, with the same result as with one. */
@Tag("server")
class TokenBucketsIT {
    private static final String KEYSPACE = "spark_buckets";
    private static final int PARTITIONS = 1000;
    private static final List<String> OWN_SETTINGS = List.of(
            "spark.sql.sources.v2.bucketing.enabled",
            "spark.sql.autoBroadcastJoinThreshold",
            "spark.cassandra.directJoinSetting");

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        String create = "CREATE TABLE " + KEYSPACE + ".";
        TestSpark.cql(create + "orders (p int, c int, v int, PRIMARY KEY (p, c))");
        TestSpark.cql(create + "customers (id int PRIMARY KEY, name text)");
        TestSpark.cql(create + "two (a text, b int, c int, v int, PRIMARY KEY ((a, b), c))");
        TestSpark.cql(create + "other (b int, a text, w int, PRIMARY KEY ((a, b)))");
        TestSpark.cql(create + "ids (id uuid PRIMARY KEY, v int)");
        TestSpark.cql(create + "names (name text PRIMARY KEY, v int)");
        for (String table : List.of("orders", "customers", "two", "other", "ids", "names")) {
            fill(table);
        }
        TestSpark.spark().conf().set(OWN_SETTINGS.get(0), "true");
        TestSpark.spark().conf().set(OWN_SETTINGS.get(1), "-1");
        TestSpark.spark().conf().set(OWN_SETTINGS.get(2), "off");
    }

    private static void fill(String table) {
        try (RowWriter writer =
                TestSpark.overdrive().writer(WriteOptions.into(KEYSPACE, table).build())) {
            for (int i = 0; i < PARTITIONS; i++) {
                UUID id = new UUID(0x4000L + i, Long.MIN_VALUE + i);
                switch (table) {
                    case "orders" -> {
                        for (int c = 0; c < 3; c++) {
                            writer.row().setInt(0, i).setInt(1, c).setInt(2, i * c);
                            writer.send();
                        }
                    }
                    case "customers" -> writer.row().setInt(0, 2 * i).setText(1, "n" + i % 7);
                    case "two" ->
                        writer.row()
                                .setText(0, "a" + i % 5)
                                .setInt(1, i)
                                .setInt(2, 1)
                                .setInt(3, i);
                    case "other" ->
                        writer.row().setText(0, "a" + i % 3).setInt(1, i).setInt(2, i);
                    case "ids" -> writer.row().setUuid(0, id).setInt(1, i);
                    default -> writer.row().setText(0, id.toString()).setInt(1, i);
                }
                if (!table.equals("orders")) {
                    writer.send();
                }
            }
        }
    }

    @AfterAll
    static void restore() {
        OWN_SETTINGS.forEach(name -> TestSpark.spark().conf().unset(name));
    }

    private static Dataset<Row> query(String sql, int buckets) {
        String with = buckets == 0 ? "" : " WITH (tokenBuckets = " + buckets + ")";
        return TestSpark.spark().sql(sql.replaceAll("@(\\w+)", "cass." + KEYSPACE + ".$1" + with));
    }

    private static List<String> rows(Dataset<Row> query) {
        return query.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT p, count(*), sum(v) FROM @orders GROUP BY p",
                "SELECT p, c, v, rank() OVER (PARTITION BY p ORDER BY v DESC) FROM @orders",
                "SELECT DISTINCT p FROM @orders WHERE v > 10",
                "SELECT a, b, max(v) FROM @two GROUP BY b, a",
                "SELECT o.p, o.v, u.name FROM @orders o JOIN @customers u ON o.p = u.id",
                "SELECT o.p, u.name FROM @orders o FULL JOIN @customers u ON o.p = u.id WHERE o.c = 1 OR o.c IS NULL",
                "SELECT u.name, t.n FROM @customers u JOIN (SELECT p, count(*) n FROM @orders GROUP BY p) t ON u.id = t.p",
                "SELECT t.a, t.b, v, w FROM @two t JOIN @other o ON t.b = o.b AND t.a = o.a"
            })
    @OneCaseIn(4)
    void needsNoShuffle(String sql) {
        for (int buckets : new int[] {1, 2, 7, 64}) {
            Dataset<Row> query = query(sql, buckets);
            assertThat(TestSpark.explain(query)).doesNotContain("Exchange").contains("TokenBuckets: " + buckets);
            Dataset<Row> shuffled = query(sql, 0);
            assertThat(TestSpark.explain(shuffled)).contains("Exchange");
            assertThat(rows(query)).isEqualTo(rows(shuffled)).hasSizeGreaterThan(200);
        }
    }

    /** Part of a key, and keys that are equal in Spark but have other bytes in Cassandra. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT a, count(*), max(v) FROM @two GROUP BY a",
                "SELECT c, count(*) FROM @orders GROUP BY c",
                "SELECT i.v, n.v FROM @ids i JOIN @names n ON i.id = n.name",
                "SELECT t.v, o.w FROM @two t JOIN @other o ON t.b = o.b"
            })
    void shufflesWhereTokensSayNothing(String sql) {
        Dataset<Row> query = query(sql, 7);
        assertThat(TestSpark.explain(query)).contains("Exchange");
        assertThat(rows(query)).isEqualTo(rows(query(sql, 0))).isNotEmpty();
    }

    @Test
    void shufflesATableWithAnotherNumberOfBuckets() {
        String join = "SELECT o.p, u.name FROM cass." + KEYSPACE + ".orders WITH (tokenBuckets = 6) o JOIN cass."
                + KEYSPACE + ".customers WITH (tokenBuckets = 3) u ON o.p = u.id";
        Dataset<Row> query = TestSpark.spark().sql(join);
        assertThat(TestSpark.explain(query)).contains("Exchange");
        assertThat(query.count()).isEqualTo(1500);
    }

    /** Keys that a join finds at run time are looked up bucket by bucket. */
    @Test
    void looksUpTheKeysOfAJoin() {
        Dataset<Row> keys = TestSpark.spark()
                .range(100)
                .selectExpr("cast(id * 100 as int) as p", "id % 2 as kind")
                .filter("kind = 0");
        TestSpark.spark().conf().set(OWN_SETTINGS.get(1), "10000000");
        try {
            Dataset<Row> joined = query("SELECT p, v FROM @orders", 7)
                    .join(keys, "p")
                    .groupBy("p")
                    .count();
            assertThat(TestSpark.explain(joined))
                    .contains("RuntimeFilters: [dynamicpruning")
                    .doesNotContain("Exchange hashpartitioning");
            assertThat(rows(joined)).containsExactly("[0,3]", "[200,3]", "[400,3]", "[600,3]", "[800,3]");
            assertThat(TestSpark.rowsRead(joined)).isEqualTo(15);
        } finally {
            TestSpark.spark().conf().set(OWN_SETTINGS.get(1), "-1");
        }
    }

    @Test
    void isNotUsedForFewRows() {
        assertThat(TestSpark.explain(query("SELECT * FROM @orders LIMIT 5", 7))).doesNotContain("TokenBuckets");
        assertThat(query("SELECT count(*) FROM @orders", 7).first().getLong(0)).isEqualTo(3 * PARTITIONS);
        assertThat(query("SELECT * FROM @orders WHERE p IN (1, 2)", 7).collectAsList())
                .hasSize(6);
    }
}
