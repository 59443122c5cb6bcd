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
import io.overdrive.formats.columns.ColumnType.Unit;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.CellCounts;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.codec.TypeCql;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Collects CQL values of one column, from their bytes. A class for each layout. Confined to one thread; on the hot path.
 *
 * <p>Empty values of types other than text, ascii and blob are nulls, as in {@link ValueText}.
 */
public abstract class ColumnBuilder implements CellCounts {
    private static final int UUID_BYTES = 16;
    private static final int MAX_PRECISION = 38;
    /** Digits of the largest number of 64 bits without a sign. */
    private static final int UNSIGNED_DIGITS = 20;

    static final byte[] NOTHING = {};

    /** How decimal and varint are written: as text, or as numbers of a fixed size. Immutable. */
    public record Decimals(int precision, int scale) {
        public static final Decimals TEXT = new Decimals(0, 0);

        public Decimals {
            if (precision < 0 || precision > MAX_PRECISION || scale < 0 || scale > precision) {
                throw new IllegalOptionException(
                        words -> words.of(JobOption.DECIMALS) + " is " + precision + "," + scale
                                + ", must be the number of digits, from 1 to " + MAX_PRECISION
                                + ", and how many of them are after the point, such as 38,9");
            }
        }

        /** The sizes that columns of numbers have, by name; others are as all are. */
        public static Map<String, Decimals> of(List<ColumnType> columns) {
            Map<String, Decimals> sizes = new HashMap<>();
            for (ColumnType column : columns) {
                if (column.kind() == Kind.DECIMAL && column.precision() <= MAX_PRECISION && column.scale() >= 0) {
                    sizes.put(column.name(), new Decimals(column.precision(), column.scale()));
                } else if (column.kind() == Kind.UNSIGNED && column.width() == Long.SIZE) {
                    sizes.put(column.name(), new Decimals(UNSIGNED_DIGITS, 0));
                }
            }
            return sizes;
        }

        boolean isText() {
            return precision == 0;
        }
    }

    private final ColumnType type;
    /** The counts of empty values of others that are written as null; see {@link ValueText#emptyElements}. */
    private final List<ColumnBuilder> parts;

    private final boolean hasFields;
    private final boolean mayBeEmpty;
    private final Bytes validity = new Bytes(64);
    private int rows;
    private int nulls;
    private long emptyParts;

    ColumnBuilder(ColumnType type, boolean mayBeEmpty, boolean hasFields, List<ColumnBuilder> parts) {
        this.type = type;
        this.mayBeEmpty = mayBeEmpty;
        this.hasFields = hasFields;
        this.parts = parts;
    }

    /** A builder for values of a CQL type. */
    public static ColumnBuilder of(String name, DataType type, Decimals decimals) {
        ColumnBuilder plain = builder(name, type, decimals);
        ColumnType from = plain.type;
        // types that differ only in being frozen are equal for the driver
        boolean isObvious = type.equals(DataTypes.COUNTER)
                || type.equals(DataTypes.UUID)
                || (from.natural().equals(type) && !TypeCql.of(type).startsWith("frozen<"));
        return isObvious ? plain : plain.with(from.noted(type, /* isStatic */ false));
    }

    /** A builder for values of a static column. */
    public static ColumnBuilder ofStatic(String name, DataType type, Decimals decimals) {
        ColumnBuilder plain = builder(name, type, decimals);
        DataType noted = type.equals(DataTypes.COUNTER) ? DataTypes.BIGINT : type;
        return plain.with(plain.type.noted(noted, /* isStatic */ true));
    }

    /** A builder of the same layout for another type. */
    abstract ColumnBuilder with(ColumnType other);

