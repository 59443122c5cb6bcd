package io.overdrive.internal.guard;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The latencies of a {@link ProbeWindow} that are kept to. A limit that the user gives as a time is one of the 99th percentile. A
 * limit relative to the latency before the job is one of the mean as well. The 99th percentile of a quiet node is short, or as long as
 * a pause of its garbage collector, depending on whether one fell into the window: up to a limit above such a pause, all other reads
 * could become many times slower, and pauses more frequent. The mean grows with both, and with the square of how long a pause is.
 * Immutable.
 *
 * @param p99Nanos limit of the 99th percentile, more than 0
 * @param meanNanos limit of the mean; 0 if it has none
 * @param p99Before the 99th percentile before the job, in ns; 0 if it is not known
 * @param meanBefore the mean before the job, in ns; 0 if it is not known
 */
record LatencyLimits(long p99Nanos, long meanNanos, long p99Before, long meanBefore) {
    /** A relative limit allows at least this much more than before the job: less is noise. */
    private static final long MIN_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long MIN_MEAN_MARGIN_NANOS = MIN_MARGIN_NANOS / 2;

    static LatencyLimits ofP99(long nanos) {
        return new LatencyLimits(nanos, 0, 0, 0);
    }

    /**
     * Limits of {@code factor} times the latency before the job. The highest of the windows is left out: a single long pause, or cold
     * code of the client, must not widen the limit. Of the others, the 99th percentile before the job is the highest, as a limit below
     * what is usual without the job would hold it back for nothing; and the mean is the mean of theirs.
     *
     * @param before at least two windows; an outage counts as one of infinite latency
     * @return null if most of the windows were outages
     */
    static @Nullable LatencyLimits relativeTo(List<ProbeWindow> before, double factor) {
        List<ProbeWindow> answered =
                before.stream().filter(window -> !window.isOutage()).toList();
        if (2 * answered.size() < before.size()) {
            return null;
        }
        int counted = Math.min(answered.size(), before.size() - 1);
        long p99 = lowest(answered, ProbeWindow::p99Nanos, counted).max().orElseThrow();
        long mean = Math.round(
                lowest(answered, ProbeWindow::meanNanos, counted).average().orElseThrow());
        return new LatencyLimits(
                limit(p99, factor, MIN_MARGIN_NANOS), limit(mean, factor, MIN_MEAN_MARGIN_NANOS), p99, mean);
    }

    private static LongStream lowest(List<ProbeWindow> windows, ToLongFunction<ProbeWindow> latency, int count) {
        return windows.stream().mapToLong(latency).sorted().limit(count);
    }

    private static long limit(long before, double factor, long minMargin) {
        return Math.max(Math.round(before * factor), before + minMargin);
    }

    /** The higher one of 99th percentile and mean, in proportion to its limit: 1 is at the limit. */
    double ratio(ProbeWindow window) {
        return Math.max((double) window.p99Nanos() / p99Nanos, meanRatio(window));
    }

    /** Whether the mean is higher than the 99th percentile in proportion to its limit. */
    boolean isMean(ProbeWindow window) {
        return meanRatio(window) > (double) window.p99Nanos() / p99Nanos;
    }

    private double meanRatio(ProbeWindow window) {
        return meanNanos == 0 ? 0 : (double) window.meanNanos() / meanNanos;
    }

    /** The ratio before the job; 0 if it is not known. */
    double ratioBefore() {
        return Math.max((double) p99Before / p99Nanos, meanNanos == 0 ? 0 : (double) meanBefore / meanNanos);
    }
}
