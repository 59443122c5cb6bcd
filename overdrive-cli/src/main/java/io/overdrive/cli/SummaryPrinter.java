package io.overdrive.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Totals;
import io.overdrive.files.LoadSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** Tells how a load ended, for people or as one JSON object with the same figures. */
final class SummaryPrinter {
    private final LoadSummary summary;
    private final Totals writes;
    private final boolean dryRun;
    private final double seconds;

    SummaryPrinter(LoadSummary summary, boolean dryRun) {
        this.summary = summary;
        this.writes = summary.writes();
        this.dryRun = dryRun;
        this.seconds = Math.max(1e-9, summary.elapsed().toNanos() / 1e9);
    }

    void text(PrintWriter out) {
        long lost = summary.rowsRead() - summary.rowsWritten() - summary.rowsRejected();
        out.println(Amount.count(summary.rowsRead()) + " rows read = " + Amount.count(summary.rowsWritten())
                + (dryRun ? " could be written + " : " written + ") + Amount.count(summary.rowsRejected()) + " rejected"
                + (lost == 0 ? "" : " + " + Amount.count(lost) + " NOT WRITTEN"));
        out.println("  time      " + Amount.duration(summary.elapsed()) + ", "
                + Amount.count(Math.round(summary.rowsRead() / seconds)) + " rows/s, "
                + Amount.bytes(summary.bytesRead() / seconds) + "/s read"
                + (dryRun ? "" : ", " + Amount.bytes(writes.bytesWritten() / seconds) + "/s sent"));
        if (!dryRun) {
            out.println("  latency   p50 " + Amount.duration(writes.p50()) + ", p99 " + Amount.duration(writes.p99())
                    + ", p99.9 " + Amount.duration(writes.p999()) + ", max " + Amount.duration(writes.max()));
            out.println("  requests  " + Amount.count(writes.requests()) + ", of them " + Amount.count(writes.batches())
                    + " batches"
                    + (writes.batches() == 0 ? "" : String.format(Locale.ROOT, " of %.1f rows", rowsABatch()))
                    + ", " + Amount.count(writes.retries()) + " retries");
            if (writes.rowsSpilled() > 0) {
                out.println("  spilled   " + Amount.count(writes.rowsSpilled()) + " rows");
            }
        }
        for (Path file : summary.rejectFiles()) {
            out.println("  rejected  " + file);
        }
        out.flush();
    }

    private double rowsABatch() {
        return writes.batches() == 0 ? 0 : (double) writes.batchedRows() / writes.batches();
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
            json.writeBooleanField("dryRun", dryRun);
            json.writeNumberField("rowsRead", summary.rowsRead());
            json.writeNumberField("rowsWritten", summary.rowsWritten());
            json.writeNumberField("rowsRejected", summary.rowsRejected());
            json.writeNumberField("seconds", Math.round(seconds * 1000) / 1000.0);
            json.writeNumberField("rowsPerSecond", Math.round(summary.rowsRead() / seconds));
            json.writeNumberField("bytesRead", summary.bytesRead());
            json.writeNumberField("bytesWritten", writes.bytesWritten());
            json.writeNumberField("requests", writes.requests());
            json.writeNumberField("batches", writes.batches());
            json.writeNumberField("rowsPerBatch", Math.round(10 * rowsABatch()) / 10.0);
            json.writeNumberField("retries", writes.retries());
            json.writeNumberField("rowsSpilled", writes.rowsSpilled());
            json.writeObjectFieldStart("latencyMillis");
            json.writeNumberField("p50", millis(writes.p50()));
            json.writeNumberField("p99", millis(writes.p99()));
            json.writeNumberField("p999", millis(writes.p999()));
            json.writeNumberField("max", millis(writes.max()));
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

    static double millis(Duration d) {
        return d.toNanos() / 1000 / 1000.0;
    }
}
