package io.overdrive.cli.watch;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.NodeTotals;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.Caller;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.RunArguments;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.bottleneck.Bottleneck;
import io.overdrive.jobs.journal.OutputLock;
import io.overdrive.jobs.journal.RunStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Watches a run: begins its log and its metrics before the connection, as an endpoint or a file may be impossible; names the run in {@link
 * #begin}, as soon as the job is prepared, and shows its progress from {@link #start} on. The methods are called by the thread of the
 * command; one thread shows progress, and the endpoint's threads read the metrics.
 */
public final class Watch implements AutoCloseable {
    private static final int METRICS_FILE_MILLIS = 15_000;
    private static final int SECOND_MILLIS = 1_000;
    private static final int CALLER_MILLIS = 500;
    private static final int MAX_WAIT_SECONDS = 5;

    private final CommandSpec command;
    private final WatchMixin options;
    private final RunMetrics.@Nullable TableLabels table;
    /** Null if they are not read. */
    private final @Nullable RunMetrics metrics;

    private @Nullable MetricsEndpoint endpoint;
    private @Nullable MetricsFile file;
    private @Nullable OutputLock metricsLock;
    private boolean fileFailed;
    private @Nullable String run;
    private boolean isJournaled;
    private @Nullable ProgressJson json;
    /** Null until {@link #start}. */
    private volatile @Nullable Job job;

    private volatile Outcome outcome = Outcome.RUNNING;
    private volatile @Nullable Instant ended;

    private record Job(Supplier<Figures> figures, Flow flow) {}

    /**
     * @param named keyspace and name of the table; null for a statement
     * @throws IllegalArgumentException if the endpoint or a file is impossible
     */
    Watch(CommandSpec command, CqlIdentifier @Nullable [] named, WatchMixin options) {
        this.command = command;
        this.options = options;
        this.table = named == null ? null : new RunMetrics.TableLabels(named[0].asInternal(), named[1].asInternal());
        openLog(options.logFile());
        boolean isMeasured = options.metricsFile() != null || options.metricsPort() != null;
        this.metrics = isMeasured ? new RunMetrics(this::now) : null;
        if (metrics != null) {
            try {
                openMetrics(metrics);
            } catch (RuntimeException e) {
                closeMetrics();
                throw e;
            }
        }
    }

    private void openMetrics(RunMetrics made) {
        Integer port = options.metricsPort();
        if (port != null) {
            endpoint = MetricsEndpoint.open(options.metricsAddress(), port, made);
        }
        Path path = options.metricsFile();
        if (path != null) {
            metricsLock = OutputLock.of(path);
            try {
                file = new MetricsFile(path);
                file.write(made.collect());
            } catch (IOException e) {
                throw unwritable("--metrics-file", path, e);
            }
        }
    }

    private void closeMetrics() {
        if (endpoint != null) {
            endpoint.close();
        }
        if (metricsLock != null) {
            metricsLock.close();
        }
    }

    private static IllegalArgumentException unwritable(String option, Path path, IOException e) {
        return new IllegalArgumentException(
                option + " " + path + " cannot be written: " + WritableDirectory.reason(e), e);
    }

    private void openLog(@Nullable Path logFile) {
        if (logFile == null) {
            return;
        }
        try {
            Logging.toFile(logFile);
        } catch (IOException e) {
            throw unwritable("--log-file", logFile, e);
        }
        RunLog.info("overdrive " + command.name() + " "
                + String.join(" ", RunArguments.of(command.commandLine().getParseResult())));
        RunLog.info(String.join(", ", command.root().version()) + ", process "
                + ProcessHandle.current().pid());
    }

    /**
     * Names the run, as soon as that is known.
     *
     * @param journaled the id of the journal; null if the run has none
     * @param plan prints the plan of the run, for the log
     */
    public void begin(@Nullable String journaled, Consumer<PrintWriter> plan) {
        isJournaled = journaled != null;
        String id = name(journaled);
        MetricsEndpoint listening = endpoint;
        if (listening != null || options.logFile() != null || file != null) {
            err().println("overdrive: run " + id
                    + (listening == null ? "" : "; metrics at " + listening.url())
                    + (file == null ? "" : "; metrics in " + file.path())
                    + (options.logFile() == null ? "" : "; log in " + options.logFile()));
        }
        RunLog.info("run " + id);
        log(plan);
    }

    private String name(@Nullable String journaled) {
        String known = journaled != null ? journaled : run; // the progress of a query has named it
        String id = known != null ? known : RunStore.newId(Instant.now());
        run = id;
        if (metrics != null) {
            metrics.label(id, command.name(), table);
        }
        return id;
    }

    /** The id of the run if it has no journal, for the summary; null if it has one, which the summary names. */
    public @Nullable String idWithoutJournal() {
        return isJournaled ? null : run;
    }

    /** Adds printed text to the log, if there is one. */
    public void log(Consumer<PrintWriter> printer) {
        if (options.logFile() != null) {
            RunLog.info(printer);
        }
    }

    /** Adds why a run failed to its log, if there is one. */
    public static void failed(String message, Throwable cause) {
        RunLog.failed(message, cause);
    }

    /** A run while it is watched. */
    public final class Watching implements AutoCloseable {
        private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "overdrive-progress");
            thread.setDaemon(true);
            return thread;
        });

        private final @Nullable Progress line;

        private Watching(@Nullable Progress line) {
            this.line = line;
        }

        private void every(long millis, Runnable task) {
            var unused = timer.scheduleAtFixedRate(() -> guarded(task), millis, millis, TimeUnit.MILLISECONDS);
        }

        /** How it has ended; the first call counts, and without one it has failed. */
        public void end(Outcome how) {
            if (line != null) {
                line.close();
            }
            timer.shutdown();
            try {
                if (!timer.awaitTermination(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
                    timer.shutdownNow(); // a disk or a reader that has stalled
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Watch.this.end(how);
        }

        @Override
        public void close() {
            end(Outcome.FAILED);
        }
    }

    /** An exception would end the task of the timer. */
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            RunLog.failed("progress cannot be shown", e);
        }
    }

    /**
     * Shows how far a query is until its first rows are there; null if that is not wanted.
     *
     * @param rowsRead rows that it has read until now; called by another thread
     */
    public @Nullable Progress await(LongSupplier rowsRead) {
        WatchMixin.Form form = options.progressForm();
        long startNanos = System.nanoTime();
        Supplier<Duration> elapsed = () -> Duration.ofNanos(System.nanoTime() - startNanos);
        Supplier<String> read =
                () -> "has read " + Amount.count(rowsRead.getAsLong(), "row") + ", and has no result yet";
        Caller caller = Caller.current();
        if (form == WatchMixin.Form.NONE) {
            return null;
        } else if (form == WatchMixin.Form.LINE && caller == null) {
            return Progress.start(
                    () -> "the query has run for " + Amount.duration(elapsed.get()) + ", " + read.get(), err());
        }
        ProgressJson objects = newJson();
        return Progress.pass(
                () -> objects.query(elapsed.get(), "the query " + read.get()),
                err(),
                caller == null ? SECOND_MILLIS : CALLER_MILLIS,
                caller == null ? err()::println : caller::progress);
    }

    /**
     * Begins to show progress.
     *
     * @param figures returns the run's progress; called by several threads
     */
    public Watching start(Supplier<Figures> figures, Flow flow) {
        job = new Job(figures, flow);
        RateLine line = new RateLine();
        Caller caller = Caller.current();
        WatchMixin.Form form = options.progressForm();
        Watching watching = new Watching(
                form == WatchMixin.Form.LINE && caller == null
                        ? Progress.start(() -> line.of(figures.get(), flow.heldBack()) + flow.limitedByInLine(), err())
                        : null);
        if (caller != null && form != WatchMixin.Form.NONE) {
            Supplier<String> objects = objects(figures, flow);
            watching.every(CALLER_MILLIS, () -> caller.progress(objects.get()));
        } else if (form == WatchMixin.Form.JSON) {
            Supplier<String> objects = objects(figures, flow);
            watching.every(SECOND_MILLIS, () -> err().println(objects.get()));
        }
        if (options.logFile() != null) {
            RunLog log = new RunLog();
            watching.every(SECOND_MILLIS, () -> log.tick(figures.get(), flow.heldBack(), nodesDown(flow), nodes(flow)));
        }
        if (file != null) {
            watching.every(METRICS_FILE_MILLIS, this::writeFile);
        }
        return watching;
    }

    private Supplier<String> objects(Supplier<Figures> figures, Flow flow) {
        ProgressJson objects = json();
        return () -> objects.progress(figures.get(), flow.heldBack(), limitedBy(flow));
    }

    /** The bottleneck as in the summary as JSON. */
    private static @Nullable String limitedBy(Flow flow) {
        Bottleneck now = flow.limitedBy();
        return now == null ? null : now.cause().name().toLowerCase(Locale.ROOT);
    }

    private ProgressJson json() {
        ProgressJson made = json;
        if (made == null) {
            made = newJson();
            json = made;
        }
        return made;
    }

    private ProgressJson newJson() {
        String id = run;
        return new ProgressJson(id == null ? name(/* journaled */ null) : id, command.name(), Clock.systemUTC());
    }

    private static Set<String> nodesDown(Flow flow) {
        return flow.connections().stream()
                .flatMap(each -> each.session().getMetadata().getNodes().values().stream())
                .filter(node -> node.getState() == NodeState.DOWN || node.getState() == NodeState.FORCED_DOWN)
                .map(NodeName::of)
                .collect(Collectors.toSet());
    }

    private static List<NodeTotals> nodes(Flow flow) {
        return flow.connections().stream()
                .flatMap(each -> each.nodes().stream())
                .toList();
    }

    private RunMetrics.@Nullable Now now() {
        Job running = job;
        if (running == null) {
            return outcome == Outcome.RUNNING ? null : new RunMetrics.Now(null, List.of(), outcome, ended);
        }
        return new RunMetrics.Now(
                running.figures().get(),
                running.flow().connections().stream()
                        .map(each -> new RunMetrics.Connection(each.nodes(), each.guardTotals()))
                        .toList(),
                outcome,
                ended);
    }

    private void writeFile() {
        MetricsFile to = file;
        RunMetrics from = metrics;
        if (to == null || from == null) {
            return;
        }
        try {
            to.write(from.collect());
            fileFailed = false;
        } catch (IOException e) {
            if (!fileFailed) {
                fileFailed = true;
                err().println("overdrive: --metrics-file " + to.path() + " cannot be written ("
                        + e.getClass().getSimpleName() + "); the run continues without it");
            }
        }
    }

    /** The first call counts. */
    private void end(Outcome how) {
        if (outcome != Outcome.RUNNING) {
            return;
        }
        if (run == null) {
            name(/* journaled */ null);
        }
        Job ran = job;
        outcome = how;
        if (options.progressForm() == WatchMixin.Form.JSON && Caller.current() == null) {
            err().println(json().end(ran == null ? null : ran.figures().get(), how));
        }
        ended = Instant.now();
        writeFile();
        RunLog.info("ended: " + how.name().toLowerCase(Locale.ROOT));
    }

    /** Ends a run that does nothing more, such as a dry run that has shown its statements. */
    public void done() {
        end(Outcome.DONE);
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }

    /** Ends the endpoint and the file of metrics. The log continues until the command has ended. */
    @Override
    public void close() {
        try {
            end(Outcome.FAILED);
        } finally {
            closeMetrics();
        }
    }
}
