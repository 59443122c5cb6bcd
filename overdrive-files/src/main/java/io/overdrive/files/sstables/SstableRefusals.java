package io.overdrive.files.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.schema.KeyspaceMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.WriteOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What an import would get wrong, because the node does not look at the rows. Stateless. */
final class SstableRefusals {
    private static final String WAY_OUT = ": leave out --sstables";

    private SstableRefusals() {}

    /** @throws OverdriveException of kind SCHEMA if the options need the server to look at rows */
    static void check(WriteOptions options) {
        if (options.statement() != null) {
            throw refusal("rows of a statement of your own cannot be written as SSTables");
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
    static TableMetadata check(CqlSession session, WriteOptions options, boolean writeTimes) {
        CqlIdentifier keyspaceName = CqlIdentifier.fromInternal(String.valueOf(options.keyspace()));
        CqlIdentifier name = CqlIdentifier.fromInternal(String.valueOf(options.table()));
        String cqlName = "[" + keyspaceName.asCql(true) + "." + name.asCql(true) + "] ";
        KeyspaceMetadata keyspace = session.getMetadata()
                .getKeyspace(keyspaceName)
                .orElseThrow(() -> refusal(cqlName + "the table is not known, or of the system"));
        TableMetadata table = keyspace.getTable(name)
                .orElseThrow(() -> refusal(cqlName + "is not a table into which SSTables can be imported"));
        if (table.isVirtual() || table.isCompactStorage()) {
            throw refusal(cqlName + "is a " + (table.isVirtual() ? "virtual table" : "table with compact storage")
                    + ", which SSTables are not written for");
        }
        if (table.getColumns().values().stream().anyMatch(c -> c.getType().equals(DataTypes.COUNTER))) {
            throw refusal(cqlName + "holds counters, which SSTables cannot add to");
        }
        if (!keyspace.getViewsOnTable(name).isEmpty()) {
            throw refusal(cqlName + "has the materialized view "
                    + keyspace.getViewsOnTable(name).keySet().iterator().next().asCql(true)
                    + ", which an import does not update");
        }
        if (writeTimes && table.getColumns().values().stream().anyMatch(c -> isList(c.getType()))) {
            throw refusal(cqlName + "has a list that is not frozen, whose elements would collide if rows have their own"
                    + " write times");
        }
        checkStored(session, keyspaceName, name, cqlName);
        return table;
    }

    /** @throws OverdriveException of kind SCHEMA if rows of a table that is created like this one cannot be imported */
    static void checkLike(TableSchema source) {
        if (source.columns().stream().anyMatch(column -> column.type().equals(DataTypes.COUNTER))) {
            throw refusal("[" + source.cqlName() + "] holds counters, which SSTables cannot add to");
        }
    }

    private static boolean isList(Object type) {
        return type instanceof ListType list && !list.isFrozen();
    }

    /** What the driver does not know of a table. */
    private static void checkStored(CqlSession session, CqlIdentifier keyspace, CqlIdentifier name, String cqlName) {
        Row trigger = session.execute(SimpleStatement.newInstance(
                        "SELECT trigger_name FROM system_schema.triggers WHERE keyspace_name = ? AND table_name = ?",
                        keyspace.asInternal(),
                        name.asInternal()))
                .one();
        if (trigger != null) {
            throw refusal(cqlName + "has the trigger " + trigger.getString(0) + ", which an import does not run");
        }
        Row stored = session.execute(SimpleStatement.newInstance(
                        "SELECT * FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?",
                        keyspace.asInternal(),
                        name.asInternal()))
                .one();
        if (stored == null) {
            return;
        }
        if (stored.getColumnDefinitions().contains("cdc") && stored.getBoolean("cdc")) {
            throw refusal(cqlName + "records its changes (cdc), which an import does not");
        }
        String mode = stored.getColumnDefinitions().contains("transactional_mode")
                ? String.valueOf(stored.getString("transactional_mode"))
                : "off";
        if (!mode.equals("off") && !mode.equals("null")) {
            throw refusal(cqlName + "has the transactional_mode " + mode.toLowerCase(Locale.ROOT)
                    + ", whose transactions do not see what is imported");
        }
    }

    /** What is allowed, and may surprise. */
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
        return new OverdriveException(Kind.SCHEMA, message + WAY_OUT);
    }
}
