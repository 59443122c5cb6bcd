package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Notices that a table, or one of its columns, was dropped and created while a job wrote or read it. Nodes then only ask for its
 * statements to be prepared again, so the job continues with the new one, and the rows of the old one are missing. Immutable.
 */
public final class SameTable {
    private static final String TABLE =
            "SELECT id FROM system_schema.tables WHERE keyspace_name = ? AND table_name = ?";
    private static final String VIEW = "SELECT id FROM system_schema.views WHERE keyspace_name = ? AND view_name = ?";

    private final CqlSession session;
    private final CqlIdentifier keyspace;
    private final CqlIdentifier table;
    private final List<String> columns;
    private final @Nullable State before;

    /**
     * @param id null if the server does not say it
     * @param drops of columns; none if there are no columns to ask for
     */
    private record State(@Nullable UUID id, DroppedColumns drops) {}

    private SameTable(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, List<String> columns) {
        this.session = session;
        this.keyspace = keyspace;
        this.table = table;
        this.columns = List.copyOf(columns);
        State now;
        try {
            now = now();
        } catch (AllNodesFailedException | DriverTimeoutException e) {
            now = null;
        }
        before = now;
    }

    /**
     * The table as it is now. If no node says that in time, nothing will be noticed.
     *
     * @param columns without quotes; others may be dropped
     */
    public static SameTable of(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, List<String> columns) {
        return new SameTable(session, keyspace, table, columns);
    }

    /**
     * Ends a read of the table.
     *
     * @throws OverdriveException of kind READ if the table or one of the columns was dropped since, or that cannot be found out; of kind
     *     INTERRUPTED if the thread is interrupted
     */
    public void requireForRead() {
        String dropped = dropped(Kind.READ);
        if (dropped != null) {
            throw new OverdriveException(
                    Kind.READ,
                    "[" + name() + "] " + dropped
                            + " was dropped while the table was read, so rows or values are missing, even if it"
                            + " was created again; start again");
        }
    }

    private String name() {
        return keyspace.asCql(/* pretty */ true) + "." + table.asCql(/* pretty */ true);
    }

    private State now() {
        return new State(
                id(session, /* node */ null, keyspace, table),
                columns.isEmpty()
                        ? new DroppedColumns(Map.of())
                        : DroppedColumns.of(session, keyspace.asInternal(), table.asInternal()));
    }

    /**
     * The id by which a server knows a table or view, and which another one of the name does not have.
     *
     * @param node to ask; null for any
     * @return null if there is none, or the server does not say it
     */
    public static @Nullable UUID id(
            CqlSession session, @Nullable Node node, CqlIdentifier keyspace, CqlIdentifier table) {
        for (String query : new String[] {TABLE, VIEW}) {
            Row row;
            try {
                row = session.execute(OwnQuery.of(query, keyspace.asInternal(), table.asInternal())
                                .setNode(node))
                        .one();
            } catch (InvalidQueryException e) {
                return null; // a server without these tables
            }
            if (row != null) {
                return row.getUuid("id");
            }
        }
        return null;
    }

    /**
     * The table or column that was dropped since, even if there is another one of the name; null if none was.
     *
     * @param kind of the exception if that cannot be found out
     * @throws OverdriveException of this kind; of kind INTERRUPTED if the thread is interrupted
     */
    public @Nullable String dropped(Kind kind) {
        State known = before;
        if (known == null) {
            return null;
        }
        State now = AtTheEnd.ask(
                kind,
                "[" + name() + "] it cannot be found out whether the table was dropped and created meanwhile",
                this::now);
        if (known.id != null && !known.id.equals(now.id)) {
            return "the table";
        }
        String column = now.drops.droppedSince(known.drops, columns);
        return column == null ? null : "column \"" + column + "\"";
    }
}
