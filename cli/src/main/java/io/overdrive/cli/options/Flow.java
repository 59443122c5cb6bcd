package io.overdrive.cli.options;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.ConnectOptions;
import io.overdrive.FlowDecision;
import io.overdrive.GatheringDecision;
import io.overdrive.GuardLimit;
import io.overdrive.GuardTotals;
import io.overdrive.NodeTotals;
import io.overdrive.Overdrive;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.jobs.FoundSizesFile;
import io.overdrive.jobs.bottleneck.Bottleneck;
import io.overdrive.jobs.bottleneck.BottleneckWatch;
import io.overdrive.jobs.bottleneck.Cause;
import io.overdrive.jobs.journal.OutputLock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How much is in flight during a run, and why: opens the run's connections, follows their decisions and finds what limits the job.
 * Thread-safe.
 */
public final class Flow implements AutoCloseable {
    private static final int MAX_NAMED_NODES = 5;

    private final @Nullable Path file;
    private final @Nullable GuardLimit guard;
    private final PrintWriter err;
    private final @Nullable OutputLock lock;

    /** Connections of the run: to the first cluster, and to the second. */
    @GuardedBy("this") private final List<Overdrive> connections = new ArrayList<>();

    @GuardedBy("this") private final Map<String, Courses> jobs = new TreeMap<>();

    @GuardedBy("this") private @Nullable BottleneckWatch watch;

    @GuardedBy("this") private @Nullable JsonGenerator json;

    @GuardedBy("this") private @Nullable IOException failure;

    /**
     * @param file gets each decision; null for none
     * @param guard null if there is none
     * @param err gets later problems of the file
     * @throws IllegalArgumentException if the file cannot be written
     */
    Flow(@Nullable Path file, @Nullable GuardLimit guard, PrintWriter err) {
        this.file = file;
        this.guard = guard;
        this.err = err;
        this.lock = file == null ? null : OutputLock.of(file);
        if (file != null) {
            try {
                json = new JsonFactory().createGenerator(Files.newBufferedWriter(file));
                json.setRootValueSeparator(null);
            } catch (IOException e) {
                close();
                throw new IllegalArgumentException(
                        "--explain-flow " + file + " cannot be written: " + WritableDirectory.reason(e), e);
            }
        }
    }

    /**
     * Connects, with the guard if there is one, and follows the decisions of the connection. Jobs begin with the sizes that earlier
     * runs have found.
     *
     * @param tables the tables of the run on this cluster, whose keyspaces the connection is for; none if they are not known
     */
    public Overdrive connect(ConnectOptions options, CqlIdentifier[]... tables) {
        List<String> keyspaces =
                Arrays.stream(tables).map(table -> table[0].asInternal()).toList();
        ConnectOptions ofRun =
                options.withGuard(guard).withFoundSizes(FoundSizesFile.ofUser()).withKeyspaces(keyspaces);
        Caller caller = Caller.current();
        return opened(caller == null ? Overdrive.connect(ofRun) : caller.connect(ofRun));
    }

    /** As {@link #connect}, but jobs begin with the default sizes, and leave none: for measuring. */
    public Overdrive connectWithDefaults(ConnectOptions options) {
        return opened(Overdrive.connect(options.withGuard(guard)));
    }

    private synchronized Overdrive opened(Overdrive overdrive) {
        connections.add(overdrive);
        overdrive.onFlowDecision(this::decided);
        overdrive.onGatheringDecision(this::decided);
        overdrive.onGuardDecision(this::decided);
        return overdrive;
    }

    /** The connections of the run: to the first cluster, and to the second if there is one. */
    public synchronized List<Overdrive> connections() {
        return List.copyOf(connections);
    }

    /** The limit of the guard; null if there is none. */
    public @Nullable GuardLimit guard() {
        return guard;
    }

