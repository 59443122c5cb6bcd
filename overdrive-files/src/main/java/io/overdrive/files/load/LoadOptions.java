package io.overdrive.files.load;

import io.overdrive.files.Mapping;
import io.overdrive.files.RejectLimit;
import io.overdrive.files.records.InputFile;
import io.overdrive.files.records.InputFormat;
import io.overdrive.files.text.ValueFormat;
import java.nio.file.Path;
import java.util.List;

/**
 * What to load and how to read it; {@link io.overdrive.WriteOptions} says how to write it. Immutable.
 *
 * @param files in the order in which they are read
 * @param format of the records
 * @param values how values are read from text
 * @param mapping of fields to columns
 * @param fieldNames names of the fields of CSV files without a header; empty if files have one, or the mapping uses
 *     numbers
 * @param nullWords texts of a missing value, besides those that always mean one
 * @param writeNulls whether a missing value deletes the existing cell; else the cell is left unchanged
 * @param allowMissingFields whether a record may have fewer fields than the header
 * @param allowExtraFields whether fields without a column are ignored; else they stop the load, or reject the record
 * @param maxRejects maximum number of rejected records; more stop the load
 * @param rejectDirectory directory of rejected records
 * @param rejectName name of the file of rejected records, to which {@code .rejected} is added
 * @param dryRun whether to write nothing
 * @param threads number of threads that parse
 * @throws IllegalArgumentException if a value is out of range
 */
public record LoadOptions(
        List<InputFile> files,
        InputFormat format,
        ValueFormat values,
        Mapping mapping,
        List<String> fieldNames,
        List<String> nullWords,
        boolean writeNulls,
        boolean allowMissingFields,
        boolean allowExtraFields,
        RejectLimit maxRejects,
        Path rejectDirectory,
        String rejectName,
        boolean dryRun,
        int threads) {
    public LoadOptions {
        files = List.copyOf(files);
        fieldNames = List.copyOf(fieldNames);
        nullWords = List.copyOf(nullWords);
        if (files.isEmpty()) {
            throw new IllegalArgumentException("files is empty, must name at least one");
        }
        if (nullWords.contains("")) {
            throw new IllegalArgumentException(
                    "nullWords contains the empty word, which always means a missing value: leave it out");
        }
        if (threads < 1) {
            throw new IllegalArgumentException("threads is " + threads + ", must be 1 or more");
        }
    }

    LoadOptions withMapping(Mapping other) {
        return new LoadOptions(
                files,
                format,
                values,
                other,
                fieldNames,
                nullWords,
                writeNulls,
                allowMissingFields,
                allowExtraFields,
                maxRejects,
                rejectDirectory,
                rejectName,
                dryRun,
                threads);
    }

    /** One thread per processor, up to 8: beyond that the cluster is the bottleneck. */
    public static int defaultThreads() {
        return Math.min(8, Runtime.getRuntime().availableProcessors());
    }
}
