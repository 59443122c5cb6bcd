package io.overdrive.bench;

/**
 * The numbers of an experiment at a {@link Preset}, or as the user has changed them.
 *
 * @param rows rows of one run
 * @param repeat how often each arm is run
 * @param datacenters data centres that a local cluster gets
 * @param nodes nodes in each of these
 * @param replicationFactor copies in each data centre; where the cluster is the user's own, at most its nodes
 */
public record Size(long rows, int repeat, int datacenters, int nodes, int replicationFactor) {
    /** @throws IllegalArgumentException if one of them is not positive */
    public Size {
        requirePositive("rows", rows);
        requirePositive("repeat", repeat);
        requirePositive("datacenters", datacenters);
        requirePositive("nodes", nodes);
        requirePositive("replicationFactor", replicationFactor);
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + ", must be 1 or more");
        }
    }

    /** What a cluster can do of this: no more copies than nodes. */
    public Size on(int availableDatacenters, int availableNodes) {
        return new Size(
                rows,
                repeat,
                Math.min(datacenters, availableDatacenters),
                availableNodes,
                Math.min(replicationFactor, availableNodes));
    }

    public Size withRows(long value) {
        return new Size(value, repeat, datacenters, nodes, replicationFactor);
    }

    public Size withRepeat(int value) {
        return new Size(rows, value, datacenters, nodes, replicationFactor);
    }
}
