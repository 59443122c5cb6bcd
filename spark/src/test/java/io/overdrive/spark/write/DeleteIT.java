package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Grouping;
import io.overdrive.OneCaseIn;
import io.overdrive.WriteOptions;
import io.overdrive.spark.TestSpark;
import io.overdrive.spark.config.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import scala.jdk.javaapi.CollectionConverters;

@Tag("server")
class DeleteIT {
    private static final String KEYSPACE = "spark_delete_it";
    private static final String TABLE = "cass." + KEYSPACE + ".t";

    @BeforeAll
    static void create() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".t (a int, b text, c int, \"D\" timestamp, v text, s text STATIC,"
                + " PRIMARY KEY ((a, b), c, \"D\"))");
    }

    private static void delete(String table, String condition) {
        TestSpark.spark().sql("DELETE FROM " + table + " WHERE " + condition);
    }

    private static Dataset<Row> rows() {
        return TestSpark.spark()
                .sql(
                        "SELECT CAST(a AS INT), b, CAST(c AS INT), TIMESTAMP '2020-01-01 00:00:00' + make_dt_interval(d) AS D,"
                                + " concat(a, b, c, d) AS v"
                                + " FROM range(4) AS x(a), (VALUES ('x'), ('y'), ('its')) AS y(b), range(5) AS z(c),"
                                + " range(3) AS w(d)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a = 1 AND b = 'x'",
                "a IN (0, 2, 99) AND b IN ('x', 'its')",
                "a = 1 AND b = 'y' AND c = 3",
                "a = 1 AND b = 'y' AND c IN (0, 4)",
                "a IN (1, 2) AND b = 'y' AND c > 1 AND c <= 3",
                "b = 'x' AND c = 2 AND 3 = a AND D >= TIMESTAMP '2020-01-02 00:00:00'",
                "a = 1 AND b = 'x' AND c IN (1, 2) AND D < TIMESTAMP '2020-01-02 00:00:00.000001'",
                "a = 1 AND b = 'x' AND c = 1 AND D = TIMESTAMP '2020-01-02 00:00:00'",
                "a IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) AND b = 'x'",
                "a = 1 AND b = 'x' AND b IS NOT NULL",
                "a = 1 AND b = NULL",
                "1 = 2",
                "1 = 1"
            })
    @OneCaseIn(4)
    void deletesTheRowsThatSparkWouldDelete(String condition) throws Exception {
        TestSpark.cql("TRUNCATE " + KEYSPACE + ".t");
        Dataset<Row> all = rows();
        all.writeTo(TABLE).append();
        delete(TABLE, condition);
        assertThat(TestSpark.spark().sql("SELECT a, b, c, D, v FROM " + TABLE).collectAsList())
                .containsExactlyInAnyOrderElementsOf(
                        all.filter("NOT coalesce(" + condition + ", FALSE)").collectAsList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a = 1 | there is no = or IN for \"b\"",
                "a = 1 AND b > 'x' | there is no = or IN for \"b\"",
                "a = 1 AND b = 'x' AND v = 'z' | Cassandra cannot delete by v = 'z'",
                "a = 1 AND b = 'x' AND D = TIMESTAMP '2020-01-02 00:00:00' | Cassandra cannot delete by D = ",
                "a = 1 AND b = 'x' AND c > 1 AND D > TIMESTAMP '2020-01-02 00:00:00' | Cassandra cannot delete by D > ",
                "a = 1 AND b = 'x' AND c != 1 | Cassandra cannot delete by",
                "(a = 1 OR a = 2) AND b = 'x' | there is no = or IN for \"a\""
            })
    void refusesWhatCassandraCannotDelete(String condition, String reason) {
        assertThatThrownBy(() -> delete(TABLE, condition))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("[" + KEYSPACE + ".t] cannot delete where ")
                .hasMessageContaining(reason)
                .hasMessageEndingWith(". Partitions can be deleted by = or IN for a, b, and rows in them by ="
                        + " or IN for the first of c, D and a range for the next; Spark cannot find other rows and"
                        + " delete each: all rows of a partition share static column \"s\", and a partition may have no"
                        + " other rows than it; write or delete by partition key");
    }

    @Test
    void saysThatEqualDecimalsAreDifferentKeys() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".prices (price decimal, c int, PRIMARY KEY (price, c))");
        assertThatThrownBy(() -> delete("cass." + KEYSPACE + ".prices", "price = 1 AND c = 2"))
                .hasMessage("[" + KEYSPACE + ".prices] cannot delete where price = 1.000000000000000000 AND c = 2:"
                        + " Cassandra cannot delete by price = 1.000000000000000000. Of a decimal, equal values like"
                        + " 1.0 and 1.00 are different keys: delete these rows with CQL; Spark cannot find other rows"
                        + " and delete each: key column \"price\" is decimal, of which a value in Spark may stand for"
                        + " several keys");
    }

    @Test
    void deletesThousandsOfKeysOfOddNamesAndTypes() throws Exception {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".odd (\"Key\" uuid PRIMARY KEY, \"select\" varint)");
        List<Row> rows = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            String uuid = new java.util.UUID(i, i * 31L).toString();
            rows.add(RowFactory.create(uuid, i));
            if (i % 3 != 0) {
                gone.add("'" + uuid + "'");
            }
        }
        TestSpark.spark()
                .createDataFrame(rows, org.apache.spark.sql.types.StructType.fromDDL("Key STRING, `select` INT"))
                .writeTo("cass." + KEYSPACE + ".odd")
                .append();
        delete("cass." + KEYSPACE + ".odd", "key IN (" + String.join(", ", gone) + ")");
        assertThat(TestSpark.cql("SELECT * FROM " + KEYSPACE + ".odd")).hasSize(1000);
    }

    @Test
    void deletesFromATableOfCounters() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".counters (id int PRIMARY KEY, n counter)");
        TestSpark.cql("UPDATE " + KEYSPACE + ".counters SET n = n + 1 WHERE id = 1");
        TestSpark.cql("UPDATE " + KEYSPACE + ".counters SET n = n + 1 WHERE id = 2");
        delete("cass." + KEYSPACE + ".counters", "id = 1");
        assertThat(TestSpark.cql("SELECT * FROM " + KEYSPACE + ".counters")).hasSize(1);
    }

    @Test
    void emptiesATableWithoutACondition() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".emptied (id int PRIMARY KEY)");
        TestSpark.cql("INSERT INTO " + KEYSPACE + ".emptied (id) VALUES (1)");
        TestSpark.spark().sql("DELETE FROM cass." + KEYSPACE + ".emptied");
        assertThat(TestSpark.cql("SELECT * FROM " + KEYSPACE + ".emptied")).isEmpty();
    }

    @Test
    void refusesToChangeAMaterializedView() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".base (id int PRIMARY KEY, v int)");
        TestSpark.cql("CREATE MATERIALIZED VIEW " + KEYSPACE + ".by_v AS SELECT * FROM " + KEYSPACE + ".base"
                + " WHERE v IS NOT NULL AND id IS NOT NULL PRIMARY KEY (v, id)");
        assertThatThrownBy(() -> delete("cass." + KEYSPACE + ".by_v", "v = 1"))
                .hasMessageContaining("is a materialized view of base: it can be read, and cannot be changed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "text | 'a' | ''",
                "ascii | 'a' | 'é'",
                "timeuuid | e2f0a2c0-0c9b-11ee-be56-0242ac120002 | '4f0d5b3e-7f4c-4d2a-9a53-0a1b2c3d4e5f'",
                "uuid | e2f0a2c0-0c9b-11ee-be56-0242ac120002 | 'no uuid'",
            })
    void deletesNothingByImpossibleKeys(String type, String key, String impossible) {
        String table = KEYSPACE + ".of_" + type;
        TestSpark.cql("CREATE TABLE " + table + " (id " + type + " PRIMARY KEY, v int)");
        TestSpark.cql("INSERT INTO " + table + " (id, v) VALUES (" + key + ", 1)");
        delete("cass." + table, "id = " + impossible);
        assertThat(TestSpark.cql("SELECT v FROM " + table)).hasSize(1);
        delete("cass." + table, "id IN (" + impossible + ", '" + key.replace("'", "") + "')");
        assertThat(TestSpark.cql("SELECT v FROM " + table)).isEmpty();
    }

    private static void append(Dataset<Row> rows) {
        rows.write()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "t")
                .mode("append")
                .save();
    }

    private static void deleteKeys(Dataset<Row> keys, String table, String... options) {
        var writer =
                keys.write().format("cassandra").option("keyspace", KEYSPACE).option("table", table);
        writer.option("delete", "true");
        for (int i = 0; i < options.length; i += 2) {
            writer.option(options[i], options[i + 1]);
        }
        writer.mode("append").save();
    }

    /** Partitions, rows with the same first clustering columns, and single rows. */
    @ParameterizedTest
    @ValueSource(strings = {"b, a", "a, b, c", "c, b, a, D"})
    void deletesTheKeysOfADataFrame(String columns) {
        TestSpark.cql("TRUNCATE " + KEYSPACE + ".t");
        Dataset<Row> all = rows();
        append(all);
        String condition = columns.contains("D")
                ? "a > 1 AND c IN (1, 3) AND D < TIMESTAMP '2020-01-03 00:00:00'"
                : columns.contains("c") ? "b = 'x' AND c > 2" : "a = 2 AND b != 'y'";
        Dataset<Row> keys = all.filter(condition).selectExpr(columns.split(", "));
        deleteKeys(keys, "t");
        assertThat(TestSpark.spark().sql("SELECT a, b, c, D, v FROM " + TABLE).collectAsList())
                .hasSizeLessThan((int) all.count())
                .containsExactlyInAnyOrderElementsOf(
                        all.filter("NOT (" + condition + ")").collectAsList());
    }

    /** Rows with a later write time are kept. */
    @Test
    void deletesKeysAtTheWriteTimeOfEachRow() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".timed (id int PRIMARY KEY, v int)");
        for (int id = 0; id < 4; id++) {
            TestSpark.cql("INSERT INTO " + KEYSPACE + ".timed (id, v) VALUES (" + id + ", 0) USING TIMESTAMP 100");
        }
        Dataset<Row> keys = TestSpark.spark().range(3).selectExpr("cast(id AS int) id", "id * 100 AS at");
        deleteKeys(keys, "timed", "writetime", "at");
        assertThat(TestSpark.cql("SELECT id FROM " + KEYSPACE + ".timed").stream()
                        .map(row -> row.getInt(0)))
                .containsExactlyInAnyOrder(0, 3);
    }

    /** The first stage of the job writes the rows, before the tasks start that delete. */
    @ParameterizedTest
    @ValueSource(strings = {"", "CAST(NULL AS BIGINT)", "NULL"})
    void keepsWhatIsWrittenSinceTheJobStartedIfKeysHaveNoWriteTime(String writeTime) {
        SparkSession spark = TestSpark.spark();
        String name = "rewritten_" + writeTime.replaceAll("\\W", "_").toLowerCase(Locale.ROOT);
        String table = KEYSPACE + "." + name;
        TestSpark.cql("CREATE TABLE " + table + " (id int PRIMARY KEY, v int)");
        TestSpark.cql("INSERT INTO " + table + " (id, v) VALUES (3, 0)");
        UDF1<Integer, Integer> write = id -> {
            TestSpark.cql("INSERT INTO " + table + " (id, v) VALUES (" + id + ", 1)");
            return id;
        };
        spark.udf()
                .register(
                        "written",
                        functions
                                .udf(write, org.apache.spark.sql.types.DataTypes.IntegerType)
                                .asNondeterministic());
        Dataset<Row> keys = spark.range(3)
                .selectExpr("written(cast(id AS int)) id")
                .union(spark.sql("SELECT 3 id"))
                .repartition(2);
        // otherwise the first stage is run where Spark plans the job
        spark.conf().set("spark.sql.adaptive.enabled", "false");
        try {
            if (writeTime.isEmpty()) {
                deleteKeys(keys, name);
            } else {
                deleteKeys(keys.selectExpr("id", writeTime + " AS at"), name, "writetime", "at");
            }
        } finally {
            spark.conf().unset("spark.sql.adaptive.enabled");
        }
        assertThat(TestSpark.cql("SELECT id FROM " + table).stream().map(row -> row.getInt(0)))
                .containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void deletesKeysOfCounters() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".counted (id int PRIMARY KEY, n counter)");
        for (int id = 0; id < 4; id++) {
            TestSpark.cql("UPDATE " + KEYSPACE + ".counted SET n = n + 1 WHERE id = " + id);
        }
        deleteKeys(TestSpark.spark().range(3).selectExpr("cast(id AS int) id"), "counted");
        assertThat(TestSpark.cql("SELECT id FROM " + KEYSPACE + ".counted")).hasSize(1);
    }

    @Test
    void deletionsOfRddsObeyTheSettingsOfWrites() {
        Map<String, String> given =
                Map.of("writeMBPerSecond", "2", "groupingMemoryMB", "1", "batchRows", "7", "grouping", "none");
        Map<String, String> session = new HashMap<>();
        CollectionConverters.asJava(TestSpark.spark().conf().getAll()).forEach(session::put);
        WriteOptions options = RddDelete.plan(
                        Settings.of(given, session),
                        TestSpark.overdrive().table(KEYSPACE, "t"),
                        List.of(),
                        List.of("a", "b"),
                        new Fields())
                .options();
        assertThat(options.bytesPerSecond()).isEqualTo(2 << 20);
        assertThat(options.groupingMemory()).isEqualTo(1 << 20);
        assertThat(options.batchRows()).isEqualTo(7);
        assertThat(options.grouping()).isEqualTo(Grouping.NONE);
    }

    /** Fields of rows that are never read. */
    private static final class Fields implements ObjectFields<Object> {
        private static final long serialVersionUID = 1;

        @Override
        public void read(Object row, @Nullable Object[] fields) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable Object convert(@Nullable Object value, DataType type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable Long writeTime(@Nullable Object value) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable Integer timeToLive(@Nullable Object value) {
            throw new UnsupportedOperationException();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a, c", "a, b, D", "a, b, v", "a, b, 1 AS other"})
    void refusesToDeleteByOtherColumnsThanTheFirstOfTheKey(String columns) {
        Dataset<Row> keys = rows().selectExpr(columns.split(", "));
        assertThatThrownBy(() -> deleteKeys(keys, "t"))
                .hasMessageContaining(
                        "option \"delete\" needs the whole partition key, \"a\", \"b\", maybe followed by the"
                                + " first of the clustering columns \"c\", \"D\", and no other columns: select them");
    }

    @Test
    void refusesToDeleteByASettingOfTheSession() {
        TestSpark.spark().conf().set("spark.overdrive.delete", "true");
        try {
            assertThatThrownBy(() -> append(rows())).hasMessageContaining("set it as option of a write");
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.delete");
        }
        assertThatThrownBy(() -> rows().select("a", "b")
                        .write()
                        .format("cassandra")
                        .option("keyspace", KEYSPACE)
                        .option("table", "t")
                        .option("delete", "true")
                        .option("confirm.truncate", "true")
                        .mode("overwrite")
                        .save())
                .hasMessageContaining("use mode append");
    }
}
