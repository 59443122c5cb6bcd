package io.overdrive.formats.records;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.util.List;

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
        if (columns.size() != types.size()) {
            throw new IllegalArgumentException(columns.size() + " columns and " + types.size() + " types");
        }
        ValueText[] writers =
                types.stream().map(type -> ValueText.of(type, values)).toArray(ValueText[]::new);
        return switch (format.kind()) {
            case CSV -> new CsvRecordWriter(format, columns, writers);
            case JSON -> new JsonRecordWriter(format, columns, writers);
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

    /** How the values of a column are written. */
    ValueText text(int column);

    /** Line ends in the longest field so far, if more than a reader accepts by default; else 0. */
    default int overlongFieldLines() {
        return 0;
    }
}
