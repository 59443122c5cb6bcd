package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.internal.core.util.concurrent.CompletableFutures;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
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
    private final CompletableFuture<State> before;

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
        before = now().toCompletableFuture();
    }

    /**
     * The table as it is now. If no node says that in time, nothing will be noticed.
     *
     * @param columns without quotes; others may be dropped
     */
    public static SameTable of(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, List<String> columns) {
        SameTable asked = ask(session, keyspace, table, columns);
        asked.await();
        return asked;
    }

    /** As {@link #of}, without waiting for the answer: the job begins after {@link #await}. */
    public static SameTable ask(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, List<String> columns) {
        return new SameTable(session, keyspace, table, columns);
    }

    /** Waits until it is known which table it was, or that no node says it. */
    public void await() {
        var unused = before();
    }

    private @Nullable State before() {
        try {
            return CompletableFutures.getUninterruptibly(before);
        } catch (AllNodesFailedException | DriverTimeoutException e) {
            return null;
        }
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

    /** Asks for both at once. */
    private CompletionStage<State> now() {
        CompletionStage<DroppedColumns> drops = columns.isEmpty()
                ? CompletableFuture.completedStage(new DroppedColumns(Map.of()))
                : DroppedColumns.ask(session, /* node */ null, keyspace.asInternal(), table.asInternal());
        return askId(session, /* node */ null, keyspace, table).thenCombine(drops, State::new);
    }

    /**
     * The id by which a server knows a table or view, and which another one of the name does not have.
     *
     * @param node to ask; null for any
     * @return null if there is none, or the server does not say it
     */
    public static @Nullable UUID id(
            CqlSession session, @Nullable Node node, CqlIdentifier keyspace, CqlIdentifier table) {
        return CompletableFutures.getUninterruptibly(askId(session, node, keyspace, table));
    }

    private static CompletionStage<@Nullable UUID> askId(
            CqlSession session, @Nullable Node node, CqlIdentifier keyspace, CqlIdentifier table) {
        Function<String, CompletionStage<List<Row>>> rows = query -> OwnQuery.rows(
                session,
                OwnQuery.of(query, keyspace.asInternal(), table.asInternal()).setNode(node));
        CompletionStage<List<Row>> found = rows.apply(TABLE)
                .thenCompose(row -> row.isEmpty() ? rows.apply(VIEW) : CompletableFuture.completedStage(row));
        return OwnQuery.orElse(found, List.of())
                .thenApply(row -> row.isEmpty() ? null : row.get(0).getUuid("id"));
    }

    /**
     * The table or column that was dropped since, even if there is another one of the name; null if none was.
     *
     * @param kind of the exception if that cannot be found out
     * @throws OverdriveException of this kind; of kind INTERRUPTED if the thread is interrupted
     */
    public @Nullable String dropped(Kind kind) {
        State known = before();
        if (known == null) {
            return null;
        }
        State now = AtTheEnd.ask(
                kind,
                "[" + name() + "] it cannot be found out whether the table was dropped and created meanwhile",
                () -> CompletableFutures.getUninterruptibly(now()));
        if (known.id != null && !known.id.equals(now.id)) {
            return "the table";
        }
        String column = now.drops.droppedSince(known.drops, columns);
        return column == null ? null : "column \"" + column + "\"";
    }
}
