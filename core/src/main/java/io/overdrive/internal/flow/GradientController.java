package io.overdrive.internal.flow;

/**
 * Compares the round trip with its long-term mean: {@code limit * gradient + 4} requests, where the gradient is 1.5 times the mean by
 * the current round trip, between 0.5 and 1, smoothed by 0.2. Gradient2 of Netflix's concurrency-limits. It ignores failures,
 * and its limit drifts upwards under permanent load.
 */
final class GradientController extends WindowController {
    private static final int WARM_UP = 10;
    private static final double SMOOTHING = 2.0 / 601;

    private double mean;
    private int windows;

    GradientController(double start, double min, double max) {
        super(start, min, max);
    }

    @Override
    double limitAfter(Window window, double limit) {
        double now = window.medianNanos();
        if (now == 0) {
            return limit;
        }
        windows++;
        mean += (now - mean) * (windows <= WARM_UP ? 1.0 / windows : SMOOTHING);
        if (mean > 2 * now) {
            mean *= 0.95;
        }
        if (2 * window.peakCost() < limit) {
            return limit;
        }
        double gradient = Math.max(0.5, Math.min(1, 1.5 * mean / now));
        return 0.8 * limit + 0.2 * (limit * gradient + 4 * window.requestCost());
    }
}
