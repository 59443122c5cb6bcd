package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Latency;
import io.overdrive.ScanTotals;
import io.overdrive.Totals;
import io.overdrive.WriteTimes;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.Caller;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.watch.Terminal;
import io.overdrive.cli.watch.VisibleWriter;
import io.overdrive.cli.watch.Watch;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.names.VisibleText;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.load.RejectFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The summary of a run, as text or as one JSON object with the same figures. The static methods are shared parts. */
public interface Report {
    /** Says nothing. */
    Report NONE = new Report() {
        @Override
        public void text(PrintWriter out) {}

        @Override
        public void members(JsonGenerator json) {}
    };

    void text(PrintWriter out);

    /** Writes the members of the object. */
    void members(JsonGenerator json) throws IOException;

    /** This report, with members that are too large for a summary. */
    default Report full() {
        return this;
    }

    /** This report, and then another one. */
    default Report then(Report next) {
        Report first = this;
        return new Report() {
            @Override
            public void text(PrintWriter to) {
                first.text(to);
                next.text(to);
            }

            @Override
            public void members(JsonGenerator json) throws IOException {
                first.members(json);
                next.members(json);
            }

            @Override
            public Report full() {
                return first.full().then(next.full());
            }
        };
    }

    /** Members of the object that are not in the text. */
    interface Members {
        void write(JsonGenerator json) throws IOException;
    }

    /**
     * This report with the additions of the flow's options, and in JSON with the plan, which was shown before as text, the id of the run and more
     * members.
     */
    default Report ofRun(PlanPrinter plan, Flow flow, Watch watch, Members more) {
        Report report = this;
        return new Report() {
            @Override
            public void text(PrintWriter to) {
                report.text(to);
                flow.text(to);
            }

            @Override
            public void members(JsonGenerator json) throws IOException {
                report.members(json);
                more.write(json);
                String run = watch.idWithoutJournal();
                if (run != null) {
                    json.writeStringField("run", run);
                }
                flow.members(json);
                plan.members(json);
            }

            @Override
            public Report full() {
                return report.full().ofRun(plan, flow, watch, more);
            }
        };
    }

    default void json(PrintWriter out) {
        out.println(object());
    }

    /** The object of JSON. */
    default String object() {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
            json.writeStartObject();
            members(json);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return VisibleText.of(text.toString()); // JSON leaves some control characters as they are
    }

    default void print(PrintWriter out, boolean asJson) {
        Caller caller = Caller.current();
        if (caller != null) {
            caller.summary(object());
        } else if (asJson) {
            json(out);
        } else {
            PrintWriter visible = VisibleWriter.on(out);
            Terminal.print(visible, this::text);
            visible.flush();
        }
        out.flush();
    }

    /** @param written label of the rows that are neither lost nor rejected */
    static String rows(long read, long rowsWritten, String written, long rejected) {
        return rows(read, rowsWritten, written, rejected, /* leftOut */ 0);
    }

    /**
     * As {@link #rows(long, long, String, long)}.
     *
     * @param leftOut rows that are not among those to be written
     */
    static String rows(long read, long rowsWritten, String written, long rejected, long leftOut) {
        long lost = read - rowsWritten - rejected - leftOut;
        return Amount.count(read, "row") + " read = " + Amount.count(rowsWritten) + " " + written + " + "
                + Amount.count(rejected) + " rejected"
                + (leftOut == 0 ? "" : " + " + Amount.count(leftOut) + " left out")
                + (lost == 0 ? "" : " + " + Amount.count(lost) + " NOT WRITTEN");
    }

    /**
     * How far a scan came, if that is not its end.
     *
     * @param splitsBefore number of splits of earlier runs, which {@code reads} does not include
     */
    static String notAll(Summary summary, int splitsBefore, ScanTotals reads) {
        return summary.outcome() == Outcome.DONE
                ? ""
                : ", NOT ALL: " + (splitsBefore + reads.splitsRead()) + " of " + (splitsBefore + reads.splits())
                        + " splits read";
    }

