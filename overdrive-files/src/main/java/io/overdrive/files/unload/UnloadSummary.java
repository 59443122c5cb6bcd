package io.overdrive.files.unload;

import io.overdrive.ScanTotals;
import io.overdrive.files.Summary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far an unload is, or how it ended. Immutable.
 *
 * @param rowsWritten rows given to the files or the stream; once it has ended, those in whole files or in the stream
 * @param bytesWritten of records, before they are packed
 * @param bytesStored of files, as they are stored; once it has ended, of whole ones
 * @param elapsed since the start
 * @param reads what the scan did
 * @param files those that are whole
 * @param overlongFieldLines line ends in the longest CSV field, if they are more than {@link
 *     io.overdrive.files.records.InputFormat#DEFAULT_MAX_FIELD_LINES}: {@code InputFormat#maxFieldLines} must then be raised to load it; else 0
 * @param digest of all rows, whatever their order; only of interest once the outcome is DONE
 * @param outcome how it ended
 * @param failure what stopped it; null unless it failed
 */
public record UnloadSummary(
        long rowsWritten,
        long bytesWritten,
        long bytesStored,
        Duration elapsed,
        ScanTotals reads,
        List<Path> files,
        int overlongFieldLines,
        String digest,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {}
