package io.overdrive.bench.tune;

import io.overdrive.bench.Measurement;
import io.overdrive.bench.tune.Knob.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Runs settings, one at a time. Confined to one thread. */
interface Trials {
    /**
     * Writes or reads with these settings, and measures. A failure is part of the result.
     *
     * @param block the round; 0 for a run to warm up
     * @param length how long to write or read; a run without enough rows is shorter
     */
    Measurement run(Level level, int block, Duration length);

    /** Why this cannot be tuned, such as too few rows; null if it can. */
    @Nullable String whyNot(Knob knob);
}
