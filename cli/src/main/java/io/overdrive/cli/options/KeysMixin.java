package io.overdrive.cli.options;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.ScanOptions;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.keys.KeyOptions;
import io.overdrive.jobs.keys.KeyRows;
import io.overdrive.jobs.keys.MissingKeys;
import io.overdrive.jobs.load.LoadOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Options by which a command reads only the rows of a table whose keys are in files. */
public final class KeysMixin implements AutoCloseable {
    private static final String NAME = "--keys";
    /** The exit code of work that is done, and not of all that was asked for: as with rejected rows, or differences. */
    private static final int MISSING = 3;

    @Option(
            names = NAME,
            paramLabel = "FILE",
            description =
                    "Read only the rows whose keys are in FILE, of any format that a load reads, or - for standard"
                            + " input, which is CSV. Fields go to the columns of the primary key by their names: the whole partition"
                            + " key and, optionally, clustering columns from the first on; other fields are left out. Rows are looked"
                            + " up, or if that takes longer, found by a scan; the plan says which. Keys that no row has are counted,"
                            + " and the exit code is then 3.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = "--keys-map",
            paramLabel = "MAPPING",
            description =
                    "Mapping of the fields of --keys to columns: \"user = id, 2 = day\"; see --map of load. Default: by name.")
    private String mapping = "* = *";

    @Option(
            names = "--keys-fields",
            split = ",",
            paramLabel = "NAMES",
            description = "Names of the fields of CSV files of --keys without a header, in order: id,day.")
    private List<String> fields = new ArrayList<>();

    @Option(
            names = "--keys-spill-directory",
            paramLabel = "DIR",
            description =
                    "Directory for keys that do not fit in memory. Default: the system's directory for temporary files.")
    private Path spillDirectory = Path.of(System.getProperty("java.io.tmpdir"));

    private @Nullable LoadOptions input;
    private @Nullable KeyRows opened;

    /** Whether rows are to be read by keys. */
    public boolean isGiven() {
        return !files.isEmpty();
    }

    /**
     * Refuses options that have no effect, and finds the files.
     *
     * @param err for files that are left out
     */
    public void check(CommandSpec command, PrintWriter err) {
        ParseResult given = command.commandLine().getParseResult();
        OptionValues.checkNeeds(given, "--keys-map", NAME);
        OptionValues.checkNeeds(given, "--keys-fields", NAME);
        OptionValues.checkNeeds(given, "--keys-spill-directory", NAME);
        if (!isGiven()) {
            return;
        }
        for (String other : List.of("--where", "--query", "--token-range", "--sample", "--from-sstables")) {
            if (given.hasMatchedOption(other)) {
                throw new IllegalArgumentException(NAME
                        + " chooses rows of a table in the cluster by their keys alone: it does not go with " + other);
            }
        }
        input = LoadOptions.of(expanded(err))
                .format(InputFormat.builder().header(fields.isEmpty()).build())
                .mapping(mapping())
                .fieldNames(fields)
                .words(OptionNames.words(command))
                .build();
    }

    private List<InputFile> expanded(PrintWriter err) {
        try {
            return InputFiles.expand(files, leftOut -> err.println("overdrive: " + leftOut));
        } catch (OverdriveException e) {
            throw new IllegalArgumentException(NAME + ": " + e.getMessage(), e);
        }
    }

    private Mapping mapping() {
        try {
            return Mapping.parse(mapping);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--keys-map: " + e.getMessage(), e);
        }
    }

    /**
     * Makes a table be read by the keys, if they are given. Close this after the scan.
     *
     * @param read of a table, unless keys are not given
     * @param err for the number of keys
     */
    public KeysMixin open(Overdrive cluster, ScanOptions.Builder read, PrintWriter err) {
        LoadOptions from = input;
        if (from != null) {
            KeyRows rows = KeyRows.open(cluster, read.build(), KeyOptions.of(from, spillDirectory));
            opened = rows;
            read.source(rows);
            err.println("overdrive: " + given(rows));
        }
        return this;
    }

    private String given(KeyRows rows) {
        String in = " in "
                + files.stream()
                        .map(file -> file.equals("-") ? "standard input" : file)
                        .collect(Collectors.joining(", "));
        if (rows.keys() == 0) {
            return "NO KEYS" + in + ", so NO ROWS are read: if there should be some, see what writes the file";
        }
        return Amount.count(rows.keys(), "key")
                + in
                + (rows.repeated() == 0
                        ? ""
                        : "; " + Amount.count(rows.repeated(), "record")
                                + (rows.repeated() == 1 ? " repeats one" : " repeat some"));
    }

    /**
     * Reports keys that no row has.
     *
     * @param code the exit code otherwise
     * @param isResumed whether an earlier run has read the rows of some keys
     * @return another one if it would mean that each key was found
     */
    public int end(int code, boolean isResumed, PrintWriter err) {
        KeyRows rows = opened;
        if (rows == null) {
            return code;
        }
        if (isResumed) {
            err.println(
                    "overdrive: keys without a row are only known of the part that was read since the run was resumed");
        }
        MissingKeys missing = rows.missing();
        if (missing.count() == 0) {
            return isResumed && code == 0 ? MISSING : code;
        }
        err.println("overdrive: " + Amount.count(missing.count(), "key")
                + (missing.count() == 1 ? " has" : " have") + " no row in the table: "
                + String.join(", ", missing.first())
                + (missing.count() > missing.first().size() ? " and others" : ""));
        return code == 0 ? MISSING : code;
    }

    /**
     * The keys that have no row, in words; none if each has one.
     *
     * @param isResumed as {@link #end} has it
     */
    public List<String> leftOut(boolean isResumed) {
        KeyRows rows = opened;
        if (rows == null) {
            return List.of();
        }
        List<String> left = new ArrayList<>();
        long missing = rows.missing().count();
        if (missing > 0) {
            left.add(Amount.count(missing, "key") + (missing == 1 ? " has" : " have") + " no row");
        }
        if (isResumed) {
            left.add("keys without a row of the part that was read before the run was resumed, which are not known");
        }
        return left;
    }

    /** Adds the figures of the keys, if they are given. */
    public void members(JsonGenerator json) throws IOException {
        KeyRows rows = opened;
        if (rows != null) {
            MissingKeys missing = rows.missing();
            json.writeObjectFieldStart("keys");
            json.writeNumberField("given", rows.keys());
            json.writeNumberField("repeated", rows.repeated());
            json.writeNumberField("missing", missing.count());
            json.writeArrayFieldStart("firstMissing");
            for (String key : missing.first()) {
                json.writeRawValue(key);
            }
            json.writeEndArray();
            json.writeEndObject();
        }
    }

    @Override
    public void close() {
        if (opened != null) {
            opened.close();
        }
    }
}
