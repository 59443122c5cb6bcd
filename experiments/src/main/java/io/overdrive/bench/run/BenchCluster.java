package io.overdrive.bench.run;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.ConnectOptions;
import io.overdrive.GuardLimit;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.bench.Size;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cluster that experiments run on, with a connection and the counters of its nodes: started on this machine for them, or the user's
 * own. Thread-safe. {@link #close} ends and deletes the nodes that {@link #start} has made.
 */
public final class BenchCluster implements AutoCloseable {
    private static final int MAX_HEAP = 1024;
    private static final int MIN_HEAP = 256;
    /** Memory of a node besides its heap, in MiB. */
    private static final int BESIDES_HEAP = 400;
    /** Less is too little for the collector and the compilers of a real node. */
    private static final int MEASURING_HEAP = 512;

    /** Experiments measure large batches, so a server that is started for them must not refuse these. */
    static final Map<String, String> SETTINGS =
            Map.of("batch_size_warn_threshold", "16MiB", "batch_size_fail_threshold", "16MiB");

    private final ConnectOptions options;
    private final Overdrive overdrive;
    private final @Nullable LocalCluster local;
    private final boolean owned;
    private final List<NodeProbe> probes;
    private final @Nullable Laboratory laboratory;
    private volatile @Nullable BenchCluster beside;
    private volatile boolean cold;

    /**
     * How to read the nodes' management beans.
     *
     * @param port the same at each node
     */
    public record Jmx(int port, @Nullable String user, @Nullable String password) {}

    private BenchCluster(
            ConnectOptions options,
            Overdrive overdrive,
            @Nullable LocalCluster local,
            boolean owned,
            List<NodeProbe> probes,
            @Nullable Laboratory laboratory) {
        this.options = options;
        this.overdrive = overdrive;
        this.local = local;
        this.owned = owned;
        this.cold = owned;
        this.probes = probes;
        this.laboratory = laboratory;
    }

    /**
     * Starts nodes on this machine, in a temporary directory and on free ports; they end with this JVM, however it ends. They share half of
     * the machine's memory, up to 1 GiB of heap each.
     *
     * @param settings lines of cassandra.yaml: {@link io.overdrive.bench.Experiment#serverSettings}
     * @param separate whether the nodes get separate processors and memory, as far as the machine permits
     * @throws io.overdrive.local.LocalClusterException if they do not start, or the thread is interrupted; nothing is left of them then
     */
    public static BenchCluster start(
            Size size, Map<String, String> settings, boolean separate, Consumer<String> progress) {
        Path directory;
        try {
            directory = Files.createTempDirectory("overdrive-bench");
        } catch (IOException e) {
            throw new UncheckedIOException("no directory for a local cluster", e);
        }
        int heap = heapMegabytes(size, Environment.system().getTotalMemorySize());
        LocalOptions.Builder options = LocalOptions.builder()
                .directory(directory)
                .datacenters(size.datacenters())
                .nodesPerDatacenter(size.nodes())
                .port(0)
                .profile(heap < MEASURING_HEAP ? LocalOptions.Profile.SMALL : LocalOptions.Profile.MEASURING)
                .heapMegabytes(heap)
                .deleteWithJvm(true)
                .progress(progress);
        with(settings).forEach(options::setting);
        LocalCluster cluster = LocalCluster.start(options.build());
        try {
            return on(cluster, /* owned */ true, separate);
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static Map<String, String> with(Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(SETTINGS);
        all.putAll(settings);
        return all;
    }

    /** A local cluster that runs already, and continues after this is closed. */
    public static BenchCluster on(LocalCluster cluster) {
        return on(cluster, /* owned */ false, /* separate */ false);
    }

    private static BenchCluster on(LocalCluster cluster, boolean owned, boolean separate) {
        ConnectOptions.Builder builder = ConnectOptions.builder().datacenter(cluster.datacenter());
        cluster.contactPoints().forEach(builder::contactPoint);
        ConnectOptions options = builder.build();
        Overdrive overdrive = Overdrive.connect(options);
        List<NodeProbe> probes = new ArrayList<>();
        try {
            for (io.overdrive.local.Node node : cluster.nodes()) {
                probes.add(NodeProbe.of(node));
            }
        } catch (IOException e) {
            closeAll(probes);
            overdrive.close();
            throw new UncheckedIOException("the local nodes do not answer over JMX", e);
        }
        Laboratory laboratory =
                separate ? new Laboratory(cluster.nodes(), cluster.options().heapMegabytes()) : null;
        return new BenchCluster(options, overdrive, cluster, owned, probes, laboratory);
    }

    /**
     * Connects to the user's own cluster.
     *
     * @param jmx how to read the counters of its nodes, or null for none
     * @throws OverdriveException of kind CONNECT, also if a node does not answer over JMX
     */
    public static BenchCluster connect(ConnectOptions options, @Nullable Jmx jmx) {
        Overdrive overdrive = Overdrive.connect(options);
        List<NodeProbe> probes = new ArrayList<>();
        if (jmx != null) {
            for (Node node : overdrive.session().getMetadata().getNodes().values()) {
                String host = ((InetSocketAddress) node.getEndPoint().resolve()).getHostString();
                try {
                    probes.add(NodeProbe.of(host, jmx));
                } catch (IOException e) {
                    closeAll(probes);
                    overdrive.close();
                    throw new OverdriveException(
                            Kind.CONNECT,
                            host + " does not answer over JMX on port " + jmx.port() + " (" + e.getMessage()
                                    + "): open the port for this machine, or leave --jmx-port out, and the nodes' CPU is not measured",
                            e);
                }
            }
        }
        return new BenchCluster(options, overdrive, null, /* owned */ false, probes, /* laboratory */ null);
    }

    /**
     * The user's own cluster by a connection that is open, and is closed with this. The counters of its nodes are not read.
     *
     * @param options of the connection
     */
    public static BenchCluster of(ConnectOptions options, Overdrive overdrive) {
        return new BenchCluster(options, overdrive, null, /* owned */ false, List.of(), /* laboratory */ null);
    }

    static int heapMegabytes(Size size, long memoryBytes) {
        long each = (memoryBytes >> 20) / 2 / ((long) size.datacenters() * size.nodes());
        return (int) Math.max(MIN_HEAP, Math.min(MAX_HEAP, each - BESIDES_HEAP));
    }

    public Overdrive overdrive() {
        return overdrive;
    }

    /** Whether this is what {@link #start} would start for such an experiment. The user's own cluster always fits. */
    public boolean fits(Size size, Map<String, String> settings) {
        return local == null
                || (local.options().datacenters() == size.datacenters()
                        && local.options().nodesPerDatacenter() == size.nodes()
                        && local.options().settings().equals(with(settings)));
    }

    /** A separate connection, to the nodes of a data centre, with a guard if one is given; the caller closes it. */
    Overdrive connect(String datacenter, @Nullable GuardLimit guard) {
        return Overdrive.connect(options.inDatacenter(datacenter).withGuard(guard));
    }

    /**
     * Starts the same number of nodes again, all in one data centre, with the same settings and heap. Counters and compactions are then
     * the sum of both clusters, until {@link #endBeside}. Empty beside the user's own nodes: nothing is started there.
     */
    Optional<BenchCluster> startBeside(Consumer<String> progress) {
        if (local == null || !owned) {
            return Optional.empty();
        }
        LocalOptions of = local.options();
        Size size = Size.rows(1).nodes(of.datacenters() * of.nodesPerDatacenter());
        BenchCluster other = start(size, of.settings(), laboratory != null, progress);
        beside = other;
        cold = true;
        return Optional.of(other);
    }

    /** Ends and deletes the nodes of {@link #startBeside}, if there are any. */
    void endBeside() {
        BenchCluster other = beside;
        beside = null;
        if (other != null) {
            other.close();
        }
    }

    /** Whether nodes were started for this, and have hardly run yet: their code is not compiled. */
    boolean isCold() {
        return cold;
    }

    void warmedUp() {
        cold = false;
    }

    /** Nodes of each data centre, by its name; the local one is the first. */
    public Map<String, Integer> datacenters() {
        String first = overdrive.session().getMetadata().getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                .map(node -> String.valueOf(node.getDatacenter()))
                .findFirst()
                .orElse("");
        Map<String, Integer> nodes =
                new TreeMap<>((a, b) -> a.equals(b) ? 0 : a.equals(first) ? -1 : b.equals(first) ? 1 : a.compareTo(b));
        overdrive
                .session()
                .getMetadata()
                .getNodes()
                .values()
                .forEach(node -> nodes.merge(String.valueOf(node.getDatacenter()), 1, Integer::sum));
        return nodes;
    }

    /** Whether all nodes share the machine of this process. */
    boolean isOnThisMachine() {
        return overdrive.session().getMetadata().getNodes().values().stream().allMatch(node -> {
            InetAddress address = ((InetSocketAddress) node.getEndPoint().resolve()).getAddress();
            return address != null && address.isLoopbackAddress();
        });
    }

    /** The counters of all nodes; empty if they can't be read. */
    Optional<ServerCounts> counts() {
        if (probes.isEmpty()) {
            return Optional.empty();
        }
        ServerCounts all = ServerCounts.NONE;
        for (NodeProbe probe : probes) {
            try {
                all = all.plus(probe.counts());
            } catch (IOException e) {
                return Optional.empty(); // the node has died, and the run will report it
            }
        }
        BenchCluster other = beside;
        ServerCounts these = all;
        return other == null ? Optional.of(all) : other.counts().map(these::plus);
    }

    /** Makes all nodes flush a keyspace to disk, and estimate the sizes of its tables; does nothing without JMX. */
    void flush(String keyspace) {
        for (NodeProbe probe : probes) {
            try {
                probe.flush(keyspace);
            } catch (IOException e) {
                throw new UncheckedIOException("a node can't flush " + keyspace + " to disk", e);
            }
        }
    }

    /**
     * Compactions running or due on all nodes, over JMX; without JMX, those running or waiting for a thread, over CQL; empty if no node
     * answers.
     */
    OptionalInt pendingCompactions() {
        try {
            int pending = 0;
            for (NodeProbe probe : probes) {
                pending += probe.pendingCompactions();
            }
            pending += probes.isEmpty() ? pendingByCql() : 0;
            BenchCluster other = beside;
            OptionalInt others = other == null ? OptionalInt.of(0) : other.pendingCompactions();
            return others.isEmpty() ? others : OptionalInt.of(pending + others.getAsInt());
        } catch (IOException | DriverException e) {
            return OptionalInt.empty();
        }
    }

    private int pendingByCql() {
        int pending = 0;
        for (Node node : overdrive.session().getMetadata().getNodes().values()) {
            if (node.getOpenConnections() > 0) {
                Row row = overdrive
                        .session()
                        .execute(SimpleStatement.newInstance("SELECT active_tasks, pending_tasks"
                                        + " FROM system_views.thread_pools WHERE name = 'CompactionExecutor'")
                                .setNode(node))
                        .one();
                pending += row == null ? 0 : row.getInt(0) + row.getInt(1);
            }
        }
        return pending;
    }

    /** The environment of the experiments: software, hardware, nodes, and settings of the server that matter. */
    public Map<String, String> environment() {
        Map<String, String> environment = Environment.of(overdrive.session());
        if (local != null) {
            environment.put(
                    "nodes",
                    environment.get("nodes") + ", on the client's machine, "
                            + local.options().heapMegabytes() + " MiB of heap each, "
                            + (local.options().profile() == LocalOptions.Profile.SMALL
                                    ? "serial collector, first compiler only"
                                    : "G1"));
        }
        environment.put("figures of the nodes", figuresOfNodes());
        if (laboratory != null) {
            environment.put("laboratory", laboratory.words());
        }
        return environment;
    }

    private String figuresOfNodes() {
        return probes.isEmpty()
                ? "none: with --jmx-port, CPU and compactions of the nodes are measured as well"
                : local != null ? "over JMX, CPU by the process table" : "over JMX";
    }

    @Override
    public void close() {
        endBeside();
        closeAll(probes);
        overdrive.close();
        if (owned && local != null) {
            local.close();
        }
        if (laboratory != null) {
            laboratory.close();
        }
    }

    private static void closeAll(List<NodeProbe> probes) {
        for (NodeProbe probe : probes) {
            try {
                probe.close();
            } catch (IOException e) {
                // the node has gone first
            }
        }
    }
}
