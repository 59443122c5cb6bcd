package io.overdrive.internal.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * How long requests took, in microseconds, to 1 %: another digit would take 200 KB, too much for a job of few rows. More
 * than an hour counts as an hour. Thread-safe; {@link #record} is on the hot path.
 */
public final class Latencies {
    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);
    private static final int DIGITS = 2;

    private final Recorder recorder = new Recorder(MAX_MICROS, DIGITS);

    @GuardedBy("this") private final Histogram all = new Histogram(MAX_MICROS, DIGITS);

    /** Records a request that took this long. */
    public void record(long nanos) {
        recorder.recordValue(Math.min(nanos / 1000, MAX_MICROS));
    }

    /** A copy of all latencies recorded until now. */
    public synchronized Histogram snapshot() {
        all.add(recorder.getIntervalHistogram());
        return all.copy();
    }
}
