package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.ScanTotals;
import io.overdrive.cli.options.Amount;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.unload.NotKept;
import io.overdrive.jobs.unload.UnloadSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints the summary of an unload.
 *
 * @param pageMemory of the pages of the cluster; 0 if rows come from files
 * @param run null if it has no journal
 */
public record UnloadPrinter(UnloadSummary summary, long pageMemory, @Nullable String run) implements Report {
    @Override
    public void text(PrintWriter out) {
        ScanTotals reads = summary.reads();
        out.println(Amount.count(summary.rowsWritten(), "row") + " written"
                + Report.notAll(summary, summary.splitsBefore(), reads));
        if (summary.rowsInParts() > 0) {
            out.println("  kept      " + Amount.count(summary.rowsInParts(), "row")
                    + " in files that are not complete (.part), which a resumed run completes");
        }
        Report.resumed(out, run, summary.rowsBefore());
        out.println(Report.time(
                summary.elapsed(),
                rowsNow(),
                ", " + Amount.rate(reads.bytesRead(), summary.elapsed()) + " read, "
                        + Amount.rate(summary.bytesWritten(), summary.elapsed()) + " written"));
        boolean isFromFiles = pageMemory == 0;
        if (Report.isMeasured(reads.latency())) {
            out.println("  latency   " + Report.latency(reads.latency()));
        }
        out.println("  pages     " + Amount.count(reads.pages()) + " of " + Amount.bytes(bytesAPage()) + " in "
                + Amount.count(reads.splits(), "split")
                + (isFromFiles
                        ? ""
                        : ", " + Amount.count(reads.retries(), "retry") + ", up to " + Amount.bytes(pageMemory)
                                + " of memory"));
        if (!summary.files().isEmpty()) {
            out.println("  files     " + Amount.count(summary.files().size()) + ", "
                    + Amount.bytes(summary.bytesStored()) + ": " + place(summary.files()));
        }
        if (summary.overlongFieldLines() > 0) {
            out.println("  fields    have up to " + Amount.count(summary.overlongFieldLines())
                    + " lines; to load them again, give --max-field-lines " + summary.overlongFieldLines());
        }
        printNotKept(out, summary);
        if (isDone() && !summary.digest().isEmpty()) {
            out.println("  digest    " + summary.digest());
        }
    }

    /** The lines about values that a load of the files does not bring back as they were. */
    public static void printNotKept(PrintWriter out, UnloadSummary summary) {
        NotKept notKept = summary.notKept();
        if (notKept.emptyKeys() > 0) {
            out.println("  keys      " + Amount.count(notKept.emptyKeys())
                    + (notKept.emptyKeys() == 1 ? " has" : " have")
                    + " an empty number, time or the like, as blobAsInt(0x) makes it; files have no form for it, so a load"
                    + " will reject these records, or take those that have only static values for partitions without a row;"
                    + " only overdrive copy keeps such rows");
        }
        if (notKept.emptyElements() > 0) {
            out.println("  elements  " + Amount.count(notKept.emptyElements())
                    + (notKept.emptyElements() == 1 ? " is" : " are")
                    + " an empty number, time or the like in a collection; files have no form for it, so a load will reject"
                    + " these records; only overdrive copy keeps such rows");
        }
        if (notKept.emptyValues() > 0) {
            out.println("  values    " + Amount.count(notKept.emptyValues())
                    + (notKept.emptyValues() == 1 ? " is" : " are")
                    + " an empty number, time or the like outside of keys; files have no form for it, so a load will write"
                    + " no value for it; only overdrive copy keeps it");
        }
        timesNotKept(out, notKept);
    }

    private static void timesNotKept(PrintWriter out, NotKept notKept) {
        if (notKept.repeatedTimes() > 0) {
            out.println("  times     " + Amount.count(notKept.repeatedTimes())
                    + (notKept.repeatedTimes() == 1 ? " is" : " are")
                    + " in the second of two hours that look the same when clocks are set back; a load takes the first one;"
                    + " with an offset (XXX) in --timestamp-format, or without --time-zone, they are distinct");
        }
        if (notKept.elementTimes() > 0) {
            out.println("  times     " + Amount.count(notKept.elementTimes())
                    + (notKept.elementTimes() == 1 ? " collection or UDT has" : " collections and UDTs have")
                    + " elements of different write times or times to live, and no time in the files, so a load with"
                    + " --keep-times will reject these records; with --allow-extra-fields instead, it gives all cells new"
                    + " times");
        }
    }

