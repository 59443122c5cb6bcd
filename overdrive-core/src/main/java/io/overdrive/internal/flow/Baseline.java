package io.overdrive.internal.flow;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The round trip of a node without a queue: the minimum of the last one to two minutes, for each size of requests, as a
 * larger request takes longer. Sizes are classes of a factor of two. Confined to one thread at a time.
 */
final class Baseline {
    private static final long SPAN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Map<Integer, Minimum> minima = new HashMap<>();

    private static final class Minimum {
        private long current = Long.MAX_VALUE;
        private long previous = Long.MAX_VALUE;
        private long ageNanos;

        long get() {
            return Math.min(current, previous);
        }
    }

    /** Takes the window into account, which must have answers, and returns the baseline of its requests. */
    long observe(Window window) {
        Minimum minimum = minima.computeIfAbsent(Math.getExponent(window.requestCost()), size -> new Minimum());
        minimum.ageNanos += window.nanos();
        if (minimum.ageNanos > SPAN_NANOS) {
            minimum.previous = minimum.current;
            minimum.current = Long.MAX_VALUE;
            minimum.ageNanos = 0;
        }
        minimum.current = Math.min(minimum.current, Math.max(1000, window.medianNanos()));
        return minimum.get();
    }
}
