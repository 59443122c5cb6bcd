package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.execution.ExplainMode;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Joins by key: planned as such where they can be, with the rows of the same join that reads the whole table. */
class DirectJoinIT {
    private static final String KEYSPACE = "spark_join";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".t (p int, q text, c int, d int, v text, PRIMARY KEY ((p, q), c, d))");
        for (int p = 0; p < 30; p++) {
            for (int c = 0; c < 6; c++) {
                TestSpark.cql("INSERT INTO %s.t (p, q, c, d, v) VALUES (%d, 'q%d', %d, %d, %s)"
                        .formatted(KEYSPACE, p, p % 7, c / 2, c % 2, c == 3 ? "null" : "'v" + c + "'"));
            }
        }
    }

    /** Keys of which some are twice, some null, and some in no table. */
    private static Dataset<Row> keys() {
        Random random = new Random(5);
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            int p = random.nextInt(40);
            rows.add(RowFactory.create(random.nextInt(20) == 0 ? null : p, "q" + p % 7, random.nextInt(4), "k" + i));
        }
        return TestSpark.spark()
                .createDataFrame(
                        rows,
                        new StructType()
                                .add("kp", DataTypes.IntegerType)
                                .add("kq", DataTypes.StringType)
                                .add("kc", DataTypes.IntegerType)
                                .add("name", DataTypes.StringType));
    }

    private static Dataset<Row> table(String table, String directJoin) {
        return TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", table)
                .option("directJoin", directJoin)
                .load();
    }

    private static String plan(Dataset<Row> rows) {
        return rows.queryExecution().explainString(ExplainMode.fromString("simple"));
    }

    /** The same rows with direct joins and without, and a direct join in the plan of the first. */
    private static List<Row> assertSame(String sql) {
        keys().createOrReplaceTempView("k");
        table("t", "on").createOrReplaceTempView("t");
        Dataset<Row> direct = TestSpark.spark().sql(sql);
        assertThat(plan(direct)).contains("CassandraDirectJoin");
        List<Row> found = direct.collectAsList();
        table("t", "off").createOrReplaceTempView("t");
        Dataset<Row> whole = TestSpark.spark().sql(sql);
        assertThat(plan(whole)).doesNotContain("CassandraDirectJoin");
        assertThat(found).isNotEmpty().containsExactlyInAnyOrderElementsOf(whole.collectAsList());
        return found;
    }

    @Test
    void looksUpTheKeysOfEveryKindOfJoin() {
        String on = " ON kp = p AND kq = q";
        assertSame("SELECT * FROM k JOIN t" + on);
        assertSame("SELECT * FROM t JOIN k" + on);
        assertSame("SELECT * FROM k LEFT JOIN t" + on);
        assertSame("SELECT * FROM t RIGHT JOIN k" + on);
        assertSame("SELECT * FROM k LEFT SEMI JOIN t" + on);
        assertSame("SELECT * FROM k LEFT ANTI JOIN t" + on);
    }

    @Test
    void takesClusteringColumnsConditionsAndExpressions() {
        assertSame("SELECT * FROM k LEFT JOIN t ON kp = p AND kq = q AND kc = c");
        assertSame("SELECT * FROM k LEFT JOIN t ON kp = p AND kq = q AND kc < c + d");
        assertSame("SELECT name, u FROM k LEFT JOIN (SELECT p, q AS qq, upper(v) AS u FROM t WHERE v > 'v1') ON kp = p"
                + " AND kq = qq");
        assertSame("SELECT name, v FROM k JOIN t ON kp + 1 = p AND concat('q', (kp + 1) % 7) = q AND d = 1");
        assertSame("SELECT count(*), max(v) FROM k JOIN t ON kp = p AND kq = q WHERE c >= 1");
    }

    @Test
    void asksForAKeyOnceWhereRowsOfItFollowOneAnother() {
        Dataset<Row> keys = TestSpark.spark().range(300).selectExpr("cast(id % 3 as int) kp", "concat('q', id % 3) kq");
        Dataset<Row> joined =
                keys.coalesce(1).join(table("t", "on"), org.apache.spark.sql.functions.expr("kp = p and kq = q"));
        assertThat(joined.collectAsList()).hasSize(300 * 6);
        assertThat(metric(joined, "keys")).isEqualTo(3);
        assertThat(metric(joined, "numOutputRows")).isEqualTo(1800);
    }

    private static long metric(Dataset<Row> rows, String name) {
        var plan = rows.queryExecution().executedPlan();
        var found = new ArrayList<Long>();
        visit(plan, name, found);
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    private static void visit(org.apache.spark.sql.execution.SparkPlan plan, String name, List<Long> found) {
        if (plan instanceof DirectJoinExec) {
            found.add(plan.metrics().apply(name).value());
        }
        if (plan instanceof org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec adaptive) {
            visit(adaptive.executedPlan(), name, found);
        }
        scala.jdk.javaapi.CollectionConverters.asJava(plan.children()).forEach(child -> visit(child, name, found));
    }

    @Test
    void readsTheTableWhereThePartitionKeyIsNotWhole() {
        keys().createOrReplaceTempView("k");
        table("t", "on").createOrReplaceTempView("t");
        assertThat(plan(TestSpark.spark().sql("SELECT * FROM k JOIN t ON kp = p")))
                .doesNotContain("CassandraDirectJoin");
        assertThat(plan(TestSpark.spark().sql("SELECT * FROM k FULL JOIN t ON kp = p AND kq = q")))
                .doesNotContain("CassandraDirectJoin");
    }

    @Test
    void findsWhatIsEqualToSparkOnly() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".uuids (id uuid PRIMARY KEY, v int)");
        UUID id = UUID.fromString("0e984725-c51c-4bf4-9960-e1c80e27aba0");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".uuids (id, v) VALUES (" + id + ", 1)");
        Dataset<Row> keys = TestSpark.spark()
                .createDataset(
                        List.of(id.toString(), id.toString().toUpperCase(Locale.ROOT), "no uuid"),
                        org.apache.spark.sql.Encoders.STRING())
                .toDF("key");
        Dataset<Row> joined = keys.join(table("uuids", "on"), org.apache.spark.sql.functions.expr("key = id"), "left");
        assertThat(plan(joined)).contains("CassandraDirectJoin");
        assertThat(joined.orderBy("key").collectAsList())
                .containsExactly(
                        RowFactory.create(id.toString().toUpperCase(Locale.ROOT), null, null),
                        RowFactory.create(id.toString(), id.toString(), 1),
                        RowFactory.create("no uuid", null, null));
    }

    @Test
    void readsTimesByFunctionsOfColumns() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".timed (id int PRIMARY KEY, v int, \"V w\" text, l list<int>)");
        TestSpark.cql("INSERT INTO " + KEYSPACE
                + ".timed (id, v, \"V w\", l) VALUES (1, 2, 'x', [5, 6]) USING TIMESTAMP 77 AND TTL 1000000");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".timed (id, v) VALUES (2, 3) USING TIMESTAMP 78");
        table("timed", "on").createOrReplaceTempView("timed");
        assertThat(TestSpark.spark()
                        .sql("SELECT id, writetime(v), ttl(v) > 900000, writetime(x.`V w`), writetime(l) FROM timed x"
                                + " WHERE ttl(v) IS NULL OR v = 2 ORDER BY id")
                        .collectAsList()
                        .toString())
                .isEqualTo("[[1,77,true,77,ArraySeq(77, 77)], [2,78,null,null,null]]");
        assertThat(table("timed", "on").selectExpr("writetime(v)").columns()).containsExactly("writetime(v)");
        org.assertj.core.api.Assertions.assertThatThrownBy(
                        () -> TestSpark.spark().sql("SELECT ttl(id) FROM timed").collectAsList())
                .hasMessageContaining("`ttl(id)` cannot be resolved");
    }
}
