package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Counts and extremes are made by the servers where these order values as Spark does. */
class AggregateIT {
    private static final String KEYSPACE = "spark_aggregate";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".t (p int, c int, s int STATIC, v int, d double, name text, day date,"
                        + " at timestamp, id uuid, big varint, tags set<text>, \"Order\" int, PRIMARY KEY (p, c))");
        for (int p = 0; p < 40; p++) {
            for (int c = 0; c < 3; c++) {
                TestSpark.cql("INSERT INTO " + KEYSPACE
                        + ".t (p, c, v, d, name, day, at, id, big, tags, \"Order\") VALUES (" + p + ", " + c + ", "
                        + (c == 0 ? "null" : p * c) + ", " + (p == 3 ? "NaN" : "0." + p) + ", 'n" + p + "', '2020-01-"
                        + (10 + c) + "', " + (p * 1000L + c) + ", uuid(), " + (p - 20) + ", {'a'}, " + p + ")");
            }
        }
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".t (p, s) VALUES (99, 5)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".empty (p int PRIMARY KEY, v int)");
        TestSpark.read(KEYSPACE, "t").createOrReplaceTempView("aggregated");
        TestSpark.inMemory(TestSpark.read(KEYSPACE, "t")).createOrReplaceTempView("in_memory");
        TestSpark.read(KEYSPACE, "empty").createOrReplaceTempView("nothing");
    }

    private static Dataset<Row> sql(String query) {
        return TestSpark.spark().sql(query);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "count(*)",
                "count(*), count(v), count(s), count(c), count(tags), count(`Order`)",
                "min(v), max(v), min(d), max(d), min(name), max(name)",
                "min(day), max(day), min(at), max(at), min(big), max(big), min(`Order`), max(p)",
                "count(*) + 1, max(v) - min(v) AS spread"
            })
    void asksTheServersForSums(String selection) {
        Dataset<Row> sums = sql("SELECT " + selection + " FROM aggregated");
        assertThat(TestSpark.explain(sums)).containsPattern("cassandra spark_aggregate.t \\[(count|min|max)\\(");
        assertThat(sums.collectAsList())
                .isEqualTo(sql("SELECT " + selection + " FROM in_memory").collectAsList());
        assertThat(TestSpark.rowsRead(sums)).isLessThan(100); // one for each token range, not for each row
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "count(DISTINCT v)",
                "min(id)",
                "sum(v)",
                "count(*), avg(v)",
                "count(v + 1)",
                "count(*) FILTER (WHERE v > 1)"
            })
    void leavesOtherSumsToSpark(String selection) {
        Dataset<Row> sums = sql("SELECT " + selection + " FROM aggregated");
        assertThat(TestSpark.explain(sums)).doesNotContainPattern("cassandra spark_aggregate.t \\[(count|min|max)\\(");
        assertThat(sums.collectAsList())
                .isEqualTo(sql("SELECT " + selection + " FROM in_memory").collectAsList());
    }

    @Test
    void leavesGroupsToSpark() {
        String groups = "SELECT c, count(*), max(v) FROM %s GROUP BY c ORDER BY c";
        assertThat(sql(groups.formatted("aggregated")).collectAsList())
                .isEqualTo(sql(groups.formatted("in_memory")).collectAsList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"c = 1", "c > 0", "v = 7", "p = 5", "p in (1, 2, 3) and c < 2"})
    void countsWhatTheFilterLeaves(String condition) {
        String query = "SELECT count(*), max(v), min(name) FROM %s WHERE " + condition;
        assertThat(sql(query.formatted("aggregated")).collectAsList())
                .isEqualTo(sql(query.formatted("in_memory")).collectAsList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"count(s)", "max(s), count(*)", "count(p)", "count(*)", "max(s), count(c)"})
    void sumsUpStaticColumnsOfTheRowsThatAFilterLeaves(String selection) {
        String query = "SELECT " + selection + " FROM %s WHERE c > 0";
        assertThat(TestSpark.explain(sql(query.formatted("aggregated")))).contains("PushedFilters: [c > 0]");
        assertThat(sql(query.formatted("aggregated")).collectAsList())
                .isEqualTo(sql(query.formatted("in_memory")).collectAsList());
    }

    @Test
    void sumsUpWhereAllFiltersArePushed() {
        assertThat(TestSpark.explain(sql("SELECT count(*) FROM aggregated WHERE c = 1")))
                .contains("[count(*)], PushedFilters: [c = 1]");
        assertThat(TestSpark.explain(sql("SELECT count(*) FROM aggregated WHERE v = 1")))
                .doesNotContain("[count(*)]");
    }

    @Test
    void sumsUpNothing() {
        assertThat(sql("SELECT count(*), count(v), min(v), max(v) FROM nothing").collectAsList())
                .isEqualTo(List.of(org.apache.spark.sql.RowFactory.create(0L, 0L, null, null)));
        assertThat(TestSpark.read(KEYSPACE, "empty").count()).isZero();
    }
}