    private static ColumnBuilder builder(String name, DataType type, Decimals decimals) {
        String cql = type.asCql(/* includeFrozen */ false, /* pretty */ true);
        return switch (CqlType.of(type)) {
            case TEXT, ASCII -> new Contents(ColumnType.of(name, Kind.TEXT, 32), /* mayBeEmpty */ true, null);
            case BLOB, CUSTOM -> new Contents(ColumnType.of(name, Kind.BINARY, 32), /* mayBeEmpty */ true, null);
            case TINYINT -> new Fixed(ColumnType.of(name, Kind.SIGNED, 8), cql, 1, 0);
            case SMALLINT -> new Fixed(ColumnType.of(name, Kind.SIGNED, 16), cql, 2, 0);
            case INT -> new Fixed(ColumnType.of(name, Kind.SIGNED, 32), cql, 4, 0);
            case BIGINT, COUNTER -> new Fixed(ColumnType.of(name, Kind.SIGNED, 64), cql, 8, 0);
            case FLOAT -> new Fixed(ColumnType.of(name, Kind.FLOAT, 32), cql, 4, 0);
            case DOUBLE -> new Fixed(ColumnType.of(name, Kind.FLOAT, 64), cql, 8, 0);
            case DATE -> new Fixed(ColumnType.of(name, Kind.DATE_DAYS, 32), cql, 4, Integer.MIN_VALUE);
            case TIME -> new Fixed(ColumnType.of(name, Kind.TIME, 64), cql, 8, 0);
            case TIMESTAMP -> {
                ColumnType local = ColumnType.of(name, Kind.TIMESTAMP, 64, Unit.MILLIS, List.of());
                yield new Fixed(local.withZone(), cql, 8, 0);
            }
            case UUID, TIMEUUID -> {
                ColumnType bytes = ColumnType.of(name, Kind.FIXED_BINARY, UUID_BYTES);
                yield new Fixed(bytes.withMetadata(Map.of(ColumnType.EXTENSION, ColumnType.UUID)), cql, UUID_BYTES, 0);
            }
            case BOOLEAN -> new Bits(ColumnType.of(name, Kind.BOOLEAN, 1), cql);
            case DURATION -> new DurationBuilder(ColumnType.of(name, Kind.MONTHS_DAYS_NANOS, 128));
            case INET -> asText(name, type);
            case VARINT, DECIMAL -> decimals.isText() ? asText(name, type) : decimal(name, cql, type, decimals);
            case LIST -> sequence(name, cql, ((ListType) type).getElementType(), decimals);
            case SET -> sequence(name, cql, ((SetType) type).getElementType(), decimals);
            case MAP -> map(name, cql, (MapType) type, decimals);
            case TUPLE -> {
                List<DataType> types = ((TupleType) type).getComponentTypes();
                List<String> names = IntStream.range(0, types.size())
                        .mapToObj(String::valueOf)
                        .toList();
                yield struct(name, cql, names, types, decimals);
            }
            case UDT -> {
                UserDefinedType udt = (UserDefinedType) type;
                List<String> names = udt.getFieldNames().stream()
                        .map(CqlIdentifier::asInternal)
                        .toList();
                yield struct(name, cql, names, udt.getFieldTypes(), decimals);
            }
            case VECTOR -> vector(name, cql, (VectorType) type, decimals);
        };
    }

    private static ColumnBuilder asText(String name, DataType type) {
        return new Contents(
                ColumnType.of(name, Kind.TEXT, 32), /* mayBeEmpty */ false, ValueText.of(type, ValueFormat.DEFAULT));
    }

    private static ColumnBuilder decimal(String name, String cql, DataType type, Decimals decimals) {
        boolean hasScale = CqlType.of(type) == CqlType.DECIMAL;
        ColumnType column = ColumnType.of(name, Kind.DECIMAL, 128);
        return new DecimalBuilder(column.decimal(decimals.precision, hasScale ? decimals.scale : 0), cql, hasScale);
    }

