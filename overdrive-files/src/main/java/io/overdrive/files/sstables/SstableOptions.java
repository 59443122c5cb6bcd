package io.overdrive.files.sstables;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How SSTables get to the nodes. Immutable.
 *
 * @param jmx how to have nodes import that see the directory, too; null if they do not
 * @param ssh how to have them imported on other hosts; null, also without {@code jmx}, to leave them in the directory, with a script for
 *     each node
 * @param directory where they are written; if they are imported, a directory in it that is deleted afterwards, and null for one beside
 *     the data of the first node of this host, or in the directory for temporary files
 */
public record SstableOptions(
        @Nullable JmxAccess jmx, @Nullable SshTarget ssh, @Nullable Path directory) {
    /** @throws IllegalArgumentException if none says where the SSTables go, or {@code jmx} and {@code ssh} are both given */
    public SstableOptions {
        if (jmx == null && ssh == null && directory == null) {
            throw new IllegalArgumentException("SSTables that are not imported need a directory");
        }
        if (jmx != null && ssh != null) {
            throw new IllegalArgumentException("nodes are on this host (jmx) or on other ones (ssh): choose one");
        }
    }

    /** Whether the nodes are to import the SSTables before the run ends. */
    public boolean imports() {
        return jmx != null || ssh != null;
    }
}
