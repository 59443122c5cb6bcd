package io.overdrive.cli;

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
final class GarbageWatch implements AutoCloseable {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final double MAX_SHARE = 0.9;
    private static final long PAUSE_MILLIS = 1_000;

    /** What was collected at a moment. */
    private record Sample(long nanos, long collectedMillis) {}

    private final Thread thread;

    private GarbageWatch(PrintWriter err) {
        thread = new Thread(() -> watch(err), "overdrive-garbage");
        thread.setDaemon(true);
    }

    static GarbageWatch start(PrintWriter err) {
        GarbageWatch watch = new GarbageWatch(err);
        watch.thread.start();
        return watch;
    }

    private static void watch(PrintWriter err) {
        Shares shares = new Shares();
        try {
            while (true) {
                if (shares.add(System.nanoTime(), collectedMillis()) > MAX_SHARE) {
                    end(err);
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            // the run has ended
        }
    }

    private static void end(PrintWriter err) {
        try {
            err.println();
            err.println("overdrive: nearly all of the last minute went into collecting garbage: "
                    + JavaHeap.tooSmallFor("this run") + "; what can be resumed then: overdrive runs");
            err.flush();
        } finally {
            Runtime.getRuntime().halt(Main.FAILED);
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