    /** Says for each kind of such values that not all is there, next to the exit code. */
    public static void sayWhatIsNotKept(NotKept notKept, PrintWriter err) {
        if (notKept.emptyKeys() > 0) {
            err.println("overdrive: NOT ALL rows can be loaded from the files: "
                    + Amount.count(notKept.emptyKeys(), "row")
                    + (notKept.emptyKeys() == 1 ? " has" : " have")
                    + " an empty number, time or the like in the key, for which files have no form; see the summary");
        }
        if (notKept.emptyElements() > 0) {
            err.println("overdrive: NOT ALL rows can be loaded from the files: "
                    + Amount.count(notKept.emptyElements(), "element")
                    + (notKept.emptyElements() == 1 ? " of a collection is" : " of collections are")
                    + " an empty number, time or the like, for which files have no form; see the summary");
        }
        if (notKept.emptyValues() > 0) {
            err.println("overdrive: NOT ALL values are in the files: "
                    + Amount.count(notKept.emptyValues(), "value")
                    + (notKept.emptyValues() == 1 ? " is" : " are")
                    + " an empty number, time or the like, which is written as a missing one; see the summary");
        }
        if (notKept.elementTimes() > 0) {
            err.println("overdrive: NOT ALL rows can be loaded from the files with their times: "
                    + Amount.count(notKept.elementTimes(), "value")
                    + (notKept.elementTimes() == 1 ? " has" : " have")
                    + " elements of different write times or times to live; see the summary");
        }
        if (notKept.repeatedTimes() > 0) {
            err.println("overdrive: NOT ALL times are loaded from the files as they are: "
                    + Amount.count(notKept.repeatedTimes(), "time")
                    + (notKept.repeatedTimes() == 1 ? " looks" : " look")
                    + " as an hour before, when clocks showed the same; see the summary");
        }
    }

    /** Rows of this process; rates count only these. */
    private long rowsNow() {
        return Math.max(0, summary.rowsWritten() - summary.rowsBefore());
    }

    private boolean isDone() {
        return summary.outcome() == Outcome.DONE;
    }

    private double bytesAPage() {
        ScanTotals reads = summary.reads();
        return reads.pages() == 0 ? 0 : (double) reads.bytesRead() / reads.pages();
    }

    /** The only file, or the directory that has all of them, in it or below. */
    static @Nullable Path place(List<Path> files) {
        Path place = files.get(0);
        for (Path file : files) {
            while (place != null && !file.startsWith(place)) {
                place = place.getParent();
            }
        }
        return place;
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        ScanTotals reads = summary.reads();
        Report.outcome(json, summary);
        json.writeNumberField("rowsWritten", summary.rowsWritten());
        json.writeNumberField("rowsInParts", summary.rowsInParts());
        Report.resumed(json, run, summary.rowsBefore());
        Report.secondsAndRate(json, summary.elapsed(), rowsNow());
        json.writeNumberField("bytesRead", reads.bytesRead());
        json.writeNumberField("bytesWritten", summary.bytesWritten());
        json.writeNumberField("bytesStored", summary.bytesStored());
        json.writeNumberField("pages", reads.pages());
        json.writeNumberField("splits", reads.splits());
        json.writeNumberField("splitsRead", reads.splitsRead());
        json.writeNumberField("retries", reads.retries());
        json.writeNumberField("pageMemory", pageMemory);
        json.writeNumberField("overlongFieldLines", summary.overlongFieldLines());
        json.writeNumberField("emptyKeys", summary.notKept().emptyKeys());
        json.writeNumberField("emptyElements", summary.notKept().emptyElements());
        json.writeNumberField("emptyValues", summary.notKept().emptyValues());
        json.writeNumberField("repeatedTimes", summary.notKept().repeatedTimes());
        json.writeNumberField("elementTimes", summary.notKept().elementTimes());
        Report.latency(json, "latencyMillis", reads);
        if (isDone() && !summary.digest().isEmpty()) {
            json.writeStringField("digest", summary.digest());
        }
        Report.files(json, "files", summary.files());
    }
}
