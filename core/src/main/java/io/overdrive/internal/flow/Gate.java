package io.overdrive.internal.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one node, and how requests to it ended. Permits are limited in requests, in bytes and, once a {@link
 * LimitController} has decided, in cost: bytes plus {@link #REQUEST_COST} for each request. One request is always
 * permitted if nothing else is in flight. A request keeps its permit while it backs off, so that retries hold producers
 * back; {@link #ended} is called for each of its sendings. Thread-safe; on the hot path (write step 4).
 *
 * <p>A waiting producer is woken when a quarter of the permits are free again rather than at the first one: waking a
 * thread costs more than sending a small request.
 */
public final class Gate {
    /**
     * Cost of a request to a node in addition to its bytes, in bytes: a row of 100 bytes costs about as much as 1 KiB
     * of a batch.
     */
    public static final int REQUEST_COST = 1024;

    private static final int OUTCOMES = Outcome.values().length;
    /** Maximum pause between two requests, so that a share near 0 still makes progress. */
    private static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final int maxRequests;
    private final long maxBytes;
    private final LongSupplier clock;

    @GuardedBy("this") private double limit = Double.POSITIVE_INFINITY;

    @GuardedBy("this") private double share = 1;

    @GuardedBy("this") private int requests;

    @GuardedBy("this") private long bytes;

    /** Threads in {@link #acquire}. */
    @GuardedBy("this") private int waiting;

    /** Whether a waiting request was woken and did not fit, as it is large: then it is the next one. */
    @GuardedBy("this") private boolean reserved;

    @GuardedBy("this") private long reservedSize;

    /** Requests of {@link #acquireOrQueue}. */
    @GuardedBy("this") private final Queue<Queued> queue = new ArrayDeque<>();

    /** Whether a queued request was the last to get a permit while threads waited: then one of these is next. */
    @GuardedBy("this") private boolean isThreadsTurn;

    /** Whether a thread runs queued requests: then it will notice what is released meanwhile. */
    @GuardedBy("this") private boolean runsQueue;

    /** Nothing is permitted before, since the share allows less than one request at a time. */
    @GuardedBy("this") private long pausedUntilNanos;

    @GuardedBy("this") private long busySinceNanos;

    @GuardedBy("this") private long busyCost;

    @GuardedBy("this") private long windowStartNanos;

    @GuardedBy("this") private final long[] outcomes = new long[OUTCOMES];

    @GuardedBy("this") private long answeredCost;

    @GuardedBy("this") private long answeredBytes;

    @GuardedBy("this") private @Nullable Histogram roundTrips;

    @GuardedBy("this") private long peakCost;

    @GuardedBy("this") private boolean isLimited;

    /** Whether a request has waited since {@link #forgetWaits}. */
    @GuardedBy("this") private boolean hadWaits;

    /** Time of threads in {@link #acquire}, and of queued requests; apart, while the share is less than 1. */
    private final WaitTime threads = new WaitTime();

    private final WaitTime threadsHeldBack = new WaitTime();
    private final WaitTime queued = new WaitTime();
    private final WaitTime queuedHeldBack = new WaitTime();

    @GuardedBy("this") private long ended;

    @GuardedBy("this") private long endedNanos;

    /** @param time where its wait is counted */
    private record Queued(long size, Runnable action, WaitTime time) {}

    /**
     * Where time has gone, since the beginning.
     *
     * @param threadNanos threads waited for a permit
     * @param threadHeldBackNanos likewise, while the share was less than 1
     * @param queuedNanos queued requests waited for a permit
     * @param queuedHeldBackNanos likewise, while the share was less than 1
     * @param ended sendings that have ended
     * @param endedNanos for how long these were in flight
     */
    public record Times(
            long threadNanos,
            long threadHeldBackNanos,
            long queuedNanos,
            long queuedHeldBackNanos,
            long ended,
            long endedNanos) {
        public static final Times NONE = new Times(0, 0, 0, 0, 0, 0);
    }

    Gate(int maxRequests, long maxBytes, LongSupplier clock) {
        this.maxRequests = maxRequests;
        this.maxBytes = maxBytes;
        this.clock = clock;
        this.windowStartNanos = clock.getAsLong();
    }

    /**
     * Waits for a permit. A request larger than the limit goes when nothing else is in flight. One that has waited and still
     * does not fit is the next one, so that smaller ones do not pass it for ever.
     */
    public synchronized void acquire(long size) {
        if (reserved || isFull(size)) {
            isLimited = true;
            hadWaits = true;
            boolean interrupted = false;
            boolean isNext = false;
            WaitTime time = share < 1 ? threadsHeldBack : threads;
            time.begin(clock.getAsLong());
            waiting++;
            do {
                try {
                    long pause = pauseNanos();
                    wait(pause > 0 ? TimeUnit.NANOSECONDS.toMillis(pause) + 1 : 0);
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
            isThreadsTurn = false;
            time.end(clock.getAsLong());
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        take(size);
    }

    /**
     * Takes a permit and returns true, or returns false and runs the action with a permit as soon as there is one, on the
     * thread that releases it. The action must not wait. In order of the calls, and in turns with threads that wait.
     */
    public synchronized boolean acquireOrQueue(long size, Runnable action) {
        if (queue.isEmpty() && !reserved && !isFull(size)) {
            take(size);
            return true;
        }
        isLimited = true;
        hadWaits = true;
        WaitTime time = share < 1 ? queuedHeldBack : queued;
        time.begin(clock.getAsLong());
        queue.add(new Queued(size, action, time));
        return false;
    }

    /** Takes a permit without waiting, for a request that had one of another node: it may not wait on an I/O thread. */
    public synchronized void force(long size) {
        take(size);
    }

    @GuardedBy("this") private void take(long size) {
        if (requests == 0 && share < 1) {
            busySinceNanos = clock.getAsLong();
            busyCost = 0;
        }
        requests++;
        bytes += size;
        busyCost = Math.max(busyCost, cost());
        peakCost = Math.max(peakCost, cost());
    }

    @GuardedBy("this") private long cost() {
        return bytes + (long) requests * REQUEST_COST;
    }

    @GuardedBy("this") private boolean isFull(long size) {
        return requests > 0
                ? requests >= maxRequests * share
                        || bytes + size > maxBytes * share
                        || cost() + size + REQUEST_COST > limit * share
                : pauseNanos() > 0;
    }

    @GuardedBy("this") private long pauseNanos() {
        return share < 1 && requests == 0 ? pausedUntilNanos - clock.getAsLong() : 0;
    }

    public void release(long size) {
        synchronized (this) {
            requests--;
            bytes -= size;
            if (share < 1 && requests == 0) {
                pause();
            }
            wake();
        }
        runQueue();
    }

    /**
     * If one request at a time is more than the share, the node is left alone after it for as long as the mean over time
     * becomes the share: with cost c for t seconds and a permitted cost p, for t * (c / p - 1).
     */
    @GuardedBy("this") private void pause() {
        long now = clock.getAsLong();
        double permitted =
                Math.max(1, share * Math.min(limit, Math.min(maxBytes, (double) maxRequests * REQUEST_COST)));
        double excess = busyCost / permitted - 1;
        pausedUntilNanos = excess <= 0 ? now : now + (long) Math.min(MAX_PAUSE_NANOS, (now - busySinceNanos) * excess);
    }

    @GuardedBy("this") private void wake() {
        if (waiting > 0 && (requests == 0 || isThreadsTurn || (reserved ? !isFull(reservedSize) : isQuarterFree()))) {
            notifyAll();
        }
    }

    @GuardedBy("this") private boolean isQuarterFree() {
        double most = share * 3 / 4;
        return requests <= maxRequests * most && bytes <= maxBytes * most && cost() <= limit * most;
    }

    /** Runs queued requests as far as there are permits; one thread at a time, so that requests that fail at once do not nest. */
    void runQueue() {
        while (true) {
            Queued next;
            synchronized (this) {
                next = queue.peek();
                if (next == null || runsQueue || reserved || isThreadsTurn || isFull(next.size)) {
                    return;
                }
                queue.remove();
                isThreadsTurn = waiting > 0;
                next.time.end(clock.getAsLong());
                take(next.size);
                runsQueue = true;
            }
            try {
                next.action.run();
            } finally {
                synchronized (this) {
                    runsQueue = false;
                }
            }
        }
    }

    /** Counts one sending of a request of this many bytes that ended after this time. */
    public synchronized void ended(long size, long nanos, Outcome outcome) {
        outcomes[outcome.ordinal()]++;
        ended++;
        endedNanos += nanos;
        if (outcome == Outcome.ANSWERED) {
            answeredCost += size + REQUEST_COST;
            answeredBytes += size;
            if (roundTrips != null) {
                roundTrips.recordValue(Math.min(Math.max(0, nanos) / 1000, Latencies.MAX_MICROS));
            }
        }
    }

    /** Sets the limit in cost, and whether to measure round trips. Wakes who may go now. */
    void limit(double newLimit) {
        synchronized (this) {
            limit = newLimit;
            if (roundTrips == null) {
                roundTrips = new Histogram(Latencies.MAX_MICROS, Latencies.DIGITS);
            }
            wake();
        }
        runQueue();
    }

    /** Sets the share of all limits that may be used, more than 0 and at most 1. */
    void share(double newShare) {
        synchronized (this) {
            if (newShare < 1 && share >= 1 && requests > 0) {
                busySinceNanos = clock.getAsLong();
            }
            share = newShare;
            wake();
        }
        runQueue();
    }

    /** Nanoseconds since the window began; begins a new one if nothing was in flight in it. */
    synchronized long windowNanos(long now) {
        if (requests == 0 && peakCost == 0) {
            windowStartNanos = now;
        }
        return now - windowStartNanos;
    }

    synchronized void forgetWaits() {
        hadWaits = waiting > 0 || !queue.isEmpty();
    }

    /** Whether a request has waited for a permit since {@link #forgetWaits}. */
    synchronized boolean hadWaits() {
        return hadWaits;
    }

    public synchronized Times times() {
        long now = clock.getAsLong();
        return new Times(
                threads.nanos(now),
                threadsHeldBack.nanos(now),
                queued.nanos(now),
                queuedHeldBack.nanos(now),
                ended,
                endedNanos);
    }

    /** Bytes of all requests that were answered, since the beginning. */
    synchronized long answeredBytes() {
        return answeredBytes;
    }

    synchronized long endedInWindow() {
        return Arrays.stream(outcomes).sum();
    }

    synchronized boolean hasFailures() {
        return endedInWindow() > outcomes[Outcome.ANSWERED.ordinal()];
    }

    /** Returns the events since the last call, and starts the next window. */
    public synchronized Window takeWindow(long now) {
        Histogram times = roundTrips;
        Window window = new Window(
                now - windowStartNanos,
                endedInWindow(),
                outcomes[Outcome.OVERLOADED.ordinal()],
                outcomes[Outcome.TIMED_OUT.ordinal()],
                outcomes[Outcome.LOST.ordinal()],
                answeredCost,
                times == null ? 0 : times.getValueAtPercentile(50) * 1000,
                peakCost,
                isLimited && share >= 1);
        windowStartNanos = now;
        Arrays.fill(outcomes, 0);
        answeredCost = 0;
        if (times != null) {
            times.reset();
        }
        peakCost = cost();
        isLimited = waiting > 0 || !queue.isEmpty();
        return window;
    }

    /** The most that may be in flight at once, in cost; {@link Long#MAX_VALUE} without limits. */
    synchronized long permitted() {
        return (long) (share * Math.min(limit, maxBytes + (double) maxRequests * REQUEST_COST));
    }

    public synchronized int requests() {
        return requests;
    }

    public synchronized long bytes() {
        return bytes;
    }

    /** How full it is, to compare nodes: the cost in flight as a share of the limit, in millionths, or in bytes without limit. */
    public synchronized long load() {
        return limit == Double.POSITIVE_INFINITY ? cost() : (long) (cost() * 1e6 / limit);
    }
}
