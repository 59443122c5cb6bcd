package io.overdrive.formats.columns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.internal.core.type.UserDefinedTypeBuilder;
import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.formats.columns.ColumnType.Unit;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CellReaderTest {
    private static ByteBuffer longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long value : values) {
            bytes.putLong(value);
        }
        return bytes.flip();
    }

    @Test
    void aWriteTimeThatIsOutOfRangeIsRefused() {
        ColumnType type = ColumnType.of("t", Kind.TIMESTAMP, 64, Unit.SECONDS, List.of());
        Column times = Column.of(type, 2, null, Column.none(), longs(1_700_000_000, Long.MAX_VALUE / 1_000));
        CellReader reader =
                CellReader.writeTime(type, ValueText.of(DataTypes.BIGINT, ValueFormat.DEFAULT), ValueFormat.DEFAULT);
        Bytes out = new Bytes(16);
        reader.read(times, 0, out);
        assertThat(Bytes.getLong(out.array(), 0)).isEqualTo(1_700_000_000_000_000L);
        assertThatThrownBy(() -> reader.read(times, 1, out))
                .isInstanceOf(BadValueException.class)
                .hasMessage("is a write time, but 9223372036854775 is out of range");
    }

    @Test
    void infinityIsNoTimeWhereItMayBeMeant() {
        ColumnType type = ColumnType.of("t", Kind.TIMESTAMP, 64, Unit.MILLIS, List.of())
                .withMetadata(Map.of(ColumnType.INFINITE, ""));
        Column times = Column.of(type, 3, null, Column.none(), longs(1, Long.MAX_VALUE, -Long.MAX_VALUE));
        ValueText timestamp = ValueText.of(DataTypes.TIMESTAMP, ValueFormat.DEFAULT);
        ValueText text = ValueText.of(DataTypes.TEXT, ValueFormat.DEFAULT);
        for (CellReader reader : List.of(
                CellReader.of(type, DataTypes.TIMESTAMP, timestamp, ValueFormat.DEFAULT),
                CellReader.writeTime(type, timestamp, ValueFormat.DEFAULT))) {
            Bytes out = new Bytes(16);
            reader.read(times, 0, out);
            assertThat(out.length()).isEqualTo(Long.BYTES);
            assertThatThrownBy(() -> reader.read(times, 1, out))
                    .isInstanceOf(BadValueException.class)
                    .hasMessageMatching("is (timestamp|a write time), got infinity");
            assertThatThrownBy(() -> reader.read(times, 2, out)).hasMessageEndingWith(", got -infinity");
        }
        Bytes out = new Bytes(16);
        CellReader.of(type, DataTypes.TEXT, text, ValueFormat.DEFAULT).read(times, 2, out);
        assertThat(new String(out.toByteArray(), StandardCharsets.UTF_8)).isEqualTo("-infinity");
        assertThat(new ColumnJson(List.of(type)).value(0, times, 1)).isEqualTo("\"infinity\"");
        ColumnType other = ColumnType.of("t", Kind.TIMESTAMP, 64, Unit.MILLIS, List.of());
        CellReader.of(other, DataTypes.TIMESTAMP, timestamp, ValueFormat.DEFAULT)
                .read(Column.of(other, 1, null, Column.none(), longs(Long.MAX_VALUE)), 0, out);
    }

    @Test
    void structsOfFilesWithOtherOrdersHaveTheirFieldsByName() {
        ColumnType a = ColumnType.of("a", Kind.SIGNED, 64);
        ColumnType b = ColumnType.of("b", Kind.SIGNED, 64);
        ColumnType first = ColumnType.of("s", Kind.STRUCT, 0, Unit.NANOS, List.of(a, b));
        ColumnType second = ColumnType.of("s", Kind.STRUCT, 0, Unit.NANOS, List.of(b, a));
        Column values = new Column(
                second,
                1,
                null,
                Column.none(),
                Column.none(),
                List.of(),
                List.of(Column.of(b, 1, null, Column.none(), longs(2)), Column.of(a, 1, null, Column.none(), longs(1))),
                null);
        Bytes out = new Bytes(32);
        ValueText text = ValueText.of(first.natural(), ValueFormat.DEFAULT);
        CellReader.of(second, first.natural(), text, ValueFormat.DEFAULT).read(values, 0, out);
        assertThat(Bytes.getLong(out.array(), Integer.BYTES)).isEqualTo(1);
    }

    @Test
    void aFloatThatMayHaveBeenAnotherIntegerIsNone() {
        ColumnType type = ColumnType.of("f", Kind.FLOAT, 64);
        double exact = 0x1p53 - 1;
        Column floats = Column.of(
                type,
                4,
                null,
                Column.none(),
                longs(
                        Double.doubleToLongBits(exact),
                        Double.doubleToLongBits(-exact),
                        Double.doubleToLongBits(0x1p53), // which 2^53 + 1 becomes, too
                        Double.doubleToLongBits(-0x1p63)));
        ValueText bigint = ValueText.of(DataTypes.BIGINT, ValueFormat.DEFAULT);
        CellReader reader = CellReader.of(type, DataTypes.BIGINT, bigint, ValueFormat.DEFAULT);
        Bytes out = new Bytes(16);
        reader.read(floats, 0, out);
        reader.read(floats, 1, out);
        assertThat(out.length()).isEqualTo(2 * Long.BYTES);
        assertThat(Bytes.getLong(out.array(), 0)).isEqualTo((1L << 53) - 1);
        for (int row : List.of(2, 3)) {
            assertThatThrownBy(() -> reader.read(floats, row, out))
                    .isInstanceOf(BadValueException.class)
                    .hasMessageMatching(
                            "is bigint, got the float (9.007199254740992E15|-9.223372036854776E18), which may have been"
                                    + " another integer: give integers, also next to nulls");
        }
    }

    @Test
    void aColumnWithoutValuesGoesToEverything() {
        ColumnType none = ColumnType.of("n", Kind.NULL, 0);
        ValueText bigint = ValueText.of(DataTypes.BIGINT, ValueFormat.DEFAULT);
        assertThat(CellReader.writeTime(none, bigint, ValueFormat.DEFAULT)).isNotNull();
        assertThat(CellReader.of(none, DataTypes.BIGINT, bigint, ValueFormat.DEFAULT))
                .isNotNull();
    }

    @Test
    void aWriteTimeMayBeInADictionary() {
        ColumnType plain = ColumnType.of("t", Kind.TIMESTAMP, 64, Unit.MICROS, List.of());
        ColumnType type = plain.withDictionary(new ColumnType.Dictionary(0, ColumnType.of("", Kind.SIGNED, 64)));
        Column times = Column.of(plain, 2, null, Column.none(), longs(1_000, 2_000));
        Column column = new Column(type, 1, null, Column.none(), longs(1), List.of(), List.of(), times);
        Bytes out = new Bytes(16);
        CellReader.writeTime(type, ValueText.of(DataTypes.BIGINT, ValueFormat.DEFAULT), ValueFormat.DEFAULT)
                .read(column, 0, out);
        assertThat(Bytes.getLong(out.array(), 0)).isEqualTo(2_000);
    }

    /** CQL has no field without a name, so it gets a blank. */
    @Test
    void aFieldWithoutANameIsKept() {
        ColumnType number = ColumnType.of("", Kind.SIGNED, 64);
        ColumnType type = ColumnType.of("s", Kind.STRUCT, 0, Unit.NANOS, List.of(number));
        Column numbers = Column.of(number, 1, null, Column.none(), longs(7));
        Column struct = new Column(type, 1, null, Column.none(), Column.none(), List.of(), List.of(numbers), null);
        byte[] json = new ColumnJson(List.of(type)).row(List.of(struct), 0);
        assertThat(new String(json, StandardCharsets.UTF_8)).isEqualTo("{\"s\":{\" \":7}}");
    }

    /** Fields {@code a} and {@code b}, of which each row has one. */
    private static Column alternating(String... names) {
        List<Column> fields = IntStream.range(0, names.length)
                .mapToObj(i -> Column.of(
                        ColumnType.of(names[i], Kind.SIGNED, 64),
                        names.length,
                        ByteBuffer.wrap(new byte[] {(byte) (1 << i)}),
                        Column.none(),
                        longs(7, 8, 9)))
                .toList();
        ColumnType type = ColumnType.of(
                "s",
                Kind.STRUCT,
                0,
                Unit.NANOS,
                fields.stream().map(Column::type).toList());
        return new Column(type, names.length, null, Column.none(), Column.none(), List.of(), fields, null);
    }

    private static String json(Column column, int row, DataType to, ValueFormat format) {
        ValueText text = ValueText.of(to, format);
        Bytes value = new Bytes(16);
        CellReader.of(column.type(), to, text, format).read(column, row, value);
        Bytes json = new Bytes(16);
        text.writeJson(value.array(), 0, value.length(), json);
        return new String(json.toByteArray(), StandardCharsets.UTF_8);
    }

    @Test
    void fieldsWithoutAValueAreNoEntriesOfAMap() {
        Column struct = alternating("a", "b");
        DataType map = DataTypes.mapOf(DataTypes.TEXT, DataTypes.INT);
        assertThat(json(struct, 0, map, ValueFormat.DEFAULT)).isEqualTo("{\"a\":7}");
        assertThat(json(struct, 1, map, ValueFormat.DEFAULT)).isEqualTo("{\"b\":8}");
    }

    @Test
    void aNameThatIsNoKeyOfTheMapIsRefusedWhereItHasAValue() {
        Column struct = alternating("1", "q");
        DataType map = DataTypes.mapOf(DataTypes.INT, DataTypes.TINYINT);
        assertThat(json(struct, 0, map, ValueFormat.DEFAULT)).isEqualTo("{\"1\":7}");
        assertThatThrownBy(() -> json(struct, 1, map, ValueFormat.DEFAULT)).hasMessage("key is int, got \"q\"");
        DataType dates = DataTypes.mapOf(DataTypes.TEXT, DataTypes.DATE);
        assertThatThrownBy(() -> json(struct, 0, dates, ValueFormat.DEFAULT))
                .hasMessageStartingWith("value of key \"1\" is date, got ");
    }

    @Test
    void aFieldWithoutAValueIsNotMissedInATypeWithOtherNames() {
        UserDefinedType udt = new UserDefinedTypeBuilder("ks", "t")
                .withField("a", DataTypes.INT)
                .build();
        Column struct = alternating("A", "x");
        assertThat(json(struct, 0, udt, ValueFormat.DEFAULT)).isEqualTo("{\"a\":7}");
        assertThatThrownBy(() -> json(struct, 1, udt, ValueFormat.DEFAULT)).hasMessageContaining("has no field \"x\"");
        ValueFormat withExtraFields =
                ValueFormat.builder().ignoreExtraFields(true).build();
        assertThat(json(struct, 0, udt, withExtraFields)).isEqualTo("{\"a\":7}");
        assertThat(json(struct, 1, udt, withExtraFields)).isEqualTo("{\"a\":null}");
    }
}
