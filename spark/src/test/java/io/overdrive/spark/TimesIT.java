package io.overdrive.spark;

import static org.apache.spark.sql.functions.call_function;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.OneCaseIn;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Times to live and write times of cells, as columns and by functions. */
class TimesIT {
    private static final String KEYSPACE = "spark_times";
    private static final String BASIC = "cass." + KEYSPACE + ".basic";

    @BeforeAll
    static void fill() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql(
                "CREATE TABLE " + KEYSPACE + ".basic (k int, c int, s int STATIC, v int, v2 int, PRIMARY KEY (k, c))");
        for (int i = 1; i <= 9; i++) {
            TestSpark.cql("INSERT INTO %s.basic (k, c, v, v2) VALUES (%d, %d, %d, %d) USING TTL %d AND TIMESTAMP %d"
                    .formatted(KEYSPACE, i / 3, i, i, i, 1_000_000 * i, i));
        }
        TestSpark.cql("UPDATE " + KEYSPACE + ".basic USING TIMESTAMP 50 SET s = 7 WHERE k = 1");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".basic (k, c, v) VALUES (9, 9, 9) USING TIMESTAMP 99");
        TestSpark.cql("CREATE TABLE " + KEYSPACE
                + ".\"caseNames\" (\"Key\" int PRIMARY KEY, \"Value\" int, \"Dot.Value\" int, value int)");
        TestSpark.cql(
                "INSERT INTO " + KEYSPACE
                        + ".\"caseNames\" (\"Key\", \"Value\", \"Dot.Value\") VALUES (1, 2, 3) USING TTL 1000000 AND TIMESTAMP 10000");
        TestSpark.cql("CREATE TYPE " + KEYSPACE + ".fullname (firstname text, lastname text)");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".kinds (id int PRIMARY KEY, l list<int>, fl frozen<list<int>>,"
                + " m map<text, int>, fm frozen<map<text, int>>, s set<int>, fs frozen<set<int>>, u fullname,"
                + " fu frozen<fullname>, t tuple<int, int>, i int)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".kinds (id, l, fl, m, fm, s, fs, u, fu, t, i) VALUES (0, [2, 3],"
                + " [2, 3], {'four': 4, 'five': 5}, {'four': 4}, {6, 7}, {6, 7}, {firstname: 'Joe', lastname: 'Smith'},"
                + " {firstname: 'B', lastname: 'M'}, (1, 1), 1) USING TIMESTAMP 1000");
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".counts (id int PRIMARY KEY, n counter)");
    }

    private static List<Row> sql(String text) {
        return TestSpark.spark().sql(text).collectAsList();
    }

    private static Dataset<Row> basic() {
        return TestSpark.read(KEYSPACE, "basic");
    }

    @ParameterizedTest
    @ValueSource(strings = {"l", "fl", "m", "fm", "s", "fs", "u", "fu", "t", "i"})
    void readsTheTimesOfEachKindOfColumn(String column) {
        // the server has them for each element if each element is a separate cell
        boolean hasElements = List.of("l", "m", "s", "u").contains(column);
        Row times = sql("SELECT ttl(" + column + "), writetime(" + column + ") FROM cass." + KEYSPACE + ".kinds")
                .get(0);
        if (hasElements) {
            assertThat(times.getList(0)).containsExactly(null, null);
            assertThat(times.getList(1)).containsExactly(1000L, 1000L);
        } else {
            assertThat(times).isEqualTo(RowFactory.create(null, 1000L));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "SELECT sum(writetime(v)), count(ttl(v)), count(*) FROM @ | [144,9,10]",
                "SELECT writetime(v), TTL(v) > 7000000, WriteTime(v2), ttl(v2) > 7900000 FROM @ WHERE c = 8 | [8,true,8,true]",
                "SELECT v FROM @ WHERE writetime(v) > 50 AND ttl(v) IS NULL | [9]",
                "SELECT k, max(writetime(v)) FROM @ GROUP BY k HAVING min(writetime(v)) < 2 | [0,2]",
                "SELECT c FROM @ ORDER BY writetime(v) DESC LIMIT 1 | [9]",
                "SELECT count(*) FROM @ WHERE k = 1 AND writetime(s) = 50 | [3]",
                "SELECT x.v, writetime(x.v), writetime(y.v2) FROM @ x JOIN @ y ON x.k = y.k + 1 AND x.c = 3 AND y.c = 1 | [3,3,1]",
                "SELECT w.at, w.c FROM (SELECT *, writetime(v) AS at FROM @ WHERE c = 5) w | [5,5]",
                "SELECT writetime(v), `writetime(v)`, c FROM @ WHERE c = 4 | [4,4,4]",
                "SELECT CASE WHEN ttl(v) > 0 THEN 'ends' ELSE 'stays' END e, count(*) FROM @ GROUP BY 1 HAVING e = 'stays' | [stays,1]"
            })
    @OneCaseIn(4)
    void readsTimesBySql(String query, String expected) {
        assertThat(sql(query.replace("@", BASIC))).singleElement().hasToString(expected);
    }

    @Test
    void readsTimesByTheApi() {
        Row expected = RowFactory.create(3, 3L);
        Dataset<Row> three = basic().filter("c = 3");
        assertThat(three.select(col("c"), call_function("writetime", col("v"))).collectAsList())
                .containsExactly(expected);
        assertThat(three.select(col("c"), expr("writetime(v)")).collectAsList()).containsExactly(expected);
        assertThat(three.select(col("c"), three.metadataColumn("writetime(v)")).collectAsList())
                .containsExactly(expected);
        assertThat(three.withColumn("w", expr("writetime(v)")).select("c", "w").collectAsList())
                .containsExactly(expected);
        assertThat(three.withColumn("w", expr("writetime(v)"))
                        .select("v2", "w", "k", "c")
                        .collectAsList())
                .containsExactly(RowFactory.create(3, 3L, 1, 3));
        assertThat(three.select("v")
                        .select(call_function("writetime", col("v")))
                        .columns())
                .containsExactly("writetime(v)");
        assertThat(three.select("v").select(expr("writetime(v)")).collectAsList())
                .containsExactly(RowFactory.create(3L));
        assertThat(basic().agg(functions.sum(expr("writetime(v)"))).collectAsList())
                .containsExactly(RowFactory.create(144L));
    }

    @Test
    void readsTimesAsColumnsWithoutTheExtension() {
        assertThat(basic().filter("c = 3").select("`writetime(v2)`", "v").collectAsList())
                .containsExactly(RowFactory.create(3L, 3));
        assertThat(basic().filter("`ttl(v)` > 8500000").select("c").collectAsList())
                .containsExactly(RowFactory.create(9));
        assertThat(basic().columns()).containsExactly("k", "c", "v", "v2", "s");
    }

    @Test
    void readsTimesOfColumnsOfAnyName() {
        String names = "cass." + KEYSPACE + ".caseNames";
        assertThat(sql("SELECT ttl(`Dot.Value`) > 900000, writetime(`Dot.Value`), `Dot.Value` FROM " + names))
                .containsExactly(RowFactory.create(true, 10000L, 3));
        TestSpark.spark().conf().set("spark.sql.caseSensitive", "true");
        try {
            assertThat(sql("SELECT writetime(Value), writetime(value) FROM " + names))
                    .containsExactly(RowFactory.create(10000L, null));
        } finally {
            TestSpark.spark().conf().unset("spark.sql.caseSensitive");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT ttl(k) FROM @basic | ttl(k)",
                "SELECT writetime(c) FROM @basic | writetime(c)",
                "SELECT sum(ttl(v, v2)) FROM @basic | ttl() takes one column of a Cassandra table",
                "SELECT writetime() FROM @basic | writetime() takes one column of a Cassandra table",
                "SELECT writetime(v + 1) FROM @basic | writetime() takes one column of a Cassandra table",
                "SELECT writetime(1) | writetime() takes one column of a Cassandra table",
                "SELECT writetime(n) FROM @counts | writetime(n)",
                "SELECT writetime(id) FROM range(3) | writetime(id)",
                "SELECT ttl(x) FROM (SELECT v AS x FROM @basic) | ttl(x)",
                "SELECT writetime(w.v) FROM (SELECT * FROM @basic) w | writetime(v)"
            })
    void refusesColumnsWithoutTimes(String query, String words) {
        assertThatThrownBy(() -> sql(query.replace("@", "cass." + KEYSPACE + ".")))
                .hasMessageContaining(words);
    }

    /** The server would acknowledge these values, and hide them. */
    @Test
    void refusesWriteTimesFromBeforeAColumnWasDroppedAndAdded() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".dropped (k int PRIMARY KEY, v int)");
        String table = "cass." + KEYSPACE + ".dropped";
        sql("ALTER TABLE " + table + " DROP COLUMN v");
        sql("ALTER TABLE " + table + " ADD COLUMN v INT");
        for (String option : List.of("writetime = '1000'", "writetime = 'at'")) {
            String at = option.contains("at") ? ", 1000 AS at" : "";
            assertThatThrownBy(() -> sql("INSERT INTO " + table + " WITH (" + option + ") SELECT 1 AS k, 1 AS v" + at))
                    .rootCause()
                    .hasMessageContaining("column \"v\" was dropped at 2")
                    .hasMessageContaining("this one has the write time 1970-01-01T00:00:00.001Z (1000 microseconds)");
        }
        assertThat(sql("SELECT * FROM " + table)).isEmpty();
        sql("INSERT INTO " + table + " SELECT 1, 1");
        assertThat(sql("SELECT * FROM " + table)).containsExactly(RowFactory.create(1, 1));
    }

    @Test
    void writesTimesOfColumnsInAnyPlace() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".written (k int PRIMARY KEY, v int)");
        String table = "cass." + KEYSPACE + ".written";
        Dataset<Row> rows = TestSpark.spark().sql("SELECT 1000000 AS seconds, -1 AS v, 5000L AS micros, 1 AS k");
        rows.write()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "written")
                .option("ttl", "seconds")
                .option("writetime", "micros")
                .mode("append")
                .save();
        sql("INSERT INTO " + table + " WITH (writetime = 'at', ttl = 2000000) SELECT 2, 6000L AS at, -2");
        sql("INSERT INTO " + table
                + " WITH (writetime = 'at') BY NAME SELECT -3 AS v, 3 AS k, TIMESTAMP'1970-01-01 00:00:00.007Z' AS at");
        sql("INSERT INTO " + table + " WITH (`spark.cassandra.output.timestamp` = 8000) VALUES (4, -4)");
        assertThat(sql("SELECT k, v, writetime(v), floor(ttl(v) / 900000) FROM " + table + " ORDER BY k"))
                .containsExactly(
                        RowFactory.create(1, -1, 5000L, 1L),
                        RowFactory.create(2, -2, 6000L, 2L),
                        RowFactory.create(3, -3, 7000L, null),
                        RowFactory.create(4, -4, 8000L, null));
        assertThatThrownBy(() -> sql("INSERT INTO " + table + " WITH (ttl = 'v') SELECT 1, 'x'"))
                .hasMessageContaining("option \"ttl\" is \"v\", which is neither");
    }

    @Test
    void readsTimesByTheOptionsOfTheConnectorForSpark3() {
        Dataset<Row> read = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "basic")
                .option("writetime.v", "written")
                .option("ttl.v2", "left")
                .load()
                .filter("c = 8");
        assertThat(read.columns()).contains("v", "v2").endsWith("left", "written");
        assertThat(read.selectExpr("c", "written", "left > 7900000").collectAsList())
                .containsExactly(RowFactory.create(8, 8L, true));
        assertThat(read.filter("written > 7 AND left IS NOT NULL").count()).isEqualTo(1);
        assertThat(read.selectExpr("max(written)").collectAsList()).containsExactly(RowFactory.create(8L));
        assertThatThrownBy(() -> TestSpark.read(KEYSPACE, "basic", "ttl.k", "left"))
                .hasMessageContaining("option \"ttl.k\": table " + KEYSPACE
                        + ".basic has no such column outside the primary key; columns with a ttl are ");
        assertThatThrownBy(() -> TestSpark.read(KEYSPACE, "basic", "writetime.v", "v2"))
                .hasMessageContaining("names a column \"v2\", which table");
    }

    @Test
    void saysThatTimesNeedTheColumnAndNotAnAlias() {
        assertThatThrownBy(() -> sql("SELECT ttl(v) AS t, writetime(t) FROM " + BASIC))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("writetime() takes a column of a Cassandra table, and \"t\" is an alias in this SELECT:"
                        + " write writetime(column) with the table's column");
    }
}
