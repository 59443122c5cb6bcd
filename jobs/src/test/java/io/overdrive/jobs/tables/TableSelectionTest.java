package io.overdrive.jobs.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableSelectionTest {
    @ParameterizedTest
    @CsvSource({
        "shop, true",
        "shop.*, true",
        "shop.order*, true",
        "'\"Shop\"', true",
        "shop.orders, false",
        "'\"Shop\".\"Orders\"', false",
        "'', false"
    })
    void aKeyspaceOrAPatternIsASelection(String text, boolean isSelection) {
        assertThat(TableSelection.isSelection(text)).isEqualTo(isSelection);
    }

    @ParameterizedTest
    @CsvSource({
        "shop, orders, true",
        "shop, Orders, true",
        "shop.*, orders, true",
        "shop.order*, orders, true",
        "shop.order*, order, true",
        "shop.order*, my_orders, false",
        "shop.*s, orders, true",
        "shop.o*r*s, orders, true",
        "shop.ORDER*, orders, true",
        "shop.order*, Orders, false",
        "'shop.\"Order*\"', Orders, true",
        "'shop.\"Order*\"', orders, false"
    })
    void aPatternStandsForNamesAsInCql(String text, String table, boolean matches) {
        TableSelection selection = TableSelection.parse(text, "");
        assertThat(selection.keyspace().asInternal()).isEqualTo("shop");
        assertThat(selection.tables().matches(CqlIdentifier.fromInternal(table)))
                .isEqualTo(matches);
    }

    @Test
    void keyspacesAreNamedAsInCql() {
        assertThat(TableSelection.parse("SHOP.*", "").keyspace().asInternal()).isEqualTo("shop");
        assertThat(TableSelection.parse("\"Shop\"", "").keyspace().asInternal()).isEqualTo("Shop");
        assertThat(TableSelection.parse("table", "").keyspace().asInternal()).isEqualTo("table"); // which CQL reserves
    }

    @Test
    void exceptionsAreSeparatedByCommas() {
        TableSelection selection = TableSelection.parse("shop", "audit, tmp_*,\"Old\"");
        assertThat(selection.isWhole()).isTrue();
        assertThat(selection.except())
                .extracting(TableSelection.NamePattern::text)
                .containsExactly("audit", "tmp_*", "\"Old\"");
        assertThat(TableSelection.parse("shop.*", " ").isWhole()).isTrue();
        assertThat(TableSelection.parse("shop.a*", "").isWhole()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"shop*", "shop.a.b*", "sh op", "shop.", ".a*", "shop.\"a*", "\"shop", "shop.a-*", "shop.*;"})
    void otherTextsAreRefused(String text) {
        assertThatThrownBy(() -> TableSelection.parse(text, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("\"" + text + "\" ");
    }

    @Test
    void anEmptyNameIsNoException() {
        assertThatThrownBy(() -> TableSelection.parse("shop", "a,,b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("\"a,,b\" has \"\" in place of a name of a table");
    }
}
