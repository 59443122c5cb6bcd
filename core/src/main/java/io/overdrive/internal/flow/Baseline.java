package io.overdrive.internal.flow;

import java.util.HashMap;
import java.util.Map;

/**
 * The round trip of a node without a queue, for each size of requests, as a larger request takes longer: the lower one of the last two
 * measurements, so that neither a pause during one of them nor the best moment of a machine that was quiet until then counts for long.
 * Sizes are classes of a factor of two. Confined to one thread at a time.
 */
final class Baseline {
    private final Map<Integer, Measured> bySize = new HashMap<>();

    private record Measured(long lastNanos, long beforeNanos) {
        long nanos() {
            return Math.min(lastNanos, beforeNanos);
        }

        Measured times(double factor) {
            return new Measured(
                    (long) (lastNanos * factor),
                    beforeNanos == Long.MAX_VALUE ? beforeNanos : (long) (beforeNanos * factor));
        }
    }

    /** The baseline of the requests of this window, which must have answers; its own median if nothing of their size was measured. */
    long of(Window window) {
        return bySize.computeIfAbsent(size(window), size -> new Measured(nanos(window), Long.MAX_VALUE))
                .nanos();
    }

    /** Takes a window into account that may be the best one until now. */
    long observe(Window window) {
        return bySize.merge(
                        size(window),
                        new Measured(nanos(window), Long.MAX_VALUE),
                        (known, now) -> new Measured(Math.min(known.lastNanos, now.lastNanos), known.beforeNanos))
                .nanos();
    }

    /** Takes a window as the next measurement. Other sizes change in proportion. */
    void measured(Window window) {
        long before = of(window);
        Measured known = bySize.getOrDefault(size(window), new Measured(before, before));
        Measured now = new Measured(nanos(window), known.lastNanos);
        double factor = (double) now.nanos() / before;
        bySize.replaceAll((size, other) -> other.times(factor));
        bySize.put(size(window), now);
    }

    private static int size(Window window) {
        return Math.getExponent(window.requestCost());
    }

    private static long nanos(Window window) {
        return Math.max(1000, window.medianNanos());
    }
}
