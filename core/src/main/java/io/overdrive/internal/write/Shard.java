package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.ProtocolConstants;
import io.overdrive.OverdriveException;
import io.overdrive.RowCallback;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.WaitTime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups the rows of a part of the token range by partition. Guarded by itself: callers synchronize on the shard. On the hot
 * path (write step 3).
 *
 * <p>Time is counted in rows added to the shard ("the clock"), so that the rules are the same at any speed. A group is emitted
 * as a request
 *
 * <ul>
 *   <li><b>when it is full</b>: {@code bytes >= batchBytes} or {@code rows >= batchRows}, or less if the server takes less;
 *   <li><b>when it looks complete</b>, that is, if no row has come for more than 64 rows and
 *       <pre>{@code
 * idle > gap * (8 + 32 / (rows - 1))        gap = (last - first) / (rows - 1), for groups of 2 or more rows
 * idle > 64 * singlesWaited / secondRows    for groups of one row
 *       }</pre>
 *       The first rule waits for 8 mean gaps between the group's rows; and for up to 32 more if there are few rows, as these
 *       say little about the gap. A group of one row has no gap, so the second rule takes the mean wait for a second row over
 *       all groups: the time that all groups of one row have waited, over the number of second rows. The ones still waiting
 *       count, too, or partitions of a single row would never look complete. Rows in order thus have small gaps, keep the
 *       cluster busy from the start and need little memory; rows out of order have large gaps and wait;
 *   <li><b>when memory is short</b> ({@code used > budget}), until an eighth of the budget is free: the fullest groups first,
 *       if they are worth a request (16 rows or 8 KiB). If that is not enough and rows of a partition are far apart, that is
 *       <pre>{@code
 * lateRows >= 32 and lateRows > rowsSeen / 1000    late: gap > max(64, rows in memory / 4)
 *       }</pre>
 *       then all rows go to local disk ({@link Spill}), to be grouped piece by piece at the end: waiting in memory would not
 *       complete their groups. Otherwise partitions are small, and the groups that have been idle longest are emitted;
 *   <li><b>when its first row has waited long enough</b>, if the writer lingers: {@link Lingering} calls {@link #tick} from
 *       time to time, and groups that were there at the last tick but one are emitted. No time is kept for a group: the
 *       clock at a tick divides the older ones from the newer. Such a shard never spills, as rows on disk would wait until
 *       the end.
 * </ul>
 *
 * <p>Longer than other classes on purpose: groups, their blocks and the three rules share one state under one lock.
 */
final class Shard {
    /** Heap of a group in addition to its blocks: the object and its place in the table. */
    private static final int GROUP_BYTES = 112;
    /** Heap of a row's callback: a future, and its place in the group. */
    private static final int CALLBACK_BYTES = 48;

    private static final int MIN_TABLE_SIZE = 256;
    /** A group of this many rows, or bytes, is worth a request: larger ones lower the server's cost per row only slowly. */
    private static final int WORTH_ROWS = 16;

    private static final int WORTH_BYTES = 8 << 10;
    /** Rows of a partition are far apart if more than one row in this many is late. */
    private static final int ROWS_PER_LATE_ROW = 1000;

    private static final int MIN_LATE_ROWS = 32;
    private static final int MIN_IDLE = 64;
    private static final int COMPLETE_GAPS = 8;
    private static final double FEW_ROWS_GAPS = 32;
    private static final int SINGLE_WAITS = 64;
    /** Rows are emitted or read back until this many requests are ready, so that these take little memory. */
    private static final int ENOUGH_READY = 16;
    /** Statistics are halved every 65,536 rows, so that they follow changes of the input. */
    private static final int DECAY_MASK = (1 << 16) - 1;
    /** Bytes before the values of a row in a group: its length and its position. */
    private static final int ROW_HEADER = 12;

    private static final int MAX_KEPT_BYTES = Bytes.MAX_KEPT_BYTES;

    /** Rows of one partition that wait in memory. */
    private static final class Group {
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
        @Nullable RowCallback @Nullable [] callbacks;
    }

    private final WriteLayout layout;
    private final boolean keyIsPrefix;
    private final boolean attachments;
    private final long baseTimestamp;
    private final BatchLimit batchLimit;
    private int batchRows;
    private final long budget;
    private final Path spillDirectory;
    private final Spill.FileOpener files;
    private final int index;
    private final Consumer<OverdriveException> onFailure;
    /** Time of threads that read or write spilled rows, or wait for one that does; used without the lock, too. */
    final WaitTime disk = new WaitTime();

    private BlockPool pool;
    private final Cursor cursor = new Cursor();

    private Group[] table = new Group[MIN_TABLE_SIZE];
    private int groups;
    private Group[] spare = new Group[64];
    private int spares;
    /** The place that {@link #emitComplete} looked at last. */
    private int hand;
    /** The place where {@link #emitSome} continues, so that emptying the table looks at each place once. */
    private int emitted;
    /** The place where {@link #emitAged} continues. */
    private int aged;

    /** The clock at the last tick. */
    private long lastTick;

    /** The clock at the tick before that one. */
    private long tickBefore;

    private long rowsResident;

    /** Rows in memory with a callback. */
    private int callbacks;

    /** Rows added until now. */
    private long clock;

    /** Groups of one row. */
    private int singles;

    /** Total time that groups of one row have waited for a second row; decays. */
    private double singlesWaited;

    /** Second rows of groups; decays. */
    private double secondRows;

    /** Rows added; decays. */
    private long rowsSeen;

    /** Rows that came long after the row before them in their group; decays. */
    private long lateRows;

    private @Nullable Spill spill;
    private int spillLevel;
    private long rowsSpilled;
    private long bytesSpilled;
    private boolean unspilling;
    private boolean staysInMemory;
    /** Whether the disk has failed. No more rows are spilled then: the run has failed, and emitted rows are dropped. */
    private boolean diskFailed;

    /** Whether all rows of a spilled piece are in memory and are being emitted. */
    private boolean pieceIsWhole;

    /**
     * @param onFailure is notified of a failure of the disk; rows that could not be spilled stay in memory and are emitted, and
     *     only those in a file that cannot be read are lost
     */
    Shard(
            WriteLayout layout,
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
        this.layout = layout;
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
     * Adds a row, and adds requests that can be sent to {@code ready}.
     *
     * @param hash equal for equal keys; chooses the place in the table, and the piece on disk
     * @param key the key of the group, up to {@code keyLength}
     * @param record {@code [int length][long position][values that are not in the key][attachment]}, up to
     *     {@code recordLength}; the attachment is preceded by its length, or is a length of -1
     * @param callback null if the caller does not ask when the row ends; otherwise the shard spills no more rows
     */
    void add(
            long hash,
            long token,
            byte[] key,
            int keyLength,
            byte[] record,
            int recordLength,
            @Nullable RowCallback callback,
            List<WriteRequest> ready) {
        if (spill != null && !diskFailed && callback == null) {
            try {
                spill.add(hash, token, key, keyLength, record, recordLength);
                rowsSpilled++;
                bytesSpilled += keyLength + recordLength;
                return;
            } catch (OverdriveException e) {
                failed(e); // the row stays in memory
            }
        }
        long now = ++clock;
        rowsSeen++;
        singlesWaited += singles;
        if ((now & DECAY_MASK) == 0) {
            singlesWaited /= 2;
            secondRows /= 2;
            rowsSeen /= 2;
            lateRows /= 2;
        }
        int at = slot(hash, key, keyLength);
        Group g = table[at];
        if (g == null) {
            g = newGroup(hash, token, now);
            table[at] = g;
            startChain(g, keyLength + recordLength);
            append(g, key, keyLength);
            g.keyLength = keyLength;
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
        append(g, record, recordLength);
        if (callback != null) {
            setCallback(g, callback);
        }
        g.rows++;
        g.last = now;
        rowsResident++;
        g.bytes += rowBytes(Bytes.getInt(record, 0), g.keyLength);
        if (g.rows >= Math.min(batchRows, batchLimit.rows()) || g.bytes >= batchLimit.bytes()) {
            emit(g, ready);
        }
        if (!unspilling) {
            emitComplete(ready);
        }
        if (used() > budget) {
            makeRoom(ready);
        }
    }

    /** Sets the callback of the row that is being added. */
    private void setCallback(Group g, RowCallback callback) {
        @Nullable RowCallback[] all = g.callbacks;
        if (all == null) {
            all = new RowCallback[Math.max(4, g.rows + 1)];
            g.callbacks = all;
        } else if (all.length <= g.rows) {
            all = Arrays.copyOf(all, 2 * g.rows);
            g.callbacks = all;
        }
        all[g.rows] = callback;
        callbacks++;
        staysInMemory = true;
    }

    /** Stops to spill: if memory is short, groups are emitted instead. */
    void stayInMemory() {
        staysInMemory = true;
    }

    /** Bytes of memory in use. */
    long used() {
        return pool.used() + (long) groups * GROUP_BYTES + (long) callbacks * CALLBACK_BYTES;
    }

    long rowsSpilled() {
        return rowsSpilled;
    }

    long bytesSpilled() {
        return bytesSpilled;
    }

    /**
     * Emits some of the groups in memory, complete or not: at most 16, so that requests take little memory.
     *
     * @return whether there are more
     */
    boolean emitSome(List<WriteRequest> ready) {
        while (groups > 0 && ready.size() < ENOUGH_READY) {
            Group g = table[emitted & table.length - 1];
            if (g == null) {
                emitted++;
            } else {
                emit(g, ready); // another group may have moved to this place
            }
        }
        return groups > 0;
    }

    /** As {@link #emitSome}, while there are rows with a callback. */
    boolean emitCallbacks(List<WriteRequest> ready) {
        return callbacks > 0 && emitSome(ready) && callbacks > 0;
    }

    /** Starts to emit each row when it comes. */
    void emitAtOnce() {
        batchRows = 0;
    }

    /** Whether rows wait in memory. */
    boolean holdsRows() {
        return groups > 0;
    }

    /** Says that time has passed: groups that were there at the last tick have aged. */
    void tick() {
        tickBefore = lastTick;
        lastTick = clock;
        aged = 0;
    }

    /**
     * As {@link #emitSome}, but only groups that have aged. One that moves in the table meanwhile, as another was removed,
     * may stay until the next tick.
     *
     * @return whether there may be more
     */
    boolean emitAged(List<WriteRequest> ready) {
        while (groups > 0 && aged < table.length && ready.size() < ENOUGH_READY) {
            Group g = table[aged];
            if (g == null || g.first > tickBefore) {
                aged++;
            } else {
                emit(g, ready); // another group may have moved to this place
            }
        }
        return groups > 0 && aged < table.length;
    }

    /**
     * Reads rows of the next spilled piece back into memory, where they are grouped, until some requests are ready. At the end
     * of a piece all its groups are emitted, as they are then complete; before that only full ones, as gaps between spilled rows
     * say nothing.
     *
     * @return false if nothing is spilled any more
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
        // A piece that does not fit in memory is spilled again, by the next bits of the hash.
        spill = null;
        spillLevel = from.level() + 1;
        unspilling = true;
        long rowsBefore = rowsSpilled;
        long bytesBefore = bytesSpilled;
        boolean pieceEnds;
        try {
            pieceEnds = from.readPiece((hash, token, bytes, keyLength, recordTo) -> {
                byte[] record = recordOf(bytes, keyLength, recordTo);
                add(hash, token, bytes, keyLength, record, recordTo - keyLength, /* callback */ null, ready);
                return spill != null || ready.size() < ENOUGH_READY;
            });
        } catch (OverdriveException e) {
            failed(e); // the rest of this piece is lost, other pieces are not
            pieceEnds = true;
        }
        rowsSpilled = rowsBefore;
        bytesSpilled = bytesBefore;
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

    /** Checks two places of the table for each row added, so that it cycles through the table. */
    private void emitComplete(List<WriteRequest> ready) {
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
            return idle > SINGLE_WAITS * singlesWaited / secondRows;
        }
        double gap = (double) (g.last - g.first) / (g.rows - 1);
        return idle > gap * (COMPLETE_GAPS + FEW_ROWS_GAPS / (g.rows - 1));
    }

    // ---- memory

    private void makeRoom(List<WriteRequest> ready) {
        long target = budget - budget / 8;
        emitFullest(target, ready);
        if (used() <= target) {
            return;
        }
        boolean farApart = unspilling || (lateRows >= MIN_LATE_ROWS && lateRows > rowsSeen / ROWS_PER_LATE_ROW);
        if (farApart && !staysInMemory && spillLevel <= Spill.MAX_LEVEL && !diskFailed) {
            spillAll();
        }
        if (used() > target) {
            emitIdle(ready);
        }
    }

    /** Emits the groups with the most bytes, but only those worth a request. */
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

    /** Emits the groups that have been idle for at least half as long as the group that has been idle longest. */
    private void emitIdle(List<WriteRequest> ready) {
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
        Spill to = new Spill(spillDirectory, files, index, spillLevel, disk);
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
            long bytesOfGroup = 0;
            try {
                for (int i = 0; i < g.rows; i++) {
                    int length = cursor.readRecord();
                    bytesOfGroup += g.keyLength + length;
                    to.add(g.hash, g.token, bytes, g.keyLength, cursor.record, length);
                }
            } catch (OverdriveException e) {
                to.truncate(g.hash, before); // no row is both on disk and in memory
                throw e;
            }
            rowsSpilled += g.rows;
            bytesSpilled += bytesOfGroup;
            remove(g);
        }
    }

    /** Drops all rows, and deletes the spill files. */
    void abandon() {
        pool = new BlockPool(budget);
        table = new Group[MIN_TABLE_SIZE];
        groups = 0;
        singles = 0;
        callbacks = 0;
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
        return layout.rowHeader.length + (keyIsPrefix ? keyLength : 0) + values + (layout.pinsTimestamp ? 12 : 0);
    }

    private void emit(Group g, List<WriteRequest> ready) {
        ready.add(g.rows == 1 ? execute(g) : batch(g));
        remove(g);
    }

    private WriteRequest execute(Group g) {
        byte[] body = new byte[layout.executeOverhead() + g.bytes - layout.rowHeader.length];
        int at = layout.beginExecute(body);
        cursor.start(g);
        int prefix = keyPrefix(g, body, at);
        at += prefix;
        long[] positions = new long[1];
        byte[] @Nullable [] attached = attachments ? new byte[1][] : null;
        at = row(body, at, 0, positions, attached);
        layout.endExecute(body, at, layout.writeTime(baseTimestamp, positions[0]));
        return new WriteRequest(ProtocolConstants.Opcode.EXECUTE, body, g.token, positions, attached, takeCallbacks(g));
    }

    private WriteRequest batch(Group g) {
        byte[] body = new byte[layout.batchOverhead() + g.bytes];
        int at = layout.beginBatch(body, g.rows);
        cursor.start(g);
        byte[] header = layout.rowHeader;
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
        layout.endBatch(body, at, layout.writeTime(baseTimestamp, positions[g.rows - 1]));
        return new WriteRequest(ProtocolConstants.Opcode.BATCH, body, g.token, positions, attached, takeCallbacks(g));
    }

    private @Nullable RowCallback @Nullable [] takeCallbacks(Group g) {
        @Nullable RowCallback[] all = g.callbacks;
        if (all == null) {
            return null;
        }
        g.callbacks = null;
        for (RowCallback callback : all) {
            if (callback != null) {
                callbacks--;
            }
        }
        return all.length == g.rows ? all : Arrays.copyOf(all, g.rows);
    }

    /** Reads the key, and puts it at {@code at} if it is part of each row. */
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
        if (layout.pinsTimestamp) {
            Bytes.setInt(body, at, 8);
            Bytes.setLong(body, at + 4, layout.writeTime(baseTimestamp, position));
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

    private void append(Group g, byte[] bytes, int count) {
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

    /** Reads a chain of blocks from its start. */
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

    private int slot(long hash, byte[] key, int keyLength) {
        int mask = table.length - 1;
        int i = (int) spread(hash) & mask;
        for (Group g = table[i]; g != null; g = table[i]) {
            if (g.hash == hash && g.keyLength == keyLength && sameKey(g, key, keyLength)) {
                break;
            }
            i = (i + 1) & mask;
        }
        return i;
    }

    private boolean sameKey(Group g, byte[] key, int keyLength) {
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
        aged = 0;
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
