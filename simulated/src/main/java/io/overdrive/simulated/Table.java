package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.RawType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table. Immutable.
 *
 * @param columns by name, in the order of a {@code SELECT *}
 * @param systemRows rows of a table of Cassandra's own on a node, with their cells in the order of the columns; null for a table of the user
 * @param rows those of a table of the user
 */
record Table(
        String keyspace,
        String name,
        UUID id,
        Map<String, Column> columns,
        @Nullable Function<SimulatedNode, List<List<@Nullable ByteBuffer>>> systemRows,
        TokenRows rows) {

    Column column(String column) {
        Column found = columns.get(column);
        if (found == null) {
            throw Refusal.invalid("Undefined column name " + column + " in table " + keyspace + "." + name);
        }
        return found;
    }

    /** Names of the partition key's columns. */
    List<String> partitionKey() {
        return columns(Column.Kind.PARTITION_KEY).map(Column::name).toList();
    }

    private Stream<Column> columns(Column.Kind kind) {
        return columns.values().stream().filter(column -> column.kind() == kind);
    }

    /** The statement that creates it. */
    String create() {
        StringBuilder cql = new StringBuilder("CREATE TABLE ")
                .append(quoted(keyspace))
                .append('.')
                .append(quoted(name))
                .append(" (");
        for (Column column : columns.values()) {
            String isStatic = column.kind() == Column.Kind.STATIC ? " static, " : ", ";
            cql.append(quoted(column.name())).append(' ').append(column.type()).append(isStatic);
        }
        cql.append(columns(Column.Kind.PARTITION_KEY)
                .map(column -> quoted(column.name()))
                .collect(Collectors.joining(", ", "PRIMARY KEY ((", ")")));
        columns(Column.Kind.CLUSTERING).forEach(column -> cql.append(", ").append(quoted(column.name())));
        String order = columns(Column.Kind.CLUSTERING)
                .map(column -> quoted(column.name()) + " " + column.order())
                .collect(Collectors.joining(", "));
        return cql.append(")) WITH ")
                .append(order.isEmpty() ? "" : "CLUSTERING ORDER BY (" + order + ") AND ")
                .append("comment = 'no row is kept';")
                .toString();
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    ColumnSpec spec(String column, RawType type, int index) {
        return new ColumnSpec(keyspace, name, column, index, type);
    }
}
