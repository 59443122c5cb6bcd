package io.overdrive.internal.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/**
 * How long threads or requests have waited in one place, waits that have not ended included: two of them for a second are two
 * seconds. Thread-safe by its lock; for those that really wait, never for each row.
 */
public final class WaitTime {
    @GuardedBy("this") private long totalNanos;

    @GuardedBy("this") private long lastNanos;

    /** Written under the lock. */
    private volatile int waiting;

    /** A wait begins, at this time by the clock of the caller. */
    public synchronized void begin(long now) {
        advance(now);
        waiting = waiting + 1;
    }

    /** A wait ends. */
    public synchronized void end(long now) {
        advance(now);
        waiting = waiting - 1;
    }

    /** Whether there is a wait that has not ended. */
    public boolean isWaiting() {
        return waiting > 0;
    }

    /** The total up to now. */
    public synchronized long nanos(long now) {
        advance(now);
        return totalNanos;
    }

    /** The callers read the clock without the lock, so their times may be out of order. */
    @GuardedBy("this") private void advance(long now) {
        long passed = now - lastNanos;
        if (waiting == 0) {
            lastNanos = now;
        } else if (passed > 0) {
            totalNanos += waiting * passed;
            lastNanos = now;
        }
    }
}
