package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.Mapping;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Facts about the values of a column in the sample of a {@link SchemaGuess}. Confined to one thread. */
final class GuessedField {
    /** Types that a column may get, in the order in which they are tried. */
    enum Type {
        BOOLEAN(DataTypes.BOOLEAN),
        INT(DataTypes.INT),
        BIGINT(DataTypes.BIGINT),
        VARINT(DataTypes.VARINT),
        DOUBLE(DataTypes.DOUBLE),
        DECIMAL(DataTypes.DECIMAL),
        UUID(DataTypes.UUID),
        DATE(DataTypes.DATE),
        TIMESTAMP(DataTypes.TIMESTAMP),
        TEXT(DataTypes.TEXT);

        final DataType type;

        Type(DataType type) {
            this.type = type;
        }
    }

    static final Set<Type> NUMBERS = EnumSet.of(Type.INT, Type.BIGINT, Type.VARINT, Type.DOUBLE, Type.DECIMAL);

    /** The shape of a field's value. */
    enum Shape {
        SCALAR,
        OBJECT,
        EMPTY_LIST,
        LIST_OF_SCALARS,
        LIST_OF_OBJECTS,
        LIST_OF_LISTS
    }

    private static final Set<Shape> OBJECTS = EnumSet.of(Shape.OBJECT, Shape.LIST_OF_OBJECTS);
    private static final Set<Shape> NESTED = EnumSet.of(Shape.OBJECT, Shape.LIST_OF_OBJECTS, Shape.LIST_OF_LISTS);

    /** Types that hold neither objects nor lists. */
    private static final Set<String> SIMPLE_TYPES = EnumSet.complementOf(EnumSet.of(
                    CqlType.LIST, CqlType.SET, CqlType.MAP, CqlType.TUPLE, CqlType.UDT, CqlType.VECTOR, CqlType.CUSTOM))
            .stream()
            .map(type -> type.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());

    final Set<Type> possible = EnumSet.allOf(Type.class);
    final Set<Shape> shapes = EnumSet.noneOf(Shape.class);
    private final @Nullable String constant;
    /** Whether it has no name in the header. */
    boolean isUnnamed;
    /** The members of its objects; null if it has none. */
    private @Nullable GuessedField members;
    /** Whether a member has a value that is in no map: null, an object or a list. */
    boolean isDeep;
    /** Whether it is part of the key. */
    boolean isKey;
    /** The type that a columnar file has for it; null for other files. */
    private @Nullable ColumnType columnType;
    /** The value in the current record, if it is part of the key. */
    @Nullable String value;

    /** @param constant why there are no values to examine; null for a field of the input */
    GuessedField(@Nullable String constant) {
        this.constant = constant;
    }

    GuessedField members() {
        if (members == null) {
            members = new GuessedField(null);
        }
        return members;
    }

    /**
     * Takes the type that a columnar file has for it.
     *
     * @throws OverdriveException of kind INPUT if a file before has another type
     */
    void take(ColumnType type, String where) {
        ColumnType before = columnType;
        if (before != null && !before.cql().equals(type.cql())) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> where + ": column \"" + type.name() + "\" is " + type.cql() + ", and " + before.cql()
                            + " in the files before: give its type with " + words.of(JobOption.TYPES));
        }
        columnType = type;
    }

    boolean hasAny(Set<Shape> some) {
        return !Collections.disjoint(shapes, some);
    }

    boolean hasOnly(Shape... some) {
        return List.of(some).containsAll(shapes);
    }

    boolean hasObjects() {
        return hasAny(OBJECTS);
    }

    boolean hasNoValue() {
        return constant == null && columnType == null && hasOnly(Shape.SCALAR, Shape.EMPTY_LIST) && isUnknown();
    }

    private boolean isUnknown() {
        return possible.size() == Type.values().length;
    }

    /** Why the type is undetermined; null if it is known. */
    @Nullable String trouble(boolean jsonText) {
        if (constant != null) {
            return constant;
        }
        if (columnType != null) {
            return columnType.isUserDefined()
                    ? "contains values with fields, which need a user-defined type, a tuple or a map"
                    : null;
        }
        if (shapes.contains(Shape.SCALAR) && shapes.size() > 1) {
            return "contains " + (hasObjects() ? "objects" : "lists") + " and single values";
        }
        if (hasAny(NESTED)) {
            return jsonText
                    ? null
                    : hasObjects()
                            ? "contains objects, which may be a map or a user-defined type"
                            : "contains lists of lists";
        }
        return possible.isEmpty() ? "contains values of different types" : null;
    }

    /** Refuses a type that would reject records of the sample. */
    void checkNested(String column, String type, boolean jsonText) {
        String name = type.strip().split("[\\s<]", 2)[0].toLowerCase(Locale.ROOT);
        boolean isText = name.equals("text") || name.equals("varchar") || name.equals("ascii");
        if (!hasOnly(Shape.SCALAR) && (isText ? !jsonText : SIMPLE_TYPES.contains(name))) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "column " + Mapping.spelt(column) + " is " + type + " by " + words.of(JobOption.TYPES)
                            + ", but the sample has " + (hasObjects() ? "objects" : "lists") + " for it: "
                            + (isText ? words.of(JobOption.JSON_TEXT) + " keeps them as their JSON; or " : "")
                            + "give it a " + (hasObjects() ? "map or a user-defined type" : "list")
                            + (isText ? "" : ", or text with " + words.of(JobOption.JSON_TEXT)));
        }
    }

    /** A type that holds the values seen despite {@link #trouble}; null if only their JSON as text does. */
    @Nullable String example() {
        if (columnType != null) {
            return "frozen<my_type>";
        }
        if (shapes.contains(Shape.SCALAR) && shapes.size() > 1) {
            return null;
        }
        if (!hasAny(NESTED)) {
            return hasOnly(Shape.SCALAR) ? "text" : "list<text>";
        }
        GuessedField values = members;
        if (values == null || values.isDeep) {
            return null;
        }
        String map = "map<text, " + values.scalarType() + ">";
        return hasOnly(Shape.OBJECT)
                ? map
                : hasOnly(Shape.LIST_OF_OBJECTS, Shape.EMPTY_LIST) ? "list<frozen<" + map + ">>" : null;
    }

    private String scalarType() {
        Type type = possible.isEmpty() || isUnknown()
                ? Type.TEXT
                : possible.iterator().next();
        return type.type.asCql(false, false);
    }

    String type() {
        if (columnType != null) {
            return columnType.cql();
        }
        return hasAny(NESTED) ? "text" : hasOnly(Shape.SCALAR) ? scalarType() : "list<" + scalarType() + ">";
    }
}
