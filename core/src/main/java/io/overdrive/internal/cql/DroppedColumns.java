package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.internal.core.util.concurrent.CompletableFutures;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
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
        return CompletableFutures.getUninterruptibly(ask(session, node, keyspace, table));
    }

    /** As {@link #of(CqlSession, Node, String, String)}, without waiting for the answer. */
    static CompletionStage<DroppedColumns> ask(CqlSession session, @Nullable Node node, String keyspace, String table) {
        CompletionStage<List<Row>> rows = OwnQuery.rows(
                session,
                OwnQuery.of(
                                "SELECT column_name, dropped_time FROM system_schema.dropped_columns WHERE keyspace_name = ? AND"
                                        + " table_name = ?",
                                keyspace,
                                table)
                        .setNode(node));
        return OwnQuery.orElse(rows, List.of()).thenApply(DroppedColumns::of);
    }

    private static DroppedColumns of(List<Row> rows) {
        Map<String, Instant> times = new HashMap<>();
        for (Row row : rows) {
            times.put(String.valueOf(row.getString(0)), Objects.requireNonNull(row.getInstant(1)));
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
