package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableNameTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "shop.orders | shop | orders",
                "Shop.ORDERS_2 | shop | orders_2",
                "\"Shop\".\"Orders\" | Shop | Orders",
                "shop.\"Orders\" | shop | Orders",
                "\"a.b\".\"c.d\" | a.b | c.d",
                "\"order\".\"say \"\"hi\"\"\" | order | say \"hi\"",
                "\"ü 1\".\"-\" | ü 1 | -",
            })
    void readsNamesAsCqlDoes(String text, String keyspace, String table) {
        assertThat(TableName.parse(text))
                .containsExactly(CqlIdentifier.fromInternal(keyspace), CqlIdentifier.fromInternal(table));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "orders",
                ".orders",
                "shop.",
                "a.b.c",
                "\"a.b\"",
                "shop.\"orders",
                "\"shop\"x.orders",
                "\"a\"b\"c\".orders",
                "\"\".orders",
                "shop.\"\"",
                "shop.order-lines",
                "shop.1st",
                "shop. orders",
                "größe.orders",
            })
    void aWrongNameGetsAMessageWithTheWayOut(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableName.parse(text))
                .withMessage("\"" + text + "\" is not a table: write keyspace.table, and double quotes around a name"
                        + " with capitals or special characters ('\"Shop\".\"Orders\"')");
    }

    @Test
    void aWordOfCqlNeedsQuotes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TableName.parse("shop.Table"))
                .withMessage("\"shop.Table\": CQL reserves the word Table, so write the name in double quotes"
                        + " ('\"Table\"')");
        assertThat(TableName.parse("shop.\"table\"")[1].asInternal()).isEqualTo("table");
    }
}
