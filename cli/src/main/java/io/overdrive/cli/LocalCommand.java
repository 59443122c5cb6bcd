package io.overdrive.cli;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.cli.options.LocalClusterOptions;
import io.overdrive.cli.options.SimulatedMixin;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.Node;
import io.overdrive.simulated.SimulatedCluster;
import io.overdrive.simulated.SimulatedCounts;
import io.overdrive.simulated.SimulatedOptions;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code overdrive local}: a real Cassandra on this machine, or a simulated cluster. */
@Command(name = "local", description = "Runs Cassandra nodes on this machine.")
final class LocalCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new IllegalArgumentException("say what to do: start, status, stop or wipe");
    }

    static String address(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    /** Selects one of the clusters that have been started. */
    static final class Existing {
        @Option(names = "--port", paramLabel = "PORT", description = "Refuse a cluster with another port.")
        private @Nullable Integer port;

        @Option(
                names = "--directory",
                paramLabel = "DIR",
                description = "Directory of the cluster. Default: as for start.")
        private @Nullable Path directory;

        /** @throws IllegalArgumentException if the cluster there has another port than the given one */
        Path directory() {
            Path where = LocalClusterOptions.directory(directory);
            LocalCluster found = LocalCluster.at(where).orElse(null);
            if (port != null && found != null && port != LocalClusterOptions.port(found)) {
                throw new IllegalArgumentException("--port is " + port + ", but the cluster in " + found.directory()
                        + " has port " + LocalClusterOptions.port(found)
                        + ": name the directory of the other one with --directory");
            }
            return where;
        }
    }

    @Command(
            name = "start",
            sortOptions = false,
            description =
                    "Starts the cluster unless it runs. Options that are not given are taken from the existing cluster in the"
                            + " directory, if any. With --simulated, there are no real nodes and no directory.",
            footer = {
                "",
                "Examples:",
                "  overdrive local start",
                "  overdrive local start --nodes 3 --directory ~/three --port 9142",
                "  overdrive local start --cassandra 4.1 --directory ~/old --port 9242",
                "  overdrive local start --simulated 300 --tokens 256 --racks 3",
                "  overdrive local start --simulated 300 --faults hang=1,slow=3"
            })
    int start(
            @Option(
                            names = "--cassandra",
                            paramLabel = "VERSION",
                            description =
                                    "Version of Cassandra: 4.0, 4.1 or 5.0 for its newest release known here, or a"
                                            + " release, such as 4.1.10. Versions 4.0 and 4.1 need Java 11. Default: 5.0.")
                    @Nullable String cassandra,
            @Option(
                            names = "--nodes",
                            paramLabel = "N",
                            description = "Number of nodes in each data centre. Default: 1.")
                    @Nullable Integer nodes,
            @Option(names = "--dcs", paramLabel = "D", description = "Number of data centres. Default: 1.") @Nullable Integer dcs,
            @Option(names = "--port", paramLabel = "PORT", description = "CQL port; 0 for a free one. Default: 9042.")
                    @Nullable Integer port,
            @Option(
                            names = "--heap-mb",
                            paramLabel = "MB",
                            description = "Maximum Java heap of a node in MiB. Default: a quarter of the memory of this"
                                    + " machine for all nodes together, 512 to 2048 for a single node and 256 to 1024"
                                    + " for each of several.")
                    @Nullable Integer heapMegabytes,
            @Option(
                            names = "--directory",
                            paramLabel = "DIR",
                            description = "Directory of the cluster. Default: a directory in the user's cache, which"
                                    + " --local uses, too.")
                    @Nullable Path directory,
            @Mixin SimulatedMixin simulated) {
        if (simulated.isGiven()) {
            simulated.refuseForSimulatedNodes(
                    "--cassandra", cassandra, "--nodes", nodes, "--heap-mb", heapMegabytes, "--directory", directory);
            return simulate(simulated, simulated.options(dcs, port));
        }
        simulated.refuseForRealNodes();
        PrintWriter err = spec.commandLine().getErr();
        long start = System.nanoTime();
        LocalCluster cluster = LocalCluster.start(
                LocalClusterOptions.of(directory, cassandra, nodes, dcs, port, heapMegabytes, err::println));
        PrintWriter out = spec.commandLine().getOut();
        out.println("Cassandra answers at "
                + cluster.nodes().stream().map(n -> address(n.address())).collect(Collectors.joining(", "))
                + String.format(Locale.ROOT, " (%.1f s)", (System.nanoTime() - start) / 1e9));
        String connects = directory == null
                ? "--local"
                : "--host " + address(cluster.contactPoints().get(0));
        out.println("connect with " + connects + "; end it with: overdrive local stop"
                + (directory == null ? "" : " --directory " + directory));
        return Main.DONE;
    }

    /** Simulates a cluster until Ctrl-C. */
    private int simulate(SimulatedMixin simulated, SimulatedOptions options) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        CountDownLatch ended = new CountDownLatch(1);
        try (SimulatedCluster cluster = started(options);
                Interrupts interrupts = Interrupts.handle(
                        Interrupts.always(ended::countDown),
                        new Interrupts.Effect("ends the simulated cluster"),
                        err)) {
            simulated.beginFaults(cluster);
            out.println(String.format(
                    Locale.ROOT,
                    "A SIMULATED CLUSTER OF %,d NODES ANSWERS: NO ROW IS KEPT. Writes are acknowledged and counted; %s has %,d"
                            + " computed rows.",
                    cluster.nodes().size(),
                    SimulatedCluster.TABLE,
                    options.rows()));
            out.println("connect with --host " + cluster.contactPoint() + "; end it with Ctrl-C");
            out.flush();
            ended.await();
            SimulatedCounts counts = cluster.counts();
            out.println(String.format(
                    Locale.ROOT,
                    "%,d requests; %,d rows written, NONE KEPT; %,d rows read",
                    counts.requests(),
                    counts.rowsWritten(),
                    counts.rowsRead()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Main.DONE;
    }

    private static SimulatedCluster started(SimulatedOptions options) {
        try {
            return SimulatedCluster.start(options);
        } catch (UncheckedIOException e) {
            throw new OverdriveException(Kind.CONNECT, String.valueOf(e.getMessage()), e);
        }
    }

    @Command(name = "status", description = "Shows the nodes. The exit code is 0 if all of them run, else 1.")
    int status(@Mixin Existing existing) {
        Path directory = existing.directory();
        PrintWriter out = spec.commandLine().getOut();
        Optional<LocalCluster> cluster = LocalCluster.at(directory);
        if (cluster.isEmpty()) {
            out.println("there is no local cluster; start one with: overdrive local start");
            return Main.FAILED;
        }
        boolean allServe = true;
        for (Node node : cluster.get().nodes()) {
            Node.State state = node.state();
            allServe &= state == Node.State.UP;
            String pid =
                    node.pid().isPresent() ? "pid " + node.pid().getAsLong() + ", JMX 127.0.0.1:" + node.jmxPort() : "";
            out.println(String.format(
                            Locale.ROOT,
                            "%-8s %-6s %-22s %-9s %s",
                            node.name(),
                            node.datacenter(),
                            address(node.address()),
                            state.name().toLowerCase(Locale.ROOT),
                            pid)
                    .stripTrailing());
        }
        return allServe ? Main.DONE : Main.FAILED;
    }

    @Command(name = "stop", description = "Stops all nodes and keeps their data.")
    int stop(@Mixin Existing existing) {
        Path directory = existing.directory();
        int ended = LocalCluster.stop(directory);
        spec.commandLine()
                .getOut()
                .println(ended == 0 ? "nothing ran" : ended + (ended == 1 ? " node" : " nodes") + " ended");
        return Main.DONE;
    }

    @Command(name = "wipe", description = "Stops all nodes and deletes their data.")
    int wipe(@Mixin Existing existing) {
        Path directory = existing.directory();
        LocalCluster.wipe(directory);
        spec.commandLine().getOut().println("the local cluster is deleted");
        return Main.DONE;
    }
}
