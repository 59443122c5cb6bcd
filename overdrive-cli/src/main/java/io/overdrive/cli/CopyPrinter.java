package io.overdrive.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import io.overdrive.files.CopySummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;

/** Tells how a copy ended, for people or as one JSON object with the same figures. */
final class CopyPrinter {
    private final CopySummary summary;
    private final ScanTotals reads;
    private final Totals writes;
    private final double seconds;

    CopyPrinter(CopySummary summary) {
        this.summary = summary;
        this.reads = summary.reads();
        this.writes = summary.writes();
        this.seconds = Math.max(1e-9, summary.elapsed().toNanos() / 1e9);
    }

    void text(PrintWriter out) {
        long lost = summary.rowsRead() - summary.rowsWritten() - summary.rowsRejected();
        out.println(Amount.count(summary.rowsRead()) + " rows read = " + Amount.count(summary.rowsWritten())
                + " written + " + Amount.count(summary.rowsRejected()) + " rejected"
                + (lost == 0 ? "" : " + " + Amount.count(lost) + " NOT WRITTEN"));
        out.println("  time      " + Amount.duration(summary.elapsed()) + ", "
                + Amount.count(Math.round(summary.rowsRead() / seconds)) + " rows/s, "
                + Amount.bytes(reads.bytesRead() / seconds) + "/s read, "
                + Amount.bytes(writes.bytesWritten() / seconds) + "/s sent");
        out.println(
                "  reads     p50 " + Amount.duration(reads.p50()) + ", p99 " + Amount.duration(reads.p99()) + ", max "
                        + Amount.duration(reads.max()) + "; " + Amount.count(reads.pages()) + " pages, "
                        + Amount.count(reads.splitsRead()) + " of " + Amount.count(reads.splits()) + " splits, "
                        + Amount.count(reads.retries()) + " retries");
        out.println("  writes    p50 " + Amount.duration(writes.p50()) + ", p99 " + Amount.duration(writes.p99())
                + ", max " + Amount.duration(writes.max()) + "; " + Amount.count(writes.requests())
                + " requests, of them "
                + Amount.count(writes.batches()) + " batches"
                + (writes.batches() == 0
                        ? ""
                        : String.format(Locale.ROOT, " of %.1f rows", (double) writes.batchedRows() / writes.batches()))
                + ", " + Amount.count(writes.retries()) + " retries");
        for (Path file : summary.rejectFiles()) {
            out.println("  rejected  " + file);
        }
        out.flush();
    }

    void json(PrintWriter out) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("outcome", summary.outcome().name().toLowerCase(Locale.ROOT));
            RuntimeException failure = summary.failure();
            if (failure != null) {
                json.writeStringField("failure", failure.getMessage());
            }
            json.writeNumberField("rowsRead", summary.rowsRead());
            json.writeNumberField("rowsWritten", summary.rowsWritten());
            json.writeNumberField("rowsRejected", summary.rowsRejected());
            json.writeNumberField("seconds", Math.round(seconds * 1000) / 1000.0);
            json.writeNumberField("rowsPerSecond", Math.round(summary.rowsRead() / seconds));
            json.writeNumberField("bytesRead", reads.bytesRead());
            json.writeNumberField("bytesWritten", writes.bytesWritten());
            json.writeNumberField("pages", reads.pages());
            json.writeNumberField("splits", reads.splits());
            json.writeNumberField("splitsRead", reads.splitsRead());
            json.writeNumberField("readRetries", reads.retries());
            json.writeNumberField("requests", writes.requests());
            json.writeNumberField("batches", writes.batches());
            json.writeNumberField("retries", writes.retries());
            json.writeNumberField("rowsSpilled", writes.rowsSpilled());
            json.writeObjectFieldStart("latencyMillis");
            json.writeNumberField("p50", SummaryPrinter.millis(writes.p50()));
            json.writeNumberField("p99", SummaryPrinter.millis(writes.p99()));
            json.writeNumberField("p999", SummaryPrinter.millis(writes.p999()));
            json.writeNumberField("max", SummaryPrinter.millis(writes.max()));
            json.writeEndObject();
            json.writeObjectFieldStart("readLatencyMillis");
            json.writeNumberField("p50", SummaryPrinter.millis(reads.p50()));
            json.writeNumberField("p99", SummaryPrinter.millis(reads.p99()));
            json.writeNumberField("max", SummaryPrinter.millis(reads.max()));
            json.writeEndObject();
            json.writeArrayFieldStart("rejectFiles");
            for (Path file : summary.rejectFiles()) {
                json.writeString(file.toString());
            }
            json.writeEndArray();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
        out.flush();
    }
}
