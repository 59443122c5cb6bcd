package io.overdrive.formats.columns;

import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.TextForms;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes rows of columns as JSON objects, which a load takes for the same rows. Confined to one thread. */
public final class ColumnJson {
    private static final byte[] NULL = TextForms.utf8("null");

    private final CellReader[] readers;
    private final ValueText[] writers;
    private final byte[][] names;
    private final Bytes value = new Bytes(64);

    public ColumnJson(List<ColumnType> types) {
        readers = new CellReader[types.size()];
        writers = new ValueText[types.size()];
        names = new byte[types.size()][];
        for (int i = 0; i < readers.length; i++) {
            ColumnType type = types.get(i);
            writers[i] = ValueText.of(type.natural(), ValueFormat.DEFAULT);
            readers[i] = CellReader.of(type, type.natural(), writers[i], ValueFormat.DEFAULT);
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
            Column column = columns.get(i);
            if (column.isNull(row)) {
                out.put(NULL);
            } else {
                put(i, column, row, out);
            }
        }
        out.putByte('}');
        return out.toByteArray();
    }

    private void put(int index, Column column, int row, Bytes out) {
        int start = out.length();
        try {
            value.clear();
            readers[index].read(column, row, value);
            writers[index].writeJson(value.array(), 0, value.length(), out);
        } catch (BadValueException e) {
            // finer than a timestamp, not UTF-8 and the like: no CQL type holds the value
            out.truncate(start);
            out.put(TextForms.json(beyond(column, row, e)));
        }
    }

    private static String beyond(Column column, int row, BadValueException e) {
        ColumnType type = column.type();
        if (type.kind() == ColumnType.Kind.TIMESTAMP && type.dictionary() == null) {
            return Times.instant(column.integer(row), type);
        }
        return type.kind() == ColumnType.Kind.JULIAN
                ? Times.julian(column, row).toString()
                : "not kept: " + type.describe() + " " + e.getMessage();
    }
}
