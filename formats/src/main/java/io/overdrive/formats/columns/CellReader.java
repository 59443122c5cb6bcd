package io.overdrive.formats.columns;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.TupleType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.VectorType;
import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of a column as the bytes of a CQL type. Confined to one thread, since some readers keep scratch space; on the hot
 * path.
 *
 * <p>A value that the type would not keep in full is refused. Types that have nothing in common, such as a date and a text, are
 * connected by the text or the JSON of the value ({@link TextRoute}), so that the rules for texts hold there, too.
 */
public interface CellReader {
    /**
     * Appends the value of a row that has one.
     *
     * @throws BadValueException if the type cannot hold it
     */
    void read(Column column, int row, Bytes out);

    /**
     * @param parser of texts for the type
     * @param values how texts within other values are parsed, and what a local time means
     */
    static CellReader of(ColumnType from, DataType to, ValueText parser, ValueFormat values) {
        return byDictionary(from, Times.finite(from, CqlType.of(to), parser.type, plain(from, to, parser, values)));
    }

    /** A reader of a column whose values, which the other one reads, may be in a dictionary. */
    private static CellReader byDictionary(ColumnType from, CellReader values) {
        return from.dictionary() == null
                ? values
                : (column, row, out) -> values.read(column.dictionary(), column.index(row), out);
    }

    /** A reader of write times: microseconds, as a number, a text or a timestamp. */
    static CellReader writeTime(ColumnType from, ValueText parser, ValueFormat values) {
        return byDictionary(
                from,
                switch (from.kind()) {
                    case NULL -> noValue();
                    case TIMESTAMP ->
                        Times.finite(
                                from,
                                CqlType.BIGINT,
                                "a write time",
                                (column, row, out) -> out.putLong(Times.micros(column, row)));
                    case JULIAN -> (column, row, out) -> out.putLong(Times.julianMicros(column, row));
                    default -> new TextRoute(from, DataTypes.BIGINT, parser, values);
                });
    }

    private static CellReader plain(ColumnType from, DataType to, ValueText parser, ValueFormat values) {
        if (from.kind() == Kind.NULL) {
            return noValue();
        }
        CellReader direct = direct(from, to, parser.type, values);
        if (direct != null) {
            return direct;
        }
        CellReader route = new TextRoute(from, to, parser, values);
        CqlType type = CqlType.of(to);
        boolean isTime = from.kind() == Kind.TIMESTAMP || from.kind() == Kind.JULIAN;
        boolean isTimeAsText = isTime && (type == CqlType.TEXT || type == CqlType.ASCII);
        return isTimeAsText ? Times.text(from, values, route) : route;
    }

    private static CellReader noValue() {
        return (column, row, out) -> {
            throw new IllegalStateException("a column without values has no value");
        };
    }

    /** The reader that needs no text; null if there is none. */
    static @Nullable CellReader direct(ColumnType from, DataType to, String name, ValueFormat values) {
        return switch (CqlType.of(to)) {
            case TINYINT ->
                Numbers.integer(from, Byte.MIN_VALUE, Byte.MAX_VALUE, name, (value, out) -> out.putByte((int) value));
            case SMALLINT ->
                Numbers.integer(
                        from, Short.MIN_VALUE, Short.MAX_VALUE, name, (value, out) -> out.putShort((int) value));
            case INT ->
                Numbers.integer(
                        from, Integer.MIN_VALUE, Integer.MAX_VALUE, name, (value, out) -> out.putInt((int) value));
            case BIGINT, COUNTER ->
                Numbers.integer(from, Long.MIN_VALUE, Long.MAX_VALUE, name, (value, out) -> out.putLong(value));
            case VARINT -> Numbers.varint(from);
            case DECIMAL -> Numbers.decimal(from);
            case FLOAT -> Numbers.float32(from);
            case DOUBLE -> Numbers.float64(from);
            case BOOLEAN ->
                from.kind() == Kind.BOOLEAN ? (column, row, out) -> out.putByte(column.bool(row) ? 1 : 0) : null;
            case TEXT -> Contents.text(from, name);
            case ASCII -> Contents.ascii(from, name);
            case BLOB, CUSTOM -> Contents.bytes(from);
            case UUID -> Contents.uuid(from, name, /* version */ 0);
            case TIMEUUID -> Contents.uuid(from, name, /* version */ 1);
            case INET -> Contents.inet(from, name);
            case DATE -> Times.date(from);
            case TIME -> Times.time(from);
            case TIMESTAMP -> Times.timestamp(from, values);
            case DURATION -> Times.duration(from);
            case LIST -> list(from, ((ListType) to).getElementType(), name, values);
            case SET -> list(from, ((SetType) to).getElementType(), name, values);
            case VECTOR -> vector(from, (VectorType) to, name, values);
            case MAP -> map(from, (MapType) to, name, values);
            case TUPLE -> tuple(from, (TupleType) to, values);
            case UDT -> udt(from, (UserDefinedType) to, values);
        };
    }

    static CellReader part(ColumnType from, DataType to, ValueFormat values) {
        return of(from, to, ValueText.of(to, values), values);
    }

    private static @Nullable CellReader list(ColumnType from, DataType element, String name, ValueFormat values) {
        if (from.kind() != Kind.LIST && from.kind() != Kind.FIXED_LIST) {
            return null;
        }
        CellReader reader = part(from.children().get(0), element, values);
        return (column, row, out) -> {
            Column elements = column.child(0);
            int start = column.start(row);
            int end = column.end(row);
            out.putInt(end - start);
            for (int i = start; i < end; i++) {
                element(reader, elements, i, "element " + (i - start + 1), name, out);
            }
        };
    }

