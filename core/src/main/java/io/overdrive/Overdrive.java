package io.overdrive;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.cql.SchemaChange;
import io.overdrive.internal.cql.SchemaRefresh;
import io.overdrive.internal.cql.SystemTables;
import io.overdrive.internal.guard.Guard;
import io.overdrive.internal.names.DidYouMean;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.scan.ScanLayout;
import io.overdrive.internal.scan.ScanPlanner;
import io.overdrive.internal.wire.Wire;
import io.overdrive.internal.write.WriteClock;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WritePlanner;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a cluster, from which writers, scans and lookups are opened: the entry point of the library. Thread-safe.
 * Close it after them.
 */
public final class Overdrive implements AutoCloseable {
    /** Maximum number of tables that a message names; others are counted. */
    private static final int MAX_NAMED_TABLES = 20;

    private final Wire wire;
    private final @Nullable Guard guard;
    private final @Nullable String username;

    private Overdrive(Wire wire, @Nullable Guard guard, @Nullable String username) {
        this.wire = wire;
        this.guard = guard;
        this.username = username;
    }

    /**
     * Connects.
     *
     * @throws OverdriveException of kind CONNECT, with the failure of each contact point
     */
    public static Overdrive connect(ConnectOptions options) {
        return of(Wire.connect(options), options, options.username());
    }

    private static Overdrive of(Wire wire, ConnectOptions options, @Nullable String username) {
        GuardLimit limit = options.guard();
        if (limit == null) {
            return new Overdrive(wire, /* guard */ null, username);
        }
        Guard guard = new Guard(wire, options, limit);
        wire.guardedBy(guard);
        return new Overdrive(wire, guard, username);
    }

    /**
     * Another connection over the session of this one, which stays open when that one is closed; its figures, decisions, found sizes and
     * guard are its own. For Overdrive's own modules.
     *
     * @param options of which only the guard and the found sizes count
     */
    public Overdrive share(ConnectOptions options) {
        return of(wire.share(options.foundSizes()), options, username);
    }

    /** The name that it has logged in with; empty if it had none. */
    public Optional<String> username() {
        return Optional.ofNullable(username);
    }

    /** The driver's session, for single statements. Closed with this object. */
    public CqlSession session() {
        return wire.session();
    }

    /**
     * Runs a statement that changes the schema, and waits for schema agreement, so that the next request to any node sees the
     * change. For a node of another data centre that may be down it waits only 10 s, and logs a warning: a node without the
     * table can acknowledge writes to it without storing them.
     *
     * @throws OverdriveException of kind SCHEMA if there is no agreement after 30 s; of kind INTERRUPTED if the thread is interrupted
     *     while it waits, after the change
     * @throws com.datastax.oss.driver.api.core.DriverException if the server refuses the statement
     */
    public void changeSchema(String cql) {
        SchemaChange.run(wire.session(), wire::hasControlConnection, cql);
    }

    /**
     * Gives each decision on how much may be in flight to a node to a handler, for all writers, scans and lookups of this
     * connection. About one a second for each node and job, on the connection's timer: the handler must be quick.
     */
    public void onFlowDecision(Consumer<FlowDecision> handler) {
        wire.onFlowDecision(handler);
    }

    /**
     * Gives each decision on whether single rows share requests to a handler, for all writers of this connection: one after each
     * comparison, on the connection's timer, so the handler must be quick.
     */
    public void onGatheringDecision(Consumer<GatheringDecision> handler) {
        wire.onGatheringDecision(handler);
    }

    /**
     * Requests that each node was sent over this connection, and how it answered: one element for each node that was
     * used, by address. Takes time in proportion to the requests in flight; not for each row.
     */
    public List<NodeTotals> nodes() {
        return wire.traffic().nodes();
    }

    /** Figures and decisions of this connection's guard; empty without a guard, or if no bulk work has begun. */
    public Optional<GuardTotals> guardTotals() {
        return guard == null ? Optional.empty() : guard.totals();
    }

