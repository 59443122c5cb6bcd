package io.overdrive.jobs.copy;

import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.WriteSummary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a copy, or how it ended. Immutable. At the end, read = written + rejected + left out.
 *
 * @param rowsRead rows of the source, and partitions with only static columns
 * @param rowsWritten those that Cassandra acknowledged completely; with SSTables, those that all nodes have imported, or if SSTables are
 *     left for scripts, that are in them, and none before all nodes have
 * @param rowsRejected those that could not be converted or written
 * @param rowsLeftOut those of which nothing was written after the time that the options give
 * @param rowsBefore rows that earlier runs have read and written, rejected or left out, which this one resumes
 * @param splitsBefore number of splits that these have copied; they are not among the splits of {@code reads}
 * @param elapsed time since the start
 * @param reads totals of the scan
 * @param writes totals of the writers; a row may count as several here with write times kept or with static columns
 * @param imports progress of the work on SSTables; null if rows are sent over CQL
 * @param writeTimes write times of rows whose own are not kept; null if the server sets them
 * @param rejectFiles files of the keys of rejected rows
 * @param firstReject the key of the first row that this run has rejected, and why; null if there is none
 * @param outcome how it ended
 * @param failure the failure that stopped it; null unless it failed
 */
public record CopySummary(
        long rowsRead,
        long rowsWritten,
        long rowsRejected,
        long rowsLeftOut,
        long rowsBefore,
        int splitsBefore,
        Duration elapsed,
        ScanTotals reads,
        Totals writes,
        @Nullable ImportFigures imports,
        @Nullable WriteTimes writeTimes,
        List<Path> rejectFiles,
        @Nullable String firstReject,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements WriteSummary {
    @Override
    public Figures figures() {
        return imports == null ? figuresOfRequests() : figures(imports);
    }

    private Figures figures(ImportFigures sorted) {
        return new Figures(
                elapsed,
                sorted.rowsSorted(),
                reads.bytesRead(),
                /* inFlight */ 0,
                /* p99 */ Duration.ZERO,
                rowsRejected,
                Figures.done(reads, splitsBefore),
                reads.waiting(),
                new Figures.Counts(
                        rowsRead,
                        rowsWritten,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        reads.bytesRead(),
                        sorted.bytesWritten(),
                        sorted.bytesSpilled(),
                        /* rowsPending */ -1));
    }

    private Figures figuresOfRequests() {
        return new Figures(
                elapsed,
                Math.max(0, rowsWritten + rowsLeftOut - rowsBefore),
                writes.bytesWritten(),
                writes.inFlightRequests(),
                writes.latency().p99(),
                rowsRejected,
                Figures.done(reads, splitsBefore),
                writes.waiting() != null ? writes.waiting() : reads.waiting(),
                new Figures.Counts(
                        rowsRead,
                        rowsWritten,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        reads.bytesRead(),
                        writes.bytesWritten(),
                        writes.bytesSpilled(),
                        Figures.pending(writes)));
    }
}
