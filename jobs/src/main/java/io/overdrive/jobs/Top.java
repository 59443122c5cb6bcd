package io.overdrive.jobs;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.ToLongFunction;

/**
 * The largest of many things. Confined to one thread at a time.
 *
 * @param <T> their type
 */
public final class Top<T> {
    private final int max;
    private final ToLongFunction<T> size;
    private final PriorityQueue<T> kept;

    /** @param max number of things to keep, 1 or more */
    public Top(int max, ToLongFunction<T> size) {
        this.max = max;
        this.size = size;
        this.kept = new PriorityQueue<>(Comparator.comparingLong(size));
    }

    /** Whether a thing of this size would be kept. */
    public boolean takes(long sizeOfNext) {
        return kept.size() < max || sizeOfNext > size.applyAsLong(kept.element());
    }

    /** Keeps it if it is large enough. */
    public void add(T next) {
        if (takes(size.applyAsLong(next))) {
            kept.add(next);
            if (kept.size() > max) {
                kept.remove();
            }
        }
    }

    /** The things that are kept, in no particular order. */
    public List<T> kept() {
        return List.copyOf(kept);
    }
}
