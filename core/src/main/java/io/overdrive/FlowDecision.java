package io.overdrive;

import java.time.Duration;

/**
 * One decision on how much may be in flight to one node, with the figures behind it. Cost is the bytes of requests, and 1 KiB for
 * each; a page counts with its target size. Immutable.
 *
 * @param job such as {@code writes to demo.flights}
 * @param at time since the job began
 * @param node address and port
 * @param limitBefore cost that was permitted in flight
 * @param limit cost that is permitted in flight from now on
 * @param share of the limit that may be used, 1 unless the job is held back for other users
 * @param peakInFlight maximum cost in flight in the window that the decision is based on
 * @param window length of that window
 * @param answered requests that were answered in it
 * @param answeredCost their cost
 * @param median median of their round trips
 * @param baseline round trip without a queue; zero if it is not known
 * @param overloaded requests that were refused, or that replicas did not answer in time
 * @param timedOut requests without an answer
 * @param lost requests whose connection was lost
 * @param requestBytes size at which requests are sent, or pages requested, while it is searched for; otherwise 0
 * @param splitsInFlight splits that a scan reads at once, for each node, while their number is searched for; otherwise 0
 * @param reason in words
 */
public record FlowDecision(
        String job,
        Duration at,
        String node,
        long limitBefore,
        long limit,
        double share,
        long peakInFlight,
        Duration window,
        long answered,
        long answeredCost,
        Duration median,
        Duration baseline,
        long overloaded,
        long timedOut,
        long lost,
        long requestBytes,
        long splitsInFlight,
        String reason) {}
