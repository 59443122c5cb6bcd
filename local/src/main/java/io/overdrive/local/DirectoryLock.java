package io.overdrive.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread of one process at a time change a directory. The lock ends with its holder; the file stays, because deleting it would
 * allow two holders. Confined to the thread that took it.
 */
final class DirectoryLock implements AutoCloseable {
    static final String FILE_NAME = ".lock";

    private static final long POLL_MILLIS = 50;

    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Creates the directory if it is missing and waits for its lock. */
    static DirectoryLock take(Path directory, Duration timeout, Consumer<String> progress) {
        FileChannel channel;
        try {
            Files.createDirectories(directory);
            channel = FileChannel.open(
                    directory.resolve(FILE_NAME),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new LocalClusterException(
                    directory + " cannot be written (" + e + "); choose a directory that you may write to", e);
        }
        boolean taken = false;
        try {
            long deadline = System.nanoTime() + timeout.toNanos();
            for (boolean reported = false; tryLock(channel) == null; reported = true) {
                if (!reported) {
                    progress.accept("waiting for " + holder(channel) + ", which uses " + directory);
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new LocalClusterException(directory + " has been held by " + holder(channel) + " for "
                            + timeout.toSeconds() + " s, which starts or stops a cluster there;"
                            + " wait for it or end it, then retry");
                }
                Sleep.millis(POLL_MILLIS);
            }
            writeHolder(channel);
            taken = true;
            return new DirectoryLock(channel);
        } catch (IOException e) {
            throw new LocalClusterException(
                    directory.resolve(FILE_NAME) + " cannot be locked (" + e + "); choose a directory on a local disk",
                    e);
        } finally {
            if (!taken) {
                closeQuietly(channel);
            }
        }
    }

    /** Null while another process, or another thread of this one, has the lock. */
    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another thread of this JVM holds it
        }
    }

    private static void writeHolder(FileChannel channel) throws IOException {
        channel.truncate(0);
        channel.write(
                ByteBuffer.wrap(Long.toString(ProcessHandle.current().pid()).getBytes(StandardCharsets.US_ASCII)), 0);
    }

    private static String holder(FileChannel channel) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(20);
        channel.read(text, 0);
        return "process " + StandardCharsets.US_ASCII.decode(text.flip());
    }

    @Override
    public void close() {
        closeQuietly(channel);
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing was buffered, and the lock ends with the descriptor.
        }
    }
}
