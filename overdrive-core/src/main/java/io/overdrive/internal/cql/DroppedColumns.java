package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

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

    /** Asks the server; names are without quotes. */
    public static DroppedColumns of(CqlSession session, String keyspace, String table) {
        Map<String, Instant> times = new HashMap<>();
        try {
            for (Row row : session.execute(SimpleStatement.newInstance(
                    "SELECT column_name, dropped_time FROM system_schema.dropped_columns WHERE keyspace_name = ? AND"
                            + " table_name = ?",
                    keyspace,
                    table))) {
                times.put(String.valueOf(row.getString(0)), Objects.requireNonNull(row.getInstant(1)));
            }
        } catch (InvalidQueryException e) {
            return new DroppedColumns(Map.of()); // a server without this table
        }
        return new DroppedColumns(times);
    }
}
