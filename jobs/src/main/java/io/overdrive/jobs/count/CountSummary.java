package io.overdrive.jobs.count;

import io.overdrive.ScanTotals;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a count. Immutable.
 *
 * @param rows counted up to now; all rows of the table if the outcome is DONE
 * @param groups the requested groups: token ranges and nodes in order, partitions from the largest on; empty unless the outcome is DONE
 * @param rowsBefore rows counted before this run resumed
 * @param splitsBefore number of splits that these have counted; they are not among the splits of {@code totals}
 */
public record CountSummary(
        long rows,
        List<Group> groups,
        long rowsBefore,
        int splitsBefore,
        Duration elapsed,
        ScanTotals totals,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {
    /** The count of a part of the table. */
    public record Group(String name, long rows) {}

    @Override
    public Figures figures() {
        return new Figures(
                elapsed,
                rows - rowsBefore,
                totals.bytesRead(),
                totals.inFlight(),
                totals.latency().p99(),
                /* rejected */ -1,
                Figures.done(totals, splitsBefore),
                totals.waiting(),
                new Figures.Counts(
                        rows,
                        /* rowsWritten */ -1,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        totals.bytesRead(),
                        /* bytesWritten */ -1,
                        /* bytesSpilled */ -1,
                        /* rowsPending */ -1));
    }
}
