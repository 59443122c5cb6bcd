package io.overdrive.sstable.format;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;

/** A copy of the clustering columns of a row. Confined to one thread; on the hot path. */
public final class ClusteringValues {
    private static final int COLUMNS_OF_A_HEADER = 32;

    private final Bytes bytes = new Bytes(64);
    /** Where each value begins, and at the end, where the last one ends. */
    private final int[] starts;

    public ClusteringValues(int columns) {
        starts = new int[columns + 1];
    }

    public void clear() {
        bytes.clear();
    }

    /** Adds the value of the column. */
    public void add(int column, byte[] values, int from, int length) {
        bytes.put(values, from, length);
        starts[column + 1] = bytes.length();
    }

    public void copy(ClusteringValues other) {
        bytes.clear();
        bytes.put(other.bytes.array(), 0, other.bytes.length());
        System.arraycopy(other.starts, 0, starts, 0, starts.length);
    }

    /** Compares in the order of the table. */
    public int compareTo(ClusteringValues other, ClusteringOrder[] orders) {
        for (int i = 0; i < orders.length; i++) {
            int order = orders[i].compare(
                    bytes.array(),
                    starts[i],
                    starts[i + 1] - starts[i],
                    other.bytes.array(),
                    other.starts[i],
                    other.starts[i + 1] - other.starts[i]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Encodes them as rows do: two bits for each of up to 32 columns say which are empty, then come the values. */
    public void encode(Layout.Part[] columns, Bytes out) {
        for (int from = 0; from < columns.length; from += COLUMNS_OF_A_HEADER) {
            int to = Math.min(columns.length, from + COLUMNS_OF_A_HEADER);
            long empty = 0;
            for (int i = from; i < to; i++) {
                empty |= starts[i + 1] == starts[i] ? 1L << 2 * (i - from) : 0;
            }
            out.putUnsignedVint(empty);
            for (int i = from; i < to; i++) {
                int length = starts[i + 1] - starts[i];
                if (length > 0) {
                    if (columns[i].fixedBytes() < 0) {
                        out.putUnsignedVint(length);
                    }
                    out.put(bytes.array(), starts[i], length);
                }
            }
        }
    }

    /** Writes count and lengths, the form of Statistics.db; no values if {@code isEmpty}. */
    void write(Bytes out, boolean isEmpty) {
        int columns = isEmpty ? 0 : starts.length - 1;
        out.putInt(columns);
        for (int i = 0; i < columns; i++) {
            int length = starts[i + 1] - starts[i];
            out.putShort(length);
            out.put(bytes.array(), starts[i], length);
        }
    }
}
