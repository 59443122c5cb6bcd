package io.overdrive.local;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A real Cassandra cluster on this machine, each node a process. The cluster belongs to its directory, not to this object: any process
 * finds it there, and it keeps running when this JVM ends unless {@link LocalOptions#stopWithJvm} says otherwise.
 *
 * <p>Thread-safe: the operating system says what runs, and changes of the cluster in a directory are made under a lock that also excludes
 * other processes.
 */
@SuppressWarnings("try") // a lock is held, not used
public final class LocalCluster implements AutoCloseable {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(30);

    private final Path directory;
    private final ClusterState state;
    private final Supplier<Server> servers;
    private final List<Node> nodes;
    private final @Nullable JvmOwner owner;

    private LocalCluster(Path directory, ClusterState state, Supplier<Server> servers, @Nullable JvmOwner owner) {
        this.directory = directory;
        this.state = state;
        this.servers = servers;
        this.owner = owner;
        this.nodes = state.places().stream()
                .map(place -> new Node(this, place, directory.resolve(place.name())))
                .toList();
    }

    /**
     * Starts the cluster that the options describe, or finds it in its directory; returns when each node serves CQL and sees all others.
     * Nodes that are missing from a running cluster are started, paused ones are resumed. Data of an earlier run is kept.
     *
     * @throws LocalClusterException if the directory holds or runs something else, a port is taken, Maven, a JDK or permissions are
     *     missing, a node ends while starting, or the start times out; nodes started by this call have then ended
     */
    public static LocalCluster start(LocalOptions options) {
        return start(options, () -> Server.prepare(options.serverVersion(), options.progress()));
    }

    static LocalCluster start(LocalOptions options, Supplier<Server> servers) {
        Server server = servers.get();
        try (DirectoryLock lock = DirectoryLock.take(options.directory(), options.startTimeout(), options.progress())) {
            Path directory = NodeProcess.real(options.directory());
            boolean runs = !NodeProcess.under(directory).isEmpty();
            ClusterState state = runs ? runningState(directory, options) : nextState(directory, options);
            JvmOwner owner = options.stopWithJvm() && !runs
                    ? JvmOwner.of(directory, options.deleteWithJvm(), options.progress())
                    : null;
            LocalCluster cluster = new LocalCluster(directory, state, servers, owner);
            try {
                state.write(directory);
                new Startup(cluster, options).run(server);
                state.completed().write(directory);
            } catch (RuntimeException e) {
                if (owner != null) {
                    deleteAfter(e, directory, options);
                    owner.release();
                }
                throw e;
            }
            return cluster;
        }
    }

    /** The cluster of a directory as it is, running or not; empty if there is none. */
    public static Optional<LocalCluster> at(Path directory) {
        Path real = NodeProcess.real(directory);
        Consumer<String> silent = line -> {};
        return ClusterState.read(real, silent)
                .map(state -> new LocalCluster(
                        real, state, () -> Server.prepare(state.options().serverVersion(), silent), null));
    }

    /**
     * Ends all nodes of the cluster in a directory, paused ones too, whoever started them; its data stays. Returns their number, which is 0
     * if nothing ran.
     *
     * @throws LocalClusterException if another process holds the directory for too long, or a node of another user runs
     */
    public static int stop(Path directory) {
        if (!Files.isDirectory(directory)) {
            return stopNodes(directory, STOP_TIMEOUT); // it may have been deleted while nodes were running
        }
        try (DirectoryLock lock = DirectoryLock.take(directory, LOCK_TIMEOUT, line -> {})) {
            return stopNodes(directory, STOP_TIMEOUT);
        }
    }

    /**
     * Ends all nodes of the cluster in a directory and deletes what they wrote; does nothing if there is none.
     *
     * @throws LocalClusterException as {@link #stop(Path)} does, or if files cannot be deleted
     */
    public static void wipe(Path directory) {
        if (!Files.isDirectory(directory)) {
            stopNodes(directory, Duration.ZERO);
            return;
        }
        try (DirectoryLock lock = DirectoryLock.take(directory, LOCK_TIMEOUT, line -> {})) {
            stopNodes(directory, Duration.ZERO); // nothing is kept, so nothing needs to be flushed
            deleteNodes(directory);
        }
    }

    /** All nodes, data centre by data centre. */
    public List<Node> nodes() {
        return nodes;
    }

    /** The CQL addresses of the nodes of the first data centre. */
    public List<InetSocketAddress> contactPoints() {
        return nodes.stream()
                .filter(node -> node.datacenter().equals(datacenter()))
                .map(Node::address)
                .toList();
    }

    /** Name of the first data centre. */
    public String datacenter() {
        return nodes.get(0).datacenter();
    }

    /** The directory of its files. */
    public Path directory() {
        return directory;
    }

    /** The options of its last start. */
    public LocalOptions options() {
        return state.options();
    }

    /** Ends all its nodes, whoever started them; its data stays. */
    public void stop() {
        stop(STOP_TIMEOUT);
    }

    /** Ends all its nodes and deletes what they wrote. */
    public void wipe() {
        release();
        wipe(directory);
    }

    /**
     * Ends the nodes if they were started here with {@link LocalOptions#stopWithJvm}, and deletes the directory if it was with {@link
     * LocalOptions#deleteWithJvm}; else they keep running.
     */
    @Override
    public void close() {
        if (owner == null || !owner.isHeld()) {
            return;
        }
        if (state.options().deleteWithJvm()) {
            delete(directory);
            release(); // only now: if this JVM is killed before, the watchdog does the rest
        } else {
            stop();
        }
    }

    @Override
    public String toString() {
        return nodes + " in " + directory;
    }

    void stop(Duration patience) {
        try (DirectoryLock lock = DirectoryLock.take(directory, LOCK_TIMEOUT, line -> {})) {
            stopNodes(directory, patience);
        }
        release();
    }

    void startAgain(Node node) {
        Server server = servers.get();
        LocalOptions options = state.options();
        try (DirectoryLock lock = DirectoryLock.take(directory, options.startTimeout(), options.progress())) {
            if (node.process().isPresent()) {
                throw new LocalClusterException(
                        node + " runs already, as process " + node.pid().orElse(0) + "; stop or kill it first");
            }
            new Startup(this, options).runOne(server, node);
        }
    }

    CqlProbe.Answer answer(Node node) {
        // Of a node that requires TLS, only the open port can be seen.
        if (state.options().settings().containsKey("client_encryption_options")) {
            return CqlProbe.listens(node.address()) ? CqlProbe.Answer.LOGIN : CqlProbe.Answer.NONE;
        }
        return CqlProbe.ask(node.address());
    }

    ClusterState state() {
        return state;
    }

    private void release() {
        if (owner != null) {
            owner.release();
        }
    }

    private static int stopNodes(Path directory, Duration patience) {
        List<ProcessHandle> processes = NodeProcess.under(directory);
        NodeProcess.stop(processes, patience);
        return processes.size();
    }

    /** The running cluster must have the requested options. */
    private static ClusterState runningState(Path directory, LocalOptions options) {
        ClusterState state = ClusterState.read(directory, options.progress())
                .orElseThrow(() -> new LocalClusterException("nodes run in " + directory + ", but "
                        + ClusterState.FILE_NAME + " is gone; `local stop` ends them"));
        String differences = state.differences(options);
        if (!differences.isEmpty()) {
            throw new LocalClusterException("a cluster with other options runs in " + directory + ": " + differences
                    + "; `local stop` ends it"
                    + (state.dataDifferences(options).isEmpty()
                            ? ", and the next start takes the new options"
                            : " and `local wipe` removes its data, or choose another directory"));
        }
        return state.withOptions(options.withDefaultHeap(state.options().heapMegabytes()));
    }

    /** The cluster to start if none runs. */
    private static ClusterState nextState(Path directory, LocalOptions asked) {
        LocalOptions options = asked.withDefaultHeap(asked.defaultHeap(LocalOptions.memoryBytes()));
        Optional<ClusterState> found = ClusterState.read(directory, options.progress());
        if (found.isPresent() && found.get().complete()) {
            ClusterState state = found.get();
            String differences = state.dataDifferences(options);
            if (!differences.isEmpty()) {
                throw new LocalClusterException("the data in " + directory + " belongs to another cluster: "
                        + differences + "; `local wipe` removes it, or choose another directory");
            }
            return state.withOptions(options);
        }
        if (found.isPresent()) {
            deleteNodes(directory); // of a failed start: its remains are of no use
        }
        requireEmpty(directory);
        return new ClusterState(options, NodePlacement.layOut(options, ThreadLocalRandom.current()), false);
    }

    private static void requireEmpty(Path directory) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (!entry.endsWith(DirectoryLock.FILE_NAME)) {
                    throw new LocalClusterException(directory + " holds other files, for example " + entry.getFileName()
                            + "; choose an empty directory for the cluster");
                }
            }
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be read (" + e + "); choose another directory", e);
        }
    }

    private static void deleteAfter(RuntimeException failure, Path directory, LocalOptions options) {
        if (options.deleteWithJvm()) {
            try {
                delete(directory);
            } catch (LocalClusterException e) {
                failure.addSuppressed(e);
            }
        }
    }

    /** Nodes may still run; the thread may be interrupted. */
    private static void delete(Path directory) {
        boolean interrupted = Thread.interrupted();
        try {
            stopNodes(directory, Duration.ZERO); // nothing is kept, so nothing needs to be flushed
            Server.deleteTree(directory);
        } catch (IOException e) {
            throw new LocalClusterException(directory + " cannot be deleted (" + e + "); check permissions", e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Deletes only our own files, and keeps the lock file. */
    private static void deleteNodes(Path directory) {
        Optional<ClusterState> state = ClusterState.read(directory, line -> {});
        try {
            for (NodePlacement place : state.map(ClusterState::places).orElse(List.of())) {
                Server.deleteTree(directory.resolve(place.name()));
            }
            Files.deleteIfExists(directory.resolve(ClusterState.FILE_NAME));
        } catch (IOException e) {
            throw new LocalClusterException(
                    "files in " + directory + " cannot be deleted (" + e + "); check permissions", e);
        }
    }
}
