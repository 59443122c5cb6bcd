package io.overdrive.bench.tune;

import io.overdrive.RowBuffer;
import io.overdrive.RowCursor;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.codec.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows in memory, as CQL bytes, in the order in which they were added. Confined to one thread while it is filled; then any threads may read
 * it.
 */
public final class RowSample {
    private static final int NOT_SET = -2;
    private static final int NULL = -1;
    /** Memory of a row besides its bytes. */
    private static final int OVERHEAD = 24;

    private final List<Column> columns;
    private final long maxBytes;
    private final List<byte[]> rows = new ArrayList<>();
    private final Bytes buffer = new Bytes(1024);
    private long memory;
    private long valueBytes;

    /**
     * @param columns of the rows, with the whole primary key
     * @param maxBytes of memory
     */
    public RowSample(List<Column> columns, long maxBytes) {
        this.columns = List.copyOf(columns);
        this.maxBytes = maxBytes;
    }

    public List<String> names() {
        return columns.stream().map(Column::name).toList();
    }

    public int rows() {
        return rows.size();
    }

    /** Bytes of all values. */
    public long bytes() {
        return valueBytes;
    }

    double bytesOfARow() {
        return rows.isEmpty() ? 0 : (double) valueBytes / rows.size();
    }

    public boolean isFull() {
        return memory >= maxBytes;
    }

    /**
     * Adds the row that the cursor is on, whose columns are the sample's. A row without clustering columns, which is only a
     * partition's static columns, is left out.
     */
    public void add(RowCursor row) {
        buffer.clear();
        for (int i = 0; i < columns.size(); i++) {
            if (row.isNull(i)) {
                if (columns.get(i).isKey()) {
                    return;
                }
                buffer.putInt(NOT_SET); // to write a null would leave a tombstone
            } else {
                buffer.putInt(row.length(i));
                buffer.put(row.array(), row.offset(i), row.length(i));
            }
        }
        keep();
    }

    /** Adds a row that is ready to be written, whose columns are the sample's. */
    public void add(RowBuffer row) {
        buffer.clear();
        for (int i = 0; i < columns.size(); i++) {
            byte[] value = row.bytes(i);
            if (value != null) {
                buffer.putInt(value.length);
                buffer.put(value);
            } else {
                buffer.putInt(row.isSet(i) ? NULL : NOT_SET);
            }
        }
        keep();
    }

    private void keep() {
        byte[] row = buffer.toByteArray();
        rows.add(row);
        memory += row.length + OVERHEAD;
        valueBytes += row.length - (long) Integer.BYTES * columns.size();
    }

    /**
     * Sets all columns of a row.
     *
     * @param keys the other keys; null if there are none
     * @param copy which of them the row gets; 0 for its own key
     */
    void set(RowBuffer to, int row, @Nullable OtherKeys keys, long copy) {
        byte[] bytes = rows.get(row);
        int at = 0;
        for (int i = 0; i < columns.size(); i++) {
            int length = Bytes.getInt(bytes, at);
            at += Integer.BYTES;
            if (length >= 0) {
                if (copy > 0 && keys != null && columns.get(i).name().equals(keys.column())) {
                    byte[] other = keys.value(Arrays.copyOfRange(bytes, at, at + length), copy);
                    to.setBytes(i, other, 0, other.length);
                } else {
                    to.setBytes(i, bytes, at, length);
                }
                at += length;
            } else if (length == NULL) {
                to.setNull(i);
            }
        }
    }
}
