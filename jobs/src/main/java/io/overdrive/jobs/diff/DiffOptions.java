package io.overdrive.jobs.diff;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Mapping;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How two tables are compared, and whether the right one is repaired to equal the left one. Immutable.
 *
 * @param comparison what counts as a difference
 * @param repairs the differences that are repaired; empty for none
 * @param keepsTimes whether repaired values get the write times and times to live of the left table, not those of the run
 * @param writeConsistency of repairs
 * @param maxDifferences number of differences that ends the comparison
 * @param threads number of threads that compare, each one split at a time
 */
public record DiffOptions(
        Comparison comparison,
        Set<Repaired> repairs,
        boolean keepsTimes,
        DefaultConsistencyLevel writeConsistency,
        long maxDifferences,
        int threads) {

    /** A kind of difference that is repaired. */
    public enum Repaired {
        /** Rows that only the left table has are written to the right one. */
        MISSING,
        /** Values that differ are written to the right table. */
        DIFFERENT,
        /** Rows that only the right table has are deleted there. */
        EXTRA
    }

    /**
     * The rules for what counts as a difference. Immutable.
     *
     * @param mapping columns of the left table to those of the right one that they are compared with
     * @param tolerance of numbers with a floating point, relative to the greater one, from 0 to less than 1; 0: the bytes are compared
     * @param ttlTolerance by how much times to live may differ, if write times and times to live are compared; null if they are not
     */
    public record Comparison(Mapping mapping, double tolerance, @Nullable Duration ttlTolerance) {
        /** Columns by their names, exactly, without their times. */
        public static final Comparison DEFAULT = new Comparison(Mapping.BY_NAME, 0, null);

        public Comparison {
            if (!(tolerance >= 0 && tolerance < 1)) {
                throw new IllegalOptionException(words -> words.of(JobOption.TOLERANCE) + " is " + tolerance
                        + ", must be from 0 to less than 1: it is relative, so that 0.001 is a thousandth");
            }
            if (mapping.usesTtl() || mapping.usesWritetime()) {
                throw new IllegalOptionException(words -> words.of(JobOption.MAPPING) + " \"" + mapping
                        + "\": ttl() and writetime() are for writing; " + words.of(JobOption.COMPARE_TIMES)
                        + " compares the times of columns");
            }
            if (!mapping.constants().isEmpty()) {
                throw new IllegalOptionException(words -> words.of(JobOption.MAPPING) + " \"" + mapping
                        + "\": a constant is for writing; columns are compared with columns");
            }
        }

        boolean ofTimes() {
            return ttlTolerance != null;
        }
    }

    public DiffOptions {
        repairs = Set.copyOf(repairs);
        if (writeConsistency.isSerial()) {
            throw new IllegalOptionException(words -> words.of(WriteSetting.CONSISTENCY) + " is " + writeConsistency
                    + ", which is for conditional" + " writes only");
        }
        JobSetting.MAX_DIFFERENCES.check(maxDifferences);
        JobSetting.DIFF_THREADS.check((long) threads);
    }

    boolean isRepair() {
        return !repairs.isEmpty();
    }

    boolean repairs(Repaired kind) {
        return repairs.contains(kind);
    }

    /** Whether rows or values are written, not only deleted. */
    boolean writes() {
        return repairs(Repaired.MISSING) || repairs(Repaired.DIFFERENT);
    }
}
