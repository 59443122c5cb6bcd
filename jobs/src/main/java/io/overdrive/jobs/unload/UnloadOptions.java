package io.overdrive.jobs.unload;

import io.overdrive.Setting;
import io.overdrive.formats.records.Compression;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.KeptTimes;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.expression.Assignments;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where rows go, and in which format. Immutable.
 *
 * @param directory receives a file for each split or more ({@code limit}), or directories with such files ({@link OutputFormat#partitionBy}), {@code .csv}, {@code .tsv} if the delimiter is a tab, {@code
 *     .jsonl}, {@code .arrow} or {@code .parquet}; null for another output
 * @param file receives all rows; null for another output
 * @param stream receives all rows if neither is given; it is not closed
 * @param format of the records
 * @param values how values are written as text
 * @param compression gzip, zstd, xz, bzip2, lz4, snappy or none; without effect for Arrow and Parquet, whose batches and pages are compressed ({@link
 *     OutputFormat.Batches})
 * @param threads number of threads that convert rows to text
 * @param mapping of fields of the output to columns, as for a load that reads it; {@link Mapping#BY_NAME} for fields with the names of their
 *     columns
 * @param assignments fields that are computed from the columns that are read, each in place of the field of its name, or after the others.
 *     Names and types are checked when the unload is opened; a row whose value cannot be computed ends it
 * @param keepTimes whether each field of a column outside the primary key is followed by the fields {@code writetime(field)} and {@code
 *     expires(field)}, with the times of its cell
 * @param listsFiles whether a directory of this machine gets a manifest, too, as one of an object store does
 * @param after the cells that are written: those of rows without any have no record, and a directory gets a manifest, which says so; null for
 *     all
 * @param limit of files in a directory; {@link FileLimit#NONE} for a file for each split, or, in an object store, files of 256 MiB
 */
public record UnloadOptions(
        @Nullable Path directory,
        @Nullable Path file,
        @Nullable PrintStream stream,
        OutputFormat format,
        ValueFormat values,
        String compression,
        int threads,
        Mapping mapping,
        Assignments assignments,
        boolean keepTimes,
        boolean listsFiles,
        @Nullable WrittenAfter after,
        FileLimit limit) {

    public UnloadOptions {
        mapping.toOutput().check();
        if (keepTimes) {
            KeptTimes.check(mapping, mapping.toString(), assignments);
        }
        if ((directory == null ? 0 : 1) + (file == null ? 0 : 1) + (stream == null ? 0 : 1) != 1) {
            throw new IllegalArgumentException("give one of directory, file and stream");
        }
        if (stream != null && format.kind().isColumnar() && !format.batches().isStream()) {
            throw new IllegalArgumentException(
                    "the output is a stream, and the batches are for a file, which is read for its end: give batches with"
                            + " isStream");
        }
        if (after != null && !keepTimes) {
            throw new IllegalOptionException(words -> words.of(JobOption.WRITTEN_AFTER) + " needs "
                    + words.of(JobOption.KEEP_TIMES) + ": without the times of its cells, a row of the files would"
                    + " replace newer ones");
        }
        if (after != null && !format.partitionBy().isEmpty()) {
            throw new IllegalOptionException(words -> words.of(JobOption.WRITTEN_AFTER) + " does not go with "
                    + words.of(JobOption.PARTITION_BY) + ", as not all records have the columns of directories");
        }
        if (directory == null && !format.partitionBy().isEmpty()) {
            throw new IllegalOptionException(
                    words -> words.of(JobOption.PARTITION_BY) + " makes directories: name a directory as the output");
        }
        if (directory == null && !limit.isNone()) {
            Setting<Long> given = limit.rows() == Long.MAX_VALUE ? JobSetting.FILE_BYTES : JobSetting.FILE_ROWS;
            throw new IllegalOptionException(
                    words -> words.of(given) + " makes several files: name a directory as the output");
        }
        if (directory != null && limit.isNone() && !Location.isLocal(directory)) {
            limit = FileLimit.OF_STORE;
        }
        JobSetting.UNLOAD_THREADS.check((long) threads);
        compression = Compression.named(compression).name();
    }

    /** Options with a field for each column, of its name. */
    public UnloadOptions(
            @Nullable Path directory,
            @Nullable Path file,
            @Nullable PrintStream stream,
            OutputFormat format,
            ValueFormat values,
            String compression,
            int threads) {
        this(
                directory,
                file,
                stream,
                format,
                values,
                compression,
                threads,
                Mapping.BY_NAME,
                Assignments.NONE,
                /* keepTimes */ false,
                /* listsFiles */ false,
                /* after */ null,
                FileLimit.NONE);
    }

    /** The same in another format. */
    UnloadOptions withFormat(OutputFormat other) {
        return with(other, listsFiles, after);
    }

    private UnloadOptions with(OutputFormat otherFormat, boolean lists, @Nullable WrittenAfter time) {
        return new UnloadOptions(
                directory,
                file,
                stream,
                otherFormat,
                values,
                compression,
                threads,
                mapping,
                assignments,
                keepTimes,
                lists,
                time,
                limit);
    }

    /** As {@link WrittenAfter#micros}; for all cells, {@link WrittenAfter#ANY_TIME}. */
    long afterMicros() {
        return after == null ? WrittenAfter.ANY_TIME : after.micros();
    }

    /** The same, of the cells that were written after a time; null for all. */
    public UnloadOptions writtenAfter(@Nullable WrittenAfter time) {
        return with(format, listsFiles || time != null, time);
    }

    /** The compression by the name of a file; {@code none} if the name does not show it. */
    public static String compressionOf(String fileName) {
        return Compression.of(fileName).name().toLowerCase(Locale.ROOT);
    }

    /** How files are compressed as a whole, which columnar ones are not. */
    Compression packing() {
        return format.kind().isColumnar() ? Compression.NONE : Compression.named(compression);
    }
}
