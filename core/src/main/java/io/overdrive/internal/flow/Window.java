package io.overdrive.internal.flow;

/**
 * Outcomes of the requests sent to one node in a span of time: the input of a {@link LimitController}. Immutable.
 *
 * @param nanos length of the window
 * @param requests sendings that ended, however they did
 * @param overloaded requests with outcome {@link Outcome#OVERLOADED}
 * @param timedOut requests with outcome {@link Outcome#TIMED_OUT}
 * @param lost requests with outcome {@link Outcome#LOST}
 * @param cost of those that were answered: their bytes, and {@link Gate#REQUEST_COST} each
 * @param medianNanos median round trip of those that were answered; 0 if none was
 * @param peakCost maximum cost in flight at once
 * @param isLimited whether a request had to wait for others to end
 */
public record Window(
        long nanos,
        long requests,
        long overloaded,
        long timedOut,
        long lost,
        long cost,
        long medianNanos,
        long peakCost,
        boolean isLimited) {
    /** Sendings that the node answered without a sign of overload. */
    public long answered() {
        return requests - failed();
    }

    /** Sendings that were refused for overload, timed out, or lost their connection. */
    public long failed() {
        return overloaded + timedOut + lost;
    }

    /** Mean cost of an answered request; 0 if there was none. */
    double requestCost() {
        return answered() == 0 ? 0 : (double) cost / answered();
    }
}
