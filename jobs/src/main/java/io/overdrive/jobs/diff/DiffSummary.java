package io.overdrive.jobs.diff;

import io.overdrive.Latency;
import io.overdrive.ScanTotals;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a comparison, or how it ended. Immutable.
 *
 * @param rowsLeft rows of the left table
 * @param rowsRight rows of the right table
 * @param rowsSame rows that are the same on both sides
 * @param different rows that differ, and partitions whose static columns differ
 * @param missingLeft rows that are only on the right
 * @param missingRight rows that are only on the left
 * @param rowsRepaired differences whose rows, or static columns of a partition, were written or deleted on the right, acknowledged
 * @param notRepaired differences that should have been repaired, and could not be: values that the right column cannot hold, and
 *     if times are kept, values that only the right table has, and elements of several times
 * @param rowsBefore rows of both tables that earlier runs have compared, which this one resumes
 * @param elapsed time since the start
 * @param left totals of the scan of the left table
 * @param right totals of the scan of the right table
 * @param digestLeft digest of all rows in any order; meaningful only if all rows were compared; empty if values are converted, which have
 *     other bytes on both sides
 * @param digestRight the same for the right table
 * @param done the share of the work that is done, 0 to 1; negative if unknown
 * @param isRepair whether differences are repaired
 * @param isWhole whether all rows were compared
 * @param notCompared names of columns that a mapping leaves out, each after its table
 * @param ranges the parts of the ring that were compared, in the order of their tokens; none before the end
 * @param outcome how it ended
 * @param failure the failure that stopped it; null unless it failed
 */
public record DiffSummary(
        long rowsLeft,
        long rowsRight,
        long rowsSame,
        long different,
        long missingLeft,
        long missingRight,
        long rowsRepaired,
        long notRepaired,
        long rowsBefore,
        Duration elapsed,
        ScanTotals left,
        ScanTotals right,
        String digestLeft,
        String digestRight,
        double done,
        boolean isRepair,
        boolean isWhole,
        List<String> notCompared,
        List<RangeDigests> ranges,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {
    private static final ScanTotals NO_READS = new ScanTotals(0, 0, 0, 0, 0, 0, 0, Latency.NONE, /* waiting */ null);

    /** The summary of a comparison that had nothing to read. */
    public static final DiffSummary NOTHING = new DiffSummary(
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            Duration.ZERO,
            NO_READS,
            NO_READS,
            "",
            "",
            /* done */ 1,
            /* isRepair */ false,
            /* isWhole */ true,
            /* notCompared */ List.of(),
            /* ranges */ List.of(),
            Outcome.DONE,
            /* failure */ null);

    public long differences() {
        return different + missingLeft + missingRight;
    }

    @Override
    public Figures figures() {
        return new Figures(
                elapsed,
                Math.max(rowsLeft, rowsRight) - rowsBefore / 2,
                left.bytesRead() + right.bytesRead(),
                (long) left.inFlight() + right.inFlight(),
                left.latency().p99(),
                /* rejected */ -1,
                done,
                left.waiting() != null ? left.waiting() : right.waiting(),
                new Figures.Counts(
                        rowsLeft + rowsRight,
                        isRepair ? rowsRepaired : -1,
                        rowsSame + differences(),
                        differences(),
                        left.bytesRead() + right.bytesRead(),
                        /* bytesWritten */ -1,
                        /* bytesSpilled */ -1,
                        /* rowsPending */ -1));
    }
}
