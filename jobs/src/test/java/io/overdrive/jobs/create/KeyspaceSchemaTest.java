package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyspaceSchemaTest {
    private static final CqlIdentifier SHOP = CqlIdentifier.fromInternal("shop");
    private static final CqlIdentifier OTHER = CqlIdentifier.fromInternal("Other");
    private static final SchemaElement TABLE = new SchemaElement(
            "table",
            "\"Audit\"",
            "CREATE TABLE shop.\"Audit\" (\n    id int PRIMARY KEY,\n    \"shop.x\" text\n) WITH comment = 'it''s; shop.y'"
                    + "\n    AND gc_grace_seconds = 5");
    private static final SchemaElement INDEX =
            new SchemaElement("index", "e", "CREATE INDEX e ON shop.\"Audit\" (\"shop.x\")");
    private static final SchemaElement VIEW = new SchemaElement(
            "materialized_view",
            "by_x",
            "CREATE MATERIALIZED VIEW shop.by_x AS\n    SELECT *\n    FROM shop.orders\n    WHERE x IS NOT NULL\n    PRIMARY KEY"
                    + " (x)\n WITH comment = ' FROM shop.z'");
    private static final SchemaElement FUNCTION = new SchemaElement(
            "function",
            "plus(int, int)",
            "CREATE FUNCTION shop.plus(a int, b int)\n    RETURNS NULL ON NULL INPUT\n    RETURNS int\n    LANGUAGE java\n    AS"
                    + " $$ /* ; */ return a + b; // '\n$$");
    private static final KeyspaceSchema SCHEMA = new KeyspaceSchema(
            SHOP,
            List.of(
                    new SchemaElement(
                            "keyspace",
                            "shop",
                            "CREATE KEYSPACE shop WITH replication = {'class': 'NetworkTopologyStrategy', 'dc1': '3'}  AND"
                                    + " durable_writes = false"),
                    FUNCTION,
                    TABLE,
                    INDEX,
                    VIEW));

    private static final String END = "-- end of the schema";

    private static KeyspaceSchema parse(String text) {
        return KeyspaceSchema.parse(text, SHOP, "schema.cql");
    }

    @Test
    void aScriptHasAllStatements() {
        String script = SCHEMA.toCql();
        assertThat(script)
                .startsWith("-- keyspace shop\nCREATE KEYSPACE shop WITH ")
                .contains(";\n\n-- index e\n");
        assertThat(parse(script)).isEqualTo(SCHEMA);
        KeyspaceSchema none = new KeyspaceSchema(SHOP, List.of());
        assertThat(parse(none.toCql())).isEqualTo(none);
    }

    @Test
    void aScriptThatWasCutIsRefused() {
        String script = SCHEMA.toCql();
        for (String part : List.of("", script.substring(0, script.indexOf("-- index e")))) {
            assertThatThrownBy(() -> parse(part))
                    .isInstanceOf(OverdriveException.class)
                    .hasMessage(
                            "schema.cql: does not end with the line \"-- end of the schema\": it was cut, or changed");
        }
    }

    @Test
    void tablesThatWereReadStayAsTheyWere() {
        SchemaElement gone = new SchemaElement("table", "gone", "CREATE TABLE shop.gone (id int PRIMARY KEY)");
        SchemaElement altered =
                new SchemaElement("table", "\"Audit\"", TABLE.cql().replace("text", "text,\n    more int"));
        SchemaElement later = new SchemaElement("table", "later", "CREATE TABLE shop.later (id int PRIMARY KEY)");
        KeyspaceSchema begun = new KeyspaceSchema(SHOP, List.of(TABLE, gone, VIEW));
        KeyspaceSchema now = new KeyspaceSchema(SHOP, List.of(FUNCTION, altered, INDEX, later));
        assertThat(begun.renewed(now, table -> true).elements()).containsExactly(FUNCTION, TABLE, later, gone, INDEX);
        assertThat(begun.renewed(now, table -> false).elements()).containsExactly(FUNCTION, altered, later, INDEX);
    }

    @Test
    void aStatementSaysAboveWhatItCreates() {
        assertThatThrownBy(() -> parse("-- index e\n\n" + INDEX.cql() + ";\n" + END))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("schema.cql: line 3: the line above the statement does not say what it creates, such as"
                        + " \"-- table orders\"");
        assertThatThrownBy(() -> parse("-- index e\nCREATE INDEX 'e\n" + END))
                .hasMessage("schema.cql: line 2, column 14: the quote that starts here is not closed");
    }

    @Test
    void readsTheScriptsOfSnapshotsAndOfAWholeCluster() {
        String money = "CREATE TYPE IF NOT EXISTS shop.money (\n    amount int\n);\n";
        Map<String, String> scripts = new LinkedHashMap<>();
        scripts.put(
                "orders/schema.cql",
                money
                        + "CREATE TABLE IF NOT EXISTS shop.\"Orders\" (\n    id int PRIMARY KEY,\n    m frozen<map<int, text>>,\n"
                        + "    note int,\n    gone int\n) WITH ID = 65b438a0-ec73-11f1-b1e0-832df7d04ff8\n    AND comment = 'a;b';\n"
                        + "ALTER TABLE shop.\"Orders\" DROP note USING TIMESTAMP 5;\nALTER TABLE shop.\"Orders\" ADD note text;\n"
                        + "ALTER TABLE shop.\"Orders\" DROP gone USING TIMESTAMP 6;\n"
                        + "CREATE CUSTOM INDEX IF NOT EXISTS by_note ON shop.\"Orders\" (note) USING 'sai';\n");
        scripts.put(
                "all/schema.cql",
                money.replace(" IF NOT EXISTS", "")
                        + "CREATE TABLE other.t (id int PRIMARY KEY);\nCREATE INDEX x ON other.t (id);\n"
                        + "/* Warning: a comment */\nCREATE OR REPLACE FUNCTION shop.plus(a int, \"B b\" map<int, int>)\n"
                        + "    RETURNS int\n    LANGUAGE java\n    AS $$ return a; $$;\nCREATE AGGREGATE shop.sums(int)\n"
                        + "    SFUNC plus STYPE int;\nCREATE TRIGGER t ON shop.x USING 'y';\n" + VIEW.cql() + ";");
        KeyspaceSchema schema = KeyspaceSchema.ofScripts(scripts, SHOP);
        assertThat(schema.elements().stream().map(SchemaElement::described))
                .containsExactly(
                        "type money",
                        "table \"Orders\"",
                        "change \"Orders\"",
                        "change \"Orders\"",
                        "change \"Orders\"",
                        "index by_note",
                        "function plus(int, map<int, int>)",
                        "aggregate sums(int)",
                        "materialized view by_x");
        assertThat(schema.tables()).containsExactly(CqlIdentifier.fromInternal("Orders"));
        assertThat(schema.views()).containsExactly(CqlIdentifier.fromInternal("by_x"));
        SchemaElement table = schema.elements().get(1);
        assertThat(table.cql()).endsWith(") WITH comment = 'a;b'").doesNotContain("IF NOT EXISTS");
        SchemaElement now = table.after(schema.elements().subList(2, 5));
        assertThat(now.isLike(new SchemaElement(
                        "table",
                        "\"Orders\"",
                        "CREATE TABLE shop.\"Orders\" (\n    id int PRIMARY KEY,\n    note text,\n    m frozen<map<int, text>>\n)"
                                + " WITH comment = ''")))
                .isTrue();
        assertThatThrownBy(() -> KeyspaceSchema.ofScripts(Map.of("x/schema.cql", "CREATE TYPE shop.\"x"), SHOP))
                .hasMessage("x/schema.cql: line 1, column 18: the quote that starts here is not closed");
    }

    @Test
    void elementsKnowTheirTablesAndMoveToOtherKeyspaces() {
        assertThat(INDEX.base()).isEqualTo(TABLE.identifier()).isEqualTo(CqlIdentifier.fromInternal("Audit"));
        assertThat(VIEW.base()).isEqualTo(CqlIdentifier.fromInternal("orders"));
        assertThat(List.of(INDEX, VIEW)).allMatch(SchemaElement::isDependent);
        assertThat(List.of(TABLE, FUNCTION)).noneMatch(SchemaElement::isDependent);
        assertThat(TABLE.in(SHOP, OTHER).cql())
                .startsWith("CREATE TABLE \"Other\".\"Audit\" (\n    id int PRIMARY KEY,\n    \"shop.x\" text\n)")
                .contains("comment = 'it''s; shop.y'");
        assertThat(FUNCTION.in(SHOP, OTHER).cql()).startsWith("CREATE FUNCTION \"Other\".plus(");
    }

    @Test
    void optionsMakeNoOtherTable() {
        assertThat(TABLE.isLike(
                        new SchemaElement("table", "\"Audit\"", TABLE.cql().replace("= 5", "= 6"))))
                .isTrue();
        assertThat(TABLE.isLike(
                        new SchemaElement("table", "\"Audit\"", TABLE.cql().replace("x\" text", "x\" int"))))
                .isFalse();
        SchemaElement ascending = new SchemaElement(
                "table",
                "t",
                "CREATE TABLE shop.t (a int, b int, PRIMARY KEY (a, b)) WITH CLUSTERING ORDER BY (b ASC)");
        SchemaElement descending =
                new SchemaElement("table", "t", ascending.cql().replace("ASC", "DESC") + " AND comment = ''");
        assertThat(ascending.isLike(descending)).isFalse();
    }

    @Test
    void aStatementHasTheReplication() {
        KeyspaceOrigin origin = KeyspaceOrigin.of(SCHEMA);
        assertThat(origin.replication()).isEqualTo(Map.of("class", "NetworkTopologyStrategy", "dc1", "3"));
        assertThat(origin.hasDurableWrites()).isFalse();
        KeyspaceOrigin none = KeyspaceOrigin.of(new KeyspaceSchema(SHOP, List.of(TABLE)));
        assertThat(none.replication()).isEmpty();
        assertThat(none.hasDurableWrites()).isTrue();
    }
}
