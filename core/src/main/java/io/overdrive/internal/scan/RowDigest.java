package io.overdrive.internal.scan;

import io.overdrive.RowCursor;
import io.overdrive.internal.ring.Murmur3;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/**
 * A digest of rows that does not depend on their order. Two reads of the same rows, each row equally often, have the same
 * digest; other reads almost certainly have a different one. It covers the columns' bytes, in the order of the columns.
 * Thread-safe.
 *
 * <p>Each row's bytes are hashed by MurmurHash3, and this hash by a second function; each is added to a 64-bit sum. It
 * detects accidents, not forgeries.
 */
public final class RowDigest {
    private final LongAdder first = new LongAdder();
    private final LongAdder second = new LongAdder();

    /** Collects the rows of one thread, which is cheaper than adding each to the shared digest. Confined to that thread. */
    public final class Part {
        private long sum;
        private long mixedSum;

        private Part() {}

        /** Adds the cursor's row. */
        public void add(RowCursor row) {
            add(row, row.columns());
        }

        /** Adds the first columns of the cursor's row. */
        public void add(RowCursor row, int columns) {
            int last = columns - 1;
            long hash = Murmur3.token(row.array(), row.rowStart(), row.offset(last) + Math.max(0, row.length(last)));
            sum += hash;
            mixedSum += mixed(hash);
        }

        /** Adds the collected rows to the digest. */
        public void finish() {
            first.add(sum);
            second.add(mixedSum);
            sum = 0;
            mixedSum = 0;
        }
    }

    /** The last steps of SplitMix64. */
    private static long mixed(long hash) {
        long z = hash + 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The first of the two sums. */
    public long first() {
        return first.sum();
    }

    /** The second of the two sums. */
    public long second() {
        return second.sum();
    }

    /** Adds the rows of another digest, given as its two sums. */
    public void add(long firstSum, long secondSum) {
        first.add(firstSum);
        second.add(secondSum);
    }

    /** A new part, for the rows of one thread. */
    public Part part() {
        return new Part();
    }

    /** The digest of all finished parts, as 32 hexadecimal digits. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%016x%016x", first.sum(), second.sum());
    }
}
