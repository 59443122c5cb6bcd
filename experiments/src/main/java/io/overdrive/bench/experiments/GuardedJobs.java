package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.GuardLimit;
import io.overdrive.InFlightControl;
import io.overdrive.Overdrive;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.BulkTable;
import io.overdrive.bench.experiments.kit.BulkTable.Job;
import io.overdrive.bench.experiments.kit.Layouts;
import io.overdrive.bench.experiments.kit.UnderLoad;
import io.overdrive.bench.experiments.kit.Users;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import io.overdrive.bench.stress.Stress;
import io.overdrive.bench.stress.StressOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * E19. A job writes a table, or reads one, beside users who need a part of what the cluster can do: with the default limits, with low fixed
 * ones, and with a guard. Compared with the users on their own, immediately before the job and in runs without a job.
 */
final class GuardedJobs implements Experiment {
    private static final String JOB = "job";
    private static final String LIMIT = "limit";
    private static final String LOAD = "foreground load";

    private static final GuardLimit GUARD = GuardLimit.relative(1.5);
    /** A second is disturbed if its p99 latency is more than this many times that before the job. */
    private static final double DISTURBED = 1.5;

    /** A job ends after this many times {@link Layouts#trial}, which makes half a minute, even if not all rows are written or read. */
    private static final int MAX_TRIALS = 6;

    private static final long KEYS = 50_000;
    private static final int ROWS_PER_PARTITION = 50;

    private enum Limit implements BulkTable.Settings {
        NO_JOB("no job"),
        DEFAULT("default"),
        FIXED("2 in flight"),
        FAST("40,000 rows/s", 40_000),
        SLOW("10,000 rows/s", 10_000),
        GUARDED("guard 1.5x");

        static final List<Limit> FIXED_LIMITS = List.of(FIXED, FAST, SLOW);

        private final String words;
        private final long rowsPerSecond;

        Limit(String words) {
            this(words, Long.MAX_VALUE);
        }

        Limit(String words, long rowsPerSecond) {
            this.words = words;
            this.rowsPerSecond = rowsPerSecond;
        }

        @Override
        public String toString() {
            return words;
        }

        @Override
        public WriteOptions.Builder apply(WriteOptions.Builder options) {
            return this == FIXED
                    ? options.inFlightControl(InFlightControl.FIXED).inFlightRequests(2)
                    : options.rowsPerSecond(rowsPerSecond);
        }

        @Override
        public ScanOptions.Builder apply(ScanOptions.Builder options) {
            return this == FIXED
                    ? options.inFlightControl(InFlightControl.FIXED).splitsInFlight(1)
                    : options.rowsPerSecond(rowsPerSecond);
        }
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(4_000_000).repeat(3);
            case DC2 -> Size.rows(4_000_000).repeat(3).datacenters(2);
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
        Users users = new Users(context, Math.min(KEYS, context.size().rows()));
        users.populate();
        // in order: shuffled rows would wait in groups, all of which are written after the end of a job
        BulkTable table =
                WideRows.of(context, ROWS_PER_PARTITION, Order.IN_ORDER).table(context);
        table.preload();
        long maxRate = users.maxRate();
        return arm -> new BesideUsers(
                table,
                arm.level(JOB, Job.class),
                arm.level(LIMIT, Limit.class),
                users.at(Math.max(1, Math.round(maxRate * arm.number(LOAD) / 100))));
    }

    /** A job with its own connection, and the users with theirs. Confined to one thread. */
    private static final class BesideUsers implements Work {
        private final Size size;
        private final Overdrive connection;
        private final UnderLoad both;
        private final Duration before;
        private volatile long endNanos;
        /** Begins the guard, and keeps it; null without a guard. */
        private final @Nullable Scan first;

        BesideUsers(BulkTable table, Job job, Limit limit, StressOptions load) {
            ExperimentContext context = table.context();
            size = context.size();
            connection = context.connect(Layouts.ofUsers(context), limit == Limit.GUARDED ? GUARD : null);
            first = limit == Limit.GUARDED ? table.scan(connection, limit) : null;
            BooleanSupplier ends = () -> System.nanoTime() - endNanos > 0 || context.stopped();
            Work work = limit == Limit.NO_JOB ? new Nothing(ends) : table.work(job, connection, limit, ends);
            both = new UnderLoad(context, load, work);
            before = Layouts.trial(context.size()).multipliedBy(2);
        }

        @Override
        public RunOutcome run() {
            if (first != null) {
                try (Stress beside = both.startLoad();
                        RowCursor rows = first.open(first.splits().get(0))) {
                    rows.next();
                    beside.stop();
                }
            }
            double alone = both.alone(before).p99();
            endNanos = System.nanoTime() + MAX_TRIALS * Layouts.trial(size).toNanos();
            RunOutcome done = both.run();
            return done.with(Map.of(Figure.FOREGROUND_UNDISTURBED, 100 * both.shareOfSecondsWithin(DISTURBED * alone)));
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
        }
    }

    /** Lets the users work. */
    private record Nothing(BooleanSupplier ends) implements Work {
        @Override
        public RunOutcome run() {
            while (!ends.getAsBoolean()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
            return new RunOutcome(0, 0, 0, null, Map.of(), List.of());
        }

        @Override
        public long rowsFound() {
            return 0;
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
                Figure.FOREGROUND_P99,
                Figure.FOREGROUND_UNDISTURBED);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart(
                        "How often users are left alone", Chart.Kind.BARS, Figure.FOREGROUND_UNDISTURBED, LOAD, LIMIT),
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
        return Check.atLeast(
                        95,
                        "Beside a guarded job that has to " + job
                                + ", the p99 latency of the users is within 1.5 times that before the job in 95 % of the seconds",
                        findings.where(JOB, job).where(LIMIT, Limit.GUARDED).mean(Figure.FOREGROUND_UNDISTURBED))
                .named("undisturbed-" + job);
    }

    /** Compares with the fastest of the fixed limits that disturb the users no more often. */
    private static Check isFast(Findings findings, Job job) {
        String claim =
                "To " + job + ", a guarded job is at least as fast as any fixed limit that disturbs the users no more";
        Findings ofJob = findings.where(JOB, job);
        List<Estimate> ratios = new ArrayList<>();
        for (String load : ofJob.levels(LOAD)) {
            Findings beside = ofJob.where(LOAD, load);
            Findings guarded = beside.where(LIMIT, Limit.GUARDED);
            double kept = guarded.mean(Figure.FOREGROUND_UNDISTURBED).value();
            Limit.FIXED_LIMITS.stream()
                    .map(limit -> beside.where(LIMIT, limit))
                    .filter(fixed -> fixed.mean(Figure.FOREGROUND_UNDISTURBED).value() >= kept)
                    .max(Comparator.comparingDouble(
                            fixed -> fixed.mean(ROWS_PER_SECOND).value()))
                    .ifPresent(fixed -> ratios.add(guarded.ratioTo(fixed, ROWS_PER_SECOND)));
        }
        return ratios.isEmpty()
                ? Check.cannotBeShown(claim, "every fixed limit that was measured disturbs the users more")
                        .named("fast-" + job)
                : Check.atLeast(1, claim, ratios.toArray(Estimate[]::new)).named("fast-" + job);
    }
}
