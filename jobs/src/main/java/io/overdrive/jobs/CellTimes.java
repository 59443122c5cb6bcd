package io.overdrive.jobs;

import io.overdrive.RowCursor;
import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The write times and times to live of the cells of one row, and the groups of cells that have the same times: each group is written as a row.
 * Confined to one thread at a time; on the hot path.
 */
public final class CellTimes {
    private static final long UNKNOWN = -1;
    /** Stands for the write time of the job, for cells without their own. */
    public static final long OF_JOB = Long.MIN_VALUE;

    private final long[] micros;
    private final int[] seconds;
    private final long[] groupMicros;
    private final int[] groupSeconds;
    private int groups;
    /** When the page of the row arrived, in seconds since 1970. */
    private long arrived;
    /** Seconds since then; unknown until the row has a time to live, as most have none. */
    private long age;

    /** The time in seconds since 1970; null if times to live count from when their row arrived. */
    private final @Nullable LongSupplier clock;

    public CellTimes(int cells) {
        this(cells, /* clock */ null);
    }

    /** @param clock as {@link #age} needs it, in seconds since 1970 */
    public CellTimes(int cells, @Nullable LongSupplier clock) {
        this.clock = clock;
        micros = new long[cells];
        Arrays.fill(micros, OF_JOB);
        seconds = new int[cells];
        groupMicros = new long[cells + 1];
        groupSeconds = new int[cells + 1];
    }

    /** The time in seconds since 1970. */
    public static long now() {
        return Math.floorDiv(System.currentTimeMillis(), 1000);
    }

    /** Takes the time that a row has waited since it arrived off the times to live that are read next, if there is a clock. */
    public void age(RowCursor row) {
        arrived = row.arrivedSeconds();
        age = clock == null ? 0 : UNKNOWN;
    }

    /** The cell gets the time of the job. */
    public void clear(int cell) {
        micros[cell] = OF_JOB;
        seconds[cell] = 0;
    }

    /** @param timeToLive in seconds; 0 if the cell does not expire */
    public void set(int cell, long writeTime, int timeToLive) {
        micros[cell] = writeTime;
        seconds[cell] = timeToLive;
    }

    /**
     * Reads the times of a cell that has a value, from a row that is read with its times.
     *
     * @param column with the write time, which the time to live follows
     * @param ofElements whether both are lists, with the times of elements
     * @return whether the cell has a write time, as a collection has not whose elements have several
     */
    public boolean read(int cell, RowCursor row, int column, boolean ofElements) {
        if (ofElements) {
            return readElements(cell, row, column);
        }
        if (row.isNull(column)) {
            return false;
        }
        set(cell, row.getLong(column), secondsOf(row, column + 1));
        return true;
    }

    /**
     * Whether a value was written after a time, or one of its elements was; also if that is not known.
     *
     * @param column with the write time
     * @param ofElements whether that is a list, with the times of elements
     */
    public static boolean isAfter(RowCursor row, int column, boolean ofElements, long micros) {
        return ofElements ? isAnyAfter(row, column, micros) : row.isNull(column) || row.getLong(column) > micros;
    }

    private static boolean isAnyAfter(RowCursor row, int column, long micros) {
        if (row.length(column) < 4) {
            return true;
        }
        byte[] bytes = row.array();
        int at = row.offset(column) + 4;
        boolean isKnown = false;
        for (int left = Bytes.getInt(bytes, at - 4); left > 0; left--) {
            boolean hasTime = Bytes.getInt(bytes, at) == 8;
            if (hasTime && Bytes.getLong(bytes, at + 4) > micros) {
                return true;
            }
            isKnown |= hasTime;
            at += hasTime ? 12 : 4;
        }
        return !isKnown;
    }

    /** A remaining time to live in seconds; 0 if the value does not expire. */
    public int secondsOf(RowCursor row, int column) {
        return row.isNull(column) ? 0 : left(row.getInt(column));
    }

    private int left(int timeToLive) {
        if (age == UNKNOWN && clock != null) {
            age = Math.max(0, clock.getAsLong() - arrived);
        }
        return (int) Math.max(1, timeToLive - age);
    }

    private boolean readElements(int cell, RowCursor row, int column) {
        byte[] bytes = row.array();
        if (row.length(column) < 4 || row.length(column + 1) < 4) {
            return false;
        }
        int count = Bytes.getInt(bytes, row.offset(column));
        if (count != Bytes.getInt(bytes, row.offset(column + 1))) {
            return false;
        }
        int at = row.offset(column) + 4;
        int ttlAt = row.offset(column + 1) + 4;
        boolean found = false;
        for (int n = 0; n < count; n++) {
            boolean hasTime = Bytes.getInt(bytes, at) == 8;
            boolean hasTtl = Bytes.getInt(bytes, ttlAt) == 4;
            long micro = hasTime ? Bytes.getLong(bytes, at + 4) : 0;
            int second = hasTtl ? left(Bytes.getInt(bytes, ttlAt + 4)) : 0;
            at += hasTime ? 12 : 4;
            ttlAt += hasTtl ? 8 : 4;
            if (!hasTime) {
                continue; // a null field of a UDT
            }
            if (found && (micro != micros[cell] || second != seconds[cell])) {
                return false;
            }
            set(cell, micro, second);
            found = true;
        }
        return found;
    }

    public boolean isOfJob(int cell) {
        return micros[cell] == OF_JOB;
    }

    public long writeTime(int cell) {
        return micros[cell];
    }

    /** The time to live in seconds; 0 if the cell does not expire. */
    public int timeToLive(int cell) {
        return seconds[cell];
    }

    /** Begins the groups of a row, of which there are none yet. */
    public void startGroups() {
        groups = 0;
    }

    /** The number of the group of these times, which is added if it is new. */
    public int group(long writeTime, int timeToLive) {
        int group = 0;
        while (group < groups && (groupMicros[group] != writeTime || groupSeconds[group] != timeToLive)) {
            group++;
        }
        if (group == groups) {
            groupMicros[group] = writeTime;
            groupSeconds[group] = timeToLive;
            groups++;
        }
        return group;
    }

    /** The number of the group of the cell's times, which is added if it is new. */
    public int groupOf(int cell) {
        return group(micros[cell], seconds[cell]);
    }

    /** The number of groups. */
    public int groups() {
        return groups;
    }

    public long writeTimeOf(int group) {
        return groupMicros[group];
    }

    public int timeToLiveOf(int group) {
        return groupSeconds[group];
    }
}
