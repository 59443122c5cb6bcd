package io.overdrive.files.copy;

import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.files.Summary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a copy is, or how it ended. Immutable. At the end, read = written + rejected.
 *
 * @param rowsRead rows of the source, and partitions that only have static columns
 * @param rowsWritten those of them that Cassandra acknowledged as a whole
 * @param rowsRejected those that could not be converted or written
 * @param elapsed since the start
 * @param reads what the scan did
 * @param writes what the writers did; with write times kept, and for static columns, a row may be several here
 * @param writeTimes of rows whose own are not kept; null if the server sets them
 * @param rejectFiles where the keys of rejected rows are
 * @param outcome how it ended
 * @param failure what stopped it; null unless it failed
 */
public record CopySummary(
        long rowsRead,
        long rowsWritten,
        long rowsRejected,
        Duration elapsed,
        ScanTotals reads,
        Totals writes,
        @Nullable WriteTimes writeTimes,
        List<Path> rejectFiles,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {}
