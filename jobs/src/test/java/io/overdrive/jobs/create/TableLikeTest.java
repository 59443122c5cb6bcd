package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.overdrive.OverdriveException;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.TypeSamples;
import io.overdrive.internal.codec.TypeCql;
import io.overdrive.jobs.Mapping;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The statements that create a table like another one, and which tables are not like it. */
class TableLikeTest {
    private static final UserDefinedType STREET = type("Street", Map.of("name", DataTypes.TEXT));
    private static final UserDefinedType ADDRESS =
            type("address", ordered("order", DataTypes.INT, "street", STREET.copy(/* newFrozen */ true)));

    private static UserDefinedType type(String name, Map<String, DataType> fields) {
        UserDefinedTypeBuilder builder =
                new UserDefinedTypeBuilder(CqlIdentifier.fromInternal("shop"), CqlIdentifier.fromInternal(name));
        fields.forEach((field, type) -> builder.withField(CqlIdentifier.fromInternal(field), type));
        return builder.build();
    }

    private static Map<String, DataType> ordered(String name1, DataType type1, String name2, DataType type2) {
        Map<String, DataType> map = new LinkedHashMap<>();
        map.put(name1, type1);
        map.put(name2, type2);
        return map;
    }

    private static TableSchema table(String name, Column... columns) {
        return new TableSchema("shop", name, List.of(columns));
    }

    private static final TableSchema ORDERS = table(
            "Orders",
            new Column("Id", DataTypes.UUID, Role.PARTITION_KEY),
            new Column("day", DataTypes.DATE, Role.PARTITION_KEY),
            new Column("token", DataTypes.INT, Role.CLUSTERING),
            new Column("seen", DataTypes.TIMESTAMP, Role.CLUSTERING),
            new Column("s", DataTypes.TEXT, Role.STATIC),
            new Column("homes", DataTypes.mapOf(DataTypes.TEXT, ADDRESS.copy(true)), Role.REGULAR),
            new Column("v", DataTypes.vectorOf(DataTypes.FLOAT, 3), Role.REGULAR));

    private static TableLike like(TableSchema source, String map, String... chosen) {
        return TableLike.of(
                source,
                Set.of("seen"),
                chosen.length == 0 ? null : List.of(chosen),
                Mapping.parse(map),
                CqlIdentifier.fromInternal("Test"),
                CqlIdentifier.fromInternal("orders"));
    }

