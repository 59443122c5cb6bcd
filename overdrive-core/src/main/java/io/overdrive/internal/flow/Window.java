package io.overdrive.internal.flow;

/**
 * What one node did with the requests sent to it between two calls of {@link Limiter.Gate#takeWindow}: the input of a
 * limit that adapts. Immutable.
 *
 * @param requests sendings that ended, however they did
 * @param overloaded those of outcome {@link Outcome#OVERLOADED}
 * @param timedOut those of outcome {@link Outcome#TIMED_OUT}
 * @param lost those of outcome {@link Outcome#LOST}
 * @param bytes request bytes of those that were answered
 * @param sumNanos round trips of those that were answered, added up
 * @param minNanos the shortest of these round trips; 0 if nothing was answered
 * @param peakRequests the most permits taken at once
 * @param peakBytes the most bytes permitted at once
 */
public record Window(
        long requests,
        long overloaded,
        long timedOut,
        long lost,
        long bytes,
        long sumNanos,
        long minNanos,
        int peakRequests,
        long peakBytes) {
    /** Sendings that the node answered without a sign of overload. */
    public long answered() {
        return requests - overloaded - timedOut - lost;
    }
}
