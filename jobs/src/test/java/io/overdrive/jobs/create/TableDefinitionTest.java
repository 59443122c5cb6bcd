package io.overdrive.jobs.create;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.OverdriveException;
import io.overdrive.TypeZoo;
import io.overdrive.jobs.create.TableDefinition.Key;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The meaning of {@code --types} and {@code --key}, and what is refused before anything is created. */
class TableDefinitionTest {
    @Test
    void readsColumnsWithTheirTypesInTheOrderGiven() {
        assertThat(TableDefinition.parseTypes("zip text, seen  date ,a\tint"))
                .containsExactly(entry("zip", "text"), entry("seen", "date"), entry("a", "int"));
    }

    @Test
    void noTypesAreFine() {
        assertThat(TableDefinition.parseTypes("")).isEmpty();
        assertThat(TableDefinition.parseTypes("  ")).isEmpty();
    }

    @Test
    void namesAreReadAsInCql() {
        assertThat(TableDefinition.parseTypes("Zip text, \"Zip\" int, \"order\" int"))
                .containsExactly(entry("zip", "text"), entry("Zip", "int"), entry("order", "int"));
    }

    @Test
    void quotedNamesMayHoldAnything() {
        assertThat(TableDefinition.parseTypes("\"a b\" int, \"c,d\" text, \"e<f\" int, \"say \"\"hi\"\"\" text"))
                .containsExactly(
                        entry("a b", "int"), entry("c,d", "text"), entry("e<f", "int"), entry("say \"hi\"", "text"));
    }

    @Test
    void typesMayHoldCommasAndQuotes() {
        assertThat(TableDefinition.parseTypes(
                        "m map<text, frozen<list<int>>>, t tuple<int, text>, v vector<float, 3>, u frozen<\"Udt\">"))
                .containsExactly(
                        entry("m", "map<text, frozen<list<int>>>"),
                        entry("t", "tuple<int, text>"),
                        entry("v", "vector<float, 3>"),
                        entry("u", "frozen<\"Udt\">"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zip", "a int,", ", a int", "\"zip\"", "\"zip int", "a int, \"b text", "\"\" int"})
    void malformedColumnTypesAreNamed(String types) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableDefinition.parseTypes(types))
                .withMessageStartingWith("types \"" + types + "\": expected COLUMN TYPE, got \"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1st int", "a-b int", "order int"})
    void namesThatNeedQuotesAreRefusedWithoutThem(String types) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableDefinition.parseTypes(types))
                .withMessageContaining("[" + types.substring(0, types.indexOf(' ')) + "]")
                .withMessageContaining("needs double quotes");
    }

    @Test
    void aTypeGivenTwiceIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableDefinition.parseTypes("a int, A text"))
                .withMessage("types \"a int, A text\" has a more than once");
    }

    @Test
    void readsKeysInAllFormsOfCql() {
        assertThat(Key.parse("id")).isEqualTo(new Key(List.of("id"), List.of()));
        assertThat(Key.parse(" ( Id ) ")).isEqualTo(new Key(List.of("id"), List.of()));
        assertThat(Key.parse("a, b,c")).isEqualTo(new Key(List.of("a"), List.of("b", "c")));
        assertThat(Key.parse("(a, b)")).isEqualTo(new Key(List.of("a", "b"), List.of()));
        assertThat(Key.parse("(a, b), c")).isEqualTo(new Key(List.of("a", "b"), List.of("c")));
        assertThat(Key.parse("((a, b), c)")).isEqualTo(new Key(List.of("a", "b"), List.of("c")));
        assertThat(Key.parse("((a, b))")).isEqualTo(new Key(List.of("a", "b"), List.of()));
        assertThat(Key.parse("(\"A, b\", \"say \"\"hi\"\"\"), \"(\""))
                .isEqualTo(new Key(List.of("A, b", "say \"hi\""), List.of("(")));
        assertThat(Key.parse("((\"A\", b), c)").cql()).isEqualTo("(\"A\", b), c");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", " ", "()", "(a", "a)", "a,", "(a, b) c", "(a),", "time DESC", "a b", "a,,b", "(a, b), (c)"})
    void malformedKeysAreRefusedWithAnExample(String key) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Key.parse(key))
                .withMessageStartingWith(
                        "key \"" + key + "\" is not a primary key: write the columns as in CQL, for example");
    }

    @Test
    void aKeyHasAColumnOnce() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Key.parse("(a, b), a"))
                .withMessage("key \"(a, b), a\" has a more than once");
    }

    private static TableDefinition table(String table, String types, String key) {
        return new TableDefinition(
                CqlIdentifier.fromInternal("ks"),
                CqlIdentifier.fromInternal(table),
                TableDefinition.parseTypes(types),
                Key.parse(key));
    }

    @Test
    void writesTheStatement() {
        assertThat(table("T", "\"Id\" int, s text static, c int", "\"Id\", c").cql())
                .isEqualTo("CREATE TABLE ks.\"T\" (\n    \"Id\" int,\n    s text static,\n    c int,\n"
                        + "    PRIMARY KEY (\"Id\", c))");
    }

    @Test
    void goodDefinitionsPass() {
        Map<String, String> types = new LinkedHashMap<>();
        TypeZoo.all().stream().forEach(samples -> types.put(samples.name(), samples.cql()));
        types.put("v", "VECTOR< Float,3 >");
        types.put("s", "frozen<list< int>> static");
        new TableDefinition(CqlIdentifier.fromInternal("ks"), CqlIdentifier.fromInternal("t"), types, Key.parse("int"))
                .check(Set.of("creature"));
        table("t", "a frozen<list<int>>, b int", "a, b").check(Set.of());
    }

    @Test
    void allProblemsAreReportedTogether() {
        assertThatThrownBy(() -> table("my-table", "a intt, b list<int>, c int primary, d duration", "nope, b, d")
                        .check(Set.of()))
                .isInstanceOf(OverdriveException.class)
                .hasMessage("table ks.\"my-table\" cannot be created: the name \"my-table\" must be 1 to 48 letters,"
                        + " digits and underscores\n"
                        + "  column a: intt is neither a CQL type nor a user-defined type of keyspace ks\n"
                        + "  column c: int primary is neither a CQL type nor a user-defined type of keyspace ks\n"
                        + "  key names nope, which the input does not have; its columns are a, b, c, d\n"
                        + "  key column b cannot have the type list<int>; make it frozen<list<int>> with types\n"
                        + "  key column d cannot have the type duration");
    }

    @Test
    void aKeyInOtherCaseNamesTheColumn() {
        assertThatThrownBy(() -> table("t", "studyname text, \"Sample Number\" int", "\"studyName\", n")
                        .check(Set.of()))
                .hasMessageContaining(
                        "key names \"studyName\", n, which the input does not have; its columns are studyname,"
                                + " \"Sample Number\"; write studyname for \"studyName\": a name that needs no quotes"
                                + " becomes lower case, as in CQL");
    }
}
