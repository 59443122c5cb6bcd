package io.overdrive.jobs.diff;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.WriteSetting;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.jobs.JobSetting;

/**
 * How two tables are compared, and whether the right one is repaired to equal the left one. Immutable.
 *
 * @param repair whether rows that are missing on the right, or differ, are written there as on the left
 * @param repairDeletes whether rows that are missing on the left are deleted on the right
 * @param writeConsistency of these writes
 * @param maxDifferences number of differences that ends the comparison
 * @param threads number of threads that compare, each one split at a time
 */
public record DiffOptions(
        boolean repair,
        boolean repairDeletes,
        DefaultConsistencyLevel writeConsistency,
        long maxDifferences,
        int threads) {

    public DiffOptions {
        if (writeConsistency.isSerial()) {
            throw new IllegalOptionException(words -> words.of(WriteSetting.CONSISTENCY) + " is " + writeConsistency
                    + ", which is for conditional" + " writes only");
        }
        JobSetting.MAX_DIFFERENCES.check(maxDifferences);
        JobSetting.DIFF_THREADS.check((long) threads);
    }
}
