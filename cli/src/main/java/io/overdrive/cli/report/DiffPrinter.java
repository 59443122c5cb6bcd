package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Latency;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Split;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.diff.DiffSummary;
import io.overdrive.jobs.diff.RangeDigests;
import io.overdrive.jobs.tables.TablesSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints the summary of a comparison.
 *
 * @param run null if it has no journal
 */
public record DiffPrinter(DiffSummary summary, @Nullable String run) implements Report {
    /**
     * Prints a difference as a line of JSON.
     *
     * @param json the line
     * @throws OverdriveException of kind INPUT if it cannot be written
     */
    public static void print(String json, PrintWriter out) {
        out.println(json);
        if (out.checkError()) {
            throw new OverdriveException(
                    Kind.INPUT, "the differences cannot be written: standard output is closed, or its disk is full");
        }
    }

    /** The line about the rows of two tables. */
    public static String rows(DiffSummary of) {
        return rows(of.rowsLeft(), of.rowsRight(), of.rowsSame(), of.different(), of.missingLeft(), of.missingRight())
                + (of.isWhole() ? "" : "; NOT ALL rows were compared");
    }

    /** The same for rows of several tables. */
    public static String rows(long left, long right, long same, long different, long missingLeft, long missingRight) {
        return Amount.count(left, "row") + " left, " + Amount.count(right) + " right: " + Amount.count(same)
                + " the same, " + Amount.count(different) + " different, " + Amount.count(missingLeft)
                + " missing left, " + Amount.count(missingRight) + " missing right";
    }

    private static void recheck(PrintWriter out, String run) {
        out.println("  recheck   --recheck " + run + " compares again where differences are");
    }

    /**
     * The report about several tables, after those of each.
     *
     * @param run null if it has no journal
     * @param onlyRight the tables that only the right side has
     */
    public static Report ofTables(TablesSummary<DiffSummary> all, @Nullable String run, List<String> onlyRight) {
        return new Report() {
            @Override
            public void text(PrintWriter out) {
                boolean differ = all.figures().counts().differences() > 0
                        || all.before().stream().anyMatch(each -> each.code() != 0);
                if (run != null && all.outcome() == Outcome.DONE && differ) {
                    recheck(out, run);
                }
            }

            @Override
            public void members(JsonGenerator json) throws IOException {
                json.writeArrayFieldStart("onlyOnTheRight");
                for (String each : onlyRight) {
                    json.writeString(each);
                }
                json.writeEndArray();
            }
        };
    }

    @Override
    public void text(PrintWriter out) {
        out.println(rows(summary));
        if (summary.isRepair()) {
            long repaired = summary.rowsRepaired();
            out.println("  repaired  " + Amount.count(repaired, "difference") + " on the right"
                    + (repaired == 0 ? "" : "; run it again to see whether any is left"));
            notRepaired(out, summary);
        }
        if (run != null && summary.outcome() == Outcome.DONE && summary.differences() > 0) {
            recheck(out, run);
        }
        Report.resumed(out, run, summary.rowsBefore());
        long rows = summary.rowsLeft() + summary.rowsRight() - summary.rowsBefore();
        out.println(Report.time(
                summary.elapsed(), rows, " of both, " + Amount.rate(bytesRead(), summary.elapsed()) + " read"));
        Latency left = summary.left().latency();
        Latency right = summary.right().latency();
        if (Report.isMeasured(left) && Report.isMeasured(right)) {
            out.println("  latency   p50 " + Amount.duration(left.p50()) + " left, " + Amount.duration(right.p50())
                    + " right; p99 " + Amount.duration(left.p99()) + " left, " + Amount.duration(right.p99())
                    + " right");
        } else if (Report.isMeasured(left)) {
            out.println("  latency   " + Report.latency(left) + " left");
        } else if (Report.isMeasured(right)) {
            out.println("  latency   " + Report.latency(right) + " right");
        }
        if (summary.isWhole() && !summary.digestLeft().isEmpty()) {
            out.println("  digest    " + summary.digestLeft() + " left");
            out.println("            " + summary.digestRight() + " right");
        }
    }

    /** Says what of the differences could not be repaired. */
    public static void notRepaired(PrintWriter out, DiffSummary of) {
        if (of.notRepaired() > 0) {
            out.println("  NOT REPAIRED: " + Amount.count(of.notRepaired(), "difference")
                    + ": values that the right column cannot hold, equal keys with other bytes (1.0 and 1.00), and with --keep-times values that only the right table has, and"
                    + " elements of several times");
        }
    }

    private long bytesRead() {
        return summary.left().bytesRead() + summary.right().bytesRead();
    }

    /** This summary with the digests of each part of the tables. */
    @Override
    public Report full() {
        return then(new Report() {
            @Override
            public void text(PrintWriter out) {}

            @Override
            public void members(JsonGenerator json) throws IOException {
                json.writeArrayFieldStart("ranges");
                for (RangeDigests each : summary.ranges()) {
                    range(json, each);
                }
                json.writeEndArray();
            }
        });
    }

    private static void range(JsonGenerator json, RangeDigests of) throws IOException {
        json.writeStartObject();
        json.writeArrayFieldStart("tokenRanges");
        for (Split.Range range : of.ranges()) {
            json.writeString(range.start() + "," + range.end());
        }
        json.writeEndArray();
        json.writeNumberField("rowsLeft", of.rowsLeft());
        json.writeNumberField("rowsRight", of.rowsRight());
        json.writeNumberField("differences", of.differences());
        json.writeStringField("digestLeft", of.digestLeft());
        json.writeStringField("digestRight", of.digestRight());
        json.writeEndObject();
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        Report.outcome(json, summary);
        json.writeBooleanField("whole", summary.isWhole());
        if (!summary.notCompared().isEmpty()) {
            json.writeArrayFieldStart("notCompared");
            for (String column : summary.notCompared()) {
                json.writeString(column);
            }
            json.writeEndArray();
        }
        json.writeNumberField("rowsLeft", summary.rowsLeft());
        json.writeNumberField("rowsRight", summary.rowsRight());
        json.writeNumberField("rowsSame", summary.rowsSame());
        json.writeNumberField("different", summary.different());
        json.writeNumberField("missingLeft", summary.missingLeft());
        json.writeNumberField("missingRight", summary.missingRight());
        json.writeNumberField("rowsRepaired", summary.rowsRepaired());
        if (summary.isRepair()) {
            json.writeNumberField("notRepaired", summary.notRepaired());
        }
        Report.resumed(json, run, summary.rowsBefore());
        Report.seconds(json, summary.elapsed());
        json.writeNumberField("bytesRead", bytesRead());
        json.writeNumberField(
                "retries", summary.left().retries() + summary.right().retries());
        if (summary.isWhole() && !summary.digestLeft().isEmpty()) {
            json.writeStringField("digestLeft", summary.digestLeft());
            json.writeStringField("digestRight", summary.digestRight());
        }
    }
}
