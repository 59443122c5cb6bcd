package io.overdrive.cli.options;

import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.load.LoadOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options for which field goes to which column: a group of options, or the beginning of one. */
public class MappingMixin {
    @Option(
            names = "--map",
            paramLabel = "MAPPING",
            description =
                    "Mapping of fields to columns: \"id = user_id, 2 = name, 'web' = source, ttl_s = ttl(), * = *,"
                            + " * = -note\". Fields by name or number from 0; 'text' is a constant; ttl() and writetime()"
                            + " set the TTL and write time of the row. Default: \"* = *\", by name.")
    private String map = "* = *";

    @Option(
            names = "--set",
            paramLabel = "ASSIGNMENT",
            description =
                    "Column that is computed from the fields of a record: \"dest = upper(trim(dest))\"; once for each"
                            + " column. Fields with a column have its type, others are text. Default: none.")
    private List<String> assignments = new ArrayList<>();

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
                    "Words for a missing value. An empty field is missing, too, and so are NA, N/A, NULL, null and \\N"
                            + " unless the column is text.")
    private List<String> nullWords = new ArrayList<>();

    @Option(
            names = "--empty-text",
            description =
                    "CSV: an empty field is empty text if the column is text. Default: it is a missing value, unless it"
                            + " is in quotes.")
    private boolean emptyText;

    @Option(names = "--allow-missing-fields", description = "CSV: accept records with fewer fields than the header.")
    private boolean allowMissing;

    @Option(
            names = "--allow-extra-fields",
            description = "Ignore fields without a column, and fields that a user-defined type does not have.")
    private boolean allowExtra;

    /** Sets these, and the options that a group adds. */
    public LoadOptions.Builder apply(LoadOptions.Builder options) {
        return options.mapping(Mapping.parse(map))
                .set(Assignments.parse(assignments))
                .fieldNames(names)
                .nullWords(nullWords)
                .emptyText(emptyText)
                .allowMissingFields(allowMissing)
                .allowExtraFields(allowExtra);
    }
}
