package io.overdrive.sstable.handover;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.cql.TableDescription;
import io.overdrive.internal.names.JobOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Refuses tables whose rows an import would get wrong, because the node does not look at the rows. Stateless. */
public final class SstableRefusals {
    /** Options that rows which are imported do not need, or get anyway, and cdc, which is refused if it is on. */
    private static final Set<String> HARMLESS = Set.of(
            "additional_write_policy",
            "allow_auto_snapshot",
            "auto_repair",
            "bloom_filter_fp_chance",
            "caching",
            "cdc",
            "clustering",
            "comment",
            "compact",
            "compaction",
            "compression",
            "crc_check_chance",
            "dclocal_read_repair_chance",
            "default_time_to_live",
            "extensions",
            "fast_path",
            "gc_grace_seconds",
            "id",
            "incremental_backups",
            "max_index_interval",
            "memtable",
            "memtable_flush_period_in_ms",
            "min_index_interval",
            "read_repair",
            "read_repair_chance",
            "security_label",
            "speculative_retry");

    /** Options of Cassandra 6.0, and their values that mean that there are no transactions. */
    private static final Map<String, String> ACCORD =
            Map.of("transactional_mode", "'off'", "transactional_migration_from", "'none'");

    private SstableRefusals() {}

    /** @throws OverdriveException of kind SCHEMA if the options need the server to look at rows */
    public static void check(WriteOptions options) {
        if (options.statement() != null) {
            throw refusal("rows of a custom statement cannot be written as SSTables");
        }
        if (options.ifNotExists()) {
            throw refusal("SSTables cannot have conditions (ifNotExists)");
        }
        if (!options.changes().isEmpty()) {
            throw refusal("SSTables cannot change collections that exist");
        }
    }

    /**
     * The table, if its rows can be imported.
     *
     * @param options of a table
     * @param writeTimes whether rows have their own
     * @throws OverdriveException of kind SCHEMA if they cannot, or there is no such table
     */
    public static TableMetadata check(CqlSession session, WriteOptions options, boolean writeTimes) {
        CqlIdentifier keyspaceName = CqlIdentifier.fromInternal(String.valueOf(options.keyspace()));
        CqlIdentifier name = CqlIdentifier.fromInternal(String.valueOf(options.table()));
        String cqlName = "[" + keyspaceName.asCql(true) + "." + name.asCql(true) + "] ";
        KeyspaceMetadata keyspace = session.getMetadata()
                .getKeyspace(keyspaceName)
                .orElseThrow(() -> refusal(cqlName + "the table is not known, or of the system"));
        String transientReplicas = transientReplicas(keyspace.getReplication());
        if (transientReplicas != null) {
            throw refusal(cqlName + transientReplicas);
        }
        TableMetadata table = keyspace.getTable(name)
                .orElseThrow(() -> refusal(cqlName + "is not a table into which SSTables can be imported"));
        if (table.isVirtual() || table.isCompactStorage()) {
            throw refusal(cqlName + "is a " + (table.isVirtual() ? "virtual table" : "table with compact storage")
                    + ", which SSTables are not written for");
        }
        if (table.getColumns().values().stream().anyMatch(c -> c.getType().equals(DataTypes.COUNTER))) {
            throw refusal(cqlName + "holds counters, which SSTables cannot add to");
        }
        if (writeTimes && table.getColumns().values().stream().anyMatch(c -> isList(c.getType()))) {
            throw refusal(cqlName + "has a list that is not frozen, whose elements would collide if rows have their own"
                    + " write times");
        }
        String obstacle = obstacle(session, /* node */ null, keyspaceName, name);
        if (obstacle != null) {
            throw refusal(cqlName + obstacle);
        }
        return table;
    }

    /** @throws OverdriveException of kind SCHEMA if rows of a table that is created like this one cannot be imported */
    public static void checkLike(TableSchema source) {
        if (source.columns().stream().anyMatch(column -> column.type().equals(DataTypes.COUNTER))) {
            throw refusal("[" + source.cqlName() + "] holds counters, which SSTables cannot add to");
        }
    }

