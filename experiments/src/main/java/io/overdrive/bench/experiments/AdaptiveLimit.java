package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.InFlightControl;
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
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.BulkTable;
import io.overdrive.bench.experiments.kit.BulkTable.Job;
import io.overdrive.bench.experiments.kit.UnderLoad;
import io.overdrive.bench.experiments.kit.Users;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.List;
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

    private static final long KEYS = 50_000;
    private static final int ROWS_PER_PARTITION = 50;

    private enum Limit implements BulkTable.Settings {
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

        @Override
        public WriteOptions.Builder apply(WriteOptions.Builder options) {
            options.inFlightControl(control);
            return requests == 0 ? options : options.inFlightRequests(requests);
        }

        @Override
        public ScanOptions.Builder apply(ScanOptions.Builder options) {
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
        Users users = new Users(context, Math.min(KEYS, context.size().rows()));
        users.populate();
        WideRows.of(context, ROWS_PER_PARTITION, Order.IN_ORDER).table(context).preload();
        BulkTable table =
                WideRows.of(context, ROWS_PER_PARTITION, Order.SHUFFLED).table(context);
        long maxRate = users.maxRate();
        return arm -> {
            Work job = table.work(arm.level(JOB, Job.class), context.overdrive(), arm.level(LIMIT, Limit.class));
            long rate = Math.round(maxRate * arm.number(LOAD) / 100);
            return rate == 0 ? job : new UnderLoad(context, users.at(rate), job);
        };
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
                        ofJob.where(LIMIT, Limit.ROUND_TRIPS)
                                .ratioTo(ofJob.best(LIMIT, ROWS_PER_SECOND), ROWS_PER_SECOND))
                .named("fast-" + job);
    }

    private static Check shortWaits(Findings findings, Job job) {
        Findings ofJob = findings.where(JOB, job);
        return Check.atMost(
                        0.9,
                        "Beside a job that has to " + job
                                + ", the p95 latency of the users is at most 0.9 times that with a high fixed limit",
                        ofJob.where(LIMIT, Limit.ROUND_TRIPS)
                                .ratioTo(ofJob.where(LIMIT, Limit.FIXED_HIGH), Figure.FOREGROUND_P95))
                .named("latency-" + job);
    }
}
