package io.overdrive.cli.options;

import io.overdrive.local.LocalCluster;
import io.overdrive.local.LocalOptions;
import io.overdrive.local.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The local cluster that options describe, matched with the one that exists in the directory. Stateless. */
public final class LocalClusterOptions {
    private LocalClusterOptions() {}

    /** The given directory, or the default. */
    public static Path directory(@Nullable Path given) {
        return given != null ? given : LocalOptions.defaultDirectory();
    }

    /**
     * The cluster to start: options that are not given are taken from the existing cluster in the directory.
     *
     * @throws IllegalArgumentException if the existing cluster does not match the given options
     */
    public static LocalOptions of(
            @Nullable Path directory,
            @Nullable String cassandra,
            @Nullable Integer nodes,
            @Nullable Integer dcs,
            @Nullable Integer port,
            @Nullable Integer heapMegabytes,
            Consumer<String> progress) {
        LocalOptions.Builder builder =
                LocalOptions.builder().directory(directory(directory)).progress(progress);
        LocalCluster found = LocalCluster.at(directory(directory)).orElse(null);
        if (found != null) {
            boolean runs = found.nodes().stream().anyMatch(node -> node.state() != Node.State.STOPPED);
            LocalOptions has = found.options();
            List<String> differences = new ArrayList<>();
            differs("--cassandra", cassandra, has.cassandra(), differences);
            differs("--nodes", nodes, has.nodesPerDatacenter(), differences);
            differs("--dcs", dcs, has.datacenters(), differences);
            boolean otherData = !differences.isEmpty();
            if (runs) {
                differs("--port", port == null || port == 0 ? null : port, port(found), differences);
                differs("--heap-mb", heapMegabytes, has.heapMegabytes(), differences);
            }
            if (!differences.isEmpty()) {
                throw new IllegalArgumentException(doesNotFit(found, runs, otherData, differences));
            }
            builder.cassandra(has.cassandra())
                    .nodesPerDatacenter(has.nodesPerDatacenter())
                    .datacenters(has.datacenters());
            if (runs) {
                builder.tokensPerNode(has.tokensPerNode())
                        .profile(has.profile())
                        .heapMegabytes(has.heapMegabytes())
                        .port(0)
                        .jvmArguments(has.jvmArguments().toArray(String[]::new));
                has.settings().forEach(builder::setting);
                return builder.build();
            }
            builder.port(port(found));
        }
        set(cassandra, builder::cassandra);
        set(nodes, builder::nodesPerDatacenter);
        set(dcs, builder::datacenters);
        set(port, builder::port);
        set(heapMegabytes, builder::heapMegabytes);
        return builder.build();
    }

    private static <T> void set(@Nullable T given, Consumer<T> setter) {
        if (given != null) {
            setter.accept(given);
        }
    }

    private static <T> void differs(String option, @Nullable T given, T has, List<String> differences) {
        if (given != null && !given.equals(has)) {
            differences.add(option + " " + given);
        }
    }

    /** The port that clients connect to. */
    public static int port(LocalCluster cluster) {
        return cluster.contactPoints().get(0).getPort();
    }

    private static String doesNotFit(LocalCluster found, boolean runs, boolean otherData, List<String> differences) {
        LocalOptions has = found.options();
        int nodes = has.nodesPerDatacenter();
        String where = found.directory()
                        .equals(LocalOptions.defaultDirectory().toAbsolutePath().normalize())
                ? ""
                : " --directory " + found.directory();
        return "the cluster in " + found.directory() + " has " + nodes + (nodes == 1 ? " node" : " nodes")
                + " of Cassandra " + has.cassandra()
                + (has.datacenters() == 1 ? "" : " in each of " + has.datacenters() + " data centres")
                + (runs && has.heapMegabytes() > 0 ? ", " + has.heapMegabytes() + " MB of heap a node" : "")
                + (runs ? ", and runs at port " + port(found) : "")
                + ", which does not match " + String.join(" and ", differences) + ": "
                + (otherData
                        ? "delete it with: overdrive local wipe" + where
                        : "end it first with: overdrive local stop" + where)
                + ", or start another one next to it with --directory DIR --port PORT";
    }
}
