package io.overdrive;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the guard of a connection. Immutable.
 *
 * @param elapsed time since the first bulk work began
 * @param share of its usual limits that bulk work may use now, more than 0 and at most 1
 * @param lowestShare the lowest share, apart from the small ones at the start
 * @param heldBack for how long the share was less than 1, apart from the start
 * @param p99 99th percentile of the probes in the last window, over all nodes but the slowest of each twenty; zero if there was none
 * @param limit the p99 that is kept to; zero until it is known
 * @param baseline the p99 before the job: the second highest of five windows; zero unless the limit is relative and it has been
 *     measured
 * @param mean mean of the probes in the last window, likewise
 * @param meanLimit the mean that is kept to as well if the limit is relative; zero otherwise, and until it is known
 * @param latency of all probes during bulk work
 * @param windows windows of about 2 s that were measured during bulk work
 * @param windowsAbove those that were above the limit
 * @param probes probes that were sent
 * @param probesFailed those that ended with an error
 * @param probed the table that the probes read: {@code shop.orders}, or {@code system.local}
 * @param reason why bulk work is held back, or which measurement it waits for, in words; null if it is not held back
 * @param notTheCause whether latency stayed above the limit for half a minute although bulk work was at its minimum
 */
public record GuardTotals(
        Duration elapsed,
        double share,
        double lowestShare,
        Duration heldBack,
        Duration p99,
        Duration limit,
        Duration baseline,
        Duration mean,
        Duration meanLimit,
        Latency latency,
        long windows,
        long windowsAbove,
        long probes,
        long probesFailed,
        String probed,
        @Nullable String reason,
        boolean notTheCause) {}
