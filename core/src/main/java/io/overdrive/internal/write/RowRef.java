package io.overdrive.internal.write;

import io.overdrive.RowCallback;
import org.jspecify.annotations.Nullable;

/**
 * A row on its way into a group, in the arrays of its producer. Filled again for each row, so that none is allocated. Confined to one
 * thread; on the hot path.
 */
public final class RowRef {
    private static final byte[] NONE = {};

    /** Equal for equal keys; chooses the shard, the place in its table, and the piece on disk. */
    long hash;

    long token;
    /** The key of the group, up to {@code keyLength}. */
    byte[] key = NONE;

    int keyLength;
    /**
     * {@code [int length][long position][values that are not in the key][attachment]}, up to {@code recordLength}; the attachment is preceded
     * by its length, or is a length of -1.
     */
    byte[] record = NONE;

    int recordLength;
    /** Null if the caller does not ask when the row ends; otherwise the shard spills no more rows. */
    @Nullable RowCallback callback;

    /** Refers to this row from now on. */
    public void set(
            long hash,
            long token,
            byte[] key,
            int keyLength,
            byte[] record,
            int recordLength,
            @Nullable RowCallback callback) {
        this.hash = hash;
        this.token = token;
        this.key = key;
        this.keyLength = keyLength;
        this.record = record;
        this.recordLength = recordLength;
        this.callback = callback;
    }

    /** Refers to no row, so that large arrays can be freed. */
    public void clear() {
        key = NONE;
        record = NONE;
        callback = null;
    }
}
