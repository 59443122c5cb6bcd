package io.overdrive.internal.write;

import io.overdrive.internal.codec.Bytes;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts rows whose primary key an earlier row had, by the hashes of keys: of the first keys, as many as a table holds, which are
 * about 600,000; when it is full, by a direct-mapped table of recent keys as well, and the count may then be too small. Each thread
 * adds hashes to its own {@link Part}. A race between two threads never invents a repeated key, and misses one only among recent
 * keys.
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
    private final Queue<Part> parts = new ConcurrentLinkedQueue<>();
    private volatile boolean isFull;

    /**
     * The hashes that one thread adds. The table is larger than the processor's cache, and a place in it is read many at a time, so
     * that the processor waits for several parts of memory at once. Confined to one thread at a time; on the hot path (write step 2).
     */
    public final class Part {
        private static final int SIZE = 64;

        private final long[] hashes = new long[SIZE];
        private int size;
        /** The sum of values read ahead. It has no meaning, but without it the compiler would leave out the reads. */
        private long readAhead;

        private Part() {}

        /** Adds the hash of a row's primary key; see {@link RepeatedKeys#mix}. */
        public void add(long hash) {
            hashes[size++] = hash;
            if (size == SIZE) {
                flush();
            }
        }

        private void flush() {
            long read = readAhead;
            for (int i = 0; i < size; i++) {
                read += first[place(hashes[i])];
            }
            readAhead = read;
            for (int i = 0; i < size; i++) {
                count(hashes[i]);
            }
            size = 0;
        }
    }

    /** A part for another thread. May be called by any thread. */
    public Part part() {
        Part part = new Part();
        parts.add(part);
        return part;
    }

    /** Counts the hashes that all parts still have. Their threads must have added their last hash. */
    public void complete() {
        parts.forEach(Part::flush);
    }

    private static int place(long hash) {
        return (int) (hash >>> Long.SIZE - FIRST_BITS);
    }

    private void count(long hash) {
        long entry = hash | 1; // never 0, which is an empty place
        int at = place(hash);
        for (int probe = 0; probe < MAX_PROBES; probe++) {
            long found = (long) ENTRY.getOpaque(first, at);
            if (found == 0) {
                if (isFull) {
                    addRecent(entry);
                    return;
                }
                found = (long) ENTRY.compareAndExchange(first, at, 0L, entry);
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

    /** Rows whose key was seen before: all of them after {@link #complete} if {@link #isExact}, else at least this many. */
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
