package io.overdrive.formats.parquet;

import io.overdrive.formats.columns.ColumnType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A column of the table, or a part of one, and its place in a file. Immutable.
 *
 * @param definition level from which on it has a value, which may be an empty list
 * @param children the element of a list, the key and the value of a map, or the fields of a struct
 * @param leaf number of the first column of the file in it
 * @param layout how the values of the file become the values of the column; null if it has parts
 */
record Node(ColumnType type, int definition, List<Node> children, int leaf, @Nullable Layout layout) {
    /** How values in a file differ from values of a column. */
    enum Layout {
        /** They do not. */
        SAME,
        /** A byte for each instead of a bit. */
        BYTES_TO_BITS,
        /** More bytes than needed. */
        WIDE,
        /** The other order of bytes. */
        REVERSED,
        /** The other order of bytes, and only as many as a value needs. */
        REVERSED_VARIABLE,
        /** Months, days and milliseconds. */
        INTERVAL
    }

    Node {
        children = List.copyOf(children);
    }
}
