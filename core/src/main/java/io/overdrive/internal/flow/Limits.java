package io.overdrive.internal.flow;

/**
 * The limits of a job. Immutable.
 *
 * @param requests maximum in flight to each node, whatever controls it
 * @param bytes likewise
 * @param rowsPerSecond {@link Long#MAX_VALUE} for no limit
 * @param bytesPerSecond likewise
 */
public record Limits(int requests, long bytes, long rowsPerSecond, long bytesPerSecond) {
    /** Limits nothing. */
    public static final Limits NONE = new Limits(Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
}
