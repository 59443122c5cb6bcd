package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.ScanTotals;
import io.overdrive.WriteTimes;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.sstables.SstableCopySummary;
import java.io.IOException;
import java.io.PrintWriter;

/**
 * Prints the summary of a copy by SSTables.
 *
 * @param imports whether nodes were to import them
 */
public record SstableCopyPrinter(SstableCopySummary summary, boolean imports) implements Report {
    @Override
    public void text(PrintWriter out) {
        CopySummary read = summary.read();
        ScanTotals reads = read.reads();
        out.println(Report.rows(
                read.rowsRead(),
                summary.rowsWritten(),
                imports ? "written" : "in SSTables that are not imported yet",
                read.rowsRejected()));
        out.println(Report.time(
                summary.elapsed(),
                read.rowsRead(),
                ", " + Amount.rate(reads.bytesRead(), summary.elapsed()) + " read, "
                        + Amount.rate(summary.bytesWritten(), summary.elapsed()) + " written"));
        if (read.rowsRead() > 0) {
            CopyPrinter.printReads(out, reads);
        }
        if (summary.bytesSpilled() > 0) {
            out.println("  spilled   " + Amount.bytes(summary.bytesSpilled()));
        }
        SstablePrinter.nodes(out, summary.nodes());
        if (read.rowsRead() > 0) {
            Report.timestamp(out, summary.writeTimes());
        }
        CopyPrinter.printRejects(out, read);
        SstablePrinter.commands(out, summary.nodes());
        if (summary.outcome() != Outcome.DONE && summary.nodes().isEmpty()) {
            WriteTimes times = summary.writeTimes();
            out.println("  NOT COMPLETE: no node has any of the rows; run it again"
                    + (times != null && times.repeatable() ? ", if need be with --timestamp " + times.first() : ""));
        }
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        CopySummary read = summary.read();
        ScanTotals reads = read.reads();
        Report.outcome(json, summary);
        json.writeNumberField("rowsRead", read.rowsRead());
        json.writeNumberField("rowsWritten", summary.rowsWritten());
        json.writeNumberField("rowsRejected", read.rowsRejected());
        json.writeNumberField("rowsNotWritten", read.rowsRead() - summary.rowsWritten() - read.rowsRejected());
        Report.secondsAndRate(json, summary.elapsed(), read.rowsRead());
        json.writeNumberField("bytesRead", reads.bytesRead());
        json.writeNumberField("bytesWritten", summary.bytesWritten());
        json.writeNumberField("bytesSpilled", summary.bytesSpilled());
        json.writeNumberField("pages", reads.pages());
        json.writeNumberField("splits", reads.splits());
        json.writeNumberField("splitsRead", reads.splitsRead());
        json.writeNumberField("readRetries", reads.retries());
        Report.timestamp(json, summary.writeTimes());
        SstablePrinter.nodes(json, summary.nodes());
        Report.latency(json, "readLatencyMillis", reads);
        Report.files(json, "rejectFiles", read.rejectFiles());
        json.writeStringField("firstReject", read.firstReject());
    }
}
