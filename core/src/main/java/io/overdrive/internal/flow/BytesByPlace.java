package io.overdrive.internal.flow;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.LongStream;

/**
 * How the bytes of a job are spread over partitions or splits, which share a count if their hashes are equal: enough to see that a few
 * of them get most. Thread-safe; on the hot path (write step 4), once for each request.
 */
public final class BytesByPlace {
    private static final int PLACES_BITS = 10;

    private final AtomicLongArray counts = new AtomicLongArray(1 << PLACES_BITS);

    /** @param token of the partition, or the first one of the split */
    public void add(long token, long bytes) {
        counts.addAndGet((int) (token * 0x9E3779B97F4A7C15L >>> Long.SIZE - PLACES_BITS), bytes);
    }

    /** The counts until now, always in the same order. */
    public List<Long> snapshot() {
        return LongStream.range(0, counts.length())
                .map(i -> counts.get((int) i))
                .boxed()
                .toList();
    }
}
