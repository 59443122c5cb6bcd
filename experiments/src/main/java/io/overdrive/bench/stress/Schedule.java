package io.overdrive.bench.stress;

import java.util.concurrent.TimeUnit;

/**
 * When each operation of a load is due: evenly, and exact however long it runs, because the time is computed from the operation's number
 * and not from the one before. Immutable.
 *
 * @param startNanos when the first is due, by {@link System#nanoTime}
 * @param rate operations a second, 1 to {@link StressOptions#MAX_RATE}
 */
record Schedule(long startNanos, long rate) {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** When the operation of this number, from 0, is due. */
    long dueNanos(long operation) {
        return startNanos + operation / rate * SECOND + operation % rate * SECOND / rate;
    }

    /** How many operations are due before this time. */
    long dueBefore(long nanos) {
        long elapsed = nanos - startNanos;
        if (elapsed <= 0) {
            return 0;
        }
        return elapsed / SECOND * rate + (elapsed % SECOND * rate + SECOND - 1) / SECOND;
    }
}
