package io.overdrive.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Scan;
import io.overdrive.ScanTotals;
import io.overdrive.files.LoadSummary.Outcome;
import io.overdrive.files.UnloadSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;

/** Tells how an unload ended, for people or as one JSON object with the same figures. */
final class UnloadPrinter {
    private final UnloadSummary summary;
    private final ScanTotals reads;
    private final Scan scan;
    private final double seconds;

    UnloadPrinter(UnloadSummary summary, Scan scan) {
        this.summary = summary;
        this.reads = summary.reads();
        this.scan = scan;
        this.seconds = Math.max(1e-9, summary.elapsed().toNanos() / 1e9);
    }

    void text(PrintWriter out) {
        boolean done = summary.outcome() == Outcome.DONE;
        out.println(Amount.count(summary.rowsWritten()) + " rows written"
                + (done ? "" : ", NOT ALL: " + reads.splitsRead() + " of " + reads.splits() + " splits are whole"));
        out.println("  time      " + Amount.duration(summary.elapsed()) + ", "
                + Amount.count(Math.round(summary.rowsWritten() / seconds)) + " rows/s, "
                + Amount.bytes(reads.bytesRead() / seconds) + "/s read, "
                + Amount.bytes(summary.bytesWritten() / seconds) + "/s written");
        out.println("  latency   p50 " + Amount.duration(reads.p50()) + ", p99 " + Amount.duration(reads.p99())
                + ", max " + Amount.duration(reads.max()));
        out.println("  pages     " + Amount.count(reads.pages()) + " of " + Amount.bytes(bytesAPage()) + " in "
                + Amount.count(reads.splits()) + " splits, " + Amount.count(reads.retries()) + " retries, at most "
                + Amount.bytes(scan.pageMemory()) + " at once");
        if (!summary.files().isEmpty()) {
            Path first = summary.files().get(0);
            out.println(
                    "  files     " + Amount.count(summary.files().size()) + ", " + Amount.bytes(summary.bytesStored())
                            + ": " + (summary.files().size() == 1 ? first : String.valueOf(first.getParent())));
        }
        if (done) {
            out.println("  digest    " + summary.digest());
        }
        out.flush();
    }

    private double bytesAPage() {
        return reads.pages() == 0 ? 0 : (double) reads.bytesRead() / reads.pages();
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
            json.writeNumberField("rowsWritten", summary.rowsWritten());
            json.writeNumberField("seconds", Math.round(seconds * 1000) / 1000.0);
            json.writeNumberField("rowsPerSecond", Math.round(summary.rowsWritten() / seconds));
            json.writeNumberField("bytesRead", reads.bytesRead());
            json.writeNumberField("bytesWritten", summary.bytesWritten());
            json.writeNumberField("bytesStored", summary.bytesStored());
            json.writeNumberField("pages", reads.pages());
            json.writeNumberField("splits", reads.splits());
            json.writeNumberField("splitsRead", reads.splitsRead());
            json.writeNumberField("retries", reads.retries());
            json.writeNumberField("pageMemory", scan.pageMemory());
            json.writeObjectFieldStart("latencyMillis");
            json.writeNumberField("p50", SummaryPrinter.millis(reads.p50()));
            json.writeNumberField("p99", SummaryPrinter.millis(reads.p99()));
            json.writeNumberField("max", SummaryPrinter.millis(reads.max()));
            json.writeEndObject();
            if (summary.outcome() == Outcome.DONE) {
                json.writeStringField("digest", summary.digest());
            }
            json.writeArrayFieldStart("files");
            for (Path file : summary.files()) {
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
