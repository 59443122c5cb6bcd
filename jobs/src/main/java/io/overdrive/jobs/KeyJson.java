package io.overdrive.jobs;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.RowCursor;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.TextForms;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.codec.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Keys as JSON objects, for rows whose key columns come first. Confined to one thread at a time. */
public final class KeyJson {
    private final int columns;
    private final RecordWriter writer;
    private final Bytes text = new Bytes(128);

    public KeyJson(List<String> names, List<DataType> types) {
        this.columns = names.size();
        this.writer = RecordWriter.of(
                OutputFormat.builder(OutputFormat.Kind.JSON).build(), names, types, ValueFormat.DEFAULT);
    }

    /** A copy of the key's bytes, for {@link #json(byte[])}. */
    public byte[] bytes(RowCursor row) {
        int last = columns - 1;
        return Arrays.copyOfRange(row.array(), row.rowStart(), row.offset(last) + Math.max(0, row.length(last)));
    }

    /** A copy of the key's bytes, after a number. */
    public byte[] bytes(int number, RowCursor row) {
        int last = columns - 1;
        int from = row.rowStart();
        int length = row.offset(last) + Math.max(0, row.length(last)) - from;
        byte[] bytes = new byte[Integer.BYTES + length];
        ByteBuffer.wrap(bytes).putInt(number).put(row.array(), from, length);
        return bytes;
    }

    /** The key of the row; only the partition key if its clustering columns are null. */
    public String json(RowCursor row) {
        return json(row, columns);
    }

    /** The first columns of the key. */
    public String json(RowCursor row, int first) {
        text.clear();
        writer.begin(text);
        for (int c = 0; c < first; c++) {
            writer.cell(c, row.array(), row.offset(c), row.length(c), text);
        }
        return finish();
    }

    public String json(byte[] key) {
        text.clear();
        writer.begin(text);
        int at = 0;
        for (int c = 0; c < columns; c++) {
            int length = Bytes.getInt(key, at);
            writer.cell(c, key, at + 4, length, text);
            at += 4 + Math.max(0, length);
        }
        return finish();
    }

    private String finish() {
        writer.end(text);
        return new String(text.array(), 0, text.length(), StandardCharsets.UTF_8).strip();
    }

    /** A text as a JSON string. */
    public static String quoted(String text) {
        return new String(TextForms.json(text), StandardCharsets.UTF_8);
    }
}
