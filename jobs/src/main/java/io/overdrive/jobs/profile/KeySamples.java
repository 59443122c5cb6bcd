package io.overdrive.jobs.profile;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.jobs.PartitionSample;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;

/**
 * A sample of rows for each column: those whose value of it has a hash of at most a threshold, as in {@link PartitionSample}. Confined to
 * one thread at a time.
 *
 * <p>Two rows with equal values in some columns are both in the sample of each of these columns, or neither is. So a sample shows all
 * duplicates of its rows, for any set of columns that has its column: it proves that a set is not a key, and bounds how many rows may have
 * duplicates if it shows none.
 */
final class KeySamples {
    /** Number of columns that are examined, the first of the input. */
    static final int MAX_COLUMNS = 24;

    private static final long MAX_BYTES = 8 << 20;
    private static final int MIN_ROWS = 256;
    private static final int MAX_ROWS = 4096;

    /** Types of values that are measured, or that no key may have. */
    private static final Set<CqlType> NOT_IN_KEYS = EnumSet.of(
            CqlType.BOOLEAN,
            CqlType.DOUBLE,
            CqlType.FLOAT,
            CqlType.DECIMAL,
            CqlType.DURATION,
            CqlType.BLOB,
            CqlType.COUNTER,
            CqlType.LIST,
            CqlType.SET,
            CqlType.MAP,
            CqlType.TUPLE,
            CqlType.UDT,
            CqlType.VECTOR,
            CqlType.CUSTOM);

    private static final class Sample {
        long[] hashes = new long[0];
        int rows;
        long threshold = Long.MAX_VALUE;
    }

    private final int columns;
    private final int maxRows;
    private final Sample[] samples;

    /** @param columns number of columns */
    KeySamples(int columns) {
        this.columns = columns;
        this.maxRows = (int) Math.max(
                MIN_ROWS, Math.min(MAX_ROWS, MAX_BYTES / (Long.BYTES * Math.max(1L, (long) columns * columns))));
        this.samples = new Sample[columns];
        Arrays.setAll(samples, c -> new Sample());
    }

    /** Whether a column of this type may be part of a key that is proposed. */
    static boolean isPossible(DataType type) {
        return !NOT_IN_KEYS.contains(CqlType.of(type));
    }

    /**
     * Adds a row.
     *
     * @param hashes of the values of all columns, 0 for null
     */
    void add(long[] hashes) {
        for (int c = 0; c < columns; c++) {
            if (hashes[c] != 0 && (hashes[c] & Long.MAX_VALUE) <= samples[c].threshold) {
                add(samples[c], c, hashes, 0);
            }
        }
    }

    private void add(Sample to, int column, long[] from, int offset) {
        if (to.rows == maxRows) {
            lower(to, column, to.threshold >>> 1);
            add(to, column, from, offset);
        } else if ((from[offset + column] & Long.MAX_VALUE) <= to.threshold) {
            if ((to.rows + 1) * columns > to.hashes.length) {
                to.hashes = Arrays.copyOf(to.hashes, Math.min(maxRows, 2 * to.rows + 16) * columns);
            }
            System.arraycopy(from, offset, to.hashes, to.rows++ * columns, columns);
        }
    }

    private void lower(Sample of, int column, long threshold) {
        of.threshold = threshold;
        int kept = 0;
        for (int row = 0; row < of.rows; row++) {
            if ((of.hashes[row * columns + column] & Long.MAX_VALUE) <= threshold) {
                System.arraycopy(of.hashes, row * columns, of.hashes, kept++ * columns, columns);
            }
        }
        of.rows = kept;
    }

    /** Adds the rows of another part of the input. */
    void add(KeySamples other) {
        for (int c = 0; c < columns; c++) {
            Sample from = other.samples[c];
            if (from.threshold < samples[c].threshold) {
                lower(samples[c], c, from.threshold);
            }
            for (int row = 0; row < from.rows; row++) {
                add(samples[c], c, from.hashes, row * columns);
            }
        }
    }

    /** The number of rows in the sample of a column. */
    int rows(int column) {
        return samples[column].rows;
    }

    /** Whether the sample of a column has all rows. */
    boolean isWhole(int column) {
        return samples[column].threshold == Long.MAX_VALUE;
    }

    /** How many rows of the sample of a column have the same values as an earlier one in a set of columns, which has the column. */
    int duplicates(int column, int[] set) {
        Sample sample = samples[column];
        Set<Long> seen = new HashSet<>();
        for (int row = 0; row < sample.rows; row++) {
            long hash = 0;
            for (int c : set) {
                hash = (hash ^ sample.hashes[row * columns + c]) * 0x9E3779B97F4A7C15L;
                hash ^= hash >>> 32;
            }
            seen.add(hash);
        }
        return sample.rows - seen.size();
    }
}
