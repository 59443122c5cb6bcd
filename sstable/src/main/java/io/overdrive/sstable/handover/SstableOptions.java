package io.overdrive.sstable.handover;

import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How SSTables get to the nodes. Immutable.
 *
 * @param jmx how to have nodes import them that see the directory, too; null if they do not
 * @param ssh how to have them imported on other hosts over ssh; null to do without
 * @param sidecar how to have them imported on other hosts via Cassandra Sidecar; null to do without. Without any of the three, they are
 *     left in the directory, with a script for each node
 * @param directory where they are written; if they are imported, a directory in it that is deleted afterwards, and null for one next to
 *     the data of the first node of this host, or in the directory for temporary files
 */
public record SstableOptions(
        @Nullable JmxAccess jmx, @Nullable SshTarget ssh, @Nullable SidecarTarget sidecar, @Nullable Path directory) {
    /** @throws IllegalArgumentException if nothing says where the SSTables go, or more than one of the three is given */
    public SstableOptions {
        long ways = Stream.of(jmx, ssh, sidecar).filter(Objects::nonNull).count();
        if (ways == 0 && directory == null) {
            throw new IllegalArgumentException("SSTables that are not imported need a directory");
        }
        if (ways > 1) {
            throw new IllegalArgumentException("SSTables are imported by jmx, ssh or sidecar: choose one");
        }
    }

    /** Whether the nodes are to import the SSTables before the run ends. */
    public boolean imports() {
        return jmx != null || ssh != null || sidecar != null;
    }
}
