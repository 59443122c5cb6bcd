package io.overdrive.files.sstables;

import io.overdrive.files.load.LoadOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What to load by SSTables, and how they get to the nodes. Immutable.
 *
 * @param input the files, and how to read them
 * @param jmx how to have nodes of this host import them; null to leave them in the directory, with a script for each node
 * @param directory where they are written; with {@code jmx}, a directory in it that is deleted afterwards, and null for one beside the
 *     data of the first node, or if that cannot be written, in the directory for temporary files
 */
public record SstableOptions(LoadOptions input, @Nullable JmxAccess jmx, @Nullable Path directory) {
    /** @throws IllegalArgumentException if neither says where the SSTables go */
    public SstableOptions {
        if (jmx == null && directory == null) {
            throw new IllegalArgumentException("SSTables that are not imported need a directory");
        }
    }
}
