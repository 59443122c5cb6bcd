package io.overdrive.formats.records;

import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.CellCounts;
import io.overdrive.formats.text.TextForms;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.util.List;

/** Writes JSON lines: each record an object, whose members are the columns. Confined to one thread; on the hot path. */
final class JsonRecordWriter implements RecordWriter {
    private static final byte[] NULL = TextForms.utf8("null");

    private final ValueText[] writers;
    private final String[] labels;
    /** A comma, the name, a colon. */
    private final byte[][] names;

    private final boolean writeNulls;
    private boolean first;

    JsonRecordWriter(OutputFormat format, List<String> columns, ValueText[] writers) {
        this.writers = writers;
        writeNulls = format.writeNulls();
        labels = CsvRecordWriter.labels(columns);
        names = new byte[writers.length][];
        for (int i = 0; i < names.length; i++) {
            Bytes name = new Bytes(64);
            name.putByte(',');
            name.put(TextForms.json(columns.get(i)));
            name.putByte(':');
            names[i] = name.toByteArray();
        }
    }

    @Override
    public void header(Bytes out) {
        // each record contains the names
    }

    @Override
    public void begin(Bytes out) {
        out.putByte('{');
        first = true;
    }

    @Override
    public void cell(int index, byte[] from, int offset, int length, Bytes out) {
        ValueText writer = writers[index];
        boolean isNull = writer.isNull(length);
        if (isNull && !writeNulls) {
            return;
        }
        byte[] name = names[index];
        int skipped = first ? 1 : 0;
        first = false;
        out.put(name, skipped, name.length - skipped);
        if (isNull) {
            out.put(NULL);
            return;
        }
        try {
            writer.writeJson(from, offset, length, out);
        } catch (BadValueException e) {
            throw e.inside(labels[index]);
        }
    }

    @Override
    public void end(Bytes out) {
        out.putByte('}');
        out.putByte('\n');
    }

    @Override
    public CellCounts counts(int column) {
        return writers[column];
    }
}
