package io.overdrive.internal.write;

import io.overdrive.internal.codec.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts rows whose primary key an earlier row had, by the hashes of keys: of the first keys, as many as a table holds, which are
 * about 600,000; when it is full, by a direct-mapped table of recent keys as well, and the count may then be too small. Thread-safe
 * without locks; a race between two threads never invents a repeated key, and misses one only among recent keys. On the hot path
 * (write step 2).
 *
 * <p>Different keys count as equal if their hashes agree in 63 bits: the chance is 10<sup>-7</sup> for a full table.
 */
public final class RepeatedKeys {
    private static final VarHandle ENTRY = MethodHandles.arrayElementVarHandle(long[].class);
    /** The table of the first keys has 8 MB. */
    private static final int FIRST_BITS = 20;
    /** The places that a key may have; when they are taken, the table is full: about 60 % of it are used by then. */
    private static final int MAX_PROBES = 128;
    /** The table of recent keys has 128 KiB, which fit in the processor's cache. */
    private static final int RECENT_BITS = 14;

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

    private final long[] first = new long[1 << FIRST_BITS];
    private final long[] recent = new long[1 << RECENT_BITS];
    private final LongAdder repeated = new LongAdder();
    private volatile boolean isFull;

    /** Adds the hash of a row's primary key; see {@link #mix}. */
    public void add(long hash) {
        long entry = hash | 1; // never 0, which is an empty place
        int at = (int) (hash >>> Long.SIZE - FIRST_BITS);
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            long found = (long) ENTRY.getOpaque(first, at);
            if (found == 0) {
                if (isFull) {
                    addRecent(entry);
                    return;
                }
                found = (long) ENTRY.compareAndExchange(first, at, 0, entry);
                if (found == 0) {
                    return;
                }
            }
            if (found == entry) {
                repeated.increment();
                return;
            }
            at = at + 1 & (1 << FIRST_BITS) - 1;
        }
        isFull = true;
        addRecent(entry);
    }

    private void addRecent(long entry) {
        int at = (int) (entry >>> Long.SIZE - RECENT_BITS);
        if ((long) ENTRY.getOpaque(recent, at) == entry) {
            repeated.increment();
        } else {
            ENTRY.setOpaque(recent, at, entry);
        }
    }

    /** Rows whose key was seen before: all of them if {@link #isExact}, else at least this many. */
    public long count() {
        return repeated.sum();
    }

    /** Whether all keys are remembered. */
    public boolean isExact() {
        return !isFull;
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
