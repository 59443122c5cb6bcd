package io.overdrive;

import java.time.Duration;

/**
 * How long requests took, retries included: percentiles with a precision of 1 %. All are zero if there were no requests; more
 * than an hour counts as an hour. Immutable.
 *
 * @param p50 median
 * @param p99 99 % of the requests took at most this
 * @param p999 99.9 % of the requests took at most this
 * @param max the slowest request
 */
public record Latency(Duration p50, Duration p99, Duration p999, Duration max) {
    /** The latency of no requests: all values are zero. */
    public static final Latency NONE = new Latency(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO);

    /** An upper bound for the requests of both: the larger of each percentile. */
    public Latency upperBound(Latency other) {
        return new Latency(
                larger(p50, other.p50), larger(p99, other.p99), larger(p999, other.p999), larger(max, other.max));
    }

    private static Duration larger(Duration a, Duration b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
