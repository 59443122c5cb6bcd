package io.overdrive.bench.run;

import io.overdrive.ConnectOptions;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Result;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.Experiments;
import io.overdrive.bench.report.ReportDirectory;
import io.overdrive.bench.spark.SparkExperiment;
import io.overdrive.bench.spark.SparkOptions;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs experiments in sequence, on as few clusters as possible, and writes their reports. Confined to one thread, except {@link #stop} and {@link
 * #progress}, which any thread may call. {@link #close} ends the cluster, and deletes it if it was started here.
 */
public final class Suite implements AutoCloseable {
    private static final String ALL = "all";

    private final List<Entry> entries;
    private final ReportDirectory reports;
    private final Hosts hosts;
    private boolean failed;
    private @Nullable Host host;
    private volatile boolean stopped;
    /** How many experiments have started. */
    private volatile int begun;

    private volatile String doing = "";
    private volatile @Nullable ExperimentRun run;
    private volatile @Nullable Thread opening;

    /**
     * One experiment of a suite.
     *
     * @param command that repeats it, for the report
     * @param selection which arms are run
     */
    public record Entry(Experiment experiment, Size size, String command, Selection selection) {}

    /**
     * How an experiment ended.
     *
     * @param result null if there is none
     * @param page the report, or null if it was not written
     * @param failure why there is no result, or no report; null if there is one, or if the user stopped the suite
     */
    public record Outcome(
            Entry entry, @Nullable Result result, @Nullable Path page, @Nullable RuntimeException failure) {}

    /**
     * Progress of the suite.
     *
     * @param number of the experiment, from 1
     * @param all experiments of the suite
     * @param name of the experiment
     * @param doing the activity before the first run
     * @param runs how many runs are complete; null before the first
     */
    public record Progress(int number, int all, String name, String doing, Runner.@Nullable Progress runs) {}

    /** Opens the cluster that experiments run on. */
    interface Hosts {
        Host open(Entry entry, Consumer<String> progress);
    }

    /** The cluster that experiments run on. */
    interface Host extends AutoCloseable {
        boolean fits(Entry entry);

        ExperimentRun run(Entry entry);

        @Override
        void close();
    }

    private record ClusterHost(BenchCluster cluster, long seed, @Nullable ForegroundOptions foreground)
            implements Host {
        @Override
        public boolean fits(Entry entry) {
            return cluster.fits(entry.size(), entry.experiment().serverSettings());
        }

        @Override
        public ExperimentRun run(Entry entry) {
            return new Runner(
                    entry.experiment(), entry.size(), seed, cluster, entry.command(), entry.selection(), foreground);
        }

        @Override
        public void close() {
            cluster.close();
        }
    }

    /** @param entries one or more */
    Suite(List<Entry> entries, ReportDirectory reports, Hosts hosts) {
        this.entries = entries.stream()
                .sorted(Comparator.comparingInt((Entry e) -> e.size().datacenters())
                        .thenComparing(e -> !e.experiment().serverSettings().isEmpty()))
                .toList();
        this.reports = reports;
        this.hosts = hosts;
    }

    /**
     * A suite on nodes that are started on this machine.
     *
     * @param separate whether they get separate processors and memory, as far as the machine permits
     */
    public static Suite onLocalNodes(
            List<Entry> entries,
            long seed,
            @Nullable ForegroundOptions foreground,
            ReportDirectory reports,
            boolean separate) {
        return new Suite(
                entries,
                reports,
                (entry, progress) -> new ClusterHost(
                        BenchCluster.start(entry.size(), entry.experiment().serverSettings(), separate, progress),
                        seed,
                        foreground));
    }

    /**
     * A suite on an existing cluster.
     *
     * @param options asked when the suite connects
     * @param jmx how to read the nodes' counters, or null to do without
     */
    public static Suite onCluster(
            List<Entry> entries,
            long seed,
            @Nullable ForegroundOptions foreground,
            ReportDirectory reports,
            Supplier<ConnectOptions> options,
            BenchCluster.@Nullable Jmx jmx) {
        return new Suite(entries, reports, (entry, progress) -> {
            progress.accept("connects");
            return new ClusterHost(BenchCluster.connect(options.get(), jmx), seed, foreground);
        });
    }

    /**
     * The experiments of these names, each once; {@code all} for all that can run beside the foreground load, without those that need
     * Spark if no Spark is given.
     *
     * @throws IllegalArgumentException if there is no experiment of a name, it can't run beside a foreground load, or it needs a Spark
     *     that is missing
     */
    public static List<Experiment> select(
            List<String> names, @Nullable ForegroundOptions foreground, SparkOptions spark) {
        Map<String, Experiment> selected = new LinkedHashMap<>();
        for (String name : names) {
            if (name.equals(ALL)) {
                Experiments.all(spark).stream()
                        .filter(experiment -> foreground == null || ForegroundOptions.isPossible(experiment))
                        .filter(experiment -> spark.home() != null || !(experiment instanceof SparkExperiment))
                        .forEach(experiment ->
                                selected.putIfAbsent(experiment.description().name(), experiment));
            } else {
                selected.putIfAbsent(name, named(name, foreground, spark));
            }
        }
        if (selected.values().stream().anyMatch(SparkExperiment.class::isInstance)) {
            spark.requirePossible();
        }
        return List.copyOf(selected.values());
    }

    private static Experiment named(String name, @Nullable ForegroundOptions foreground, SparkOptions spark) {
        Experiment experiment = Experiments.named(name, spark);
        if (foreground != null) {
            ForegroundOptions.requirePossible(experiment);
        }
        return experiment;
    }

    public int size() {
        return entries.size();
    }

    /** Whether there is an experiment left to run; not after {@link #stop}. */
    public boolean hasNext() {
        return begun < entries.size() && !stopped;
    }

    /** Runs the next experiment, and writes its report. A failure is part of the outcome. */
    public Outcome runNext() {
        int index = begun;
        begun = index + 1;
        Entry current = entries.get(index);
        Result result = null;
        try {
            result = measure(current);
            failed |= result.measurements().stream().allMatch(m -> m.failure() != null);
            return new Outcome(current, result, reports.write(result), null);
        } catch (RuntimeException e) {
            failed = true;
            return new Outcome(current, result, null, stopped && result == null ? null : e);
        }
    }

    private Result measure(Entry current) {
        if (host != null && !host.fits(current)) {
            close();
        }
        Host open = host == null ? open(current) : host;
        host = open;
        ExperimentRun made = open.run(current);
        run = made;
        if (stopped) {
            made.stop();
        }
        try {
            return made.run();
        } finally {
            run = null;
        }
    }

    private Host open(Entry current) {
        opening = Thread.currentThread();
        try {
            return hosts.open(current, line -> doing = line);
        } finally {
            opening = null;
            Thread.interrupted(); // stop() interrupts for the sake of the opening only
        }
    }

    /** Ends the current experiment, which keeps its measurements, and runs no more. Does not wait for a cluster that is being started. */
    public void stop() {
        stopped = true;
        ExperimentRun current = run;
        if (current != null) {
            current.stop();
        }
        Thread thread = opening;
        if (thread != null) {
            thread.interrupt();
        }
    }

    public boolean stopped() {
        return stopped;
    }

    /** Whether an experiment that ran has no figures or no report. */
    public boolean failed() {
        return failed;
    }

    /** Progress of the current experiment, or of the first before it has begun. */
    public Progress progress() {
        int number = Math.max(1, begun);
        ExperimentRun current = run;
        return new Progress(
                number,
                entries.size(),
                entries.get(number - 1).experiment().description().name(),
                doing,
                current == null ? null : current.progress());
    }

    @Override
    public void close() {
        Host open = host;
        host = null;
        if (open != null) {
            open.close();
        }
    }
}
