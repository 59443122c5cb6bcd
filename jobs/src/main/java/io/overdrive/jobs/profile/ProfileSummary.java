package io.overdrive.jobs.profile;

import io.overdrive.ScanTotals;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a profile, or how it ended. Immutable.
 *
 * @param rowsRead rows or records
 * @param rowsRejected records of files that a load would reject
 * @param reasons where the first of them are, each with its reason
 * @param bytesRead bytes of files as stored, or of pages
 * @param done share of the work, 0 to 1, or -1 if unknown
 * @param reads totals of the scan; null for files
 * @param profile null unless the outcome is DONE
 */
public record ProfileSummary(
        long rowsRead,
        long rowsRejected,
        List<String> reasons,
        long bytesRead,
        double done,
        Duration elapsed,
        @Nullable ScanTotals reads,
        @Nullable Profile profile,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {
    @Override
    public Figures figures() {
        return new Figures(
                elapsed,
                rowsRead,
                bytesRead,
                reads == null ? 0 : reads.inFlight(),
                reads == null ? Duration.ZERO : reads.latency().p99(),
                reads == null ? rowsRejected : -1,
                done,
                reads == null ? null : reads.waiting(),
                new Figures.Counts(
                        rowsRead,
                        /* rowsWritten */ -1,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        bytesRead,
                        /* bytesWritten */ -1,
                        /* bytesSpilled */ -1,
                        /* rowsPending */ -1));
    }
}
