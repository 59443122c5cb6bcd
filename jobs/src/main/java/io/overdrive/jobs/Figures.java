package io.overdrive.jobs;

import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a run up to now. Immutable.
 *
 * @param elapsed time since the start
 * @param rows that are done, without rows of earlier runs that this one resumes
 * @param bytes sent or received
 * @param inFlight requests in flight
 * @param p99 99th percentile of the latency of requests
 * @param rejected rows, or -1 if rows cannot be rejected
 * @param done share of the work, 0 to 1, or -1 if unknown
 * @param waiting the reason why the run waits, and for how long; null if it makes progress
 * @param counts progress in detail
 */
public record Figures(
        Duration elapsed,
        long rows,
        long bytes,
        long inFlight,
        Duration p99,
        long rejected,
        double done,
        @Nullable String waiting,
        Counts counts) {
    /**
     * Counts as in the summary at the end, so with the rows of earlier runs that this one resumes. Each is -1 if there
     * is no such thing.
     *
     * @param rowsRead rows or records read
     * @param rowsWritten rows that the cluster acknowledged, or that are in files
     * @param rowsCompared rows compared
     * @param differences rows that are missing or differ
     * @param bytesRead bytes of files as stored, or of pages
     * @param bytesWritten bytes of acknowledged requests, or of records before compression
     * @param bytesSpilled bytes of rows that went through the disk
     * @param rowsPending rows that wait to be sent or acknowledged
     */
    public record Counts(
            long rowsRead,
            long rowsWritten,
            long rowsCompared,
            long differences,
            long bytesRead,
            long bytesWritten,
            long bytesSpilled,
            long rowsPending) {}

    /** How long it takes from now on, at the mean rate; null if that cannot be estimated. */
    public @Nullable Duration left() {
        return done > 0.01 && done < 1 && waiting == null
                ? Duration.ofMillis((long) (elapsed.toMillis() * (1 - done) / done))
                : null;
    }

    /** Rows that a writer has accepted, and neither written nor rejected yet. */
    public static long pending(Totals writes) {
        return Math.max(0, writes.rowsTaken() - writes.rowsWritten() - writes.rowsRejected());
    }

    /**
     * The share of a scan that is done.
     *
     * @param splitsBefore number of splits that earlier processes of a resumed run have finished
     */
    public static double done(ScanTotals reads, int splitsBefore) {
        int splits = splitsBefore + reads.splits();
        return splits < 2 ? -1 : (double) (splitsBefore + reads.splitsRead()) / splits;
    }
}