    /**
     * Gives each decision of the guard to a handler: about one in two seconds during bulk work, on a timer of the guard, so the
     * handler must be quick. Without a guard there are none.
     */
    public void onGuardDecision(Consumer<GuardTotals> handler) {
        if (guard != null) {
            guard.onDecision(handler);
        }
    }

    /**
     * Waits until a node is up that takes requests. {@link #writer}, {@link #scan} and the other methods that prepare statements do this
     * with the patience of their options; call it before requests of {@link #session()} that are to wait as they do.
     *
     * @throws OverdriveException of kind CONNECT if no node is up within this time, or this was closed; of kind INTERRUPTED if the
     *     thread is interrupted
     */
    public void awaitNode(Duration patience) {
        wire.awaitNode(patience);
    }

    /**
     * Logs in with this password from now on, if this connection has a user; connections to nodes that are open stay. For Overdrive's own
     * modules.
     */
    public void password(String password) {
        wire.password(password);
    }

    /** Which nodes requests for a table reach, without conditions; without replicas if its keyspace does not exist. */
    public Reach reach(String keyspace, String table, ConsistencyLevel consistency) {
        return Reach.of(
                wire.metadata(),
                CqlIdentifier.fromInternal(keyspace),
                CqlIdentifier.fromInternal(table),
                DefaultConsistencyLevel.valueOf(consistency.name()),
                /* hasConditions */ false);
    }

    /**
     * The nodes that have the partitions of a keyspace, as all writers and scans of this connection see them: it is made once for each
     * state of the cluster. For Overdrive's own modules.
     */
    public Ring ring(String keyspace) {
        return wire.ring(CqlIdentifier.fromInternal(keyspace)).now();
    }

    /** Whether both are connected to the same cluster, even if through different contact points. */
    public boolean isSameCluster(Overdrive other) {
        return this == other
                || !Collections.disjoint(
                        wire.session().getMetadata().getNodes().keySet(),
                        other.wire.session().getMetadata().getNodes().keySet());
    }

    /**
     * The columns of a table, including system and virtual tables, or of a materialized view; names are not quoted.
     *
     * @throws OverdriveException of kind SCHEMA if there is no such table; of kind CONNECT if that is not known, since the schema
     *     cannot be read
     */
    public TableSchema table(String keyspace, String table) {
        CqlIdentifier ks = CqlIdentifier.fromInternal(keyspace);
        CqlIdentifier name = CqlIdentifier.fromInternal(table);
        Optional<RelationMetadata> known = Columns.relation(wire.session().getMetadata(), ks, name);
        if (known.isPresent()) {
            return TableSchema.of(known.get());
        }
        Optional<TableSchema> system = SystemTables.find(wire.session(), ks, name);
        if (system.isPresent()) {
            return system.get();
        }
        Metadata metadata = refreshSchema();
        return TableSchema.of(Columns.relation(metadata, ks, name).orElseThrow(() -> missing(metadata, ks, name)));
    }

    /**
     * Reads the schema again: another client may have just changed it.
     *
     * @throws OverdriveException of kind CONNECT if the driver cannot, for example because no node answers
     */
    public Metadata refreshSchema() {
        return SchemaRefresh.run(wire.session(), wire::hasControlConnection, SchemaRefresh.TIMEOUT);
    }

