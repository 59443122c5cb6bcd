package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.ScanTotals;
import io.overdrive.WriteTimes;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.copy.CopySummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Objects;

/**
 * Prints the summary of a copy by SSTables.
 *
 * @param imports whether nodes were to import them
 */
public record SstableCopyPrinter(CopySummary summary, boolean imports) implements Report {
    private ImportFigures imported() {
        return Objects.requireNonNull(summary.imports());
    }

    @Override
    public void text(PrintWriter out) {
        ScanTotals reads = summary.reads();
        out.println(Report.rows(
                summary.rowsRead(),
                summary.rowsWritten(),
                imports ? "written" : "in SSTables that are not imported yet",
                summary.rowsRejected()));
        out.println(Report.time(
                summary.elapsed(),
                summary.rowsRead(),
                ", " + Amount.rate(reads.bytesRead(), summary.elapsed()) + " read, "
                        + Amount.rate(imported().bytesWritten(), summary.elapsed()) + " written"));
        if (summary.rowsRead() > 0) {
            CopyPrinter.printReads(out, reads);
        }
        if (imported().bytesSpilled() > 0) {
            out.println("  spilled   " + Amount.bytes(imported().bytesSpilled()));
        }
        SstablePrinter.nodes(out, imported().nodes());
        if (summary.rowsRead() > 0) {
            Report.timestamp(out, summary.writeTimes());
        }
        CopyPrinter.printRejects(out, summary);
        SstablePrinter.commands(out, imported().nodes());
        if (summary.outcome() != Outcome.DONE && imported().nodes().isEmpty()) {
            WriteTimes times = summary.writeTimes();
            out.println("  NOT COMPLETE: no node has any of the rows; run it again"
                    + (times != null && times.repeatable() ? ", if need be with --timestamp " + times.first() : ""));
        }
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        ScanTotals reads = summary.reads();
        Report.outcome(json, summary);
        json.writeNumberField("rowsRead", summary.rowsRead());
        json.writeNumberField("rowsWritten", summary.rowsWritten());
        json.writeNumberField("rowsRejected", summary.rowsRejected());
        json.writeNumberField("rowsNotWritten", summary.rowsRead() - summary.rowsWritten() - summary.rowsRejected());
        Report.secondsAndRate(json, summary.elapsed(), summary.rowsRead());
        json.writeNumberField("bytesRead", reads.bytesRead());
        json.writeNumberField("bytesWritten", imported().bytesWritten());
        json.writeNumberField("bytesSpilled", imported().bytesSpilled());
        json.writeNumberField("pages", reads.pages());
        json.writeNumberField("splits", reads.splits());
        json.writeNumberField("splitsRead", reads.splitsRead());
        json.writeNumberField("readRetries", reads.retries());
        Report.timestamp(json, summary.writeTimes());
        SstablePrinter.nodes(json, imported().nodes());
        Report.latency(json, "readLatencyMillis", reads);
        Report.files(json, "rejectFiles", summary.rejectFiles());
        json.writeStringField("firstReject", summary.firstReject());
    }
}
