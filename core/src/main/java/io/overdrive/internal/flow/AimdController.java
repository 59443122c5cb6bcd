package io.overdrive.internal.flow;

/**
 * Additive increase, multiplicative decrease: one request more for each round trip, as long as the limit is used by half; 0.9
 * times as much after failures. Chiu and Jain, 1989; the constants are those of Netflix's concurrency-limits.
 */
final class AimdController extends WindowController {
    AimdController(double start, double min, double max) {
        super(start, min, max);
    }

    @Override
    double limitAfter(Window window, double limit) {
        if (window.failed() > 0) {
            return 0.9 * limit;
        }
        if (2 * window.peakCost() < limit) {
            return limit;
        }
        double roundTrips = (double) window.nanos() / Math.max(1, window.medianNanos());
        return limit + window.requestCost() * Math.min(roundTrips, requests(window, limit));
    }
}
