package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.OneCaseIn;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.spark.TestSpark;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every CQL type through Spark: values read from one table and written into another are equal, byte by byte. */
@Tag("server")
class WriteTypesIT {
    private static final String KEYSPACE = "spark_write_types";
    /** Times out of the range of Spark's timestamps. */
    private static final List<Instant> TOO_FAR =
            List.of(Instant.ofEpochMilli(Long.MIN_VALUE), Instant.ofEpochMilli(Long.MAX_VALUE));

    private static List<TypeSamples> zoo = List.of();

    @BeforeAll
    static void createTypes() {
        TestSpark.keyspace(KEYSPACE);
        TestSpark.cql(TypeZoo.udtDdl(KEYSPACE));
        zoo = TypeZoo.all(KEYSPACE).stream()
                .filter(type -> !type.name().equals("counter"))
                .toList();
    }

    private static void table(String name) {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + name + " (k int PRIMARY KEY, "
                + zoo.stream()
                        .map(type -> "c_" + type.name() + " " + type.cql())
                        .collect(Collectors.joining(", ")) + ")");
    }

    private static int fill(String table) {
        int rows = zoo.stream().mapToInt(type -> type.samples().size()).max().orElseThrow();
        PreparedStatement insert = TestSpark.overdrive()
                .session()
                .prepare("INSERT INTO " + KEYSPACE + "." + table + " (k, "
                        + zoo.stream().map(type -> "c_" + type.name()).collect(Collectors.joining(", ")) + ") VALUES (?"
                        + ", ?".repeat(zoo.size()) + ")");
        for (int k = 0; k < rows; k++) {
            BoundStatementBuilder row = insert.boundStatementBuilder(k);
            for (TypeSamples type : zoo) {
                Object value = k < type.samples().size() ? type.samples().get(k).value() : null;
                if (value != null && !TOO_FAR.contains(value)) {
                    var codec = TestSpark.overdrive()
                            .session()
                            .getContext()
                            .getCodecRegistry()
                            .codecFor(type.type(), value);
                    row = row.set("c_" + type.name(), value, codec);
                }
            }
            TestSpark.overdrive().session().execute(row.build());
        }
        return rows;
    }

    private static void write(Dataset<org.apache.spark.sql.Row> rows, String table) {
        rows.write()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", table)
                .mode("append")
                .save();
    }

    private static List<Row> rows(String table) {
        return TestSpark.cql("SELECT * FROM " + KEYSPACE + "." + table);
    }

    @Test
    void writesEveryValueAsItWasRead() {
        table("source");
        table("target");
        int count = fill("source");
        Dataset<org.apache.spark.sql.Row> read = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", "source")
                .option("textColumns", "c_varint,c_decimal")
                .load();
        write(read, "target");
        List<Row> expected = rows("source");
        List<Row> written = rows("target");
        assertThat(written).hasSize(count).hasSameSizeAs(expected);
        for (int r = 0; r < count; r++) {
            for (TypeSamples type : zoo) {
                String column = "c_" + type.name();
                assertThat(written.get(r).getBytesUnsafe(column))
                        .as(column + " of row " + expected.get(r).getInt("k"))
                        .isEqualTo(expected.get(r).getBytesUnsafe(column));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"int", "bigint", "float", "double", "smallint", "text"})
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are no vectors")
    @OneCaseIn(4)
    void writesAndReadsVectors(String element) throws Exception {
        String name = "vectors_of_" + element;
        String type = element.equals("text") ? "string" : element;
        String table = "cass." + KEYSPACE + "." + name;
        TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + name + " (id int PRIMARY KEY, v vector<" + element + ", 3>,"
                + " l list<frozen<vector<" + element + ", 2>>>)");
        Dataset<org.apache.spark.sql.Row> rows = TestSpark.spark()
                .sql("SELECT CAST(id AS INT) AS id, CAST(array(id, id + 1, id * 2) AS ARRAY<" + type + ">) AS v,"
                        + " CAST(array(array(id, 7), array(0, id)) AS ARRAY<ARRAY<" + type + ">>) AS l FROM range(4)");
        write(rows.filter("id < 2"), name);
        write(
                rows.filter("id = 2").withColumn("v", org.apache.spark.sql.functions.expr("CAST(v AS ARRAY<STRING>)")),
                name);
        rows.filter("id = 3").createOrReplaceTempView("last_vector");
        TestSpark.spark().sql("INSERT INTO " + table + " BY NAME SELECT * FROM last_vector");
        Dataset<org.apache.spark.sql.Row> read = TestSpark.spark().table(table).select("id", "v", "l");
        assertThat(read.orderBy("id").collectAsList()).isEqualTo(rows.collectAsList());
        assertThat(read.filter("v[1] = '2' and v = CAST(array(1, 2, 2) AS ARRAY<" + type + ">)")
                        .collectAsList())
                .isEqualTo(rows.filter("id = 1").collectAsList());
        assertThat(rows(name))
                .allSatisfy(row -> assertThat(row.getFormattedContents()).doesNotContain("NULL"));
        assertThatThrownBy(() -> TestSpark.spark().sql("INSERT INTO " + table + " (id, v) VALUES (9, array(1, 2))"))
                .hasMessageContaining("has 2 elements, must have 3");
    }

    @Test
    void namesTheTypeInSparkThatAColumnTakes() {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + ".cast (id int PRIMARY KEY, d date, l list<bigint>)");
        assertThatThrownBy(() -> write(TestSpark.spark().sql("SELECT 1 AS id, current_timestamp() AS d"), "cast"))
                .hasMessageContaining("column \"d\" is date, which timestamp does not fit: cast it to date");
        assertThatThrownBy(() -> write(TestSpark.spark().sql("SELECT 1 AS id, array(true) AS l"), "cast"))
                .hasMessageContaining("which boolean does not fit: cast it to array<bigint>");
    }

    @Test
    @DisabledIfSystemProperty(
            named = "overdrive.local.cassandra",
            matches = "4\\..*",
            disabledReason = "there are no vectors")
    void writesWhatSparkMakesItself() {
        table("made");
        write(
                TestSpark.spark()
                        .sql("SELECT 1L AS k, 'a' AS c_ascii, 5 AS c_text, 7L AS c_tinyint, '8' AS c_smallint,"
                                + " CAST(9 AS DECIMAL(5,1)) AS c_int, CAST(10 AS TINYINT) AS c_bigint, 11 AS c_varint, 1.50 AS c_decimal,"
                                + " 2.5 AS c_float, 3 AS c_double, 'TRUE' AS c_boolean, X'CAFE' AS c_blob,"
                                + " 'f81d4fae-7dec-41d0-a765-00a0c91e6bf6' AS c_uuid, '::1' AS c_inet, '2000-02-29' AS c_date,"
                                + " '12:34:56.789' AS c_time, TIMESTAMP '1969-12-31 23:59:59.999999 UTC' AS c_timestamp, '1mo2d' AS c_duration,"
                                + " array(1L, 2L) AS c_list_int, array('b', 'a', 'b') AS c_set_text, map('x', 1L) AS c_map_text_int,"
                                + " named_struct('a', 1, 'b', 'two', 'c', array(1.5)) AS c_tuple,"
                                + " named_struct('LEGS', 4, 'latin name', 'Felis', 'seen', DATE '1970-01-02') AS c_udt,"
                                + " array(1, 0.5, 0) AS c_vector_float"),
                "made");
        assertThat(rows("made")).singleElement().satisfies(row -> assertThat(row.getFormattedContents())
                .contains(
                        "k:1", "c_ascii:'a'", "c_text:'5'", "c_tinyint:7,", "c_smallint:8", "c_int:9,", "c_bigint:10,")
                .contains(
                        "c_varint:11",
                        "c_decimal:1.50",
                        "c_float:2.5",
                        "c_double:3.0",
                        "c_boolean:true",
                        "c_blob:0xcafe")
                .contains("c_inet:'0:0:0:0:0:0:0:1'", "c_date:'2000-02-29'", "c_time:'12:34:56.789000000'")
                .contains("c_timestamp:'1969-12-31T23:59:59.999Z'", "c_duration:1mo2d", "c_list_int:[1,2]")
                .contains("c_set_text:{'a','b'}", "c_map_text_int:{'x':1}", "c_tuple:(1,'two',[1.5])")
                .contains(
                        "legs:4,\"Latin Name\":'Felis'",
                        "seen:'1970-01-02T00:00:00.000Z'",
                        "c_vector_float:[1.0, 0.5, 0.0]"));
        assertThatThrownBy(
                        () -> write(TestSpark.spark().sql("SELECT 1 AS k, named_struct('arms', 2) AS c_udt"), "made"))
                .hasMessageContaining(
                        "column \"c_udt\" is creature, which has no field \"arms\"; its fields are name, legs");
        assertThatThrownBy(() -> write(TestSpark.spark().sql("SELECT 1 AS k, array(1, NULL) AS c_list_int"), "made"))
                .hasMessageContaining("column \"c_list_int\"")
                .hasMessageContaining("contains a null");
        assertThatThrownBy(() -> write(TestSpark.spark().sql("SELECT 1 AS k, array(1, 2) AS c_vector_float"), "made"))
                .hasMessageContaining("has 2 elements, must have 3");
    }
}
