package io.overdrive.jobs.profile;

import io.overdrive.internal.ring.Murmur3;
import org.apache.datasketches.hll.HllSketch;
import org.apache.datasketches.hll.TgtHllType;
import org.apache.datasketches.hll.Union;

/** The values of a column. Confined to one thread at a time. */
final class ColumnSketch {
    /** The sketch has 8 KiB, and a standard error of about 1 %. */
    private static final int LG_REGISTERS = 13;
    /** Number of distinct values below which the sketch keeps each: its estimate is then the number. */
    private static final int EXACT_VALUES = 500;

    private HllSketch distinct = new HllSketch(LG_REGISTERS, TgtHllType.HLL_8);
    private long values;
    private long nulls;
    private long bytes;
    private long maxBytes;

    /**
     * Adds a value.
     *
     * @param length negative for null
     * @return its hash; 0 for null
     */
    long add(byte[] array, int from, int length) {
        if (length < 0) {
            nulls++;
            return 0;
        }
        values++;
        bytes += length;
        maxBytes = Math.max(maxBytes, length);
        long hash = Murmur3.firstHalf(array, from, from + length);
        distinct.update(hash);
        return hash;
    }

    /** Adds the values of another part of the input. */
    void add(ColumnSketch other) {
        Union union = new Union(LG_REGISTERS);
        union.update(distinct);
        union.update(other.distinct);
        distinct = union.getResult(TgtHllType.HLL_8);
        values += other.values;
        nulls += other.nulls;
        bytes += other.bytes;
        maxBytes = Math.max(maxBytes, other.maxBytes);
    }

    boolean hasNulls() {
        return nulls > 0;
    }

    long bytes() {
        return bytes;
    }

    /** The number of distinct values, as an estimate. */
    long distinct() {
        return Math.min(values, Math.round(distinct.getEstimate()));
    }

    Profile.Column column(String name, String type) {
        long found = distinct();
        boolean isExact = found < EXACT_VALUES;
        return new Profile.Column(
                name,
                type,
                nulls,
                found,
                isExact ? found : (long) distinct.getLowerBound(2),
                isExact ? found : Math.min(values, (long) Math.ceil(distinct.getUpperBound(2))),
                bytes,
                maxBytes);
    }
}
