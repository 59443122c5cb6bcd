package io.overdrive.local;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * One node of a {@link LocalCluster}. Thread-safe: it holds no state but asks the operating system at each call, so it also sees
 * what other processes do to the node.
 */
public final class Node {
    /** Variables that hold flags for our JVM, which the node's may be too old or too new for. */
    static final Set<String> FOREIGN_VARIABLES = Set.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    private final LocalCluster cluster;
    private final NodePlacement place;
    private final Path directory;

    /** What a node does at the moment of the question. */
    public enum State {
        /** There is no process. */
        STOPPED,
        /** The process is there and does nothing: see {@link Node#pause}. */
        PAUSED,
        /** The process runs but does not answer CQL: it starts, ends, or is in trouble. */
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

    /** Port of its management beans on 127.0.0.1, without password. */
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

    /** Why it ended itself, as it wrote in its logs: memory that ran out, mostly. Empty if it said nothing, or runs. */
    public Optional<String> lastWords() {
        return process().isPresent() ? Optional.empty() : LogTail.lastWords(consoleFile(), logFile());
    }

    /** Looks at the process and, if it runs, asks it over CQL: takes up to a few seconds when the node hangs. */
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
     * Starts it again and waits until it serves CQL and the other running nodes see it.
     *
     * @throws LocalClusterException if it runs already, or does not come up
     */
    public void start() {
        cluster.startAgain(this);
    }

    /** Ends it the regular way (SIGTERM), and by SIGKILL if it takes more than 20 s; fine if it does not run. */
    public void stop() {
        process().ifPresent(process -> NodeProcess.stop(List.of(process), STOP_TIMEOUT));
    }

    /** Ends it without warning (SIGKILL), as a crash would; fine if it does not run. */
    public void kill() {
        process().ifPresent(process -> NodeProcess.kill(List.of(process)));
    }

    /**
     * Stops it from doing anything (SIGSTOP) while its connections stay open, as a hanging machine would.
     *
     * @throws LocalClusterException if it does not run
     */
    public void pause() {
        NodeProcess.pause(running());
    }

    /**
     * Lets it go on after {@link #pause}; fine if it was not paused.
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

    /** What the JVM wrote before and beside Cassandra's log. */
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
