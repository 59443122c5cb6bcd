package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of the token range in which rows of one partition come together. Guarded by itself: callers synchronize on the
 * shard; on the hot path (write step 3).
 *
 * <p>A group leaves as a request
 * <ul>
 *   <li>when it is full;
 *   <li>when it looks complete: it has been idle for many times the gap between its rows so far, gaps counted in rows.
 *       Input in order thus keeps the cluster busy from the start and needs next to no memory; input out of order has
 *       large gaps and waits;
 *   <li>when memory is short: the fullest groups first, as long as they are worth a request. Where even these are small,
 *       either rows of a partition come from far apart, and then everything goes to local disk, piece by piece of the
 *       token range, to be grouped later; or partitions are small, and then the oldest leave.
 * </ul>
 */
final class Shard {
    /** Heap that a group takes besides its blocks: the object and its place in the table. */
    private static final int GROUP_BYTES = 112;

    private static final int MIN_TABLE_SIZE = 256;
    /** A group of this many rows, or bytes, is worth a request: from here on the server's cost a row falls slowly. */
    private static final int WORTH_ROWS = 16;

    private static final int WORTH_BYTES = 8 << 10;
    /** One late row in this many tells that rows of a partition come from far apart. */
    private static final int LATE_SHARE = 1000;

    private static final int LATE_LEAST = 32;
    private static final int MIN_IDLE = 64;
    /** Spilled rows come back until this many requests can leave, so that those take little memory. */
    private static final int ENOUGH_READY = 16;
    /** What was seen before counts half as much after this many rows. */
    private static final int MEMORY_MASK = (1 << 16) - 1;
    /** Bytes in front of a row in a group: its length and its position. */
    private static final int ROW_HEADER = 12;

    private static final int MAX_KEPT_BYTES = Bytes.MAX_KEPT_BYTES;

    /** Rows that wait together. */
    private static final class Group {
        long hash;
        long token;
        int keyLength;
        int firstBlock;
        int lastBlock;
        /** Where the next byte goes in the last block's page. */
        int end;

        int rows;
        /** What the rows will take in a request. */
        int bytes;
        /** The shard's clock at the first and the last row. */
        long first;

        long last;
    }

    private final WritePlan plan;
    private final boolean keyIsPrefix;
    private final boolean attachments;
    private final long baseTimestamp;
    private final BatchLimit batchLimit;
    private final int batchRows;
    private final long budget;
    private final Path spillDirectory;
    private final Spill.FileOpener files;
    private final int index;
    private final Consumer<OverdriveException> onFailure;
    private BlockPool pool;
    private final Cursor cursor = new Cursor();

    private Group[] table = new Group[MIN_TABLE_SIZE];
    private int groups;
    private Group[] spare = new Group[64];
    private int spares;
    private int hand;
    /** Where {@link #emitSome} goes on, so that emptying the table looks at each place once. */
    private int leaving;

    private long rowsResident;

    /** Rows seen so far. */
    private long clock;

    /** Groups of one row, the rows that they have waited for a second one in sum, and how often it came. */
    private int singles;

    private double singlesWaited;
    private double secondRows;

    /** Rows, and those of them that came long after the row before them. */
    private long rowsSeen;

    private long lateRows;

    private @Nullable Spill spill;
    private int spillLevel;
    private long rowsSpilled;
    private boolean unspilling;
    /** After a failure nothing more is spilled: the run has failed, and whatever leaves is rejected. */
    private boolean diskFailed;

    /** Whether all rows of a spilled piece are in memory, and leave. */
    private boolean pieceIsWhole;

    /** @param onFailure hears of a failure of the disk; all rows stay here and leave, unless they are on a file that cannot be read */
    Shard(
            WritePlan plan,
            boolean keyIsPrefix,
            boolean attachments,
            long baseTimestamp,
            BatchLimit batchLimit,
            int batchRows,
            long budget,
            Path spillDirectory,
            Spill.FileOpener files,
            int index,
            Consumer<OverdriveException> onFailure) {
        this.plan = plan;
        this.keyIsPrefix = keyIsPrefix;
        this.attachments = attachments;
        this.baseTimestamp = baseTimestamp;
        this.batchLimit = batchLimit;
        this.batchRows = batchRows;
        this.budget = budget;
        this.spillDirectory = spillDirectory;
        this.files = files;
        this.index = index;
        this.onFailure = onFailure;
        this.pool = new BlockPool(budget);
    }

