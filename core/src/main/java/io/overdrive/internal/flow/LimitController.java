package io.overdrive.internal.flow;

/**
 * Decides how much may be in flight to one node. Pure: it knows only the windows that it is given, has no clock and no
 * randomness, and gives the same decisions for the same windows. Confined to one thread at a time.
 */
public interface LimitController {
    /** The first limit, before anything was measured. */
    Decision first();

    /**
     * Decides after each window in which something ended.
     *
     * @param mayDrain whether this node may be drained now, to measure its round trip without a queue: not while another one is
     */
    Decision next(Window window, boolean mayDrain);

    /**
     * A limit, and the window to measure next.
     *
     * @param limit in cost: bytes, and {@link Gate#REQUEST_COST} for each request
     * @param windowNanos minimum length of the next window
     * @param minRequests requests that must have ended in it; it ends without them after eight times its length, or when there
     *     were failures
     * @param isDrain whether the limit is lowered only to measure
     * @param baselineNanos the round trip assumed for a node without a queue; 0 if not known
     * @param reason in words, for the user
     */
    record Decision(
            double limit, long windowNanos, int minRequests, boolean isDrain, long baselineNanos, String reason) {}
}
