package io.overdrive.internal.scan;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which of the splits of a scan request pages: not more than wanted, although the wanted number may change at any time. Splits that were
 * begun and have to make room are parked, and continue before others are begun. Thread-safe; nothing waits.
 *
 * @param <S> a split that is being read
 */
public final class ActiveSplits<S> {
    private final IntSupplier wanted;
    private final Supplier<@Nullable S> unread;
    private final AtomicInteger active = new AtomicInteger();
    private final Queue<S> parked = new ConcurrentLinkedQueue<>();
    private volatile boolean hasUnread = true;

    /**
     * @param wanted how many may be active now, 1 or more
     * @param unread begins the next split, and returns null after the last; may be called by several threads at once
     */
    public ActiveSplits(IntSupplier wanted, Supplier<@Nullable S> unread) {
        this.wanted = wanted;
        this.unread = unread;
    }

    /** The next split to request pages, which is then active; null if enough are active, or there is none. */
    public @Nullable S activate() {
        while ((hasUnread || !parked.isEmpty()) && enter()) {
            S next = parked.poll();
            if (next == null && hasUnread) {
                next = unread.get();
                hasUnread = next != null;
            }
            if (next != null) {
                return next;
            }
            active.decrementAndGet(); // one that is parked now is found by the next round
        }
        return null;
    }

    private boolean enter() {
        int count = active.get();
        while (count < wanted.getAsInt()) {
            if (active.compareAndSet(count, count + 1)) {
                return true;
            }
            count = active.get();
        }
        return false;
    }

    /** Whether one of the active splits is to be parked: the caller's, which is then not active any more. */
    public boolean makeRoom() {
        int count = active.get();
        while (count > wanted.getAsInt()) {
            if (active.compareAndSet(count, count - 1)) {
                return true;
            }
            count = active.get();
        }
        return false;
    }

    /** Parks a split after {@link #makeRoom}; {@link #activate} is to be called next, as room may have been made for it meanwhile. */
    public void park(S split) {
        parked.add(split);
    }

    /** An active split is finished. */
    public void finish() {
        active.decrementAndGet();
    }
}
