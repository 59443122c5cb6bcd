package io.overdrive.cli.options;

import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.load.LoadOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for which field goes to which column, and for records that are rejected. */
public final class FieldsMixin extends MappingMixin {
    @Option(
            names = "--write-nulls",
            description =
                    "A missing value deletes the existing one, which leaves tombstones. In JSON, null does; a member that a record"
                            + " does not have is left alone. Default: the existing one is kept.")
    private boolean writeNulls;

    @Option(
            names = "--keep-times",
            description =
                    "Give each cell its own times, from the fields writetime(field) and expires(field) that overdrive"
                            + " unload --keep-times writes. Cells that have expired are left out. Default: such fields"
                            + " are refused, and all cells get the time of the load.")
    private boolean keepTimes;

    @Option(
            names = "--max-rejects",
            paramLabel = "N|N%",
            description = "Stop when more records than this were rejected; none: no limit. Default: 100.")
    private String maxRejects = "100";

    @Option(
            names = "--rejects",
            paramLabel = "DIR",
            description =
                    "Directory for rejected records, in NAME.rejected and NAME.rejected.reasons. A dry run saves them only if"
                            + " it is given. Default: the current directory.")
    private @Nullable Path rejects;

    /** Sets all of these but the directory of rejected records. */
    @Override
    public LoadOptions.Builder apply(LoadOptions.Builder builder) {
        return super.apply(builder)
                .writeNulls(writeNulls)
                .keepTimes(keepTimes)
                .maxRejects(RejectLimit.parse(maxRejects));
    }

    /**
     * Names the fields of the mapping that no record has.
     *
     * @param what the effect on their columns
     */
    public static void warnOfMissing(List<String> fields, String what, PrintWriter err) {
        fields.forEach(field -> err.println("overdrive: no record has field \"" + field + "\" of --map, so its column "
                + what + "; check how it is spelt"));
    }

    /**
     * The cells and rows of the files that are left out, as their time is up, in words.
     *
     * @param rows rows without any other cell, and without a row marker
     * @return one sentence for each kind; none if nothing is left out
     */
    public static List<String> expired(long cells, long rows) {
        List<String> all = new ArrayList<>();
        if (cells > 0) {
            all.add(Amount.count(cells, "cell") + (cells == 1 ? " has" : " have")
                    + " expired since the files were written, and " + (cells == 1 ? "was" : "were") + " left out");
        }
        if (rows > 0) {
            all.add(Amount.count(rows, "row") + (rows == 1 ? " was" : " were")
                    + " left out: neither a cell nor a row marker is left of " + (rows == 1 ? "it" : "them"));
        }
        return all;
    }

    /** Says that there was nothing to load, such as the file of a job before that has failed. */
    public static void warnOfNoInput(Summary summary, long rowsRead, long bytesRead, PrintWriter err) {
        if (summary.outcome() == Summary.Outcome.DONE && rowsRead == 0 && bytesRead == 0) {
            err.println("overdrive: the input is empty: it has 0 bytes");
        }
    }

    /** Whether each cell gets its own times. */
    public boolean keepsTimes() {
        return keepTimes;
    }

    /** The directory for rejected records; null for the default. */
    public @Nullable Path rejects() {
        return rejects;
    }
}
