package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.spark.TestSpark;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A read with the option {@code nearest} has the rows of one search, and Spark does everything else with them. */
@DisabledIfSystemProperty(
        named = "overdrive.local.cassandra",
        matches = "4\\..*",
        disabledReason = "there are no vectors")
class NearestRowsIT {
    private static final String KEYSPACE = "spark_nearest";
    private static final int ROWS = 60;
    private static final String FIVE = "ORDER BY \"V\" ANN OF [30.2, 1] LIMIT 5";

    /** The similarity is that of distances, so the rows nearest to 30.2 are 30, 31, 29, 32 and 28. */
    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE
                + ".items (p int, c int, kind text, s text STATIC, \"V\" vector<float, 2>," + " PRIMARY KEY (p, c))");
        TestSpark.cql("CREATE INDEX ON " + KEYSPACE + ".items (\"V\") USING 'sai' WITH OPTIONS ="
                + " {'similarity_function': 'euclidean'}");
        TestSpark.cql("CREATE INDEX ON " + KEYSPACE + ".items (kind) USING 'sai'");
        for (int i = 0; i < ROWS; i++) {
            TestSpark.cql("INSERT INTO %s.items (p, c, kind, s, \"V\") VALUES (%d, %d, '%s', 's', [%d, 1])"
                    .formatted(KEYSPACE, i % 7, i, i % 2 == 0 ? "even" : "odd", i));
        }
    }

    private static Dataset<Row> nearest(String cql) {
        return TestSpark.read(KEYSPACE, "items", "nearest", cql);
    }

    private static List<Integer> found(Dataset<Row> rows) {
        return rows.select("c").collectAsList().stream()
                .map(row -> row.getInt(0))
                .toList();
    }

    @Test
    void readsTheRowsInTheOrderOfTheSearch() {
        assertThat(found(nearest(FIVE))).containsExactly(30, 31, 29, 32, 28);
        assertThat(nearest(FIVE).rdd().getNumPartitions()).isEqualTo(1);
        assertThat(found(nearest("where kind = 'odd' order by \"V\" ann of [30.2, 1] limit 3")))
                .containsExactly(31, 29, 33);
        assertThat(found(nearest("ORDER BY \"V\" ANN OF [0, 1] LIMIT 1000"))).hasSize(ROWS);
        assertThat(nearest(FIVE).select("V", "s").first().getList(0)).containsExactly(30f, 1f);
        assertThat(TestSpark.explain(nearest(FIVE))).contains("Nearest: " + FIVE);
    }

    /** Filters, limits and counts in Cassandra would be of other rows. */
    @Test
    void leavesEverythingElseToSpark() {
        assertThat(found(nearest(FIVE).filter("kind = 'odd'"))).containsExactly(31, 29);
        assertThat(found(nearest(FIVE).filter("p = 2 and c >= 30"))).containsExactly(30);
        assertThat(found(nearest(FIVE).orderBy("c").limit(2))).containsExactly(28, 29);
        assertThat(nearest(FIVE).count()).isEqualTo(5);
        assertThat(nearest(FIVE).selectExpr("min(c)", "count(*)").first().mkString(" "))
                .isEqualTo("28 5");
        assertThat(nearest(FIVE).select("s").collectAsList()).hasSize(5);
        assertThat(nearest(FIVE).selectExpr("c", "writetime(kind) > 0 as known").collectAsList())
                .hasSize(5);
        Dataset<Row> keys =
                TestSpark.spark().range(7).selectExpr("cast(id as int) p").filter("p < 3");
        assertThat(found(nearest(FIVE).join(keys, "p"))).containsExactlyInAnyOrder(30, 29, 28);
        Dataset<Row> bySql = TestSpark.spark()
                .sql("SELECT c FROM cass." + KEYSPACE + ".items WITH (nearest = '" + FIVE
                        + "', tokenBuckets = 3, directJoin = 'on') WHERE kind = 'even'");
        assertThat(found(bySql)).containsExactly(30, 32, 28);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "V ANN OF [1, 2] LIMIT 5",
                "ORDER BY c LIMIT 5",
                "ORDER BY \"V\" ANN OF [1, 2]",
                "ORDER BY \"V\" ANN OF [1, 2] LIMIT 5; DROP TABLE t",
                "WHEREVER ORDER BY \"V\" ANN OF [1, 2] LIMIT 5"
            })
    void refusesWhatIsNoSearch(String cql) {
        assertThatThrownBy(() -> nearest(cql).collectAsList())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"nearest\" is \"" + cql + "\", must be like \"ORDER BY embedding ANN OF");
    }

    @Test
    void refusesWhatTheServerRefuses() {
        for (String cql : List.of("ORDER BY none ANN OF [1, 2] LIMIT 5", "ORDER BY \"V\" ANN OF [1, 2, 3] LIMIT 5")) {
            assertThatThrownBy(() -> nearest(cql).collectAsList())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the server refuses the query");
        }
    }

    @Test
    void isRefusedForAllReadsOfASession() {
        TestSpark.spark().conf().set("spark.overdrive.nearest", FIVE);
        try {
            assertThatThrownBy(() -> TestSpark.read(KEYSPACE, "items").collectAsList())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("every read would have few rows: set it as option of a read");
            TestSpark.cql("CREATE TABLE " + KEYSPACE + ".updated (k int PRIMARY KEY, v int)");
            assertThatThrownBy(
                            () -> TestSpark.spark().sql("UPDATE cass." + KEYSPACE + ".updated SET v = 1 WHERE v = 2"))
                    .hasMessageContaining("UPDATE cannot change rows: option \"nearest\" leaves out most of them");
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.nearest");
        }
    }
}
