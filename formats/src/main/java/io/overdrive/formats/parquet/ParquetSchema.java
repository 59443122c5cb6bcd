package io.overdrive.formats.parquet;

import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.formats.columns.ColumnType.Unit;
import io.overdrive.formats.parquet.Node.Layout;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.IntType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads the schema of a file: names, types and parts of columns, of current and of old writers, which had no logical types and other
 * forms of lists. Confined to one thread.
 */
final class ParquetSchema {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_DIGITS = 10_000;
    private static final int MAX_FIXED_BYTES = 16 << 20;
    private static final int INT96_BYTES = 12;
    private static final int INTERVAL_BYTES = 12;
    private static final int INTERVAL_BITS = 128;
    private static final int UUID_BYTES = 16;
    private static final double BITS_OF_DIGIT = 3.3219281;

    private final List<SchemaElement> elements;
    private final List<Leaf> leaves = new ArrayList<>();
    private final List<Node> columns = new ArrayList<>();
    private int next;

    /** A group in the schema: its name with the ones around it, and its levels. */
    private record Group(List<String> names, int definition, int repetition) {
        List<String> append(SchemaElement element) {
            List<String> all = new ArrayList<>(names);
            all.add(element.getName());
            return all;
        }

        String path() {
            return String.join(".", names);
        }

        /** The same group, once for each element of a list. */
        Group repeated() {
            return new Group(names, definition + 1, repetition + 1);
        }
    }

    /** @param cqlNotes CQL types that the file notes, by the names of columns */
    ParquetSchema(List<SchemaElement> elements, Map<String, String> cqlNotes) throws IOException {
        this.elements = elements;
        SchemaElement root = take(0);
        Group top = new Group(List.of(), 0, 0);
        for (int i = 0; i < root.getNum_children(); i++) {
            columns.add(noted(field(top), cqlNotes));
        }
        if (next != elements.size()) {
            throw new IOException("its schema has parts without a place");
        }
    }

    private static Node noted(Node column, Map<String, String> cqlNotes) {
        Map<String, String> metadata = new HashMap<>(column.type().metadata());
        for (String note : List.of(ColumnType.CQL_TYPE, ColumnType.CQL_UDTS)) {
            String value = cqlNotes.get(note + "." + column.type().name());
            if (value != null) {
                metadata.put(note, value);
            }
        }
        ColumnType type = column.type().withMetadata(metadata);
        return new Node(type, column.definition(), column.children(), column.leaf(), column.layout());
    }

    List<Node> columns() {
        return columns;
    }

    /** The number of the first column of the file in a column; of the column after the last one, their number. */
    int firstLeaf(int column) {
        return column == columns.size() ? leaves.size() : columns.get(column).leaf();
    }

    List<Leaf> leaves() {
        return leaves;
    }

    private SchemaElement take(int depth) throws IOException {
        if (next >= elements.size() || depth > MAX_DEPTH) {
            throw new IOException("its schema has no end");
        }
        return elements.get(next++);
    }

    /** The next field of a group, with its parts. */
    private Node field(Group group) throws IOException {
        SchemaElement element = take(group.names.size());
        if (!isRepeated(element)) {
            return value(element, group);
        }
        int first = leaves.size();
        Node each = value(element, group.repeated());
        ColumnType type = type(element.getName(), Kind.LIST, /* isNullable */ false, 32, List.of(each.type()));
        return new Node(type, group.definition, List.of(each), first, null);
    }

    private static boolean isRepeated(SchemaElement element) {
        return element.getRepetition_type() == FieldRepetitionType.REPEATED;
    }