    private static ColumnBuilder map(String name, String cql, MapType map, Decimals decimals) {
        ColumnBuilder key = builder("key", map.getKeyType(), decimals);
        key = key.with(key.type.required());
        ColumnBuilder value = builder("value", map.getValueType(), decimals);
        ColumnType entry = ColumnType.of("entries", Kind.STRUCT, 0, Unit.NANOS, List.of(key.type, value.type));
        return new SequenceBuilder(
                ColumnType.of(name, Kind.MAP, 32, Unit.NANOS, List.of(entry.required())), cql, key, value);
    }

    private static ColumnBuilder vector(String name, String cql, VectorType vector, Decimals decimals) {
        ColumnBuilder element = builder("item", vector.getElementType(), decimals);
        return new VectorBuilder(
                ColumnType.of(name, Kind.FIXED_LIST, vector.getDimensions(), Unit.NANOS, List.of(element.type)),
                cql,
                element,
                CqlType.elementBytes(vector.getElementType()));
    }

    private static ColumnBuilder sequence(String name, String cql, DataType of, Decimals decimals) {
        ColumnBuilder element = builder("item", of, decimals);
        return new SequenceBuilder(
                ColumnType.of(name, Kind.LIST, 32, Unit.NANOS, List.of(element.type)), cql, element, null);
    }

    private static ColumnBuilder struct(
            String name, String cql, List<String> names, List<DataType> types, Decimals decimals) {
        List<ColumnBuilder> fields = IntStream.range(0, names.size())
                .mapToObj(i -> builder(names.get(i), types.get(i), decimals))
                .toList();
        List<ColumnType> children = fields.stream().map(field -> field.type).toList();
        return new StructBuilder(ColumnType.of(name, Kind.STRUCT, 0, Unit.NANOS, children), cql, fields);
    }

    public final ColumnType type() {
        return type;
    }

    /**
     * Adds the value of the next row.
     *
     * @param length -1 for a null
     * @throws BadValueException if the bytes are not a value of the type, or its column cannot hold it
     */
    public final void add(byte[] from, int offset, int length) {
        boolean isNull = length < 0 || (length == 0 && !mayBeEmpty);
        mark(isNull);
        if (isNull) {
            missing();
        } else {
            value(from, offset, length);
        }
    }

    private void mark(boolean isNull) {
        int bit = rows++ & 7;
        if (bit == 0) {
            validity.putByte(0);
        }
        if (isNull) {
            nulls++;
        } else {
            validity.array()[validity.length() - 1] |= (byte) (1 << bit);
        }
    }

    /** As {@link #add}, for a part of a value. */
    final void addPart(byte[] from, int offset, int length) {
        emptyParts += length == 0 && !mayBeEmpty ? 1 : 0;
        add(from, offset, length);
    }

    abstract void value(byte[] from, int offset, int length);

    /** Adds what the layout has for a row without a value. */
    abstract void missing();

    final int rows() {
        return rows;
    }

    @Override
    public final boolean isNested() {
        return !parts.isEmpty();
    }

    /** A timestamp is a number, and has no hour twice. */
    @Override
    public final long repeatedTimes() {
        return 0;
    }

    @Override
    public final long emptyElements() {
        long sum = 0;
        for (ColumnBuilder part : parts) {
            sum += part.emptyElements() + (hasFields ? 0 : part.emptyParts);
        }
        return sum;
    }

    @Override
    public final long emptyParts() {
        long sum = 0;
        for (ColumnBuilder part : parts) {
            sum += part.emptyParts() + part.emptyParts;
        }
        return sum;
    }

    /** The column so far. Valid until the next call of {@link #add} or {@link #clear}. */
    public abstract Column column();

    final @Nullable ByteBuffer validity() {
        return nulls == 0 ? null : written(validity);
    }

    static ByteBuffer written(Bytes bytes) {
        return ByteBuffer.wrap(bytes.array(), 0, bytes.length());
    }

    /** Removes all rows. */
    public void clear() {
        rows = 0;
        nulls = 0;
        validity.clear();
        parts.forEach(ColumnBuilder::clear);
    }

