package io.overdrive.spark.read;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkExecutorInfo;

/**
 * Maps addresses of nodes to Spark's names of the machines, those of its executors, which may differ. Plans (on the
 * driver). Immutable.
 *
 * @param byAddress host names of executors, by IP address
 * @param isLocal whether there is only one process, which must be given no preferred hosts: it would wait forever
 *     for other hosts in a stage that also has tasks for its host
 */
record Hosts(Map<String, Set<String>> byAddress, boolean isLocal) {
    static Hosts of(SparkContext spark) {
        Map<String, Set<String>> byAddress = new HashMap<>();
        for (SparkExecutorInfo executor : spark.statusTracker().getExecutorInfos()) {
            try {
                for (InetAddress address : InetAddress.getAllByName(executor.host())) {
                    byAddress
                            .computeIfAbsent(address.getHostAddress(), key -> new LinkedHashSet<>())
                            .add(executor.host());
                }
            } catch (UnknownHostException e) {
                // no preference for this executor
            }
        }
        return new Hosts(byAddress, spark.isLocal());
    }

    /** The nodes and all other names of their machines; empty in local mode. */
    List<String> names(List<String> nodes) {
        if (isLocal) {
            return List.of();
        }
        Set<String> names = new LinkedHashSet<>(nodes);
        for (String node : nodes) {
            names.addAll(byAddress.getOrDefault(node, Set.of()));
        }
        return List.copyOf(names);
    }
}
