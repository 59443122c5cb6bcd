package io.overdrive.jobs.load;

import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.WriteSummary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a load, or how it ended. Immutable. At the end, read = written + rejected.
 *
 * @param rowsRead records taken from the files, by this run and those that it resumes, as are rows written and rejected
 * @param rowsWritten rows that Cassandra acknowledged, or with SSTables, that all their replicas have imported; if SSTables are left for
 *     scripts, those that are in them; in a dry run, rows that could have been written
 * @param rowsRejected records that could not be parsed, converted or written
 * @param bytesRead bytes read, of the files as stored
 * @param bytesTotal size of the files as stored, if known
 * @param rowsExpected records of all the input, as an estimate from the part that was read; 0 if unknown
 * @param filesRead number of input files read completely; pipes and standard input count as files
 * @param filesTotal number of input files
 * @param elapsed time since the start
 * @param writes totals of the writer
 * @param imports progress of the work on SSTables; null if rows are sent over CQL
 * @param writeTimes write times of rows that have none in the input; null in a dry run, or if the server sets them
 * @param rejectFiles files of rejected records
 * @param firstReject where the first record is that this run has rejected, and why; null if there is none
 * @param outcome how it ended
 * @param failure the failure that stopped it; null unless it failed
 * @param run how it can be resumed; null if it cannot
 * @param query records that a query has read, to make the rows; null without one. Then the rows read are those of its result and the records
 *     that were rejected before, and bytes and files are those that the query reads
 */
public record LoadSummary(
        long rowsRead,
        long rowsWritten,
        long rowsRejected,
        long bytesRead,
        OptionalLong bytesTotal,
        long rowsExpected,
        int filesRead,
        int filesTotal,
        Duration elapsed,
        Totals writes,
        @Nullable ImportFigures imports,
        @Nullable WriteTimes writeTimes,
        List<Path> rejectFiles,
        @Nullable String firstReject,
        Outcome outcome,
        @Nullable RuntimeException failure,
        @Nullable LoadRun run,
        @Nullable Query query)
        implements WriteSummary {
    /**
     * Figures of a query.
     *
     * @param recordsRead from the files, with those that were rejected
     * @param rowsOfResult rows of its result
     */
    public record Query(long recordsRead, long rowsOfResult) {}

    /**
     * The share of the rows that are written or rejected; of the work with SSTables, of which reading is taken for two thirds. Negative if
     * unknown.
     */
    public double done() {
        if (imports == null) {
            return share(rowsWritten + rowsRejected);
        }
        return read() < 0 || imports.rowsSorted() == 0
                ? -1
                : Math.min(1, (2 * read() + (double) imports.rowsInSstables() / imports.rowsSorted()) / 3);
    }

    /** The share of the records that are read; negative if unknown. */
    public double read() {
        return share(rowsRead);
    }

    private double share(long rows) {
        return rowsExpected == 0 || rowsRead == 0 ? -1 : Math.min(1, (double) rows / rowsExpected);
    }

    @Override
    public Figures figures() {
        return imports == null ? figuresOfRequests() : figures(imports);
    }

    private Figures figures(ImportFigures sorted) {
        return new Figures(
                elapsed,
                sorted.rowsSorted(),
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
                        sorted.bytesWritten(),
                        sorted.bytesSpilled(),
                        /* rowsPending */ -1));
    }

    private Figures figuresOfRequests() {
        return new Figures(
                elapsed,
                rowsWritten - (run == null ? 0 : run.writtenBefore()),
                writes.bytesWritten(),
                writes.inFlightRequests(),
                writes.latency().p99(),
                rowsRejected,
                done(),
                writes.waiting(),
                new Figures.Counts(
                        rowsRead,
                        rowsWritten,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        bytesRead,
                        writes.bytesWritten(),
                        writes.bytesSpilled(),
                        Figures.pending(writes)));
    }
}
