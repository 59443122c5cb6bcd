package io.overdrive.jobs;

import io.overdrive.Reach;
import io.overdrive.internal.scan.RowSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The time and memory that a job would take, computed from its plan. What the plan has is known; bytes are estimates of the nodes; the cost of a byte was
 * measured elsewhere, see {@link Road}; and that the job gets one processor of each node is a guess. Immutable.
 *
 * @param shares of the parts of the plan
 * @param client the machine that would run it
 */
public record Estimate(List<Share> shares, Client client) {
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
     * @param bytes in one replica; 0 if not known
     * @param memory maximum bytes of rows in the client's memory
     */
    public record Share(
            String label,
            Road road,
            String cluster,
            int nodes,
            int copies,
            long bytes,
            Requests requests,
            long memory) {
        /** Bytes that each node reads or writes. */
        public long bytesANode() {
            return Math.round((double) bytes * copies / nodes);
        }

        private Road.Range clientSeconds(int processors) {
            return road.client().times(bytes / 1e6 / processors);
        }

        private Road.Range nodeSeconds() {
            return road.node().times((double) bytes * copies / nodes / 1e6);
        }
    }

    /**
     * The estimate of a job on tables.
     *
     * @param reading the road of rows that are read
     */
    public static Estimate of(Plan plan, Road reading, Client client) {
        List<Share> shares = new ArrayList<>();
        long bytes = 0;
        for (Plan.Part part : plan.parts()) {
            if (part instanceof Plan.Reads reads) {
                Share share = reads(reads, reading);
                bytes += share.bytes;
                shares.add(share);
            } else if (part instanceof Plan.ReadsSource source && source.from().way() == RowSource.Way.FILES) {
                bytes += source.from().bytes();
            }
        }
        shares.addAll(writes(plan, Road.WRITE, Road.WRITE_SSTABLES, bytes));
        return new Estimate(shares, client);
    }

    /** The estimate of a load of text files with so many bytes. */
    public static Estimate ofLoad(Plan plan, long bytes, Client client) {
        return new Estimate(writes(plan, Road.LOAD, Road.LOAD_SSTABLES, bytes), client);
    }

    private static Share reads(Plan.Reads part, Road road) {
        Reach reach = part.reach();
        Plan.Extent extent = part.extent();
        int copies = reach.waitsFor().stream().mapToInt(Reach.Quorum::needed).sum();
        long pages = road == Road.COUNT || extent.pageBytes() == 0 ? 0 : extent.bytes() / extent.pageBytes();
        return new Share(
                part.label(),
                road,
                reach.cluster(),
                Math.max(1, reach.nodes().size()),
                copies,
                extent.bytes(),
                new Requests(extent.ranges(), extent.ranges() + pages),
                extent.memory());
    }

    private static List<Share> writes(Plan plan, Road overCql, Road bySstables, long bytes) {
        List<Share> shares = new ArrayList<>();
        for (Plan.Part part : plan.parts()) {
            if (part instanceof Plan.Writes writes) {
                int batchBytes = writes.options().batchBytes();
                long requests = (bytes + batchBytes - 1) / batchBytes;
                shares.add(
                        writes(part, overCql, bytes, requests, writes.options().groupingMemory()));
            } else if (part instanceof Plan.WritesSstables) {
                shares.add(writes(part, bySstables, bytes, /* requests */ 0, /* memory */ 0));
            }
        }
        return shares;
    }

    private static Share writes(Plan.Part part, Road road, long bytes, long requests, long memory) {
        Reach reach = part.reach();
        int local = reach.replicas().getOrDefault(reach.datacenter(), 0);
        int nodes = local > 0
                ? reach.nodes().size()
                : reach.nodesByDatacenter().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum();
        int copies = local > 0 ? local : reach.replicasAnywhere();
        return new Share(
                part.label(),
                road,
                reach.cluster(),
                Math.max(1, nodes),
                copies,
                bytes,
                new Requests(requests, requests),
                memory);
    }

    /** Whether the size of the rows and the number of replicas are known, without which there is no time. */
    public boolean hasTime() {
        return !shares.isEmpty() && shares.stream().allMatch(share -> share.bytes > 0 && share.copies > 0);
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
                .mapToLong(Share::bytes)
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
        return shares.stream()
                .map(share -> share.clientSeconds(client.processors))
                .reduce(Road.Range.ZERO, Road.Range::plus);
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
