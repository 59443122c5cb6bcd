package io.overdrive;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the progress of a writer and its forks. Immutable. Counts only grow from one snapshot to the next, except for
 * {@code inFlightRequests}, {@code inFlightBytes} and {@code groupingBytes}, which are as of now.
 *
 * @param rowsTaken rows accepted by {@link RowWriter#send}
 * @param rowsWritten rows that the cluster acknowledged
 * @param rowsRejected rows given to the reject handler. Once the writer is closed, taken = written + rejected, unless it
 *     failed or was abandoned: rows that were still pending are then dropped
 * @param rowsExisting rows among the written ones that already existed and were left unchanged because of {@link
 *     WriteOptions#ifNotExists}; after a retry, a row may count that its own first attempt inserted
 * @param repeatedKeys rows whose primary key an earlier row of the run had, if {@link
 *     WriteOptions.Builder#countRepeatedKeys} is set; at least this many, unless {@code repeatedKeysExact}
 * @param repeatedKeysExact whether that is the exact number: up to about 600,000 different keys are remembered
 * @param bytesWritten bytes of the acknowledged requests
 * @param requests acknowledged requests
 * @param batches acknowledged requests that held more than one row
 * @param batchedRows rows in these batches
 * @param retries requests sent after a failed attempt
 * @param splits batches resent as two halves because the server refused a row, or too many rows at once
 * @param rowsSpilled rows that went through the spill directory
 * @param bytesSpilled bytes of these rows, counted once however often they are spilled
 * @param inFlightRequests requests sent and not answered yet
 * @param inFlightBytes bytes of these requests
 * @param groupingBytes memory held by rows that wait for others of their partition
 * @param latency times from the first attempt of a request to its acknowledgement
 * @param waiting the reason why requests wait, in words, and for how long; null unless some have been waiting for more
 *     than a few seconds
 * @param nodesLost addresses of nodes of the local data centre that went down, or whose connection broke with a request in
 *     flight: they may have lost rows that they had acknowledged
 */
public record Totals(
        long rowsTaken,
        long rowsWritten,
        long rowsRejected,
        long rowsExisting,
        long repeatedKeys,
        boolean repeatedKeysExact,
        long bytesWritten,
        long requests,
        long batches,
        long batchedRows,
        long retries,
        long splits,
        long rowsSpilled,
        long bytesSpilled,
        long inFlightRequests,
        long inFlightBytes,
        long groupingBytes,
        Latency latency,
        @Nullable String waiting,
        Set<String> nodesLost) {
    /** The totals of a writer that has done nothing. */
    public static final Totals NONE =
            new Totals(0, 0, 0, 0, 0, true, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Latency.NONE, null, Set.of());

    /**
     * Rows that are taken, and neither written nor rejected yet: how far the cluster is behind. A snapshot that is taken while rows
     * are sent may be off by a few. Once a writer has failed or was abandoned, the rows that it dropped stay in it.
     */
    public long rowsPending() {
        return Math.max(0, rowsTaken - rowsWritten - rowsRejected);
    }

    /**
     * The totals of two separate writers together: sums of the counts, an upper bound of the latencies, the reason why one of them waits
     * for, and the nodes lost by either, sorted.
     */
    public Totals plus(Totals other) {
        Set<String> lost = new TreeSet<>(nodesLost);
        lost.addAll(other.nodesLost);
        return new Totals(
                rowsTaken + other.rowsTaken,
                rowsWritten + other.rowsWritten,
                rowsRejected + other.rowsRejected,
                rowsExisting + other.rowsExisting,
                repeatedKeys + other.repeatedKeys,
                repeatedKeysExact && other.repeatedKeysExact,
                bytesWritten + other.bytesWritten,
                requests + other.requests,
                batches + other.batches,
                batchedRows + other.batchedRows,
                retries + other.retries,
                splits + other.splits,
                rowsSpilled + other.rowsSpilled,
                bytesSpilled + other.bytesSpilled,
                inFlightRequests + other.inFlightRequests,
                inFlightBytes + other.inFlightBytes,
                groupingBytes + other.groupingBytes,
                latency.upperBound(other.latency),
                waiting != null ? waiting : other.waiting,
                lost);
    }
}