    @Test
    void theStatementsNameTheTargetsKeyspaceAndQuoteIfNecessary() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("comment", "'it''s'");
        options.put("gc_grace_seconds", "1");
        TableDefinition definition = like(ORDERS, "* = *").definition(options);
        assertThat(definition.cql())
                .isEqualTo("CREATE TABLE \"Test\".orders (\n    \"Id\" uuid,\n    day date,\n    \"token\" int,\n"
                        + "    seen timestamp,\n    s text static,\n    homes map<text, frozen<address>>,\n"
                        + "    v vector<float, 3>,\n    PRIMARY KEY ((\"Id\", day), \"token\", seen))"
                        + " WITH CLUSTERING ORDER BY (\"token\" ASC, seen DESC)\n    AND comment = 'it''s'\n"
                        + "    AND gc_grace_seconds = 1");
        assertThat(definition.types())
                .extracting(type -> type.cql(definition.keyspace()))
                .containsExactly(
                        "CREATE TYPE \"Test\".\"Street\" (\n    name text)",
                        "CREATE TYPE \"Test\".address (\n    \"order\" int,\n    street frozen<\"Street\">)");
        definition.check(Set.of());
    }

    @Test
    void typesThatNoCopiedColumnNeedsAreLeftOut() {
        TableDefinition definition = like(ORDERS, "* = *", "v").definition(Map.of());
        assertThat(definition.columns()).containsOnlyKeys("Id", "day", "token", "seen", "v");
        assertThat(definition.types()).isEmpty();
    }

    static List<TypeSamples> zoo() {
        return TypeZoo.all();
    }

    @ParameterizedTest
    @MethodSource("zoo")
    void everyTypeIsWrittenAsTheUserWroteIt(TypeSamples type) {
        assertThat(TypeCql.of(type.type())).isEqualTo(type.cql());
    }

    @ParameterizedTest
    @CsvSource({"enum, \"enum\"", "list, \"list\"", "macaddr, \"macaddr\"", "order, \"order\"", "home, home"})
    void aUserDefinedTypeWithAReservedNameIsQuoted(String name, String cql) {
        DataType type = type(name, Map.of("n", DataTypes.INT)).copy(true);
        TableDefinition definition = like(
                        table(
                                "t",
                                new Column("id", DataTypes.INT, Role.PARTITION_KEY),
                                new Column("v", type, Role.REGULAR)),
                        "* = *")
                .definition(Map.of());
        assertThat(definition.columns()).containsEntry("v", "frozen<" + cql + ">");
        assertThat(definition.types().get(0).name(definition.keyspace())).isEqualTo("\"Test\"." + cql);
        definition.check(Set.of());
    }

    @Test
    void aCustomTypeIsNamedByItsClass() {
        assertThat(TypeCql.of(DataTypes.custom("org.apache.cassandra.db.marshal.CompositeType(a, b)")))
                .isEqualTo("'org.apache.cassandra.db.marshal.CompositeType(a, b)'");
    }

    @Test
    void columnsHaveTheNamesTheyAreMappedTo() {
        TableDefinition definition = like(ORDERS, "\"Id\" = id, seen = \"Seen\", v = v1, v = v2, s = ttl(), * = -homes")
                .definition(Map.of());
        assertThat(definition.columns())
                .containsExactly(
                        entry("id", "uuid"),
                        entry("day", "date"),
                        entry("token", "int"),
                        entry("Seen", "timestamp"),
                        entry("v1", "vector<float, 3>"),
                        entry("v2", "vector<float, 3>"));
        assertThat(definition.cql())
                .endsWith("    PRIMARY KEY ((id, day), \"token\", \"Seen\"))"
                        + " WITH CLUSTERING ORDER BY (\"token\" ASC, \"Seen\" DESC)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "* = -day | column day of the primary key goes to no column by mapping",
                "day = a, day = b, * = * | column day of the primary key goes to a and b by mapping",
                "day = ttl(), * = * | column day of the primary key goes to no column by mapping",
                "nope = a, * = * | there is no field \"nope\"",
                "s = v, v = v, * = * | both go to column \"v\"",
            })
    void aMappingThatLeavesNoKeyIsRefused(String map, String message) {
        assertThatThrownBy(() -> like(ORDERS, map))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aConstantDoesNotSayItsType() {
        assertThatThrownBy(() -> like(ORDERS, "'web' = source, * = *").refuseConstants(Mapping.parse("'web' = source")))
                .isInstanceOf(OverdriveException.class)
                .hasMessageContaining(
                        "a constant does not say what type it is in column source: create the table yourself");
        like(ORDERS, "'10' = ttl(), * = *").refuseConstants(Mapping.parse("'10' = ttl(), * = *"));
    }

    @Test
    void aTableThatHoldsAllValuesUnchangedIsLikeTheSource() {
        TableSchema source = table(
                "t",
                new Column("id", DataTypes.TIMEUUID, Role.PARTITION_KEY),
                new Column("a", DataTypes.ASCII, Role.REGULAR),
                new Column("l", DataTypes.listOf(ADDRESS.copy(true)), Role.REGULAR));
        TableSchema existing = table(
                "t2",
                new Column("id", DataTypes.UUID, Role.PARTITION_KEY),
                new Column("more", DataTypes.INT, Role.REGULAR),
                new Column("a", DataTypes.TEXT, Role.REGULAR),
                new Column("l", DataTypes.frozenListOf(ADDRESS.copy(true)), Role.REGULAR));
        like(source, "* = *").checkSame(existing, Set.of());
        like(source, "a = b, * = [-l]")
                .checkSame(
                        table(
                                "t2",
                                new Column("id", DataTypes.UUID, Role.PARTITION_KEY),
                                new Column("b", DataTypes.TEXT, Role.REGULAR)),
                        Set.of());
    }

    @Test
    void allDifferencesOfAnExistingTableAreReportedTogether() {
        TableSchema existing = new TableSchema(
                "test",
                "orders",
                List.of(
                        new Column("Id", DataTypes.UUID, Role.PARTITION_KEY),
                        new Column("day", DataTypes.DATE, Role.CLUSTERING),
                        new Column("s", DataTypes.TEXT, Role.REGULAR),
                        new Column("v", DataTypes.vectorOf(DataTypes.FLOAT, 4), Role.REGULAR)));
        assertThatThrownBy(() -> like(ORDERS, "* = *").checkSame(existing, Set.of("day")))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("table test.orders exists, but is not like shop.\"Orders\":\n"
                        + "  its primary key is ((\"Id\" uuid), day date DESC) instead of ((\"Id\" uuid, day date),"
                        + " \"token\" int, seen timestamp DESC)\n"
                        + "  its column s is text instead of text static\n"
                        + "  it has no column homes map<text, frozen<address>>\n"
                        + "  its column v is vector<float, 4> instead of vector<float, 3>\n"
                        + "leave out create to copy into it as it is, which converts values where types differ"
                        + " (mapping renames and leaves out columns), or give another table");
    }

    @Test
    void theOrderOfRowsIsPartOfTheKey() {
        TableLike like = like(ORDERS, "* = *");
        like.checkSame(like.table(), Set.of("seen"));
        assertThatThrownBy(() -> like.checkSame(like.table(), Set.of()))
                .hasMessageContaining("\"token\" int, seen timestamp) instead of")
                .hasMessageContaining("\"token\" int, seen timestamp DESC)");
    }

    @Test
    void existingUserDefinedTypesMustHaveTheSameFields() {
        TableLike like = like(ORDERS, "* = *");
        like.checkTypes(Map.of(ADDRESS.getName(), ADDRESS, STREET.getName(), STREET));
        like.checkTypes(Map.of(CqlIdentifier.fromInternal("other"), STREET));
        UserDefinedType other = type("Street", ordered("name", DataTypes.TEXT, "no", DataTypes.INT));
        assertThatThrownBy(() -> like.checkTypes(Map.of(STREET.getName(), other)))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(
                        "table \"Test\".orders cannot be created like shop.\"Orders\":\n  type \"Street\" exists in"
                                + " keyspace \"Test\" with the fields (name text, no int) instead of (name text)\n");
    }
}
