package io.overdrive.local;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Starts nodes: seeds first, then the others, then waits until all see each other. Confined to one thread, which holds the directory's
 * lock; used once.
 */
final class Startup {
    private static final long POLL_MILLIS = 50;

    /** How long the user {@code cassandra} may take to appear on a node that answers; after that, its password must have been changed. */
    private static final Duration LOGIN_TIMEOUT = Duration.ofSeconds(15);

    private final LocalCluster cluster;
    private final LocalOptions options;
    private final Map<Node, Process> launched = new LinkedHashMap<>();
    private final Thread hook = new Thread(this::killLaunched, "overdrive-local-startup");
    private long deadlineNanos;

    Startup(LocalCluster cluster, LocalOptions options) {
        this.cluster = cluster;
        this.options = options;
    }

    /** Starts the nodes that do not run; all nodes are up on return, and none of those started here is left after an exception. */
    void run(Server server) {
        List<Node> missing = new ArrayList<>();
        for (Node node : cluster.nodes()) {
            node.process().ifPresentOrElse(NodeProcess::resume, () -> missing.add(node));
        }
        missing.forEach(node -> node.lastWords().ifPresent(words -> options.progress()
                .accept(node + " had ended: " + words + "; a larger Java heap gives it more memory")));
        if (!missing.isEmpty()) {
            options.progress()
                    .accept("starting " + missing.size() + (missing.size() == 1 ? " node of " : " nodes of ")
                            + server.version() + " in " + cluster.directory());
        }
        Set<String> seeds = Set.of(NodeFiles.seeds(cluster.state().places()).split(","));
        run(server, missing, node -> seeds.contains(node.place().storage()));
    }

    void runOne(Server server, Node node) {
        run(server, List.of(node), seed -> true);
    }

    private void run(Server server, List<Node> missing, Predicate<Node> seed) {
        deadlineNanos = System.nanoTime() + options.startTimeout().toNanos();
        boolean started = false;
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            missing.forEach(node -> node.place().requireFreePorts());
            List<String> launcher = missing.isEmpty() ? List.of() : server.launcher();
            missing.stream().filter(seed).forEach(node -> launch(server, launcher, node));
            missing.stream().filter(seed).forEach(this::awaitCql);
            missing.stream().filter(seed.negate()).forEach(node -> launch(server, launcher, node));
            List<Node> running = cluster.nodes().stream()
                    .filter(node -> node.process()
                            .filter(process -> !NodeProcess.isPaused(process))
                            .isPresent())
                    .toList();
            running.forEach(this::awaitCql);
            missing.forEach(this::awaitCql); // a dead node is not among the running ones
            running.forEach(node -> awaitRing(node, running));
            started = true;
        } finally {
            if (!started) {
                killLaunched();
            }
            removeHook();
        }
    }

    private void launch(Server server, List<String> launcher, Node node) {
        Path directory = node.directory();
        NodeFiles.write(directory, node.place(), cluster.state(), server);
        List<String> command = new ArrayList<>(launcher);
        command.add(NodeProcess.mark(directory));
        command.add("@" + directory.resolve(NodeFiles.JVM_ARGUMENTS));
        command.add("org.apache.cassandra.service.CassandraDaemon");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(node.consoleFile().toFile());
        builder.environment().keySet().removeAll(Node.FOREIGN_VARIABLES);
        try {
            synchronized (launched) {
                launched.put(node, builder.start());
            }
        } catch (IOException e) {
            throw new LocalClusterException(
                    node + " cannot be started (" + e.getMessage() + "); check the JDK in "
                            + server.jdk().home(),
                    e);
        }
    }

    private void awaitCql(Node node) {
        long answeredNanos = 0;
        while (true) {
            CqlProbe.Answer answer = cluster.answer(node);
            if (answer == CqlProbe.Answer.LOGIN) {
                return;
            }
            if (answer == CqlProbe.Answer.NO_LOGIN) {
                long now = System.nanoTime();
                answeredNanos = answeredNanos == 0 ? now : answeredNanos;
                if (cluster.state().complete() || now - answeredNanos > LOGIN_TIMEOUT.toNanos()) {
                    return;
                }
            }
            pauseOrFail(node, "does not answer CQL");
        }
    }

    private void awaitRing(Node node, List<Node> others) {
        if (others.size() == 1) {
            return;
        }
        Set<String> wanted =
                others.stream().map(other -> other.place().storage()).collect(Collectors.toSet());
        while (true) {
            Set<String> missing = new HashSet<>(wanted);
            missing.removeAll(RingProbe.upWithTokens(node.jmxPort()));
            if (missing.isEmpty()) {
                return;
            }
            pauseOrFail(node, "does not see the tokens of " + String.join(", ", missing));
        }
    }

    private void pauseOrFail(Node node, String trouble) {
        Process process = launched.get(node);
        if (process != null && !process.isAlive()) {
            throw new LocalClusterException(node + " ended while it started, with code " + process.exitValue()
                    + "; its log says:\n" + LogTail.of(node.logFile(), node.consoleFile())
                    + "\nall of it is in " + node.logFile().getParent());
        }
        if (System.nanoTime() - deadlineNanos > 0) {
            throw new LocalClusterException(node + " " + trouble + " after "
                    + options.startTimeout().toSeconds() + " s; its log says:\n"
                    + LogTail.of(node.logFile(), node.consoleFile())
                    + "\nall of it is in " + node.logFile().getParent()
                    + "; on a busy machine a longer start timeout helps");
        }
        Sleep.millis(POLL_MILLIS);
    }

    private void killLaunched() {
        synchronized (launched) {
            NodeProcess.kill(launched.values().stream().map(Process::toHandle).toList());
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The JVM is ending, and the hook does its work.
        }
    }
}
