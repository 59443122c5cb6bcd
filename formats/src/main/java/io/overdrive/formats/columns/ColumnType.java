package io.overdrive.formats.columns;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.internal.codec.TypeCql;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The name and the type of a column of a file, or of the parts of its values. Immutable.
 *
 * @param nullable whether a value may be missing; true if the file does not say
 * @param width bits of a number; bytes of a value of fixed length; elements of a list of fixed length; bits of an offset for texts, bytes,
 *     lists and maps, or {@link #VIEW}; else 0
 * @param precision maximum digits of a decimal; else 0
 * @param scale digits of a decimal after the point; else 0
 * @param unit of times; else {@link Unit#NANOS}
 * @param hasZone whether a timestamp is a point in time, and not a local time
 * @param children types of elements, of fields, or of the one entry of a map, which has a key and a value
 * @param dictionary null if the column has the values themselves
 * @param metadata of the file, by name
 */
public record ColumnType(
        String name,
        Kind kind,
        boolean nullable,
        int width,
        int precision,
        int scale,
        Unit unit,
        boolean hasZone,
        List<ColumnType> children,
        @Nullable Dictionary dictionary,
        Map<String, String> metadata) {
    /** The {@link #width} of texts and bytes whose column has their lengths and places. */
    public static final int VIEW = 128;

    /** The name of the metadata that says for which kind of values a column stands. */
    public static final String EXTENSION = "ARROW:extension:name";

    /** The {@link #EXTENSION} of UUIDs. */
    public static final String UUID = "arrow.uuid";

    /** The name of the metadata with the CQL type of a column, in files that Overdrive has written. */
    public static final String CQL_TYPE = "cql.type";

    /** The name of the metadata with the user-defined types that the CQL type of a column needs, as {@link #userTypes()} reads it. */
    public static final String CQL_UDTS = "cql.udts";

    /** The name of the metadata of dates and timestamps whose largest value, and its negative, stand for infinity. */
    public static final String INFINITE = "infinite";

    private static final int UUID_BYTES = 16;

    /** The kinds of values. */
    public enum Kind {
        NULL,
        BOOLEAN,
        SIGNED,
        UNSIGNED,
        FLOAT,
        DECIMAL,
        DATE_DAYS,
        DATE_MILLIS,
        TIME,
        TIMESTAMP,
        /** A point in time by its nanosecond of the day, and the number of the day from 4713 BC on. */
        JULIAN,
        /** A number of units of time. */
        ELAPSED,
        MONTHS,
        DAYS_MILLIS,
        MONTHS_DAYS_NANOS,
        TEXT,
        BINARY,
        FIXED_BINARY,
        LIST,
        FIXED_LIST,
        MAP,
        STRUCT
    }

    /** Units of times. */
    public enum Unit {
        SECONDS(1, "s"),
        MILLIS(1_000, "ms"),
        MICROS(1_000_000, "us"),
        NANOS(1_000_000_000, "ns");

        final long perSecond;
        private final String symbol;

        Unit(long perSecond, String symbol) {
            this.perSecond = perSecond;
            this.symbol = symbol;
        }
    }

    /**
     * The dictionary of a column whose values are indices into it.
     *
     * @param id by which the file refers to it
     * @param index type of the indices
     */
    public record Dictionary(long id, ColumnType index) {}

    public ColumnType {
        children = List.copyOf(children);
        metadata = Map.copyOf(metadata);
    }

    public static ColumnType of(String name, Kind kind, int width) {
        return of(name, kind, width, Unit.NANOS, List.of());
    }

    public static ColumnType of(String name, Kind kind, int width, Unit unit, List<ColumnType> children) {
        return new ColumnType(
                name, kind, /* nullable */ true, width, 0, 0, unit, /* hasZone */ false, children, null, Map.of());
    }

    ColumnType required() {
        return new ColumnType(
                name,
                kind, /* nullable */
                false,
                width,
                precision,
                scale,
                unit,
                hasZone,
                children,
                dictionary,
                metadata);
    }

    public ColumnType withZone() {
        return new ColumnType(
                name,
                kind,
                nullable,
                width,
                precision,
                scale,
                unit, /* hasZone */
                true,
                children,
                dictionary,
                metadata);
    }

    public ColumnType decimal(int newPrecision, int newScale) {
        return new ColumnType(
                name, kind, nullable, width, newPrecision, newScale, unit, hasZone, children, dictionary, metadata);
    }

    public ColumnType withMetadata(Map<String, String> newMetadata) {
        return new ColumnType(
                name, kind, nullable, width, precision, scale, unit, hasZone, children, dictionary, newMetadata);
    }

    /** The same values as indices into a dictionary. */
    public ColumnType withDictionary(@Nullable Dictionary newDictionary) {
        return new ColumnType(
                name, kind, nullable, width, precision, scale, unit, hasZone, children, newDictionary, metadata);
    }

    boolean isInteger() {
        return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
    }

    boolean isUuid() {
        return kind == Kind.FIXED_BINARY && width == UUID_BYTES && UUID.equals(metadata.get(EXTENSION));
    }

    /**
     * The CQL type of a column for these values, as Overdrive noted it when it wrote the file, or else the one that holds all of them.
     */
    public String cql() {
        String noted = metadata.get(CQL_TYPE);
        return noted != null ? noted : natural().asCql(/* includeFrozen */ true, /* pretty */ true);
    }

    /**
     * The user-defined types that the CQL type needs, as Overdrive noted them: {@code name (field type, …)}, each after the types that it
     * depends on.
     */
    public List<String> userTypes() {
        String noted = metadata.getOrDefault(CQL_UDTS, "");
        List<String> types = new ArrayList<>();
        boolean isQuoted = false;
        int start = 0;
        for (int i = 0; i <= noted.length(); i++) {
            isQuoted ^= i < noted.length() && noted.charAt(i) == '"';
            if (i > start && (i == noted.length() || (noted.charAt(i) == '\n' && !isQuoted))) {
                types.add(noted.substring(start, i));
                start = i + 1;
            }
        }
        return types;
    }

    /** Notes the CQL type of the column, and the user-defined types that it needs. */
    ColumnType noted(DataType cql, boolean isStatic) {
        Map<String, String> notes = new HashMap<>(metadata);
        notes.put(CQL_TYPE, TypeCql.of(cql) + (isStatic ? " static" : ""));
        String types = TypeCql.userTypes(cql).stream()
                .map(type -> TypeCql.name(type.getName()) + " ("
                        + TypeCql.fields(type).entrySet().stream()
                                .map(field -> CqlIdentifier.fromInternal(field.getKey())
                                                .asCql(true) + " " + field.getValue())
                                .collect(Collectors.joining(", "))
                        + ")")
                .collect(Collectors.joining("\n"));
        if (!types.isEmpty()) {
            notes.put(CQL_UDTS, types);
        }
        return withMetadata(notes);
    }

    /** Whether a column for the values needs a user-defined type that the file does not name. */
    public boolean isUserDefined() {
        return !metadata.containsKey(CQL_TYPE) && hasFields();
    }

    /** Whether values are structs, or have such parts. */
    public boolean hasFields() {
        return kind == Kind.STRUCT
                || (kind == Kind.MAP
                        ? children.get(0).children.stream().anyMatch(ColumnType::hasFields)
                        : children.stream().anyMatch(ColumnType::hasFields));
    }

    /** The CQL type that holds all of these values; of values with fields a tuple, or an unnamed user-defined type. */
    public DataType natural() {
        return switch (kind) {
            case NULL, TEXT -> DataTypes.TEXT;
            case BOOLEAN -> DataTypes.BOOLEAN;
            case SIGNED ->
                switch (width) {
                    case 8 -> DataTypes.TINYINT;
                    case 16 -> DataTypes.SMALLINT;
                    case 32 -> DataTypes.INT;
                    default -> DataTypes.BIGINT;
                };
            case UNSIGNED ->
                switch (width) {
                    case 8 -> DataTypes.SMALLINT;
                    case 16 -> DataTypes.INT;
                    case 32 -> DataTypes.BIGINT;
                    default -> DataTypes.VARINT;
                };
            case FLOAT -> width == 64 ? DataTypes.DOUBLE : DataTypes.FLOAT;
            case DECIMAL -> DataTypes.DECIMAL;
            case DATE_DAYS, DATE_MILLIS -> DataTypes.DATE;
            case TIME -> DataTypes.TIME;
            case TIMESTAMP, JULIAN -> DataTypes.TIMESTAMP;
            case ELAPSED, MONTHS, DAYS_MILLIS, MONTHS_DAYS_NANOS -> DataTypes.DURATION;
            case BINARY -> DataTypes.BLOB;
            case FIXED_BINARY -> isUuid() ? DataTypes.UUID : DataTypes.BLOB;
            case LIST -> DataTypes.listOf(frozen(children.get(0)));
            case FIXED_LIST ->
                width == 0
                        ? DataTypes.listOf(frozen(children.get(0)))
                        : DataTypes.vectorOf(frozen(children.get(0)), width);
            case MAP -> {
                List<ColumnType> entry = children.get(0).children;
                yield DataTypes.mapOf(frozen(entry.get(0)), frozen(entry.get(1)));
            }
            case STRUCT -> {
                List<DataType> fields =
                        children.stream().map(ColumnType::frozen).toList();
                yield isTuple()
                        ? DataTypes.tupleOf(fields.toArray(DataType[]::new))
                        : new StructType(
                                StructType.names(this).stream()
                                        .map(CqlIdentifier::fromInternal)
                                        .toList(),
                                fields);
            }
        };
    }

    /** Whether this is a struct as tuples of CQL have it, with numbers from 0 as names. */
    boolean isTuple() {
        if (kind != Kind.STRUCT || children.isEmpty()) {
            return false;
        }
        for (int i = 0; i < children.size(); i++) {
            if (!children.get(i).name().equals(Integer.toString(i))) {
                return false; // at the first field of nearly all others
            }
        }
        return true;
    }

    private static DataType frozen(ColumnType part) {
        return switch (part.kind) {
            case LIST -> DataTypes.listOf(frozen(part.children.get(0)), /* frozen */ true);
            case MAP -> {
                List<ColumnType> entry = part.children.get(0).children;
                yield DataTypes.mapOf(frozen(entry.get(0)), frozen(entry.get(1)), /* frozen */ true);
            }
            default -> part.natural();
        };
    }

    /** The type as messages name it: {@code int32}, {@code timestamp[us]}. */
    public String describe() {
        return switch (kind) {
            case SIGNED -> "int" + width;
            case UNSIGNED -> "uint" + width;
            case FLOAT -> "float" + width;
            case DECIMAL -> "decimal" + width + "(" + precision + ", " + scale + ")";
            case TIME -> "time" + width + "[" + unit.symbol + "]";
            case TIMESTAMP -> "timestamp[" + unit.symbol + (hasZone ? ", with a zone]" : "]");
            case JULIAN -> "int96";
            case ELAPSED -> "duration[" + unit.symbol + "]";
            case FIXED_BINARY -> "binary of " + width + " bytes";
            case FIXED_LIST -> "list of " + width;
            default -> kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        };
    }
}
