package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.GuardLimit;
import io.overdrive.InFlightControl;
import io.overdrive.Overdrive;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.Layouts;
import io.overdrive.bench.experiments.kit.OverdriveWork;
import io.overdrive.bench.experiments.kit.UnderLoad;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import io.overdrive.bench.load.Load;
import io.overdrive.bench.load.LoadOptions;
import io.overdrive.bench.load.RateSearch;
import io.overdrive.bench.load.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * E19. A job writes a table, or reads one, beside users who need a part of what the cluster can do: with the default limits, with low fixed
 * ones, and with a guard. Compared with the users on their own.
 */
final class GuardedJobs implements Experiment {
    private static final String JOB = "job";
    private static final String LIMIT = "limit";
    private static final String LOAD = "foreground load";

    private static final Workload MIXED = Workload.parse("write 0.5 read 0.5");
    private static final GuardLimit GUARD = GuardLimit.relative(1.5);
    private static final long KEYS = 50_000;
    private static final long FIRST_RATE = 500;
    private static final int ROWS_PER_PARTITION = 50;
    private static final int ROWS_PER_TASK = 20_000;
    private static final String READ_TABLE = "to_read";

    private enum Job {
        WRITE("write"),
        READ("read");

        private final String words;

        Job(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private enum Limit {
        NO_JOB("no job"),
        DEFAULT("default"),
        FIXED("fixed, low"),
        GUARDED("guard 1.5x");

        private final String words;

        Limit(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }

        WriteOptions.Builder apply(WriteOptions.Builder options) {
            return this == FIXED
                    ? options.inFlightControl(InFlightControl.FIXED).inFlightRequests(2)
                    : options;
        }

        ScanOptions.Builder apply(ScanOptions.Builder options) {
            return this == FIXED
                    ? options.inFlightControl(InFlightControl.FIXED).splitsInFlight(1)
                    : options;
        }
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(1_000_000).repeat(3);
            case DC2 -> Size.rows(1_000_000).repeat(3).datacenters(2);
            case PAPER -> Size.rows(100_000_000).repeat(5).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(
                Map.entry(JOB, List.of(Job.values())),
                Map.entry(LOAD, List.of("30 %", "60 %")),
                Map.entry(LIMIT, List.of(Limit.values())));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        Layouts.populate(context, load(context).build());
        context.progress("writes the rows to read");
        context.createTable(READ_TABLE, WideRows.DEFINITION);
        try (RowWriter writer = context.overdrive()
                .writer(WriteOptions.into(context.keyspace(), READ_TABLE)
                        .columns("key", "col1", "col2", "col3")
                        .bulk()
                        .build())) {
            WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, Order.IN_ORDER);
            rows.inTasks(context, ROWS_PER_TASK, (from, to) -> rows.write(context, writer.fork(), from, to));
        }
        context.flush();
        long maxRate = maxRate(context);
        return arm -> new BesideUsers(
                context,
                arm.level(JOB, Job.class),
                arm.level(LIMIT, Limit.class),
                Math.max(1, Math.round(maxRate * arm.number(LOAD) / 100)));
    }

    private static LoadOptions.Builder load(ExperimentContext context) {
        return Layouts.load(context, Math.min(KEYS, context.size().rows())).workload(MIXED);
    }

    /** The maximum rate of the foreground load on its own. */
    private static long maxRate(ExperimentContext context) {
        Duration trial = Layouts.trial(context.size());
        try (Overdrive users = context.connect(Layouts.ofUsers(context))) {
            LoadOptions load = load(context).rate(FIRST_RATE).duration(trial).build();
            return RateSearch.search(users, load, null, step -> {
                        if (context.stopped()) {
                            throw new IllegalStateException("stopped");
                        }
                        context.progress(String.format(
                                Locale.ROOT, "searches for the maximum rate: tried %,d op/s", step.rate()));
                    })
                    .rate();
        }
    }

    private static Scan scan(ExperimentContext context, Overdrive overdrive, Limit limit) {
        return overdrive.scan(
                limit.apply(ScanOptions.from(context.keyspace(), READ_TABLE)).build());
    }

    private static Work writing(ExperimentContext context, Overdrive overdrive, Limit limit) {
        WideRows.createTable(context);
        WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, Order.SHUFFLED);
        RowWriter writer =
                overdrive.writer(limit.apply(WideRows.options(context)).build());
        return new OverdriveWork(
                context,
                writer,
                () -> rows.inTasks(context, ROWS_PER_TASK, (from, to) -> rows.write(context, writer.fork(), from, to)));
    }

