package io.overdrive;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the progress of a scan or a lookup. Immutable. Counts only grow from one snapshot to the next, except for
 * {@code inFlight}, which is as of now.
 *
 * @param rowsRead rows of the pages received
 * @param bytesRead bytes of these pages
 * @param pages pages received, empty ones included
 * @param retries page requests sent after a failed attempt
 * @param splits splits of the whole scan; 0 before it is planned, and for a lookup
 * @param splitsRead splits that were read completely
 * @param inFlight page requests sent and not answered yet
 * @param latency times from the first attempt of a page request to its answer
 * @param waiting the reason why pages wait, in words, and for how long; null unless some have been waiting for more
 *     than a few seconds
 */
public record ScanTotals(
        long rowsRead,
        long bytesRead,
        long pages,
        long retries,
        int splits,
        int splitsRead,
        int inFlight,
        Latency latency,
        @Nullable String waiting) {
    /** The same rows, received by these requests. */
    ScanTotals withRequests(ScanTotals requests) {
        return new ScanTotals(
                rowsRead,
                bytesRead,
                requests.pages,
                requests.retries,
                splits,
                splitsRead,
                requests.inFlight,
                requests.latency,
                requests.waiting);
    }
}
