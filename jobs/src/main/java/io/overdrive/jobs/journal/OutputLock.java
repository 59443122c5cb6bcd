package io.overdrive.jobs.journal;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.FileLocks;
import io.overdrive.internal.disk.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps other runs from writing a file or a directory as long as a run writes it. The lock is on a hidden file next to the file, or in the
 * directory, which has the number of the process, and is deleted at the end. After a kill that file stays, without a lock. Used by one
 * thread at a time.
 */
public final class OutputLock implements AutoCloseable {
    /** The name of the file in a directory. */
    public static final String NAME = ".lock";

    private static final Logger LOG = LoggerFactory.getLogger(OutputLock.class);
    private static final int MAX_ATTEMPTS = 100;

    private final Path file;
    private @Nullable FileChannel lock;

    private OutputLock(Path file, @Nullable FileChannel lock) {
        this.file = file;
        this.lock = lock;
    }

    /**
     * Takes the lock of a file, which need not exist. A device or a pipe has none.
     *
     * @throws OverdriveException of kind INPUT if another run writes it
     */
    public static OutputLock of(Path output) {
        boolean isSpecial = Files.exists(output) && !Files.isRegularFile(output);
        Path directory = Objects.requireNonNull(output.toAbsolutePath().getParent());
        Path file = real(directory).resolve("." + output.getFileName() + NAME);
        return isSpecial ? new OutputLock(file, null) : take(output, file);
    }

    /**
     * Takes the lock of a directory. One that does not exist has none.
     *
     * @throws OverdriveException of kind INPUT if another run writes to it
     */
    public static OutputLock in(Path directory) {
        return take(directory, real(directory).resolve(NAME));
    }

    /** A directory may have several names. */
    private static Path real(Path directory) {
        try {
            return directory.toRealPath();
        } catch (IOException e) {
            return directory.toAbsolutePath(); // it does not exist
        }
    }

    private static OutputLock take(Path output, Path file) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            Object key = create(file);
            if (key == null) {
                return new OutputLock(file, null); // files next to it cannot be created either
            }
            FileChannel channel;
            try {
                channel = FileLocks.lock(file);
            } catch (NoSuchFileException e) {
                continue;
            } catch (IOException e) {
                LOG.warn(
                        "{} cannot be locked ({}): a second run that writes it would not be noticed",
                        output,
                        e.toString());
                return new OutputLock(file, null);
            }
            if (channel == null) {
                throw new OverdriveException(
                        Kind.INPUT,
                        output + ": another run writes it (process " + holder(file)
                                + "); wait until it has ended, or name another one");
            }
            OutputLock lock = new OutputLock(file, channel);
            if (key.equals(key(file))) {
                lock.sayWho(channel);
                return lock;
            }
            lock.release(); // the run that had it has just deleted the file, and another one may have created the next
        }
        throw new OverdriveException(Kind.INPUT, output + ": other runs write it; name another one");
    }

    /** Creates the file if it is missing, and says which it is; null if it cannot be created. */
    private static @Nullable Object create(Path file) {
        try {
            PrivateFile.createEmpty(file);
        } catch (FileAlreadyExistsException e) {
            // of a run that writes, or was killed
        } catch (IOException e) {
            return null;
        }
        Object key = key(file);
        return key == null ? "deleted" : key;
    }

    private static @Nullable Object key(Path file) {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return attributes.fileKey() == null ? "no keys" : attributes.fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    private void sayWho(FileChannel to) {
        try {
            to.truncate(0);
            var unused =
                    to.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
            LOG.debug("{} does not say which process has the lock", file, e);
        }
    }

    private static String holder(Path file) {
        if (FileLocks.isLockedHere(file)) {
            return ProcessHandle.current().pid() + ", this one";
        }
        try {
            String number = Files.readString(file).strip();
            return number.matches("\\d{1,19}") ? number : "unknown";
        } catch (IOException e) {
            return "unknown";
        }
    }

    private void release() {
        FileChannel held = lock;
        lock = null;
        if (held != null) {
            try {
                FileLocks.unlock(file, held);
            } catch (IOException e) {
                LOG.debug("{} cannot be closed", file, e);
            }
        }
    }

    /** Deletes the lock file, and releases the lock. */
    @Override
    public void close() {
        if (lock != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOG.debug("{} cannot be deleted", file, e);
            }
        }
        release();
    }
}
