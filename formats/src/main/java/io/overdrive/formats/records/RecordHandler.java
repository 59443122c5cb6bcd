package io.overdrive.formats.records;

import com.fasterxml.jackson.core.JsonParser;
import io.overdrive.formats.columns.Column;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;

/**
 * Receives parsed records. For each record {@code begin}, then its fields, then either {@code end} or {@code
 * malformed}; fields may thus arrive of a record that turns out to be malformed. Used by the thread of the {@link
 * RecordParser} only.
 *
 * <p>An exception thrown by a handler ends the parsing of the block and reaches the caller of {@link RecordParser#parse};
 * a handler that continues after a bad value remembers it until {@code end}.
 */
public interface RecordHandler {

    /**
     * A record starts.
     *
     * @param line in the file, from 1
     * @param position strictly greater than the positions of all records before, over the whole input
     */
    void begin(Block block, long line, long position);

    /**
     * A field of a CSV record.
     *
     * @param chars hold the field at {@code [from, to)}, during this call only; must not be changed
     * @param quoted whether the field is in quotes in the file
     */
    void field(int index, char[] chars, int from, int to, boolean quoted);

    /**
     * A member of a JSON record.
     *
     * @param json at the first token of the value; must not be moved beyond its last
     * @throws IOException as thrown by {@code json}, and makes the record malformed
     */
    void field(String name, JsonParser json) throws IOException;

    /**
     * A field of a row of a columnar file. A handler of other files does without.
     *
     * @param index of the column
     * @param row in the column
     */
    default void field(int index, Column column, int row) {
        throw new IllegalStateException("a row of columns");
    }

    /** The record is complete. The count may differ from the header's; the handler decides what that means. */
    void end(int fieldCount);

    /**
     * The record could not be parsed.
     *
     * @param raw the record as in the file, without its line end
     * @param reason for the user
     */
    void malformed(Block block, long line, long position, byte[] raw, MessageText reason);
}
