package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.WriteTimes;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.sstable.handover.ImportResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints the summary of a load by SSTables.
 *
 * @param filesLeftOut files of directories, left out because of their names
 */
record SstablePrinter(LoadSummary summary, ImportFigures imports, int filesLeftOut, boolean dryRun) implements Report {
    @Override
    public void text(PrintWriter out) {
        out.println(Report.rows(
                summary.rowsRead(),
                summary.rowsWritten(),
                dryRun
                        ? "could be written"
                        : imports.isImported() ? "written" : "in SSTables that are not imported yet",
                summary.rowsRejected()));
        out.println(Report.time(
                summary.elapsed(),
                summary.rowsRead(),
                ", " + Amount.rate(summary.bytesRead(), summary.elapsed()) + " read"
                        + (dryRun ? "" : ", " + Amount.rate(imports.bytesWritten(), summary.elapsed()) + " written")));
        Report.inputFiles(out, summary.filesRead(), summary.filesTotal(), filesLeftOut);
        if (imports.bytesSpilled() > 0) {
            out.println("  spilled   " + Amount.bytes(imports.bytesSpilled()));
        }
        nodes(out, imports.nodes());
        if (!dryRun && summary.rowsRead() > 0) {
            Report.timestamp(out, summary.writeTimes());
        }
        Report.repeatedKeys(
                out, summary.writes().repeatedKeys(), summary.writes().repeatedKeysExact(), dryRun);
        Report.rejects(out, summary.rejectFiles(), summary.firstReject());
        commands(out, imports.nodes());
        if (!dryRun && summary.outcome() != Outcome.DONE) {
            again(out, imports, summary.writeTimes());
        }
    }

    /** Says to run it again if some rows are nowhere. */
    static void again(PrintWriter out, ImportFigures imports, @Nullable WriteTimes times) {
        boolean isNone = imports.nodes().isEmpty();
        if (isNone || imports.passesDone() < imports.passes() && imports.passes() > 1) {
            out.println("  NOT COMPLETE: "
                    + (isNone
                            ? "no node has any of the rows"
                            : "all nodes have the rows of " + imports.passesDone() + " of " + imports.passes()
                                    + " passes")
                    + "; run it again"
                    + (times != null && times.repeatable()
                            ? ", " + (isNone ? "if need be " : "") + "with --timestamp " + times.first()
                            : ""));
        }
    }

    /** Prints the SSTables of each node. */
    static void nodes(PrintWriter out, List<ImportResult> nodes) {
        nodes.forEach(node -> out.println("  node      " + text(node)));
    }

    /** Prints the commands with which the user continues. */
    static void commands(PrintWriter out, List<ImportResult> nodes) {
        for (ImportResult node : nodes) {
            if (node.command() != null) {
                out.println("  NOT COMPLETE: to finish " + node.node() + ": " + node.command());
            }
        }
    }

    private static String text(ImportResult node) {
        if (node.sstables() == 0 && node.problem() == null) {
            return node.node() + ": no rows to import";
        }
        return node.node() + ": " + Amount.count(node.rows(), "row") + " in "
                + Amount.count(node.sstables(), "SSTable") + " of "
                + Amount.bytes(node.bytes()) + ", "
                + (node.isImported()
                        ? "imported"
                        : node.problem() == null
                                ? "to be imported by " + node.directory().resolve("import.sh")
                                : "NOT IMPORTED: " + node.problem());
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        Report.outcome(json, summary);
        json.writeBooleanField("dryRun", dryRun);
        json.writeNumberField("rowsRead", summary.rowsRead());
        json.writeNumberField("rowsWritten", summary.rowsWritten());
        json.writeNumberField("rowsRejected", summary.rowsRejected());
        json.writeNumberField("rowsNotWritten", summary.rowsRead() - summary.rowsWritten() - summary.rowsRejected());
        Report.inputFiles(json, summary.filesRead(), summary.filesTotal(), filesLeftOut);
        Report.secondsAndRate(json, summary.elapsed(), summary.rowsRead());
        json.writeNumberField("bytesRead", summary.bytesRead());
        json.writeNumberField("bytesWritten", imports.bytesWritten());
        json.writeNumberField("bytesSpilled", imports.bytesSpilled());
        Report.timestamp(json, summary.writeTimes());
        passes(json, imports);
        nodes(json, imports.nodes());
        json.writeNumberField("repeatedKeys", summary.writes().repeatedKeys());
        json.writeBooleanField("repeatedKeysExact", summary.writes().repeatedKeysExact());
        Report.rejects(json, summary.rejectFiles(), summary.firstReject());
    }

    static void passes(JsonGenerator json, ImportFigures imports) throws IOException {
        json.writeNumberField("passes", imports.passes());
        json.writeNumberField("passesDone", imports.passesDone());
    }

    /** As {@link #nodes(PrintWriter, List)}. */
    static void nodes(JsonGenerator json, List<ImportResult> nodes) throws IOException {
        json.writeArrayFieldStart("nodes");
        for (ImportResult node : nodes) {
            json.writeStartObject();
            json.writeStringField("node", node.node());
            json.writeNumberField("sstables", node.sstables());
            json.writeNumberField("rows", node.rows());
            json.writeNumberField("bytes", node.bytes());
            json.writeBooleanField("imported", node.isImported());
            if (!node.isImported()) {
                json.writeStringField("directory", node.directory().toString());
            }
            if (node.problem() != null) {
                json.writeStringField("problem", node.problem());
            }
            if (node.command() != null) {
                json.writeStringField("command", node.command());
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
