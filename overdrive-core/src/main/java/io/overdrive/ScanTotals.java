package io.overdrive;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a scan, or a lookup, has done so far. Immutable; counts only grow from one snapshot to the next. Times
 * are precise to 1 %.
 *
 * @param rowsRead rows of the pages that came
 * @param bytesRead bytes of these pages
 * @param pages answers with rows, or none
 * @param retries pages that were asked for again
 * @param splits of the whole scan; 0 before it is planned, and for a lookup
 * @param splitsRead splits of which all rows came
 * @param inFlight pages on their way right now
 * @param p50 median time from the first request of a page to its arrival, retries included
 * @param p99 99 % of the pages took at most this
 * @param max the slowest page
 * @param waiting what pages have been waiting for, in words, and how long; null unless some of them have for longer than a
 *     few seconds
 */
public record ScanTotals(
        long rowsRead,
        long bytesRead,
        long pages,
        long retries,
        int splits,
        int splitsRead,
        int inFlight,
        Duration p50,
        Duration p99,
        Duration max,
        @Nullable String waiting) {}
