package io.overdrive.bench.stress;

import java.util.Map;

/**
 * The figures of a load between two moments, such as one second, or in total. Immutable.
 *
 * @param from seconds since the first operation was due
 * @param to seconds likewise
 * @param due operations that became due
 * @param sent operations that were sent, also if late
 * @param done operations that succeeded
 * @param failed operations that failed
 * @param missing reads that found no row; they count as done
 * @param late operations sent more than 5 ms after they were due
 * @param held operations that waited because the maximum was in flight
 * @param inFlight operations in flight at the end of the interval
 * @param behind operations due and not sent, at the end of the interval
 * @param response latency of those that succeeded, counted from when they were due
 * @param service the same, counted from when they were sent
 * @param responseOf {@code response} of each kind
 * @param serviceOf {@code service} of each kind
 */
public record Interval(
        double from,
        double to,
        long due,
        long sent,
        long done,
        long failed,
        long missing,
        long late,
        long held,
        long inFlight,
        long behind,
        Latency response,
        Latency service,
        Map<OperationKind, Latency> responseOf,
        Map<OperationKind, Latency> serviceOf) {
    public Interval {
        responseOf = Map.copyOf(responseOf);
        serviceOf = Map.copyOf(serviceOf);
    }

    /** Operations that succeeded, a second. */
    public double rate() {
        return to > from ? done / (to - from) : 0;
    }
}
