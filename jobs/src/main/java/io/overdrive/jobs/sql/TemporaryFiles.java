package io.overdrive.jobs.sql;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.disk.LockFile;
import io.overdrive.internal.disk.WritableDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A directory for the files of one query, which is locked as long as it is used: what killed processes have left is found by that, and deleted. Confined. */
final class TemporaryFiles implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TemporaryFiles.class);
    private static final String PREFIX = "overdrive-sql-";

    private final Path path;
    private final FileChannel lock;
    private boolean closed;

    private TemporaryFiles(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Makes a directory, and deletes those of processes that have been killed.
     *
     * @throws OverdriveException of kind DISK if it cannot be written
     */
    static TemporaryFiles in(Path parent) {
        try {
            Files.createDirectories(parent);
            deleteAbandoned(parent);
            Path path = Files.createTempDirectory(parent, PREFIX);
            FileChannel lock = LockFile.lock(path);
            if (lock == null) {
                throw new IOException("another process has locked it");
            }
            return new TemporaryFiles(path, lock);
        } catch (IOException e) {
            throw new OverdriveException(
                    Kind.DISK,
                    parent + ": there can be no directory for the files of a query: " + WritableDirectory.reason(e),
                    e);
        }
    }

    private static void deleteAbandoned(Path parent) throws IOException {
        List<Path> found;
        try (Stream<Path> all = Files.list(parent)) {
            found = all.filter(each -> String.valueOf(each.getFileName()).startsWith(PREFIX))
                    .toList();
        }
        for (Path each : found) {
            try {
                // one that has no lock yet was just made
                if (Files.exists(each.resolve(LockFile.NAME)) && !LockFile.isLocked(each)) {
                    delete(each);
                }
            } catch (IOException e) {
                LOG.debug("{}: cannot be deleted", each, e); // another user's, perhaps
            }
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            LockFile.unlock(path, lock);
            delete(path);
        } catch (IOException e) {
            LOG.warn("{}: cannot be deleted: {}", path, WritableDirectory.reason(e));
        }
    }
}
