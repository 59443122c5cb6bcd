package io.overdrive.formats.arrow;

import com.google.flatbuffers.FlatBufferBuilder;
import com.google.flatbuffers.Table;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.columns.ColumnType.Dictionary;
import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.formats.columns.ColumnType.Unit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.flatbuf.Bool;
import org.apache.arrow.flatbuf.Date;
import org.apache.arrow.flatbuf.DateUnit;
import org.apache.arrow.flatbuf.Decimal;
import org.apache.arrow.flatbuf.DictionaryEncoding;
import org.apache.arrow.flatbuf.Duration;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.FixedSizeBinary;
import org.apache.arrow.flatbuf.FixedSizeList;
import org.apache.arrow.flatbuf.FloatingPoint;
import org.apache.arrow.flatbuf.Int;
import org.apache.arrow.flatbuf.Interval;
import org.apache.arrow.flatbuf.IntervalUnit;
import org.apache.arrow.flatbuf.KeyValue;
import org.apache.arrow.flatbuf.Precision;
import org.apache.arrow.flatbuf.Schema;
import org.apache.arrow.flatbuf.Time;
import org.apache.arrow.flatbuf.Timestamp;
import org.apache.arrow.flatbuf.Type;
import org.jspecify.annotations.Nullable;

/** The schema of a file of Arrow as types of columns, and the other way round. Confined to one thread while it reads. */
final class ArrowSchema {
    private static final int MAX_DEPTH = 64;
    /** A damaged schema may lead to the same parts again and again. */
    private static final int MAX_FIELDS = 1 << 18;

    /** The units in the order of their numbers in Arrow. */
    private static final List<Unit> UNITS = List.of(Unit.SECONDS, Unit.MILLIS, Unit.MICROS, Unit.NANOS);

    /** The number of columns and their parts so far. */
    private int fields;

    private ArrowSchema() {}

    static List<ColumnType> read(Schema schema) throws IOException {
        if (schema.endianness() != Endianness.Little) {
            throw new IOException("it has numbers in big-endian order, which are not read");
        }
        ArrowSchema reading = new ArrowSchema();
        List<ColumnType> types = new ArrayList<>();
        for (int i = 0; i < schema.fieldsLength(); i++) {
            types.add(reading.type(schema.fields(i), MAX_DEPTH));
        }
        return types;
    }

