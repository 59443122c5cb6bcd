package io.overdrive.spark.cell;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SparkTypesTest {
    private static final DataType INT = com.datastax.oss.driver.api.core.type.DataTypes.INT;
    private static final DataType VARINT = com.datastax.oss.driver.api.core.type.DataTypes.VARINT;

    private static List<String> notNullable(StructType schema) {
        return java.util.Arrays.stream(schema.fields())
                .filter(field -> !field.nullable())
                .map(StructField::name)
                .toList();
    }

    @Test
    void onlyKeyColumnsAreNotNullable() {
        List<Column> columns = List.of(
                new Column("p", INT, Role.PARTITION_KEY),
                new Column("c", INT, Role.CLUSTERING),
                new Column("v", INT, Role.REGULAR));
        assertThat(notNullable(SparkTypes.schema(new TableSchema("ks", "t", columns), Set.of())))
                .containsExactly("p", "c");
    }

    /** A partition that has only static columns is a row whose clustering columns are null. */
    @Test
    void clusteringColumnsAreNullableIfThereAreStaticColumns() {
        List<Column> columns = List.of(
                new Column("p", INT, Role.PARTITION_KEY),
                new Column("c", INT, Role.CLUSTERING),
                new Column("s", INT, Role.STATIC));
        assertThat(notNullable(SparkTypes.schema(new TableSchema("ks", "t", columns), Set.of())))
                .containsExactly("p");
    }

    @Test
    void readsChosenColumnsAsText() {
        List<Column> columns =
                List.of(new Column("p", VARINT, Role.PARTITION_KEY), new Column("v", VARINT, Role.REGULAR));
        StructType schema = SparkTypes.schema(new TableSchema("ks", "t", columns), Set.of("v"));
        assertThat(schema.apply("p").dataType()).isEqualTo(DataTypes.createDecimalType(38, 0));
        assertThat(schema.apply("v").dataType()).isEqualTo(DataTypes.StringType);
    }

    /** The setting of a session may be meant for another table. */
    @Test
    void readsColumnsOfOtherTypesAsWhatTheyAre() {
        List<Column> columns = List.of(
                new Column("p", INT, Role.PARTITION_KEY),
                new Column("l", com.datastax.oss.driver.api.core.type.DataTypes.listOf(VARINT), Role.REGULAR));
        StructType schema = SparkTypes.schema(new TableSchema("ks", "t", columns), Set.of("p", "l"));
        assertThat(schema.apply("p").dataType()).isEqualTo(DataTypes.IntegerType);
        assertThat(schema.apply("l").dataType())
                .isEqualTo(DataTypes.createArrayType(DataTypes.createDecimalType(38, 0)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INT | int",
                "BIGINT | bigint",
                "STRING | text",
                "VARCHAR(10) | text",
                "BINARY | blob",
                "TIMESTAMP | timestamp",
                "DATE | date",
                "FLOAT | float",
                "DECIMAL(10, 2) | decimal",
                "DECIMAL(38, 0) | varint",
                "DECIMAL(20, 0) | decimal",
                "ARRAY<INT> | list<int>",
                "ARRAY<ARRAY<INT>> | list<frozen<list<int>>>",
                "MAP<STRING, ARRAY<BOOLEAN>> | map<text, frozen<list<boolean>>>",
                "MAP<ARRAY<TINYINT>, SMALLINT> | map<frozen<list<tinyint>>, smallint>"
            })
    void createsColumnsOfTheCqlType(String spark, String cql) {
        assertThat(SparkTypes.cqlType(org.apache.spark.sql.types.DataType.fromDDL(spark)))
                .isEqualTo(cql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"STRUCT<a: INT>", "TIMESTAMP_NTZ", "ARRAY<STRUCT<a: INT>>", "MAP<STRING, TIMESTAMP_NTZ>"})
    void createsNoColumnsOfTypesThatCassandraDoesNotHave(String spark) {
        assertThat(SparkTypes.cqlType(org.apache.spark.sql.types.DataType.fromDDL(spark)))
                .isNull();
    }

    @Test
    void quotesNamesThatSparkWouldTakeApart() {
        assertThat(SparkTypes.quoted("a.b")).isEqualTo("`a.b`");
        assertThat(SparkTypes.quoted("a`b")).isEqualTo("`a``b`");
    }
}
