package io.overdrive.internal.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The lock of a directory: a file in it, which a process has locked as long as it uses the directory. For any thread. */
public final class LockFile {
    /** The name of the file. */
    public static final String NAME = "lock";

    private LockFile() {}

    /**
     * Whether a process has the lock.
     *
     * @throws IOException if the file cannot be opened
     */
    public static boolean isLocked(Path directory) throws IOException {
        return FileLocks.isLocked(directory.resolve(NAME));
    }

    /**
     * Takes the lock, which the system releases when this process ends.
     *
     * @return the open file, for {@link #unlock}; null if another process has the lock, or looks at it
     * @throws IOException if the file cannot be created or opened
     */
    public static @Nullable FileChannel lock(Path directory) throws IOException {
        return FileLocks.lock(directory.resolve(NAME));
    }

    /**
     * Releases the lock.
     *
     * @param lock as {@link #lock} returned it
     * @throws IOException if the file cannot be closed
     */
    public static void unlock(Path directory, FileChannel lock) throws IOException {
        FileLocks.unlock(directory.resolve(NAME), lock);
    }
}
