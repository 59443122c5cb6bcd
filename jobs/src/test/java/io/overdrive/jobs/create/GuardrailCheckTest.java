package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.WriteOptions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GuardrailCheckTest {
    private static final String WAY_OUT =
            ". Change it there, connect to the target as a superuser, to whom guardrails do not"
                    + " apply, or leave the table out with except";
    private static final KeyspaceSchema SCHEMA = new KeyspaceSchema(
            CqlIdentifier.fromInternal("shop"),
            List.of(
                    new SchemaElement("keyspace", "shop", "CREATE KEYSPACE shop WITH replication = {'class': 'x'}"),
                    new SchemaElement(
                            "type", "place", "CREATE TYPE shop.place (\n    x int,\n    y int,\n    z int\n)"),
                    new SchemaElement("type", "stop", "CREATE TYPE shop.stop (\n    at frozen<place>\n)"),
                    new SchemaElement(
                            "table",
                            "narrow",
                            "CREATE TABLE shop.narrow (\n    id int PRIMARY KEY,\n    place text\n) WITH caching = {'keys':"
                                    + " 'ALL'}\n    AND cdc = false\n    AND comment = ''"),
                    new SchemaElement(
                            "table",
                            "trips",
                            "CREATE TABLE shop.trips (\n    id int,\n    n int,\n    stops map<int, frozen<stop>>,\n"
                                    + "    PRIMARY KEY (id, n)\n) WITH CLUSTERING ORDER BY (n ASC)"),
                    new SchemaElement(
                            "table",
                            "\"Wide\"",
                            "CREATE TABLE shop.\"Wide\" (\n    id int,\n    n int,\n    a int,\n    b vector<float, 200>,\n"
                                    + "    PRIMARY KEY (id, n)\n) WITH CLUSTERING ORDER BY (n ASC)"),
                    new SchemaElement("index", "i1", "CREATE INDEX i1 ON shop.narrow (place)"),
                    new SchemaElement("index", "i2", "CREATE INDEX i2 ON shop.narrow (place)"),
                    new SchemaElement(
                            "materialized_view",
                            "v1",
                            "CREATE MATERIALIZED VIEW shop.v1 AS\n    SELECT *\n    FROM shop.narrow\n    WHERE id IS NOT"
                                    + " NULL PRIMARY KEY (id)")));

    private final Map<String, String> refused = new LinkedHashMap<>();

    private static GuardrailCheck check(String... settings) {
        Map<String, String> values = new LinkedHashMap<>();
        Arrays.stream(settings).map(each -> each.split("=", 2)).forEach(each -> values.put(each[0], each[1]));
        return new GuardrailCheck(new Guardrails(values, /* apply */ true, /* isHidden */ false));
    }

    private List<String> schema(Set<String> existing, String... settings) {
        refused.clear();
        GuardrailCheck check = check(settings);
        check.schema(
                SCHEMA,
                Stream.of("Wide", "narrow", "trips")
                        .map(CqlIdentifier::fromInternal)
                        .toList(),
                existing,
                () -> 10);
        check.refused()
                .forEach((table, why) -> refused.put(table.asCql(/* pretty */ true), String.valueOf(why.getMessage())));
        return check.warnings();
    }

    @Test
    void saysNothingWithoutGuardrails() {
        assertThat(schema(Set.of())).isEmpty();
        assertThat(refused).isEmpty();
        assertThat(check().rows(/* keepsTimes */ true)).isEmpty();
        assertThat(check().partitions(() -> Map.of("orders", 1000L << 20), "one node"))
                .isEmpty();
        check().refuseAll(WriteOptions.into("shop", "narrow").build());
    }

    @Test
    void refusesTablesWithTooManyColumns() {
        List<String> warned =
                schema(Set.of(), "columns_per_table_fail_threshold=3", "columns_per_table_warn_threshold=2");
        assertThat(refused)
                .isEqualTo(Map.of(
                        "\"Wide\"",
                        "the target's guardrail columns_per_table refuses the table: it has 4 columns, at most 3"
                                + " (columns_per_table_fail_threshold)" + WAY_OUT));
        assertThat(warned)
                .containsExactly(
                        "the target warns of more columns of a table than 2 (columns_per_table_warn_threshold):"
                                + " trips has 3");
    }

    /** The server counts the tables of all keyspaces, in the order in which they are created. */
    @Test
    void refusesTheTablesThatAreTooMany() {
        schema(Set.of(), "tables_fail_threshold=11");
        assertThat(refused).containsOnlyKeys("narrow", "trips");
        assertThat(refused.get("narrow"))
                .contains("the cluster would have 12 tables, at most 11 (tables_fail_threshold)");
        schema(Set.of("table \"Wide\""), "tables_fail_threshold=11");
        assertThat(refused).containsOnlyKeys("trips");
        schema(Set.of("table \"Wide\"", "table narrow", "table trips"), "tables_fail_threshold=1");
        assertThat(refused).isEmpty();
    }

    @Test
    void refusesTablesWhoseTypesHaveTooManyFields() {
        schema(Set.of(), "fields_per_udt_fail_threshold=2");
        assertThat(refused).as("a column named as the type is none of the type").containsOnlyKeys("trips");
        assertThat(refused.get("trips"))
                .contains("guardrail fields_per_udt refuses the table: type stop has a field of type place, which has 3"
                        + " fields, at most 2 (fields_per_udt_fail_threshold)");
        schema(Set.of("type place"), "fields_per_udt_fail_threshold=2");
        assertThat(refused).isEmpty();
    }

    @Test
    void refusesVectorsAndOptions() {
        schema(Set.of(), "vector_dimensions_fail_threshold=100", "table_properties_disallowed=[caching, cdc]");
        assertThat(refused.get("\"Wide\"")).contains("a vector has 200 dimensions, at most 100");
        assertThat(refused.get("narrow"))
                .as("cdc is left out in any case")
                .contains("options that are not allowed (table_properties_disallowed): caching;");
        schema(Set.of(), "vector_type_enabled=false");
        assertThat(refused).containsOnlyKeys("\"Wide\"");
    }

    @Test
    void warnsOfIndexesAndViewsThatCannotFollowTheRows() {
        assertThat(schema(Set.of(), "secondary_indexes_per_table_fail_threshold=1", "materialized_views_enabled=false"))
                .containsExactly(
                        "the target will not create these when the rows are there, as a table may have 1"
                                + " (secondary_indexes_per_table_fail_threshold): index i2",
                        "the target will not create these when the rows are there, as materialized_views_enabled is"
                                + " false: materialized view v1");
        assertThat(schema(Set.of(), "secondary_indexes_enabled=false"))
                .singleElement()
                .asString()
                .endsWith("as secondary_indexes_enabled is false: index i1, index i2");
        assertThat(refused).isEmpty();
    }

    @Test
    void namesTheLimitsOfRows() {
        GuardrailCheck check = check(
                "column_value_size_fail_threshold=2KiB",
                "items_per_collection_fail_threshold=3",
                "items_per_collection_warn_threshold=2",
                "minimum_timestamp_fail_threshold=1h");
        String values = "the target refuses values of more than 2KiB (column_value_size_fail_threshold), collections of"
                + " more than 3 (items_per_collection_fail_threshold) elements: such rows are rejected, with the reason."
                + " How many there are is not known before they are read";
        String warned = "the target logs a warning for collections of more than 2 (items_per_collection_warn_threshold)"
                + " elements";
        assertThat(check.rows(/* keepsTimes */ false)).containsExactly(values, warned);
        assertThat(check.rows(/* keepsTimes */ true))
                .containsExactly(
                        values,
                        warned,
                        "the target refuses values that were written more than 1h (minimum_timestamp_fail_threshold)"
                                + " ago, and their times are kept: such rows are rejected");
    }

    @Test
    void refusesARunOfWhichEachRowWouldBeRefused() {
        WriteOptions all = WriteOptions.into("shop", "narrow")
                .consistency(ConsistencyLevel.ALL)
                .build();
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() ->
                        check("write_consistency_levels_disallowed=[ANY, ALL]").refuseAll(all))
                .withMessage("the target's guardrail write_consistency_levels does not allow ALL"
                        + " (write_consistency_levels_disallowed): choose another level with consistency");
        assertThatExceptionOfType(OverdriveException.class)
                .isThrownBy(() -> check("user_timestamps_enabled=false").refuseAll(all))
                .withMessageContaining("user_timestamps refuses each row");
    }

    @Test
    void saysWherePartitionsAreKnownFrom() {
        GuardrailCheck check = check("partition_size_fail_threshold=1MiB");
        String begin =
                "the target logs partitions of more than 1MiB (partition_size_fail_threshold), and refuses none: ";
        assertThat(check.partitions(() -> Map.of("orders", 1L << 20), "one node"))
                .isEmpty();
        assertThat(check.partitions(() -> Map.of("orders", (7L << 20) + 1000, "audit", 0L), "one node"))
                .containsExactly(begin + "orders about 7 MiB (one node)");
        assertThat(check.partitions(Map::of, "one node"))
                .containsExactly(begin + "the largest ones of the source are not known");
    }

    @Test
    void comparesTheLargestRows() {
        Guardrails source =
                new Guardrails(Map.of("max_mutation_size", "16384KiB"), /* apply */ false, /* isHidden */ false);
        assertThat(check("max_mutation_size=16MiB").mutations(source)).isEmpty();
        assertThat(check().mutations(source)).isEmpty();
        assertThat(check("max_mutation_size=1024KiB").mutations(source))
                .containsExactly("the target takes rows of at most 1024KiB (max_mutation_size), the source of 16384KiB:"
                        + " larger ones are rejected. Whether there are any is not known before they are read");
    }
}
