package io.overdrive.jobs.keys;

import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.sort.SpillPlace;
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

    /** Takes the default memory. */
    public static KeyOptions of(LoadOptions input, Path spillDirectory) {
        return new KeyOptions(input, spillDirectory, JobSetting.SORT_MEMORY.requireDefault());
    }

    SpillPlace spills() {
        return new SpillPlace(
                spillDirectory,
                "keys",
                words ->
                        "keys need about as much disk space as the fields that have them, not compressed, and up to twice"
                                + " that if there are very many: use another directory with "
                                + words.of(JobOption.KEYS_SPILL_DIRECTORY));
    }
}
