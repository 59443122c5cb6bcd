package io.overdrive.internal.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.Latency;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * How long requests took, in microseconds, to 1 %: another digit would take 200 KB, too much for a job of few rows. More
 * than an hour counts as an hour. Thread-safe; {@link #record} is on the hot path.
 */
public final class Latencies {
    static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
    static final int DIGITS = 2;

    private final Recorder recorder = new Recorder(MAX_MICROS, DIGITS);

    @GuardedBy("this") private final Histogram all = new Histogram(MAX_MICROS, DIGITS);

    /** Records a request that took this long. */
    public void record(long nanos) {
        recorder.recordValue(Math.min(nanos / 1000, MAX_MICROS));
    }

    /** Percentiles of all latencies recorded until now. */
    public synchronized Latency snapshot() {
        all.add(recorder.getIntervalHistogram());
        return new Latency(
                micros(all.getValueAtPercentile(50)),
                micros(all.getValueAtPercentile(99)),
                micros(all.getValueAtPercentile(99.9)),
                micros(all.getMaxValue()));
    }

    private static Duration micros(long value) {
        return Duration.of(value, ChronoUnit.MICROS);
    }
}
