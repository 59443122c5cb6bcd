package io.overdrive.jobs.bottleneck;

import io.overdrive.internal.flow.JobTimes;

/**
 * Measurements of a span of time. Immutable.
 *
 * @param nanos its length
 * @param cpuNanos processor time of this process
 * @param machineNanos processor time of all processes of the machine; 0 if unknown
 * @param gcNanos for how long garbage collection stopped all threads
 * @param processors that this process may use
 */
record Span(long nanos, JobTimes job, long cpuNanos, long machineNanos, long gcNanos, int processors) {
    Span since(Span before) {
        return new Span(
                nanos - before.nanos,
                job.since(before.job),
                cpuNanos - before.cpuNanos,
                machineNanos - before.machineNanos,
                gcNanos - before.gcNanos,
                processors);
    }

    /** The share of the processors that this process used. */
    double cpuShare() {
        return share(cpuNanos);
    }

    /** The share of the processors that all processes used. */
    double machineShare() {
        return share(machineNanos);
    }

    private double share(long used) {
        return nanos <= 0 ? 0 : (double) used / nanos / processors;
    }
}