    /**
     * Takes a row; adds to {@code ready} what may leave.
     *
     * @param hash decides where the row is looked up; equal for equal keys
     * @param key bytes {@code keyFrom} to {@code keyTo}: what the rows of a group have in common
     * @param record {@code [int length][long position][the values that are not in the key][attachment]}, to
     *     {@code recordLength}; the attachment has its length in front, or is a length of -1
     */
    void add(
            long hash,
            long token,
            byte[] key,
            int keyFrom,
            int keyTo,
            byte[] record,
            int recordLength,
            List<WriteRequest> ready) {
        if (spill != null && !diskFailed) {
            try {
                spill.add(hash, token, key, keyFrom, keyTo, record, recordLength);
                rowsSpilled++;
                return;
            } catch (OverdriveException e) {
                failed(e); // the row stays in memory
            }
        }
        long now = ++clock;
        rowsSeen++;
        singlesWaited += singles;
        if ((now & MEMORY_MASK) == 0) {
            singlesWaited /= 2;
            secondRows /= 2;
            rowsSeen /= 2;
            lateRows /= 2;
        }
        int at = slot(hash, key, keyFrom, keyTo);
        Group g = table[at];
        if (g == null) {
            g = newGroup(hash, token, now);
            table[at] = g;
            startChain(g, keyTo - keyFrom + recordLength);
            append(g, key, keyFrom, keyTo - keyFrom);
            g.keyLength = keyTo - keyFrom;
            singles++;
            if (++groups > table.length / 2) {
                rehash(2 * table.length);
            }
        } else {
            long gap = now - g.last;
            if (g.rows == 1) {
                singles--;
                secondRows++;
            }
            if (gap > rowsResident / 4 && gap > MIN_IDLE) {
                lateRows++;
            }
        }
        append(g, record, 0, recordLength);
        g.rows++;
        g.last = now;
        rowsResident++;
        g.bytes += rowBytes(Bytes.getInt(record, 0), g.keyLength);
        if (g.rows >= batchRows || g.bytes >= batchLimit.bytes()) {
            emit(g, ready);
        }
        if (!unspilling) {
            lookForComplete(ready);
        }
        if (used() > budget) {
            makeRoom(ready);
        }
    }

    /** Bytes of memory that rows hold. */
    long used() {
        return pool.used() + (long) groups * GROUP_BYTES;
    }

    long rowsSpilled() {
        return rowsSpilled;
    }

    /**
     * Lets some of the groups in memory leave, complete or not: a few requests' worth, so that those take little memory.
     *
     * @return whether there are more
     */
    boolean emitSome(List<WriteRequest> ready) {
        while (groups > 0 && ready.size() < ENOUGH_READY) {
            Group g = table[leaving & table.length - 1];
            if (g == null) {
                leaving++;
            } else {
                emit(g, ready); // another group may have moved to this place
            }
        }
        return groups > 0;
    }

