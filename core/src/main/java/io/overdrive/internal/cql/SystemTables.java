package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Tables of Cassandra's system keyspaces, including virtual ones (system_views), which the driver's metadata omit. Queries
 * the server at each call. Stateless.
 */
public final class SystemTables {
    /** Virtual tables are described in a separate keyspace, which servers before 4.0 do not have. */
    private static final List<String> SCHEMAS = List.of("system_schema", "system_virtual_schema");

    private SystemTables() {}

    /** The table; empty if it does not exist or the keyspace is not a system keyspace. */
    public static Optional<TableSchema> find(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table) {
        if (!isSystem(keyspace.asInternal())) {
            return Optional.empty();
        }
        List<Row> rows = query(
                session,
                "SELECT column_name, kind, position FROM %s.columns WHERE keyspace_name = ? AND table_name = ?",
                keyspace.asInternal(),
                table.asInternal());
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        Map<String, DataType> types = new HashMap<>();
        for (ColumnDefinition column : new Preparing(session)
                .prepare(
                        "SELECT * FROM " + keyspace.asCql(true) + "." + table.asCql(true),
                        "the server refuses the query")
                .getResultSetDefinitions()) {
            types.put(column.getName().asInternal(), column.getType());
        }
        List<Row> ordered = new ArrayList<>(rows);
        ordered.sort(Comparator.comparing(SystemTables::role)
                .thenComparing(row -> row.getInt("position"))
                .thenComparing(row -> String.valueOf(row.getString("column_name"))));
        List<Column> columns = new ArrayList<>();
        for (Row row : ordered) {
            String name = String.valueOf(row.getString("column_name"));
            DataType type = types.get(name);
            if (type != null) {
                columns.add(new Column(name, type, role(row)));
            }
        }
        return Optional.of(new TableSchema(keyspace.asInternal(), table.asInternal(), columns));
    }

    /** Names of a keyspace's tables; empty if it is not a system keyspace. */
    public static List<String> names(CqlSession session, CqlIdentifier keyspace) {
        return isSystem(keyspace.asInternal())
                ? query(session, "SELECT table_name FROM %s.tables WHERE keyspace_name = ?", keyspace.asInternal())
                        .stream()
                        .map(row -> String.valueOf(row.getString(0)))
                        .sorted()
                        .toList()
                : List.of();
    }

    /** The names of all keyspaces that are not system keyspaces. */
    public static List<String> otherKeyspaces(CqlSession session) {
        return session.execute(OwnQuery.of("SELECT keyspace_name FROM system_schema.keyspaces")).all().stream()
                .map(row -> String.valueOf(row.getString(0)))
                .filter(name -> !isSystem(name))
                .toList();
    }

    /** Whether a keyspace belongs to the server itself. */
    public static boolean isSystem(String keyspace) {
        return keyspace.equals("system") || keyspace.startsWith("system_");
    }

    private static Role role(Row column) {
        return Role.valueOf(String.valueOf(column.getString("kind")).toUpperCase(Locale.ROOT));
    }

    private static List<Row> query(CqlSession session, String cql, Object... values) {
        for (String schema : SCHEMAS) {
            try {
                List<Row> rows = session.execute(OwnQuery.of(String.format(Locale.ROOT, cql, schema), values))
                        .all();
                if (!rows.isEmpty()) {
                    return rows;
                }
            } catch (InvalidQueryException e) {
                return List.of(); // a server without virtual tables
            }
        }
        return List.of();
    }
}