    /** Appends an element, which must not be null, after its length. */
    private static void element(CellReader reader, Column column, int row, String part, String name, Bytes out) {
        if (column.isNull(row)) {
            throw new BadValueException(part + " is null, which a " + name + " cannot hold");
        }
        int begin = out.beginValue();
        try {
            reader.read(column, row, out);
        } catch (BadValueException e) {
            throw e.inside(part);
        }
        out.endValue(begin);
    }

    private static @Nullable CellReader vector(ColumnType from, VectorType to, String name, ValueFormat values) {
        if (from.kind() != Kind.LIST && from.kind() != Kind.FIXED_LIST) {
            return null;
        }
        CellReader reader = part(from.children().get(0), to.getElementType(), values);
        int dimensions = to.getDimensions();
        boolean hasLengths = CqlType.elementBytes(to.getElementType()) < 0;
        Bytes scratch = new Bytes(64);
        return (column, row, out) -> {
            Column elements = column.child(0);
            int start = column.start(row);
            int count = column.end(row) - start;
            if (count != dimensions) {
                throw new BadValueException("is " + name + ", got " + count + " elements");
            }
            for (int i = 0; i < count; i++) {
                if (elements.isNull(start + i)) {
                    throw new BadValueException("element " + (i + 1) + " is null, which a " + name + " cannot hold");
                }
                scratch.clear();
                try {
                    reader.read(elements, start + i, hasLengths ? scratch : out);
                } catch (BadValueException e) {
                    throw e.inside("element " + (i + 1));
                }
                if (hasLengths) {
                    out.putUnsignedVint(scratch.length());
                    out.put(scratch.array(), 0, scratch.length());
                }
            }
        };
    }

    /** A map, or as some tools have it, a list of pairs or fields. */
    private static @Nullable CellReader map(ColumnType from, MapType to, String name, ValueFormat values) {
        if (from.kind() == Kind.STRUCT) {
            return new FieldsAsMap(from, to, values);
        }
        boolean isPairs = from.kind() == Kind.MAP
                || (from.kind() == Kind.LIST
                        && from.children().get(0).kind() == Kind.STRUCT
                        && from.children().get(0).children().size() == 2);
        if (!isPairs) {
            return null;
        }
        List<ColumnType> pair = from.children().get(0).children();
        CellReader key = part(pair.get(0), to.getKeyType(), values);
        CellReader value = part(pair.get(1), to.getValueType(), values);
        return (column, row, out) -> {
            Column pairs = column.child(0);
            int start = column.start(row);
            int end = column.end(row);
            out.putInt(end - start);
            for (int i = start; i < end; i++) {
                String entry = " of entry " + (i - start + 1);
                if (pairs.isNull(i)) {
                    throw new BadValueException(
                            "entry " + (i - start + 1) + " is null, which a " + name + " cannot hold");
                }
                element(key, pairs.child(0), i, "key" + entry, name, out);
                element(value, pairs.child(1), i, "value" + entry, name, out);
            }
        };
    }

    private static @Nullable CellReader tuple(ColumnType from, TupleType to, ValueFormat values) {
        List<DataType> types = to.getComponentTypes();
        if (from.kind() != Kind.STRUCT || from.children().size() != types.size()) {
            return null;
        }
        int[] order = IntStream.range(0, types.size()).toArray();
        String[] labels = IntStream.rangeClosed(1, types.size())
                .mapToObj(field -> "field " + field)
                .toArray(String[]::new);
        return fields(from, types, order, labels, values);
    }

    private static @Nullable CellReader udt(ColumnType from, UserDefinedType to, ValueFormat values) {
        if (from.kind() != Kind.STRUCT) {
            return null;
        }
        List<String> names = StructType.names(from);
        List<String> wanted =
                to.getFieldNames().stream().map(CqlIdentifier::asInternal).toList();
        boolean isSame = names.equals(wanted);
        int[] order = IntStream.range(0, wanted.size())
                .map(field -> isSame ? field : names.indexOf(wanted.get(field)))
                .toArray();
        boolean hasAll = names.stream()
                .allMatch(name -> wanted.contains(name)
                        || (values.ignoresExtraFields() && wanted.stream().noneMatch(name::equalsIgnoreCase)));
        boolean hasOnce = names.stream().distinct().count() == names.size();
        if (!isSame && (!hasAll || !hasOnce)) {
            return null; // by its JSON, whose rules allow for other spellings, and whose messages say which field is
            // wrong
        }
        String[] labels = wanted.stream().map(field -> "field \"" + field + '"').toArray(String[]::new);
        return fields(from, to.getFieldTypes(), order, labels, values);
    }

    /** @param order the number of the child for each field; -1 if there is none */
    private static CellReader fields(
            ColumnType from, List<DataType> types, int[] order, String[] labels, ValueFormat values) {
        List<@Nullable CellReader> readers = new ArrayList<>();
        for (int i = 0; i < order.length; i++) {
            readers.add(order[i] < 0 ? null : part(from.children().get(order[i]), types.get(i), values));
        }
        return (column, row, out) -> {
            for (int i = 0; i < order.length; i++) {
                CellReader reader = readers.get(i);
                Column child = order[i] < 0 ? null : column.child(order[i]);
                if (reader == null || child == null || child.isNull(row)) {
                    out.putNull();
                    continue;
                }
                int begin = out.beginValue();
                try {
                    reader.read(child, row, out);
                } catch (BadValueException e) {
                    throw e.inside(labels[i]);
                }
                out.endValue(begin);
            }
        };
    }
}
