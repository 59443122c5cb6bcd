package io.overdrive.files.diff;

import io.overdrive.ScanTotals;
import io.overdrive.files.Summary;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How far a comparison is, or how it ended. Immutable.
 *
 * @param rowsLeft rows of the left table
 * @param rowsRight rows of the right table
 * @param rowsSame rows that are the same on both sides
 * @param different rows that differ, and partitions whose static columns do
 * @param missingLeft rows that are only on the right
 * @param missingRight rows that are only on the left
 * @param rowsRepaired rows written or deleted on the right, acknowledged
 * @param elapsed since the start
 * @param left what the scan of the left table did
 * @param right what the scan of the right table did
 * @param digestLeft of all rows, whatever their order; only of interest for a whole comparison
 * @param digestRight the same for the right table
 * @param isWhole whether all rows were compared
 * @param outcome how it ended
 * @param failure what stopped it; null unless it failed
 */
public record DiffSummary(
        long rowsLeft,
        long rowsRight,
        long rowsSame,
        long different,
        long missingLeft,
        long missingRight,
        long rowsRepaired,
        Duration elapsed,
        ScanTotals left,
        ScanTotals right,
        String digestLeft,
        String digestRight,
        boolean isWhole,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {

    public long differences() {
        return different + missingLeft + missingRight;
    }
}
