package io.overdrive.internal.write;

import io.overdrive.internal.codec.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts rows whose primary key a recent row had, by a direct-mapped table of the hashes of recent keys. Thread-safe without
 * locks: a race between two threads can miss a repeated key, but never invents one. On the hot path (write step 2).
 *
 * <p>Different keys count as equal if their hashes agree in 63 bits and no other key replaced the first one in between: the
 * chance is 2^-49 a row.
 */
public final class RepeatedKeys {
    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(long[].class);
    /** The table has 128 KiB, which fit in the processor's cache. */
    private static final int BITS = 14;

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final long[] hashes = new long[1 << BITS];
    private final LongAdder repeated = new LongAdder();

    /** Adds the hash of a row's primary key; see {@link #mix}. */
    public void add(long hash) {
        int at = (int) (hash >>> Long.SIZE - BITS);
        long entry = hash | 1; // never 0, which is an empty place
        if ((long) ENTRY.getOpaque(hashes, at) == entry) {
            repeated.increment();
        } else {
            ENTRY.setOpaque(hashes, at, entry);
        }
    }

    /** Rows whose key was seen before; at least this many. */
    public long count() {
        return repeated.sum();
    }

    /** Mixes the bytes of a clustering column into the hash, which starts as the token of the partition. */
    public static long mix(long hash, byte[] bytes, int from, int to) {
        long h = hash ^ (to - from);
        int i = from;
        for (; i + Long.BYTES <= to; i += Long.BYTES) {
            h = (h ^ Bytes.getLong(bytes, i)) * MULTIPLIER;
            h ^= h >>> 32;
        }
        long rest = 0;
        for (; i < to; i++) {
            rest = rest << 8 | bytes[i] & 0xFF;
        }
        h = (h ^ rest) * MULTIPLIER;
        return h ^ h >>> 29;
    }
}
