package io.overdrive.sstable.handover;

import io.overdrive.sstable.sort.Pass;
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
 * @param passes in how many parts of the ring, one after another, they are written and imported, so that the directory needs room for those
 *     of two parts only; 1 for all at once, so that no node has any of the rows before all are written. At most {@link Pass#MAX_COUNT}
 */
public record SstableOptions(
        @Nullable JmxAccess jmx,
        @Nullable SshTarget ssh,
        @Nullable SidecarTarget sidecar,
        @Nullable Path directory,
        int passes) {
    /**
     * @throws IllegalArgumentException if nothing says where the SSTables go, more than one of the three is given, or passes are out of
     *     range or several without an import
     */
    public SstableOptions {
        long ways = Stream.of(jmx, ssh, sidecar).filter(Objects::nonNull).count();
        if (ways == 0 && directory == null) {
            throw new IllegalArgumentException("SSTables that are not imported need a directory");
        }
        if (ways > 1) {
            throw new IllegalArgumentException("SSTables are imported by jmx, ssh or sidecar: choose one");
        }
        if (passes < 1 || passes > Pass.MAX_COUNT || (passes > 1 && ways == 0)) {
            throw new IllegalArgumentException(
                    passes + " passes: from 1 to " + Pass.MAX_COUNT + " are possible, and 1 without an import");
        }
    }

    /** Options for one pass. */
    public SstableOptions(
            @Nullable JmxAccess jmx,
            @Nullable SshTarget ssh,
            @Nullable SidecarTarget sidecar,
            @Nullable Path directory) {
        this(jmx, ssh, sidecar, directory, /* passes */ 1);
    }

    /** Whether the nodes are to import the SSTables before the run ends. */
    public boolean imports() {
        return jmx != null || ssh != null || sidecar != null;
    }
}
