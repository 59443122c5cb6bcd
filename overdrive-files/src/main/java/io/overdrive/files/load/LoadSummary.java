package io.overdrive.files.load;

import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.files.Summary;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How far a load is, or how it ended. Immutable. At the end, read = written + rejected.
 *
 * @param rowsRead records taken from the files
 * @param rowsWritten rows that Cassandra acknowledged; in a dry run, rows that could have been written
 * @param rowsRejected records that could not be parsed, converted or written
 * @param bytesRead of the files as stored
 * @param bytesTotal of the files as stored, where it is known
 * @param filesRead input files that were read to their ends; pipes and standard input are files, too
 * @param filesTotal input files
 * @param elapsed since the start
 * @param writes what the writer did
 * @param writeTimes of rows without a write time of their own; null in a dry run, or if the server sets them
 * @param rejectFiles where rejected records are
 * @param outcome how it ended
 * @param failure what stopped it; null unless it failed
 */
public record LoadSummary(
        long rowsRead,
        long rowsWritten,
        long rowsRejected,
        long bytesRead,
        OptionalLong bytesTotal,
        int filesRead,
        int filesTotal,
        Duration elapsed,
        Totals writes,
        @Nullable WriteTimes writeTimes,
        List<Path> rejectFiles,
        Outcome outcome,
        @Nullable RuntimeException failure)
        implements Summary {}
