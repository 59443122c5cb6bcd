package io.overdrive.bench.run;

/**
 * Counters of nodes since they started; the difference of two covers the time in between. Immutable.
 *
 * @param nodes how many nodes this is the sum of
 * @param cpuNanos processor time of their processes
 * @param compactedBytes bytes that compactions have read
 * @param batches unlogged batches that they have coordinated
 * @param batchPartitions partitions in these
 */
record ServerCounts(int nodes, long cpuNanos, long compactedBytes, long batches, long batchPartitions) {
    static final ServerCounts NONE = new ServerCounts(0, 0, 0, 0, 0);

    ServerCounts plus(ServerCounts other) {
        return new ServerCounts(
                nodes + other.nodes,
                cpuNanos + other.cpuNanos,
                compactedBytes + other.compactedBytes,
                batches + other.batches,
                batchPartitions + other.batchPartitions);
    }

    /** The counts since then, on the same nodes. */
    ServerCounts since(ServerCounts before) {
        return new ServerCounts(
                nodes,
                cpuNanos - before.cpuNanos,
                compactedBytes - before.compactedBytes,
                batches - before.batches,
                batchPartitions - before.batchPartitions);
    }
}