    /** A field, or each of its values if it is repeated. */
    private Node value(SchemaElement element, Group group) throws IOException {
        boolean isNullable = element.getRepetition_type() == FieldRepetitionType.OPTIONAL;
        Group here = new Group(group.append(element), group.definition + (isNullable ? 1 : 0), group.repetition);
        if (element.isSetType()) {
            return leaf(element, here, isNullable);
        }
        LogicalType logical = element.getLogicalType();
        if (logical != null && logical.isSetVARIANT()) {
            throw new IOException("the column \"" + here.path()
                    + "\" is of a type that is not read (variant): leave it out, or write the file with another type"
                    + " for it");
        }
        boolean hasElements = isList(element) || isMap(element);
        if (hasElements && element.getNum_children() == 1 && next < elements.size() && isRepeated(elements.get(next))) {
            return elements(element, here, isNullable);
        }
        return struct(element, here, isNullable);
    }

    private static boolean isList(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        return element.getConverted_type() == ConvertedType.LIST || (logical != null && logical.isSetLIST());
    }

    private static boolean isMap(SchemaElement element) {
        LogicalType logical = element.getLogicalType();
        return element.getConverted_type() == ConvertedType.MAP
                || element.getConverted_type() == ConvertedType.MAP_KEY_VALUE
                || (logical != null && logical.isSetMAP());
    }

    private Node struct(SchemaElement element, Group here, boolean isNullable) throws IOException {
        if (element.getNum_children() <= 0) {
            throw new IOException("the column \"" + here.path() + "\" has neither parts nor a type");
        }
        int first = leaves.size();
        List<Node> fields = new ArrayList<>();
        for (int i = 0; i < element.getNum_children(); i++) {
            fields.add(field(here));
        }
        ColumnType type = type(
                element.getName(),
                Kind.STRUCT,
                isNullable,
                0,
                fields.stream().map(Node::type).toList());
        return new Node(type, here.definition, fields, first, null);
    }

    /** A list or a map, whose one part is repeated: it is the element, or as current writers have it, a group around the element. */
    private Node elements(SchemaElement element, Group here, boolean isNullable) throws IOException {
        int first = leaves.size();
        SchemaElement repeated = take(here.names.size());
        Group inside = here.repeated();
        Group around = new Group(inside.append(repeated), inside.definition, inside.repetition);
        if (isMap(element) && repeated.getNum_children() == 2) {
            Node key = field(around);
            Node value = field(around);
            ColumnType entry =
                    type("entries", Kind.STRUCT, /* isNullable */ false, 0, List.of(key.type(), value.type()));
            ColumnType type = type(element.getName(), Kind.MAP, isNullable, 32, List.of(entry));
            return new Node(type, here.definition, List.of(key, value), first, null);
        }
        boolean isAround = !repeated.isSetType()
                && repeated.getNum_children() == 1
                && next < elements.size()
                && !isRepeated(elements.get(next))
                && !isList(repeated)
                && !(isMap(repeated) && !isMap(element))
                && !repeated.getName().equals("array")
                && !repeated.getName().equals(element.getName() + "_tuple");
        Node each = isAround ? field(around) : value(repeated, inside);
        ColumnType type = type(element.getName(), Kind.LIST, isNullable, 32, List.of(each.type()));
        return new Node(type, here.definition, List.of(each), first, null);
    }

    private static ColumnType type(String name, Kind kind, boolean isNullable, int width, List<ColumnType> children) {
        return new ColumnType(
                name, kind, isNullable, width, 0, 0, Unit.NANOS, /* hasZone */ false, children, null, Map.of());
    }

    private Node leaf(SchemaElement element, Group here, boolean isNullable) throws IOException {
        Type stored = element.getType();
        int width = width(element);
        if (width < 0 || width > MAX_FIXED_BYTES) {
            throw new IOException("the column \"" + here.path() + "\" has values of " + width + " bytes");
        }
        Typed typed = typed(element, stored, width, here.path());
        ColumnType type = new ColumnType(
                element.getName(),
                typed.kind,
                isNullable,
                typed.width,
                typed.precision,
                typed.scale,
                typed.unit,
                typed.hasZone,
                List.of(),
                null,
                typed.isUuid ? Map.of(ColumnType.EXTENSION, ColumnType.UUID) : Map.of());
        leaves.add(new Leaf(here.names, stored, width, here.definition, here.repetition));
        return new Node(type, here.definition, List.of(), leaves.size() - 1, typed.layout);
    }

