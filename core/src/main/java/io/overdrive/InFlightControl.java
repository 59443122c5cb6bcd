package io.overdrive;

/** How the limit of requests in flight to each node is found. */
public enum InFlightControl {
    /** Keeps round trips at about three times those without a queue. The default. */
    ROUND_TRIPS,
    /** Limits by an estimate of the queue, like TCP Vegas; for comparison. */
    VEGAS,
    /** Limits by the trend of round trips, like Netflix's Gradient2; for comparison. */
    GRADIENT,
    /** Raises the limit until requests fail, then lowers it, like TCP Reno; for comparison. */
    AIMD,
    /** The maximum of requests and bytes in flight is the limit. */
    FIXED
}