    static BadValueException badLength(String cql, int length) {
        return new BadValueException("is " + cql + ", got " + length + (length == 1 ? " byte" : " bytes"));
    }

    static int partLength(String cql, byte[] from, int at, int end) {
        int length = end - at < 4 ? Integer.MAX_VALUE : Bytes.getInt(from, at);
        if (length > end - at - 4) {
            throw new BadValueException("is " + cql + ", but its bytes end inside a part");
        }
        return Math.max(length, -1);
    }

    static void putInt(int value, Bytes out) {
        out.putInt(Integer.reverseBytes(value));
    }

    static void putLong(long value, Bytes out) {
        out.putLong(Long.reverseBytes(value));
    }

    /** Values of a fixed number of bytes: numbers, whose order of bytes is turned round, and others. */
    private static final class Fixed extends DataBuilder {
        private final String cql;
        private final int bytes;
        /** The bits in which an int differs from its column's. */
        private final int flipped;

        Fixed(ColumnType type, String cql, int bytes, int flipped) {
            super(type);
            this.cql = cql;
            this.bytes = bytes;
            this.flipped = flipped;
        }

        @Override
        ColumnBuilder with(ColumnType other) {
            return new Fixed(other, cql, bytes, flipped);
        }

        @Override
        void value(byte[] from, int offset, int length) {
            if (length != bytes) {
                throw badLength(cql, length);
            }
            switch (length) {
                case Short.BYTES -> data.putShort(Short.reverseBytes(Bytes.getShort(from, offset)));
                case Integer.BYTES -> putInt(Bytes.getInt(from, offset) ^ flipped, data);
                case Long.BYTES -> putLong(Bytes.getLong(from, offset), data);
                default -> data.put(from, offset, length);
            }
        }

        @Override
        void missing() {
            zeros(bytes, data);
        }
    }

    static void zeros(int count, Bytes out) {
        out.reserve(count);
        for (int i = 0; i < count; i++) {
            out.putByte(0);
        }
    }

    private static final class Bits extends DataBuilder {
        private final String cql;

        Bits(ColumnType type, String cql) {
            super(type);
            this.cql = cql;
        }

        @Override
        ColumnBuilder with(ColumnType other) {
            return new Bits(other, cql);
        }

        @Override
        void value(byte[] from, int offset, int length) {
            if (length != 1) {
                throw badLength(cql, length);
            }
            put(from[offset] != 0);
        }

        private void put(boolean isSet) {
            int bit = rows() - 1 & 7;
            if (bit == 0) {
                data.putByte(0);
            }
            if (isSet) {
                data.array()[data.length() - 1] |= (byte) (1 << bit);
            }
        }

        @Override
        void missing() {
            put(false);
        }
    }

    /** Texts and bytes, and values as their text. */
    private static final class Contents extends ColumnBuilder {
        private final boolean mayBeEmpty;
        private final @Nullable ValueText writer;
        private final Bytes offsets = new Bytes(256);
        private final Bytes data = new Bytes(1024);

        Contents(ColumnType type, boolean mayBeEmpty, @Nullable ValueText writer) {
            super(type, mayBeEmpty, /* hasFields */ false, List.of());
            this.mayBeEmpty = mayBeEmpty;
            this.writer = writer;
            putInt(0, offsets);
        }

        @Override
        ColumnBuilder with(ColumnType other) {
            return new Contents(other, mayBeEmpty, writer);
        }

        @Override
        void value(byte[] from, int offset, int length) {
            if (writer == null) {
                data.put(from, offset, length);
            } else {
                writer.write(from, offset, length, data);
            }
            missing();
        }

        @Override
        void missing() {
            putInt(data.length(), offsets);
        }

        @Override
        public Column column() {
            return Column.of(type(), rows(), validity(), written(offsets), written(data));
        }

        @Override
        public void clear() {
            super.clear();
            data.clear();
            offsets.clear();
            putInt(0, offsets);
        }
    }
}
