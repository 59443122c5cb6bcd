package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.concurrent.atomic.AtomicLong;

/** Counts rows that are accepted and neither written nor rejected yet. Thread-safe; on the hot path (write steps 4 and 7). */
final class PendingRows {
    private static final long CHECK_MILLIS = 100;

    private final AtomicLong rows = new AtomicLong();
    private final Object none = new Object();

    void add(int accepted) {
        rows.addAndGet(accepted);
    }

    void remove(int ended) {
        if (rows.addAndGet(-ended) == 0) {
            synchronized (none) {
                none.notifyAll();
            }
        }
    }

    boolean isEmpty() {
        return rows.get() == 0;
    }

    /** @throws OverdriveException of kind INTERRUPTED */
    void awaitNone() {
        synchronized (none) {
            try {
                while (rows.get() > 0) {
                    none.wait(CHECK_MILLIS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OverdriveException(Kind.INTERRUPTED, "interrupted while waiting for acknowledgements");
            }
        }
    }
}
