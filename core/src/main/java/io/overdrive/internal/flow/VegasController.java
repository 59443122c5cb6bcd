package io.overdrive.internal.flow;

/**
 * TCP Vegas: estimates the requests in the queue, {@code n * (1 - minimum / round trip)} of n in flight, and keeps them between 3 and 6
 * times the decimal logarithm of n. Brakmo and Peterson, 1995; the constants are those of Netflix's concurrency-limits. Its minimum
 * is never measured again, so that it cannot drift; a node that becomes slower for good stays at the lower limit.
 */
final class VegasController extends WindowController {
    private final Baseline baseline = new Baseline();

    VegasController(double start, double min, double max) {
        super(start, min, max);
    }

    @Override
    double limitAfter(Window window, double limit) {
        double requests = requests(window, limit);
        double step = Math.max(1, Math.log10(requests));
        if (window.failed() > 0) {
            return limit - step * window.requestCost();
        }
        double queued = requests * (1 - (double) baseline.observe(window) / Math.max(1, window.medianNanos()));
        if (2 * window.peakCost() < limit) {
            return limit;
        }
        double change = queued <= step ? 6 * step : queued < 3 * step ? step : queued > 6 * step ? -step : 0;
        return limit + change * window.requestCost();
    }
}
