package io.overdrive.cli.watch;

import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.flow.JavaHeap.Lack;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends a process whose memory is too small, which would neither end nor fail: if it does hardly anything but collect garbage, or a step of
 * a library, on which others may wait, has ended for lack of memory: its thread has, or it has only logged that. A failure that the
 * command reports by itself comes first. A run with a journal can be resumed, as after a kill. Thread-safe. What it prints if the heap is
 * too small is made at the start, as there may be no memory for it later.
 */
public final class MemoryWatch {
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final double MAX_SHARE = 0.9;
    private static final long PAUSE_MILLIS = 1_000;
    /** Pauses that a command has to report a failure by itself. */
    private static final int PAUSES_TO_FAIL = 3;

    private static final String THEN = "; what can be resumed then: overdrive runs";

    /** How long garbage was collected until a moment. */
    private record Sample(long nanos, long collectedMillis) {}

    private final FileOutputStream err = new FileOutputStream(FileDescriptor.err);
    private final byte[] garbage;
    private final byte[] heap;
    private final byte[] threads;
    private final int exitCode;
    /** Made at the start, too: the thread that watches must not need memory outside of a look. */
    private final Collections collections = new Collections();
    /** Pauses since something was lacking. Used by the thread that watches. */
    private int pauses;
    /** Null if nothing was lacking yet. */
    private volatile @Nullable Lack lacking;

    MemoryWatch(int exitCode) {
        this.exitCode = exitCode;
        garbage = message(
                "nearly all of the last minute went into collecting garbage: " + JavaHeap.tooSmallFor("this run"));
        heap = message(Lack.HEAP);
        threads = message(Lack.THREADS);
    }

    private static byte[] message(Lack lack) {
        return message("a step has failed: " + JavaHeap.tooSmall(lack));
    }

    private static byte[] message(String text) {
        return ("\noverdrive: " + text + THEN + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Watches until the process ends.
     *
     * @param exitCode of the process if it is ended
     */
    public static void start(int exitCode) {
        MemoryWatch watch = new MemoryWatch(exitCode);
        Thread.setDefaultUncaughtExceptionHandler(watch::ended);
        Logging.watchErrors(watch::noteLack);
        Thread thread = new Thread(watch::watch, "overdrive-memory");
        thread.setDaemon(true);
        thread.start();
    }

    /** Takes the exception by which a thread has ended. */
    private void ended(Thread thread, Throwable thrown) {
        if (!noteLack(thrown)) {
            System.err.print("Exception in thread \"" + thread.getName() + "\" ");
            thrown.printStackTrace();
        }
    }

    /** Returns whether it was a lack of memory. Allocates nothing. */
    private boolean noteLack(Throwable thrown) {
        OutOfMemoryError noMemory = noMemory(thrown);
        if (noMemory == null) {
            return false;
        }
        lacking = Lack.of(noMemory);
        return true;
    }

    private static @Nullable OutOfMemoryError noMemory(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof OutOfMemoryError error) {
                return error;
            }
        }
        return null;
    }

    private void watch() {
        try {
            while (true) {
                Thread.sleep(PAUSE_MILLIS); // short commands end before they load what follows
                byte[] message = look(collections);
                if (message != null) {
                    end(message);
                }
            }
        } catch (InterruptedException e) {
            // nobody interrupts it
        }
    }

    /**
     * Looks once, after a pause. Called by one thread.
     *
     * @param share the share of time that collections take
     * @return the message with which the process has to end; null if it may continue
     */
    byte @Nullable [] look(DoubleSupplier share) {
        try {
            Lack lack = lacking;
            if (lack != null && pauses++ >= PAUSES_TO_FAIL) {
                return message(lack, heap, threads);
            }
            return share.getAsDouble() > MAX_SHARE ? garbage : null;
        } catch (OutOfMemoryError
                | LinkageError e) { // not even a few bytes are free, or were not when a class was initialized
            lacking = Lack.HEAP;
            return null;
        }
    }

    /** Allocates and loads nothing for those that are made. */
    private static byte[] message(Lack lack, byte[] heap, byte[] threads) {
        return lack == Lack.HEAP ? heap : lack == Lack.THREADS ? threads : message(lack);
    }

    /** The share of time that collections take. Confined to one thread. */
    private static final class Collections implements DoubleSupplier {
        private final Shares shares = new Shares();
        private @Nullable List<GarbageCollectorMXBean> collectors;

        @Override
        public double getAsDouble() {
            List<GarbageCollectorMXBean> all = collectors;
            if (all == null) {
                all = ManagementFactory.getGarbageCollectorMXBeans();
                collectors = all;
            }
            long millis = 0;
            for (GarbageCollectorMXBean collector : all) {
                millis += collector.getCollectionTime();
            }
            return shares.add(System.nanoTime(), millis);
        }
    }

    private void end(byte[] message) {
        try {
            err.write(message);
        } catch (IOException e) {
            // nobody reads it
        } finally {
            Runtime.getRuntime().halt(exitCode);
        }
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
}
