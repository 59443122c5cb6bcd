package io.overdrive.internal.flow;

/**
 * How long the threads of a reader, a writer or a lookup have waited since its beginning. Two that wait for a second have waited for two.
 * Immutable.
 *
 * @param clusterNanos for pages, or until more could be in flight
 * @param pacedNanos for the rate limits
 */
public record ThreadWaits(long clusterNanos, long pacedNanos) {
    public static final ThreadWaits NONE = new ThreadWaits(0, 0);

    public ThreadWaits plus(ThreadWaits other) {
        return new ThreadWaits(clusterNanos + other.clusterNanos, pacedNanos + other.pacedNanos);
    }

    /** The increase since an earlier snapshot. */
    public ThreadWaits since(ThreadWaits before) {
        return new ThreadWaits(clusterNanos - before.clusterNanos, pacedNanos - before.pacedNanos);
    }

    /** The later one of two snapshots. */
    public ThreadWaits max(ThreadWaits other) {
        return new ThreadWaits(Math.max(clusterNanos, other.clusterNanos), Math.max(pacedNanos, other.pacedNanos));
    }
}
