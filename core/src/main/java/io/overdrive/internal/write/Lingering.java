package io.overdrive.internal.write;

import io.overdrive.internal.wire.Transport;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Sends the groups of a {@link Grouper} whose rows have waited for the linger. Each half of that time is a tick, and a group
 * is sent at the second tick after its first row: no row waits for less than half of the linger, nor for more than all of it.
 *
 * <p>A separate thread does this, as it waits for the shards' locks, and for the cluster: then the next tick is late, and groups
 * gather more rows in the meantime. It sleeps while no rows wait. Thread-safe; a producer only reads a flag for each row (write
 * step 3).
 */
final class Lingering {
    /** Groups with an age. Thread-safe. */
    interface Groups {
        /** Sends those that were there at the last call but one. */
        void sendAged();

        boolean holdRows();

        /** Sending has failed for a reason that has nothing to do with the rows. */
        void onException(Throwable cause);
    }

    private static final int TICKS = 2;

    private final Transport transport;
    private final Groups groups;
    private final long tickNanos;
    private final ScheduledExecutorService thread;
    private final AtomicBoolean asleep = new AtomicBoolean(true);
    private final Object pass = new Object();
    private volatile @Nullable Future<?> next;
    private volatile boolean ended;

    Lingering(Transport transport, Duration linger, Groups groups) {
        this.transport = transport;
        this.groups = groups;
        this.tickNanos = Math.max(1, linger.toNanos() / TICKS);
        this.thread = transport.executor("overdrive-linger");
    }

    /** Wakes the timer. Called after rows have come. */
    void wake() {
        if (asleep.get() && asleep.compareAndSet(true, false)) {
            schedule(tickNanos);
        }
    }

    private void schedule(long delayNanos) {
        next = thread.schedule(this::tick, delayNanos, TimeUnit.NANOSECONDS);
        if (ended) {
            end();
        }
    }

    private void tick() {
        long start = transport.nanoTime();
        try {
            synchronized (pass) {
                if (ended) {
                    return;
                }
                groups.sendAged();
            }
            if (groups.holdRows()) {
                schedule(Math.max(0, tickNanos - (transport.nanoTime() - start)));
                return;
            }
            asleep.set(true);
            if (groups.holdRows()) { // they came before the flag was set
                wake();
            }
        } catch (Throwable e) {
            groups.onException(e);
        }
    }

    /** Ends it without waiting; the groups that are being sent now still are. */
    void end() {
        ended = true;
        Future<?> tick = next;
        if (tick != null) {
            tick.cancel(false);
        }
    }

    /** Ends it, and returns when it sends nothing any more. */
    void endAndWait() {
        end();
        synchronized (pass) {
            return; // the last pass is over
        }
    }
}
