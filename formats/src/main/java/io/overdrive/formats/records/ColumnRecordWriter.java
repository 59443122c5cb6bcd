package io.overdrive.formats.records;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.arrow.ArrowWriter;
import io.overdrive.formats.arrow.ArrowWriter.Packing;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBuilder;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.CellCounts;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects rows as columns, and writes them as batches of Arrow. Confined to one thread; on the hot path. */
final class ColumnRecordWriter implements RecordWriter {
    private static final int MAX_BATCH_ROWS = 1 << 16;
    private static final int MAX_BATCH_BYTES = 4 << 20;

    private final ColumnBuilder[] columns;
    private final String[] labels;
    private final ArrowWriter writer;
    private final boolean isStream;
    private int maxBytes = MAX_BATCH_BYTES;
    private int rows;
    private long bytes;

    ColumnRecordWriter(OutputFormat format, List<String> names, List<DataType> types) {
        Set<String> distinct = new HashSet<>();
        columns = new ColumnBuilder[names.size()];
        List<ColumnType> written = new ArrayList<>();
        for (int i = 0; i < columns.length; i++) {
            if (!distinct.add(names.get(i))) {
                throw new OverdriveException(
                        Kind.INPUT,
                        "two columns have the name \"" + names.get(i)
                                + "\", which readers of Arrow cannot distinguish: give one of"
                                + " them another name in the query, with AS");
            }
            columns[i] = ColumnBuilder.of(
                    names.get(i), types.get(i), format.batches().decimals());
            written.add(columns[i].type());
        }
        labels = CsvRecordWriter.labels(names);
        isStream = format.batches().isStream();
        writer = new ArrowWriter(
                written, Packing.valueOf(format.batches().packing().name()));
    }

    @Override
    public void header(Bytes out) {
        if (isStream) {
            writer.schema(out);
        } else {
            writer.fileHead(out);
        }
    }

    @Override
    public void begin(Bytes out) {
        // rows are written by the batch
    }

    @Override
    public void cell(int index, byte[] from, int offset, int length, Bytes out) {
        try {
            columns[index].add(from, offset, length);
        } catch (BadValueException e) {
            throw e.inside(labels[index]);
        }
        bytes += Math.max(length, 0) + 8;
    }

    @Override
    public void end(Bytes out) {
        if (++rows >= MAX_BATCH_ROWS || bytes >= maxBytes) {
            complete(out);
        }
    }

    @Override
    public boolean limitBatch(int limit) {
        maxBytes = Math.min(limit, MAX_BATCH_BYTES);
        return true;
    }

    @Override
    public void complete(Bytes out) {
        if (rows == 0) {
            return;
        }
        List<Column> batch = new ArrayList<>();
        for (ColumnBuilder column : columns) {
            batch.add(column.column());
        }
        writer.batch(batch, rows, out);
        for (ColumnBuilder column : columns) {
            column.clear();
        }
        rows = 0;
        bytes = 0;
    }

    @Override
    public void footer(@Nullable FileChannel file, long length, Bytes out) throws IOException {
        if (isStream || file == null) {
            writer.end(out);
        } else {
            writer.footer(file, length, out);
        }
    }

    @Override
    public CellCounts counts(int column) {
        return columns[column];
    }
}