    private ColumnType type(Field field, int depth) throws IOException {
        if (++fields > MAX_FIELDS) {
            throw new IOException("it has more than " + MAX_FIELDS + " columns and parts of them");
        }
        if (depth == 0) {
            throw new IOException("its values are nested more than " + MAX_DEPTH + " deep");
        }
        List<ColumnType> children = new ArrayList<>();
        for (int i = 0; i < field.childrenLength(); i++) {
            children.add(type(field.children(i), depth - 1));
        }
        Map<String, String> metadata = new TreeMap<>();
        for (int i = 0; i < field.customMetadataLength(); i++) {
            KeyValue entry = field.customMetadata(i);
            metadata.put(text(entry.key()), text(entry.value()));
        }
        ColumnType type = plain(field, children).withMetadata(metadata);
        DictionaryEncoding dictionary = field.dictionary();
        if (dictionary == null) {
            return type;
        }
        Int index = dictionary.indexType();
        ColumnType indices = index == null
                ? ColumnType.of("", Kind.SIGNED, 32)
                : ColumnType.of("", index.isSigned() ? Kind.SIGNED : Kind.UNSIGNED, bits(index.bitWidth(), 8, 64));
        return type.withDictionary(new Dictionary(dictionary.id(), indices));
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    private static ColumnType plain(Field field, List<ColumnType> children) throws IOException {
        String name = text(field.name());
        return switch (field.typeType()) {
            case Type.Null -> ColumnType.of(name, Kind.NULL, 0);
            case Type.Bool -> ColumnType.of(name, Kind.BOOLEAN, 1);
            case Type.Int, Type.FloatingPoint, Type.Decimal -> number(field, name);
            case Type.Date, Type.Time, Type.Timestamp, Type.Duration, Type.Interval -> time(field, name);
            case Type.Utf8 -> ColumnType.of(name, Kind.TEXT, 32);
            case Type.LargeUtf8 -> ColumnType.of(name, Kind.TEXT, 64);
            case Type.Utf8View -> ColumnType.of(name, Kind.TEXT, ColumnType.VIEW);
            case Type.Binary -> ColumnType.of(name, Kind.BINARY, 32);
            case Type.LargeBinary -> ColumnType.of(name, Kind.BINARY, 64);
            case Type.BinaryView -> ColumnType.of(name, Kind.BINARY, ColumnType.VIEW);
            case Type.FixedSizeBinary ->
                ColumnType.of(
                        name,
                        Kind.FIXED_BINARY,
                        notNegative(of(field, new FixedSizeBinary()).byteWidth()));
            case Type.List -> nested(name, Kind.LIST, 32, children, 1);
            case Type.LargeList -> nested(name, Kind.LIST, 64, children, 1);
            case Type.FixedSizeList ->
                nested(
                        name,
                        Kind.FIXED_LIST,
                        notNegative(of(field, new FixedSizeList()).listSize()),
                        children,
                        1);
            case Type.Map -> map(name, children);
            case Type.Struct_ -> nested(name, Kind.STRUCT, 0, children, children.size());
            default ->
                throw new IOException("the column \"" + name + "\" is of a type that is not read ("
                        + Type.name(field.typeType())
                        + "): leave it out, or write the file with another type for it");
        };
    }

    private static ColumnType number(Field field, String name) throws IOException {
        if (field.typeType() == Type.Int) {
            Int type = of(field, new Int());
            return ColumnType.of(name, type.isSigned() ? Kind.SIGNED : Kind.UNSIGNED, bits(type.bitWidth(), 8, 64));
        }
        if (field.typeType() == Type.Decimal) {
            Decimal type = of(field, new Decimal());
            return ColumnType.of(name, Kind.DECIMAL, bits(type.bitWidth(), 32, 256))
                    .decimal(type.precision(), type.scale());
        }
        return ColumnType.of(
                name,
                Kind.FLOAT,
                switch (of(field, new FloatingPoint()).precision()) {
                    case Precision.HALF -> 16;
                    case Precision.SINGLE -> 32;
                    default -> 64;
                });
    }

    private static ColumnType time(Field field, String name) throws IOException {
        return switch (field.typeType()) {
            case Type.Date ->
                of(field, new Date()).unit() == DateUnit.DAY
                        ? ColumnType.of(name, Kind.DATE_DAYS, 32)
                        : ColumnType.of(name, Kind.DATE_MILLIS, 64);
            case Type.Time -> {
                Time type = of(field, new Time());
                yield timed(name, Kind.TIME, bits(type.bitWidth(), 32, 64), type.unit());
            }
            case Type.Timestamp -> {
                Timestamp type = of(field, new Timestamp());
                ColumnType local = timed(name, Kind.TIMESTAMP, 64, type.unit());
                yield text(type.timezone()).isEmpty() ? local : local.withZone();
            }
            case Type.Duration ->
                timed(name, Kind.ELAPSED, 64, of(field, new Duration()).unit());
            default ->
                switch (of(field, new Interval()).unit()) {
                    case IntervalUnit.YEAR_MONTH -> ColumnType.of(name, Kind.MONTHS, 32);
                    case IntervalUnit.DAY_TIME -> ColumnType.of(name, Kind.DAYS_MILLIS, 64);
                    default -> ColumnType.of(name, Kind.MONTHS_DAYS_NANOS, 128);
                };
        };
    }

    private static <T extends Table> T of(Field field, T type) throws IOException {
        if (field.type(type) == null) {
            throw new IOException("the type of the column \"" + field.name() + "\" is missing");
        }
        return type;
    }

    private static int bits(int bits, int min, int max) throws IOException {
        if (bits < min || bits > max || Integer.bitCount(bits) != 1) {
            throw new IOException("it has numbers of " + bits + " bits");
        }
        return bits;
    }

    private static int notNegative(int size) throws IOException {
        if (size < 0) {
            throw new IOException("it has values of " + size + " parts");
        }
        return size;
    }

    private static ColumnType timed(String name, Kind kind, int bits, short unit) throws IOException {
        if (unit < 0 || unit >= UNITS.size()) {
            throw new IOException("it has times of the unknown unit " + unit);
        }
        return ColumnType.of(name, kind, bits, UNITS.get(unit), List.of());
    }

    private static ColumnType map(String name, List<ColumnType> children) throws IOException {
        if (children.size() == 1
                && (children.get(0).kind() != Kind.STRUCT
                        || children.get(0).children().size() != 2)) {
            throw new IOException("the map \"" + name + "\" has no pairs of a key and a value");
        }
        return nested(name, Kind.MAP, 32, children, 1);
    }

    private static ColumnType nested(String name, Kind kind, int width, List<ColumnType> children, int expected)
            throws IOException {
        if (children.size() != expected) {
            throw new IOException("the column \"" + name + "\" has " + children.size() + " parts, not " + expected);
        }
        return ColumnType.of(name, kind, width, Unit.NANOS, children);
    }

    /** Writes the schema, and returns its place. */
    static int write(List<ColumnType> types, FlatBufferBuilder to) {
        int[] fields = types.stream().mapToInt(type -> field(type, to)).toArray();
        return Schema.createSchema(to, Endianness.Little, Schema.createFieldsVector(to, fields), 0, 0);
    }

    private static int field(ColumnType type, FlatBufferBuilder to) {
        int[] children =
                type.children().stream().mapToInt(child -> field(child, to)).toArray();
        int[] metadata = new TreeMap<>(type.metadata())
                .entrySet().stream()
                        .mapToInt(entry -> KeyValue.createKeyValue(
                                to, to.createString(entry.getKey()), to.createString(entry.getValue())))
                        .toArray();
        int name = to.createString(type.name());
        int childrenAt = Field.createChildrenVector(to, children);
        int metadataAt = metadata.length == 0 ? 0 : Field.createCustomMetadataVector(to, metadata);
        byte kind = kind(type);
        int typeAt = type(type, to);
        return Field.createField(to, name, type.nullable(), kind, typeAt, 0, childrenAt, metadataAt);
    }

    private static byte kind(ColumnType type) {
        return switch (type.kind()) {
            case NULL -> Type.Null;
            case BOOLEAN -> Type.Bool;
            case SIGNED, UNSIGNED -> Type.Int;
            case FLOAT -> Type.FloatingPoint;
            case DECIMAL -> Type.Decimal;
            case DATE_DAYS, DATE_MILLIS -> Type.Date;
            case TIME -> Type.Time;
            case TIMESTAMP -> Type.Timestamp;
            case ELAPSED -> Type.Duration;
            case MONTHS, DAYS_MILLIS, MONTHS_DAYS_NANOS -> Type.Interval;
            case TEXT -> Type.Utf8;
            case BINARY -> Type.Binary;
            case FIXED_BINARY -> Type.FixedSizeBinary;
            case LIST -> Type.List;
            case FIXED_LIST -> Type.FixedSizeList;
            case MAP -> Type.Map;
            case STRUCT -> Type.Struct_;
            case JULIAN -> throw new IllegalArgumentException("Arrow has no " + type.describe());
        };
    }

    private static int type(ColumnType type, FlatBufferBuilder to) {
        short unit = (short) UNITS.indexOf(type.unit());
        return switch (type.kind()) {
            case NULL -> {
                org.apache.arrow.flatbuf.Null.startNull(to);
                yield org.apache.arrow.flatbuf.Null.endNull(to);
            }
            case BOOLEAN -> {
                Bool.startBool(to);
                yield Bool.endBool(to);
            }
            case SIGNED, UNSIGNED -> Int.createInt(to, type.width(), type.kind() == Kind.SIGNED);
            case FLOAT ->
                FloatingPoint.createFloatingPoint(
                        to,
                        type.width() == 64 ? Precision.DOUBLE : type.width() == 32 ? Precision.SINGLE : Precision.HALF);
            case DECIMAL -> Decimal.createDecimal(to, type.precision(), type.scale(), type.width());
            case DATE_DAYS -> Date.createDate(to, DateUnit.DAY);
            case DATE_MILLIS -> Date.createDate(to, DateUnit.MILLISECOND);
            case TIME -> Time.createTime(to, unit, type.width());
            case TIMESTAMP -> Timestamp.createTimestamp(to, unit, type.hasZone() ? to.createString("UTC") : 0);
            case JULIAN -> throw new IllegalArgumentException("Arrow has no " + type.describe());
            case ELAPSED -> Duration.createDuration(to, unit);
            case MONTHS -> Interval.createInterval(to, IntervalUnit.YEAR_MONTH);
            case DAYS_MILLIS -> Interval.createInterval(to, IntervalUnit.DAY_TIME);
            case MONTHS_DAYS_NANOS -> Interval.createInterval(to, IntervalUnit.MONTH_DAY_NANO);
            case TEXT -> {
                org.apache.arrow.flatbuf.Utf8.startUtf8(to);
                yield org.apache.arrow.flatbuf.Utf8.endUtf8(to);
            }
            case BINARY -> {
                org.apache.arrow.flatbuf.Binary.startBinary(to);
                yield org.apache.arrow.flatbuf.Binary.endBinary(to);
            }
            case FIXED_BINARY -> FixedSizeBinary.createFixedSizeBinary(to, type.width());
            case LIST -> {
                org.apache.arrow.flatbuf.List.startList(to);
                yield org.apache.arrow.flatbuf.List.endList(to);
            }
            case FIXED_LIST -> FixedSizeList.createFixedSizeList(to, type.width());
            case MAP -> org.apache.arrow.flatbuf.Map.createMap(to, /* keysSorted */ false);
            case STRUCT -> {
                org.apache.arrow.flatbuf.Struct_.startStruct_(to);
                yield org.apache.arrow.flatbuf.Struct_.endStruct_(to);
            }
        };
    }
}
