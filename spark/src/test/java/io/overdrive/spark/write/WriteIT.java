package io.overdrive.spark.write;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.overdrive.GuardTotals;
import io.overdrive.spark.TestSpark;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;
import scala.jdk.javaapi.CollectionConverters;

@Tag("server")
class WriteIT {
    private static final String KEYSPACE = "spark_write";
    /** Static, as tasks run copies of functions. */
    private static final AtomicBoolean FAILED = new AtomicBoolean();

    private static final AtomicInteger TAKEN = new AtomicInteger();

    @BeforeAll
    static void createKeyspace() {
        TestSpark.keyspace(KEYSPACE);
    }

    private static void table(String name, String columns) {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + name + " (" + columns + ")");
    }

    private static Dataset<Row> sql(String query) {
        return TestSpark.spark().sql(query);
    }

    private static DataFrameWriter<Row> writer(Dataset<Row> rows, String table, String... options) {
        DataFrameWriter<Row> writer = rows.write()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", table)
                .mode("append");
        for (int i = 0; i < options.length; i += 2) {
            writer.option(options[i], options[i + 1]);
        }
        return writer;
    }

    private static void append(Dataset<Row> rows, String table, String... options) {
        writer(rows, table, options).save();
    }

    private static List<String> rows(String select) {
        return TestSpark.cql(select.replace("FROM ", "FROM " + KEYSPACE + ".")).stream()
                .map(row -> row.getFormattedContents())
                .toList();
    }

    @Test
    void appendsRowsAndReplacesThoseOfTheSameKey() {
        table("t", "k bigint, c int, v text, w double, PRIMARY KEY (k, c)");
        append(
                sql("SELECT id % 100 AS k, CAST(id DIV 100 AS INT) AS c, concat('v', id) AS v, id / 2 AS w"
                        + " FROM range(0, 1000, 1, 4)"),
                "t");
        append(sql("SELECT 7L AS k, 3 AS c, 'new' AS v"), "t");
        Dataset<Row> expected = sql("SELECT id % 100 AS k, CAST(id DIV 100 AS INT) AS c,"
                + " if(id = 307, 'new', concat('v', id)) AS v, id / 2 AS w FROM range(1000)");
        Dataset<Row> read = TestSpark.read(KEYSPACE, "t").select("k", "c", "v", "w");
        assertThat(read.orderBy("k", "c").collectAsList())
                .isEqualTo(expected.orderBy("k", "c").collectAsList());
    }

    @Test
    void jobsWithTheSameGuardShareItInAProcess() {
        table("guarded", "k bigint PRIMARY KEY");
        append(sql("SELECT id AS k FROM range(0, 1000, 1, 4)"), "guarded", "guard", "P99=60s");
        Dataset<Row> read = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "guarded")
                .option("guard", "P99=60s")
                .load();
        assertThat(read.filter("k >= 0").collectAsList()).hasSize(1000);
        GuardTotals totals = SharedEngines.of(Settings.of(
                        Map.of("guard", "P99=60s"),
                        CollectionConverters.asJava(TestSpark.spark().conf().getAll())))
                .guardTotals()
                .orElseThrow();
        assertThat(totals.limit()).isIn(Duration.ofSeconds(60), Duration.ZERO); // zero: they took less than a second
        assertThat(totals.probed()).isEqualTo("system.local, " + KEYSPACE + ".guarded");
        assertThat(SharedEngines.of(Settings.of(
                                Map.of(),
                                CollectionConverters.asJava(
                                        TestSpark.spark().conf().getAll())))
                        .guardTotals())
                .isEmpty();
    }

    /** Spark finds the cached rows by the table that was written. */
    @Test
    void rowsThatAreCachedAreReadAgainAfterAWrite() {
        table("kept", "k int PRIMARY KEY, v int");
        String name = "cass." + KEYSPACE + ".kept";
        Supplier<Dataset<Row>> cached = () -> TestSpark.spark().table(name);
        cached.get().cache();
        try {
            assertThat(cached.get().collectAsList()).isEmpty();
            sql("INSERT INTO " + name + " (k, v) VALUES (1, 1), (2, 2)");
            assertThat(cached.get().collectAsList()).hasSize(2);
            sql("UPDATE " + name + " SET v = 7 WHERE k = 1");
            assertThat(cached.get().filter("v = 7").collectAsList()).hasSize(1);
            sql("DELETE FROM " + name + " WHERE v = 7");
            assertThat(cached.get().collectAsList()).hasSize(1);
            sql("DELETE FROM " + name + " WHERE k = 2");
            assertThat(cached.get().collectAsList()).isEmpty();
            sql("SELECT 3 AS k, 3 AS v").write().mode("append").saveAsTable(name);
            assertThat(cached.get().collectAsList()).hasSize(1);
            sql("TRUNCATE TABLE " + name);
            assertThat(cached.get().collectAsList()).isEmpty();
        } finally {
            TestSpark.spark().catalog().clearCache();
        }
    }

    /** The session may connect to another cluster by the same name then. */
    @Test
    void cachedRowsAreThoseOfTheSameTableForTheSameSettings() {
        table("found", "k int PRIMARY KEY, v int");
        String name = "cass." + KEYSPACE + ".found";
        TestSpark.spark().table(name).cache();
        try {
            assertThat(TestSpark.explain(TestSpark.spark().table(name))).contains("InMemoryTableScan");
            TestSpark.spark().conf().set("spark.overdrive.connectTimeout", "9999");
            assertThat(TestSpark.explain(TestSpark.spark().table(name))).doesNotContain("InMemoryTableScan");
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.connectTimeout");
            TestSpark.spark().catalog().clearCache();
        }
    }

    @Test
    void matchesColumnsByNameInAnyOrderAndKeepsTheOthers() {
        table("subset", "k int PRIMARY KEY, a text, \"B\" text, b text, \"with space\" int");
        append(
                sql("SELECT 'a1' AS A, 1 AS K, 'big' AS B, 'small' AS b, 5 AS `With Space`")
                        .toDF("A", "K", "B", "b", "With Space"),
                "subset");
        append(sql("SELECT 1 AS k, 'a2' AS a"), "subset");
        assertThat(rows("SELECT k, a, \"B\", b, \"with space\" FROM subset"))
                .containsExactly("[k:1, a:'a2', \"B\":'big', b:'small', \"with space\":5]");
    }

    @Test
    void namesColumnsThatDoNotMatch() {
        table("misfits", "p int, c int, v text, PRIMARY KEY (p, c)");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 2 AS c, 3 AS x"), "misfits"))
                .hasMessageContaining("has no column \"x\"; its columns are \"p\", \"c\", \"v\"");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 'v' AS v"), "misfits"))
                .hasMessageContaining("primary key column \"c\" is missing")
                .hasMessageContaining("Columns to write: \"p\", \"v\"");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, array(2) AS c"), "misfits"))
                .hasMessageContaining("column \"c\" is int")
                .hasMessageContaining("array<int>");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, CAST(NULL AS INT) AS c"), "misfits"))
                .hasMessageContaining("key column \"c\" is null in a row to write");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, '4o' AS c"), "misfits"))
                .hasMessageContaining("column \"c\" cannot take the string 4o: it is not a number, or out of range");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 3000000000 AS c"), "misfits"))
                .hasMessageContaining(
                        "column \"c\" cannot take the bigint 3000000000: must be -2147483648 to 2147483647");
    }

    @Test
    void nullsDeleteValuesUnlessTheyAreIgnored() {
        table("nulls", "k int PRIMARY KEY, a text, b text");
        append(sql("SELECT id AS k, 'a' AS a, 'b' AS b FROM range(2)"), "nulls");
        append(sql("SELECT 0 AS k, 'new' AS a, CAST(NULL AS STRING) AS b"), "nulls");
        append(sql("SELECT 1 AS k, 'new' AS a, CAST(NULL AS STRING) AS b"), "nulls", "ignoreNulls", "true");
        assertThat(rows("SELECT k, a, b FROM nulls"))
                .containsExactlyInAnyOrder("[k:0, a:'new', b:NULL]", "[k:1, a:'new', b:'b']");
    }

    @Test
    void setsTimeToLiveAndWriteTimeForAllRowsOrByAColumn() {
        table("times", "k int PRIMARY KEY, v text");
        append(sql("SELECT 1 AS k, 'v' AS v"), "times", "ttl", "1000", "writetime", "123456");
        append(
                sql("SELECT 2 AS k, 'v' AS v, 2000 AS seconds, 654321L AS micros"
                        + " UNION ALL SELECT 3, 'v', NULL, NULL"),
                "times",
                "ttl",
                "Seconds",
                "writetime",
                "micros");
        var first = TestSpark.cql("SELECT ttl(v) AS t, writetime(v) AS w FROM " + KEYSPACE + ".times WHERE k = 1")
                .get(0);
        assertThat(first.getInt("t")).isBetween(900, 1000);
        assertThat(first.getLong("w")).isEqualTo(123456);
        var second = TestSpark.cql("SELECT ttl(v) AS t, writetime(v) AS w FROM " + KEYSPACE + ".times WHERE k = 2")
                .get(0);
        assertThat(second.getInt("t")).isBetween(1900, 2000);
        assertThat(second.getLong("w")).isEqualTo(654321);
        var third = TestSpark.cql("SELECT ttl(v) AS t, writetime(v) AS w FROM " + KEYSPACE + ".times WHERE k = 3")
                .get(0);
        assertThat(third.isNull("t")).isTrue();
        assertThat(third.getLong("w")).isGreaterThan(1_600_000_000_000_000L);
        assertThatThrownBy(() -> append(sql("SELECT 1 AS k"), "times", "ttl", "secnds"))
                .hasMessageContaining("option \"ttl\" is \"secnds\"");
    }

    @Test
    void overwritesOnlyIfConfirmed() {
        table("over", "k int PRIMARY KEY, v text");
        append(sql("SELECT id AS k, 'old' AS v FROM range(10)"), "over");
        Dataset<Row> one = sql("SELECT 3 AS k, 'new' AS v");
        assertThatThrownBy(() -> writer(one, "over").mode("overwrite").save()).hasMessageContaining("confirm.truncate");
        assertThat(rows("SELECT k FROM over")).hasSize(10);
        writer(one, "over", "confirm.truncate", "true").mode("overwrite").save();
        assertThat(rows("SELECT k, v FROM over")).containsExactly("[k:3, v:'new']");
    }

    /** Queries that read the rows to write from the table {@code self}, in many forms. */
    static Stream<Arguments> queriesOfTheTableThatTheyOverwrite() {
        String table = "cass." + KEYSPACE + ".self";
        Supplier<Dataset<Row>> read = () -> TestSpark.read(KEYSPACE, "self");
        return Stream.of(
                arguments("a filter", (Supplier<Dataset<Row>>) () -> read.get().filter("v < 5")),
                arguments("behind a shuffle", (Supplier<Dataset<Row>>)
                        () -> read.get().repartition(3)),
                arguments("behind an aggregate", (Supplier<Dataset<Row>>)
                        () -> read.get().distinct()),
                arguments("a union", (Supplier<Dataset<Row>>)
                        () -> sql("SELECT 100 AS k, 1 AS v").union(read.get().select("k", "v"))),
                arguments("a join", (Supplier<Dataset<Row>>)
                        () -> sql("SELECT k, v FROM (SELECT 1 AS k) JOIN " + table + " USING (k)")),
                arguments("of a catalog", (Supplier<Dataset<Row>>) () -> sql("SELECT * FROM " + table)),
                arguments("a subquery", (Supplier<Dataset<Row>>)
                        () -> sql("SELECT 1 AS k, 2 AS v WHERE 1 IN (SELECT k FROM " + table + ")")),
                arguments("a subquery in a subquery", (Supplier<Dataset<Row>>)
                        () -> sql("SELECT 1 AS k, (SELECT max(id) FROM range(3) WHERE id < (SELECT max(v) FROM " + table
                                + ")) AS v")),
                arguments("a common table expression", (Supplier<Dataset<Row>>) () ->
                        sql("WITH x AS (SELECT * FROM " + table + ") SELECT a.k, b.v FROM x a JOIN x b USING (k)")),
                arguments("a view", (Supplier<Dataset<Row>>) () -> {
                    sql("CREATE OR REPLACE TEMP VIEW of_self AS SELECT * FROM " + table);
                    return sql("SELECT * FROM of_self");
                }),
                arguments("a cached frame", (Supplier<Dataset<Row>>) () -> {
                    Dataset<Row> cached = read.get().cache();
                    cached.count();
                    return cached;
                }),
                arguments("a materialized view", (Supplier<Dataset<Row>>)
                        () -> TestSpark.read(KEYSPACE, "self_by_v").select("k", "v")));
    }

    private static void createSelf() {
        TestSpark.cql("DROP MATERIALIZED VIEW IF EXISTS " + KEYSPACE + ".self_by_v");
        TestSpark.cql("DROP TABLE IF EXISTS " + KEYSPACE + ".self");
        table("self", "k int PRIMARY KEY, v int");
        TestSpark.cql("CREATE MATERIALIZED VIEW " + KEYSPACE + ".self_by_v AS SELECT * FROM " + KEYSPACE
                + ".self WHERE v IS NOT NULL AND k IS NOT NULL PRIMARY KEY (v, k)");
        append(sql("SELECT CAST(id AS INT) AS k, CAST(id AS INT) AS v FROM range(10)"), "self");
    }

    @Test
    void refusesToOverwriteATableByAQueryThatReadsIt() {
        createSelf();
        TestSpark.spark().conf().set("spark.overdrive.confirm.truncate", "true");
        try {
            queriesOfTheTableThatTheyOverwrite().forEach(form -> {
                String name = (String) form.get()[0];
                @SuppressWarnings("unchecked")
                Supplier<Dataset<Row>> query = (Supplier<Dataset<Row>>) form.get()[1];
                assertRefused(
                        name,
                        () -> writer(query.get(), "self").mode("overwrite").save());
                String table = "cass." + KEYSPACE + ".self";
                assertRefused(name, () -> query.get().writeTo(table).overwrite(lit(true)));
                assertRefused(name, () -> {
                    query.get().createOrReplaceTempView("rows");
                    sql("INSERT OVERWRITE " + table + " SELECT k, v FROM rows");
                });
            });
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.confirm.truncate");
            TestSpark.spark().catalog().clearCache();
        }
    }

    @Test
    void refusesToReplaceATableByAQueryThatReadsIt() throws Exception {
        createSelf();
        TestSpark.cql(
                "DROP MATERIALIZED VIEW " + KEYSPACE + ".self_by_v"); // a table with a view cannot be dropped at all
        String table = "cass." + KEYSPACE + ".self";
        String replace = "CREATE OR REPLACE TABLE " + table + " PARTITIONED BY (k) AS SELECT ";
        assertThatThrownBy(() -> sql(replace + "1 AS k, 2 AS v"))
                .hasMessage(
                        "[" + KEYSPACE + ".self] replacing drops the table before the first row is written: set option"
                                + " \"confirm.truncate\", or \"spark.overdrive.confirm.truncate\" in the session, to true to confirm it,"
                                + " or use mode append");
        assertThat(rows("SELECT count(*) FROM self")).containsExactly("[count:10]");
        TestSpark.spark().conf().set("spark.overdrive.confirm.truncate", "true");
        try {
            assertRefused("replace", () -> sql(replace + "* FROM " + table));
            assertRefused("replace", () -> TestSpark.read(KEYSPACE, "self")
                    .writeTo(table)
                    .partitionedBy(col("k"))
                    .replace());
            assertRefused("save", () -> TestSpark.read(KEYSPACE, "self")
                    .write()
                    .format("cassandra")
                    .partitionBy("k")
                    .mode("overwrite")
                    .saveAsTable(table));
            sql(replace + "1 AS k, 2 AS v");
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.confirm.truncate");
        }
        assertThat(rows("SELECT k, v FROM self")).containsExactly("[k:1, v:2]");
    }

    private static void assertRefused(String form, ThrowingCallable write) {
        assertThatThrownBy(write)
                .as(form)
                .hasStackTraceContaining("[" + KEYSPACE + ".self] would be ")
                .hasStackTraceContaining("before the query has read its rows")
                .hasStackTraceContaining("they would be lost: write the rows to another table or to files first");
        assertThat(rows("SELECT count(*) FROM self")).as(form).containsExactly("[count:10]");
    }

    @Test
    void overwritesATableByAQueryOfOthers() {
        table("source", "k int PRIMARY KEY, v int");
        table("target", "k int PRIMARY KEY, v int");
        append(sql("SELECT CAST(id AS INT) AS k, CAST(id AS INT) AS v FROM range(10)"), "source");
        append(sql("SELECT 77 AS k, 1 AS v"), "target");
        writer(TestSpark.read(KEYSPACE, "source"), "target", "confirm.truncate", "true")
                .mode("overwrite")
                .save();
        assertThat(rows("SELECT count(*) FROM target")).containsExactly("[count:10]");
        // a checkpoint contains the rows and does not read the table again
        writer(
                        TestSpark.read(KEYSPACE, "target").filter("v < 3").localCheckpoint(),
                        "target",
                        "confirm.truncate",
                        "true")
                .mode("overwrite")
                .save();
        assertThat(rows("SELECT count(*) FROM target")).containsExactly("[count:3]");
    }

    /** Rows of two tasks, in this order. */
    private static Dataset<Row> inTwoTasks(String schema, Object[]... rows) {
        List<Row> list = Arrays.stream(rows).map(RowFactory::create).toList();
        return TestSpark.spark()
                .createDataFrame(
                        new JavaSparkContext(TestSpark.spark().sparkContext()).parallelize(list, 2),
                        StructType.fromDDL(schema));
    }

    @Test
    void aRowOfOneTaskWinsAsAWholeOverThatOfAnother() {
        table("mix", "id int PRIMARY KEY, v1 text, v2 text");
        append(
                inTwoTasks(
                        "id int, v1 string, v2 string",
                        new Object[] {1, "a", "x"},
                        new Object[] {2, "b", "y"},
                        new Object[] {2, "c", "a"},
                        new Object[] {3, "z", "z"}),
                "mix");
        assertThat(rows("SELECT v1, v2 FROM mix WHERE id = 2").get(0)).isIn("[v1:'b', v2:'y']", "[v1:'c', v2:'a']");
        // rows of a partition share the cells of static columns, and the later row of a task wins
        table("static_mix", "p int, c int, s1 text STATIC, s2 text STATIC, PRIMARY KEY (p, c)");
        append(
                inTwoTasks(
                        "p int, c int, s1 string, s2 string",
                        new Object[] {1, 1, "a", "x"},
                        new Object[] {1, 2, "b", "y"},
                        new Object[] {1, 3, "c", "a"},
                        new Object[] {2, 1, "z", "a"},
                        new Object[] {2, 2, "a", "b"},
                        new Object[] {2, 3, "b", "a"}),
                "static_mix");
        assertThat(rows("SELECT DISTINCT s1, s2 FROM static_mix WHERE p = 1").get(0))
                .isIn("[s1:'b', s2:'y']", "[s1:'c', s2:'a']");
        assertThat(rows("SELECT DISTINCT s1, s2 FROM static_mix WHERE p = 2")).containsExactly("[s1:'b', s2:'a']");
    }

    @Test
    void refusesToAddToCountersAndListsIfSparkMayRunATaskTwiceAtOnce() {
        table("speculated", "k int PRIMARY KEY, n counter");
        table("speculated_lists", "k int PRIMARY KEY, l list<int>");
        SparkConf conf = TestSpark.spark().sparkContext().conf();
        conf.set("spark.speculation", "true");
        try {
            Dataset<Row> one = sql("SELECT 1 AS k, 1 AS n");
            assertThatThrownBy(() -> append(one, "speculated"))
                    .hasMessage(
                            "[" + KEYSPACE + ".speculated] with spark.speculation=true Spark may run a task twice, and"
                                    + " what is written to counters would be added twice: set spark.speculation to false, or accept"
                                    + " wrong sums with option \"allowNonIdempotent\"");
            assertThatThrownBy(() ->
                            append(sql("SELECT 1 AS k, array(1) AS l"), "speculated_lists", "collections", "l=append"))
                    .hasMessageContaining("what is written to lists would be added twice");
            append(one, "speculated", "allowNonIdempotent", "true");
            append(sql("SELECT 1 AS k, array(1) AS l"), "speculated_lists");
        } finally {
            conf.remove("spark.speculation");
        }
        assertThat(rows("SELECT n FROM speculated")).containsExactly("[n:1]");
    }

    @Test
    void savesAsANewTableWithoutAFormat() {
        String table = "cass." + KEYSPACE + ".saved";
        sql("SELECT 1 AS k, 'a' AS v").write().partitionBy("k").saveAsTable(table);
        sql("SELECT 2 AS k, 'b' AS v").write().mode("append").saveAsTable(table);
        assertThat(rows("SELECT k, v FROM saved")).containsExactlyInAnyOrder("[k:1, v:'a']", "[k:2, v:'b']");
        assertThatThrownBy(() -> sql(
                        "CREATE TABLE cass." + KEYSPACE + ".other USING parquet PARTITIONED BY (k) AS SELECT 1 AS k"))
                .hasMessageContaining("this catalog is a Cassandra cluster: remove USING parquet");
    }

    @Test
    void acceptsColumnsOfTypeVoid() {
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".place (street text, no int)");
        table("voids", "k int PRIMARY KEY, v int, l list<int>, p place, m map<text, int>, w text");
        append(sql("SELECT 1 AS k, 5 AS v, 'stays' AS w"), "voids");
        append(
                sql("SELECT 1 AS k, null AS v, array() AS l, named_struct('street', 's', 'no', null) AS p, null AS m"),
                "voids");
        assertThat(rows("SELECT k, l, m, p, v, w FROM voids"))
                .containsExactly("[k:1, l:[], m:{}, p:{street:'s',no:NULL}, v:NULL, w:'stays']");
        append(sql("SELECT 2 AS k, 1 AS v, null AS seconds"), "voids", "ttl", "seconds");
        assertThatThrownBy(() -> append(sql("SELECT null AS k, 1 AS v"), "voids"))
                .hasMessageContaining("key column \"k\" is null in a row to write");
    }

    @Test
    void acceptsOnlyTheModesAppendAndOverwrite() {
        table("modes", "k int PRIMARY KEY, v text");
        Dataset<Row> one = sql("SELECT 3 AS k, 'new' AS v");
        for (String mode : List.of("errorifexists", "ignore")) {
            assertThatThrownBy(() -> writer(one, "modes").mode(mode).save())
                    .hasMessageContaining("Append")
                    .hasMessageContaining("Overwrite");
        }
        assertThatThrownBy(() -> writer(one, "modes").partitionBy("v").save())
                .hasMessageContaining("partitioning or clustering columns do not match");
        writer(one, "modes").mode("append").save();
        assertThat(rows("SELECT k, v FROM modes")).containsExactly("[k:3, v:'new']");
    }

    @Test
    void writesStaticColumnsWithoutClusteringColumnsAndRefusesViews() {
        table("statics", "p int, c int, s text STATIC, v text, PRIMARY KEY (p, c)");
        append(sql("SELECT 1 AS p, 's' AS s"), "statics");
        assertThat(rows("SELECT p, c, s FROM statics")).containsExactly("[p:1, c:NULL, s:'s']");
        TestSpark.cql("CREATE MATERIALIZED VIEW " + KEYSPACE + ".by_v AS SELECT p, c, v FROM " + KEYSPACE
                + ".statics WHERE v IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (v, p, c)");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 1 AS c, 'v' AS v"), "by_v"))
                .hasMessageContaining("is a materialized view of statics");
    }

    @Test
    void addsToCountersUnlessTheValueIsNull() {
        table("counters", "p int, c int, n counter, m counter, PRIMARY KEY (p, c)");
        for (int i = 0; i < 2; i++) {
            append(
                    sql("SELECT id % 3 AS p, id % 2 AS c, id AS n, if(id < 6, 1, NULL) AS m FROM range(12)"),
                    "counters");
        }
        Dataset<Row> expected =
                sql("SELECT CAST(id % 3 AS INT) AS p, CAST(id % 2 AS INT) AS c, 2 * sum(id) AS n, 2L AS m"
                        + " FROM range(12) GROUP BY 1, 2 ORDER BY 1, 2");
        assertThat(TestSpark.read(KEYSPACE, "counters")
                        .select("p", "c", "n", "m")
                        .orderBy("p", "c")
                        .collectAsList())
                .isEqualTo(expected.collectAsList());
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 1 AS c, 1 AS n"), "counters", "ttl", "5"))
                .hasMessageContaining("holds counters, which have neither TTL nor write time");
    }

    @Test
    void insertsOnlyRowsThatDoNotExist() {
        table("absent", "p int, c int, v text, PRIMARY KEY (p, c)");
        append(sql("SELECT 1 AS p, 2 AS c, 'old' AS v"), "absent");
        append(sql("SELECT 1 AS p, id AS c, 'new' AS v FROM range(4)"), "absent", "ifNotExists", "true");
        assertThat(TestSpark.metricsOfTheLastQuery())
                .containsEntry("rows written to Cassandra", "4")
                .containsEntry("of these, rows that existed already and were not changed (ifNotExists)", "1");
        assertThat(rows("SELECT p, c, v FROM absent"))
                .containsExactly(
                        "[p:1, c:0, v:'new']", "[p:1, c:1, v:'new']", "[p:1, c:2, v:'old']", "[p:1, c:3, v:'new']");
    }

    @Test
    void changesCollections() {
        table("collections", "k int PRIMARY KEY, s set<int>, m map<int, text>, l list<int>, d list<int>, o list<int>");
        append(
                sql("SELECT 1 AS k, array(1) AS s, map(1, 'a') AS m, array(1) AS l, array(1, 2) AS d, array(9) AS o"),
                "collections");
        append(
                sql("SELECT 1 AS k, array(2) AS s, map(2, 'b') AS m, array(2, 3) AS l, array(1) AS d, array(8) AS o"),
                "collections",
                "collections",
                "s=add, m=append, l=append, d=remove, o=overwrite");
        append(sql("SELECT 1 AS k, array(0) AS l, array(1) AS m"), "collections", "collections", "l=prepend, M=remove");
        assertThat(rows("SELECT * FROM collections"))
                .containsExactly("[k:1, d:[2], l:[0,1,2,3], m:{2:'b'}, o:[8], s:{1,2}]");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS k, array(2) AS s"), "collections", "collections", "l=append"))
                .hasMessageContaining("option \"collections\" names column \"l\", which is not written");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS k, array(2) AS s"), "collections", "collections", "s=prepend"))
                .hasMessageContaining("does not support prepend");
    }

    @Test
    void writesRowsThatComeInAnyOrderAsWholePartitions() {
        table("shuffled", "p int, c int, v text, PRIMARY KEY (p, c)");
        Dataset<Row> shuffled =
                sql("SELECT CAST(id % 40 AS INT) AS p, CAST(id DIV 40 AS INT) AS c, concat('v', id) AS v"
                                + " FROM range(8000)")
                        .repartition(2)
                        .orderBy("c", "v")
                        .repartition(2);
        append(shuffled, "shuffled");
        Map<String, String> grouped = TestSpark.metricsOfTheLastQuery();
        assertThat(grouped.get("rows written to Cassandra")).isEqualTo("8,000");
        assertThat(Integer.parseInt(grouped.get("write requests"))).isLessThanOrEqualTo(2 * 40);
        append(shuffled, "shuffled", "distribution", "partition");
        Map<String, String> distributed = TestSpark.metricsOfTheLastQuery();
        assertThat(Integer.parseInt(distributed.get("write requests"))).isEqualTo(40);
        assertThat(distributed.get("rows sent in a batch with others of their partition"))
                .isEqualTo("8,000");
        assertThat(distributed.get("write latency, p99")).contains(" ms (slowest task ");
        assertThat(distributed.get("limited by")).endsWith(" % of the tasks' time");
        assertThat(distributed).containsEntry("estimated time", "less than 5 s");
        assertThat(TestSpark.read(KEYSPACE, "shuffled")
                        .select("p", "c", "v")
                        .exceptAll(shuffled)
                        .collectAsList())
                .isEmpty();
        assertThat(rows("SELECT c FROM shuffled")).hasSize(8000);
    }

    /** Spark splits a task's rows by where they come from if it may, which would take partitions apart. */
    @Test
    void distributesWholePartitionsAlsoIfATaskGetsMoreThanSparkAdvises() {
        table("large_tasks", "p int, c int, v text, PRIMARY KEY (p, c)");
        String advised = "spark.sql.adaptive.advisoryPartitionSizeInBytes";
        TestSpark.spark().conf().set(advised, "8KB");
        try {
            append(
                    sql("SELECT CAST(id % 40 AS INT) AS p, CAST(id DIV 40 AS INT) AS c, concat('v', hash(id)) AS v"
                            + " FROM range(0, 8000, 1, 8)"),
                    "large_tasks",
                    "distribution",
                    "partition");
        } finally {
            TestSpark.spark().conf().unset(advised);
        }
        Map<String, String> metrics = TestSpark.metricsOfTheLastQuery();
        assertThat(metrics.get("rows written to Cassandra")).isEqualTo("8,000");
        assertThat(metrics.get("write requests")).isEqualTo("40");
    }

    /** The server refuses batches of several partitions from 50 KiB on; by default they are as large as it allows. */
    @Test
    void groupsRowsOfSeveralPartitionsUpToTheLimitOfTheServer() {
        table("replica_set", "k int PRIMARY KEY, v text");
        append(
                sql("SELECT CAST(id AS INT) AS k, repeat('v', 600) AS v FROM range(0, 1000, 1, 1)"),
                "replica_set",
                "grouping",
                "replica_set");
        Map<String, String> metrics = TestSpark.metricsOfTheLastQuery();
        assertThat(metrics.get("rows written to Cassandra")).isEqualTo("1,000");
        assertThat(Integer.parseInt(metrics.get("write requests"))).isBetween(18, 40);
        assertThat(rows("SELECT k FROM replica_set")).hasSize(1000);
    }

    @Test
    void saysInThePlanWhetherRowsAreClustered() {
        table("plans", "p int, c int, v text, PRIMARY KEY (p, c)");
        assertThat(planOfAnInsert("auto"))
                .contains("executors group rows by partition in memory (one process writes all rows)")
                .doesNotContain("Exchange");
        assertThat(planOfAnInsert("partition"))
                .contains("Spark clusters rows by partition (as set)")
                .containsPattern("Sort \\[p#\\d+ ASC")
                .containsPattern("Exchange hashpartitioning\\(p#");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 1 AS c"), "plans", "distribution", "some"))
                .hasMessageContaining("\"distribution\" is \"some\", must be auto, partition or none");
    }

    private static String planOfAnInsert(String distribution) {
        sql("CREATE OR REPLACE TEMPORARY VIEW plans USING cassandra OPTIONS (keyspace '" + KEYSPACE
                + "', table 'plans', distribution '" + distribution + "')");
        return sql("EXPLAIN INSERT INTO plans (p, c, v) SELECT CAST(id AS INT), 1, 'v' FROM range(10)")
                .first()
                .getString(0);
    }

    @Test
    void writesTheSameRowsIfATaskFailsAndRunsAgain() {
        table("again", "p int, c int, v int, l list<int>, PRIMARY KEY (p, c)");
        FAILED.set(false);
        UDF1<Long, Integer> failOnce = id -> {
            if (id == 3500 && FAILED.compareAndSet(false, true)) {
                throw new IllegalStateException("once");
            }
            return id.intValue();
        };
        Dataset<Row> rows = TestSpark.spark()
                .range(0, 4000, 1, 1)
                .select(
                        expr("CAST(id % 7 AS INT) AS p"),
                        expr("CAST(id % 50 AS INT) AS c"),
                        udf(failOnce, DataTypes.IntegerType).apply(col("id")).as("v"))
                .withColumn("l", expr("array(v, v + 1)"));
        append(rows, "again", "batchRows", "10");
        assertThat(FAILED).isTrue();
        Dataset<Row> expected =
                sql("SELECT CAST(id % 7 AS INT) AS p, CAST(id % 50 AS INT) AS c, CAST(max(id) AS INT) AS v,"
                        + " array(CAST(max(id) AS INT), CAST(max(id) + 1 AS INT)) AS l FROM range(4000) GROUP BY 1, 2");
        assertThat(TestSpark.read(KEYSPACE, "again")
                        .select("p", "c", "v", "l")
                        .orderBy("p", "c")
                        .collectAsList())
                .isEqualTo(expected.orderBy("p", "c").collectAsList());
    }

    /** Blocks of a shuffle come in any order: were times the same in both attempts, each cell would be that of either row. */
    @Test
    void aRowWinsAsAWholeIfATaskRunsAgainAndGetsItsRowsInAnotherOrder() {
        table("reordered", "id int PRIMARY KEY, a text, b text");
        TAKEN.set(0);
        Row one = RowFactory.create(1, "x", "b1");
        Row other = RowFactory.create(1, "y", "a9");
        JavaRDD<Row> rows = new JavaSparkContext(TestSpark.spark().sparkContext())
                .parallelize(List.of(0), 1)
                .mapPartitions(any -> {
                    if (TaskContext.get().attemptNumber() > 0) {
                        return List.of(other, one).iterator();
                    }
                    return Stream.of(one, other, one)
                            .peek(row -> {
                                if (TAKEN.incrementAndGet() == 3) {
                                    awaitRow("[a:'y', b:'a9']");
                                    throw new IllegalStateException("once");
                                }
                            })
                            .iterator();
                });
        append(
                TestSpark.spark().createDataFrame(rows, StructType.fromDDL("id int, a string, b string")),
                "reordered",
                "grouping",
                "none");
        assertThat(TAKEN).hasValue(3);
        assertThat(rows("SELECT a, b FROM reordered")).containsExactly("[a:'x', b:'b1']");
    }

    private static void awaitRow(String row) {
        for (int i = 0; i < 3000 && !rows("SELECT a, b FROM reordered").equals(List.of(row)); i++) {
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(rows("SELECT a, b FROM reordered")).containsExactly(row);
    }

    @Test
    void doesNotAddToCountersTwiceIfATaskRunsAgainUnlessThatIsAccepted() {
        table("twice", "k int PRIMARY KEY, n counter");
        FAILED.set(false);
        UDF1<Long, Long> failOnce = id -> {
            if (id == 500 && FAILED.compareAndSet(false, true)) {
                throw new IllegalStateException("once");
            }
            return 1L;
        };
        Dataset<Row> rows = TestSpark.spark()
                .range(0, 1000, 1, 1)
                .select(
                        expr("CAST(id % 10 AS INT) AS k"),
                        udf(failOnce, DataTypes.LongType).apply(col("id")).as("n"));
        assertThatThrownBy(() -> append(rows, "twice"))
                .hasMessageContaining("runs again")
                .hasMessageContaining("allowNonIdempotent");
        FAILED.set(false);
        append(rows, "twice", "allowNonIdempotent", "true");
        assertThat(FAILED).isTrue();
        long sum =
                TestSpark.read(KEYSPACE, "twice").selectExpr("sum(n)").first().getLong(0);
        assertThat(sum).isBetween(1000L, 2000L);
    }

    @Test
    void failsFastIfCassandraRefusesARow() {
        table("refused", "k text PRIMARY KEY, v text");
        UDF1<Long, String> count = id -> {
            TAKEN.incrementAndGet();
            return id == 0 ? "x".repeat(70_000) : "k" + id;
        };
        Dataset<Row> rows = TestSpark.spark()
                .range(0, 3_000_000, 1, 1)
                .select(udf(count, DataTypes.StringType).apply(col("id")).as("k"));
        assertThatThrownBy(() -> append(rows, "refused")).hasMessageContaining("65535");
        assertThat(TAKEN.get()).isLessThan(2_000_000);
    }

    @Test
    void writesAllRowsIfManyTasksShareFewRequests() {
        table("many", "k bigint PRIMARY KEY, v bigint");
        append(sql("SELECT id AS k, id * 2 AS v FROM range(0, 20000, 1, 16)"), "many", "inFlightRequests", "3");
        assertThat(TestSpark.read(KEYSPACE, "many")
                        .selectExpr("count(*)", "sum(v)")
                        .first())
                .isEqualTo(RowFactory.create(20000L, 2 * 19999L * 10000L));
    }

    @Test
    void reportsToSparkWhatTasksWrote() {
        table("reported", "k bigint PRIMARY KEY, v text");
        LongAdder records = new LongAdder();
        LongAdder bytes = new LongAdder();
        SparkListener listener = new SparkListener() {
            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                records.add(end.taskMetrics().outputMetrics().recordsWritten());
                bytes.add(end.taskMetrics().outputMetrics().bytesWritten());
            }
        };
        var spark = TestSpark.spark().sparkContext();
        TestSpark.awaitListeners(); // pending events belong to earlier queries
        spark.addSparkListener(listener);
        try {
            append(sql("SELECT id AS k, 'x' AS v FROM range(0, 1234, 1, 3)"), "reported");
            TestSpark.awaitListeners();
        } finally {
            spark.removeSparkListener(listener);
        }
        assertThat(records.sum()).isEqualTo(1234);
        assertThat(bytes.sum()).isGreaterThan(1234 * 20);
    }
}
