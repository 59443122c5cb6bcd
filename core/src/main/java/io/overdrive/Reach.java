package io.overdrive;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.internal.ring.Replication;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes the requests of a job reach: those that get its requests, and the replicas that these pass them on to. A snapshot of
 * what the cluster reports. Immutable.
 *
 * @param table keyspace and table, as in CQL
 * @param cluster name of the cluster
 * @param datacenter the local data centre, whose nodes get all requests
 * @param nodes those nodes, address and port
 * @param nodesDown the down ones among them
 * @param failoverDatacenter whose nodes get the requests while no local node is up; null: no other one
 * @param nodesByDatacenter number of nodes of each data centre of the cluster
 * @param replicas number of replicas that the keyspace has in each data centre; data centres without replicas are left out. Empty
 *     if unknown, or if the keyspace does not distinguish data centres
 * @param replicasAnywhere number of replicas that may be in any data centre, as with SimpleStrategy in several data centres; 0 if
 *     {@link #replicas} says where they are
 * @param consistency level of the requests
 * @param hasConditions whether rows are written under a condition, which a majority of the replicas of all data centres decides
 */
public record Reach(
        String table,
        String cluster,
        String datacenter,
        List<String> nodes,
        List<String> nodesDown,
        @Nullable String failoverDatacenter,
        Map<String, Integer> nodesByDatacenter,
        Map<String, Integer> replicas,
        int replicasAnywhere,
        DefaultConsistencyLevel consistency,
        boolean hasConditions) {
    /**
     * Some replicas that a request waits for.
     *
     * @param needed how many of them must answer
     * @param of how many there are
     * @param datacenters where they are
     */
    public record Quorum(int needed, int of, List<String> datacenters) {}

    static Reach of(
            Metadata metadata,
            CqlIdentifier keyspace,
            CqlIdentifier table,
            DefaultConsistencyLevel consistency,
            boolean hasConditions) {
        List<String> local = new ArrayList<>();
        List<String> down = new ArrayList<>();
        String datacenter = "";
        String failover = null;
        Map<String, Integer> nodes = new TreeMap<>();
        for (Node node : metadata.getNodes().values()) {
            String of = String.valueOf(node.getDatacenter());
            nodes.merge(of, 1, Integer::sum);
            if (node.getDistance() == NodeDistance.LOCAL) {
                datacenter = of;
                local.add(NodeName.of(node));
                if (!ReplicaChoice.isUp(node)) {
                    down.add(NodeName.of(node));
                }
            } else if (node.getDistance() == NodeDistance.REMOTE) {
                failover = of;
            }
        }
        local.sort(null);
        down.sort(null);
        Map<String, Integer> replicas = new TreeMap<>(Replication.byDatacenter(metadata, keyspace));
        int anywhere = 0;
        if (replicas.isEmpty()) {
            int factor = Replication.ofSimpleStrategy(metadata, keyspace);
            if (nodes.size() > 1) {
                anywhere = factor;
            } else if (factor > 0) {
                replicas.put(datacenter, factor);
            }
        }
        return new Reach(
                keyspace.asCql(true) + "." + table.asCql(true),
                metadata.getClusterName().orElse("(no name)"),
                datacenter,
                List.copyOf(local),
                List.copyOf(down),
                failover,
                nodes,
                replicas,
                anywhere,
                consistency,
                hasConditions);
    }

    /** Other data centres that have, or with {@link #replicasAnywhere} may have, replicas. */
    public Set<String> otherDatacenters() {
        Set<String> others = new TreeSet<>(replicasAnywhere > 0 ? nodesByDatacenter.keySet() : replicas.keySet());
        others.remove(datacenter);
        return others;
    }

    /** Whether requests may wait for answers of nodes in {@link #otherDatacenters}. */
    public boolean waitsForOthers() {
        return (hasConditions || !consistency.isDcLocal())
                && !otherDatacenters().isEmpty();
    }

    /** How many replicas must answer, of how many, and where; empty if unknown. */
    public List<Quorum> waitsFor() {
        int local = replicas.getOrDefault(datacenter, 0);
        List<String> here = List.of(datacenter);
        if (replicas.isEmpty() && (replicasAnywhere == 0 || consistency.isDcLocal())) {
            return List.of();
        }
        return switch (consistency) {
            case ANY, ONE, TWO, THREE -> List.of(anyOf(fixed(consistency)));
            case QUORUM, SERIAL -> List.of(anyOf(majority(total())));
            case ALL -> List.of(anyOf(total()));
            case LOCAL_ONE -> List.of(new Quorum(1, local, here));
            case LOCAL_QUORUM, LOCAL_SERIAL -> List.of(new Quorum(majority(local), local, here));
            case EACH_QUORUM ->
                replicas.entrySet().stream()
                        .map(each -> new Quorum(majority(each.getValue()), each.getValue(), List.of(each.getKey())))
                        .toList();
        };
    }

    private static int fixed(DefaultConsistencyLevel level) {
        return switch (level) {
            case TWO -> 2;
            case THREE -> 3;
            default -> 1;
        };
    }

    private Quorum anyOf(int needed) {
        Collection<String> where = replicasAnywhere > 0 ? nodesByDatacenter.keySet() : replicas.keySet();
        return new Quorum(needed, total(), List.copyOf(new TreeSet<>(where)));
    }

    private int total() {
        return replicasAnywhere
                + replicas.values().stream().mapToInt(Integer::intValue).sum();
    }

    private static int majority(int replicas) {
        return replicas / 2 + 1;
    }
}
