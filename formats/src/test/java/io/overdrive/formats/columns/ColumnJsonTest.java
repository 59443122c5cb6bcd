package io.overdrive.formats.columns;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.formats.columns.ColumnType.Unit;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that no table takes, as they are in a file of rejected records. */
class ColumnJsonTest {
    private static final ColumnType NUMBER = ColumnType.of("item", Kind.SIGNED, 32);

    private static ByteBuffer ints(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (int value : values) {
            buffer.putInt(value);
        }
        return buffer.flip();
    }

    /** Values 1, null, 3, null… */
    private static Column everySecond(ColumnType type, int... values) {
        return Column.of(type, values.length, ByteBuffer.wrap(new byte[] {0b01010101}), Column.none(), ints(values));
    }

    private static Column texts(String... values) {
        byte[] all = String.join("", values).getBytes(StandardCharsets.UTF_8);
        int[] ends = new int[values.length + 1];
        for (int i = 0; i < values.length; i++) {
            ends[i + 1] = ends[i] + values[i].length();
        }
        return Column.of(ColumnType.of("key", Kind.TEXT, 32), values.length, null, ints(ends), ByteBuffer.wrap(all));
    }

    private static Column nested(ColumnType type, ByteBuffer offsets, Column... children) {
        return new Column(type, 1, null, offsets, Column.none(), List.of(), List.of(children), null);
    }

    private static ColumnType type(Kind kind, ColumnType... children) {
        return ColumnType.of("v", kind, 32, Unit.NANOS, List.of(children));
    }

    private static String json(Column column) {
        byte[] json = new ColumnJson(List.of(column.type())).row(List.of(column), 0);
        return new String(json, StandardCharsets.UTF_8);
    }

    @Test
    void aListKeepsItsNulls() {
        ColumnType list = type(Kind.LIST, NUMBER);
        assertThat(json(nested(list, ints(0, 3), everySecond(NUMBER, 1, 0, 3)))).isEqualTo("{\"v\":[1,null,3]}");
        ColumnType lists = type(Kind.LIST, list);
        Column inner = new Column(
                list, 2, null, ints(0, 1, 2), Column.none(), List.of(), List.of(everySecond(NUMBER, 1, 0)), null);
        assertThat(json(nested(lists, ints(0, 2), inner))).isEqualTo("{\"v\":[[1],[null]]}");
    }

    @Test
    void aMapKeepsValuesThatAreNull() {
        Column values = everySecond(ColumnType.of("value", Kind.SIGNED, 32), 1, 0);
        for (boolean hasTexts : new boolean[] {true, false}) {
            Column keys = hasTexts
                    ? texts("a", "\"")
                    : Column.of(ColumnType.of("key", Kind.SIGNED, 32), 2, null, Column.none(), ints(7, 8));
            ColumnType entry =
                    ColumnType.of("entries", Kind.STRUCT, 0, Unit.NANOS, List.of(keys.type(), values.type()));
            Column entries =
                    new Column(entry, 2, null, Column.none(), Column.none(), List.of(), List.of(keys, values), null);
            assertThat(json(nested(type(Kind.MAP, entry), ints(0, 2), entries)))
                    .isEqualTo(hasTexts ? "{\"v\":{\"a\":1,\"\\\"\":null}}" : "{\"v\":{\"7\":1,\"8\":null}}");
        }
    }

    @Test
    void keysOfAMapThatHavePartsAreInPairs() {
        ColumnType list = ColumnType.of("key", Kind.LIST, 32, Unit.NANOS, List.of(NUMBER));
        Column keys = new Column(
                list, 1, null, ints(0, 2), Column.none(), List.of(), List.of(everySecond(NUMBER, 1, 0)), null);
        Column values = everySecond(ColumnType.of("value", Kind.SIGNED, 32), 5);
        ColumnType entry = ColumnType.of("entries", Kind.STRUCT, 0, Unit.NANOS, List.of(list, values.type()));
        Column entries =
                new Column(entry, 1, null, Column.none(), Column.none(), List.of(), List.of(keys, values), null);
        assertThat(json(nested(type(Kind.MAP, entry), ints(0, 1), entries))).isEqualTo("{\"v\":[[[1,null],5]]}");
    }

