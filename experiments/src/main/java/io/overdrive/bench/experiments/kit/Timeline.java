package io.overdrive.bench.experiments.kit;

import io.overdrive.Totals;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement.Moment;
import io.overdrive.bench.RunOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Figures over the course of a run: samples on a separate thread, ten times a second in the first minute, and then each second. The sampled
 * counts must be thread-safe.
 */
public final class Timeline implements AutoCloseable {
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONG_AFTER_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Number of parts of a run; with fewer samples, the rate of a tenth is unknown. */
    private static final int TENTHS = 10;

    private final Supplier<Counts> counts;
    private final Supplier<OptionalInt> pending;
    private final long start = System.nanoTime();
    private long intervalNanos = SHORT_NANOS;
    /** Asking the nodes costs them more than reading a counter here, so this is done at most once a second. */
    private long pendingDue = start;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;
    /** Written by the sampling thread, and read once it has ended. */
    private final List<Sample> samples = new ArrayList<>();

    /**
     * The counts of a run since its start.
     *
     * @param rows acknowledged
     * @param failed rows that failed
     * @param latency of the requests since the last sample, in microseconds, or null
     */
    public record Counts(long rows, long failed, @Nullable Histogram latency) {
        /** Counts of a writer, which reports no latency per interval. */
        public static Counts of(Totals totals) {
            return new Counts(totals.rowsWritten(), totals.rowsRejected(), null);
        }
    }

    record Sample(double second, Counts counts, OptionalInt pendingCompactions) {}

    /**
     * The same work, whose outcome gets a timeline, {@link Figure#LAST_TENTH}, and {@link Figure#COMPACTIONS_GROWTH} if the cluster reports
     * compactions.
     */
    public static Work of(ExperimentContext context, Work work, Supplier<Counts> counts) {
        return new Work() {
            @Override
            public RunOutcome run() {
                try (Timeline timeline = new Timeline(context::pendingCompactions, counts)) {
                    RunOutcome done = work.run();
                    List<Sample> samples = timeline.end();
                    return done.with(figures(samples)).with(moments(samples));
                }
            }

            @Override
            public long rowsFound() {
                return work.rowsFound();
            }

            @Override
            public void close() {
                work.close();
            }
        };
    }

    /** Starts at once. */
    Timeline(Supplier<OptionalInt> pending, Supplier<Counts> counts) {
        this.counts = counts;
        this.pending = pending;
        this.thread = new Thread(this::sampleUntilEnded, "bench-timeline");
        thread.setDaemon(true);
        thread.start();
    }

    private void sampleUntilEnded() {
        try {
            long due = start + intervalNanos;
            while (!ended.await(due - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                samples.add(sample());
                intervalNanos = due - start < LONG_AFTER_NANOS ? SHORT_NANOS : LONG_NANOS;
                due = nextDue(due, intervalNanos, System.nanoTime());
            }
        } catch (InterruptedException e) {
            // does not happen; the samples are kept
        }
    }

    /** The time of the next sample: not less than half an interval after a late one, as its rate would be random. */
    static long nextDue(long due, long intervalNanos, long now) {
        return Math.max(due + intervalNanos, now + intervalNanos / 2);
    }

    private Sample sample() {
        long now = System.nanoTime();
        Counts snapshot = counts.get();
        OptionalInt compactions = OptionalInt.empty();
        if (now - pendingDue >= 0) {
            compactions = pending.get();
            pendingDue = now + LONG_NANOS;
        }
        return new Sample((now - start) / 1e9, snapshot, compactions);
    }

    /** Takes the last sample. To be called after the run. */
    List<Sample> end() {
        double second = (System.nanoTime() - start) / 1e9;
        Counts whole = counts.get();
        close();
        Sample last = new Sample(second, whole, pending.get());
        List<Sample> all = new ArrayList<>(samples);
        all.removeIf(earlier -> earlier.second >= last.second);
        if (!all.isEmpty() && (last.second - all.get(all.size() - 1).second) * 1e9 < intervalNanos / 2.0) {
            // an interval this short would have a random rate
            Sample joined = all.remove(all.size() - 1);
            if (last.counts.latency != null && joined.counts.latency != null) {
                last.counts.latency.add(joined.counts.latency);
            }
        }
        all.add(last);
        return all;
    }

    /** Ends it after a failed run. */
    @Override
    public void close() {
        ended.countDown();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Moments of a chart: rates, failures and latency of each interval, and compactions that were pending at its end.
     */
    static List<Moment> moments(List<Sample> samples) {
        List<Moment> moments = new ArrayList<>();
        Sample before = new Sample(0, new Counts(0, 0, null), OptionalInt.empty());
        for (Sample sample : samples) {
            Map<Figure, Double> figures = new EnumMap<>(Figure.class);
            figures.put(
                    Figure.ROWS_PER_SECOND,
                    (sample.counts.rows - before.counts.rows) / (sample.second - before.second));
            figures.put(Figure.ERRORS, (double) (sample.counts.failed - before.counts.failed));
            Histogram latency = sample.counts.latency;
            if (latency != null && latency.getTotalCount() > 0) {
                figures.put(Figure.P99, latency.getValueAtPercentile(99) / 1e3);
            }
            sample.pendingCompactions.ifPresent(pending -> figures.put(Figure.PENDING_COMPACTIONS, (double) pending));
            moments.add(new Moment(sample.second, figures));
            before = sample;
        }
        return moments;
    }

    static Map<Figure, Double> figures(List<Sample> samples) {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        Sample last = samples.get(samples.size() - 1);
        long rows = last.counts.rows;
        if (rows > 0 && samples.size() >= TENTHS) {
            figures.put(
                    Figure.LAST_TENTH, secondOf(samples, rows * 0.1) / (last.second - secondOf(samples, rows * 0.9)));
        }
        OptionalDouble growth = growth(samples);
        if (growth.isPresent()) {
            figures.put(Figure.COMPACTIONS_GROWTH, growth.getAsDouble());
        }
        return figures;
    }

    /** When this many rows had been acknowledged, with an even rate between samples. */
    private static double secondOf(List<Sample> samples, double rows) {
        double second = 0;
        double before = 0;
        for (Sample sample : samples) {
            if (sample.counts.rows >= rows) {
                return second + (sample.second - second) * (rows - before) / (sample.counts.rows - before);
            }
            second = sample.second;
            before = sample.counts.rows;
        }
        return second;
    }

    /** Growth of the pending compactions in tasks a minute, by least squares; empty if unknown. */
    private static OptionalDouble growth(List<Sample> samples) {
        double[][] points = samples.stream()
                .filter(sample -> sample.pendingCompactions.isPresent())
                .map(sample -> new double[] {sample.second / 60, sample.pendingCompactions.getAsInt()})
                .toArray(double[][]::new);
        double meanX = 0;
        double meanY = 0;
        for (double[] point : points) {
            meanX += point[0] / points.length;
            meanY += point[1] / points.length;
        }
        double products = 0;
        double squares = 0;
        for (double[] point : points) {
            products += (point[0] - meanX) * (point[1] - meanY);
            squares += (point[0] - meanX) * (point[0] - meanX);
        }
        return squares == 0 ? OptionalDouble.empty() : OptionalDouble.of(products / squares);
    }
}
