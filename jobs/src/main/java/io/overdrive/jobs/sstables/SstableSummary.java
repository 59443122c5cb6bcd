package io.overdrive.jobs.sstables;

import io.overdrive.WriteTimes;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import io.overdrive.sstable.handover.ImportResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a load by SSTables, or how it ended. Immutable. At the end of a run that is done, read = written + rejected.
 *
 * @param rowsRead records taken from the files
 * @param rowsSorted rows that were taken to be written
 * @param rowsInSstables rows that are in SSTables; those of one key count each time
 * @param rowsWritten rows that all their replicas have imported; if SSTables are left for scripts, those that are in them; in a dry
 *     run, rows that could have been written
 * @param rowsRejected records that could not be parsed, converted or written
 * @param bytesRead bytes read, of the files as stored
 * @param read share of the records that are read; negative if unknown
 * @param filesRead number of input files read completely
 * @param filesTotal number of input files
 * @param elapsed time since the start
 * @param bytesSpilled bytes of rows that went through the disk to be sorted
 * @param nodes what each node gets; empty until the SSTables are written
 * @param writeTimes write times of rows that have none in the input; null in a dry run, or if no row was read
 * @param repeatedKeys rows that had the key of an earlier one; at least this many, unless {@code repeatedKeysExact}
 * @param repeatedKeysExact whether that is the exact number
 * @param rejectFiles files of rejected records
 * @param firstReject where the first rejected record is, and why; null if there is none
 * @param outcome how it ended
 * @param failure what stopped it; null unless it failed
 */
public record SstableSummary(
        long rowsRead,
        long rowsSorted,
        long rowsInSstables,
        long rowsWritten,
        long rowsRejected,
        long bytesRead,
        double read,
        int filesRead,
        int filesTotal,
        Duration elapsed,
        long bytesSpilled,
        List<ImportResult> nodes,
        @Nullable WriteTimes writeTimes,
        long repeatedKeys,
        boolean repeatedKeysExact,
        List<Path> rejectFiles,
        @Nullable String firstReject,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {
    public SstableSummary {
        nodes = List.copyOf(nodes);
    }

    /** Bytes of the SSTables of all nodes. */
    public long bytesWritten() {
        return nodes.stream().mapToLong(ImportResult::bytes).sum();
    }

    /** The share of the work that is done, of which reading is taken for two thirds; negative if unknown. */
    public double done() {
        return read < 0 || rowsSorted == 0 ? -1 : Math.min(1, (2 * read + (double) rowsInSstables / rowsSorted) / 3);
    }

    @Override
    public Figures figures() {
        return new Figures(
                elapsed,
                rowsSorted,
                bytesRead,
                /* inFlight */ 0,
                /* p99 */ Duration.ZERO,
                rowsRejected,
                done(),
                /* waiting */ null,
                new Figures.Counts(
                        rowsRead,
                        rowsWritten,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        bytesRead,
                        bytesWritten(),
                        bytesSpilled,
                        /* rowsPending */ -1));
    }
}
