package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The replication options of a keyspace. Immutable.
 *
 * @param options the strategy, as {@code class}, and its number of replicas: for each data centre, or for all nodes
 */
record ReplicationOptions(Map<String, String> options) {
    private static final String NETWORK = "NetworkTopologyStrategy";

    /** The class comes first, by its short name if it is one of Cassandra's. */
    ReplicationOptions {
        Map<String, String> ordered = new LinkedHashMap<>();
        ordered.put(
                "class", options.getOrDefault("class", "").replaceFirst("^org\\.apache\\.cassandra\\.locator\\.", ""));
        new TreeMap<>(options).forEach(ordered::putIfAbsent);
        options = Collections.unmodifiableMap(ordered);
    }

    /**
     * The usual replication: in the local data centre, with the usual number of replicas, or one on each node if there
     * are fewer nodes.
     */
    static ReplicationOptions usual(Metadata metadata, int usualReplicas) {
        List<Node> local = metadata.getNodes().values().stream()
                .filter(n -> n.getDistance() == NodeDistance.LOCAL)
                .toList();
        String datacenter =
                local.isEmpty() ? "datacenter1" : String.valueOf(local.get(0).getDatacenter());
        int replicas = Math.max(1, Math.min(usualReplicas, local.size()));
        return new ReplicationOptions(Map.of("class", NETWORK, datacenter, String.valueOf(replicas)));
    }

    /** Whether it uses one of Cassandra's two strategies for user keyspaces. */
    boolean isUsualStrategy() {
        return isByDatacenter() || "SimpleStrategy".equals(options.get("class"));
    }

    boolean isByDatacenter() {
        return NETWORK.equals(options.get("class"));
    }

    /** Whether a cluster has its data centres, with at least as many nodes as replicas in each. */
    boolean fits(Metadata metadata) {
        return fits(metadata.getNodes().values().stream()
                .map(Node::getDatacenter)
                .filter(Objects::nonNull)
                .collect(Collectors.groupingBy(name -> name, Collectors.counting())));
    }

    boolean fits(Map<String, Long> nodesByDatacenter) {
        return isByDatacenter()
                && options.entrySet().stream()
                        .filter(option -> !option.getKey().equals("class"))
                        .allMatch(option -> option.getValue().matches("\\d{1,9}")
                                && Long.parseLong(option.getValue())
                                        <= nodesByDatacenter.getOrDefault(option.getKey(), 0L));
    }

    /** A CQL literal. */
    String cql() {
        return options.entrySet().stream()
                .map(option -> quoted(option.getKey()) + ": "
                        + (option.getValue().matches("\\d+") ? option.getValue() : quoted(option.getValue())))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
