package io.overdrive.internal.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Empty files, each with another name, which show whether a directory can be written to and which permissions new files have there.
 * For any thread.
 */
public final class ProbeFile {
    /** Differs also if two threads read the same time from a coarse clock. */
    private static final AtomicLong CREATED = new AtomicLong();

    private ProbeFile() {}

    /**
     * Creates a file, which the caller deletes.
     *
     * @throws IOException if none can be created in the directory
     */
    public static Path create(Path directory) throws IOException {
        return create(directory, System.nanoTime());
    }

    static Path create(Path directory, long nanoTime) throws IOException {
        // Files.createTempFile loads the JDK's security providers for a name: 5 % of a small load's CPU
        String name = ".overdrive-" + ProcessHandle.current().pid() + "-" + nanoTime + "-" + CREATED.incrementAndGet()
                + ".tmp";
        return Files.createFile(directory.resolve(name));
    }
}
