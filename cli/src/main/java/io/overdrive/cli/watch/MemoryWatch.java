package io.overdrive.cli.watch;

import io.overdrive.internal.flow.JavaHeap;
import java.io.PrintWriter;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Ends the process if it does hardly anything but collect garbage: with a heap that is too small, a run would neither end nor fail. A run
 * with a journal can be resumed, as after a kill. Runs on a separate thread.
 */
public final class GarbageWatch implements AutoCloseable {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final double MAX_SHARE = 0.9;
    private static final long PAUSE_MILLIS = 1_000;

    /** How long garbage was collected until a moment. */
    private record Sample(long nanos, long collectedMillis) {}

    private final Thread thread;

    private GarbageWatch(PrintWriter err, int exitCode) {
        thread = new Thread(() -> watch(err, exitCode), "overdrive-garbage");
        thread.setDaemon(true);
    }

    /**
     * Watches until it is closed.
     *
     * @param exitCode of the process if it is ended
     */
    public static GarbageWatch start(PrintWriter err, int exitCode) {
        GarbageWatch watch = new GarbageWatch(err, exitCode);
        watch.thread.start();
        return watch;
    }

    private static void watch(PrintWriter err, int exitCode) {
        Shares shares = new Shares();
        try {
            while (true) {
                if (shares.add(System.nanoTime(), collectedMillis()) > MAX_SHARE) {
                    end(err, exitCode);
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            // the run has ended
        }
    }

    private static void end(PrintWriter err, int exitCode) {
        try {
            err.println();
            err.println("overdrive: nearly all of the last minute went into collecting garbage: "
                    + JavaHeap.tooSmallFor("this run") + "; what can be resumed then: overdrive runs");
            err.flush();
        } finally {
            Runtime.getRuntime().halt(exitCode);
        }
    }

    private static long collectedMillis() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }

    /** Shares of time in windows of a minute. Confined to one thread. */
    static final class Shares {
        private final Deque<Sample> samples = new ArrayDeque<>();

        /** The share of the last minute, or of somewhat more, that was spent on collecting; 0 before there is one. */
        double add(long nanos, long collectedMillis) {
            Sample now = new Sample(nanos, collectedMillis);
            samples.add(now);
            Sample first = samples.element();
            while (nanos - first.nanos >= WINDOW_NANOS) {
                samples.remove();
                Sample next = samples.element();
                if (nanos - next.nanos < WINDOW_NANOS) {
                    samples.addFirst(first);
                    return TimeUnit.MILLISECONDS.toNanos(collectedMillis - first.collectedMillis)
                            / (double) (nanos - first.nanos);
                }
                first = next;
            }
            return 0;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