    /**
     * The line about time, which starts when the connection is open.
     *
     * @param rates further rates; left out if there are no rows
     */
    static String time(Duration elapsed, long rows, String rates) {
        double rate = Amount.perSecond(rows, elapsed);
        String shown = rate < 10 ? String.format(Locale.ROOT, "%.1f", rate) : Amount.count(Math.round(rate));
        return "  time      " + Amount.duration(elapsed) + " after connecting"
                + (rows == 0 ? "" : ", " + shown + " rows/s" + rates);
    }

    /** Whether requests were measured: files are read without any. */
    static boolean isMeasured(Latency latency) {
        return !latency.max().isZero();
    }

    static String latency(Latency latency) {
        return "p50 " + Amount.duration(latency.p50()) + ", p99 " + Amount.duration(latency.p99()) + ", max "
                + Amount.duration(latency.max());
    }

    static String batches(Totals writes) {
        return "of them " + Amount.count(writes.batches(), "batch")
                + (writes.batches() == 0 ? "" : String.format(Locale.ROOT, " of %.1f rows", rowsPerBatch(writes)))
                + ", " + Amount.count(writes.retries(), "retry")
                + (writes.splits() == 0 ? "" : ", " + Amount.count(writes.splits(), "split"));
    }

    /** A node that crashes can lose acknowledged rows, which only the user can repair. */
    static void nodesLost(PrintWriter out, Totals writes, @Nullable WriteTimes times) {
        if (!writes.nodesLost().isEmpty()) {
            out.println("  node lost " + String.join(", ", writes.nodesLost())
                    + ": the connection broke. If the node crashed, rows that it had acknowledged in its last seconds"
                    + " may be gone, unless other replicas have them or its commit log is synced for each write"
                    + " (commitlog_sync: batch; the default is periodic). To be sure, run the whole load again"
                    + (times != null && times.repeatable() ? " with --timestamp " + times.first() : ""));
        }
    }

    static void nodesLost(JsonGenerator json, Totals writes) throws IOException {
        json.writeArrayFieldStart("nodesLost");
        for (String node : writes.nodesLost()) {
            json.writeString(node);
        }
        json.writeEndArray();
    }

    static double rowsPerBatch(Totals writes) {
        return writes.batches() == 0 ? 0 : (double) writes.batchedRows() / writes.batches();
    }

    private static long rowsPerSecond(Duration elapsed, long rows) {
        return Math.round(Amount.perSecond(rows, elapsed));
    }

    /**
     * The line about the earlier processes of a resumed run.
     *
     * @param run null if the run has no journal
     */
    static void resumed(PrintWriter out, @Nullable String run, long rowsBefore) {
        if (run != null && rowsBefore > 0) {
            out.println("  resumed   run " + run + ", " + Amount.count(rowsBefore) + " rows were done before");
        }
    }

    /** The same for programs, with the id of any run that has a journal. */
    static void resumed(JsonGenerator json, @Nullable String run, long rowsBefore) throws IOException {
        if (run != null) {
            json.writeStringField("run", run);
            json.writeNumberField("rowsBefore", rowsBefore);
        }
    }

    static void outcome(JsonGenerator json, Summary summary) throws IOException {
        json.writeStringField("outcome", summary.outcome().name().toLowerCase(Locale.ROOT));
        RuntimeException failure = summary.failure();
        if (failure != null) {
            json.writeStringField("failure", MessageText.of(failure).in(OptionNames::of));
        }
    }

    static void seconds(JsonGenerator json, Duration elapsed) throws IOException {
        json.writeNumberField("seconds", Math.round(elapsed.toNanos() / 1e6) / 1000.0);
    }

    static void secondsAndRate(JsonGenerator json, Duration elapsed, long rows) throws IOException {
        seconds(json, elapsed);
        json.writeNumberField("rowsPerSecond", rowsPerSecond(elapsed, rows));
    }

    static void latency(JsonGenerator json, Totals writes) throws IOException {
        json.writeObjectFieldStart("latencyMillis");
        json.writeNumberField("p50", millis(writes.latency().p50()));
        json.writeNumberField("p99", millis(writes.latency().p99()));
        json.writeNumberField("p999", millis(writes.latency().p999()));
        json.writeNumberField("max", millis(writes.latency().max()));
        json.writeEndObject();
    }

