package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.ScanTotals;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.copy.CopySummary;
import java.io.IOException;
import java.io.PrintWriter;

/** Prints the summary of a copy by SSTables. */
record SstableCopyPrinter(CopySummary summary, ImportFigures imports) implements Report {
    @Override
    public void text(PrintWriter out) {
        ScanTotals reads = summary.reads();
        out.println(Report.rows(
                summary.rowsRead(),
                summary.rowsWritten(),
                imports.isImported() ? "written" : "in SSTables that are not imported yet",
                summary.rowsRejected(),
                summary.rowsLeftOut()));
        out.println(Report.time(
                summary.elapsed(),
                summary.rowsRead(),
                ", " + Amount.rate(reads.bytesRead(), summary.elapsed()) + " read, "
                        + Amount.rate(imports.bytesWritten(), summary.elapsed()) + " written"));
        if (summary.rowsRead() > 0) {
            CopyPrinter.printReads(out, reads);
        }
        if (imports.bytesSpilled() > 0) {
            out.println("  spilled   " + Amount.bytes(imports.bytesSpilled()));
        }
        SstablePrinter.nodes(out, imports.nodes());
        if (summary.rowsRead() > 0) {
            Report.timestamp(out, summary.writeTimes());
        }
        CopyPrinter.printRejects(out, summary);
        SstablePrinter.commands(out, imports.nodes());
        if (summary.outcome() != Outcome.DONE) {
            SstablePrinter.again(out, imports, summary.writeTimes());
        }
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        ScanTotals reads = summary.reads();
        Report.outcome(json, summary);
        json.writeNumberField("rowsRead", summary.rowsRead());
        json.writeNumberField("rowsWritten", summary.rowsWritten());
        json.writeNumberField("rowsRejected", summary.rowsRejected());
        json.writeNumberField("rowsLeftOut", summary.rowsLeftOut());
        json.writeNumberField("rowsNotWritten", CopyPrinter.rowsNotWritten(summary));
        Report.secondsAndRate(json, summary.elapsed(), summary.rowsRead());
        json.writeNumberField("bytesRead", reads.bytesRead());
        json.writeNumberField("bytesWritten", imports.bytesWritten());
        json.writeNumberField("bytesSpilled", imports.bytesSpilled());
        json.writeNumberField("pages", reads.pages());
        json.writeNumberField("splits", reads.splits());
        json.writeNumberField("splitsRead", reads.splitsRead());
        json.writeNumberField("readRetries", reads.retries());
        Report.timestamp(json, summary.writeTimes());
        SstablePrinter.passes(json, imports);
        SstablePrinter.nodes(json, imports.nodes());
        Report.latency(json, "readLatencyMillis", reads);
        Report.files(json, "rejectFiles", summary.rejectFiles());
        json.writeStringField("firstReject", summary.firstReject());
    }
}
