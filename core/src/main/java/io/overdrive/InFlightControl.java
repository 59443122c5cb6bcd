package io.overdrive;

/** How the limit of what is in flight to each node is found. */
public enum InFlightControl {
    /** By round trips: as much as keeps them at about three times those without a queue. The default. */
    ROUND_TRIPS,
    /** By an estimate of the queue, like TCP Vegas; for comparison. */
    VEGAS,
    /** By the trend of round trips, like Netflix's Gradient2; for comparison. */
    GRADIENT,
    /** By failures only: up until requests fail, then down, like TCP Reno; for comparison. */
    AIMD,
    /** The maximum of requests and bytes in flight is the limit. */
    FIXED
}
