package io.overdrive.jobs;

import io.overdrive.sstable.handover.ImportResult;
import java.util.List;

/**
 * Progress of a job that writes SSTables, except reading. Immutable.
 *
 * @param isImported whether nodes import the SSTables, or the user does that later
 * @param rowsSorted rows that were taken to be written
 * @param rowsInSstables rows that are in SSTables; rows of one key count each time
 * @param bytesSpilled bytes of rows that went through the disk to be sorted
 * @param nodes result of each node; empty until the SSTables are written
 * @param passes in how many parts of the ring, one after another, SSTables are written and imported
 * @param passesDone of these, those that all nodes have imported
 */
public record ImportFigures(
        boolean isImported,
        long rowsSorted,
        long rowsInSstables,
        long bytesSpilled,
        List<ImportResult> nodes,
        int passes,
        int passesDone) {
    public ImportFigures {
        nodes = List.copyOf(nodes);
    }

    /** Bytes of the SSTables of all nodes. */
    public long bytesWritten() {
        return nodes.stream().mapToLong(ImportResult::bytes).sum();
    }
}
