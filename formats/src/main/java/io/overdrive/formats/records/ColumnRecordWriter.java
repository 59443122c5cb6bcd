package io.overdrive.formats.records;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.formats.arrow.ArrowWriter;
import io.overdrive.formats.columns.BatchWriter;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnBuilder;
import io.overdrive.formats.columns.ColumnBuilder.Decimals;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.parquet.ParquetWriter;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.formats.text.CellCounts;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects rows as columns, and writes them as batches. Confined to one thread; on the hot path. */
final class ColumnRecordWriter implements RecordWriter {
    private static final int MAX_BATCH_ROWS = 1 << 16;
    private static final int MAX_BATCH_BYTES = 4 << 20;
    /** Smaller row groups are not written before their time. */
    private static final long MIN_ROW_GROUP_BYTES = 16 << 20;

    private final ColumnBuilder[] columns;
    /** Whether the values of a column are in the names of directories. */
    private final boolean[] isInPath;

    private final String[] labels;
    private final BatchWriter writer;
    private int maxKeptBytes = Integer.MAX_VALUE;
    private int maxBytes = MAX_BATCH_BYTES;
    private int rows;
    private long bytes;
    /** Bytes of cells since {@link #complete}. */
    private long bytesOfPart;

    /** Whether the writer keeps batches, to write them together. */
    private final boolean keepsBatches;

    ColumnRecordWriter(OutputFormat format, List<String> names, List<DataType> types, Set<String> statics) {
        Set<String> distinct = new HashSet<>();
        columns = new ColumnBuilder[names.size()];
        isInPath = inPath(format.partitionBy(), names);
        List<ColumnType> written = new ArrayList<>();
        List<DataType> writtenTypes = new ArrayList<>();
        for (int i = 0; i < columns.length; i++) {
            if (!distinct.add(names.get(i))) {
                throw new OverdriveException(
                        Kind.INPUT,
                        "two columns have the name \"" + names.get(i)
                                + "\", which readers of " + format.kind().label() + " cannot distinguish: give one of"
                                + " them another name in the query, with AS");
            }
            Decimals decimals = format.batches().decimals(names.get(i));
            columns[i] = statics.contains(names.get(i))
                    ? ColumnBuilder.ofStatic(names.get(i), types.get(i), decimals)
                    : ColumnBuilder.of(names.get(i), types.get(i), decimals);
            if (!isInPath[i]) {
                written.add(columns[i].type());
                writtenTypes.add(types.get(i));
            }
        }
        labels = CsvRecordWriter.labels(names);
        writer = writer(format, written, writtenTypes);
        keepsBatches = format.kind() == OutputFormat.Kind.PARQUET;
    }

    private static boolean[] inPath(List<String> partitionBy, List<String> names) {
        boolean[] inPath = new boolean[names.size()];
        for (String name : partitionBy) {
            int column = names.indexOf(name);
            if (column < 0 || inPath[column]) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> words.of(JobOption.PARTITION_BY) + " names \"" + name + "\", which is "
                                + (column < 0
                                        ? "none of the columns that are read: " + String.join(", ", names)
                                        : "named twice"));
            }
            inPath[column] = true;
        }
        if (partitionBy.size() == names.size()) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> words.of(JobOption.PARTITION_BY)
                            + " names all columns that are read: leave one for the files");
        }
        return inPath;
    }

    private static BatchWriter writer(OutputFormat format, List<ColumnType> columns, List<DataType> types) {
        Compression packing = format.batches().packing();
        return format.kind() == OutputFormat.Kind.PARQUET
                ? new ParquetWriter(columns, types, ParquetWriter.Packing.valueOf(packing.name()))
                : new ArrowWriter(
                        columns,
                        ArrowWriter.Packing.valueOf(packing.name()),
                        format.batches().isStream());
    }

    @Override
    public void header(Bytes out) {
        writer.head(out);
    }

    @Override
    public void begin(Bytes out) {
        // rows are written by the batch
    }

    @Override
    public void cell(int index, byte[] from, int offset, int length, Bytes out) {
        if (isInPath[index]) {
            return;
        }
        try {
            columns[index].add(from, offset, length);
        } catch (BadValueException e) {
            throw e.inside(labels[index]);
        }
        bytes += Math.max(length, 0) + 8;
        bytesOfPart += Math.max(length, 0);
    }

    @Override
    public void end(Bytes out) {
        if (++rows >= MAX_BATCH_ROWS || bytes >= maxBytes) {
            batch(out);
        }
    }

    @Override
    public boolean limitBatch(int limit) {
        maxBytes = Math.min(keepsBatches ? limit / 4 : limit, MAX_BATCH_BYTES);
        maxKeptBytes = limit - maxBytes;
        return true;
    }

    @Override
    public void complete(Bytes out) {
        batch(out);
        writer.complete(out);
        bytesOfPart = 0;
    }

    @Override
    public boolean isFilling() {
        return keepsBatches && bytesOfPart > 0 && bytesOfPart < MIN_ROW_GROUP_BYTES;
    }

    private void batch(Bytes out) {
        if (rows == 0) {
            return;
        }
        List<Column> batch = new ArrayList<>();
        for (int i = 0; i < columns.length; i++) {
            if (!isInPath[i]) {
                batch.add(columns[i].column());
            }
        }
        writer.batch(batch, rows, maxKeptBytes, out);
        for (ColumnBuilder column : columns) {
            column.clear();
        }
        rows = 0;
        bytes = 0;
    }

    @Override
    public void footer(@Nullable FileChannel file, long length, Bytes out) throws IOException {
        writer.end(file, length, out);
    }

    @Override
    public CellCounts counts(int column) {
        return columns[column];
    }
}
