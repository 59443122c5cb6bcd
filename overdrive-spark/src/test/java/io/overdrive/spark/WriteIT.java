package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class WriteIT {
    private static final String KEYSPACE = "spark_write";

    @BeforeAll
    static void makeKeyspace() {
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
    void matchesColumnsByNameInAnyOrderAndLeavesThoseThatAreNotThereAlone() {
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
    void namesTheColumnsWhereTheyDoNotMatch() {
        table("misfits", "p int, c int, v text, PRIMARY KEY (p, c)");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 2 AS c, 3 AS x"), "misfits"))
                .hasMessageContaining("has no column \"x\"; its columns are \"p\", \"c\", \"v\"");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 'v' AS v"), "misfits"))
                .hasMessageContaining("primary key column \"c\" is missing")
                .hasMessageContaining("The columns to write are \"p\", \"v\"");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, array(2) AS c"), "misfits"))
                .hasMessageContaining("column \"c\" is int")
                .hasMessageContaining("array<int>");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, CAST(NULL AS INT) AS c"), "misfits"))
                .hasMessageContaining("key column \"c\" is null in a row to write");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, '4o' AS c"), "misfits"))
                .hasMessageContaining("column \"c\" cannot take the string 4o");
        assertThatThrownBy(() -> append(sql("SELECT 1 AS p, 3000000000 AS c"), "misfits"))
                .hasMessageContaining(
                        "column \"c\" cannot take the bigint 3000000000: must be -2147483648 to 2147483647");
    }

    @Test
    void deletesWhereThereIsANullUnlessNullsAreToBeIgnored() {
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
    void overwritesOnlyWhenThatIsConfirmed() {
        table("over", "k int PRIMARY KEY, v text");
        append(sql("SELECT id AS k, 'old' AS v FROM range(10)"), "over");
        Dataset<Row> one = sql("SELECT 3 AS k, 'new' AS v");
        assertThatThrownBy(() -> writer(one, "over").mode("overwrite").save()).hasMessageContaining("confirm.truncate");
        assertThat(rows("SELECT k FROM over")).hasSize(10);
        writer(one, "over", "confirm.truncate", "true").mode("overwrite").save();
        assertThat(rows("SELECT k, v FROM over")).containsExactly("[k:3, v:'new']");
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
}
