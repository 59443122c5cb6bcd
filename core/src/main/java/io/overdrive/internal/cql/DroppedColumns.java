package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * When columns of a table were dropped. If such a column was added again, the server hides its values whose write time is not later than
 * the drop. Immutable.
 *
 * @param times when each column was dropped the last time, by its name without quotes; the server stores milliseconds, and the node that
 *     dropped the column may hide up to a millisecond more
 */
public record DroppedColumns(Map<String, Instant> times) {
    public DroppedColumns {
        times = Map.copyOf(times);
    }

    /** Asks any node; names are without quotes. */
    public static DroppedColumns of(CqlSession session, String keyspace, String table) {
        return of(session, /* node */ null, keyspace, table);
    }

    /** @param node to ask; null for any */
    public static DroppedColumns of(CqlSession session, @Nullable Node node, String keyspace, String table) {
        Map<String, Instant> times = new HashMap<>();
        try {
            for (Row row : session.execute(OwnQuery.of(
                            "SELECT column_name, dropped_time FROM system_schema.dropped_columns WHERE keyspace_name = ? AND"
                                    + " table_name = ?",
                            keyspace,
                            table)
                    .setNode(node))) {
                times.put(String.valueOf(row.getString(0)), Objects.requireNonNull(row.getInstant(1)));
            }
        } catch (InvalidQueryException e) {
            return new DroppedColumns(Map.of()); // a server without this table
        }
        return new DroppedColumns(times);
    }

    /** The drops that this or another look has seen: of each column the later time. */
    public DroppedColumns and(DroppedColumns other) {
        Map<String, Instant> all = new HashMap<>(times);
        other.times.forEach((column, time) -> all.merge(column, time, (a, b) -> a.isAfter(b) ? a : b));
        return new DroppedColumns(all);
    }

    /** The first of these columns that has been dropped since an earlier look; null if none has. */
    public @Nullable String droppedSince(DroppedColumns earlier, Collection<String> columns) {
        for (String column : columns) {
            Instant time = times.get(column);
            if (time != null && !time.equals(earlier.times.get(column))) {
                return column;
            }
        }
        return null;
    }
}
