package io.overdrive.local;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One node of a {@link LocalCluster}. Thread-safe: it has no state but asks the operating system at each call, so it also sees what other
 * processes do to the node.
 */
public final class Node {
    /** Variables with flags for our JVM, which the node's JVM may not support. */
    static final Set<String> FOREIGN_VARIABLES = Set.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    private final LocalCluster cluster;
    private final NodePlacement place;
    private final Path directory;

    /** The state of a node. */
    public enum State {
        /** There is no process. */
        STOPPED,
        /** The process exists but is paused: see {@link Node#pause}. */
        PAUSED,
        /** The process runs but does not answer CQL: it is starting, ending, or in trouble. */
        SILENT,
        /** It answers CQL. */
        UP
    }

    Node(LocalCluster cluster, NodePlacement place, Path directory) {
        this.cluster = cluster;
        this.place = place;
        this.directory = directory;
    }

    /** {@code node1} for the first. */
    public String name() {
        return place.name();
    }

    /** {@code dc1} for the first. */
    public String datacenter() {
        return place.datacenter();
    }

    /** The same for all nodes. */
    public String rack() {
        return NodePlacement.RACK;
    }

    /** Where it serves CQL. */
    public InetSocketAddress address() {
        return place.cql();
    }

    /** JMX port on 127.0.0.1, without password. */
    public int jmxPort() {
        return place.jmxPort();
    }

    /** Cassandra's log since the last start; missing before the first. */
    public Path logFile() {
        return directory.resolve("logs").resolve("system.log");
    }

    /** Process id; empty while there is no process. */
    public OptionalLong pid() {
        return process().map(process -> OptionalLong.of(process.pid())).orElse(OptionalLong.empty());
    }

    /** Why it ended itself, from its logs: mostly, it ran out of memory. Empty if unknown, or if it runs. */
    public Optional<String> lastWords() {
        return process().isPresent() ? Optional.empty() : LogTail.lastWords(consoleFile(), logFile());
    }

    /** Looks at the process and, if it runs, asks it over CQL: takes up to a few seconds if the node hangs. */
    public State state() {
        Optional<ProcessHandle> process = process();
        if (process.isEmpty()) {
            return State.STOPPED;
        }
        if (NodeProcess.isPaused(process.get())) {
            return State.PAUSED;
        }
        return cluster.answer(this) == CqlProbe.Answer.NONE ? State.SILENT : State.UP;
    }

    /** Processor time of all its threads since its last start, in steps of about 10 ms; zero while there is no process. */
    public Duration cpuTime() {
        return process().flatMap(process -> process.info().totalCpuDuration()).orElse(Duration.ZERO);
    }

    /**
     * Restarts it and waits until it serves CQL and the other running nodes see it.
     *
     * @throws LocalClusterException if it runs already, or does not come up
     */
    public void start() {
        cluster.startAgain(this);
    }

    /** Ends it regularly (SIGTERM), and by SIGKILL if it takes more than 20 s; does nothing if it does not run. */
    public void stop() {
        process().ifPresent(process -> NodeProcess.stop(List.of(process), STOP_TIMEOUT));
    }

    /** Ends it without warning (SIGKILL), like a crash; does nothing if it does not run. */
    public void kill() {
        process().ifPresent(process -> NodeProcess.kill(List.of(process)));
    }

    /**
     * Pauses it (SIGSTOP) while its connections stay open, like a machine that hangs.
     *
     * @throws LocalClusterException if it does not run
     */
    public void pause() {
        NodeProcess.pause(running());
    }

    /**
     * Resumes it after {@link #pause}; does nothing if it was not paused.
     *
     * @throws LocalClusterException if it does not run
     */
    public void resume() {
        NodeProcess.resume(running());
    }

    @Override
    public String toString() {
        return name() + " (" + datacenter() + ", " + place.address() + ":" + place.port() + ")";
    }

    NodePlacement place() {
        return place;
    }

    Path directory() {
        return directory;
    }

    /** The output of the JVM outside of Cassandra's log. */
    Path consoleFile() {
        return directory.resolve("logs").resolve("console.log");
    }

    Optional<ProcessHandle> process() {
        return NodeProcess.find(directory);
    }

    private ProcessHandle running() {
        return process().orElseThrow(() -> new LocalClusterException(this + " does not run; start it first"));
    }
}
