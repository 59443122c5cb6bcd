package io.overdrive.internal.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Locks on files, which the system releases when the process that has one ends, also if it is killed. For any thread.
 */
public final class FileLocks {
    /** Closing any channel of a file releases the locks of the whole process on it, so files locked here are not opened again. */
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    private FileLocks() {}

    private static Path name(Path file) {
        return file.toAbsolutePath().normalize();
    }

    /**
     * Whether a process has the lock of a file. Looks by a shared lock, so that others that look at the same time are not taken for it;
     * one at a time in this process, which cannot have two locks on a file.
     *
     * @throws IOException if the file cannot be opened
     */
    static synchronized boolean isLocked(Path file) throws IOException {
        Path name = name(file);
        if (!LOCKED.add(name)) {
            return true;
        }
        try (FileChannel channel = FileChannel.open(name, StandardOpenOption.READ)) {
            return channel.tryLock(0, Long.MAX_VALUE, /* shared */ true) == null;
        } catch (NoSuchFileException e) {
            return false;
        } catch (OverlappingFileLockException e) {
            return true;
        } finally {
            LOCKED.remove(name);
        }
    }

    /** Whether this process has the lock of a file. */
    public static boolean isLockedHere(Path file) {
        return LOCKED.contains(name(file));
    }

    /**
     * Takes the lock of a file, which is created if it is missing.
     *
     * @return the open file, for {@link #unlock}; null if somebody else has the lock, or looks at it
     * @throws IOException if the file cannot be created, opened or locked
     */
    public static @Nullable FileChannel lock(Path file) throws IOException {
        Path name = name(file);
        if (!LOCKED.add(name)) {
            return null;
        }
        FileChannel channel = null;
        boolean locked = false;
        try {
            channel = PrivateFile.open(name);
            FileLock lock = channel.tryLock();
            locked = lock != null;
            return locked ? channel : null;
        } catch (OverlappingFileLockException e) {
            return null;
        } finally {
            if (!locked) {
                LOCKED.remove(name);
                if (channel != null) {
                    channel.close();
                }
            }
        }
    }

    /**
     * Releases a lock.
     *
     * @param lock as {@link #lock} returned it
     * @throws IOException if the file cannot be closed
     */
    public static void unlock(Path file, FileChannel lock) throws IOException {
        lock.close();
        LOCKED.remove(name(file));
    }
}
