package io.overdrive.jobs.verify;

import io.overdrive.WriteSetting;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.sort.SpillPlace;
import java.nio.file.Path;

/**
 * Options of a verification: the files to verify, and how. Immutable.
 *
 * @param input the files, and the options with which they were loaded. Its threads parse, and then compare
 * @param spillDirectory directory for rows that do not fit in memory
 * @param sortMemory memory for the rows of the files, in bytes
 * @param maxDifferences number of differences that ends the comparison
 */
public record VerifyOptions(LoadOptions input, Path spillDirectory, long sortMemory, long maxDifferences) {
    public VerifyOptions {
        JobSetting.SORT_MEMORY.check(sortMemory);
        JobSetting.MAX_DIFFERENCES.check(maxDifferences);
    }

    /** The same with another amount of memory. */
    public VerifyOptions withSortMemory(long bytes) {
        return new VerifyOptions(input, spillDirectory, bytes, maxDifferences);
    }

    SpillPlace spills() {
        return new SpillPlace(
                spillDirectory,
                "rows",
                words ->
                        "verify needs about as much disk space as the data of the files, not compressed, and up to twice"
                                + " that for very large files: set " + words.of(WriteSetting.SPILL_DIRECTORY)
                                + " to use another directory, or raise " + words.of(JobSetting.SORT_MEMORY)
                                + " to spill less");
    }
}
