package io.overdrive.internal.request;

import java.util.random.RandomGenerator;

/**
 * Exponential back-off with jitter: {@code full = min(maxMillis, 50 · 2^(tries - 1))}, of which half is fixed and half
 * random ("equal jitter", M. Brooker, "Exponential Backoff And Jitter", 2015). Immutable.
 *
 * @param maxMillis the longest pause
 */
public record Backoff(long maxMillis) {
    private static final long FIRST_MILLIS = 50;
    private static final int MAX_SHIFT = 20;

    /** Milliseconds to pause after this many tries, 1 or more. */
    public long pauseMillis(int tries, RandomGenerator random) {
        long full = Math.min(maxMillis, FIRST_MILLIS << Math.min(MAX_SHIFT, tries - 1));
        return full / 2 + random.nextLong(full / 2 + 1);
    }
}
