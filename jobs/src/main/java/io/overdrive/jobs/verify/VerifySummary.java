package io.overdrive.jobs.verify;

import io.overdrive.ScanTotals;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.load.Loss;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a verification, or how it ended. Immutable. At the end, compared = same + different + missing, but
 * {@code different} also counts partitions whose static columns differ.
 *
 * @param recordsRead records taken from the files
 * @param recordsRejected records that could not be parsed or converted
 * @param recordsRepeated records whose key an earlier one had, and whose values replace the earlier ones
 * @param losses values of the files that their columns do not keep in full, and that were compared as the columns keep them; empty
 *     until the files are read
 * @param rowsCompared rows of the files, one for each key, that were looked for in the table
 * @param rowsSame rows that the table has with the same values
 * @param different rows that differ, and partitions whose static columns differ
 * @param missing rows that the table does not have
 * @param bytesRead bytes read, of the files as stored
 * @param bytesTotal size of the files as stored, if known
 * @param bytesSpilled bytes written to disk
 * @param filesRead number of input files read completely
 * @param filesTotal number of input files
 * @param elapsed time since the start
 * @param table totals of the scan of the table
 * @param done share of the work that is done, 0 to 1; negative if unknown
 * @param isWhole whether all rows of the files were compared
 * @param rejectFiles files of rejected records
 * @param firstReject where the first rejected record is, and why; null if there is none
 * @param outcome how it ended
 * @param failure the failure that stopped it; null unless it failed
 */
public record VerifySummary(
        long recordsRead,
        long recordsRejected,
        long recordsRepeated,
        List<Loss> losses,
        long rowsCompared,
        long rowsSame,
        long different,
        long missing,
        long bytesRead,
        OptionalLong bytesTotal,
        long bytesSpilled,
        int filesRead,
        int filesTotal,
        Duration elapsed,
        ScanTotals table,
        double done,
        boolean isWhole,
        List<Path> rejectFiles,
        @Nullable String firstReject,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {

    public long differences() {
        return different + missing;
    }

    @Override
    public Figures figures() {
        return new Figures(
                elapsed,
                recordsRead + rowsCompared,
                bytesRead + table.bytesRead(),
                table.inFlight(),
                table.latency().p99(),
                recordsRejected,
                done,
                table.waiting(),
                new Figures.Counts(
                        recordsRead,
                        /* rowsWritten */ -1,
                        rowsCompared,
                        differences(),
                        bytesRead + table.bytesRead(),
                        /* bytesWritten */ -1,
                        bytesSpilled,
                        /* rowsPending */ -1));
    }
}
