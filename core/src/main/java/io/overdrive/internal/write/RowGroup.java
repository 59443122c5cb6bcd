package io.overdrive.internal.write;

import io.overdrive.RowCallback;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Rows of one partition that wait in memory, in a chain of blocks. Guarded by the lock of its {@link Shard}. */
final class RowGroup {
    long hash;
    long token;
    int keyLength;
    int firstBlock;
    int lastBlock;
    /** Offset of the next byte in the last block's page. */
    int end;

    int rows;
    /** Size of the rows in a request. */
    int bytes;
    /** The clock at the first row. */
    long first;

    /** The clock at the last row. */
    long last;

    /** Callbacks by row, and shorter if the last rows have none; null if no row has one. */
    private @Nullable RowCallback @Nullable [] callbacks;

    private int callbackCount;

    /** Sets the callback of the row that is being added. */
    void add(RowCallback callback) {
        @Nullable RowCallback[] all = callbacks;
        if (all == null) {
            all = new RowCallback[Math.max(4, rows + 1)];
            callbacks = all;
        } else if (all.length <= rows) {
            all = Arrays.copyOf(all, 2 * rows);
            callbacks = all;
        }
        all[rows] = callback;
        callbackCount++;
    }

    int callbackCount() {
        return callbackCount;
    }

    /** Gives the callbacks to a request: one for each row, or null if no row has one. */
    @Nullable RowCallback @Nullable [] takeCallbacks() {
        @Nullable RowCallback[] all = callbacks;
        callbacks = null;
        callbackCount = 0;
        return all == null || all.length == rows ? all : Arrays.copyOf(all, rows);
    }
}