    private OverdriveException missing(Metadata metadata, CqlIdentifier keyspace, CqlIdentifier table) {
        String name = keyspace.asInternal();
        List<String> tables = metadata.getKeyspace(keyspace)
                .map(k -> Stream.concat(k.getTables().keySet().stream(), k.getViews().keySet().stream())
                        .map(CqlIdentifier::asInternal)
                        .sorted()
                        .toList())
                .orElseGet(() -> SystemTables.names(wire.session(), keyspace));
        if (tables.isEmpty() && metadata.getKeyspace(keyspace).isEmpty()) {
            List<String> keyspaces = SystemTables.otherKeyspaces(wire.session());
            return new OverdriveException(
                    Kind.SCHEMA,
                    keyspaces.contains(name)
                            ? "this connection does not know keyspace \"" + name
                                    + "\", as it was opened for others: open one for it, too"
                            : "there is no keyspace \"" + name + "\"" + DidYouMean.suggestion(name, keyspaces));
        }
        int others = tables.size() - MAX_NAMED_TABLES;
        return new OverdriveException(
                Kind.SCHEMA,
                "keyspace \"" + name + "\" has no table \"" + table.asInternal() + "\"; its tables are "
                        + String.join(", ", tables.subList(0, Math.min(MAX_NAMED_TABLES, tables.size())))
                        + (others > 0 ? " and " + others + " more" : "")
                        + DidYouMean.suggestion(table.asInternal(), tables));
    }

    /**
     * Opens a writer.
     *
     * @throws IllegalArgumentException if the grouping memory is more than 60 % of the Java heap
     * @throws OverdriveException of kind SCHEMA if the options do not fit the table, the server refuses the statement, or would hide values
     *     because a column was dropped after the write times of the rows, and added again; of kind CONNECT if write times come from this
     *     machine's clock and it differs too much ({@link #checkClock})
     */
    public RowWriter writer(WriteOptions options) {
        WriteOptions.checkGroupingMemory(options.groupingMemory());
        awaitNode(options.patience());
        String statement = options.statement();
        WritePlanner planner = new WritePlanner(wire.session(), options);
        WriteLayout layout = statement != null
                ? planner.forStatement(statement, this::table)
                : planner.forTable(table(options.keyspaceOfTarget(), options.tableOfTarget()));
        Long resumed = options.resumedTimestamp();
        Long timestamp = resumed != null ? resumed : options.timestamp();
        if (timestamp == null && layout.rules.setsWriteTime()) {
            checkClock(
                    statement == null
                            ? words -> "give the write time of the first row with " + words.of(WriteSetting.TIMESTAMP)
                            : words -> "give the write times with USING TIMESTAMP in the statement");
        }
        long first = timestamp != null ? timestamp : WriteClock.SYSTEM.now();
        if (layout.rules.setsWriteTime() && resumed != null) {
            layout.hidden.refuseResumed(first);
        } else if (layout.rules.setsWriteTime()) {
            layout.hidden.refuse(first);
        }
        return new RowWriter(wire, wire.session(), layout, options, first);
    }

    /**
     * Compares this machine's clock with the clocks of up to 8 nodes of the local data centre, and logs a warning if one differs
     * by more than half a second. {@link #writer} does this unless a timestamp is given; call it in programs that choose
     * timestamps by this machine's clock.
     *
     * @param remedy what the user can do other than set the clock, as part of a sentence, for the error message
     * @throws OverdriveException of kind CONNECT if a clock differs by more than 10 s, not counting half of the round trip:
     *     these rows, or later writes to them, would be acknowledged and have no effect
     */
    public void checkClock(MessageText remedy) {
        WriteClock.SYSTEM.compare(wire.session(), remedy);
    }

    /**
     * Prepares a read of all rows of a table or a query.
     *
     * @throws OverdriveException of kind SCHEMA if the options do not fit the table, or the server refuses the query
     */
    public Scan scan(ScanOptions options) {
        String query = options.query();
        if (query != null) {
            awaitNode(options.patience());
        }
        return query == null
                ? scan(options, ScanPlanner::forTable)
                : new Scan(wire, options, new ScanPlanner(wire.session(), options).forQuery(query));
    }

