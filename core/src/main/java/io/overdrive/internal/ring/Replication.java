package io.overdrive.internal.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.names.NamedOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares the number of replicas of a keyspace with the number that a consistency level needs. Stateless. */
public final class Replication {
    private Replication() {}

    /**
     * Refuses a consistency level that needs more replicas than the keyspace has: its requests would be retried until patience
     * is used up. Only SimpleStrategy and NetworkTopologyStrategy are checked.
     *
     * @param setting that has the level, for the message
     * @throws OverdriveException of kind SCHEMA
     */
    public static void requireEnough(
            Metadata metadata, CqlIdentifier keyspace, ConsistencyLevel level, NamedOption setting) {
        Map<String, Integer> byDatacenter = byDatacenter(metadata, keyspace);
        String datacenter = localDatacenter(metadata);
        boolean local = level.isDcLocal() && isPerDatacenter(metadata, keyspace);
        int replicas;
        if (local) {
            replicas = datacenter == null ? Integer.MAX_VALUE : byDatacenter.getOrDefault(datacenter, 0);
        } else if (isPerDatacenter(metadata, keyspace)) {
            replicas =
                    byDatacenter.values().stream().mapToInt(Integer::intValue).sum();
        } else {
            int factor = ofSimpleStrategy(metadata, keyspace);
            replicas = factor == 0 ? Integer.MAX_VALUE : factor;
        }
        int needed = needed(level);
        if (needed > replicas) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    words -> words.of(setting) + " " + level + " needs "
                            + (needed + (needed == 1 ? " replica" : " replicas")) + (local ? " in " + datacenter : "")
                            + ", but keyspace \"" + keyspace.asInternal() + "\" has "
                            + (replicas == 0 ? "none" : "only " + replicas) + (local ? " there" : "") + ": "
                            + (local
                                    ? "connect to a data centre that has replicas, choose a level without LOCAL, such"
                                            + " as QUORUM, or give the keyspace replicas there"
                                    : "choose a lower level, or give the keyspace more replicas"));
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

    /** The replicas in each data centre that has any; empty if the keyspace's strategy is not NetworkTopologyStrategy. */
    public static Map<String, Integer> byDatacenter(Metadata metadata, CqlIdentifier keyspace) {
        return byDatacenter(options(metadata, keyspace));
    }

    /** The same of the options of a keyspace, which need not exist. */
    public static Map<String, Integer> byDatacenter(Map<String, String> options) {
        Map<String, Integer> replicas = new HashMap<>();
        if (isPerDatacenter(options)) {
            options.forEach((name, value) -> {
                int factor = name.equals("class") ? 0 : replicas(value);
                if (factor > 0) {
                    replicas.put(name, factor);
                }
            });
        }
        return replicas;
    }

    /** The number of replicas; 0 if the keyspace's strategy is not SimpleStrategy. */
    public static int ofSimpleStrategy(Metadata metadata, CqlIdentifier keyspace) {
        Map<String, String> options = options(metadata, keyspace);
        return options.getOrDefault("class", "").endsWith("SimpleStrategy")
                ? replicas(options.getOrDefault("replication_factor", ""))
                : 0;
    }

    private static boolean isPerDatacenter(Metadata metadata, CqlIdentifier keyspace) {
        return isPerDatacenter(options(metadata, keyspace));
    }

    private static boolean isPerDatacenter(Map<String, String> options) {
        return options.getOrDefault("class", "").endsWith("NetworkTopologyStrategy");
    }

    private static Map<String, String> options(Metadata metadata, CqlIdentifier keyspace) {
        return metadata.getKeyspace(keyspace).map(k -> k.getReplication()).orElse(Map.of());
    }

    /** 0 for an unknown option of the strategy. */
    private static int replicas(String factor) {
        int slash = factor.indexOf('/'); // followed by the number of transient replicas
        try {
            return Integer.parseInt(slash < 0 ? factor : factor.substring(0, slash));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static @Nullable String localDatacenter(Metadata metadata) {
        return metadata.getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                .map(Node::getDatacenter)
                .findFirst()
                .orElse(null);
    }
}
