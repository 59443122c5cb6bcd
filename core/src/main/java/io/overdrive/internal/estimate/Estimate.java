package io.overdrive.internal.estimate;

import io.overdrive.Reach;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The time and memory that a job would take, computed from its plan. What the plan has is known, and so are rows that a dry run has encoded; bytes
 * in tables are estimates of the nodes; the cost of a row was measured elsewhere, see {@link Road}; and that the job gets one processor of each node
 * is a guess. Immutable.
 *
 * @param shares of the parts of the plan
 * @param client the machine that would run it
 * @param inputTime the time for which a dry run has read all of the input, as the job will; zero if it has read none
 */
public record Estimate(List<Share> shares, Client client, Duration inputTime) {
    /** Heap for each connection: 17 MB for 1,000, PERFORMANCE.md, "Large clusters". */
    public static final long BYTES_A_CONNECTION = 17_000;

    /** Heap for each token of the cluster: 170 MB for 256,000, PERFORMANCE.md, "Large clusters". */
    public static final long BYTES_A_TOKEN = 664;

    public Estimate {
        shares = List.copyOf(shares);
    }

    /**
     * The client, as far as it is known.
     *
     * @param processors of its machine
     * @param heapBytes maximum size of its heap
     * @param connections that the job has
     * @param tokens of the nodes of all clusters it is connected to
     */
    public record Client(int processors, long heapBytes, int connections, long tokens) {
        /** Heap for the connections and the map of tokens. */
        public long bytesOfClusters() {
            return connections * BYTES_A_CONNECTION + tokens * BYTES_A_TOKEN;
        }
    }

    /** The source of a number of bytes. */
    public enum Origin {
        /** The nodes estimate them. */
        NODES,
        /** They are in SSTables that are read. */
        SSTABLES,
        /** A dry run has encoded the rows. */
        ENCODED
    }

    /**
     * The amount of rows.
     *
     * @param bytes in one replica; 0 if not known
     * @param rows their number; 0 if not known
     * @param partitions that have them, as an estimate; 0 if not known
     */
    public record Size(long bytes, long rows, long partitions, Origin origin) {
        /** Rows of which only the bytes are known, or nothing if these are 0. */
        public static Size of(long bytes, Origin origin) {
            return new Size(bytes, /* rows */ 0, /* partitions */ 0, origin);
        }

        /** Whether there are rows, and it is known how much they are. */
        public boolean isKnown() {
            return bytes > 0 || origin == Origin.ENCODED;
        }
    }

    /**
     * The number of requests.
     *
     * @param min at least so many; 0 if there are none, or if it is not known
     * @param expected by the size of the rows, if that is known
     */
    public record Requests(long min, long expected) {}

    /**
     * The bytes, requests and memory of one part of the plan.
     *
     * @param cluster its name
     * @param nodes that share the work
     * @param copies number of replicas that read or write each row; 0 if not known
     * @param memory maximum bytes of rows in the client's memory
     */
    public record Share(
            String label, Road road, String cluster, int nodes, int copies, Size size, Requests requests, long memory) {
        /**
         * The share of reading a table.
         *
         * @param bytes in one replica; 0 if not known
         * @param ranges of tokens, each of which is a request
         * @param pageBytes of an answer; 0 if not known
         */
        public static Share ofReads(
                String label, Road road, Reach reach, long bytes, long ranges, long pageBytes, long memory) {
            int copies =
                    reach.waitsFor().stream().mapToInt(Reach.Quorum::needed).sum();
            long pages = road == Road.COUNT || pageBytes == 0 ? 0 : bytes / pageBytes;
            return new Share(
                    label,
                    road,
                    reach.cluster(),
                    Math.max(1, reach.nodes().size()),
                    copies,
                    Size.of(bytes, Origin.NODES),
                    new Requests(ranges, ranges + pages),
                    memory);
        }

        /** The share of writing a table: each of its replicas gets all rows. */
        public static Share ofWrites(String label, Road road, Reach reach, Size size, Requests requests, long memory) {
            int local = reach.replicas().getOrDefault(reach.datacenter(), 0);
            int nodes = local > 0
                    ? reach.nodes().size()
                    : reach.nodesByDatacenter().values().stream()
                            .mapToInt(Integer::intValue)
                            .sum();
            int copies = local > 0 ? local : reach.replicasAnywhere();
            return new Share(label, road, reach.cluster(), Math.max(1, nodes), copies, size, requests, memory);
        }

        /** Bytes that each node reads or writes. */
        public long bytesANode() {
            return Math.round((double) size.bytes * copies / nodes);
        }

        private Road.Range clientSeconds(int processors) {
            return road.clientMicros(size).times(1e-6 / processors);
        }

        private Road.Range nodeSeconds() {
            return road.nodeMicros(size).times(1e-6 * copies / nodes);
        }
    }

    /** The same, after a dry run has read all of the input for so long. */
    public Estimate withInputTime(Duration time) {
        return new Estimate(shares, client, time);
    }

    /** Whether the size of the rows and the number of replicas are known, without which there is no time. */
    public boolean hasTime() {
        return !shares.isEmpty() && shares.stream().allMatch(share -> share.size.isKnown() && share.copies > 0);
    }

    /** The time with rows of the kind that was the cheapest to transfer. */
    public Duration fastest() {
        return duration(time().min());
    }

    /** The time with rows of the most expensive kind. */
    public Duration slowest() {
        return duration(time().max());
    }

    /** Bytes that pass through the client in one direction; 0 if rows stay where they are. */
    public long clientBytes() {
        return shares.stream()
                .filter(share -> share.road != Road.COUNT)
                .mapToLong(share -> share.size.bytes)
                .max()
                .orElse(0);
    }

    /** Whether the client takes longer than the nodes, with rows of the most expensive kind. */
    public boolean isLimitedByClient() {
        return clientSeconds().max() > nodeSeconds().max();
    }

    private Road.Range time() {
        return clientSeconds().max(nodeSeconds());
    }

    private Road.Range clientSeconds() {
        double input = inputTime.toNanos() / 1e9;
        return shares.stream()
                .map(share -> share.clientSeconds(client.processors))
                .reduce(Road.Range.ZERO, Road.Range::plus)
                .max(new Road.Range(input, input));
    }

    /** The time of the slowest cluster: the parts on one cluster share its nodes. */
    private Road.Range nodeSeconds() {
        Map<String, Road.Range> byCluster = new LinkedHashMap<>();
        for (Share share : shares) {
            byCluster.merge(share.cluster, share.nodeSeconds(), Road.Range::plus);
        }
        return byCluster.values().stream().reduce(Road.Range.ZERO, Road.Range::max);
    }

    private static Duration duration(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1000));
    }

    /** Maximum bytes of rows in the client's memory. */
    public long memory() {
        return shares.stream().mapToLong(Share::memory).sum();
    }
}
