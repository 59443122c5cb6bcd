package io.overdrive.cli;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalClusterException;
import io.overdrive.local.Node;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** Explains to a command that failed why its local node has ended, which nothing else reports. Stateless. */
final class EndedNode {
    private static final int CQL_PORT = 9042;

    private static final Set<Kind> OF_THIS_MACHINE = EnumSet.of(Kind.ROW, Kind.DISK, Kind.INPUT, Kind.INTERRUPTED);

    private EndedNode() {}

    /** Whether a command may have failed because a node does not run. Null if only its summary says what failed. */
    static boolean mayBeWhy(@Nullable Exception failure) {
        return !(failure instanceof OverdriveException e) || !OF_THIS_MACHINE.contains(e.kind());
    }

    /**
     * The reason why the node does not answer, and what to do; empty if the command was for another cluster, if all nodes run, or if
     * it has run another command, which has its own hosts and explains itself.
     */
    static Optional<String> explain(ParseResult command, Path directory) {
        ParseResult last = command;
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        boolean isByAnother = last.commandSpec().userObject() instanceof ResumeCommand;
        if (isByAnother || last.commandSpec().findOption("--host") == null) {
            return Optional.empty();
        }
        boolean local = last.hasMatchedOption("--local");
        List<String> hosts = last.matchedOptionValue("--host", List.<String>of());
        List<InetSocketAddress> addresses = (hosts.isEmpty() ? List.of("127.0.0.1") : hosts)
                .stream().map(EndedNode::address).toList();
        return cluster(directory).flatMap(cluster -> cluster.nodes().stream()
                .filter(node -> local || addresses.contains(node.address()))
                .filter(node -> node.pid().isEmpty())
                .findFirst()
                .map(node -> explain(node, cluster.options().heapMegabytes())));
    }

    private static String explain(Node node, int heapMegabytes) {
        String address = node.address().getAddress().getHostAddress() + ":"
                + node.address().getPort();
        String start = "the local " + node.name() + " at " + address + " does not run";
        return node.lastWords()
                .map(words -> start + ": its log ends with \"" + words
                        + "\"; start it with more memory: overdrive local start" + " --heap-mb " + 2 * heapMegabytes)
                .orElse(start + "; start it: overdrive local start");
    }

    private static Optional<LocalCluster> cluster(Path directory) {
        try {
            return LocalCluster.at(directory);
        } catch (LocalClusterException e) {
            return Optional.empty(); // damaged files of the local cluster are not the reason of this failure
        }
    }

    private static InetSocketAddress address(String host) {
        int colon = host.lastIndexOf(':');
        boolean hasPort = colon > 0
                && colon == host.indexOf(':')
                && host.substring(colon + 1).matches("[0-9]{1,5}");
        int port = hasPort ? Math.min(65_535, Integer.parseInt(host.substring(colon + 1))) : CQL_PORT;
        return new InetSocketAddress(hasPort ? host.substring(0, colon) : host, port);
    }
}
