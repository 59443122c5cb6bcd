package io.overdrive.internal.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares the number of replicas of a keyspace with the number that a consistency level needs. Stateless. */
public final class Replication {
    private Replication() {}

    /**
     * Refuses a consistency level that needs more replicas than the keyspace has: its requests would be retried until patience
     * is used up. Only SimpleStrategy and NetworkTopologyStrategy are checked.
     *
     * @throws OverdriveException of kind SCHEMA
     */
    public static void requireEnough(Metadata metadata, CqlIdentifier keyspace, ConsistencyLevel level) {
        Map<String, String> options =
                metadata.getKeyspace(keyspace).map(k -> k.getReplication()).orElse(Map.of());
        String datacenter = localDatacenter(metadata);
        boolean perDatacenter = options.getOrDefault("class", "").endsWith("NetworkTopologyStrategy");
        boolean local = level.isDcLocal() && perDatacenter;
        int replicas;
        try {
            if (!perDatacenter) {
                replicas = options.getOrDefault("class", "").endsWith("SimpleStrategy")
                        ? replicas(options.get("replication_factor"))
                        : Integer.MAX_VALUE;
            } else if (local) {
                replicas = datacenter == null ? Integer.MAX_VALUE : replicas(options.get(datacenter));
            } else {
                replicas = options.entrySet().stream()
                        .filter(option -> !option.getKey().equals("class"))
                        .mapToInt(option -> replicas(option.getValue()))
                        .sum();
            }
        } catch (NumberFormatException e) {
            return; // an unknown option of the strategy
        }
        int needed = needed(level);
        if (needed > replicas) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "consistency (--consistency) " + level + " needs " + needed
                            + (needed == 1 ? " replica" : " replicas") + (local ? " in " + datacenter : "")
                            + ", but keyspace \"" + keyspace.asInternal() + "\" has "
                            + (replicas == 0 ? "none" : "only " + replicas)
                            + (local ? " there" : "") + ": choose a lower level, or give the keyspace more replicas");
        }
    }

    /** The minimum number of replicas that the level needs with any replication factor. */
    private static int needed(ConsistencyLevel level) {
        return switch ((DefaultConsistencyLevel) level) {
            case ANY -> 0;
            case ONE, LOCAL_ONE, QUORUM, LOCAL_QUORUM, EACH_QUORUM, ALL, SERIAL, LOCAL_SERIAL -> 1;
            case TWO -> 2;
            case THREE -> 3;
        };
    }

    private static int replicas(@Nullable String factor) {
        if (factor == null) {
            return 0;
        }
        int slash = factor.indexOf('/'); // followed by the number of transient replicas
        return Integer.parseInt(slash < 0 ? factor : factor.substring(0, slash));
    }

    private static @Nullable String localDatacenter(Metadata metadata) {
        return metadata.getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                .map(Node::getDatacenter)
                .findFirst()
                .orElse(null);
    }
}