    @Test
    void fieldsKeepWhatIsInThem() {
        ColumnType list = ColumnType.of("l", Kind.LIST, 32, Unit.NANOS, List.of(NUMBER));
        Column lists = new Column(
                list, 1, null, ints(0, 2), Column.none(), List.of(), List.of(everySecond(NUMBER, 1, 0)), null);
        Column number = Column.of(ColumnType.of("n", Kind.SIGNED, 32), 1, null, Column.none(), ints(4));
        ColumnType struct = ColumnType.of("v", Kind.STRUCT, 0, Unit.NANOS, List.of(number.type(), list));
        assertThat(json(nested(struct, Column.none(), number, lists))).isEqualTo("{\"v\":{\"n\":4,\"l\":[1,null]}}");
    }

    @Test
    void fieldsWithNumbersAsNamesAreATuple() {
        Column number = Column.of(ColumnType.of("0", Kind.SIGNED, 32), 1, null, Column.none(), ints(4));
        Column none =
                Column.of(ColumnType.of("1", Kind.SIGNED, 32), 1, ByteBuffer.wrap(new byte[1]), Column.none(), ints(1));
        ColumnType list = ColumnType.of("2", Kind.LIST, 32, Unit.NANOS, List.of(NUMBER));
        for (Column numbers : List.of(everySecond(NUMBER, 1, 2), everySecond(NUMBER, 1, 0, 3))) {
            boolean isOfCql = numbers.rows() == 2;
            Column lists = nested(list, ints(0, isOfCql ? 1 : 2), numbers);
            ColumnType struct =
                    ColumnType.of("v", Kind.STRUCT, 0, Unit.NANOS, List.of(number.type(), none.type(), list));
            assertThat(json(nested(struct, Column.none(), number, none, lists)))
                    .isEqualTo(isOfCql ? "{\"v\":[4,null,[1]]}" : "{\"v\":[4,null,[1,null]]}");
        }
        Column second = Column.of(none.type(), 1, null, Column.none(), ints(4));
        ColumnType other = ColumnType.of("v", Kind.STRUCT, 0, Unit.NANOS, List.of(none.type()));
        assertThat(json(nested(other, Column.none(), second))).isEqualTo("{\"v\":{\"1\":4}}");
    }

    /** Tools make fields of dictionaries, with a null for each key of other rows, and a map takes none. */
    @Test
    void fieldsWithoutAValueAreLeftOut() {
        ColumnType struct =
                type(Kind.STRUCT, NUMBER, ColumnType.of("list", Kind.LIST, 32, Unit.NANOS, List.of(NUMBER)));
        Column none = Column.of(NUMBER, 1, ByteBuffer.wrap(new byte[1]), Column.none(), ints(1));
        for (Column numbers : List.of(everySecond(NUMBER, 1, 2), everySecond(NUMBER, 1, 0, 3))) {
            boolean isOfCql = numbers.rows() == 2;
            Column lists = nested(struct.children().get(1), ints(0, isOfCql ? 1 : 2), numbers);
            assertThat(json(nested(struct, Column.none(), none, lists)))
                    .isEqualTo(isOfCql ? "{\"v\":{\"list\":[1]}}" : "{\"v\":{\"list\":[1,null]}}");
        }
    }

    /** A text of this word would be loaded as such. */
    @Test
    void bytesThatAreNoTextAreOfNoType() {
        ColumnType text = ColumnType.of("v", Kind.TEXT, 32);
        Column column = Column.of(text, 1, null, ints(0, 1), ByteBuffer.wrap(new byte[] {(byte) 0xC3}));
        assertThat(json(column)).startsWith("{\"v\":{\"not kept\":[[\"text ").endsWith("\"]]}}");
    }
}
