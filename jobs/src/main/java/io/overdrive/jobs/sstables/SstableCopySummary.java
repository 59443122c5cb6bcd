package io.overdrive.jobs.sstables;

import io.overdrive.WriteTimes;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.sstable.handover.ImportResult;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a copy by SSTables, or how it ended. Immutable. At the end of a run that is done, read = written + rejected.
 *
 * @param read the rows that were read, and rejected; those that it has as written are sorted
 * @param rowsWritten rows that all nodes have imported, or if SSTables are left for scripts, that are in them. None before all nodes
 *     have: a row may be several in SSTables, which then cannot say how many are complete
 * @param bytesSpilled bytes of rows that went through the disk to be sorted
 * @param nodes what each node gets; empty until the SSTables are written
 * @param writeTimes write times of rows whose own are not kept; null if all are, or no row was read
 * @param outcome how it ended
 * @param failure what stopped it; null unless it failed
 */
public record SstableCopySummary(
        CopySummary read,
        long rowsWritten,
        long bytesSpilled,
        List<ImportResult> nodes,
        @Nullable WriteTimes writeTimes,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {
    public SstableCopySummary {
        nodes = List.copyOf(nodes);
    }

    @Override
    public Duration elapsed() {
        return read.elapsed();
    }

    /** Bytes of the SSTables of all nodes. */
    public long bytesWritten() {
        return nodes.stream().mapToLong(ImportResult::bytes).sum();
    }

    @Override
    public Figures figures() {
        return new Figures(
                elapsed(),
                read.rowsWritten(),
                read.reads().bytesRead(),
                /* inFlight */ 0,
                /* p99 */ Duration.ZERO,
                read.rowsRejected(),
                Figures.done(read.reads(), read.splitsBefore()),
                read.reads().waiting(),
                new Figures.Counts(
                        read.rowsRead(),
                        rowsWritten,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        read.reads().bytesRead(),
                        bytesWritten(),
                        bytesSpilled,
                        /* rowsPending */ -1));
    }
}
