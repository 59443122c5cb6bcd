package io.overdrive.cli.options;

import io.overdrive.files.Mapping;
import io.overdrive.files.RejectLimit;
import io.overdrive.files.load.LoadOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options for which field goes to which column, and for records that are rejected. */
public final class FieldsMixin {
    @Option(
            names = "--map",
            paramLabel = "MAPPING",
            description =
                    "Mapping of fields to columns: \"id = user_id, 2 = name, 'web' = source, ttl_s = ttl(), * = *,"
                            + " * = -note\". Fields by name or number from 0; 'text' is a constant; ttl() and writetime()"
                            + " set the TTL and write time of the row. Default: \"* = *\", by name.")
    private String map = "* = *";

    @Option(
            names = "--fields",
            split = ",",
            paramLabel = "NAMES",
            description = "CSV: names of the fields of files without a header, in order: a,b,c; with --no-header.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--null",
            split = ",",
            paramLabel = "WORDS",
            description =
                    "Words for a missing value. An empty field is always missing, and so are NA, N/A, NULL, null and \\N"
                            + " unless the column is text.")
    private List<String> nullWords = new ArrayList<>();

    @Option(
            names = "--write-nulls",
            description =
                    "A missing value deletes the existing one, which leaves tombstones. Default: the existing one is kept.")
    private boolean writeNulls;

    @Option(names = "--allow-missing-fields", description = "CSV: accept records with fewer fields than the header.")
    private boolean allowMissing;

    @Option(names = "--allow-extra-fields", description = "Ignore fields without a column.")
    private boolean allowExtra;

    @Option(
            names = "--max-rejects",
            paramLabel = "N|N%",
            description = "Stop when more records than this were rejected; none: no limit. Default: 100.")
    private String maxRejects = "100";

    @Option(
            names = "--rejects",
            paramLabel = "DIR",
            description =
                    "Directory for rejected records, in NAME.rejected and NAME.rejected.reasons. Default: the current"
                            + " directory.")
    private Path rejects = Path.of("");

    /** Sets all of these but the directory of rejected records. */
    public LoadOptions.Builder apply(LoadOptions.Builder builder) {
        return builder.mapping(Mapping.parse(map))
                .fieldNames(names)
                .nullWords(nullWords)
                .writeNulls(writeNulls)
                .allowMissingFields(allowMissing)
                .allowExtraFields(allowExtra)
                .maxRejects(RejectLimit.parse(maxRejects));
    }

    /** The directory for rejected records. */
    public Path rejects() {
        return rejects;
    }
}
