package io.overdrive.formats.columns;

import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.TextForms;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows of columns as JSON objects, which a load takes for the same rows, or refuses for the same reasons. Confined to one thread.
 *
 * <p>CQL has no form for some values, such as a list with a null: these are written part by part. A part for which JSON has no form either,
 * such as bytes that should be text, becomes <code>{"not kept":[["why"]]}</code>, which no type takes.
 */
public final class ColumnJson {
    /** Leaves fields without a value out, which tools that make fields of dictionaries add for each key of other rows. */
    static final ValueFormat FORMAT =
            ValueFormat.builder().nullFields(/* written */ false).build();

    private static final byte[] NULL = TextForms.utf8("null");
    private static final byte[] NOT_KEPT = TextForms.utf8("{\"not kept\":[[");
    private static final byte[] END_OF_NOT_KEPT = TextForms.utf8("]]}");

    private final CellReader[] readers;
    private final ValueText[] writers;
    private final byte[][] names;
    private final Bytes value = new Bytes(64);
    private final List<ColumnType> types;
    /** Writers of the parts of values that have no form in CQL, once there is such a value. */
    private final @Nullable ColumnJson[] parts;

    public ColumnJson(List<ColumnType> types) {
        this.types = types;
        parts = new ColumnJson[types.size()];
        readers = new CellReader[types.size()];
        writers = new ValueText[types.size()];
        names = new byte[types.size()][];
        for (int i = 0; i < readers.length; i++) {
            ColumnType type = types.get(i);
            writers[i] = ValueText.of(type.natural(), FORMAT);
            readers[i] = CellReader.of(type, type.natural(), writers[i], FORMAT);
            names[i] = TextForms.json(type.name());
        }
    }

    /** The JSON of a value that is not null. */
    public String value(int index, Column column, int row) {
        Bytes out = new Bytes(64);
        put(index, column, row, out);
        return new String(out.toByteArray(), StandardCharsets.UTF_8);
    }

    /** A row as one object. */
    public byte[] row(List<Column> columns, int row) {
        Bytes out = new Bytes(256);
        out.putByte('{');
        for (int i = 0; i < readers.length; i++) {
            if (i > 0) {
                out.putByte(',');
            }
            out.put(names[i]);
            out.putByte(':');
            putOrNull(i, columns.get(i), row, out);
        }
        out.putByte('}');
        return out.toByteArray();
    }

    private void putOrNull(int index, Column column, int row, Bytes out) {
        if (column.isNull(row)) {
            out.put(NULL);
        } else {
            put(index, column, row, out);
        }
    }

    private void put(int index, Column column, int row, Bytes out) {
        int start = out.length();
        try {
            value.clear();
            readers[index].read(column, row, value);
            writers[index].writeJson(value.array(), 0, value.length(), out);
        } catch (BadValueException e) {
            // finer than a timestamp, not UTF-8, a null in a list and the like: no CQL type holds the value
            out.truncate(start);
            ColumnType type = types.get(index);
            boolean isIndex = type.dictionary() != null;
            beyond(
                    index,
                    isIndex ? column.dictionary() : column,
                    isIndex ? column.index(row) : row,
                    type.describe() + " " + e.getMessage(),
                    out);
        }
    }

    private void beyond(int index, Column column, int row, String why, Bytes out) {
        ColumnType type = types.get(index);
        switch (type.kind()) {
            case DATE_DAYS, TIMESTAMP -> out.put(TextForms.json(Times.text(column, row)));
            case JULIAN -> out.put(TextForms.json(Times.julian(column, row).toString()));
            case LIST, FIXED_LIST -> list(parts(index, type.children()), column, row, out);
            case MAP -> map(index, column, row, out);
            case STRUCT -> {
                ColumnJson fields = parts(index, type.children());
                if (type.isTuple()) {
                    tuple(fields, column, row, out);
                } else {
                    struct(fields, column, row, out);
                }
            }
            default -> {
                out.put(NOT_KEPT);
                out.put(TextForms.json(why));
                out.put(END_OF_NOT_KEPT);
            }
        }
    }

    private ColumnJson parts(int index, List<ColumnType> of) {
        ColumnJson made = parts[index];
        if (made == null) {
            made = new ColumnJson(of);
            parts[index] = made;
        }
        return made;
    }

    private static void list(ColumnJson of, Column column, int row, Bytes out) {
        out.putByte('[');
        for (int i = column.start(row); i < column.end(row); i++) {
            separate(i > column.start(row), out);
            of.putOrNull(0, column.child(0), i, out);
        }
        out.putByte(']');
    }

    private static void tuple(ColumnJson of, Column column, int row, Bytes out) {
        out.putByte('[');
        for (int i = 0; i < of.types.size(); i++) {
            separate(i > 0, out);
            of.putOrNull(i, column.child(i), row, out);
        }
        out.putByte(']');
    }

    private static void struct(ColumnJson of, Column column, int row, Bytes out) {
        out.putByte('{');
        boolean isAfterOther = false;
        for (int i = 0; i < of.types.size(); i++) {
            if (column.child(i).isNull(row)) {
                continue;
            }
            separate(isAfterOther, out);
            isAfterOther = true;
            String name = of.types.get(i).name();
            out.put(TextForms.json(name.isEmpty() ? " " : name)); // CQL has no empty name
            out.putByte(':');
            of.put(i, column.child(i), row, out);
        }
        out.putByte('}');
    }

    /** An object, or if keys have parts, a list of pairs, as a load reads maps. */
    private void map(int index, Column column, int row, Bytes out) {
        ColumnJson of = parts(index, types.get(index).children().get(0).children());
        boolean hasPairs = of.writers[0].isNested();
        Column pairs = column.child(0);
        out.putByte(hasPairs ? '[' : '{');
        for (int i = column.start(row); i < column.end(row); i++) {
            separate(i > column.start(row), out);
            if (hasPairs) {
                out.putByte('[');
                of.putOrNull(0, pairs.child(0), i, out);
            } else {
                Bytes key = new Bytes(64);
                of.putOrNull(0, pairs.child(0), i, key);
                String name = new String(key.toByteArray(), StandardCharsets.UTF_8);
                out.put(name.startsWith("\"") ? key.toByteArray() : TextForms.json(name));
            }
            out.putByte(hasPairs ? ',' : ':');
            of.putOrNull(1, pairs.child(1), i, out);
            if (hasPairs) {
                out.putByte(']');
            }
        }
        out.putByte(hasPairs ? ']' : '}');
    }

    private static void separate(boolean isAfterOther, Bytes out) {
        if (isAfterOther) {
            out.putByte(',');
        }
    }
}
