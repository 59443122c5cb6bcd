package io.overdrive.local;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The place of a node: its part of the ring and its addresses. Immutable.
 *
 * <p>On Linux all of 127.0.0.0/8 is this machine, so each node has its own address and all have the same ports, as in a real cluster.
 * Elsewhere only 127.0.0.1 exists, and each node has its own ports.
 *
 * @param number from 1, through all data centres
 * @param port of CQL
 * @param storagePort where nodes talk to each other
 * @param jmxPort of the management beans, on 127.0.0.1 whatever the address
 */
record NodePlacement(int number, String datacenter, String address, int port, int storagePort, int jmxPort) {
    static final String RACK = "rack1";

    /** Free ports are searched here: above the well-known ones, below those that Linux gives to outgoing connections. */
    private static final int PORT_CHECKS = 20;

    private static final long PORT_CHECK_MILLIS = 100;
    private static final int FIRST_PICKED_PORT = 17_000;

    private static final int LAST_PICKED_PORT = 32_000;
    private static final int ATTEMPTS = 200;

    String name() {
        return "node" + number;
    }

    InetSocketAddress cql() {
        return new InetSocketAddress(literal(address), port);
    }

    String storage() {
        return address + ":" + storagePort;
    }

    /** The places of a new cluster; ports that the options do not set are free ones. */
    static List<NodePlacement> layOut(LocalOptions options, RandomGenerator random) {
        return layOut(options, hasManyAddresses(), random);
    }

    static List<NodePlacement> layOut(LocalOptions options, boolean manyAddresses, RandomGenerator random) {
        int nodes = options.nodes();
        List<String> addresses = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            addresses.add(manyAddresses ? "127.0.0." + (i + 1) : "127.0.0.1");
        }
        int step = manyAddresses ? 0 : 1;
        int port = options.port() != 0 ? options.port() : pickPorts(addresses, step, List.of(), random);
        int storagePort = pickPorts(addresses, step, List.of(port), random);
        int jmxPort = pickPorts(
                addresses.stream().map(address -> "127.0.0.1").toList(), 1, List.of(port, storagePort), random);
        List<NodePlacement> places = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            String datacenter = "dc" + (i / options.nodesPerDatacenter() + 1);
            places.add(new NodePlacement(
                    i + 1, datacenter, addresses.get(i), port + step * i, storagePort + step * i, jmxPort + i));
        }
        return places;
    }

    /** The same places with CQL on another port; the storage ports stay, because nodes remember the ports of their peers. */
    static List<NodePlacement> movePort(List<NodePlacement> places, int port) {
        int shift = port - places.get(0).port;
        return places.stream()
                .map(place -> new NodePlacement(
                        place.number,
                        place.datacenter,
                        place.address,
                        place.port + shift,
                        place.storagePort,
                        place.jmxPort))
                .toList();
    }

    /** Refuses a place with ports that are in use. */
    void requireFreePorts() {
        if (!becomesFree(address, port)) {
            throw new LocalClusterException(name() + " cannot listen on " + address + ":" + port
                    + ": another program does; end that program, or choose another port (0 takes a free one)");
        }
        if (!becomesFree(address, storagePort) || !becomesFree("127.0.0.1", jmxPort)) {
            int taken = isFree(address, storagePort) ? jmxPort : storagePort;
            throw new LocalClusterException(name() + " cannot listen on port " + taken
                    + ", which the cluster has had since it was created: another program does;"
                    + " end that program, or recreate the cluster after `local wipe`");
        }
    }

    /**
     * The tokens of this place: all tokens of all places are spread evenly, dealt in turn to the nodes of a data centre and to the data
     * centres, so that no token is given twice and each node of a data centre owns the same share.
     *
     * <p>Token {@code k} of {@code n} is {@code -2^63 + (k + 1/2) * 2^64 / n}, with {@code k = (j * nodes + node) * datacenters +
     * datacenter} for the {@code j}-th token of a node.
     */
    String tokens(LocalOptions options) {
        int node = (number - 1) % options.nodesPerDatacenter();
        int center = (number - 1) / options.nodesPerDatacenter();
        int all = options.nodes() * options.tokensPerNode();
        StringBuilder tokens = new StringBuilder();
        for (int j = 0; j < options.tokensPerNode(); j++) {
            int k = (j * options.nodesPerDatacenter() + node) * options.datacenters() + center;
            BigInteger half = BigInteger.valueOf(2L * k + 1).shiftLeft(63).divide(BigInteger.valueOf(all));
            tokens.append(j == 0 ? "" : ",")
                    .append(half.subtract(BigInteger.ONE.shiftLeft(63)).longValueExact());
        }
        return tokens.toString();
    }

    private static boolean hasManyAddresses() {
        return isFree("127.0.0.2", 0);
    }

    /** A port that is free at each address, or consecutive ports with {@code step} 1; none that starts a range already taken. */
    private static int pickPorts(List<String> addresses, int step, List<Integer> others, RandomGenerator random) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int first = random.nextInt(FIRST_PICKED_PORT, LAST_PICKED_PORT);
            boolean free = others.stream().allMatch(other -> Math.abs(first - other) >= addresses.size());
            for (int i = 0; free && i < addresses.size(); i++) {
                free = isFree(addresses.get(i), first + step * i);
            }
            if (free && TakenPorts.take(first, step == 0 ? 1 : addresses.size())) {
                return first;
            }
        }
        throw new LocalClusterException("no free ports between " + FIRST_PICKED_PORT + " and " + LAST_PICKED_PORT
                + " on 127.0.0.1; end programs that listen there");
    }

    /** A node that was just killed may hold its ports for a moment longer than its process is visible. */
    private static boolean becomesFree(String address, int port) {
        for (int i = 0; i < PORT_CHECKS; i++) {
            if (isFree(address, port)) {
                return true;
            }
            Sleep.millis(PORT_CHECK_MILLIS);
        }
        return false;
    }

    private static boolean isFree(String address, int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true); // ignores connections of a node that has just stopped
            socket.bind(new InetSocketAddress(literal(address), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static InetAddress literal(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(address + " is not an IP address", e);
        }
    }
}
