package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The only place where producers wait for the cluster: for a permit, which bounds requests and bytes in flight to each
 * node, and for the rate limits in rows and bytes a second. Shared by a writer and those separate from it. Thread-safe; on the hot path (write step 4).
 *
 * <p>A waiting producer is woken when a quarter of the node's permits are free again rather than at the first one:
 * waking a thread costs more than sending a small request.
 */
public final class Limiter {
    /** How often a paced thread checks whether pacing was cancelled. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int OUTCOMES = Outcome.values().length;

    private final int maxRequests;
    private final long maxBytes;
    private final long rowsPerSecond;
    private final long bytesPerSecond;
    private final ConcurrentHashMap<Node, Gate> gates = new ConcurrentHashMap<>();
    private final Object paceLock = new Object();

    @GuardedBy("paceLock") private long nextStartNanos = Long.MIN_VALUE;

    private volatile boolean pacingCancelled;

    public Limiter(int maxRequests, long maxBytes, long rowsPerSecond, long bytesPerSecond) {
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
        this.rowsPerSecond = rowsPerSecond;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** The permits of one node. */
    public Gate gate(Node node) {
        Gate gate = gates.get(node);
        return gate != null ? gate : gates.computeIfAbsent(node, n -> new Gate());
    }

    /** Waits until the rate limits allow this many more rows and bytes. */
    public void pace(int rows, long bytes) {
        if (rowsPerSecond == Long.MAX_VALUE && bytesPerSecond == Long.MAX_VALUE) {
            return;
        }
        long cost = (long) Math.max(rows * 1e9 / rowsPerSecond, bytes * 1e9 / bytesPerSecond);
        long now = System.nanoTime();
        long start;
        synchronized (paceLock) {
            // At most a tenth of a second of unused time is kept, so that a pause is not followed by a burst.
            start = Math.max(nextStartNanos, now - TimeUnit.MILLISECONDS.toNanos(100));
            nextStartNanos = start + cost;
        }
        boolean interrupted = false;
        for (long wait = start - now; wait > 0 && !pacingCancelled; wait = start - System.nanoTime()) {
            LockSupport.parkNanos(Math.min(wait, CHECK_NANOS));
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Lifts the rate limits; paced threads return at once. For shutdown. */
    public void cancelPacing() {
        pacingCancelled = true;
    }

    /**
     * The permits of one node, and how requests to it ended. Thread-safe. A request keeps its permit while it backs off,
     * so that retries hold producers back; {@link #ended} is called for each of its sendings.
     */
    public final class Gate {
        @GuardedBy("this") private int requests;

        @GuardedBy("this") private long bytes;

        @GuardedBy("this") private int waiting;

        /** Whether a waiting request was woken and did not fit, as it is large: then it is the next one. */
        @GuardedBy("this") private boolean reserved;

        @GuardedBy("this") private long reservedSize;

        @GuardedBy("this") private final long[] outcomes = new long[OUTCOMES];

        @GuardedBy("this") private long answeredBytes;

        @GuardedBy("this") private long sumNanos;

        @GuardedBy("this") private long minNanos = Long.MAX_VALUE;

        @GuardedBy("this") private int peakRequests;

        @GuardedBy("this") private long peakBytes;

        /**
         * Waits for a permit. A request larger than the bound goes when nothing else is in flight. One that has waited and
         * still does not fit is the next one, so that smaller ones do not pass it for ever.
         */
        public synchronized void acquire(long size) {
            if (reserved || isFull(size)) {
                boolean interrupted = false;
                boolean isNext = false;
                waiting++;
                do {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        interrupted = true; // the row is accepted already; its producer checks the flag before the next
                    }
                    if (!reserved && isFull(size)) {
                        reserved = true;
                        reservedSize = size;
                        isNext = true;
                    }
                } while (isNext ? isFull(size) : reserved || isFull(size));
                if (isNext) {
                    reserved = false;
                }
                waiting--;
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            take(size);
        }

        @GuardedBy("this") private void take(long size) {
            requests++;
            bytes += size;
            peakRequests = Math.max(peakRequests, requests);
            peakBytes = Math.max(peakBytes, bytes);
        }

        @GuardedBy("this") private boolean isFull(long size) {
            return requests >= maxRequests || (bytes + size > maxBytes && requests > 0);
        }

        /** Takes a permit without waiting, for a request that had one of another node: it may not wait on an I/O thread. */
        public synchronized void force(long size) {
            take(size);
        }

        public synchronized void release(long size) {
            requests--;
            bytes -= size;
            if (waiting > 0 && (reserved ? !isFull(reservedSize) : isQuarterFree())) {
                notifyAll();
            }
        }

        @GuardedBy("this") private boolean isQuarterFree() {
            return requests <= maxRequests - (maxRequests + 3) / 4 && bytes <= maxBytes - maxBytes / 4;
        }

        /** Counts one sending of a request of this many bytes that ended after this time. */
        public synchronized void ended(long size, long nanos, Outcome outcome) {
            outcomes[outcome.ordinal()]++;
            if (outcome == Outcome.ANSWERED) {
                answeredBytes += size;
                sumNanos += nanos;
                minNanos = Math.min(minNanos, nanos);
            }
        }

        /** What happened since the last call, and starts the next window. */
        public synchronized Window takeWindow() {
            Window window = new Window(
                    Arrays.stream(outcomes).sum(),
                    outcomes[Outcome.OVERLOADED.ordinal()],
                    outcomes[Outcome.TIMED_OUT.ordinal()],
                    outcomes[Outcome.LOST.ordinal()],
                    answeredBytes,
                    sumNanos,
                    minNanos == Long.MAX_VALUE ? 0 : minNanos,
                    peakRequests,
                    peakBytes);
            Arrays.fill(outcomes, 0);
            answeredBytes = 0;
            sumNanos = 0;
            minNanos = Long.MAX_VALUE;
            peakRequests = requests;
            peakBytes = bytes;
            return window;
        }

        public synchronized int requests() {
            return requests;
        }

        public synchronized long bytes() {
            return bytes;
        }
    }
}
