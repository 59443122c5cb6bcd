package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.ProtocolConstants.SchemaChangeTarget;
import com.datastax.oss.protocol.internal.ProtocolConstants.SchemaChangeType;
import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.result.SchemaChange;
import com.datastax.oss.protocol.internal.response.result.Void;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The keyspaces and tables of the cluster, which are the same on all nodes. Thread-safe: a change replaces an immutable map. */
final class Schema {
    /** The keyspace and the table that have rows from the start. */
    static final String KEYSPACE = "simulated";

    static final String TABLE = "numbers";

    /**
     * A keyspace. Immutable.
     *
     * @param replication with the entry {@code class}
     */
    record Keyspace(String name, Map<String, String> replication, Map<String, Table> tables) {
        Keyspace withTables(Map<String, Table> others) {
            return new Keyspace(name, replication, others);
        }
    }

    private final Map<String, Table> systemTables;
    private final AtomicLong changes = new AtomicLong();
    private volatile Map<String, Keyspace> keyspaces = Map.of();

    Schema(Map<String, Table> systemTables) {
        this.systemTables = systemTables;
    }

    Collection<Keyspace> keyspaces() {
        return keyspaces.values();
    }

    /** The version that nodes of a release compute. */
    UUID version(String release) {
        return id("version", release, String.valueOf(changes.get()));
    }

    private static UUID id(String... parts) {
        return UUID.nameUUIDFromBytes(String.join(" ", parts).getBytes(StandardCharsets.UTF_8));
    }

    Table table(@Nullable String keyspace, String name) {
        if (keyspace == null) {
            throw Refusal.invalid(
                    "No keyspace has been specified. USE a keyspace, or explicitly specify keyspace.tablename");
        }
        Table system = systemTables.get(keyspace + "." + name);
        if (system != null) {
            return system;
        }
        Keyspace found = keyspaces.get(keyspace);
        Table table = found == null ? null : found.tables.get(name);
        if (table == null) {
            throw Refusal.invalid(
                    found == null && !keyspace.startsWith("system")
                            ? "keyspace " + keyspace + " does not exist"
                            : "unconfigured table " + name);
        }
        return table;
    }

    boolean hasKeyspace(String name) {
        return keyspaces.containsKey(name);
    }

    Result createKeyspace(String name, Map<String, String> replication, boolean ifNotExists) {
        return change(SchemaChangeType.CREATED, SchemaChangeTarget.KEYSPACE, name, "", all -> {
            if (all.containsKey(name)) {
                return unchanged(ifNotExists, "Keyspace '" + name + "' already exists");
            }
            return with(all, new Keyspace(name, replication, Map.of()));
        });
    }

    Result createTable(String keyspace, String name, List<Column> columns, TokenRows rows, boolean ifNotExists) {
        return change(SchemaChangeType.CREATED, SchemaChangeTarget.TABLE, keyspace, name, all -> {
            Keyspace in = existing(all, keyspace);
            if (in.tables.containsKey(name)) {
                return unchanged(ifNotExists, "Table '" + keyspace + "." + name + "' already exists");
            }
            Map<String, Column> byName = new LinkedHashMap<>();
            columns.forEach(column -> byName.put(column.name(), column));
            UUID id = id(keyspace, name, String.valueOf(changes.get()));
            Map<String, Table> tables = new TreeMap<>(in.tables);
            tables.put(name, new Table(keyspace, name, id, byName, /* systemRows */ null, rows));
            return with(all, in.withTables(tables));
        });
    }

    Result dropKeyspace(String name, boolean ifExists) {
        return change(SchemaChangeType.DROPPED, SchemaChangeTarget.KEYSPACE, name, "", all -> {
            if (!all.containsKey(name)) {
                return unchanged(ifExists, "Keyspace '" + name + "' doesn't exist");
            }
            Map<String, Keyspace> others = new TreeMap<>(all);
            others.remove(name);
            return others;
        });
    }

    Result dropTable(String keyspace, String name, boolean ifExists) {
        return change(SchemaChangeType.DROPPED, SchemaChangeTarget.TABLE, keyspace, name, all -> {
            Keyspace in = existing(all, keyspace);
            if (!in.tables.containsKey(name)) {
                return unchanged(ifExists, "Table '" + keyspace + "." + name + "' doesn't exist");
            }
            Map<String, Table> others = new TreeMap<>(in.tables);
            others.remove(name);
            return with(all, in.withTables(others));
        });
    }

    private static Keyspace existing(Map<String, Keyspace> all, String name) {
        Keyspace found = all.get(name);
        if (found == null) {
            throw Refusal.invalid("Keyspace '" + name + "' doesn't exist");
        }
        return found;
    }

    private static Map<String, Keyspace> with(Map<String, Keyspace> all, Keyspace changed) {
        Map<String, Keyspace> copy = new TreeMap<>(all);
        copy.put(changed.name, changed);
        return copy;
    }

    private static @Nullable Map<String, Keyspace> unchanged(boolean isAllowed, String message) {
        if (!isAllowed) {
            throw Refusal.invalid(message);
        }
        return null;
    }

    /** @param change gives null if there is nothing to change */
    private synchronized Result change(
            String type,
            String target,
            String keyspace,
            String object,
            Function<Map<String, Keyspace>, @Nullable Map<String, Keyspace>> change) {
        Map<String, Keyspace> changed = change.apply(keyspaces);
        if (changed == null) {
            return Void.INSTANCE;
        }
        keyspaces = changed;
        changes.incrementAndGet();
        return new SchemaChange(type, target, keyspace, object, List.of());
    }
}
