package io.overdrive;

import org.jspecify.annotations.Nullable;

/**
 * A snapshot of the requests to a node over a connection, from all of its writers, scans and lookups, and of the node's answers.
 * Each sending counts as a request, retries included. Immutable. Counts only grow from one snapshot to the next, except for {@code
 * inFlightRequests}, {@code inFlightBytes} and {@code inFlightLimit}, which are as of now.
 *
 * @param node address and port
 * @param datacenter of the node; null if it is not known
 * @param inFlightRequests requests sent and not answered yet
 * @param inFlightBytes bytes of these requests, or of the pages that they may be answered with
 * @param inFlightLimit bytes that may be in flight at once, the limits of all running jobs together, where each request counts as
 *     1 KiB plus its bytes; 0 if nothing runs
 * @param answered requests that the node answered, also with an error that has nothing to do with its load
 * @param answeredBytes bytes of these requests, or of the pages that they were answered with
 * @param overloaded requests that the node refused or did not finish, as it or its replicas did not keep up
 * @param timedOut requests that were not answered in time
 * @param lost requests that could not be sent, or whose connection broke
 * @param retries requests among all of these that repeat one that failed
 * @param latency of the answered requests
 */
public record NodeTotals(
        String node,
        @Nullable String datacenter,
        long inFlightRequests,
        long inFlightBytes,
        long inFlightLimit,
        long answered,
        long answeredBytes,
        long overloaded,
        long timedOut,
        long lost,
        long retries,
        Latency.Histogram latency) {
    /** Sums; keeps the name and the data centre of this one. */
    public NodeTotals plus(NodeTotals other) {
        return new NodeTotals(
                node,
                datacenter,
                inFlightRequests + other.inFlightRequests,
                inFlightBytes + other.inFlightBytes,
                inFlightLimit + other.inFlightLimit,
                answered + other.answered,
                answeredBytes + other.answeredBytes,
                overloaded + other.overloaded,
                timedOut + other.timedOut,
                lost + other.lost,
                retries + other.retries,
                latency.plus(other.latency));
    }
}
