package io.overdrive.sstable.handover;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The result of handing over a node's SSTables.
 *
 * @param node its address and port
 * @param sstables how many
 * @param rows in them, merged
 * @param bytes of their files
 * @param isImported whether the node has taken them
 * @param directory where they are, if it has not
 * @param problem why it has not; null if it has, or if it was not tried
 * @param command that imports them; null if they are imported, or a script does it
 */
public record ImportResult(
        String node,
        int sstables,
        long rows,
        long bytes,
        boolean isImported,
        Path directory,
        @Nullable String problem,
        @Nullable String command) {
    /** This one, of a later pass, together with an earlier one of the same node, which has imported it. */
    ImportResult after(ImportResult earlier) {
        return new ImportResult(
                node,
                earlier.sstables + sstables,
                earlier.rows + rows,
                earlier.bytes + bytes,
                isImported,
                directory,
                problem,
                command);
    }
}
