package io.overdrive.simulated;

import io.overdrive.simulated.Column.Kind;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A cluster of simulated nodes, from {@link #start} until it is closed. The nodes have addresses from 127.77.0.1 on, and one port. The table
 * {@code simulated.numbers} has rows that are computed from their tokens: {@code id}, a uuid, is its key, {@code n}, a bigint, the number of
 * the row along the ring from 0, and {@code label} a text. It and tables that are created take writes, and NO ROW IS KEPT. Thread-safe.
 */
public final class SimulatedCluster implements AutoCloseable {
    /** The table that has rows from the start, with its keyspace. */
    public static final String TABLE = Schema.KEYSPACE + "." + Schema.TABLE;

    private static final int NETWORK = 77;
    private static final int NODES_OF_A_SUBNET = 250;
    private static final long SEED = 1;

    private final Listeners listeners;
    private final List<SimulatedNode> nodes;
    private final Answers answers;

    private SimulatedCluster(SimulatedOptions options) {
        listeners = new Listeners(this::newConnection);
        nodes = List.copyOf(place(options, listeners));
        SystemTables tables = new SystemTables(options, nodes);
        answers = new Answers(tables.schema(), listeners::announce);
        create(tables.schema(), options);
    }

    /**
     * Starts all nodes.
     *
     * @throws UncheckedIOException if an address or the port cannot be had
     */
    public static SimulatedCluster start(SimulatedOptions options) {
        SimulatedCluster cluster = new SimulatedCluster(options);
        try {
            cluster.nodes.forEach(cluster.listeners::open);
            return cluster;
        } catch (UncheckedIOException e) {
            cluster.close();
            throw e;
        }
    }

    private Connection newConnection(SimulatedNode node) {
        return new Connection(node, answers);
    }

    private static List<SimulatedNode> place(SimulatedOptions options, Listeners listeners) {
        SplittableRandom random = new SplittableRandom(SEED);
        Set<Long> taken = new HashSet<>();
        int port = options.port() == 0 ? Listeners.freePort(address(0)) : options.port();
        List<SimulatedNode> nodes = new ArrayList<>();
        for (int datacenter = 1; datacenter <= options.datacenters(); datacenter++) {
            for (int i = 0; i < options.nodesPerDatacenter(); i++) {
                long[] tokens = random.longs()
                        .filter(token -> token != Long.MIN_VALUE && taken.add(token))
                        .limit(options.tokensPerNode())
                        .sorted()
                        .toArray();
                nodes.add(new SimulatedNode(
                        listeners,
                        new InetSocketAddress(address(nodes.size()), port),
                        "dc" + datacenter,
                        "rack" + (i % options.racks() + 1),
                        tokens,
                        options));
            }
        }
        return nodes;
    }

    private static InetAddress address(int node) {
        try {
            return InetAddress.getByAddress(
                    new byte[] {127, NETWORK, (byte) (node / NODES_OF_A_SUBNET), (byte) (node % NODES_OF_A_SUBNET + 1)
                    });
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // four bytes are an address
        }
    }

    private static void create(Schema schema, SimulatedOptions options) {
        Map<String, String> replication = new TreeMap<>();
        replication.put("class", "org.apache.cassandra.locator.NetworkTopologyStrategy");
        int replicas = Math.min(options.replicas(), options.nodesPerDatacenter());
        for (int datacenter = 1; datacenter <= options.datacenters(); datacenter++) {
            replication.put("dc" + datacenter, String.valueOf(replicas));
        }
        schema.createKeyspace(Schema.KEYSPACE, replication, /* ifNotExists */ false);
        schema.createTable(
                Schema.KEYSPACE,
                Schema.TABLE,
                List.of(
                        column("id", "uuid", Kind.PARTITION_KEY, 0),
                        column("label", "text", Kind.REGULAR, -1),
                        column("n", "bigint", Kind.REGULAR, -1)),
                new TokenRows(options.rows()),
                /* ifNotExists */ false);
    }

    private static Column column(String name, String type, Kind kind, int position) {
        return new Column(name, type, CqlTypes.simple(type), kind, position, /* isDescending */ false);
    }

    /** All nodes, also those that are down. */
    public List<SimulatedNode> nodes() {
        return nodes;
    }

    /** The nodes of a data centre. */
    public List<SimulatedNode> nodes(String datacenter) {
        return nodes.stream()
                .filter(node -> node.datacenter().equals(datacenter))
                .toList();
    }

    /** The nodes of a rack. */
    public List<SimulatedNode> nodes(String datacenter, String rack) {
        return nodes(datacenter).stream()
                .filter(node -> node.rack().equals(rack))
                .toList();
    }

    /** Address and port of the first node, as options take them. */
    public String contactPoint() {
        InetSocketAddress first = nodes.get(0).address();
        return first.getAddress().getHostAddress() + ":" + first.getPort();
    }

    /**
     * Begins faults, each of other nodes.
     *
     * @throws IllegalArgumentException if there are not enough nodes
     */
    public void begin(List<SimulatedFault> faults) {
        Set<SimulatedNode> healthy = new HashSet<>(nodes);
        faults.forEach(fault -> fault.begin(this, healthy));
    }

    /** Restarts one node after another, again and again. */
    void restartInTurn(List<SimulatedNode> turn, Duration down, Duration between) {
        restart(turn, /* next */ 0, down, between);
    }

    private void restart(List<SimulatedNode> turn, int next, Duration down, Duration between) {
        turn.get(next).restart(down);
        listeners.after(down.plus(between), () -> restart(turn, (next + 1) % turn.size(), down, between));
    }

    /** Sums of the counts of all nodes. */
    public SimulatedCounts counts() {
        return nodes.stream().map(SimulatedNode::counts).reduce(SimulatedCounts.NONE, SimulatedCounts::and);
    }

    /** Ends all nodes. */
    @Override
    public void close() {
        listeners.close();
    }
}
