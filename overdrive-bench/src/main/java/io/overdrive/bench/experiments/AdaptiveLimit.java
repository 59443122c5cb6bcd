package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.InFlightControl;
import io.overdrive.Overdrive;
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
import io.overdrive.bench.load.LoadOptions;
import io.overdrive.bench.load.RateSearch;
import io.overdrive.bench.load.Workload;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * E18. A job writes a table, or reads one, with fixed and with adaptive limits of requests in flight, on its own and beside users who need a
 * part of what the cluster can do.
 */
final class AdaptiveLimit implements Experiment {
    private static final String JOB = "job";
    private static final String LIMIT = "limit";
    private static final String LOAD = "foreground load";
    private static final String NONE = "0 %";
    private static final String SOME = "30 %";

    private static final Workload MIXED = Workload.parse("write 0.5 read 0.5");
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
        FIXED_LOW("fixed, low", InFlightControl.FIXED, 16, 1),
        FIXED_HIGH("fixed, high", InFlightControl.FIXED, 1000, 32),
        AIMD("AIMD", InFlightControl.AIMD, 0, 0),
        VEGAS("Vegas", InFlightControl.VEGAS, 0, 0),
        GRADIENT("gradient", InFlightControl.GRADIENT, 0, 0),
        ROUND_TRIPS("round trips", InFlightControl.ROUND_TRIPS, 0, 0);

        private final String words;
        private final InFlightControl control;
        /** Writes in flight to a node; 0: the default maximum. */
        private final int requests;
        /** Splits, and so pages, in flight to a node; 0: the default. */
        private final int splits;

        Limit(String words, InFlightControl control, int requests, int splits) {
            this.words = words;
            this.control = control;
            this.requests = requests;
            this.splits = splits;
        }

        @Override
        public String toString() {
            return words;
        }

        WriteOptions.Builder apply(WriteOptions.Builder options) {
            options.inFlightControl(control);
            return requests == 0 ? options : options.inFlightRequests(requests);
        }

        ScanOptions.Builder apply(ScanOptions.Builder options) {
            options.inFlightControl(control);
            return splits == 0 ? options : options.splitsInFlight(splits);
        }
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(1_000_000).repeat(4);
            case DC2 -> Size.rows(1_000_000).repeat(4).datacenters(2);
            case PAPER -> Size.rows(100_000_000).repeat(5).nodes(3).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(
                Map.entry(JOB, List.of(Job.values())),
                Map.entry(LOAD, List.of(NONE, SOME)),
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
        return arm -> {
            Limit limit = arm.level(LIMIT, Limit.class);
            Work job = arm.level(JOB, Job.class) == Job.WRITE ? writing(context, limit) : new Reading(context, limit);
            long rate = Math.round(maxRate * arm.number(LOAD) / 100);
            if (rate == 0) {
                return job;
            }
            Overdrive users = context.connect(Layouts.ofUsers(context));
            UnderLoad both = new UnderLoad(users, load(context).rate(rate).build(), job);
            return new Work() {
                @Override
                public RunOutcome run() {
                    return both.run();
                }

                @Override
                public long rowsFound() {
                    return both.rowsFound();
                }

                @Override
                public void close() {
                    both.close();
                    users.close();
                }
            };
        };
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

    private static Work writing(ExperimentContext context, Limit limit) {
        WideRows.createTable(context);
        WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, Order.SHUFFLED);
        RowWriter writer = context.overdrive()
                .writer(limit.apply(WideRows.options(context)).build());
        return new OverdriveWork(
                context,
                writer,
                () -> rows.inTasks(context, ROWS_PER_TASK, (from, to) -> rows.write(context, writer.fork(), from, to)));
    }

    /** Reads the whole table. Confined to one thread. */
    private static final class Reading implements Work {
        private final ExperimentContext context;
        private final Scan scan;

        Reading(ExperimentContext context, Limit limit) {
            this.context = context;
            scan = context.overdrive()
                    .scan(limit.apply(ScanOptions.from(context.keyspace(), READ_TABLE))
                            .build());
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
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND,
                Figure.P50,
                Figure.P99,
                Figure.FOREGROUND_ASKED,
                Figure.RATE_KEPT,
                Figure.FOREGROUND_P50,
                Figure.FOREGROUND_P95,
                Figure.FOREGROUND_P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast the job is", Chart.Kind.BARS, ROWS_PER_SECOND, LOAD, LIMIT),
                new Chart("How long the job's requests take", Chart.Kind.BARS, Figure.P50, LOAD, LIMIT),
                new Chart("How long users wait", Chart.Kind.BARS, Figure.FOREGROUND_P95, LOAD, LIMIT));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings unloaded = findings.where(LOAD, NONE);
        Findings loaded = findings.where(LOAD, SOME);
        return List.of(
                fast(unloaded, Job.WRITE),
                fast(unloaded, Job.READ),
                shortWaits(loaded, Job.WRITE),
                shortWaits(loaded, Job.READ));
    }

    private static Check fast(Findings findings, Job job) {
        Findings ofJob = findings.where(JOB, job);
        return Check.atLeast(
                0.9,
                "To " + job
                        + " without a foreground load, round trips are at least 0.9 times as fast as the best limit",
                ofJob.where(LIMIT, Limit.ROUND_TRIPS).ratioTo(ofJob.best(LIMIT, ROWS_PER_SECOND), ROWS_PER_SECOND));
    }

    private static Check shortWaits(Findings findings, Job job) {
        Findings ofJob = findings.where(JOB, job);
        return Check.atMost(
                0.9,
                "Beside a job that has to " + job
                        + ", the p95 latency of the users is at most 0.9 times that with a high fixed limit",
                ofJob.where(LIMIT, Limit.ROUND_TRIPS)
                        .ratioTo(ofJob.where(LIMIT, Limit.FIXED_HIGH), Figure.FOREGROUND_P95));
    }
}
