package io.overdrive.internal.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Keeps rows and bytes per second below rate limits: each call gets the time that its rows and bytes take at the limit,
 * right after the time of the call before it, and waits for its start. Thread-safe.
 */
public final class Pacer {
    /** Unused time that is kept, so that a pause is not followed by a burst. */
    private static final long MAX_UNUSED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How often a waiting thread checks whether pacing was cancelled. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long rowsPerSecond;
    private final long bytesPerSecond;
    private final LongSupplier clock;
    private final LongConsumer sleep;
    private final WaitTime waited = new WaitTime();
    private volatile boolean cancelled;

    @GuardedBy("this") private long nextStartNanos = Long.MIN_VALUE;

    /**
     * @param rowsPerSecond at least 1; {@link Long#MAX_VALUE} for no limit
     * @param bytesPerSecond likewise
     */
    public Pacer(long rowsPerSecond, long bytesPerSecond) {
        this(rowsPerSecond, bytesPerSecond, System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * @param clock as {@link System#nanoTime}
     * @param sleep waits for this many nanoseconds, or less
     */
    Pacer(long rowsPerSecond, long bytesPerSecond, LongSupplier clock, LongConsumer sleep) {
        this.rowsPerSecond = rowsPerSecond;
        this.bytesPerSecond = bytesPerSecond;
        this.clock = clock;
        this.sleep = sleep;
    }

    /** Waits until the rate limits allow this many more rows and bytes. Interrupts don't end the wait. */
    public void pace(int rows, long bytes) {
        if (rowsPerSecond == Long.MAX_VALUE && bytesPerSecond == Long.MAX_VALUE) {
            return;
        }
        long now = clock.getAsLong();
        long start = reserve(rows, bytes, now);
        if (start > now) {
            await(start, now);
        }
    }

    /** Counts these rows and bytes as {@link #pace} does, and does not wait: what comes next waits for them. */
    public void reserve(int rows, long bytes) {
        if (rowsPerSecond != Long.MAX_VALUE || bytesPerSecond != Long.MAX_VALUE) {
            reserve(rows, bytes, clock.getAsLong());
        }
    }

    /** Returns when they may start. */
    private synchronized long reserve(int rows, long bytes, long now) {
        long cost = (long) Math.max(rows * 1e9 / rowsPerSecond, bytes * 1e9 / bytesPerSecond);
        long start = Math.max(nextStartNanos, now - MAX_UNUSED_NANOS);
        nextStartNanos = start + cost;
        return start;
    }

    /** Whether {@link #pace} would not wait. */
    public boolean isReady() {
        if (rowsPerSecond == Long.MAX_VALUE && bytesPerSecond == Long.MAX_VALUE) {
            return true;
        }
        long now = clock.getAsLong();
        synchronized (this) {
            return nextStartNanos <= now || cancelled;
        }
    }

    private void await(long start, long now) {
        waited.begin(now);
        boolean interrupted = false;
        for (long wait = start - now; wait > 0 && !cancelled; wait = start - clock.getAsLong()) {
            sleep.accept(Math.min(wait, CHECK_NANOS));
            interrupted |= Thread.interrupted();
        }
        waited.end(clock.getAsLong());
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The time that threads have waited, in total. */
    public long waitedNanos() {
        return waited.nanos(clock.getAsLong());
    }

    /** Lifts the rate limits; waiting threads return within a tenth of a second. For shutdown. */
    public void cancel() {
        cancelled = true;
    }
}
