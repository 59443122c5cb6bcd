package io.overdrive.bench.experiments.kit;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The growth of the heap in use by this JVM, without garbage: the bytes that remain after garbage collections requested here, at moments
 * when much is held. {@link HeapWatch} requests none, and so costs no time, but sees only the collections that happen by themselves.
 * Thread-safe by its lock.
 */
public final class HeapInUse {
    private static final long EACH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long atFirst = now();
    private long highest;
    private long nextNanos = System.nanoTime();

    /**
     * Checks in advance that this much does not take more than half of the heap.
     *
     * @param what the work that needs it, as the beginning of a sentence
     * @throws IllegalStateException if it would
     */
    public static void require(double bytes, String what) {
        long heap = Runtime.getRuntime().maxMemory();
        if (bytes > heap / 2.0) {
            throw new IllegalStateException(String.format(
                    Locale.ROOT,
                    "%s: %,.0f MB are more than half of the heap of %,.0f MB; set OVERDRIVE_JAVA_OPTIONS=-Xmx%.0fg",
                    what,
                    bytes / 1e6,
                    heap / 1e6,
                    Math.ceil(2 * bytes / 1e9)));
        }
    }

    /**
     * Measures the heap in use, unless another thread did in the last half second. Called when much is held. Takes as
     * long as a full collection.
     */
    public synchronized void look() {
        if (System.nanoTime() - nextNanos >= 0) {
            highest = Math.max(highest, now() - atFirst);
            nextNanos = System.nanoTime() + EACH_NANOS;
        }
    }

    /** The maximum that was seen. */
    public synchronized long highestBytes() {
        return highest;
    }

    private static long now() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
