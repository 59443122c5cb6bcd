package io.overdrive.internal.write;

import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;

/** Reads the chain of blocks of a group from its start. Guarded by the lock of its {@link Shard}; on the hot path. */
final class GroupCursor {
    /** Bytes before the values of a row: its length and its position. */
    private static final int ROW_HEADER = 12;

    private final BlockPool pool;
    private final boolean attachments;
    private final byte[] number = new byte[8];
    /** The row of the last {@link #readRecord}. */
    byte[] record = new byte[256];

    private int block;
    private int at;

    /** @param attachments whether rows may have one */
    GroupCursor(BlockPool pool, boolean attachments) {
        this.pool = pool;
        this.attachments = attachments;
    }

    void start(RowGroup g) {
        if (record.length > Bytes.MAX_KEPT_BYTES) {
            record = new byte[256];
        }
        block = g.firstBlock;
        at = pool.payload(block);
    }

    void read(byte[] target, int to, int count) {
        while (true) {
            int available = Math.min(count, pool.end(block) - at);
            System.arraycopy(pool.page(block), at, target, to, available);
            at += available;
            to += available;
            count -= available;
            if (count == 0) {
                return;
            }
            block = pool.next(block);
            at = pool.payload(block);
        }
    }

    void skip(int count) {
        while (count > pool.end(block) - at) {
            count -= pool.end(block) - at;
            block = pool.next(block);
            at = pool.payload(block);
        }
        at += count;
    }

    int readInt() {
        if (pool.end(block) - at >= 4) {
            at += 4;
            return Bytes.getInt(pool.page(block), at - 4);
        }
        read(number, 0, 4);
        return Bytes.getInt(number, 0);
    }

    long readLong() {
        if (pool.end(block) - at >= 8) {
            at += 8;
            return Bytes.getLong(pool.page(block), at - 8);
        }
        read(number, 0, 8);
        return Bytes.getLong(number, 0);
    }

    /** Reads a whole record into {@link #record} and returns its length. */
    int readRecord() {
        int values = readInt();
        int length = ROW_HEADER + values;
        grow(length + 4);
        Bytes.setInt(record, 0, values);
        read(record, 4, length - 4);
        if (attachments) {
            int attached = readInt();
            Bytes.setInt(record, length, attached);
            int count = Math.max(0, attached);
            grow(length + 4 + count);
            read(record, length + 4, count);
            length += 4 + count;
        }
        return length;
    }

    private void grow(int needed) {
        if (record.length < needed) {
            record = Arrays.copyOf(record, Math.max(needed, 2 * record.length));
        }
    }
}