    /**
     * Takes rows of the next spilled piece of the token range into memory, where they are grouped, until some requests
     * are ready. At the end of a piece all its groups leave: its rows are all there, and only then, as their gaps in the
     * piece say nothing.
     *
     * @return false where nothing is spilled any more
     */
    boolean unspill(List<WriteRequest> ready) {
        if (pieceIsWhole) {
            pieceIsWhole = emitSome(ready);
            return true;
        }
        Spill from = spill;
        if (from == null) {
            return false;
        }
        // A piece that is too large for the memory is spilled again, by the next bits of the token.
        spill = null;
        spillLevel = from.level() + 1;
        unspilling = true;
        long before = rowsSpilled;
        boolean pieceEnds;
        try {
            pieceEnds = from.readPiece((hash, token, bytes, keyTo, recordTo) -> {
                byte[] record = recordOf(bytes, keyTo, recordTo);
                add(hash, token, bytes, 0, keyTo, record, recordTo - keyTo, ready);
                return spill != null || ready.size() < ENOUGH_READY;
            });
        } catch (OverdriveException e) {
            failed(e); // the rest of this piece is lost, the others are not
            pieceEnds = true;
        }
        rowsSpilled = before;
        unspilling = false;
        pieceIsWhole = pieceEnds && groups > 0;
        if (spill != null) {
            spill.then(from);
        } else {
            spill = from.isEmpty() ? from.close() : from;
        }
        spillLevel = spill == null ? 0 : spill.level();
        return true;
    }

    private byte[] record = new byte[256];

    private byte[] recordOf(byte[] bytes, int from, int to) {
        int length = to - from;
        byte[] copy = length > MAX_KEPT_BYTES ? new byte[length] : record;
        if (copy.length < length) {
            copy = new byte[2 * length];
            record = copy;
        }
        System.arraycopy(bytes, from, copy, 0, length);
        return copy;
    }

    // ---- complete groups

    /** Looks at two places of the table for a row that comes, so that the whole table is seen again and again. */
    private void lookForComplete(List<WriteRequest> ready) {
        int mask = table.length - 1;
        for (int i = 0; i < 2; i++) {
            hand = (hand + 1) & mask;
            Group g = table[hand];
            if (g != null && clock - g.last > MIN_IDLE && looksComplete(g)) {
                emit(g, ready);
                return;
            }
        }
    }

    private boolean looksComplete(Group g) {
        long idle = clock - g.last;
        if (g.rows == 1) {
            // The mean wait for a second row, from those that still wait, too: total waiting time over arrivals.
            return idle > 64 * singlesWaited / secondRows;
        }
        // Few rows say little about the gap, so that more patience is needed.
        double gap = (double) (g.last - g.first) / (g.rows - 1);
        return idle > gap * (8 + 32.0 / (g.rows - 1));
    }

    // ---- memory

    private void makeRoom(List<WriteRequest> ready) {
        long target = budget - budget / 8;
        emitFullest(target, ready);
        if (used() <= target) {
            return;
        }
        boolean farApart = unspilling || (lateRows >= LATE_LEAST && lateRows > rowsSeen / LATE_SHARE);
        if (farApart && spillLevel <= Spill.DEEPEST && !diskFailed) {
            spillAll();
        }
        if (used() > target) {
            leaveOldest(ready);
        }
    }

    /** The groups with the most rows, but only those worth a request. */
    private void emitFullest(long target, List<WriteRequest> ready) {
        List<Group> worth = new ArrayList<>();
        for (Group g : table) {
            if (g != null && (g.rows >= WORTH_ROWS || g.bytes >= WORTH_BYTES)) {
                worth.add(g);
            }
        }
        worth.sort((a, b) -> Integer.compare(b.bytes, a.bytes));
        for (Group g : worth) {
            if (used() <= target) {
                return;
            }
            emit(g, ready);
        }
    }

    /** The groups that have been idle for longer than half of the longest time. */
    private void leaveOldest(List<WriteRequest> ready) {
        long oldest = clock;
        List<Group> all = residents();
        for (Group g : all) {
            oldest = Math.min(oldest, g.last);
        }
        long middle = oldest + (clock - oldest) / 2;
        for (Group g : all) {
            if (g.last <= middle) {
                emit(g, ready);
            }
        }
    }

    private void spillAll() {
        Spill to = new Spill(spillDirectory, files, index, spillLevel);
        try {
            spillAll(to);
        } catch (OverdriveException e) {
            failed(e); // groups that are not on disk stay in memory
        }
        spill = to;
        singlesWaited = 0;
        secondRows = 0;
    }

    private void failed(OverdriveException e) {
        diskFailed = true;
        onFailure.accept(e);
    }

