package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.response.result.ColumnSpec;
import com.datastax.oss.protocol.internal.response.result.RawType;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
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
        return columns.values().stream()
                .filter(column -> column.kind() == Column.Kind.PARTITION_KEY)
                .map(Column::name)
                .toList();
    }

    ColumnSpec spec(String column, RawType type, int index) {
        return new ColumnSpec(keyspace, name, column, index, type);
    }
}
