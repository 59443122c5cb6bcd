package io.overdrive.internal.flow;

/** How the engine decides what to send, as a number that reports of experiments record. Stateless. */
public final class Behaviour {
    /**
     * Raised by a change of flow control, grouping or the sizes of requests, pages and splits that may change a measured figure: results
     * with another number are stale.
     */
    public static final int VERSION = 1;

    private Behaviour() {}
}
