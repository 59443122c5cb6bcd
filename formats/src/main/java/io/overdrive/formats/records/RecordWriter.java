package io.overdrive.formats.records;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.formats.text.CellCounts;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows as the records of a file: for each row {@link #begin}, {@link #cell} for each column in order, and {@link
 * #end}. The output is read by {@link RecordParser} and {@code ValueText} as the same values. Confined to one
 * thread; on the hot path.
 *
 * <p>Records are appended to the given sink, which the caller may empty at any time. After a {@link
 * io.overdrive.formats.text.BadValueException} the caller truncates the sink to where the record began, and may continue
 * with the next.
 */
public interface RecordWriter {

    /**
     * @param columns their names as in the schema, without CQL's quotes
     * @throws io.overdrive.OverdriveException of kind INPUT if the names cannot be written in the format
     */
    static RecordWriter of(OutputFormat format, List<String> columns, List<DataType> types, ValueFormat values) {
        return of(format, columns, types, /* statics */ Set.of(), values);
    }

    /**
     * As {@link #of(OutputFormat, List, List, ValueFormat)}, for columns of a table.
     *
     * @param statics names of the static columns, which a columnar file notes
     */
    static RecordWriter of(
            OutputFormat format, List<String> columns, List<DataType> types, Set<String> statics, ValueFormat values) {
        if (columns.size() != types.size()) {
            throw new IllegalArgumentException(columns.size() + " columns and " + types.size() + " types");
        }
        if (format.kind().isColumnar()) {
            return new ColumnRecordWriter(format, columns, types, statics);
        }
        ValueText[] writers =
                types.stream().map(type -> ValueText.of(type, values)).toArray(ValueText[]::new);
        return switch (format.kind()) {
            case CSV -> new CsvRecordWriter(format, columns, writers);
            case JSON -> new JsonRecordWriter(format, columns, writers);
            case ARROW, PARQUET -> throw new IllegalStateException("has no text");
        };
    }

    /** Writes the start of a file, which may be empty. */
    void header(Bytes out);

    void begin(Bytes out);

    /**
     * @param index of the column; columns come in order, none is left out
     * @param from holds the value at {@code [offset, offset + length)}
     * @param length -1 for a null
     * @throws io.overdrive.formats.text.BadValueException if the bytes are not a value of the column's type, or the
     *     format cannot represent it
     */
    void cell(int index, byte[] from, int offset, int length, Bytes out);

    void end(Bytes out);

    /**
     * Writes the rows that the writer still holds: a columnar one writes them by the batch, at the {@link #end} that makes it full, and
     * here.
     */
    default void complete(Bytes out) {}

    /**
     * Sets the size at which a batch is full; without effect if rows are not written by the batch.
     *
     * @return whether they are
     */
    default boolean limitBatch(int bytes) {
        return false;
    }

    /** Whether the rows that the writer holds are too few to be written by themselves without need. */
    default boolean isFilling() {
        return false;
    }

    /**
     * Writes the end of a file or a stream, which may be empty. For any thread.
     *
     * @param file the file so far, which may be read; null for a stream
     * @param length of what was written to the file
     */
    default void footer(@Nullable FileChannel file, long length, Bytes out) throws IOException {}

    /** Counts of a column's values. */
    CellCounts counts(int column);

    /** Line ends in the longest field so far, if more than a reader accepts by default; else 0. */
    default int overlongFieldLines() {
        return 0;
    }
}
