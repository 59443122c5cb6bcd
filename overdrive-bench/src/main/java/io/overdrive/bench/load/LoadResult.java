package io.overdrive.bench.load;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What came of a load as a whole. Immutable.
 *
 * @param asked operations a second that were asked for
 * @param all from the first operation to the last answer, so that its rate is the one that was achieved
 * @param unsent operations that were due and never sent, because the load ended first; no latency has them
 * @param unanswered operations whose answer was not waited for any longer; no latency has them
 * @param errors how often each reason came, the first 20 of them, and "other reasons"
 * @param clientCpuMicros processor time of this process, with all that it did besides, for each operation sent
 * @param complete whether the load went on as long as it was to; false after {@link Load#end}, if it had a duration
 */
public record LoadResult(
        long asked,
        Interval all,
        long unsent,
        long unanswered,
        Map<String, Long> errors,
        double clientCpuMicros,
        boolean complete) {
    /** The share of the asked rate that is enough. */
    private static final double ENOUGH = 0.9;

    public LoadResult {
        errors = Collections.unmodifiableMap(new LinkedHashMap<>(errors));
    }

    /** Operations a second that succeeded. */
    public double achieved() {
        return all.rate();
    }

    /** Whether the achieved rate is within 10 % of the asked one. */
    public boolean reached() {
        return achieved() >= ENOUGH * asked;
    }
}
