package io.overdrive.sstable.read;

import io.overdrive.sstable.format.Layout;
import java.util.Arrays;

/**
 * One SSTable's version of a row, or of the static row of a partition: its marks and cells, whose bytes stay where they
 * were read, until the next row. Columns are counted as in the {@link Layout} of the table. Confined to one thread; on
 * the hot path.
 */
final class RowCells {
    /** The time of values that are not there. */
    static final long NONE = Long.MIN_VALUE;
    /** The expiry of values that do not expire. */
    static final long NEVER = Long.MAX_VALUE;
    /** The length of a deleted value. */
    static final int DELETED = -1;

    byte[] buffer = {};
    /** Write time of the row marker. */
    long liveTime;

    int liveTtl;
    long liveExpiry;
    /** Everything up to then is deleted in the row. */
    long deleted;

    /** Write times of columns of one cell. Expiries are in seconds since 1970, and deleted cells have them, too. */
    final long[] times;

    final long[] expiries;
    final int[] ttls;
    final int[] starts;
    final int[] lengths;

    /** The latest write time of a live value that does not count, as its column was dropped since. */
    final long[] hiddenTimes;
    /** Latest write time of columns that were dropped from the table. */
    long goneTime;

    /** Deletion times of columns of any number of cells: all cells up to then are deleted. */
    final long[] columnDeleted;

    final int[] firstCell;
    final int[] cellCount;

    private int cells;
    long[] cellTimes = new long[16];
    long[] cellExpiries = new long[16];
    int[] cellTtls = new int[16];
    int[] cellStarts = new int[16];
    int[] cellLengths = new int[16];
    int[] pathStarts = new int[16];
    int[] pathLengths = new int[16];

    RowCells(int columns) {
        times = new long[columns];
        expiries = new long[columns];
        ttls = new int[columns];
        starts = new int[columns];
        lengths = new int[columns];
        hiddenTimes = new long[columns];
        columnDeleted = new long[columns];
        firstCell = new int[columns];
        cellCount = new int[columns];
    }

    /** Starts a row that has nothing. */
    void clear() {
        liveTime = NONE;
        liveTtl = 0;
        liveExpiry = NEVER;
        deleted = NONE;
        cells = 0;
        goneTime = NONE;
        Arrays.fill(times, NONE);
        Arrays.fill(hiddenTimes, NONE);
        Arrays.fill(columnDeleted, NONE);
        Arrays.fill(cellCount, 0);
    }

    /** Adds a cell of a column of several, which come in sequence. @return its number */
    int addCell(int column) {
        if (cells == cellTimes.length) {
            int room = 2 * cells;
            cellTimes = Arrays.copyOf(cellTimes, room);
            cellExpiries = Arrays.copyOf(cellExpiries, room);
            cellTtls = Arrays.copyOf(cellTtls, room);
            cellStarts = Arrays.copyOf(cellStarts, room);
            cellLengths = Arrays.copyOf(cellLengths, room);
            pathStarts = Arrays.copyOf(pathStarts, room);
            pathLengths = Arrays.copyOf(pathLengths, room);
        }
        if (cellCount[column]++ == 0) {
            firstCell[column] = cells;
        }
        return cells++;
    }

    /** Whether the column's cell wins over that of another SSTable. */
    boolean wins(int column, RowCells other) {
        long time = times[column];
        if (time != other.times[column] || time == NONE) {
            return time > other.times[column];
        }
        int tie = tie(
                expiries[column],
                ttls[column],
                lengths[column],
                other.expiries[column],
                other.ttls[column],
                other.lengths[column]);
        return tie == 0
                ? isGreater(starts[column], lengths[column], other, other.starts[column], other.lengths[column])
                : tie > 0;
    }

    /** Whether a cell wins over one of another SSTable with the same path. */
    boolean cellWins(int cell, RowCells other, int otherCell) {
        if (cellTimes[cell] != other.cellTimes[otherCell]) {
            return cellTimes[cell] > other.cellTimes[otherCell];
        }
        int length = cellLengths[cell];
        int otherLength = other.cellLengths[otherCell];
        int tie = tie(
                cellExpiries[cell],
                cellTtls[cell],
                length,
                other.cellExpiries[otherCell],
                other.cellTtls[otherCell],
                otherLength);
        return tie == 0
                ? isGreater(cellStarts[cell], length, other, other.cellStarts[otherCell], otherLength)
                : tie > 0;
    }

    /**
     * The server's rule for cells of one write time: one that is deleted or expires wins over one that stays, a deleted one over one that
     * expires, a later expiry over an earlier one, a lower TTL over a greater one, and then the greater value.
     *
     * @return more than 0 if the cell wins, less if it does not, 0 if that depends on the values
     */
    private static int tie(long expiry, int ttl, int length, long otherExpiry, int otherTtl, int otherLength) {
        if ((expiry != NEVER) != (otherExpiry != NEVER)) {
            return expiry != NEVER ? 1 : -1;
        }
        if ((length == DELETED) != (otherLength == DELETED)) {
            return length == DELETED ? 1 : -1;
        }
        if (length == DELETED) {
            return -1;
        }
        return expiry != otherExpiry ? Long.compare(expiry, otherExpiry) : Integer.compare(otherTtl, ttl);
    }

    private boolean isGreater(int start, int length, RowCells other, int otherStart, int otherLength) {
        return Arrays.compareUnsigned(buffer, start, start + length, other.buffer, otherStart, otherStart + otherLength)
                > 0;
    }
}