    private static int width(SchemaElement element) {
        return switch (element.getType()) {
            case BOOLEAN -> 1;
            case INT32, FLOAT -> Integer.BYTES;
            case INT64, DOUBLE -> Long.BYTES;
            case INT96 -> INT96_BYTES;
            case BYTE_ARRAY -> 0;
            case FIXED_LEN_BYTE_ARRAY -> element.getType_length() == 0 ? -1 : element.getType_length();
        };
    }

    /** The values of a leaf: the parts of their {@link ColumnType}, and how they differ from the file's. */
    private record Typed(
            Kind kind, int width, int precision, int scale, Unit unit, boolean hasZone, boolean isUuid, Layout layout) {
        static Typed of(Kind kind, int width) {
            return of(kind, width, Layout.SAME);
        }

        static Typed of(Kind kind, int width, Layout layout) {
            return new Typed(kind, width, 0, 0, Unit.NANOS, /* hasZone */ false, /* isUuid */ false, layout);
        }

        static Typed time(Kind kind, int width, Unit unit, boolean hasZone) {
            return new Typed(kind, width, 0, 0, unit, hasZone, /* isUuid */ false, Layout.SAME);
        }
    }

    private static Typed typed(SchemaElement element, Type stored, int width, String path) throws IOException {
        LogicalType logical = element.getLogicalType();
        ConvertedType converted = element.getConverted_type();
        if (converted == ConvertedType.DECIMAL || (logical != null && logical.isSetDECIMAL())) {
            boolean isLogical = logical != null && logical.isSetDECIMAL();
            return decimal(
                    stored,
                    width,
                    isLogical ? logical.getDECIMAL().getPrecision() : element.getPrecision(),
                    isLogical ? logical.getDECIMAL().getScale() : element.getScale(),
                    path);
        }
        if (logical != null && logical.isSetUNKNOWN()) {
            return Typed.of(Kind.NULL, 0);
        }
        return switch (stored) {
            case BOOLEAN -> Typed.of(Kind.BOOLEAN, 1, Layout.BYTES_TO_BITS);
            case INT32 -> int32(logical, converted);
            case INT64 -> int64(logical, converted);
            case INT96 -> Typed.time(Kind.JULIAN, INT96_BYTES * Byte.SIZE, Unit.NANOS, /* hasZone */ true);
            case FLOAT -> Typed.of(Kind.FLOAT, 32);
            case DOUBLE -> Typed.of(Kind.FLOAT, 64);
            case BYTE_ARRAY -> Typed.of(isText(logical, converted) ? Kind.TEXT : Kind.BINARY, 32);
            case FIXED_LEN_BYTE_ARRAY -> fixed(logical, converted, width);
        };
    }

    private static Typed decimal(Type stored, int width, int precision, int scale, String path) throws IOException {
        if (precision <= 0 || precision > MAX_DIGITS || scale < 0 || scale > MAX_DIGITS) {
            throw new IOException("the column \"" + path + "\" is a decimal of " + precision + " digits, " + scale
                    + " of them after the point");
        }
        int bits = width > 0 ? width * Byte.SIZE : ((int) (precision * BITS_OF_DIGIT) + 9) / Byte.SIZE * Byte.SIZE;
        Layout layout = stored == Type.INT32 || stored == Type.INT64
                ? Layout.SAME
                : width > 0 ? Layout.REVERSED : Layout.REVERSED_VARIABLE;
        return new Typed(
                Kind.DECIMAL, bits, precision, scale, Unit.NANOS, /* hasZone */ false, /* isUuid */ false, layout);
    }

    private static Typed int32(@Nullable LogicalType logical, @Nullable ConvertedType converted) {
        if (logical != null && logical.isSetINTEGER()) {
            return integer(logical.getINTEGER(), 32);
        }
        if (converted == ConvertedType.DATE || (logical != null && logical.isSetDATE())) {
            return Typed.of(Kind.DATE_DAYS, 32);
        }
        if (converted == ConvertedType.TIME_MILLIS || (logical != null && logical.isSetTIME())) {
            return Typed.time(Kind.TIME, 32, Unit.MILLIS, /* hasZone */ false);
        }
        return integer(converted, 32);
    }

