package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.RowCallback;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.WaitTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Groups the rows of a part of the token range by partition: {@link GroupTable} has the groups, and {@link GroupRequests} makes requests of
 * them. Guarded by itself: callers synchronize on the shard. On the hot path (write step 3).
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
 */
final class Shard {
    /** Heap of a row's callback: a future, and its place in the group. */
    private static final int CALLBACK_BYTES = 48;

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

    private final GroupRequests.Form form;
    private final BatchLimit batchLimit;
    private int batchRows;
    private final long budget;
    private final Spill.Place spillPlace;
    private final Consumer<OverdriveException> onFailure;
    /** Time of threads that read or write spilled rows, or wait for one that does; used without the lock, too. */
    final WaitTime disk = new WaitTime();

    private GroupTable table;
    private GroupCursor cursor;
    private GroupRequests requests;

    /** The place that {@link #emitComplete} looked at last. */
    private int hand;
    /** The place where {@link #emitSome} continues, so that emptying the table looks at each place once. */
    private int emitted;
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
            GroupRequests.Form form,
            BatchLimit batchLimit,
            int batchRows,
            long budget,
            Spill.Place spillPlace,
            Consumer<OverdriveException> onFailure) {
        this.form = form;
        this.batchLimit = batchLimit;
        this.batchRows = batchRows;
        this.budget = budget;
        this.spillPlace = spillPlace;
        this.onFailure = onFailure;
        this.table = new GroupTable(budget);
        this.cursor = new GroupCursor(table.pool(), form.attachments());
        this.requests = new GroupRequests(form, cursor);
    }

    /**
     * Adds a row, and adds requests that can be sent to {@code ready}.
     *
     * @param hash equal for equal keys; chooses the place in the table, and the piece on disk
     * @param key the key of the group, up to {@code keyLength}
     * @param record {@code [int length][long position][values that are not in the key][attachment]}, up to {@code recordLength}; the
     *     attachment is preceded by its length, or is a length of -1
     * @param callback null if the caller does not ask when the row ends; otherwise the row is not spilled, and the shard spills no more rows
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
        long now = tickClock();
        int place = table.slot(hash, key, keyLength);
        RowGroup g = table.at(place);
        if (g == null) {
            g = table.add(place, hash, token, key, keyLength, recordLength, now);
            singles++;
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
        table.append(g, record, recordLength);
        if (callback != null) {
            g.add(callback);
            callbacks++;
            staysInMemory = true;
        }
        g.rows++;
        g.last = now;
        rowsResident++;
        g.bytes += requests.rowBytes(Bytes.getInt(record, 0), keyLength);
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

    /** Moves the clock on to the next row, and returns it. */
    private long tickClock() {
        long now = ++clock;
        rowsSeen++;
        singlesWaited += singles;
        if ((now & DECAY_MASK) == 0) {
            singlesWaited /= 2;
            secondRows /= 2;
            rowsSeen /= 2;
            lateRows /= 2;
        }
        return now;
    }

    /** Stops to spill: if memory is short, groups are emitted instead. */
    void stayInMemory() {
        staysInMemory = true;
    }

    /** Bytes of memory in use. */
    long used() {
        return table.used() + (long) callbacks * CALLBACK_BYTES;
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
        while (table.size() > 0 && ready.size() < ENOUGH_READY) {
            RowGroup g = table.at(emitted & table.places() - 1);
            if (g == null) {
                emitted++;
            } else {
                emit(g, ready); // another group may have moved to this place
            }
        }
        return table.size() > 0;
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
        return table.size() > 0;
    }

    /** Says that time has passed: groups that were there at the last tick have aged. */
    void tick() {
        tickBefore = lastTick;
        lastTick = clock;
        table.walk = 0;
    }

    /**
     * As {@link #emitSome}, but only groups that have aged. One that moves in the table meanwhile, as another was removed,
     * may stay until the next tick.
     *
     * @return whether there may be more
     */
    boolean emitAged(List<WriteRequest> ready) {
        while (table.size() > 0 && table.walk < table.places() && ready.size() < ENOUGH_READY) {
            RowGroup g = table.at(table.walk);
            if (g == null || g.first > tickBefore) {
                table.walk++;
            } else {
                emit(g, ready); // another group may have moved to this place
            }
        }
        return table.size() > 0 && table.walk < table.places();
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
        pieceIsWhole = pieceEnds && table.size() > 0;
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
        byte[] copy = length > Bytes.MAX_KEPT_BYTES ? new byte[length] : record;
        if (copy.length < length) {
            copy = new byte[2 * length];
            record = copy;
        }
        System.arraycopy(bytes, from, copy, 0, length);
        return copy;
    }

    /** Checks two places of the table for each row added, so that it cycles through the table. */
    private void emitComplete(List<WriteRequest> ready) {
        int mask = table.places() - 1;
        for (int i = 0; i < 2; i++) {
            hand = (hand + 1) & mask;
            RowGroup g = table.at(hand);
            if (g != null && clock - g.last > MIN_IDLE && looksComplete(g)) {
                emit(g, ready);
                return;
            }
        }
    }

    private boolean looksComplete(RowGroup g) {
        long idle = clock - g.last;
        if (g.rows == 1) {
            return idle > SINGLE_WAITS * singlesWaited / secondRows;
        }
        double gap = (double) (g.last - g.first) / (g.rows - 1);
        return idle > gap * (COMPLETE_GAPS + FEW_ROWS_GAPS / (g.rows - 1));
    }

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
        List<RowGroup> worth = new ArrayList<>();
        for (RowGroup g : table.residents()) {
            if (g.rows >= WORTH_ROWS || g.bytes >= WORTH_BYTES) {
                worth.add(g);
            }
        }
        worth.sort((a, b) -> Integer.compare(b.bytes, a.bytes));
        for (RowGroup g : worth) {
            if (used() <= target) {
                return;
            }
            emit(g, ready);
        }
    }

    /** Emits the groups that have been idle for at least half as long as the group that has been idle longest. */
    private void emitIdle(List<WriteRequest> ready) {
        long oldest = clock;
        List<RowGroup> all = table.residents();
        for (RowGroup g : all) {
            oldest = Math.min(oldest, g.last);
        }
        long middle = oldest + (clock - oldest) / 2;
        for (RowGroup g : all) {
            if (g.last <= middle) {
                emit(g, ready);
            }
        }
    }

    private void spillAll() {
        Spill to = new Spill(spillPlace, spillLevel, disk);
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
        for (RowGroup g : table.residents()) {
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
        table = new GroupTable(budget);
        cursor = new GroupCursor(table.pool(), form.attachments());
        requests = new GroupRequests(form, cursor);
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

    private void emit(RowGroup g, List<WriteRequest> ready) {
        callbacks -= g.callbackCount();
        ready.add(requests.of(g));
        remove(g);
    }

    private void remove(RowGroup g) {
        rowsResident -= g.rows;
        if (g.rows == 1) {
            singles--;
        }
        table.remove(g);
    }
}
