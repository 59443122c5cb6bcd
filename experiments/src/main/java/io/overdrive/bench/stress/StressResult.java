package io.overdrive.bench.stress;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The figures of a whole load. Immutable.
 *
 * @param asked the target rate, in operations a second
 * @param all from the first operation to the last answer, so that its rate is the achieved one
 * @param unsent operations that were due and never sent, because the load ended first; not part of any latency
 * @param unanswered operations still in flight when the wait ended; not part of any latency
 * @param errors how often each reason occurred; the first 20, and "other reasons"
 * @param clientCpuMicros processor time of this process, including any other work, for each operation sent
 * @param complete whether the load ran for its whole duration; false after {@link Stress#end}, if it had one
 */
public record StressResult(
        long asked,
        Interval all,
        long unsent,
        long unanswered,
        Map<String, Long> errors,
        double clientCpuMicros,
        boolean complete) {
    /** The share of the target rate that is enough. */
    private static final double ENOUGH = 0.9;

    public StressResult {
        errors = Collections.unmodifiableMap(new LinkedHashMap<>(errors));
    }

    /** Operations a second that succeeded. */
    public double achieved() {
        return all.rate();
    }

    /** Whether the achieved rate is within 10 % of the target. */
    public boolean reached() {
        return achieved() >= ENOUGH * asked;
    }
}
