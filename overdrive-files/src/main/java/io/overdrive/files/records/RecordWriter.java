package io.overdrive.files.records;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.files.text.ValueFormat;
import io.overdrive.files.text.write.ValueWriter;
import io.overdrive.internal.codec.Bytes;
import java.util.List;

/**
 * Turns rows into the records of a file, byte by byte: for each row {@link #begin}, {@link #cell} for each column in their
 * order, and {@link #end}. What is written is read by {@link RecordParser} and {@code ValueParser} as the same values. Confined
 * to one thread; on the hot path.
 *
 * <p>Records are appended to the sink that is given, which the caller empties when it likes. After a {@link
 * io.overdrive.files.text.BadValueException} the caller cuts the record off, from where it began, and may go on with the next.
 */
public interface RecordWriter {

    /**
     * @param columns their names as the schema has them, without the quotes of CQL
     * @throws IllegalArgumentException for a column of a custom type, which has no text form
     * @throws io.overdrive.files.InputException if the names cannot be written in the format
     */
    static RecordWriter of(OutputFormat format, List<String> columns, List<DataType> types, ValueFormat values) {
        if (columns.size() != types.size()) {
            throw new IllegalArgumentException(columns.size() + " columns and " + types.size() + " types");
        }
        ValueWriter[] writers =
                types.stream().map(type -> ValueWriter.of(type, values)).toArray(ValueWriter[]::new);
        return switch (format.kind()) {
            case CSV -> new CsvRecordWriter(format, columns, writers);
            case JSON -> new JsonRecordWriter(format, columns, writers);
        };
    }

    /** Writes what comes first in each file, which may be nothing. */
    void header(Bytes out);

    void begin(Bytes out);

    /**
     * @param index of the column; columns come one after the other, none is left out
     * @param from holds the value at {@code [offset, offset + length)}
     * @param length -1 for a null
     * @throws io.overdrive.files.text.BadValueException if the bytes are no value of the column's type, or the format cannot hold it
     */
    void cell(int index, byte[] from, int offset, int length, Bytes out);

    void end(Bytes out);

    /** Line ends in the longest field so far, if they are more than a reader takes by default; else 0. */
    default int overlongFieldLines() {
        return 0;
    }
}