    private void spillAll(Spill to) {
        for (Group g : residents()) {
            byte[] bytes = new byte[g.keyLength];
            cursor.start(g);
            cursor.read(bytes, 0, g.keyLength);
            long before = to.length(g.hash);
            try {
                for (int i = 0; i < g.rows; i++) {
                    int length = cursor.readRecord();
                    to.add(g.hash, g.token, bytes, 0, g.keyLength, cursor.record, length);
                }
            } catch (OverdriveException e) {
                to.truncate(g.hash, before); // no row is both on disk and in memory
                throw e;
            }
            rowsSpilled += g.rows;
            remove(g);
        }
    }

    /** Drops all rows, and deletes the spill files. */
    void abandon() {
        pool = new BlockPool(budget);
        table = new Group[MIN_TABLE_SIZE];
        groups = 0;
        singles = 0;
        rowsResident = 0;
        pieceIsWhole = false;
        Spill dropped = spill;
        spill = null;
        if (dropped != null) {
            dropped.abandon();
        }
    }

    // ---- requests

    private int rowBytes(int values, int keyLength) {
        return plan.batchRowHeader.length + (keyIsPrefix ? keyLength : 0) + values + (plan.pinsTimestamp ? 12 : 0);
    }

    private void emit(Group g, List<WriteRequest> ready) {
        ready.add(g.rows == 1 ? execute(g) : batch(g));
        remove(g);
    }

    private WriteRequest execute(Group g) {
        byte[] body = new byte[plan.executeOverhead() + g.bytes - plan.batchRowHeader.length];
        int at = plan.beginExecute(body);
        cursor.start(g);
        int prefix = keyPrefix(g, body, at);
        at += prefix;
        long[] positions = new long[1];
        byte[] @Nullable [] attached = attachments ? new byte[1][] : null;
        at = row(body, at, 0, positions, attached);
        plan.endExecute(body, at, plan.writeTime(baseTimestamp, positions[0]));
        return new WriteRequest(ProtocolConstants.Opcode.EXECUTE, body, g.token, positions, attached);
    }

    private WriteRequest batch(Group g) {
        byte[] body = new byte[plan.batchOverhead() + g.bytes];
        int at = plan.beginBatch(body, g.rows);
        cursor.start(g);
        byte[] header = plan.batchRowHeader;
        long[] positions = new long[g.rows];
        byte[] @Nullable [] attached = attachments ? new byte[g.rows][] : null;
        int keyAt = at + header.length;
        int prefix = keyPrefix(g, body, keyAt);
        for (int i = 0; i < g.rows; i++) {
            System.arraycopy(header, 0, body, at, header.length);
            at += header.length;
            if (i > 0) {
                System.arraycopy(body, keyAt, body, at, prefix);
            }
            at = row(body, at + prefix, i, positions, attached);
        }
        plan.endBatch(body, at, plan.writeTime(baseTimestamp, positions[g.rows - 1]));
        return new WriteRequest(ProtocolConstants.Opcode.BATCH, body, g.token, positions, attached);
    }

    /** Reads the key, and puts it at {@code at} where it is part of each row. */
    private int keyPrefix(Group g, byte[] body, int at) {
        if (keyIsPrefix) {
            cursor.read(body, at, g.keyLength);
            return g.keyLength;
        }
        cursor.skip(g.keyLength);
        return 0;
    }

    private int row(byte[] body, int at, int row, long[] positions, byte @Nullable [] @Nullable [] attached) {
        int length = cursor.readInt();
        long position = cursor.readLong();
        positions[row] = position;
        cursor.read(body, at, length);
        at += length;
        if (plan.pinsTimestamp) {
            Bytes.setInt(body, at, 8);
            Bytes.setLong(body, at + 4, plan.writeTime(baseTimestamp, position));
            at += 12;
        }
        if (attached != null) {
            int count = cursor.readInt();
            if (count >= 0) {
                byte[] bytes = new byte[count];
                cursor.read(bytes, 0, count);
                attached[row] = bytes;
            }
        }
        return at;
    }

