package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.RowWriter;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Check.Verdict;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.OverdriveWork;
import io.overdrive.bench.experiments.kit.Tasks;
import io.overdrive.bench.experiments.kit.Timeline;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * E6. First measures the maximum rate in a short run, and then writes at a share of that rate, for as long as all rows take at the maximum:
 * the tortoise and the hare. The table is flushed every second, so that compaction gets in a minute what it otherwise gets in an hour.
 */
final class ThrottleSustain implements Experiment {
    private static final String RATE = "rate";
    private static final String RECOMMENDED = "70 %";
    private static final String FULL = "100 %";

    private static final int ROWS_PER_PARTITION = 200;
    private static final int THREADS = 8;
    static final int SHORT_RUNS = 3;
    private static final int SHORT_RUN_SHARE = 5;
    /** The rate limit is meant for jobs of 8 hours; nothing is concluded from runs shorter than this. */
    private static final double LONG_SECONDS = 3600;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(10_000);
            case LAPTOP -> Size.rows(4_000_000).repeat(4).nodes(3);
            case DC2 -> Size.rows(4_000_000).repeat(4).datacenters(2).nodes(2);
            case PAPER -> Size.rows(2_000_000_000).repeat(3).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(RATE, List.of("50 %", RECOMMENDED, "85 %", FULL)));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        double maxRate = maxRate(context);
        return arm -> work(context, arm, maxRate);
    }

    /** Rows a second in the best of some short runs. */
    private static double maxRate(ExperimentContext context) {
        double best = 0;
        for (int run = 0; run <= SHORT_RUNS && !context.stopped(); run++) {
            createTable(context);
            WideRows rows = rows(context);
            try (RowWriter writer = writer(context, Long.MAX_VALUE)) {
                long start = System.nanoTime();
                write(context, rows, writer, rows.count() / SHORT_RUN_SHARE, Long.MAX_VALUE);
                writer.close();
                double seconds = (System.nanoTime() - start) / 1e9;
                if (run > 0) {
                    best = Math.max(best, writer.totals().rowsWritten() / seconds);
                }
            }
            context.progress(String.format(Locale.ROOT, "searches for the maximum rate: %,.0f rows/s", best));
        }
        return best;
    }

    private static Work work(ExperimentContext context, Arm arm, double maxRate) {
        createTable(context);
        WideRows rows = rows(context);
        double asked = maxRate * arm.number(RATE) / 100;
        long nanos = (long) (rows.count() / maxRate * 1e9);
        RowWriter writer = writer(context, Math.max(1, Math.round(asked)));
        Work work = new OverdriveWork(context, writer, () -> write(context, rows, writer, rows.count(), nanos)) {
            @Override
            public RunOutcome run() {
                long start = System.nanoTime();
                RunOutcome done = super.run();
                double rate = done.rows() / ((System.nanoTime() - start) / 1e9);
                return done.with(Map.of(Figure.RATE_ASKED, asked, Figure.RATE_KEPT, rate / asked));
            }
        };
        return Timeline.of(context, work, () -> Timeline.Counts.of(writer.totals()));
    }

    private static void createTable(ExperimentContext context) {
        context.createTable(WideRows.TABLE, WideRows.DEFINITION + " WITH memtable_flush_period_in_ms = 1000");
    }

    private static WideRows rows(ExperimentContext context) {
        return WideRows.of(context, ROWS_PER_PARTITION, Order.IN_ORDER);
    }

    private static RowWriter writer(ExperimentContext context, long rowsPerSecond) {
        return context.overdrive()
                .writer(WideRows.options(context).rowsPerSecond(rowsPerSecond).build());
    }

    /** Writes until this many rows are sent, or the time is over. */
    private static void write(ExperimentContext context, WideRows rows, RowWriter writer, long most, long nanos) {
        AtomicLong next = new AtomicLong();
        long start = System.nanoTime();
        Tasks.run(THREADS, THREADS, context::stopped, number -> {
            RowWriter fork = writer.fork();
            while (!context.stopped() && System.nanoTime() - start < nanos) {
                long from = next.getAndAdd(ROWS_PER_PARTITION);
                if (from >= most) {
                    return;
                }
                rows.write(context, fork, from, Math.min(most, from + ROWS_PER_PARTITION));
            }
        });
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                Figure.RATE_ASKED,
                ROWS_PER_SECOND,
                Figure.RATE_KEPT,
                Figure.ROWS,
                Figure.P99,
                Figure.RETRIES,
                Figure.ERRORS,
                Figure.COMPACTED_MEGABYTES,
                Figure.COMPACTIONS_GROWTH);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.LINES, ROWS_PER_SECOND, RATE, null),
                new Chart("How long a request takes", Chart.Kind.LINES, Figure.P99, RATE, null),
                new Chart("Rate over time", Chart.Kind.TIMELINE, ROWS_PER_SECOND, null, RATE),
                new Chart(
                        "Pending compactions over time", Chart.Kind.TIMELINE, Figure.PENDING_COMPACTIONS, null, RATE));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings tortoise = findings.where(RATE, RECOMMENDED);
        Findings hare = findings.where(RATE, FULL);
        return List.of(
                finishedRows(tortoise, hare),
                compactions(tortoise, hare),
                Check.atLeast(
                                0.95,
                                "At 70 % of the maximum, the rate is sustained to the end: at least 0.95 times the target rate",
                                tortoise.mean(Figure.RATE_KEPT))
                        .named("sustained"),
                Check.atMost(
                                0.8,
                                "At 70 % of the maximum, the p99 latency of requests is at most 0.8 times that at 100 %",
                                tortoise.ratioTo(hare, Figure.P99))
                        .named("latency"));
    }

    private static Check finishedRows(Findings tortoise, Findings hare) {
        String claim =
                "A run at 70 % of the maximum writes no fewer rows than one at 100 % (published for jobs longer than 8 hours)";
        Estimate ratio = tortoise.ratioTo(hare, Figure.ROWS);
        return isLong(hare) || ratio.isMissing()
                ? Check.atLeast(1, claim, ratio).named("finishes-more")
                : Check.cannotBeShown(claim, ratio + "; " + tooShort(hare)).named("finishes-more");
    }

    private static Check compactions(Findings tortoise, Findings hare) {
        String claim = "At 100 %, pending compactions grow during a run; at 70 % they do not";
        Estimate slow = tortoise.mean(Figure.COMPACTIONS_GROWTH);
        Estimate fast = hare.mean(Figure.COMPACTIONS_GROWTH);
        String evidence = "at 70 % by " + slow + ", at 100 % by " + fast;
        if (!slow.hasInterval() || !fast.hasInterval()) {
            return Check.cannotBeShown(claim, evidence).named("compactions");
        }
        if (fast.low() > 0 && slow.low() <= 0) {
            return new Check(claim, Verdict.REPRODUCED, evidence).named("compactions");
        }
        return isLong(hare)
                ? new Check(claim, Verdict.NOT_REPRODUCED, evidence).named("compactions")
                : Check.cannotBeShown(claim, evidence + "; " + tooShort(hare)).named("compactions");
    }

    private static boolean isLong(Findings findings) {
        return findings.mean(Figure.SECONDS).value() >= LONG_SECONDS;
    }

    private static String tooShort(Findings findings) {
        return "runs took " + findings.mean(Figure.SECONDS) + ", in which " + findings.mean(Figure.COMPACTED_MEGABYTES)
                + " were compacted: too short for compaction to fall behind";
    }
}
