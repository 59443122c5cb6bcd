package io.overdrive.internal.guard;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The latencies of a {@link ProbeWindow} that are kept to. A limit that the user gives as a time is one of the 99th percentile. A
 * limit relative to the latency before the job is one of the 95th percentile as well: the 99th of a quiet node is often a pause of
 * its garbage collector, and all other reads could become many times slower before it moves. Immutable.
 *
 * @param p99Nanos limit of the 99th percentile, more than 0
 * @param p95Nanos limit of the 95th percentile; 0 if it has none
 * @param p99Before the 99th percentile before the job, in ns; 0 if it is not known
 * @param p95Before the 95th percentile before the job, in ns; 0 if it is not known
 */
record LatencyLimits(long p99Nanos, long p95Nanos, long p99Before, long p95Before) {
    /** A relative limit allows at least this much more than before the job: less is noise. */
    private static final long MIN_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    static LatencyLimits ofP99(long nanos) {
        return new LatencyLimits(nanos, 0, 0, 0);
    }

    /**
     * Limits of {@code factor} times the latency before the job, which is the median of the windows for the 95th percentile, and the
     * second highest of them for the 99th. That one is short or as long as a pause of the node, depending on whether a pause fell
     * into the window; a limit below what is usual without the job would hold the job back for nothing. The highest is left out: a
     * single long pause, or cold code of the client, must not widen the limit.
     *
     * @param before at least two windows; an outage counts as one of infinite latency
     * @return null if most of the windows were outages
     */
    static @Nullable LatencyLimits relativeTo(List<ProbeWindow> before, double factor) {
        long[] p99 = sorted(before, ProbeWindow::p99Nanos);
        long median = sorted(before, ProbeWindow::p95Nanos)[before.size() / 2];
        if (median == Long.MAX_VALUE) {
            return null;
        }
        int answered =
                (int) before.stream().filter(window -> !window.isOutage()).count();
        long secondHighest = p99[Math.min(answered, p99.length - 1) - 1];
        return new LatencyLimits(limit(secondHighest, factor), limit(median, factor), secondHighest, median);
    }

    private static long[] sorted(List<ProbeWindow> windows, ToLongFunction<ProbeWindow> latency) {
        return windows.stream()
                .mapToLong(window -> window.isOutage() ? Long.MAX_VALUE : latency.applyAsLong(window))
                .sorted()
                .toArray();
    }

    private static long limit(long before, double factor) {
        return Math.max(Math.round(before * factor), before + MIN_MARGIN_NANOS);
    }

    /** How far the window is above the limits: 1 if the higher one, by its limit, is at it. */
    double ratio(ProbeWindow window) {
        return Math.max((double) window.p99Nanos() / p99Nanos, p95Ratio(window));
    }

    /** Whether the 95th percentile is further above its limit, or less below, than the 99th. */
    boolean isP95(ProbeWindow window) {
        return p95Ratio(window) > (double) window.p99Nanos() / p99Nanos;
    }

    private double p95Ratio(ProbeWindow window) {
        return p95Nanos == 0 ? 0 : (double) window.p95Nanos() / p95Nanos;
    }

    /** The ratio before the job; 0 if it is not known. */
    double ratioBefore() {
        return Math.max((double) p99Before / p99Nanos, p95Nanos == 0 ? 0 : (double) p95Before / p95Nanos);
    }
}
