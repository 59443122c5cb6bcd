package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OneCaseIn;
import io.overdrive.spark.TestSpark;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The servers compute counts, extremes and totals if they order values as Spark does. */
class AggregateIT {
    private static final String KEYSPACE = "spark_aggregate";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".t (p int, c int, s int STATIC, v int, d double, name text, day date,"
                        + " at timestamp, id uuid, big varint, tags set<text>, \"Order\" int, b blob, tiny tinyint, f float, e double,"
                        + " PRIMARY KEY (p, c))");
        for (int p = 0; p < 40; p++) {
            for (int c = 0; c < 3; c++) {
                TestSpark.cql("INSERT INTO " + KEYSPACE
                        + ".t (p, c, v, d, name, day, at, id, big, tags, \"Order\", b, tiny, f, e) VALUES (" + p + ", "
                        + c + ", "
                        + (c == 0 ? "null" : p * c) + ", " + (p == 3 ? "NaN" : "0." + p) + ", 'n" + p + "', '2020-01-"
                        + (10 + c) + "', " + (p * 1000L + c) + ", uuid(), " + (p - 20) + ", {'a'}, " + p + ", 0x"
                        + (p % 2 == 0 ? "7f" : "80") + c + c + ", " + (p + 80) + ", "
                        + (p * 0.25) + ", " + (p * -0.5) + ")");
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
                "count(*), count(v), count(s), count(c), count(`Order`)",
                "min(v), max(v), min(d), max(d), min(name), max(name)",
                "min(day), max(day), min(at), max(at), min(big), max(big), min(`Order`), max(p)",
                "count(*) + 1, max(v) - min(v) AS spread",
                "min(b), max(b), sum(v), sum(tiny), sum(f), sum(e), sum(d), sum(s), sum(`Order`), min(at)",
                "avg(v), avg(e), count(*), avg(s)",
                "sum(p), sum(v) + count(v)"
            })
    @OneCaseIn(3)
    void pushesAggregatesToTheServers(String selection) {
        Dataset<Row> sums = sql("SELECT " + selection + " FROM aggregated");
        assertThat(TestSpark.explain(sums)).containsPattern("cassandra spark_aggregate.t \\[(count|min|max|sum)\\(");
        assertThat(sums.collectAsList())
                .isEqualTo(sql("SELECT " + selection + " FROM in_memory").collectAsList());
        assertThat(TestSpark.rowsRead(sums)).isLessThan(100); // one for each token range, not for each row
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "count(DISTINCT v)",
                "count(tags)",
                "min(id)",
                "sum(big)",
                "sum(DISTINCT v)",
                "sum(v + 1)",
                "avg(DISTINCT v)",
                "count(v + 1)",
                "count(*) FILTER (WHERE v > 1)"
            })
    @OneCaseIn(3)
    void leavesOtherAggregatesToSpark(String selection) {
        Dataset<Row> sums = sql("SELECT " + selection + " FROM aggregated");
        assertThat(TestSpark.explain(sums))
                .doesNotContainPattern("cassandra spark_aggregate.t \\[(count|min|max|sum)\\(");
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
    void countsTheRowsThatPassAFilter(String condition) {
        String query = "SELECT count(*), max(v), min(name) FROM %s WHERE " + condition;
        assertThat(sql(query.formatted("aggregated")).collectAsList())
                .isEqualTo(sql(query.formatted("in_memory")).collectAsList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"count(s)", "max(s), count(*)", "count(p)", "count(*)", "max(s), count(c)"})
    void aggregatesStaticColumnsOfTheRowsThatPassAFilter(String selection) {
        String query = "SELECT " + selection + " FROM %s WHERE c > 0";
        assertThat(TestSpark.explain(sql(query.formatted("aggregated")))).contains("PushedFilters: [c > 0]");
        assertThat(sql(query.formatted("aggregated")).collectAsList())
                .isEqualTo(sql(query.formatted("in_memory")).collectAsList());
    }

    @Test
    void aggregatesIfAllFiltersArePushed() {
        assertThat(TestSpark.explain(sql("SELECT count(*) FROM aggregated WHERE c = 1")))
                .contains("[count(*)], PushedFilters: [c = 1]");
        assertThat(TestSpark.explain(sql("SELECT count(*) FROM aggregated WHERE v = 1")))
                .doesNotContain("[count(*)]");
    }

    @Test
    void aggregatesASmallTableCompletely() {
        assertThat(TestSpark.explain(sql("SELECT count(*), sum(v) FROM aggregated")))
                .doesNotContain("Aggregate(")
                .doesNotContain("Exchange");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"count(*), count(v), count(s)", "sum(v), sum(d), sum(s), avg(e)", "min(b), max(name), min(big)"})
    void mergesTheAggregatesOfSeveralTasks(String selection) {
        Dataset<Row> sums = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "t")
                .option("splitCount", 4)
                .load()
                .selectExpr(selection.split(", ", -1));
        assertThat(TestSpark.explain(sums))
                .containsPattern("(Hash|Sort)Aggregate")
                .containsPattern("\\[(count|min|max|sum)\\(");
        assertThat(sums.collectAsList())
                .isEqualTo(sql("SELECT " + selection + " FROM in_memory").collectAsList());
    }

    @Test
    void aggregatesAnEmptyTable() {
        assertThat(sql("SELECT count(*), count(v), min(v), max(v), sum(v), avg(v) FROM nothing")
                        .collectAsList())
                .isEqualTo(List.of(org.apache.spark.sql.RowFactory.create(0L, 0L, null, null, null, null)));
        assertThat(TestSpark.read(KEYSPACE, "empty").count()).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "count(*), count(v), min(v), max(v), sum(v)",
                "min(v)",
                "count(v)",
                "sum(v)",
                "sum(d), min(d), count(d)",
                "count(id), count(big), min(big), max(big)",
                "count(flag), min(flag), max(flag)",
                "count(name), min(name), count(c), min(c)"
            })
    @OneCaseIn(3)
    void aggregatesEmptyValuesAsNulls(String selection) {
        TestSpark.cql(
                "CREATE TABLE IF NOT EXISTS " + KEYSPACE + ".bare (p int, c int, v int, d double, id uuid, big varint,"
                        + " flag boolean, name text, PRIMARY KEY (p, c))");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".bare (p, c, v, d, id, big, flag, name) VALUES (1, 1, blobAsInt(0x),"
                + " blobAsDouble(0x), blobAsUuid(0x), blobAsVarint(0x), blobAsBoolean(0x), '')");
        TestSpark.cql(
                "INSERT INTO " + KEYSPACE + ".bare (p, c, v, d, big, flag, name) VALUES (1, 2, 7, 0.5, 3, true, 'n')");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".bare (p, c, v) VALUES (2, 1, 5)");
        List<Row> sums = TestSpark.read(KEYSPACE, "bare")
                .selectExpr(selection.split(", "))
                .collectAsList();
        assertThat(sums)
                .isEqualTo(TestSpark.read(KEYSPACE, "bare", "pushdown", "false")
                        .selectExpr(selection.split(", "))
                        .collectAsList());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "i < 5",
                "i <= 2147483647",
                "i > -5",
                "b < 5",
                "d < 0.5",
                "v BETWEEN 0 AND 5",
                "f < true",
                "at < timestamp'2020-01-01'"
            })
    @OneCaseIn(3)
    void aRangeWithoutALowerBoundExcludesEmptyValues(String condition) {
        String column = condition.split(" ")[0];
        String type = java.util.Map.of("i", "int", "b", "bigint", "d", "double", "v", "varint", "f", "boolean")
                .getOrDefault(column, "timestamp");
        String table = KEYSPACE + ".range_" + column;
        TestSpark.cql("CREATE TABLE IF NOT EXISTS " + table + " (p int, " + column + " " + type + ", PRIMARY KEY (p, "
                + column + "))");
        String one = type.equals("boolean") ? "false" : "1";
        for (String value : List.of("blobAs" + type + "(0x)", one)) {
            TestSpark.cql("INSERT INTO " + table + " (p, " + column + ") VALUES (1, " + value + ")");
        }
        List<Row> rows = TestSpark.read(KEYSPACE, "range_" + column)
                .filter("p = 1 AND " + condition)
                .collectAsList();
        assertThat(rows).hasSize(condition.equals("d < 0.5") ? 0 : 1);
        assertThatThrownBy(() -> TestSpark.read(KEYSPACE, "range_" + column).collectAsList())
                .hasStackTraceContaining("column \"" + column
                        + "\" has an empty value, which would be null, and Spark does not allow nulls"
                        + " in a key: exclude the row by a range of this column, or delete it");
    }
}