    /** Why the job is held back now; null if it is not. */
    public synchronized @Nullable String heldBack() {
        return connections.stream()
                .flatMap(overdrive -> overdrive.guardTotals().stream())
                .map(GuardReport::now)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Begins to find the bottleneck of a job.
     *
     * @param job where its threads have spent their time
     */
    public synchronized void watch(Supplier<JobTimes> job) {
        watch = BottleneckWatch.start(job);
    }

    /** The bottleneck of the job now; null if it has just begun, or is not watched. */
    public synchronized @Nullable Bottleneck limitedBy() {
        return watch == null ? null : watch.now();
    }

    /** The end of the progress line; empty while the bottleneck is unknown. */
    public String limitedByInLine() {
        Bottleneck now = limitedBy();
        return now == null ? "" : "  · limited by " + now.cause();
    }

    private synchronized void decided(FlowDecision decision) {
        if (decision.answered() > 0 && !decision.median().isZero()) {
            jobs.computeIfAbsent(decision.job(), job -> new Courses()).add(decision);
        }
        write(json -> write(json, decision));
    }

    private synchronized void decided(GatheringDecision decision) {
        write(json -> write(json, decision));
    }

    private synchronized void decided(GuardTotals decision) {
        write(json -> GuardReport.decision(decision, json));
    }

    private interface Line {
        void write(JsonGenerator json) throws IOException;
    }

    @GuardedBy("this") private void write(Line line) {
        JsonGenerator to = json;
        if (to == null || failure != null) {
            return;
        }
        try {
            to.writeStartObject();
            line.write(to);
            to.writeEndObject();
            to.writeRaw('\n');
        } catch (IOException e) {
            failure = e;
        }
    }

    private static void write(JsonGenerator json, FlowDecision decision) throws IOException {
        json.writeNumberField("seconds", round(seconds(decision.at())));
        json.writeStringField("job", decision.job());
        json.writeStringField("node", decision.node());
        json.writeNumberField("limitBefore", decision.limitBefore());
        json.writeNumberField("limit", decision.limit());
        json.writeNumberField("share", round(decision.share()));
        json.writeNumberField("requestBytes", decision.requestBytes());
        json.writeNumberField("splitsInFlight", decision.splitsInFlight());
        json.writeStringField("reason", decision.reason());
        json.writeNumberField("windowMillis", decision.window().toMillis());
        json.writeNumberField("peakInFlight", decision.peakInFlight());
        json.writeNumberField("answered", decision.answered());
        json.writeNumberField("answeredCost", decision.answeredCost());
        json.writeNumberField("medianMicros", decision.median().toNanos() / 1000);
        json.writeNumberField("baselineMicros", decision.baseline().toNanos() / 1000);
        json.writeNumberField("overloaded", decision.overloaded());
        json.writeNumberField("timedOut", decision.timedOut());
        json.writeNumberField("lost", decision.lost());
    }

    private static void write(JsonGenerator json, GatheringDecision decision) throws IOException {
        json.writeNumberField("seconds", round(seconds(decision.at())));
        json.writeStringField("job", decision.job());
        json.writeBooleanField("gathersBefore", decision.gathersBefore());
        json.writeBooleanField("gathers", decision.gathers());
        json.writeStringField("reason", decision.reason());
        json.writeNumberField("pairs", decision.pairs());
        json.writeNumberField("lead", decision.lead());
        json.writeNumberField("singleRowsPerSecond", round(decision.singleRowsPerSecond()));
        json.writeNumberField("gatheredRowsPerSecond", round(decision.gatheredRowsPerSecond()));
    }

    private static double round(double value) {
        return Math.round(value * 1000) / 1000.0;
    }

    private static double seconds(Duration duration) {
        return duration.toNanos() / 1e9;
    }

    /** Adds the job's bottleneck, the guard's figures and the course of the run to the summary. */
    public synchronized void text(PrintWriter out) {
        Bottleneck found = watch == null ? null : watch.overall();
        if (found != null) {
            out.println("  limited by " + found.cause() + " (" + found.evidence() + ")");
        }
        List<NodeTotals> silent = silentNodes();
        if (!silent.isEmpty()) {
            out.println("  no answer " + noAnswer(silent));
        }
        guardText(out);
        jobs.forEach((job, courses) -> {
            if (courses.limit.isWorthShowing()) {
                if (jobs.size() > 1) {
                    out.println("  " + job);
                }
                courses.plot(out);
            }
        });
    }

    /** Names nodes that did not answer requests in time, those with the most of them first. */
    static String noAnswer(List<NodeTotals> silent) {
        String first = silent.stream()
                .limit(MAX_NAMED_NODES)
                .map(node -> node.node() + " to " + Amount.count(node.timedOut(), "request"))
                .collect(Collectors.joining(", "));
        int others = silent.size() - MAX_NAMED_NODES;
        return first
                + (others > 0 ? " and " + Amount.count(others, "other node") : "")
                + " in time; they were sent again, to other replicas if there are any";
    }

    /** Nodes that did not answer each request in time, those with the most of them first. */
    @GuardedBy("this") private List<NodeTotals> silentNodes() {
        return connections.stream()
                .flatMap(overdrive -> overdrive.nodes().stream())
                .filter(node -> node.timedOut() > 0)
                .sorted(Comparator.comparingLong(NodeTotals::timedOut).reversed())
                .toList();
    }

    /** Adds the guard's figures to the summary. */
    public synchronized void guardText(PrintWriter out) {
        for (int i = 0; i < connections.size(); i++) {
            String name = i == 0 ? "" : "second cluster: ";
            connections.get(i).guardTotals().ifPresent(totals -> GuardReport.text(totals, name, out));
        }
    }

    /** As {@link #text}, without the course of the run. */
    public synchronized void members(JsonGenerator json) throws IOException {
        Bottleneck found = watch == null ? null : watch.overall();
        if (found != null) {
            limitedBy(found, json);
        }
        List<NodeTotals> silent = silentNodes();
        if (!silent.isEmpty()) {
            json.writeObjectFieldStart("timeouts");
            for (NodeTotals node : silent) {
                json.writeNumberField(node.node(), node.timedOut());
            }
            json.writeEndObject();
        }
        for (int i = 0; i < connections.size(); i++) {
            Optional<GuardTotals> totals = connections.get(i).guardTotals();
            if (totals.isPresent()) {
                json.writeObjectFieldStart(i == 0 ? "guard" : "guardOfSecondCluster");
                GuardReport.members(totals.get(), json);
                json.writeEndObject();
            }
        }
    }

    private static void limitedBy(Bottleneck found, JsonGenerator json) throws IOException {
        json.writeObjectFieldStart("limitedBy");
        json.writeStringField("cause", found.cause().name().toLowerCase(Locale.ROOT));
        json.writeNumberField("share", round(found.share()));
        json.writeStringField("evidence", found.evidence());
        json.writeObjectFieldStart("shares");
        for (Cause cause : Cause.values()) {
            json.writeNumberField(
                    cause.name().toLowerCase(Locale.ROOT), round(found.shares().getOrDefault(cause, 0.0)));
        }
        json.writeEndObject();
        json.writeEndObject();
    }

    /** Ends the file, and says if it is incomplete: the job does not fail for it. */
    @Override
    public synchronized void close() {
        if (watch != null) {
            watch.close();
        }
        try (JsonGenerator to = json) {
            json = null;
        } catch (IOException e) {
            failure = failure == null ? e : failure;
        }
        if (lock != null) {
            lock.close();
        }
        if (failure != null) {
            err.println("overdrive: --explain-flow " + file + " is incomplete: " + failure.getMessage());
        }
    }

    /** The courses of one job, as means over the nodes. */
    private static final class Courses {
        private final Course limit = new Course();
        private final Course roundTrip = new Course();
        private final Course answered = new Course();

        void add(FlowDecision decision) {
            limit.add(decision.at(), decision.limit());
            roundTrip.add(decision.at(), seconds(decision.median()));
            answered.add(decision.at(), decision.answeredCost() / seconds(decision.window()));
        }

        void plot(PrintWriter out) {
            out.println("  in flight  " + limit.plot(Amount::bytes) + " permitted per node");
            out.println("  answered   " + answered.plot(bytes -> Amount.bytes(bytes) + "/s") + " per node");
            out.println("  round trip " + roundTrip.plot(s -> Amount.duration(Duration.ofNanos((long) (s * 1e9)))));
        }
    }

    /** The course of a value over time, of any length in little memory: means of equal spans. Confined to one thread at a time. */
    private static final class Course {
        /** Fewer spans have no course to show. */
        private static final int MIN_SPANS = 5;

        private static final int MAX_SPANS = 60;
        private static final String BARS = "▁▂▃▄▅▆▇█";

        private final double[] sums = new double[MAX_SPANS];
        private final long[] counts = new long[MAX_SPANS];
        private long spanNanos = 100_000_000;

        void add(Duration at, double value) {
            while (at.toNanos() / spanNanos >= MAX_SPANS) {
                for (int i = 0; i < MAX_SPANS; i++) {
                    boolean isFirstHalf = i < MAX_SPANS / 2;
                    sums[i] = isFirstHalf ? sums[2 * i] + sums[2 * i + 1] : 0;
                    counts[i] = isFirstHalf ? counts[2 * i] + counts[2 * i + 1] : 0;
                }
                spanNanos *= 2;
            }
            int span = (int) (at.toNanos() / spanNanos);
            sums[span] += value;
            counts[span]++;
        }

        boolean isWorthShowing() {
            return Arrays.stream(counts).filter(count -> count > 0).count() >= MIN_SPANS;
        }

        /** A bar for each span, from 0 to the maximum, then minimum and maximum; a blank if nothing was measured. */
        String plot(DoubleFunction<String> format) {
            int last = IntStream.range(0, MAX_SPANS)
                    .filter(i -> counts[i] > 0)
                    .max()
                    .orElse(-1);
            double[] means = IntStream.rangeClosed(0, last)
                    .filter(i -> counts[i] > 0)
                    .mapToDouble(this::mean)
                    .toArray();
            double max = Arrays.stream(means).max().orElse(0);
            double min = Arrays.stream(means).min().orElse(0);
            StringBuilder line = new StringBuilder();
            for (int i = 0; i <= last; i++) {
                int bar = max <= 0 ? 0 : (int) Math.min(BARS.length() - 1, mean(i) / max * BARS.length());
                line.append(counts[i] == 0 ? ' ' : BARS.charAt(bar));
            }
            return line + " " + format.apply(min) + " to " + format.apply(max);
        }

        private double mean(int span) {
            return sums[span] / counts[span];
        }
    }
}
