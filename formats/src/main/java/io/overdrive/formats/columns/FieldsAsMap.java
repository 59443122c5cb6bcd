package io.overdrive.formats.columns;

import com.datastax.oss.driver.api.core.type.MapType;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads fields as the entries of a map, whose keys are their names. Confined to one thread; on the hot path.
 *
 * <p>A field without a value is no entry: tools that make fields of dictionaries add a null for each key of other rows.
 */
final class FieldsAsMap implements CellReader {
    private final ValueText keys;
    private final Entry[] entries;

    /** @param key bytes of the name, or null if it is none of the type, which matters in rows with a value only */
    private record Entry(char[] name, byte @Nullable [] key, CellReader value, String label) {}

    FieldsAsMap(ColumnType from, MapType to, ValueFormat values) {
        keys = ValueText.of(to.getKeyType(), TextRoute.format(values));
        List<ColumnType> fields = from.children();
        entries = fields.stream()
                .map(field -> new Entry(
                        field.name().toCharArray(),
                        key(field.name().toCharArray()),
                        CellReader.part(field, to.getValueType(), values),
                        '"' + field.name() + '"'))
                .toArray(Entry[]::new);
    }

    private byte @Nullable [] key(char[] name) {
        Bytes key = new Bytes(16);
        try {
            keys.parse(name, 0, name.length, key);
        } catch (BadValueException e) {
            return null;
        }
        return key.toByteArray();
    }

    @Override
    public void read(Column column, int row, Bytes out) {
        int start = out.length();
        out.putInt(0);
        int count = 0;
        for (int i = 0; i < entries.length; i++) {
            Column values = column.child(i);
            if (!values.isNull(row)) {
                count++;
                putEntry(entries[i], values, row, out);
            }
        }
        out.setInt(start, count);
    }

    private void putEntry(Entry entry, Column values, int row, Bytes out) {
        int begin = out.beginValue();
        try {
            if (entry.key == null) {
                keys.parse(entry.name, 0, entry.name.length, out);
            } else {
                out.put(entry.key);
            }
        } catch (BadValueException e) {
            throw e.inside("key");
        }
        out.endValue(begin);
        begin = out.beginValue();
        try {
            entry.value.read(values, row, out);
        } catch (BadValueException e) {
            throw e.inside("value of key " + entry.label);
        }
        out.endValue(begin);
    }
}
