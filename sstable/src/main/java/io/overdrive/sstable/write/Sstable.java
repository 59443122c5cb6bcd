package io.overdrive.sstable.write;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The files that a {@link SstableWriter} has written and synced. Immutable.
 *
 * @param files all of them, in one directory; the file of the rows ends in {@code -Data.db}
 * @param partitions at least 1
 * @param rows static rows not included
 * @param bytes the size of all files
 * @param firstToken of the first partition
 * @param lastToken of the last partition
 */
public record Sstable(List<Path> files, long partitions, long rows, long bytes, long firstToken, long lastToken) {
    public Sstable {
        files = List.copyOf(files);
    }

    /** Deletes the files as far as possible. */
    public void delete() {
        for (Path file : files) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                // what has ended the run says more
            }
        }
    }
}
