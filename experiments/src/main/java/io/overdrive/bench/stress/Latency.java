package io.overdrive.bench.stress;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * How long operations took, in milliseconds; zeros if there were none. Immutable.
 *
 * @param count of operations that succeeded
 */
public record Latency(long count, double mean, double p50, double p95, double p99, double p999, double max) {
    /** The highest value of a load's histograms, which hold nanoseconds from a microsecond on, with three digits. */
    static final long MAX_NANOS = TimeUnit.HOURS.toNanos(1);

    static final long MIN_NANOS = 1000;
    static final int DIGITS = 3;

    static Latency of(Histogram nanos) {
        return new Latency(
                nanos.getTotalCount(),
                nanos.getTotalCount() == 0 ? 0 : nanos.getMean() / 1e6,
                nanos.getValueAtPercentile(50) / 1e6,
                nanos.getValueAtPercentile(95) / 1e6,
                nanos.getValueAtPercentile(99) / 1e6,
                nanos.getValueAtPercentile(99.9) / 1e6,
                nanos.getMaxValue() / 1e6);
    }

    static Histogram histogram() {
        return new Histogram(MIN_NANOS, MAX_NANOS, DIGITS);
    }
}
