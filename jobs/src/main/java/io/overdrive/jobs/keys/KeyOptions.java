package io.overdrive.jobs.keys;

import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.load.LoadOptions;
import java.nio.file.Path;

/**
 * Files of keys, and how to read them. Immutable.
 *
 * @param input the files, their format, the mapping of their fields to columns of the primary key, and the threads that parse. Other fields
 *     are left out. Limits for rejected records have no effect: a record without a key ends the reading
 * @param spillDirectory directory for keys that do not fit in memory
 * @param sortMemory memory for keys, in bytes, 1 MiB or more
 */
public record KeyOptions(LoadOptions input, Path spillDirectory, long sortMemory) {
    public KeyOptions {
        JobSetting.SORT_MEMORY.check(sortMemory);
    }

    /** Spills to the system's directory for temporary files, and takes the default memory. */
    public static KeyOptions of(LoadOptions input) {
        return new KeyOptions(
                input, Path.of(System.getProperty("java.io.tmpdir")), JobSetting.SORT_MEMORY.requireDefault());
    }
}