    /** A job with its own connection, and the users with theirs. Confined to one thread. */
    private static final class BesideUsers implements Work {
        private final Overdrive users;
        private final Overdrive connection;
        private final LoadOptions load;
        private final Work both;
        /** Begins the guard, and keeps it; null without a guard. */
        private final @Nullable Scan first;

        BesideUsers(ExperimentContext context, Job job, Limit limit, long rate) {
            String datacenter = Layouts.ofUsers(context);
            users = context.connect(datacenter);
            connection = context.connect(datacenter, limit == Limit.GUARDED ? GUARD : null);
            load = load(context).rate(rate).build();
            first = limit == Limit.GUARDED ? scan(context, connection, limit) : null;
            Work work = limit == Limit.NO_JOB
                    ? new Nothing(context)
                    : job == Job.WRITE ? writing(context, connection, limit) : new Reading(context, connection, limit);
            both = new UnderLoad(users, load, work);
        }

        @Override
        public RunOutcome run() {
            if (first != null) {
                try (Load beside = Load.start(users, load);
                        RowCursor rows = first.open(first.splits().get(0))) {
                    rows.next();
                    beside.stop();
                }
            }
            return both.run();
        }

        @Override
        public long rowsFound() {
            return both.rowsFound();
        }

        @Override
        public void close() {
            both.close();
            if (first != null) {
                first.close();
            }
            connection.close();
            users.close();
        }
    }

    /** Lets the users work for a while. */
    private record Nothing(ExperimentContext context) implements Work {
        @Override
        public RunOutcome run() {
            long end = System.nanoTime() + 2 * Layouts.trial(context.size()).toNanos();
            while (System.nanoTime() - end < 0 && !context.stopped()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            return new RunOutcome(0, 0, 0, null, Map.of(), List.of());
        }

        @Override
        public long rowsFound() {
            return 0;
        }
    }

    /** Reads the whole table. Confined to one thread. */
    private static final class Reading implements Work {
        private final ExperimentContext context;
        private final Scan scan;

        Reading(ExperimentContext context, Overdrive overdrive, Limit limit) {
            this.context = context;
            scan = scan(context, overdrive, limit);
            scan.splits(); // plans
        }

        @Override
        public RunOutcome run() {
            scan.forEach(Runtime.getRuntime().availableProcessors(), row -> {
                if (context.stopped()) {
                    scan.stop();
                }
            });
            return RunOutcome.of(scan.totals(), scan.totals().rowsRead() * WideRows.ROW_BYTES);
        }

        @Override
        public long rowsFound() {
            return scan.totals().rowsRead();
        }

        @Override
        public void close() {
            scan.close();
        }
    }

    @Override
    public Figure mainFigure() {
        return Figure.FOREGROUND_P99;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND,
                Figure.FOREGROUND_ASKED,
                Figure.RATE_KEPT,
                Figure.FOREGROUND_P50,
                Figure.FOREGROUND_P95,
                Figure.FOREGROUND_P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How long users wait", Chart.Kind.BARS, Figure.FOREGROUND_P99, LOAD, LIMIT),
                new Chart("How fast the job is", Chart.Kind.BARS, ROWS_PER_SECOND, LOAD, LIMIT));
    }

    @Override
    public List<Check> check(Findings findings) {
        return List.of(
                leavesUsersAlone(findings, Job.WRITE),
                leavesUsersAlone(findings, Job.READ),
                isFast(findings, Job.WRITE),
                isFast(findings, Job.READ));
    }

    private static Check leavesUsersAlone(Findings findings, Job job) {
        Findings ofJob = findings.where(JOB, job);
        return Check.atMost(
                1.5,
                "Beside a guarded job that has to " + job
                        + ", the p99 latency of the users is at most 1.5 times that without a job",
                ofJob.where(LIMIT, Limit.GUARDED).ratioTo(ofJob.where(LIMIT, Limit.NO_JOB), Figure.FOREGROUND_P99));
    }

    private static Check isFast(Findings findings, Job job) {
        Findings ofJob = findings.where(JOB, job);
        return Check.atLeast(
                1,
                "To " + job + ", a guarded job is at least as fast as one with a low fixed limit",
                ofJob.where(LIMIT, Limit.GUARDED).ratioTo(ofJob.where(LIMIT, Limit.FIXED), ROWS_PER_SECOND));
    }
}
