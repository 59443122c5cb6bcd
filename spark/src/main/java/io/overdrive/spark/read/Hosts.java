package io.overdrive.spark.read;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.storage.BlockManagerId;

/**
 * Maps addresses of nodes to the names of the machines of Spark's executors, which may differ. Plans (on the
 * driver). Immutable.
 *
 * <p>Only machines with executors are named. Once a stage has a task for such a machine, Spark keeps tasks for all other machines waiting
 * for {@code spark.locality.wait}, 3 s, although they will never have an executor ({@code TaskSetManager.getAllowedLocalityLevel}
 * counts pending tasks of any host). A task without a preferred machine starts at once.
 *
 * @param byAddress host names of executors, by IP address and by host name
 * @param isLocal whether there is only one process, so that nothing is to be preferred
 * @param addsExecutors whether Spark adds executors while it runs, where tasks prefer to be
 */
record Hosts(Map<String, Set<String>> byAddress, boolean isLocal, boolean addsExecutors) {
    static Hosts of(SparkContext spark) {
        BlockManagerId driver = SparkEnv.get().blockManager().blockManagerId();
        Map<String, Set<String>> byAddress = new HashMap<>();
        for (SparkExecutorInfo executor : spark.statusTracker().getExecutorInfos()) {
            if (executor.port() == driver.port() && executor.host().equals(driver.host())) {
                continue; // the driver, which runs no tasks
            }
            String host = executor.host();
            byAddress.computeIfAbsent(host, key -> new LinkedHashSet<>()).add(host);
            try {
                for (InetAddress address : InetAddress.getAllByName(host)) {
                    byAddress
                            .computeIfAbsent(address.getHostAddress(), key -> new LinkedHashSet<>())
                            .add(host);
                }
            } catch (UnknownHostException e) {
                // no preference for this executor
            }
        }
        return new Hosts(
                byAddress, spark.isLocal(), spark.getConf().getBoolean("spark.dynamicAllocation.enabled", false));
    }

    /**
     * Spark's names of the nodes' machines; empty in local mode, and if none of them has an executor. If executors are added later, the
     * nodes themselves, so that Spark knows where to add them.
     */
    List<String> names(List<String> nodes) {
        if (isLocal) {
            return List.of();
        }
        Set<String> names = new LinkedHashSet<>();
        for (String node : nodes) {
            names.addAll(byAddress.getOrDefault(node, Set.of()));
        }
        return names.isEmpty() && addsExecutors ? nodes.stream().distinct().toList() : List.copyOf(names);
    }
}