    /**
     * Whether some replicas only have rows until a repair, as the second half of a sentence; null if not. The driver does not know which
     * ones these are.
     *
     * @param replication options of a keyspace
     */
    static @Nullable String transientReplicas(Map<String, String> replication) {
        return new TreeMap<>(replication)
                .entrySet().stream()
                        .filter(option -> option.getValue().matches("\\d+/\\d+"))
                        .findFirst()
                        .map(option -> "is in a keyspace with transient replicas (" + option.getKey() + ": "
                                + option.getValue()
                                + "), which get other rows than the nodes that SSTables are written for")
                        .orElse(null);
    }

    private static boolean isList(Object type) {
        return type instanceof ListType list && !list.isFrozen();
    }

    /**
     * A property of a table that an import would ignore, as the second half of a sentence; null if there is nothing.
     *
     * @param node that is asked; null for any
     */
    static @Nullable String obstacle(
            CqlSession session, @Nullable Node node, CqlIdentifier keyspace, CqlIdentifier name) {
        Row view = one(
                session,
                node,
                "SELECT view_name FROM system_schema.views WHERE keyspace_name = ? AND base_table_name = ? ALLOW"
                        + " FILTERING",
                keyspace,
                name);
        if (view != null) {
            return "has the materialized view "
                    + CqlIdentifier.fromInternal(String.valueOf(view.getString(0)))
                            .asCql(true)
                    + ", which an import does not update";
        }
        Row trigger = one(
                session,
                node,
                "SELECT trigger_name FROM system_schema.triggers WHERE keyspace_name = ? AND table_name = ?",
                keyspace,
                name);
        if (trigger != null) {
            return "has the trigger " + trigger.getString(0) + ", which an import does not run";
        }
        Row stored = one(
                session,
                node,
                "SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                keyspace,
                name);
        if (stored == null) {
            return null;
        }
        if (stored.getColumnDefinitions().contains("cdc") && stored.getBoolean("cdc")) {
            return "records its changes (cdc), which an import does not";
        }
        Optional<TableDescription> description = TableDescription.read(session, node, keyspace, name);
        return description.isPresent()
                ? obstacle(description.get())
                : "is not described by this server, which therefore does not say what it does with rows";
    }

    /** Finds properties that {@code system_schema} does not show. */
    static @Nullable String obstacle(TableDescription table) {
        Map.Entry<String, String> constraint = new TreeMap<>(table.constraints()).firstEntry();
        if (constraint != null) {
            return "has " + constraint.getValue() + " in column " + constraint.getKey()
                    + ", which an import does not check";
        }
        for (Map.Entry<String, String> option : new TreeMap<>(table.options()).entrySet()) {
            String harmless = ACCORD.get(option.getKey());
            if (harmless != null && !harmless.equals(option.getValue())) {
                return "has the " + option.getKey() + " " + option.getValue()
                        + ", whose transactions do not see what is imported";
            }
            if (harmless == null && !HARMLESS.contains(option.getKey())) {
                return "has the option " + option.getKey() + " = " + option.getValue()
                        + ", which is not known here, so that an import may leave out what it means";
            }
        }
        return null;
    }

    private static @Nullable Row one(
            CqlSession session, @Nullable Node node, String query, CqlIdentifier keyspace, CqlIdentifier name) {
        return session.execute(OwnQuery.of(query, keyspace.asInternal(), name.asInternal())
                        .setNode(node))
                .one();
    }

    /** Warnings about properties that are allowed but may surprise. */
    static List<String> warnings(TableMetadata table) {
        List<String> warnings = new ArrayList<>();
        if (!table.getIndexes().isEmpty()) {
            warnings.add("the nodes build the indexes of the imported rows ("
                    + String.join(
                            ", ",
                            table.getIndexes().keySet().stream()
                                    .map(index -> index.asCql(true))
                                    .sorted()
                                    .toList())
                    + ") before the import returns: that takes longer than the import itself");
        }
        return warnings;
    }

    private static OverdriveException refusal(String message) {
        return new OverdriveException(Kind.SCHEMA, words -> message + ": leave out " + words.of(JobOption.SSTABLES));
    }
}