    // ---- chains of blocks

    private void startChain(Group g, int expected) {
        g.firstBlock = pool.allocate(BlockPool.classFor(expected));
        g.lastBlock = g.firstBlock;
        g.end = pool.payload(g.firstBlock);
    }

    private void append(Group g, byte[] source, int from, int count) {
        while (true) {
            int room = Math.min(count, pool.end(g.lastBlock) - g.end);
            System.arraycopy(source, from, pool.page(g.lastBlock), g.end, room);
            g.end += room;
            from += room;
            count -= room;
            if (count == 0) {
                return;
            }
            int wanted = Math.max(BlockPool.classFor(count), pool.sizeClass(g.lastBlock) + 1);
            int block = pool.allocate(Math.min(BlockPool.CLASSES - 1, wanted));
            pool.setNext(g.lastBlock, block);
            g.lastBlock = block;
            g.end = pool.payload(block);
        }
    }

    /** Reads a chain from its start. */
    private final class Cursor {
        private final byte[] number = new byte[8];
        private byte[] record = new byte[256];
        private int block;
        private int at;

        void start(Group g) {
            if (record.length > MAX_KEPT_BYTES) {
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

    // ---- the table: open addressing, linear probing

    private int slot(long hash, byte[] key, int from, int to) {
        int mask = table.length - 1;
        int i = (int) spread(hash) & mask;
        for (Group g = table[i]; g != null; g = table[i]) {
            if (g.hash == hash && g.keyLength == to - from && sameKey(g, key, from, to)) {
                break;
            }
            i = (i + 1) & mask;
        }
        return i;
    }

    private boolean sameKey(Group g, byte[] key, int from, int to) {
        int block = g.firstBlock;
        while (true) {
            int at = pool.payload(block);
            int available = Math.min(to - from, pool.end(block) - at);
            if (!Arrays.equals(pool.page(block), at, at + available, key, from, from + available)) {
                return false;
            }
            from += available;
            if (from == to) {
                return true;
            }
            block = pool.next(block);
        }
    }

    /** The shard and the spilled piece are chosen by the high bits of the hash, so that those are all alike here. */
    private static long spread(long hash) {
        return hash * 0x9E3779B97F4A7C15L >>> 32;
    }

    private Group newGroup(long hash, long token, long now) {
        Group g = spares > 0 ? spare[--spares] : new Group();
        g.hash = hash;
        g.token = token;
        g.rows = 0;
        g.bytes = 0;
        g.first = now;
        return g;
    }

    private void remove(Group g) {
        int mask = table.length - 1;
        int i = (int) spread(g.hash) & mask;
        while (table[i] != g) {
            i = (i + 1) & mask;
        }
        // Close the gap: move back every following group that would not be found any more.
        int gap = i;
        for (int j = (i + 1) & mask; table[j] != null; j = (j + 1) & mask) {
            int home = (int) spread(table[j].hash) & mask;
            if (((j - home) & mask) >= ((j - gap) & mask)) {
                table[gap] = table[j];
                gap = j;
            }
        }
        table[gap] = null;
        groups--;
        rowsResident -= g.rows;
        if (g.rows == 1) {
            singles--;
        }
        pool.free(g.firstBlock);
        if (spares < spare.length) {
            spare[spares++] = g;
        }
        if (table.length > MIN_TABLE_SIZE && groups < table.length / 16) {
            rehash(table.length / 4);
        }
    }

    private void rehash(int newLength) {
        Group[] old = table;
        table = new Group[Math.max(MIN_TABLE_SIZE, newLength)];
        int mask = table.length - 1;
        for (Group g : old) {
            if (g != null) {
                int i = (int) spread(g.hash) & mask;
                while (table[i] != null) {
                    i = (i + 1) & mask;
                }
                table[i] = g;
            }
        }
    }

    private List<Group> residents() {
        List<Group> all = new ArrayList<>(groups);
        for (Group g : table) {
            if (g != null) {
                all.add(g);
            }
        }
        return all;
    }
}
