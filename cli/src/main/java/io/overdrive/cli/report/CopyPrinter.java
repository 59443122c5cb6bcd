package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.copy.CopySummary;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Prints the summary of a copy.
 *
 * @param run null if it has no journal
 */
public record CopyPrinter(CopySummary summary, @Nullable String run) implements Report {
    /**
     * The printer for a copy over CQL or by SSTables.
     *
     * @param run null if it has no journal
     */
    public static Report of(CopySummary summary, @Nullable String run) {
        ImportFigures imports = summary.imports();
        return imports == null ? new CopyPrinter(summary, run) : new SstableCopyPrinter(summary, imports);
    }

    @Override
    public void text(PrintWriter out) {
        ScanTotals reads = summary.reads();
        Totals writes = summary.writes();
        out.println(rows(summary) + Report.notAll(summary, summary.splitsBefore(), reads));
        Report.resumed(out, run, summary.rowsBefore());
        out.println(Report.time(
                summary.elapsed(),
                rowsNow(),
                ", " + Amount.rate(reads.bytesRead(), summary.elapsed()) + " read, "
                        + Amount.rate(writes.bytesWritten(), summary.elapsed()) + " sent"));
        if (summary.rowsRead() > 0) {
            printRequests(out);
        }
        Report.nodesLost(out, writes, summary.writeTimes());
        printRejects(out, summary);
    }

    /** The rows of one copy in words. */
    public static String rows(CopySummary summary) {
        return Report.rows(
                summary.rowsRead(), summary.rowsWritten(), "written", summary.rowsRejected(), summary.rowsLeftOut());
    }

    /** The lines about rejected rows. */
    public static void printRejects(PrintWriter out, CopySummary summary) {
        summary.rejectFiles().forEach(file -> out.println("  rejected  " + file + ", keys with the reasons"));
        Report.firstReject(out, summary.firstReject());
    }

    static long rowsNotWritten(CopySummary summary) {
        return summary.rowsRead() - summary.rowsWritten() - summary.rowsRejected() - summary.rowsLeftOut();
    }

    /** Rows of this process; rates count only these. */
    private long rowsNow() {
        return summary.rowsRead() - summary.rowsBefore();
    }

    private void printRequests(PrintWriter out) {
        Totals writes = summary.writes();
        printReads(out, summary.reads());
        out.println("  writes    "
                + (Report.isMeasured(writes.latency()) ? Report.latency(writes.latency()) + "; " : "")
                + Amount.count(writes.requests(), "request") + ", " + Report.batches(writes));
        Report.timestamp(out, summary.writeTimes());
    }

    static void printReads(PrintWriter out, ScanTotals reads) {
        out.println("  reads     "
                + (Report.isMeasured(reads.latency()) ? Report.latency(reads.latency()) + "; " : "")
                + Amount.count(reads.pages(), "page") + ", "
                + Amount.count(reads.splitsRead()) + " of " + Amount.count(reads.splits(), "split") + ", "
                + Amount.count(reads.retries(), "retry"));
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        ScanTotals reads = summary.reads();
        Totals writes = summary.writes();
        Report.outcome(json, summary);
        json.writeNumberField("rowsRead", summary.rowsRead());
        json.writeNumberField("rowsWritten", summary.rowsWritten());
        json.writeNumberField("rowsRejected", summary.rowsRejected());
        json.writeNumberField("rowsLeftOut", summary.rowsLeftOut());
        json.writeNumberField("rowsNotWritten", rowsNotWritten(summary));
        Report.resumed(json, run, summary.rowsBefore());
        Report.secondsAndRate(json, summary.elapsed(), rowsNow());
        json.writeNumberField("bytesRead", reads.bytesRead());
        json.writeNumberField("bytesWritten", writes.bytesWritten());
        json.writeNumberField("pages", reads.pages());
        json.writeNumberField("splits", reads.splits());
        json.writeNumberField("splitsRead", reads.splitsRead());
        json.writeNumberField("readRetries", reads.retries());
        json.writeNumberField("requests", writes.requests());
        json.writeNumberField("batches", writes.batches());
        json.writeNumberField("retries", writes.retries());
        json.writeNumberField("batchesSplit", writes.splits());
        json.writeNumberField("rowsSpilled", writes.rowsSpilled());
        Report.timestamp(json, summary.writeTimes());
        Report.nodesLost(json, writes);
        Report.latency(json, writes);
        Report.latency(json, "readLatencyMillis", reads);
        Report.files(json, "rejectFiles", summary.rejectFiles());
        json.writeStringField("firstReject", summary.firstReject());
    }
}
