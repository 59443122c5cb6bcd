package io.overdrive.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.files.DiffSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.Locale;

/** Tells how a comparison ended, for people or as one JSON object with the same figures. */
final class DiffPrinter {
    private final DiffSummary summary;
    private final boolean repair;
    private final double seconds;

    DiffPrinter(DiffSummary summary, boolean repair) {
        this.summary = summary;
        this.repair = repair;
        this.seconds = Math.max(1e-9, summary.elapsed().toNanos() / 1e9);
    }

    void text(PrintWriter out) {
        out.println(Amount.count(summary.rowsLeft()) + " rows left, " + Amount.count(summary.rowsRight())
                + " right: " + Amount.count(summary.rowsSame()) + " the same, " + Amount.count(summary.different())
                + " different, " + Amount.count(summary.missingLeft()) + " missing left, "
                + Amount.count(summary.missingRight()) + " missing right"
                + (summary.isWhole() ? "" : "; NOT ALL rows were compared"));
        if (repair) {
            out.println("  repaired  " + Amount.count(summary.rowsRepaired()) + " writes on the right");
        }
        out.println("  time      " + Amount.duration(summary.elapsed()) + ", "
                + Amount.count(Math.round((summary.rowsLeft() + summary.rowsRight()) / seconds)) + " rows/s of both, "
                + Amount.bytes((summary.left().bytesRead() + summary.right().bytesRead()) / seconds) + "/s read");
        out.println("  latency   p50 " + Amount.duration(summary.left().p50()) + " left, "
                + Amount.duration(summary.right().p50()) + " right; p99 "
                + Amount.duration(summary.left().p99()) + " left, "
                + Amount.duration(summary.right().p99()) + " right");
        if (summary.isWhole()) {
            out.println("  digest    " + summary.digestLeft() + " left");
            out.println("            " + summary.digestRight() + " right");
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
            json.writeBooleanField("whole", summary.isWhole());
            json.writeNumberField("rowsLeft", summary.rowsLeft());
            json.writeNumberField("rowsRight", summary.rowsRight());
            json.writeNumberField("rowsSame", summary.rowsSame());
            json.writeNumberField("different", summary.different());
            json.writeNumberField("missingLeft", summary.missingLeft());
            json.writeNumberField("missingRight", summary.missingRight());
            json.writeNumberField("rowsRepaired", summary.rowsRepaired());
            json.writeNumberField("seconds", Math.round(seconds * 1000) / 1000.0);
            json.writeNumberField(
                    "bytesRead", summary.left().bytesRead() + summary.right().bytesRead());
            json.writeNumberField(
                    "retries", summary.left().retries() + summary.right().retries());
            if (summary.isWhole()) {
                json.writeStringField("digestLeft", summary.digestLeft());
                json.writeStringField("digestRight", summary.digestRight());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        out.println(text);
        out.flush();
    }
}
