package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.OverdriveException;
import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.LoadRun;
import io.overdrive.jobs.load.LoadSummary;
import java.io.IOException;
import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/**
 * Prints the summary of a load.
 *
 * @param filesLeftOut files of directories, left out because of their names
 */
public record LoadPrinter(LoadSummary summary, int filesLeftOut, boolean dryRun) implements Report {
    /** The printer for a load over CQL or by SSTables. */
    public static Report of(LoadSummary summary, int filesLeftOut, boolean dryRun) {
        ImportFigures imports = summary.imports();
        return imports == null
                ? new LoadPrinter(summary, filesLeftOut, dryRun)
                : new SstablePrinter(summary, imports, filesLeftOut, dryRun);
    }

    @Override
    public void text(PrintWriter out) {
        Totals writes = summary.writes();
        out.println(Report.rows(
                summary.rowsRead(),
                summary.rowsWritten(),
                dryRun ? "could be written" : "written",
                summary.rowsRejected()));
        LoadRun run = summary.run();
        out.println(Report.time(
                summary.elapsed(),
                rowsReadNow(),
                ", " + Amount.rate(summary.bytesRead(), summary.elapsed()) + " read"
                        + (dryRun ? "" : ", " + Amount.rate(writes.bytesWritten(), summary.elapsed()) + " sent")));
        if (run != null && run.isResumed()) {
            out.println("  resumed   run " + run.id() + ", "
                    + (run.startsOver()
                            ? "all rows written again"
                            : Amount.count(run.writtenBefore(), "row") + " written and "
                                    + Amount.count(run.rejectedBefore()) + " rejected before"));
        }
        Report.inputFiles(out, summary.filesRead(), summary.filesTotal(), filesLeftOut);
        LoadSummary.Query query = summary.query();
        if (query != null) {
            out.println("  query     read " + Amount.count(query.recordsRead(), "record") + ", and made "
                    + Amount.count(query.rowsOfResult(), "row"));
        }
        if (!dryRun && writes.requests() > 0) {
            out.println("  latency   p50 " + Amount.duration(writes.latency().p50()) + ", p99 "
                    + Amount.duration(writes.latency().p99()) + ", p99.9 "
                    + Amount.duration(writes.latency().p999()) + ", max "
                    + Amount.duration(writes.latency().max()));
            out.println("  requests  " + Amount.count(writes.requests()) + ", " + Report.batches(writes));
            if (writes.rowsSpilled() > 0) {
                out.println("  spilled   " + Amount.count(writes.rowsSpilled(), "row"));
            }
        }
        Report.repeatedKeys(out, writes.repeatedKeys(), countsAllKeys(), dryRun);
        if (!dryRun && summary.rowsRead() > 0) {
            Report.timestamp(out, summary.writeTimes());
        }
        Report.nodesLost(out, writes, summary.writeTimes());
        printRejects(out, summary);
        if (!dryRun && !isComplete() && (run == null || !RejectLimit.hasEnded(summary))) {
            runAgain(out, summary.writeTimes(), run, summary.failure());
        }
    }

    /** The lines about rejected records. */
    public static void printRejects(PrintWriter out, LoadSummary summary) {
        Report.rejects(out, summary.rejectFiles(), summary.firstReject());
    }

    /** Rows of this process; rates count only these. */
    private long rowsReadNow() {
        LoadRun run = summary.run();
        return summary.rowsRead() - (run == null ? 0 : run.writtenBefore() + run.rejectedBefore());
    }

    /** Whether each row with the key of an earlier one was seen as such. */
    private boolean countsAllKeys() {
        LoadRun run = summary.run();
        return summary.writes().repeatedKeysExact() && (run == null || !run.isResumed());
    }

    private boolean isComplete() {
        return summary.outcome() == Outcome.DONE
                && summary.rowsRead() == summary.rowsWritten() + summary.rowsRejected();
    }

    private static void runAgain(
            PrintWriter out, @Nullable WriteTimes times, @Nullable LoadRun run, @Nullable RuntimeException failure) {
        if (run != null) {
            boolean isInput = failure instanceof OverdriveException e && e.kind() == OverdriveException.Kind.INPUT;
            out.println("  NOT COMPLETE: to finish: overdrive resume " + run.id()
                    + (isInput ? ", which needs the same files; if one has to be mended, load it again instead" : ""));
        } else if (times != null && times.repeatable()) {
            out.println("  NOT COMPLETE: to finish, run it again with --timestamp " + times.first()
                    + "; rows that are written already stay as they are");
        } else if (times != null) {
            out.println(
                    "  NOT COMPLETE: to finish, run it again without --timestamp; later write times replace the rows"
                            + " that are written already");
        }
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        Totals writes = summary.writes();
        Report.outcome(json, summary);
        json.writeBooleanField("dryRun", dryRun);
        json.writeNumberField("rowsRead", summary.rowsRead());
        json.writeNumberField("rowsWritten", summary.rowsWritten());
        json.writeNumberField("rowsRejected", summary.rowsRejected());
        json.writeNumberField("rowsNotWritten", summary.rowsRead() - summary.rowsWritten() - summary.rowsRejected());
        Report.inputFiles(json, summary.filesRead(), summary.filesTotal(), filesLeftOut);
        LoadSummary.Query query = summary.query();
        if (query != null) {
            json.writeNumberField("recordsOfQuery", query.recordsRead());
            json.writeNumberField("rowsOfQuery", query.rowsOfResult());
        }
        LoadRun run = summary.run();
        if (run != null) {
            json.writeStringField("run", run.id());
            json.writeBooleanField("resumed", run.isResumed());
            json.writeNumberField("rowsWrittenBefore", run.writtenBefore());
            json.writeNumberField("rowsRejectedBefore", run.rejectedBefore());
        }
        Report.secondsAndRate(json, summary.elapsed(), rowsReadNow());
        json.writeNumberField("bytesRead", summary.bytesRead());
        json.writeNumberField("bytesWritten", writes.bytesWritten());
        json.writeNumberField("requests", writes.requests());
        json.writeNumberField("batches", writes.batches());
        json.writeNumberField("rowsPerBatch", Math.round(10 * Report.rowsPerBatch(writes)) / 10.0);
        json.writeNumberField("retries", writes.retries());
        json.writeNumberField("splits", writes.splits());
        json.writeNumberField("repeatedKeys", writes.repeatedKeys());
        json.writeBooleanField("repeatedKeysExact", countsAllKeys());
        json.writeNumberField("rowsSpilled", writes.rowsSpilled());
        Report.timestamp(json, summary.writeTimes());
        Report.nodesLost(json, writes);
        Report.latency(json, writes);
        Report.rejects(json, summary.rejectFiles(), summary.firstReject());
    }
}
