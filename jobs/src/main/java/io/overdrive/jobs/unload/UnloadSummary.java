package io.overdrive.jobs.unload;

import io.overdrive.ScanTotals;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of an unload, or how it ended. Immutable.
 *
 * @param rowsWritten rows given to the files or the stream; once it has ended, those in complete files or in the stream
 * @param rowsInParts once it has ended without being done: further rows, in incomplete files, that a resumed run does not read again
 * @param bytesWritten size of the records before compression
 * @param bytesStored size of the files as stored; once it has ended, of complete ones
 * @param rowsBefore rows written before this run resumed
 * @param splitsBefore number of splits that these have finished; they are not among the splits of {@code reads}
 * @param elapsed time since the start
 * @param reads totals of the scan
 * @param files the complete files
 * @param overlongFieldLines line ends in the longest CSV field, if more than {@link
 *     io.overdrive.jobs.ReadingSetting#MAX_FIELD_LINES} has by default: it must then be raised to load it; else 0
 * @param notKept values that a load of the files does not bring back as they were
 * @param digest of all rows in any order; meaningful only if the outcome is DONE. Empty if not all cells are written
 * @param outcome how it ended
 * @param failure the failure that stopped it; null unless it failed
 */
public record UnloadSummary(
        long rowsWritten,
        long rowsInParts,
        long bytesWritten,
        long bytesStored,
        long rowsBefore,
        int splitsBefore,
        Duration elapsed,
        ScanTotals reads,
        List<Path> files,
        int overlongFieldLines,
        NotKept notKept,
        String digest,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {
    @Override
    public Figures figures() {
        return new Figures(
                elapsed,
                rowsWritten - rowsBefore,
                bytesWritten,
                reads.inFlight(),
                reads.latency().p99(),
                /* rejected */ -1,
                Figures.done(reads, splitsBefore),
                reads.waiting(),
                new Figures.Counts(
                        reads.rowsRead(),
                        rowsWritten,
                        /* rowsCompared */ -1,
                        /* differences */ -1,
                        reads.bytesRead(),
                        bytesWritten,
                        /* bytesSpilled */ -1,
                        /* rowsPending */ -1));
    }
}
