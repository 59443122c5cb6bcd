package io.overdrive.jobs.diff;

import io.overdrive.RowCursor;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.CellConverter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Compares the times of cells that have the same value: write times exactly; times to live, which shrink while tables are read, within a
 * tolerance. Immutable; on the hot path.
 */
final class TimeComparison {
    private static final int NONE = -1;

    /** The columns with the write times of columns, which the times to live follow. */
    private final int[] timeColumns;

    private final boolean[] areElements;
    private final long toleranceSeconds;

    /** @param columns of both tables, the primary key first */
    TimeComparison(List<Column> columns, Duration ttlTolerance) {
        int count = columns.size();
        int keys = (int) columns.stream().filter(Column::isKey).count();
        timeColumns = new int[count];
        areElements = new boolean[count];
        for (int i = 0; i < count; i++) {
            timeColumns[i] = i < keys ? NONE : count + 2 * (i - keys);
            areElements[i] = CellConverter.isMultiCell(columns.get(i).type());
        }
        toleranceSeconds = ttlTolerance.toSeconds();
    }

    boolean isSame(RowCursor a, RowCursor b, int column) {
        int writeTime = timeColumns[column];
        if (writeTime == NONE) {
            return true;
        }
        int timeToLive = writeTime + 1;
        return isSameBytes(a, b, writeTime)
                && (a.isNull(timeToLive) && b.isNull(timeToLive)
                        || (areElements[column] ? areNear(a, b, timeToLive) : isNear(a, b, timeToLive)));
    }

    private static boolean isSameBytes(RowCursor a, RowCursor b, int column) {
        return a.length(column) == b.length(column)
                && (a.isNull(column)
                        || Arrays.equals(
                                a.array(),
                                a.offset(column),
                                a.offset(column) + a.length(column),
                                b.array(),
                                b.offset(column),
                                b.offset(column) + b.length(column)));
    }

    private boolean isNear(RowCursor a, RowCursor b, int column) {
        return !a.isNull(column)
                && !b.isNull(column)
                && isNear(a.arrivedSeconds() + a.getInt(column), b.arrivedSeconds() + b.getInt(column));
    }

    /** Compares expiries, as one row may have waited for the other since it arrived. */
    private boolean isNear(long a, long b) {
        return Math.abs(a - b) <= toleranceSeconds;
    }

    /** The same for lists with the time to live of each element, null if it does not expire. */
    private boolean areNear(RowCursor a, RowCursor b, int column) {
        if (a.length(column) < Integer.BYTES || a.length(column) != b.length(column)) {
            return false;
        }
        int from = a.offset(column);
        int other = b.offset(column);
        int count = Bytes.getInt(a.array(), from);
        if (count != Bytes.getInt(b.array(), other)) {
            return false;
        }
        for (int n = 0, at = Integer.BYTES; n < count; n++) {
            int length = Bytes.getInt(a.array(), from + at);
            if (length != Bytes.getInt(b.array(), other + at)) {
                return false;
            }
            at += Integer.BYTES;
            if (length == Integer.BYTES) {
                if (!isNear(
                        a.arrivedSeconds() + Bytes.getInt(a.array(), from + at),
                        b.arrivedSeconds() + Bytes.getInt(b.array(), other + at))) {
                    return false;
                }
                at += Integer.BYTES;
            }
        }
        return true;
    }
}
