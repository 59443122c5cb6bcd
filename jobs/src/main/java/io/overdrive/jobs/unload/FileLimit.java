package io.overdrive.jobs.unload;

import io.overdrive.jobs.JobSetting;

/**
 * Where files of a directory end before their splits do. Immutable.
 *
 * @param rows maximum number of rows of a file
 * @param bytes size of a file as stored with which it ends: after the record that reaches it, or if files are compressed or columnar, up to
 *     the larger of a quarter of it and 1 MiB later
 */
public record FileLimit(long rows, long bytes) {
    /** A file for each split. */
    public static final FileLimit NONE = new FileLimit(Long.MAX_VALUE, Long.MAX_VALUE);

    /** Files of an object store, if none is given: a file is on a disk of this machine until it is complete. */
    static final FileLimit OF_STORE = new FileLimit(Long.MAX_VALUE, 256 << 20);

    public FileLimit {
        JobSetting.FILE_ROWS.check(rows);
        JobSetting.FILE_BYTES.check(bytes);
    }

    boolean isNone() {
        return equals(NONE);
    }

    /** Whether a file of this size has ended. */
    boolean isReached(long ofRows, long ofBytes) {
        return ofRows >= rows || ofBytes >= bytes;
    }

    /** The size of batches with which a file is not much larger than its limit. */
    long batchBytes() {
        return bytes / 4;
    }
}
