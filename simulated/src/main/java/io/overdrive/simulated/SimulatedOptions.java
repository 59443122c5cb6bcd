package io.overdrive.simulated;

/**
 * A cluster to simulate. Immutable; the builder is confined to one thread.
 *
 * @param nodesPerDatacenter 1 or more; at most {@value #MAX_NODES} in all data centres together
 * @param datacenters 1 or more, which are called {@code dc1}, {@code dc2} and so on
 * @param racks of each data centre, 1 or more, which are called {@code rack1} and so on and get nodes in turns
 * @param tokensPerNode 1 or more, at random places, which are the same in each cluster of this shape
 * @param port of all nodes; 0 for a free one
 * @param protocolVersion the newest of the native protocol: 4 or 5
 * @param release that nodes report, such as {@code 5.0.9}; before 4.0 they have neither peers_v2 nor virtual tables
 * @param rows of the table {@code simulated.numbers}
 * @param rowBytes the size of a row according to the estimates of the nodes
 * @param replicas of each row in each data centre, or one on each node if there are fewer nodes
 */
public record SimulatedOptions(
        int nodesPerDatacenter,
        int datacenters,
        int racks,
        int tokensPerNode,
        int port,
        int protocolVersion,
        String release,
        long rows,
        long rowBytes,
        int replicas) {
    /** The largest number of nodes. */
    public static final int MAX_NODES = 2000;

    private static final int MAX_TOKENS = 1024;
    private static final long MAX_ROWS = 1L << 50;

    /** @throws IllegalArgumentException if a number is out of bounds */
    public SimulatedOptions {
        check("nodes of a data centre", nodesPerDatacenter, 1, MAX_NODES);
        check("data centres", datacenters, 1, MAX_NODES);
        check("nodes of all data centres", (long) nodesPerDatacenter * datacenters, 1, MAX_NODES);
        check("racks", racks, 1, nodesPerDatacenter);
        check("tokens of a node", tokensPerNode, 1, MAX_TOKENS);
        check("port", port, 0, 65_535);
        check("version of the protocol", protocolVersion, 4, 5);
        check("rows", rows, 0, MAX_ROWS);
        check("bytes of a row", rowBytes, 0, 1L << 30);
        check("replicas", replicas, 1, MAX_NODES);
        if (!release.matches("[0-9]{1,3}\\.[0-9].*")) {
            throw new IllegalArgumentException("release: " + release + ", must be like 5.0.9");
        }
    }

    private static void check(String what, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(what + ": " + value + ", must be " + min + " to " + max);
        }
    }

    /** Whether nodes of a release have virtual tables and peers_v2. */
    static boolean isOf4(String release) {
        return Integer.parseInt(release.substring(0, release.indexOf('.'))) >= 4;
    }

    /** Options from scratch: 3 nodes of Cassandra 5.0 with 16 tokens in one data centre, 1,000 rows, any free port. */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds {@link SimulatedOptions}. */
    public static final class Builder {
        private int nodesPerDatacenter = 3;
        private int datacenters = 1;
        private int racks = 1;
        private int tokensPerNode = 16;
        private int port;
        private int protocolVersion = 5;
        private String release = "5.0.9";
        private long rows = 1000;
        private long rowBytes = 100;
        private int replicas = 3;

        private Builder() {}

        /** @see SimulatedOptions#nodesPerDatacenter() */
        public Builder nodesPerDatacenter(int number) {
            nodesPerDatacenter = number;
            return this;
        }

        /** @see SimulatedOptions#datacenters() */
        public Builder datacenters(int number) {
            datacenters = number;
            return this;
        }

        /** @see SimulatedOptions#racks() */
        public Builder racks(int number) {
            racks = number;
            return this;
        }

        /** @see SimulatedOptions#tokensPerNode() */
        public Builder tokensPerNode(int number) {
            tokensPerNode = number;
            return this;
        }

        /** @see SimulatedOptions#port() */
        public Builder port(int number) {
            port = number;
            return this;
        }

        /** @see SimulatedOptions#protocolVersion() */
        public Builder protocolVersion(int number) {
            protocolVersion = number;
            return this;
        }

        /** @see SimulatedOptions#release() */
        public Builder release(String version) {
            release = version;
            return this;
        }

        /** @see SimulatedOptions#rows() */
        public Builder rows(long number) {
            rows = number;
            return this;
        }

        /** @see SimulatedOptions#rowBytes() */
        public Builder rowBytes(long number) {
            rowBytes = number;
            return this;
        }

        /** @see SimulatedOptions#replicas() */
        public Builder replicas(int number) {
            replicas = number;
            return this;
        }

        /** @throws IllegalArgumentException if a number is out of bounds */
        public SimulatedOptions build() {
            return new SimulatedOptions(
                    nodesPerDatacenter,
                    datacenters,
                    racks,
                    tokensPerNode,
                    port,
                    protocolVersion,
                    release,
                    rows,
                    rowBytes,
                    replicas);
        }
    }
}
