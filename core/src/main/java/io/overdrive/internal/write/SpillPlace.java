package io.overdrive.internal.write;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Where the rows of a {@link Shard} go on local disk. Immutable.
 *
 * @param shard number of the shard, for the names of files
 */
record SpillPlace(Path directory, FileOpener files, int shard) {
    /** Opens the file of a piece; tests have others. */
    interface FileOpener {
        FileChannel open(Path directory, String name) throws IOException;
    }
}
