package io.overdrive.bench;

/**
 * The numbers of an experiment at a {@link Preset}, or as the user has changed them: {@code Size.rows(160_000).repeat(5).nodes(3)}. Immutable.
 *
 * @param rows rows of one run
 * @param repeat number of runs of each arm
 * @param datacenters data centres of a local cluster
 * @param nodes nodes in each data centre
 * @param replicationFactor replicas in each data centre; at most the nodes of the user's own cluster
 */
public record Size(long rows, int repeat, int datacenters, int nodes, int replicationFactor) {
    /** @throws IllegalArgumentException if one of them is not positive */
    public Size {
        requirePositive("--rows", rows);
        requirePositive("--repeat", repeat);
        requirePositive("datacenters", datacenters);
        requirePositive("nodes", nodes);
        requirePositive("replicationFactor", replicationFactor);
    }

    private static void requirePositive(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + ", must be 1 or more");
        }
    }

    /** One run of each arm on a single node; the other methods change that. */
    public static Size rows(long rows) {
        return new Size(rows, 1, 1, 1, 1);
    }

    public Size withRows(long value) {
        return new Size(value, repeat, datacenters, nodes, replicationFactor);
    }

    public Size repeat(int value) {
        return new Size(rows, value, datacenters, nodes, replicationFactor);
    }

    public Size datacenters(int value) {
        return new Size(rows, repeat, value, nodes, replicationFactor);
    }

    public Size nodes(int value) {
        return new Size(rows, repeat, datacenters, value, replicationFactor);
    }

    public Size replicationFactor(int value) {
        return new Size(rows, repeat, datacenters, nodes, value);
    }

    /** The part of this that a cluster can provide: no more replicas than nodes. */
    public Size on(int availableDatacenters, int availableNodes) {
        return datacenters(Math.min(datacenters, availableDatacenters))
                .nodes(availableNodes)
                .replicationFactor(Math.min(replicationFactor, availableNodes));
    }
}
