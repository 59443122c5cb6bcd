package io.overdrive.spark.join;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OneCaseIn;
import io.overdrive.spark.TestSpark;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.execution.ExplainMode;
import org.apache.spark.sql.execution.streaming.StreamingQueryWrapper;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Joins by key are planned as direct joins whenever possible, and return the rows of the same join that reads the whole
 * table.
 */
class DirectJoinIT {
    private static final String KEYSPACE = "spark_join";
    /** The table's name starts with a digit, and its columns have unusual names. */
    private static final String ODD = "3Join";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.keyspace("\"" + ODD + "\"");
        TestSpark.cql("CREATE TABLE \"" + ODD + "\".\"2Odd\" (\"Key.a\" int, \"1\" text, \"select\" int, \"V v\" int,"
                + " PRIMARY KEY ((\"Key.a\", \"1\"), \"select\"))");
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".times (at timestamp, day date, v int, PRIMARY KEY ((at, day), v))");
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".address (street text, city text,"
                + " residents set<frozen<tuple<text, text>>>)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".people (id int PRIMARY KEY, lives frozen<address>,"
                + " born frozen<tuple<int, text>>, \"by\" map<int, frozen<address>>)");
        for (int p = 0; p < 30; p++) {
            TestSpark.cql(
                    "INSERT INTO \"%s\".\"2Odd\" (\"Key.a\", \"1\", \"select\", \"V v\") VALUES (%d, 'q%d', %d, %d)"
                            .formatted(ODD, p, p % 7, p % 2, p));
            TestSpark.cql("INSERT INTO %s.times (at, day, v) VALUES (%d, '2020-01-%02d', %d)"
                    .formatted(KEYSPACE, p - 10, 1 + p, p));
            TestSpark.cql("INSERT INTO %s.people (id, lives, born, \"by\") VALUES (%d, {street: 's', city: 'c%d',"
                            .formatted(KEYSPACE, p, p % 3)
                    + " residents: {('a', 'dog')}}, (%d, 'town'), {1: {city: 'x'}})".formatted(p));
        }
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".t (p int, q text, c int, d int, v text, PRIMARY KEY ((p, q), c, d))");
        for (int p = 0; p < 30; p++) {
            for (int c = 0; c < 6; c++) {
                TestSpark.cql("INSERT INTO %s.t (p, q, c, d, v) VALUES (%d, 'q%d', %d, %d, %s)"
                        .formatted(KEYSPACE, p, p % 7, c / 2, c % 2, c == 3 ? "null" : "'v" + c + "'"));
            }
        }
    }

    /** Keys, some of which are duplicates, null, or in no table. */
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
        return TestSpark.read(KEYSPACE, table, "directJoin", directJoin);
    }

    private static String plan(Dataset<Row> rows) {
        return rows.queryExecution().explainString(ExplainMode.fromString("simple"));
    }

    /**
     * Asserts that a query returns the same rows with and without direct joins, and that its plan has one only in the
     * first case.
     */
    private static void assertSame(String sql) {
        keys().createOrReplaceTempView("k");
        assertSame(directJoin -> {
            for (String table : List.of("t", "times", "people")) {
                table(table, directJoin).createOrReplaceTempView(table);
            }
            TestSpark.read(ODD, "2Odd", "directJoin", directJoin).createOrReplaceTempView("odd");
            return TestSpark.spark().sql(sql);
        });
    }

    private static void assertSame(Function<String, Dataset<Row>> query) {
        Dataset<Row> direct = query.apply("on");
        assertThat(plan(direct)).contains("CassandraDirectJoin");
        List<Row> found = direct.collectAsList();
        Dataset<Row> whole = query.apply("off");
        assertThat(plan(whole)).doesNotContain("CassandraDirectJoin");
        assertThat(direct.columns()).isEqualTo(whole.columns());
        assertThat(found).isNotEmpty().containsExactlyInAnyOrderElementsOf(whole.collectAsList());
    }

    @Test
    void failsIfTheTableIsDroppedAndCreatedWhileATaskLooksUpKeys() {
        String create = "CREATE TABLE " + KEYSPACE + ".gone (id int PRIMARY KEY, v int)";
        TestSpark.cql(create);
        for (int id = 0; id < 20; id++) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + ".gone (id, v) VALUES (" + id + ", 1)");
        }
        Dataset<Row> joined = keys().coalesce(1).join(table("gone", "on"), expr("kp = id"));
        assertThat(plan(joined)).contains("CassandraDirectJoin");
        assertThatThrownBy(() -> joined.foreachPartition((ForeachPartitionFunction<Row>) rows -> {
                    assertThat(rows.hasNext()).isTrue();
                    TestSpark.cql("DROP TABLE " + KEYSPACE + ".gone");
                    TestSpark.cql(create);
                    rows.forEachRemaining(row -> {});
                }))
                .hasMessageContaining("[" + KEYSPACE + ".gone] the table was dropped while the table was read");
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                // unusual names
                "SELECT * FROM k JOIN (SELECT p AS x, q AS y, v AS w FROM (SELECT * FROM t WHERE c < 2)) ON kp = x AND kq = y",
                "SELECT w, x + 1 FROM (SELECT x, y, upper(w) AS w FROM (SELECT p AS x, q AS y, v AS w FROM t) WHERE x < 20)"
                        + " JOIN k ON kp = x AND kq = y WHERE w > 'V1'",
                "SELECT * FROM k LEFT JOIN odd ON kp = `Key.a` AND kq = `1` AND kc = `select`",
                "SELECT `V v`, KP FROM odd JOIN k ON kp = `key.A` AND kq = `1`",
                // joins of joins
                "SELECT k.name, a.v, b.`V v` FROM k JOIN t a ON kp = a.p AND kq = a.q JOIN odd b ON kp = `Key.a` AND kq = `1`",
                "SELECT a.v, count(*) FROM (SELECT * FROM k JOIN t ON kp = p AND kq = q WHERE d = 0) a"
                        + " JOIN k b ON a.kp = b.kp GROUP BY a.v HAVING count(*) > 1",
                "SELECT x.p, y.v FROM (SELECT DISTINCT p, q FROM t WHERE c = 1) x JOIN t y ON x.p = y.p AND x.q = y.q",
                "SELECT * FROM (SELECT kp, max(kq) AS kq FROM k GROUP BY kp) g LEFT JOIN t ON g.kp = p AND g.kq = q",
                "SELECT * FROM (SELECT * FROM k UNION ALL SELECT 3, 'q3', 1, 'more') u JOIN t ON kp = p AND kq = q",
                // keys, expressions and literals around the join
                "SELECT kp + p, concat(q, kq, five), 3 * p AS `3p` FROM (SELECT *, 5 AS five FROM k) JOIN t ON kp = p AND kq = q",
                "SELECT max(c), p FROM k LEFT JOIN (SELECT * FROM t WHERE c < 2) ON kp + 1 = p AND concat('q', (kp + 1) % 7) = q"
                        + " WHERE d % 2 = 1 GROUP BY p, q",
                "SELECT * FROM k LEFT JOIN t ON kp = p AND kq = q AND name LIKE '%1' AND v IS NOT NULL",
                "SELECT * FROM (SELECT v, c, q, p FROM t) JOIN k ON kp = p AND kq = q",
                // times, in milliseconds in Cassandra and in microseconds in Spark
                "SELECT * FROM (SELECT timestamp_micros(id * 500 - 4000) AS ts, id FROM range(30)) LEFT JOIN times"
                        + " ON ts = at AND day = date_add(DATE'2020-01-01', CAST(id / 2 + 6 AS INT))",
                // a constant part of the key, which Spark turns into a filter on the table
                "SELECT v FROM times JOIN (SELECT DATE'2020-01-05' AS d, timestamp_millis(id - 6) AS ts FROM range(3)) ON at = ts"
                        + " AND day = d",
                "SELECT * FROM k LEFT JOIN (SELECT p AS x, q AS y, v FROM t WHERE q = 'q3') ON kp = x AND kc < 3",
                "SELECT * FROM k LEFT ANTI JOIN t ON kp = p AND q = 'q3'",
                // parts of UDTs and tuples
                "SELECT lives.city, born.`1`, `by`[1].city, name FROM k JOIN people ON kp = id WHERE lives.city <> 'c1'",
                "SELECT people.* FROM k JOIN people ON kp = id AND kc < born.`0`"
            })
    @OneCaseIn(3)
    void findsTheKeysInPlansOfManyShapes(String sql) {
        assertSame(sql);
    }

    @Test
    void findsTheKeysInPlansBuiltStepByStep() {
        assertSame(directJoin -> keys().join(
                        table("t", directJoin)
                                .withColumnRenamed("p", "x")
                                .withColumnRenamed("x", "y")
                                .filter("y < 25")
                                .withColumnRenamed("y", "kp")
                                .withColumnRenamed("q", "kq")
                                .drop("d"),
                        new String[] {"kp", "kq"}));
        assertSame(directJoin -> {
            Dataset<Row> table = table("t", directJoin);
            Dataset<Row> keys = keys();
            return table.join(
                            keys,
                            table.col("p")
                                    .equalTo(keys.col("kp"))
                                    .and(table.col("q").equalTo(keys.col("kq"))),
                            "right_outer")
                    .withColumn("more", table.col("p").plus(keys.col("kc")));
        });
    }

    @Test
    void findsTheKeysOfAStream(@TempDir Path directory) throws Exception {
        Path input = Files.createDirectories(directory.resolve("input"));
        Files.writeString(input.resolve("1.json"), "{\"p\":3,\"q\":\"q3\"}\n{\"p\":4,\"q\":\"none\"}\n");
        Files.writeString(input.resolve("2.json"), "{\"p\":9,\"q\":\"q2\"}\n");
        Dataset<Row> stream = TestSpark.spark()
                .readStream()
                .schema("p int, q string")
                .option("maxFilesPerTrigger", 1)
                .json(input.toString());
        StreamingQueryWrapper query = (StreamingQueryWrapper) stream.join(
                        table("t", "on"), new String[] {"p", "q"}, "left")
                .writeStream()
                .format("memory")
                .queryName("joined")
                .option("checkpointLocation", directory.resolve("checkpoint").toString())
                .trigger(Trigger.AvailableNow())
                .start();
        query.awaitTermination();
        assertThat(query.streamingQuery().lastExecution().executedPlan().toString())
                .contains("CassandraDirectJoin");
        assertThat(TestSpark.spark()
                        .sql("SELECT p, count(v), count(*) FROM joined GROUP BY p ORDER BY p")
                        .collectAsList())
                .containsExactly(
                        RowFactory.create(3, 5L, 6L), RowFactory.create(4, 0L, 1L), RowFactory.create(9, 5L, 6L));
    }

    @Test
    void readsTheTableIfTheJoinNeedsMoreThanItsRows() {
        keys().createOrReplaceTempView("k");
        table("t", "on").createOrReplaceTempView("t");
        for (String table : List.of(
                "(SELECT p, q, max(v) FROM t GROUP BY p, q)",
                "(SELECT * FROM t LIMIT 10)",
                "(SELECT DISTINCT p, q FROM t)",
                "(SELECT *, rand() AS r FROM t)",
                "(SELECT *, row_number() OVER (ORDER BY v) AS n FROM t)",
                "(SELECT CAST(p AS BIGINT) AS p, q FROM t)",
                "(SELECT * FROM t WHERE p = 3 AND q = 'q3')")) {
            Dataset<Row> joined = TestSpark.spark().sql("SELECT * FROM k JOIN " + table + " ON kp = p AND kq = q");
            assertThat(plan(joined)).as(table).doesNotContain("CassandraDirectJoin");
        }
    }

    @Test
    void looksUpIfTheSettingOrTheSizesSaySo() {
        keys().createOrReplaceTempView("k");
        String join = "SELECT * FROM k JOIN cass." + KEYSPACE + ".t ON kp = p AND kq = q";
        RuntimeConfig conf = TestSpark.spark().conf();
        try {
            conf.set("spark.cassandra.directJoinSetting", "on");
            assertThat(plan(TestSpark.spark().sql(join))).contains("CassandraDirectJoin");
            conf.set("spark.cassandra.directJoinSetting", "off");
            assertThat(plan(TestSpark.spark().sql(join))).doesNotContain("CassandraDirectJoin");
            conf.set("spark.cassandra.directJoinSetting", "auto");
            conf.set("spark.cassandra.directJoinSizeRatio", "0.000001");
            TestSpark.refreshEstimates(KEYSPACE);
            assertThat(plan(TestSpark.spark().sql(join))).doesNotContain("CassandraDirectJoin");
            conf.set("spark.cassandra.directJoinSizeRatio", "0");
            assertThat(plan(TestSpark.spark().sql(join))).doesNotContain("CassandraDirectJoin");
            conf.set("spark.cassandra.directJoinSizeRatio", "1000000");
            assertThat(plan(TestSpark.spark().sql(join))).contains("CassandraDirectJoin");
        } finally {
            conf.unset("spark.cassandra.directJoinSetting");
            conf.unset("spark.cassandra.directJoinSizeRatio");
        }
    }

    @Test
    void acceptsClusteringColumnsConditionsAndExpressions() {
        assertSame("SELECT * FROM k LEFT JOIN t ON kp = p AND kq = q AND kc = c");
        assertSame("SELECT * FROM k LEFT JOIN t ON kp = p AND kq = q AND kc < c + d");
        assertSame("SELECT name, u FROM k LEFT JOIN (SELECT p, q AS qq, upper(v) AS u FROM t WHERE v > 'v1') ON kp = p"
                + " AND kq = qq");
        assertSame("SELECT name, v FROM k JOIN t ON kp + 1 = p AND concat('q', (kp + 1) % 7) = q AND d = 1");
        assertSame("SELECT count(*), max(v) FROM k JOIN t ON kp = p AND kq = q WHERE c >= 1");
    }

    @Test
    void requestsAKeyOnceForConsecutiveRows() {
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
    void readsTheTableIfThePartitionKeyIsIncomplete() {
        keys().createOrReplaceTempView("k");
        table("t", "on").createOrReplaceTempView("t");
        assertThat(plan(TestSpark.spark().sql("SELECT * FROM k JOIN t ON kp = p")))
                .doesNotContain("CassandraDirectJoin");
        assertThat(plan(TestSpark.spark().sql("SELECT * FROM k JOIN t ON kc = c AND q = 'q3'")))
                .doesNotContain("CassandraDirectJoin");
        assertThat(plan(TestSpark.spark().sql("SELECT * FROM k JOIN t ON kp = p AND q > 'q3'")))
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                // type, keys in the table, keys to join with
                "text | 'a', 'b', 'c', 'é' | 'a', '', 'b', null, repeat('x', 70000), 'é', cast(x'c3' as string), 'c', 'a'",
                "ascii | 'a', 'b', 'c' | 'é', 'a', 'zzz', 'b', null, '', 'c'",
                "uuid | 0e984725-c51c-4bf4-9960-e1c80e27aba0, 1e984725-c51c-4bf4-9960-e1c80e27aba0"
                        + " | 'N/A', '0e984725-c51c-4bf4-9960-e1c80e27aba0', '', '1e984725-c51c-4bf4-9960-e1c80e27aba0', null",
                "timeuuid | e2f0a2c0-0c9b-11ee-be56-0242ac120002, e2f0a2c0-0c9b-11ee-be56-0242ac120003"
                        + " | '4f0d5b3e-7f4c-4d2a-9a53-0a1b2c3d4e5f', 'e2f0a2c0-0c9b-11ee-be56-0242ac120002', 'no',"
                        + " 'e2f0a2c0-0c9b-11ee-be56-0242ac120003'",
                "inet | '127.0.0.1', '10.0.0.1' | 'unknown', '127.0.0.1', '256.1.1.1', '10.0.0.1', 'a:b'",
                "int | 1, 2, 3 | try_cast('x' as int), 1, null, 2, 7, 3, 1",
                "bigint | 1, 2, 3 | 1L, cast(null as bigint), 2L, 3L",
                "smallint | 1, 2 | 1S, cast(null as smallint), 2S",
                "boolean | true, false | true, cast(null as boolean), false",
                "time | 1, 2, 3 | 1L, -1L, 2L, 86400000000000L, 3L",
                "timestamp | 1, 2 | timestamp_millis(1), timestamp_micros(1500), null, timestamp_millis(2)",
                "date | '2020-01-01', '2020-01-02' | date'2020-01-01', null, date'2020-01-02'",
                "blob | 0x01, 0x02 | x'01', x'', null, x'02'",
                "varint | 1, 2 | cast(1 as decimal(38,0)), null, cast(2 as decimal(38,0))"
            })
    @OneCaseIn(5)
    void returnsTheRowsOfSparksJoinForAllKeys(String type, String stored, String keys) {
        String table = "of_" + type;
        TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + table + " (id " + type + " PRIMARY KEY, v int)");
        for (String key : stored.split(", ")) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + "." + table + " (id, v) VALUES (" + key + ", 1)");
        }
        RuntimeConfig conf = TestSpark.spark().conf();
        // These many small queries would take longer to compile than to run.
        conf.set("spark.sql.codegen.wholeStage", "false");
        conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
        // Before an inner join, Spark removes nulls of a column, but not those of an expression.
        List<String> conditions =
                List.of("key = id", "nullif(key, (CASE WHEN n % 3 = 2 THEN key END)) = id AND n >= v");
        try {
            for (String condition : conditions) {
                for (String kind : List.of("JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN")) {
                    assertSame(directJoin -> {
                        table(table, directJoin).createOrReplaceTempView("t");
                        return TestSpark.spark()
                                .sql("SELECT * FROM (SELECT /*+ COALESCE(1) */ key, row_number() OVER (ORDER BY 1) AS n"
                                        + " FROM (SELECT explode(array(" + keys + ", null)) AS key) ) k " + kind
                                        + " t ON "
                                        + condition);
                    });
                }
            }
        } finally {
            conf.unset("spark.sql.codegen.wholeStage");
            conf.unset("spark.sql.codegen.factoryMode");
        }
    }

    @Test
    void compositeKeysAreLongerThanTheirColumns() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".pairs (a text, b text, v int, PRIMARY KEY ((a, b)))");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".pairs (a, b, v) VALUES ('', '', 1)");
        assertSame(directJoin -> {
            table("pairs", directJoin).createOrReplaceTempView("t");
            return TestSpark.spark()
                    .sql("SELECT n, v FROM (SELECT explode(array(0, 32764, 32765, 40000, 65535)) AS n) k"
                            + " LEFT JOIN t ON repeat('x', n) = a AND repeat('y', n) = b");
        });
    }

    @Test
    void aSmallTableOnlyInMemoryIsBroadcastAndNotLookedUpByManyKeys() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".small (id text PRIMARY KEY, v int)");
        for (String id : List.of("a", "b", "c")) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + ".small (id, v) VALUES ('" + id + "', 1)");
        }
        table("small", "auto").createOrReplaceTempView("t");
        Dataset<Row> joined = TestSpark.spark()
                .sql("SELECT count(*), sum(n) FROM (SELECT element_at(array('a', 'b', 'x'), cast(id % 3 AS int) + 1)"
                        + " AS key, id AS n FROM range(300000)) JOIN t ON key = id");
        assertThat(plan(joined)).contains("BroadcastHashJoin").doesNotContain("CassandraDirectJoin");
        assertThat(joined.collectAsList()).containsExactly(RowFactory.create(200_000L, 29_999_800_000L));
    }
}
