package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.load.Loss;
import io.overdrive.jobs.verify.VerifySummary;
import java.io.IOException;
import java.io.PrintWriter;

/** Prints the summary of a verification. */
public record VerifyPrinter(VerifySummary summary) implements Report {
    /** The rows of one table. */
    public static String rows(VerifySummary summary) {
        return rows(
                        summary.recordsRead(),
                        summary.recordsRejected(),
                        summary.rowsCompared(),
                        summary.rowsSame(),
                        summary.different(),
                        summary.missing())
                + (summary.isWhole() ? "" : "; NOT ALL rows were compared");
    }

    /** The sums of several tables. */
    public static String rows(long read, long rejected, long compared, long same, long different, long missing) {
        return Amount.count(read, "record") + " read, " + Amount.count(rejected) + " rejected; "
                + Amount.count(compared, "row") + " compared: " + Amount.count(same) + " the same, "
                + Amount.count(different) + " different, " + Amount.count(missing) + " missing";
    }

    /** The lines about rejected records. */
    public static void printRejects(PrintWriter out, VerifySummary summary) {
        Report.rejects(out, summary.rejectFiles(), summary.firstReject());
    }

    @Override
    public void text(PrintWriter out) {
        out.println(rows(summary));
        out.println(Report.time(
                summary.elapsed(),
                summary.recordsRead(),
                ", " + Amount.rate(summary.bytesRead(), summary.elapsed()) + " read from files, "
                        + Amount.rate(summary.table().bytesRead(), summary.elapsed()) + " from the table"));
        if (summary.recordsRepeated() > 0) {
            out.println("  keys      " + Amount.count(summary.recordsRepeated())
                    + (summary.recordsRepeated() == 1
                            ? " record has the key of an earlier one, and its values count"
                            : " records have the key of an earlier one, and their values count"));
        }
        summary.losses()
                .forEach(loss -> out.println("  not kept  " + Amount.count(loss.values(), "value") + " of column "
                        + Mapping.spelt(loss.column())
                        + ", which is "
                        + loss.type() + ": " + loss.text() + " was compared as " + loss.kept()));
        if (summary.bytesSpilled() > 0) {
            out.println("  spilled   " + Amount.bytes(summary.bytesSpilled()));
        }
        if (summary.table().pages() > 0) {
            out.println("  latency   " + Report.latency(summary.table().latency()));
        }
        printRejects(out, summary);
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        Report.outcome(json, summary);
        json.writeBooleanField("whole", summary.isWhole());
        json.writeNumberField("recordsRead", summary.recordsRead());
        json.writeNumberField("recordsRejected", summary.recordsRejected());
        json.writeNumberField("recordsRepeated", summary.recordsRepeated());
        json.writeArrayFieldStart("valuesNotKept");
        for (Loss loss : summary.losses()) {
            json.writeStartObject();
            json.writeStringField("column", loss.column());
            json.writeStringField("type", loss.type());
            json.writeNumberField("values", loss.values());
            json.writeStringField("value", loss.text());
            json.writeStringField("comparedAs", loss.kept());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeNumberField("rowsCompared", summary.rowsCompared());
        json.writeNumberField("rowsSame", summary.rowsSame());
        json.writeNumberField("different", summary.different());
        json.writeNumberField("missing", summary.missing());
        json.writeNumberField("filesRead", summary.filesRead());
        json.writeNumberField("filesNotRead", summary.filesTotal() - summary.filesRead());
        Report.secondsAndRate(json, summary.elapsed(), summary.recordsRead());
        json.writeNumberField("bytesReadFromFiles", summary.bytesRead());
        json.writeNumberField("bytesReadFromTable", summary.table().bytesRead());
        json.writeNumberField("bytesSpilled", summary.bytesSpilled());
        json.writeNumberField("retries", summary.table().retries());
        Report.latency(json, "latencyMillis", summary.table());
        Report.rejects(json, summary.rejectFiles(), summary.firstReject());
    }
}
