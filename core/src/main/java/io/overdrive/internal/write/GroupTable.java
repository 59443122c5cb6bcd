package io.overdrive.internal.write;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a {@link Shard} by their keys, with open addressing and linear probing. Their rows are in the blocks of a {@link BlockPool}.
 * Guarded by the lock of the shard; on the hot path.
 */
final class GroupTable {
    /** Heap of a group in addition to its blocks: the object and its place in the table. */
    private static final int GROUP_BYTES = 112;

    private static final int MIN_TABLE_SIZE = 256;

    private final BlockPool pool;
    private RowGroup[] table = new RowGroup[MIN_TABLE_SIZE];
    private int size;
    /** The place where {@link Shard#emitAged} continues: the first one again whenever groups get other places. */
    int walk;

    private RowGroup[] spare = new RowGroup[64];
    private int spares;

    GroupTable(long budget) {
        pool = new BlockPool(budget);
    }

    BlockPool pool() {
        return pool;
    }

    /** The number of groups. */
    int size() {
        return size;
    }

    /** The number of places, a power of two. */
    int places() {
        return table.length;
    }

    /** The group at a place; null if it is empty. */
    @Nullable RowGroup at(int place) {
        return table[place];
    }

    /** Bytes of memory in use. */
    long used() {
        return pool.used() + (long) size * GROUP_BYTES;
    }

    /** The place of the group of this key, or an empty one for it. */
    int slot(long hash, byte[] key, int keyLength) {
        int mask = table.length - 1;
        int i = (int) spread(hash) & mask;
        for (RowGroup g = table[i]; g != null; g = table[i]) {
            if (g.hash == hash && g.keyLength == keyLength && sameKey(g, key, keyLength)) {
                break;
            }
            i = (i + 1) & mask;
        }
        return i;
    }

    private boolean sameKey(RowGroup g, byte[] key, int keyLength) {
        int block = g.firstBlock;
        int compared = 0;
        while (true) {
            int at = pool.payload(block);
            int available = Math.min(keyLength - compared, pool.end(block) - at);
            if (!Arrays.equals(pool.page(block), at, at + available, key, compared, compared + available)) {
                return false;
            }
            compared += available;
            if (compared == keyLength) {
                return true;
            }
            block = pool.next(block);
        }
    }

    /** Mixes the bits: the high bits of the hash choose the shard and the spilled piece, so they are the same here. */
    private static long spread(long hash) {
        return hash * 0x9E3779B97F4A7C15L >>> 32;
    }

    /**
     * Adds a group without rows.
     *
     * @param place from {@link #slot}
     */
    RowGroup add(int place, long hash, long token, byte[] key, int keyLength, int firstRecordLength, long now) {
        RowGroup g = newGroup(hash, token, now);
        table[place] = g;
        startChain(g, keyLength + firstRecordLength);
        append(g, key, keyLength);
        g.keyLength = keyLength;
        if (++size > table.length / 2) {
            rehash(2 * table.length);
        }
        return g;
    }

    private RowGroup newGroup(long hash, long token, long now) {
        RowGroup g = spares > 0 ? spare[--spares] : new RowGroup();
        g.hash = hash;
        g.token = token;
        g.rows = 0;
        g.bytes = 0;
        g.first = now;
        return g;
    }

    private void startChain(RowGroup g, int expected) {
        g.firstBlock = pool.allocate(BlockPool.classFor(expected));
        g.lastBlock = g.firstBlock;
        g.end = pool.payload(g.firstBlock);
    }

    /** Adds bytes to those of a group. */
    void append(RowGroup g, byte[] bytes, int count) {
        int at = 0;
        while (true) {
            int room = Math.min(count - at, pool.end(g.lastBlock) - g.end);
            System.arraycopy(bytes, at, pool.page(g.lastBlock), g.end, room);
            g.end += room;
            at += room;
            if (at == count) {
                return;
            }
            int wanted = Math.max(BlockPool.classFor(count - at), pool.sizeClass(g.lastBlock) + 1);
            int block = pool.allocate(Math.min(BlockPool.CLASSES - 1, wanted));
            pool.setNext(g.lastBlock, block);
            g.lastBlock = block;
            g.end = pool.payload(block);
        }
    }

    /** Removes a group, and frees its blocks. Groups after it may get other places. */
    void remove(RowGroup g) {
        int mask = table.length - 1;
        int i = (int) spread(g.hash) & mask;
        while (table[i] != g) {
            i = (i + 1) & mask;
        }
        // Close the gap: move back every following group that lookups would not find any more.
        int gap = i;
        for (int j = (i + 1) & mask; table[j] != null; j = (j + 1) & mask) {
            int home = (int) spread(table[j].hash) & mask;
            if (((j - home) & mask) >= ((j - gap) & mask)) {
                table[gap] = table[j];
                gap = j;
            }
        }
        table[gap] = null;
        size--;
        pool.free(g.firstBlock);
        if (spares < spare.length) {
            spare[spares++] = g;
        }
        if (table.length > MIN_TABLE_SIZE && size < table.length / 16) {
            rehash(table.length / 4);
        }
    }

    private void rehash(int newLength) {
        RowGroup[] old = table;
        table = new RowGroup[Math.max(MIN_TABLE_SIZE, newLength)];
        walk = 0;
        int mask = table.length - 1;
        for (RowGroup g : old) {
            if (g != null) {
                int i = (int) spread(g.hash) & mask;
                while (table[i] != null) {
                    i = (i + 1) & mask;
                }
                table[i] = g;
            }
        }
    }

    List<RowGroup> residents() {
        List<RowGroup> all = new ArrayList<>(size);
        for (RowGroup g : table) {
            if (g != null) {
                all.add(g);
            }
        }
        return all;
    }
}
