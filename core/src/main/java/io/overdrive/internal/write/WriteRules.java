package io.overdrive.internal.write;

import com.datastax.oss.protocol.internal.response.result.Rows;
import io.overdrive.Grouping;
import io.overdrive.Repetition;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * How the rows of a statement are grouped, timed and retried. Immutable.
 *
 * @param gathersSingles whether single rows of partitions with the same replicas may share a request if that is faster
 * @param timestamp where the write time of a row goes
 * @param ifNotExists whether a row that exists counts as written
 * @param replacesRows whether each row has its whole primary key in {@link RowMarkers#required}, and replaces an earlier row
 *     that has the same
 * @param isRepeatable whether the same rows with the same write times, written a second time, change nothing
 */
public record WriteRules(
        Grouping grouping,
        boolean gathersSingles,
        Timestamp timestamp,
        RetryRule retry,
        boolean ifNotExists,
        boolean replacesRows,
        boolean isRepeatable,
        boolean isCounter) {

    /** Where the write time of a row goes. */
    enum Timestamp {
        /** Nowhere: the server sets it, or the statement has one for all rows. */
        NONE,
        /** The marker {@link RowMarkers#timestamp} takes it: the row's own, or the one of its position. */
        MARKER,
        /** The last marker takes it when the request is built; rows bring none. */
        LAST_MARKER,
        /** The request takes it, because the statement has no marker for it. */
        REQUEST;

        boolean hasMarker() {
            return this == MARKER || this == LAST_MARKER;
        }
    }

    /** Whether a conditional statement was applied: the first column of its answer. */
    static boolean isApplied(Rows answer) {
        List<ByteBuffer> row = answer.getData().peek();
        ByteBuffer first = row == null || row.isEmpty() ? null : row.get(0);
        return first == null || first.remaining() != 1 || first.get(first.position()) != 0;
    }

    /** The effect of writing rows a second time with the same write times. */
    public Repetition repetition() {
        return !retry.idempotent()
                ? Repetition.CHANGES_ROWS
                : retry.needsNewTime() ? Repetition.NEEDS_LATER_TIMES : Repetition.HARMLESS;
    }

    /** Whether rows are written under a condition. */
    public boolean hasConditions() {
        return retry.conditional();
    }

    /** Whether rows get their write time here, at least those that bring none. */
    public boolean setsWriteTime() {
        return timestamp != Timestamp.NONE;
    }
}
