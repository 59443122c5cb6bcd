package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code --types} means. */
class TableCreatorTest {
    @Test
    void readsColumnsWithTheirTypesInTheOrderGiven() {
        assertThat(TableCreator.parseTypes("zip text, seen  date ,a\tint"))
                .containsExactly(entry("zip", "text"), entry("seen", "date"), entry("a", "int"));
    }

    @Test
    void noTypesAreFine() {
        assertThat(TableCreator.parseTypes("")).isEmpty();
        assertThat(TableCreator.parseTypes("  ")).isEmpty();
    }

    @Test
    void namesAreReadAsInCql() {
        assertThat(TableCreator.parseTypes("Zip text, \"Zip\" int, \"order\" int"))
                .containsExactly(entry("zip", "text"), entry("Zip", "int"), entry("order", "int"));
    }

    @Test
    void quotedNamesMayHoldAnything() {
        assertThat(TableCreator.parseTypes("\"a b\" int, \"c,d\" text, \"e<f\" int, \"say \"\"hi\"\"\" text"))
                .containsExactly(
                        entry("a b", "int"), entry("c,d", "text"), entry("e<f", "int"), entry("say \"hi\"", "text"));
    }

    @Test
    void typesMayHoldCommasAndQuotes() {
        assertThat(TableCreator.parseTypes(
                        "m map<text, frozen<list<int>>>, t tuple<int, text>, v vector<float, 3>, u frozen<\"Udt\">"))
                .containsExactly(
                        entry("m", "map<text, frozen<list<int>>>"),
                        entry("t", "tuple<int, text>"),
                        entry("v", "vector<float, 3>"),
                        entry("u", "frozen<\"Udt\">"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"zip", "a int,", ", a int", "\"zip\"", "\"zip int", "a int, \"b text", "\"\" int"})
    void whatIsNoColumnWithItsTypeIsNamed(String types) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableCreator.parseTypes(types))
                .withMessageStartingWith("--types \"" + types + "\": expected COLUMN TYPE, got \"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1st int", "a-b int", "order int"})
    void namesThatNeedQuotesAreRefusedWithoutThem(String types) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableCreator.parseTypes(types))
                .withMessageContaining("[" + types.substring(0, types.indexOf(' ')) + "]")
                .withMessageContaining("needs double quotes");
    }
}
