package io.overdrive.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;

class TableDdlTest {
    private static final Identifier IDENT = Identifier.of(new String[] {"ks"}, "Visits");
    private static final Column[] COLUMNS = {
        Column.create("town", DataTypes.StringType),
        Column.create("At", DataTypes.TimestampType),
        Column.create("cost", DataTypes.createDecimalType(10, 2))
    };

    private static String create(Map<String, String> properties, String... partitionedBy) {
        Transform[] partitions = java.util.Arrays.stream(partitionedBy)
                .map(Expressions::identity)
                .toArray(Transform[]::new);
        return TableDdl.create(IDENT, COLUMNS, partitions, properties);
    }

    @Test
    void createsTheKeyFromTheClauseAndTheProperties() {
        assertThat(create(Map.of("clustering_key", "AT.desc"), "TOWN"))
                .isEqualTo("CREATE TABLE ks.\"Visits\" (town text, \"At\" timestamp, cost decimal,"
                        + " PRIMARY KEY ((town), \"At\")) WITH CLUSTERING ORDER BY (\"At\" DESC)");
        assertThat(create(Map.of("partition_key", "town, at")))
                .isEqualTo("CREATE TABLE ks.\"Visits\" (town text, \"At\" timestamp, cost decimal,"
                        + " PRIMARY KEY ((town, \"At\")))");
    }

    @Test
    void writesOptionsAsCqlLiterals() {
        String cql = create(
                Map.of(
                        "comment", "it's 5",
                        "gc_grace_seconds", "3600",
                        "compaction", "{class=LeveledCompactionStrategy,max_threshold=11}",
                        "caching", "{\"keys\": \"ALL\"}",
                        "speculative_retry", "99p",
                        "owner", "ann",
                        "cql.type.cost", "varint"),
                "town");
        assertThat(cql)
                .contains("cost varint")
                .endsWith(" WITH caching = {'keys': 'ALL'} AND comment = 'it''s 5' AND compaction = {'class':"
                        + " 'LeveledCompactionStrategy', 'max_threshold': '11'} AND gc_grace_seconds = 3600"
                        + " AND speculative_retry = '99p'");
    }

    /** A text column of Cassandra compares bytes: WHERE, GROUP BY and joins would find other rows than the definition says. */
    @Test
    void refusesCollationsWhereverTheyAre() {
        String prefix = "table ks.Visits cannot be created: ";
        for (String type : List.of(
                "STRING COLLATE UTF8_LCASE",
                "ARRAY<STRING COLLATE UTF8_LCASE>",
                "MAP<INT, STRING COLLATE UNICODE_CI>",
                "STRUCT<f: STRING COLLATE UTF8_LCASE>")) {
            Column[] columns = {
                Column.create("id", DataTypes.IntegerType), Column.create("s", DataType.fromDDL(type)),
            };
            Transform[] partitions = {Expressions.identity("id")};
            for (Map<String, String> properties : List.of(Map.<String, String>of(), Map.of("cql.type.s", "text"))) {
                assertThatIllegalArgumentException()
                        .as(type)
                        .isThrownBy(() -> TableDdl.create(IDENT, columns, partitions, properties))
                        .withMessageStartingWith(prefix + "column \"s\" is ")
                        .withMessageEndingWith(", but Cassandra has no collations, and compares text byte by byte:"
                                + " remove COLLATE, or cast the column to a type without");
            }
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("collation", "UTF8_LCASE"), "town"))
                .withMessage(prefix + "DEFAULT COLLATION is UTF8_LCASE, but Cassandra has no collations, and compares"
                        + " text byte by byte: remove the clause");
        assertThat(create(Map.of("collation", "UTF8_BINARY"), "town")).doesNotContain("collation");
    }

    @Test
    void refusesKeysThatAreMissingContradictoryOrUnknown() {
        String prefix = "table ks.Visits cannot be created: ";
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of()))
                .withMessage(
                        prefix + "it needs a partition key: PARTITIONED BY (column), or the property partition_key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("partition_key", "cost"), "town"))
                .withMessage(
                        prefix
                                + "PARTITIONED BY says the partition key is [town], and the property partition_key says [cost]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("clustering_key", "when"), "town"))
                .withMessage(
                        prefix + "property clustering_key names column \"when\", but the columns are town, At, cost");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("clustering_key", "town"), "town"))
                .withMessage(prefix + "column \"town\" is in the partition key and in clustering_key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> create(Map.of("my option", "1"), "town"))
                .withMessageStartingWith(prefix + "property \"my option\" is neither a table option of Cassandra nor ");
    }
}
