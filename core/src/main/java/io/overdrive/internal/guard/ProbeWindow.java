package io.overdrive.internal.guard;

/**
 * Results of the probes between two decisions: the input of {@link GuardController}. Immutable.
 *
 * @param nanos length of the window
 * @param answered probes that were answered
 * @param failed probes that ended with an error or a lost connection
 * @param p99Nanos 99th percentile over all nodes but the slowest of each twenty, from the time probes were due; those without an
 *     answer count with their age. 0 if there were none
 * @param meanNanos the mean of the same probes
 */
public record ProbeWindow(long nanos, long answered, long failed, long p99Nanos, long meanNanos) {
    /** Whether the probes do not say what users feel: most of them failed, or there were none. */
    boolean isOutage() {
        return failed > answered || p99Nanos <= 0;
    }
}
