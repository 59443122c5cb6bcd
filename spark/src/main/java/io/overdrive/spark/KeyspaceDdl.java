package io.overdrive.spark;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.TableCatalog;

/**
 * Converts between the properties of a namespace and the CQL of a keyspace: {@code class}, {@code replication_factor},
 * the names of data centres, and {@code durable_writes}. Plans (on the driver). Stateless.
 */
final class KeyspaceDdl {
    private static final String CLASS = "class";
    private static final String FACTOR = "replication_factor";
    private static final String DURABLE = "durable_writes";
    private static final String NETWORK = "NetworkTopologyStrategy";

    /** Properties that Spark adds, or that it has clauses for. */
    private static final Set<String> SPARK_NAMES =
            Set.of(SupportsNamespaces.PROP_OWNER, SupportsNamespaces.PROP_COMMENT, SupportsNamespaces.PROP_LOCATION);

    private KeyspaceDdl() {}

    static Map<String, String> properties(KeyspaceMetadata keyspace) {
        Map<String, String> properties = new TreeMap<>(keyspace.getReplication());
        properties.compute(CLASS, (key, value) -> shortName(value == null ? "" : value));
        properties.put(DURABLE, String.valueOf(keyspace.isDurableWrites()));
        return properties;
    }

    private static String shortName(String strategy) {
        return strategy.substring(strategy.lastIndexOf('.') + 1);
    }

    /** @param replicas in the data centre if the properties do not set replication */
    static String create(String keyspace, Map<String, String> properties, String datacenter, int replicas) {
        Map<String, String> all = new TreeMap<>(properties);
        refuseClauses(all);
        if (!all.containsKey(CLASS)) {
            all.put(CLASS, NETWORK);
            String factor = all.remove(FACTOR);
            if (factor != null || all.keySet().stream().noneMatch(KeyspaceDdl::isReplication)) {
                all.put(datacenter, factor != null ? factor : String.valueOf(replicas));
            }
        }
        return "CREATE KEYSPACE " + CqlIdentifier.fromInternal(keyspace).asCql(/* pretty */ true) + with(all);
    }

    /** Whether a property is for the replication strategy: the name of a data centre, for example. */
    private static boolean isReplication(String property) {
        return !property.equals(CLASS) && !property.equals(DURABLE) && !SPARK_NAMES.contains(property);
    }

    static String alter(KeyspaceMetadata keyspace, NamespaceChange... changes) {
        Map<String, String> all = properties(keyspace);
        Map<String, String> set = new TreeMap<>();
        for (NamespaceChange change : changes) {
            if (change instanceof NamespaceChange.SetProperty property) {
                set.put(property.property(), property.value());
            } else if (change instanceof NamespaceChange.RemoveProperty property) {
                all.remove(property.property());
            } else {
                throw new IllegalArgumentException(
                        "keyspace " + keyspace.getName().asInternal() + " cannot be changed by " + change);
            }
        }
        refuseClauses(set);
        String strategy = set.get(CLASS);
        if (strategy != null && !shortName(strategy).equals(all.get(CLASS))) {
            // The old strategy's options mean nothing to the new one.
            all.keySet().retainAll(Set.of(DURABLE));
        }
        all.putAll(set);
        return "ALTER KEYSPACE " + keyspace.getName().asCql(/* pretty */ true) + with(all);
    }

    private static void refuseClauses(Map<String, String> properties) {
        if (properties.containsKey(SupportsNamespaces.PROP_LOCATION)) {
            throw new IllegalArgumentException("a keyspace has no location: leave LOCATION out");
        }
        if (properties.containsKey(SupportsNamespaces.PROP_COMMENT)) {
            throw new IllegalArgumentException("a keyspace has no comment: leave COMMENT out");
        }
        if (properties.containsKey(TableCatalog.PROP_COLLATION)) {
            throw new IllegalArgumentException("a keyspace has no collation: leave DEFAULT COLLATION out");
        }
    }

    private static String with(Map<String, String> properties) {
        String durable = properties.getOrDefault(DURABLE, "true");
        if (!durable.equals("true") && !durable.equals("false")) {
            throw new IllegalArgumentException("durable_writes is \"" + durable + "\", must be true or false");
        }
        return " WITH replication = {"
                + properties.entrySet().stream()
                        .filter(property ->
                                !property.getKey().equals(DURABLE) && !SPARK_NAMES.contains(property.getKey()))
                        .map(property -> TableDdl.text(property.getKey()) + ": " + TableDdl.text(property.getValue()))
                        .collect(Collectors.joining(", "))
                + "} AND durable_writes = " + durable;
    }
}
