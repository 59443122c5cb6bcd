package io.overdrive.local;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Ports that this JVM has given to clusters. Nodes listen on them only seconds later, and not while they are stopped: until the JVM ends,
 * no other one of this user gives the same ports to another cluster. They are locks of the operating system on bytes of a file. Thread-safe.
 */
final class TakenPorts {
    /** So that they are not collected. */
    private static final List<FileLock> LOCKS = new ArrayList<>();

    private static @Nullable FileChannel channel;

    private TakenPorts() {}

    /** False if one of these consecutive ports is taken already. */
    static synchronized boolean take(int first, int count) {
        Path file = LocalOptions.home().resolve("ports.lock");
        try {
            if (channel == null) {
                Files.createDirectories(file.getParent());
                channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            }
            FileLock lock = channel.tryLock(first, count, /* shared */ false);
            return lock != null && LOCKS.add(lock);
        } catch (OverlappingFileLockException ofThisJvm) {
            return false;
        } catch (IOException e) {
            throw new LocalClusterException("ports cannot be locked in " + file + " (" + e + "); check permissions", e);
        }
    }
}