    private Scan scan(ScanOptions options, BiFunction<ScanPlanner, TableSchema, ScanLayout> plan) {
        awaitNode(options.patience());
        TableSchema table = table(options.keyspaceOfTarget(), options.tableOfTarget());
        ScanLayout layout = plan.apply(new ScanPlanner(wire.session(), options), table);
        if (options.source() != null && !layout.query.isSplit()) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + layout.tableName() + "] only rows with tokens can come from elsewhere than the cluster: "
                            + layout.query.whyNotSplit());
        }
        return new Scan(wire, options, layout);
    }

    /**
     * Prepares a count of rows, done by the servers: the scan has one row for each token range that it requests, with the number
     * of rows in the range as the only column, a bigint. Add them up for the total. If a server does not count a range in time, its rows are
     * read and counted here: then the range has a row for each page of them.
     *
     * @param options of a table, without columns
     * @throws OverdriveException of kind SCHEMA if there is no such table, or the server refuses the conditions
     */
    public Scan count(ScanOptions options) {
        return aggregate(options, List.of(ScanPlanner.COUNT));
    }

    /**
     * Prepares aggregates, computed by the servers: the scan has one row for each token range that it requests, which the caller
     * combines. A range without rows has one too, with counts of 0 and otherwise nulls. For {@code count(*)} alone, see {@link #count}.
     *
     * @param options of a table, without columns
     * @param selection one or more aggregate expressions in CQL, such as {@code count(*)} or {@code max("v")}
     * @throws IllegalArgumentException if the selection is empty
     * @throws OverdriveException of kind SCHEMA if there is no such table, or the server refuses the selection or the conditions
     */
    public Scan aggregate(ScanOptions options, List<String> selection) {
        if (selection.isEmpty()) {
            throw new IllegalArgumentException("selection is empty, must have an expression such as count(*)");
        }
        if (!ScanPlanner.isCount(selection)) {
            refuseSource(options, "computes aggregates");
        }
        return scan(options, (planner, table) -> planner.forAggregates(table, selection));
    }

    /**
     * Prepares a count of the rows of each partition: the scan has one row for each partition, with the columns of its key and
     * the number of its rows as the last column, a bigint. If a server does not count in time, rows are read and counted here.
     *
     * @param options of a table, without columns
     * @throws OverdriveException of kind SCHEMA if there is no such table, or the server refuses the conditions
     */
    public Scan countPartitions(ScanOptions options) {
        return scan(options, ScanPlanner::forPartitionCounts);
    }

    /**
     * Prepares a read of a table with the write times and TTLs of its cells. After the columns follow, for each column outside
     * the primary key in the same order, its {@code writetime}, a bigint, and its {@code ttl}, an int. For collections and UDTs
     * that are not frozen these are lists, with a value for each element. The row marker's follow at the end, if the rows do not
     * come from the cluster ({@link ScanOptions#source}): null if a row has none.
     *
     * @param options of a table
     * @throws OverdriveException of kind SCHEMA if there is no such table, or the server refuses: before Cassandra 5 it cannot
     *     return write times of collections
     */
    public Scan scanTimes(ScanOptions options) {
        return scan(options, ScanPlanner::forTimes);
    }

    /**
     * Prepares reads of a table by key.
     *
     * @param options of a table; settings of splits have no effect
     * @param keyColumns the whole partition key and, optionally, the first clustering columns, in the order of
     *     {@link Lookup.Queue#key}
     * @throws OverdriveException of kind SCHEMA if there is no such table, rows cannot be read by these columns, or the server
     *     refuses the conditions
     */
    public Lookup lookup(ScanOptions options, List<String> keyColumns) {
        refuseSource(options, "reads by key");
        awaitNode(options.patience());
        TableSchema table = table(options.keyspaceOfTarget(), options.tableOfTarget());
        return new Lookup(wire, options, new ScanPlanner(wire.session(), options).forKeys(table, keyColumns));
    }

    private static void refuseSource(ScanOptions options, String what) {
        if (options.source() != null) {
            throw new IllegalArgumentException("only the cluster " + what + ": leave out the source");
        }
    }

    /**
     * Closes the connection, with the driver's session. Close writers, scans and lookups before it: rows that they have not written or read
     * fails, and a writer cannot find out any more whether its table was dropped meanwhile.
     */
    @Override
    public void close() {
        wire.close();
    }
}