    /** Left out if nothing was measured. */
    static void latency(JsonGenerator json, String name, ScanTotals reads) throws IOException {
        if (!isMeasured(reads.latency())) {
            return;
        }
        json.writeObjectFieldStart(name);
        json.writeNumberField("p50", millis(reads.latency().p50()));
        json.writeNumberField("p99", millis(reads.latency().p99()));
        json.writeNumberField("max", millis(reads.latency().max()));
        json.writeEndObject();
    }

    private static double millis(Duration d) {
        return TimeUnit.NANOSECONDS.toMicros(d.toNanos()) / 1000.0;
    }

    /** The write time that a run began with; with it as {@code --timestamp}, a second run writes the same cells. */
    static void timestamp(PrintWriter out, @Nullable WriteTimes times) {
        if (times != null) {
            out.println("  timestamp " + times.first()
                    + (times.ahead().isZero()
                            ? ""
                            : "; the last write time is " + Amount.duration(times.ahead())
                                    + " in the future: until then, other writes to these rows have no effect"));
        }
    }

    static void timestamp(JsonGenerator json, @Nullable WriteTimes times) throws IOException {
        if (times != null) {
            json.writeNumberField("timestamp", times.first());
            json.writeBooleanField("repeatable", times.repeatable());
            json.writeNumberField("timestampAheadSeconds", times.ahead().toMillis() / 1000.0);
        }
    }

    /**
     * The line about input files; nothing if there is only one.
     *
     * @param leftOut files of directories, left out because of their names
     */
    static void inputFiles(PrintWriter out, int read, int total, int leftOut) {
        if (total > 1 || leftOut > 0) {
            int notRead = total - read;
            out.println("  files     " + Amount.count(read) + " read"
                    + (notRead == 0 ? "" : ", " + Amount.count(notRead) + " NOT READ TO THE END")
                    + (leftOut == 0 ? "" : ", " + Amount.count(leftOut) + " left out by name"));
        }
    }

    static void inputFiles(JsonGenerator json, int read, int total, int leftOut) throws IOException {
        json.writeNumberField("filesRead", read);
        json.writeNumberField("filesNotRead", total - read);
        json.writeNumberField("filesLeftOut", leftOut);
    }

    /** @param isExact whether each row with the key of an earlier one was seen as such */
    static void repeatedKeys(PrintWriter out, long rows, boolean isExact, boolean dryRun) {
        if (rows > 0) {
            out.println("  keys      " + (isExact ? "" : "at least ") + Amount.count(rows, "row")
                    + " had the key of an earlier row of this input and "
                    + (dryRun ? "would overwrite it" : "overwrote it")
                    + (isExact || dryRun ? "" : "; verify says how many did"));
        }
    }

    /**
     * The files of rejected records, and their content.
     *
     * @param first where the first rejected record is, and why; null if there is none
     */
    static void rejects(PrintWriter out, List<Path> files, @Nullable String first) {
        files.forEach(file -> out.println("  rejected  " + file + ", with the reasons next to it in "
                + RejectFile.reasonsOf(file).getFileName()));
        if (files.isEmpty() && first != null) {
            out.println("  rejected  not saved");
        }
        firstReject(out, first);
    }

    static void firstReject(PrintWriter out, @Nullable String first) {
        if (first != null) {
            out.println("            the first: " + first);
        }
    }

    static void rejects(JsonGenerator json, List<Path> files, @Nullable String first) throws IOException {
        files(json, "rejectFiles", files);
        files(json, "reasonFiles", files.stream().map(RejectFile::reasonsOf).toList());
        json.writeStringField("firstReject", first);
    }

    static void files(JsonGenerator json, String name, List<Path> files) throws IOException {
        json.writeArrayFieldStart(name);
        for (Path file : files) {
            json.writeString(file.toString());
        }
        json.writeEndArray();
    }
}
