package io.overdrive.bench.run;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.DriverException;
import io.overdrive.GuardLimit;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Experiment.Prepared;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Findings.Conditions;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Result;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.stress.Stress;
import io.overdrive.bench.stress.Values;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs an experiment on a cluster: makes the keyspace, warms up, and then runs all arms once in each block, in random order. It measures
 * around each run and checks that the cluster has the acknowledged rows. Runs one experiment once, on the caller's thread; any thread may
 * call {@link #stop} and {@link #progress}.
 */
public final class Runner implements ExperimentRun {
    /** Dropped before and after an experiment. */
    static final String KEYSPACE = "overdrive_bench";

    private static final Duration COMPACTIONS_TIMEOUT = Duration.ofSeconds(60);
    /**
     * Warm-up of new nodes: within this time, runs on three new nodes with two processors took up to five times as long
     * as later ones.
     */
    private static final Duration NEW_NODES_WARM_UP = Duration.ofSeconds(60);

    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Experiment experiment;
    private final Size size;
    private final long seed;
    private final BenchCluster cluster;
    private final String command;
    private final List<Arm> arms;
    private final List<Arm> warmUp;
    private final @Nullable ForegroundOptions foreground;
    private final ClusterBench context;
    private final List<Measurement> measurements = new ArrayList<>();
    private final Set<String> warnings = new LinkedHashSet<>();
    private int unsettled;
    private int warmUps;
    private volatile boolean stopped;
    private volatile Stage stage;

    /**
     * How far an experiment is.
     *
     * @param done runs that are complete, including the warm-up
     * @param all all runs, including the warm-up
     * @param doing the present activity
     * @param left estimated time left, or null while unknown
     */
    public record Progress(int done, int all, String doing, @Nullable Duration left) {}

    /** The basis of {@link #progress}; times are of {@link System#nanoTime}. */
    private record Stage(int done, String doing, long firstRunSince, long runSince) {}

    /**
     * @param size the size; on the user's own cluster with fewer nodes or data centres it is reduced to these
     * @param seed makes the rows and the order of runs
     * @param command that repeats it, for the report
     * @param selection which arms are run
     * @param foreground the load of the cluster's users during each run; null for none
     * @throws IllegalArgumentException if there is a foreground load, and the experiment has its own load; if the selection names
     *     what the experiment does not have
     */
    public Runner(
            Experiment experiment,
            Size size,
            long seed,
            BenchCluster cluster,
            String command,
            Selection selection,
            @Nullable ForegroundOptions foreground) {
        if (foreground != null) {
            ForegroundOptions.requirePossible(experiment);
        }
        this.foreground = foreground;
        this.experiment = experiment;
        this.seed = seed;
        this.cluster = cluster;
        this.command = command;
        this.context = new ClusterBench(cluster, size);
        this.size = context.size();
        this.arms = List.copyOf(selection.of(experiment.arms(this.size)));
        // A single run of each arm can't show a difference, warm or cold.
        this.warmUp = this.size.repeat() == 1 ? List.of() : warmUp(arms);
        this.stage = new Stage(0, "makes the keyspace", 0, 0);
    }

    /** Ends it after the current run, which does not count; {@link #run} then returns the measurements before. */
    @Override
    public void stop() {
        stopped = true;
    }

    @Override
    public Progress progress() {
        Stage now = stage;
        Duration left = null;
        if (now.done > 0) {
            long each = (now.runSince - now.firstRunSince) / now.done;
            long sinceThen = System.nanoTime() - now.runSince;
            left = Duration.ofNanos(Math.max(0, each * (runs() - now.done) - sinceThen));
        }
        return new Progress(now.done, runs(), now.doing, left);
    }

    /**
     * Makes all runs. A failure is kept with its run, and the others continue.
     *
     * @throws RuntimeException if the keyspace can't be made, or {@link Experiment#prepare} fails
     */
    @Override
    public Result run() {
        Instant started = Instant.now();
        long start = System.nanoTime();
        try {
            context.makeKeyspace();
            doing("prepares");
            try (Prepared prepared = experiment.prepare(context)) {
                runAll(prepared);
            }
        } catch (RuntimeException e) {
            if (!stopped) {
                throw e;
            }
        } finally {
            dropKeyspace();
            cluster.endBeside();
        }
        if (unsettled > 0) {
            warnings.add("before " + unsettled + " of " + runs() + " runs, compactions had not ended within "
                    + COMPACTIONS_TIMEOUT.toSeconds() + " s");
        }
        return new Result(
                experiment.description(),
                started,
                (System.nanoTime() - start) / 1e9,
                measurements.size() == arms.size() * size.repeat(),
                command,
                settings(),
                cluster.environment(),
                arms,
                measurements,
                experiment.mainFigure(),
                foreground == null ? experiment.tableFigures() : ForegroundLoad.figures(experiment.tableFigures()),
                foreground == null ? experiment.charts() : ForegroundLoad.charts(experiment.charts()),
                experiment.check(
                        new Findings(measurements, new Conditions(context.nodes(), size, cluster.isOnThisMachine()))),
                List.copyOf(warnings));
    }

    private int runs() {
        return warmUp.size() + arms.size() * size.repeat();
    }

    private void runAll(Prepared prepared) {
        if (foreground == null) {
            runAll(prepared, null);
            return;
        }
        try (ForegroundLoad users = ForegroundLoad.open(cluster, foreground, size.rows(), seed)) {
            runAll(prepared, users);
            users.warning().ifPresent(warnings::add);
        }
    }

    private void runAll(Prepared prepared, @Nullable ForegroundLoad users) {
        warmUp(prepared, users);
        for (int block = 1; block <= size.repeat(); block++) {
            for (Arm arm : order(arms, block, seed)) {
                if (stopped) {
                    return;
                }
                running(warmUp.size() + measurements.size(), arm.toString());
                Measurement measurement = measure(prepared, arm, block, users);
                if (!stopped) { // else the run may have been cut short
                    measurements.add(measurement);
                }
            }
        }
    }

    /** All of {@link #warmUp}; on newly started nodes repeatedly, until these have had time to compile. */
    private void warmUp(Prepared prepared, @Nullable ForegroundLoad users) {
        long enough = System.nanoTime() + (cluster.isCold() ? NEW_NODES_WARM_UP.toNanos() : 0);
        while (!stopped && !warmUp.isEmpty() && (warmUps < warmUp.size() || System.nanoTime() - enough < 0)) {
            Arm arm = warmUp.get(warmUps % warmUp.size());
            running(Math.min(warmUps, warmUp.size() - 1), "warm-up: " + arm);
            measure(prepared, arm, 0, users);
            warmUps++;
        }
        if (warmUps > 0) {
            cluster.warmedUp();
        }
    }

    /** The arms in the order in which they run in a block. */
    public static <T> List<T> order(List<T> arms, int block, long seed) {
        List<T> order = new ArrayList<>(arms);
        Collections.shuffle(order, new Random(Values.mix(seed, block)));
        return order;
    }

    /**
     * The smallest set of arms that covers every level of every factor: all code is then compiled, and every kind of
     * statement prepared.
     */
    static List<Arm> warmUp(List<Arm> arms) {
        Set<Map.Entry<String, String>> missing = new HashSet<>();
        arms.forEach(arm -> missing.addAll(arm.levels().entrySet()));
        List<Arm> chosen = new ArrayList<>();
        while (!missing.isEmpty()) {
            Arm next = Collections.max(arms, Comparator.comparingLong(arm -> arm.levels().entrySet().stream()
                    .filter(missing::contains)
                    .count()));
            chosen.add(next);
            missing.removeAll(next.levels().entrySet());
        }
        return chosen;
    }

    private Measurement measure(Prepared prepared, Arm arm, int block, @Nullable ForegroundLoad users) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        try (Work work = prepared.work(arm)) {
            settle();
            Meter.clean();
            RunOutcome done;
            try (Stress load = users == null ? null : users.start()) {
                done = Meter.run(work, cluster, figures);
                if (users != null && load != null) {
                    figures.putAll(users.stop(load));
                }
            }
            cluster.pendingCompactions()
                    .ifPresent(pending -> figures.put(Figure.PENDING_COMPACTIONS, (double) pending));
            return new Measurement(arm, block, figures, done.timeline(), verify(work, done, arm));
        } catch (RuntimeException e) {
            return new Measurement(arm, block, figures, List.of(), Meter.reason(e));
        }
    }

    private @Nullable String verify(Work work, RunOutcome done, Arm arm) {
        long found = work.rowsFound();
        if (found < 0 || found == done.rows() || stopped) {
            return null;
        }
        String difference =
                String.format(Locale.ROOT, "%,d rows were acknowledged, and the cluster has %,d", done.rows(), found);
        warnings.add(arm + ": " + difference);
        return difference;
    }

    /** Waits until the compactions of earlier runs are complete. */
    private void settle() {
        long deadline = System.nanoTime() + COMPACTIONS_TIMEOUT.toNanos();
        while (!stopped) {
            OptionalInt pending = cluster.pendingCompactions();
            if (pending.isEmpty() || pending.getAsInt() == 0) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                unsettled++;
                return;
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private void running(int done, String arm) {
        long now = System.nanoTime();
        stage = new Stage(done, arm, done == 0 ? now : stage.firstRunSince, now);
    }

    private void doing(String words) {
        Stage now = stage;
        stage = new Stage(now.done, words, now.firstRunSince, now.runSince);
    }

    private void dropKeyspace() {
        try {
            cluster.overdrive().changeSchema("DROP KEYSPACE IF EXISTS " + KEYSPACE);
        } catch (DriverException | OverdriveException e) {
            warnings.add(
                    "the keyspace " + KEYSPACE + " could not be dropped (" + e.getMessage() + "): drop it manually");
        }
    }

    private Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("rows of a run", String.format(Locale.ROOT, "%,d", size.rows()));
        settings.put("runs of each arm", Integer.toString(size.repeat()));
        settings.put("runs to warm up, not counted", Integer.toString(warmUps));
        settings.put("seed", Long.toString(seed));
        settings.put("data centres", Integer.toString(size.datacenters()));
        settings.put("copies in each data centre", Integer.toString(size.replicationFactor()));
        ClusterBench beside = context.oneDatacenter;
        if (beside != null) {
            settings.put(
                    "second cluster",
                    beside.nodes()
                            + " nodes in one data centre, beside the other; counters of the nodes are the sum of both");
        }
        if (foreground != null) {
            settings.put(
                    "foreground load",
                    foreground + ", whose CPU is included in the CPU of the client and of the nodes");
        }
        return settings;
    }

    /** The view that experiments have of this. */
    private final class ClusterBench implements ExperimentContext {
        private final BenchCluster cluster;
        private final Map<String, Integer> datacenters;
        private final Size size;
        private @Nullable ClusterBench oneDatacenter;

        ClusterBench(BenchCluster cluster, Size wanted) {
            this.cluster = cluster;
            this.datacenters = cluster.datacenters();
            this.size = wanted.on(datacenters.size(), nodes());
        }

        void makeKeyspace() {
            String replication = datacenters.entrySet().stream()
                    .limit(size.datacenters())
                    .map(datacenter -> "'" + datacenter.getKey().replace("'", "''") + "': "
                            + Math.min(size.replicationFactor(), datacenter.getValue()))
                    .collect(Collectors.joining(", "));
            overdrive().changeSchema("DROP KEYSPACE IF EXISTS " + KEYSPACE);
            overdrive()
                    .changeSchema("CREATE KEYSPACE " + KEYSPACE
                            + " WITH replication = {'class': 'NetworkTopologyStrategy', " + replication + "}");
        }

        @Override
        public Overdrive overdrive() {
            return cluster.overdrive();
        }

        @Override
        public Size size() {
            return size;
        }

        @Override
        public String keyspace() {
            return KEYSPACE;
        }

        @Override
        public void createTable(String name, String definition) {
            overdrive().changeSchema("DROP TABLE IF EXISTS " + KEYSPACE + "." + name);
            overdrive().changeSchema("CREATE TABLE " + KEYSPACE + "." + name + " " + definition);
        }

        @Override
        public long countRows(String table, DefaultConsistencyLevel consistency) {
            LongAdder rows = new LongAdder();
            try (Scan counts = overdrive()
                    .count(ScanOptions.from(KEYSPACE, table)
                            .consistency(consistency)
                            .build())) {
                counts.forEach(2, row -> rows.add(row.getLong(0)));
            }
            return rows.sum();
        }

        @Override
        public void flush() {
            cluster.flush(KEYSPACE);
        }

        @Override
        public RandomGenerator random(String name) {
            return new SplittableRandom(Values.mix(seed, name.hashCode()));
        }

        @Override
        public int nodes() {
            return datacenters.values().iterator().next();
        }

        @Override
        public List<String> datacenters() {
            return List.copyOf(datacenters.keySet());
        }

        @Override
        public Overdrive connect(String datacenter, @Nullable GuardLimit guard) {
            return cluster.connect(datacenter, guard);
        }

        @Override
        public Optional<ExperimentContext> inOneDatacenter() {
            if (size.datacenters() == 1) {
                return Optional.of(this);
            }
            if (oneDatacenter == null) {
                cluster.startBeside(Runner.this::doing).ifPresent(other -> {
                    ClusterBench made = new ClusterBench(other, size);
                    made.makeKeyspace();
                    oneDatacenter = made;
                });
            }
            return Optional.ofNullable(oneDatacenter);
        }

        @Override
        public OptionalInt pendingCompactions() {
            return cluster.pendingCompactions();
        }

        @Override
        public void progress(String line) {
            doing(line);
        }

        @Override
        public boolean stopped() {
            return stopped;
        }
    }
}
