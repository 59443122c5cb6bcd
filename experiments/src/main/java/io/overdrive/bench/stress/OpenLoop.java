package io.overdrive.bench.stress;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/**
 * Sends each operation of a load when it is due, or late, but once. {@link #run} is confined to the sending thread; any thread may call
 * {@link #end}. On the path of each operation.
 */
final class OpenLoop {
    private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Half a millisecond, including what the operating system adds. */
    private static final long MIN_SLEEP_NANOS = TimeUnit.MICROSECONDS.toNanos(450);

    private static final long MAX_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** How long late operations are still sent after the end. */
    private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Time, and how the loop waits. */
    interface Waiting {
        /** As {@link System#nanoTime}. */
        long nanoTime();

        /** Waits for this many nanoseconds, or less. */
        void sleep(long nanos);

        /** Waits at most this long for a permit of the sender. */
        boolean awaitPermit(long nanos) throws InterruptedException;
    }

    private final StressOptions options;
    private final Schedule schedule;
    private final LongUnaryOperator rows;
    private final OperationSender sender;
    private final StressRecorder recorder;
    private final Waiting waiting;
    private volatile boolean ending;

    /** @param rows the row of each operation, by its number */
    OpenLoop(
            StressOptions options,
            Schedule schedule,
            LongUnaryOperator rows,
            OperationSender sender,
            StressRecorder recorder,
            Waiting waiting) {
        this.options = options;
        this.schedule = schedule;
        this.rows = rows;
        this.sender = sender;
        this.recorder = recorder;
        this.waiting = waiting;
    }

    /** Sends until the load is over, or was ended. */
    void run() throws InterruptedException {
        Duration duration = options.duration();
        long operations =
                duration == null ? Long.MAX_VALUE : schedule.dueBefore(schedule.startNanos() + duration.toNanos());
        long giveUp = duration == null ? Long.MAX_VALUE : duration.toNanos() + CATCH_UP_NANOS;
        long kindSeed = Values.mix(options.seed(), 2);
        for (long n = 0; n < operations; n++) {
            long due = schedule.dueNanos(n);
            if (!awaitDue(due) || !awaitPermit(giveUp)) {
                return;
            }
            if (waiting.nanoTime() - due > LATE_NANOS) {
                recorder.late.increment();
            }
            sender.send(options.workload().kind(Values.fraction(Values.mix(kindSeed, n))), rows.applyAsLong(n), n, due);
        }
    }

    /** Returns false if the load is to end. */
    private boolean awaitDue(long due) {
        for (long wait = due - waiting.nanoTime(); wait > 0 && !ending; wait = due - waiting.nanoTime()) {
            waiting.sleep(Math.max(MIN_SLEEP_NANOS, Math.min(wait, MAX_SLEEP_NANOS)));
        }
        return !ending;
    }

    /** Returns false if the load is to end, or has run for too long. */
    private boolean awaitPermit(long giveUpNanos) throws InterruptedException {
        if (elapsedNanos() >= giveUpNanos) {
            return false;
        }
        if (sender.tryPermit()) {
            return true;
        }
        recorder.held.increment();
        while (!ending && elapsedNanos() < giveUpNanos) {
            if (waiting.awaitPermit(MAX_SLEEP_NANOS)) {
                return true;
            }
        }
        return false;
    }

    private long elapsedNanos() {
        return waiting.nanoTime() - schedule.startNanos();
    }

    /** Stops the loop at its next check. */
    void end() {
        ending = true;
    }

    boolean isEnding() {
        return ending;
    }
}
