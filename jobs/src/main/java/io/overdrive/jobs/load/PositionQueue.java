package io.overdrive.jobs.load;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Positions of acknowledged rows, on their way from the I/O threads to the thread of the journal. Thread-safe by its lock, which is
 * held while a few numbers are copied. On the hot path (write step 7): arrays are reused, and nothing is allocated for a row.
 */
final class PositionQueue {
    private static final int CHUNK = 1 << 14;
    /** 32 MiB: as many rows as are acknowledged in many seconds. Further ones are forgotten, and written again when the run is resumed. */
    private static final int MAX_CHUNKS = 256;

    private final List<long[]> full = new ArrayList<>();
    private final List<long[]> free = new ArrayList<>();
    private long[] current = new long[CHUNK];
    private int count;

    /** Adds the positions. Does not wait. */
    synchronized void add(long[] positions) {
        int from = 0;
        while (from < positions.length) {
            if (count == CHUNK && !startChunk()) {
                return;
            }
            int length = Math.min(positions.length - from, CHUNK - count);
            System.arraycopy(positions, from, current, count, length);
            count += length;
            from += length;
        }
    }

    private boolean startChunk() {
        if (full.size() == MAX_CHUNKS) {
            return false;
        }
        full.add(current);
        current = free.isEmpty() ? new long[CHUNK] : free.remove(free.size() - 1);
        count = 0;
        return true;
    }

    /** Takes all positions that were added. Called by one thread. */
    void drain(LongConsumer to) {
        List<long[]> chunks;
        long[] last;
        int lastCount;
        synchronized (this) {
            chunks = new ArrayList<>(full);
            full.clear();
            last = current;
            lastCount = count;
            current = free.isEmpty() ? new long[CHUNK] : free.remove(free.size() - 1);
            count = 0;
        }
        for (long[] chunk : chunks) {
            for (long position : chunk) {
                to.accept(position);
            }
        }
        for (int i = 0; i < lastCount; i++) {
            to.accept(last[i]);
        }
        synchronized (this) {
            free.addAll(chunks);
            free.add(last);
        }
    }
}
