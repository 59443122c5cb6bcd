package io.overdrive.cli;

import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code overdrive local}: a real Cassandra on this machine. */
@Command(name = "local", description = "Runs real Cassandra nodes on this machine.")
final class LocalCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new IllegalArgumentException("say what to do: start, status, stop or wipe");
    }

    private static String address(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    private static Path directory(@Nullable Path given) {
        return given != null ? given : LocalOptions.defaultDirectory();
    }

    @Command(name = "start", sortOptions = false, description = "Starts the cluster, or finds it running.")
    int start(
            @Option(
                            names = "--nodes",
                            paramLabel = "N",
                            defaultValue = "1",
                            description = "Nodes in each data centre." + " Default: 1.")
                    int nodes,
            @Option(names = "--dcs", paramLabel = "D", defaultValue = "1", description = "Data centres. Default: 1.")
                    int dcs,
            @Option(
                            names = "--port",
                            paramLabel = "PORT",
                            defaultValue = "9042",
                            description = "CQL port; 0 for a free" + " one. Default: 9042.")
                    int port,
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
                            description = "Where the cluster lives. Default: a" + " directory in the user's cache.")
                    @Nullable Path directory) {
        PrintWriter err = spec.commandLine().getErr();
        LocalOptions.Builder builder = LocalOptions.builder()
                .nodesPerDatacenter(nodes)
                .datacenters(dcs)
                .port(port)
                .directory(directory(directory))
                .progress(err::println);
        if (heapMegabytes != null) {
            builder.heapMegabytes(heapMegabytes);
        }
        long start = System.nanoTime();
        LocalCluster cluster = LocalCluster.start(builder.build());
        PrintWriter out = spec.commandLine().getOut();
        out.println("Cassandra answers at "
                + cluster.nodes().stream().map(n -> address(n.address())).collect(Collectors.joining(", "))
                + String.format(
                        Locale.ROOT,
                        " (%.1f s); end it with: overdrive local stop%s",
                        (System.nanoTime() - start) / 1e9,
                        directory == null ? "" : " --directory " + directory));
        return Main.DONE;
    }

    @Command(name = "status", description = "Shows the nodes. Exit code 0 when all run, else 1.")
    int status(
            @Option(names = "--directory", paramLabel = "DIR", description = "Where the cluster lives.") @Nullable Path directory) {
        PrintWriter out = spec.commandLine().getOut();
        Optional<LocalCluster> cluster = LocalCluster.at(directory(directory));
        if (cluster.isEmpty()) {
            out.println("there is no local cluster; overdrive local start makes one");
            return Main.FAILED;
        }
        boolean allServe = true;
        for (Node node : cluster.get().nodes()) {
            Node.State state = node.state();
            allServe &= state == Node.State.UP;
            String pid = node.pid().isPresent() ? "pid " + node.pid().getAsLong() : "";
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

    @Command(name = "stop", description = "Ends all nodes; their data stays.")
    int stop(
            @Option(names = "--directory", paramLabel = "DIR", description = "Where the cluster lives.") @Nullable Path directory) {
        int ended = LocalCluster.stop(directory(directory));
        spec.commandLine()
                .getOut()
                .println(ended == 0 ? "nothing ran" : ended + (ended == 1 ? " node" : " nodes") + " ended");
        return Main.DONE;
    }

    @Command(name = "wipe", description = "Ends all nodes and deletes their data.")
    int wipe(
            @Option(names = "--directory", paramLabel = "DIR", description = "Where the cluster lives.") @Nullable Path directory) {
        LocalCluster.wipe(directory(directory));
        spec.commandLine().getOut().println("the local cluster is gone");
        return Main.DONE;
    }
}
