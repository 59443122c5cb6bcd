package io.overdrive.files.load;

import io.overdrive.files.Mapping;
import io.overdrive.files.RejectLimit;
import io.overdrive.files.records.InputFile;
import io.overdrive.files.records.InputFormat;
import io.overdrive.files.text.ValueFormat;
import java.nio.file.Path;
import java.util.List;

/**
 * What to load and how to read it; how to write it is {@link io.overdrive.WriteOptions}. Immutable.
 *
 * @param files in the order in which they are read
 * @param format of the records
 * @param values how text becomes values
 * @param mapping of fields to columns
 * @param fieldNames names of the fields of CSV files without a header; empty where files have one, or the mapping uses
 *     numbers
 * @param nullWords text that stands for a missing value, besides the words that always do
 * @param writeNulls whether a missing value deletes what is there; else it leaves the cell as it is
 * @param allowMissingFields whether a record may have fewer fields than the header
 * @param allowExtraFields whether fields that have no column are left out; else they stop the load, or reject the record
 * @param maxRejects more rejected records stop the load
 * @param rejectDirectory where rejected records go
 * @param rejectName name of their file, to which {@code .rejected} is added
 * @param dryRun whether nothing is written
 * @param threads that parse
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
                    "nullWords holds the empty word, which always means a missing value: leave it out");
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

    /** As many threads as there are processors, up to 8: then the cluster is busier than the parser. */
    public static int defaultThreads() {
        return Math.min(8, Runtime.getRuntime().availableProcessors());
    }
}