    private static Typed int64(@Nullable LogicalType logical, @Nullable ConvertedType converted) {
        if (logical != null && logical.isSetINTEGER()) {
            return integer(logical.getINTEGER(), 64);
        }
        if (logical != null && logical.isSetTIME()) {
            return Typed.time(Kind.TIME, 64, unit(logical.getTIME().getUnit()), /* hasZone */ false);
        }
        if (logical != null && logical.isSetTIMESTAMP()) {
            return Typed.time(
                    Kind.TIMESTAMP,
                    64,
                    unit(logical.getTIMESTAMP().getUnit()),
                    logical.getTIMESTAMP().isIsAdjustedToUTC());
        }
        if (converted == ConvertedType.TIME_MICROS) {
            return Typed.time(Kind.TIME, 64, Unit.MICROS, /* hasZone */ false);
        }
        if (converted == ConvertedType.TIMESTAMP_MILLIS) {
            return Typed.time(Kind.TIMESTAMP, 64, Unit.MILLIS, /* hasZone */ true);
        }
        if (converted == ConvertedType.TIMESTAMP_MICROS) {
            return Typed.time(Kind.TIMESTAMP, 64, Unit.MICROS, /* hasZone */ true);
        }
        return integer(converted, 64);
    }

    private static Unit unit(@Nullable TimeUnit unit) {
        return unit == null || unit.isSetMILLIS() ? Unit.MILLIS : unit.isSetMICROS() ? Unit.MICROS : Unit.NANOS;
    }

    private static Typed integer(IntType type, int stored) {
        return integer(type.getBitWidth(), type.isIsSigned(), stored);
    }

    private static Typed integer(@Nullable ConvertedType type, int stored) {
        if (type == null) {
            return integer(stored, /* isSigned */ true, stored);
        }
        return switch (type) {
            case INT_8 -> integer(8, /* isSigned */ true, stored);
            case INT_16 -> integer(16, /* isSigned */ true, stored);
            case UINT_8 -> integer(8, /* isSigned */ false, stored);
            case UINT_16 -> integer(16, /* isSigned */ false, stored);
            case UINT_32, UINT_64 -> integer(stored, /* isSigned */ false, stored);
            default -> integer(stored, /* isSigned */ true, stored);
        };
    }

    private static Typed integer(int bits, boolean isSigned, int stored) {
        boolean isNarrow = bits == 8 || bits == 16;
        return Typed.of(
                isSigned ? Kind.SIGNED : Kind.UNSIGNED, isNarrow ? bits : stored, isNarrow ? Layout.WIDE : Layout.SAME);
    }

    private static boolean isText(@Nullable LogicalType logical, @Nullable ConvertedType converted) {
        return converted == ConvertedType.UTF8
                || converted == ConvertedType.ENUM
                || converted == ConvertedType.JSON
                || (logical != null && (logical.isSetSTRING() || logical.isSetENUM() || logical.isSetJSON()));
    }

    private static Typed fixed(@Nullable LogicalType logical, @Nullable ConvertedType converted, int width) {
        if (logical != null && logical.isSetUUID() && width == UUID_BYTES) {
            return new Typed(
                    Kind.FIXED_BINARY, width, 0, 0, Unit.NANOS, /* hasZone */ false, /* isUuid */ true, Layout.SAME);
        }
        if (logical != null && logical.isSetFLOAT16() && width == Short.BYTES) {
            return Typed.of(Kind.FLOAT, 16);
        }
        if (converted == ConvertedType.INTERVAL && width == INTERVAL_BYTES) {
            return Typed.of(Kind.MONTHS_DAYS_NANOS, INTERVAL_BITS, Layout.INTERVAL);
        }
        return Typed.of(Kind.FIXED_BINARY, width);
    }
}
