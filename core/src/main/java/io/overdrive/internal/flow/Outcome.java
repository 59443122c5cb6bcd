package io.overdrive.internal.flow;

/** How one sending of a request ended, as far as the load on the node is concerned. */
public enum Outcome {
    /** The node answered; an error that is about the request rather than the load counts, too. */
    ANSWERED,
    /** The node or its replicas did not keep up: overloaded, unavailable, or a timeout on the server. */
    OVERLOADED,
    /** No answer within the timeout. */
    TIMED_OUT,
    /** The connection was lost, or there was none. */
    LOST
}
