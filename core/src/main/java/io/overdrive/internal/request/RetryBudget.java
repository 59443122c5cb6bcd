package io.overdrive.internal.request;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many retries one job may send. A retry takes a token, and gives it back if it succeeds; each success adds a tenth of a token,
 * and each second {@value #TOKENS_A_SECOND}. So the retries that fail are at most a tenth of the successes and a few more, while a
 * cluster that is back soon gets all of them: 1.1 times as many in each round trip. Retries without a token wait in a queue, and are
 * never dropped. Modelled on Finagle's retry budget and gRPC's retry throttling, which fail such retries instead. Thread-safe; on the hot
 * path (write step 7), where it costs a read of a field that does not change while the cluster is well.
 */
final class RetryBudget {
    /** Shares in a token; a success adds one share. */
    private static final long SHARES = 10;

    private static final long TOKENS_A_SECOND = 10;
    private static final long MAX_TOKENS = 100;

    /** A retry whose turn has come. */
    interface Retry {
        /** Sends it; returns false if there was nothing to send, or no node to send it to. */
        boolean send();
    }

    private final Executor executor;
    private final AtomicLong shares = new AtomicLong(MAX_TOKENS * SHARES);
    private final Queue<Retry> queue = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drains = new AtomicBoolean();
    private volatile long queuedNanos;
    /** When tokens were last added. Used by {@link #tick} only. */
    private long lastNanos;

    /** @param executor sends retries that have waited, when a success permits it */
    RetryBudget(Executor executor, long now) {
        this.executor = executor;
        this.lastNanos = now;
    }

    /** Sends a retry, now or when there is a token for it. */
    void send(Retry retry, long now) {
        if (queue.isEmpty() && take()) {
            send(retry);
            return;
        }
        if (queue.isEmpty()) {
            queuedNanos = now;
        }
        queue.add(retry);
    }

    private void send(Retry retry) {
        if (!retry.send()) {
            giveBack();
        }
    }

    private boolean take() {
        long before;
        do {
            before = shares.get();
            if (before < SHARES) {
                return false;
            }
        } while (!shares.compareAndSet(before, before - SHARES));
        return true;
    }

    /** Returns the token of a retry that was not sent, or neither succeeded nor failed. */
    void giveBack() {
        add(SHARES);
    }

    /** A request was answered, and not by an error. */
    void succeeded(boolean isRetry) {
        if (isRetry) {
            add(SHARES + 1);
        } else if (shares.get() < MAX_TOKENS * SHARES) {
            add(1);
        }
        if (!queue.isEmpty() && drains.compareAndSet(false, true)) {
            executor.execute(() -> {
                drains.set(false);
                drain();
            });
        }
    }

    /**
     * Adds shares. Not capped while retries are queued: a burst of successes may arrive before the executor drains the
     * queue.
     */
    private void add(long count) {
        long max = queue.isEmpty() ? MAX_TOKENS * SHARES : Long.MAX_VALUE;
        shares.accumulateAndGet(count, (before, more) -> Math.min(max, before + more));
    }

    /** Adds the tokens of the time that has passed. Called by one thread. */
    void tick(long now) {
        long nanosAShare = TimeUnit.SECONDS.toNanos(1) / (TOKENS_A_SECOND * SHARES);
        long count = (now - lastNanos) / nanosAShare;
        if (count > 0) {
            lastNanos += count * nanosAShare;
            add(count);
            drain();
        }
    }

    private void drain() {
        while (!queue.isEmpty() && take()) {
            Retry next = queue.poll();
            if (next == null) {
                giveBack();
            } else {
                send(next);
            }
        }
    }

    /** Time since retries have waited for a token; 0 if none waits. */
    long waitingNanos(long now) {
        return queue.isEmpty() ? 0 : now - queuedNanos;
    }

    /** How many retries wait for a token. */
    int waiting() {
        return queue.size();
    }
}
