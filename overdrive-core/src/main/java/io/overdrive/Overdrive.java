package io.overdrive;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.scan.ScanPlan;
import io.overdrive.internal.wire.Wire;
import io.overdrive.internal.write.WritePlan;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The way in: one connection to a cluster, from which writers are opened. Thread-safe. Close it last.
 */
public final class Overdrive implements AutoCloseable {
    private final Wire wire;

    private Overdrive(Wire wire) {
        this.wire = wire;
    }

    /**
     * Connects.
     *
     * @throws OverdriveException of kind CONNECT, with what each contact point answered
     */
    public static Overdrive connect(ConnectOptions options) {
        return new Overdrive(Wire.connect(options));
    }

    /** The driver's session, for statements that are not bulk work. Closed with this object. */
    public CqlSession session() {
        return wire.session();
    }

    /**
     * Runs a statement that changes the schema, and waits until every node has the change: what is asked next, of
     * whatever node, finds it. A node of another data centre that may be down is waited for 10 s only, with a warning in the log:
     * a node that does not know a table yet can acknowledge writes to it that it does not keep.
     *
     * @throws OverdriveException of kind SCHEMA where nodes still differ after 30 s
     * @throws com.datastax.oss.driver.api.core.DriverException where the server refuses the statement
     */
    public void changeSchema(String cql) {
        SchemaChange.run(wire.session(), cql);
    }

    /** Whether both are connected to the same cluster, by whatever contact points. */
    public boolean isSameCluster(Overdrive other) {
        return this == other
                || !Collections.disjoint(
                        wire.session().getMetadata().getNodes().keySet(),
                        other.wire.session().getMetadata().getNodes().keySet());
    }

    /**
     * The columns of a table, also of Cassandra's own and virtual ones, or of a materialized view; names are not quoted.
     *
     * @throws OverdriveException of kind SCHEMA where there is no such table
     */
    public TableSchema table(String keyspace, String table) {
        CqlIdentifier ks = CqlIdentifier.fromInternal(keyspace);
        CqlIdentifier name = CqlIdentifier.fromInternal(table);
        Optional<RelationMetadata> known = find(wire.session().getMetadata(), ks, name);
        if (known.isPresent()) {
            return TableSchema.of(known.get());
        }
        Optional<TableSchema> system = SystemTables.find(wire.session(), ks, name);
        if (system.isPresent()) {
            return system.get();
        }
        // A table that somebody has just made may be news to us: ask before saying no.
        Metadata metadata = wire.session().refreshSchema();
        return TableSchema.of(find(metadata, ks, name).orElseThrow(() -> missing(metadata, ks, name)));
    }

    private static Optional<RelationMetadata> find(Metadata metadata, CqlIdentifier keyspace, CqlIdentifier table) {
        return metadata.getKeyspace(keyspace).flatMap(k -> {
            Optional<RelationMetadata> found = k.getTable(table).map(t -> t);
            return found.isPresent() ? found : k.getView(table).map(v -> v);
        });
    }

    private OverdriveException missing(Metadata metadata, CqlIdentifier keyspace, CqlIdentifier table) {
        String name = keyspace.asInternal();
        List<String> tables = metadata.getKeyspace(keyspace)
                .map(k -> k.getTables().keySet().stream()
                        .map(CqlIdentifier::asInternal)
                        .sorted()
                        .toList())
                .orElseGet(() -> SystemTables.names(wire.session(), keyspace));
        boolean isThere = !tables.isEmpty() || metadata.getKeyspace(keyspace).isPresent();
        return new OverdriveException(
                Kind.SCHEMA,
                isThere
                        ? "keyspace \"" + name + "\" has no table \"" + table.asInternal() + "\"; its tables are "
                                + String.join(", ", tables)
                        : "there is no keyspace \"" + name + "\"");
    }

    /**
     * Opens a writer.
     *
     * @throws IllegalArgumentException where the grouping memory does not fit into the Java heap
     * @throws OverdriveException of kind SCHEMA where the options do not fit the table, or the server refuses the
     *     statement; of kind CONNECT where write times come from a clock that is far from the cluster's ({@link #checkClock})
     */
    public RowWriter writer(WriteOptions options) {
        WriteOptions.checkGroupingMemory(options.groupingMemory());
        String statement = options.statement();
        WritePlan plan;
        if (statement != null) {
            plan = WritePlan.forStatement(wire, options, statement);
        } else {
            plan = WritePlan.forTable(wire, options, table(options.keyspaceOfTarget(), options.tableOfTarget()));
        }
        Long timestamp = options.timestamp();
        if (timestamp == null && plan.setsWriteTime()) {
            checkClock(
                    options.statement() == null
                            ? "give the write time of the first row with timestamp (--timestamp)"
                            : "give the write times with USING TIMESTAMP in the statement");
        }
        return new RowWriter(wire, plan, options, timestamp != null ? timestamp : WriteClock.SYSTEM.now());
    }

    /**
     * Compares the clock of this machine, from which write times come, with the clocks of up to 8 nodes of the local data
     * centre. A difference of more than half a second is logged as a warning. {@link #writer} does this itself unless a
     * timestamp is given; for programs that choose timestamps by their own clock.
     *
     * @param remedy what else the user can do besides setting the clock, as part of a sentence, for the error message
     * @throws OverdriveException of kind CONNECT if a clock differs by more than 10 s, half of the round trip not counted:
     *     rows, or what others write after them, would be acknowledged and have no effect
     */
    public void checkClock(String remedy) {
        WriteClock.SYSTEM.compare(wire.session(), remedy);
    }

    /**
     * Prepares a read of all rows of a table or a query.
     *
     * @throws OverdriveException of kind SCHEMA where the options do not fit the table, or the server refuses the query
     */
    public Scan scan(ScanOptions options) {
        String query = options.query();
        if (query != null) {
            return new Scan(wire, options, ScanPlan.forQuery(wire, options, query, usesMurmur3()));
        }
        TableSchema table = table(options.keyspaceOfTarget(), options.tableOfTarget());
        return new Scan(wire, options, ScanPlan.forTable(wire, options, table, usesMurmur3()));
    }

    /**
     * Prepares a count: the scan gives one row for each token range that was asked for, with the number of its rows as the
     * only column, a bigint. The servers count; rows do not come here.
     *
     * @param options of a table, without columns
     * @throws OverdriveException of kind SCHEMA where there is no such table, or the server refuses the conditions
     */
    public Scan count(ScanOptions options) {
        return aggregate(options, List.of("count(*)"));
    }

    /**
     * Prepares sums of all rows, made by the servers: the scan gives one row for each token range that was asked for, which the
     * caller adds up, and has one for ranges without rows, too, with counts of 0 and else nulls.
     *
     * @param options of a table, without columns
     * @param selection expressions of CQL, each of which makes one value of many rows: {@code count(*)}, {@code max("v")}
     * @throws IllegalArgumentException where nothing is selected
     * @throws OverdriveException of kind SCHEMA where there is no such table, or the server refuses the selection or the
     *     conditions
     */
    public Scan aggregate(ScanOptions options, List<String> selection) {
        if (selection.isEmpty()) {
            throw new IllegalArgumentException("selection is empty, must have an expression such as count(*)");
        }
        TableSchema table = table(options.keyspaceOfTarget(), options.tableOfTarget());
        return new Scan(wire, options, ScanPlan.forSums(wire, options, selection, table, usesMurmur3()));
    }

    /**
     * Prepares a count of each partition: the scan gives one row for each, with the columns of the partition key, and the
     * number of its rows as the last column, a bigint.
     *
     * @param options of a table, without columns
     * @throws OverdriveException of kind SCHEMA where there is no such table, or the server refuses the conditions
     */
    public Scan countPartitions(ScanOptions options) {
        TableSchema table = table(options.keyspaceOfTarget(), options.tableOfTarget());
        return new Scan(wire, options, ScanPlan.forPartitionCounts(wire, options, table, usesMurmur3()));
    }

    /**
     * Prepares a read of a table with the write times of its cells: after the columns come, for each of them outside of the
     * primary key and in their order, {@code writetime} and {@code ttl}. These are bigint and int, and lists of them for
     * collections and UDTs that are not frozen, which have them for each element.
     *
     * @param options of a table
     * @throws OverdriveException of kind SCHEMA where there is no such table, or the server refuses: those before
     *     Cassandra 5 do not tell the write times of collections
     */
    public Scan scanTimes(ScanOptions options) {
        TableSchema table = table(options.keyspaceOfTarget(), options.tableOfTarget());
        return new Scan(wire, options, ScanPlan.forTimes(wire, options, table, usesMurmur3()));
    }

    /**
     * Prepares reads of a table by key.
     *
     * @param options of a table; its splits do not matter
     * @param keyColumns the whole partition key and, maybe, clustering columns from the first on, in the order in which
     *     {@link Lookup.Queue#key} is to have them
     * @throws OverdriveException of kind SCHEMA where there is no such table, rows cannot be had by these columns, or the
     *     server refuses the conditions
     */
    public Lookup lookup(ScanOptions options, List<String> keyColumns) {
        TableSchema table = table(options.keyspaceOfTarget(), options.tableOfTarget());
        return new Lookup(wire, options, ScanPlan.forKeys(wire, options, table, keyColumns));
    }

    private boolean usesMurmur3() {
        return wire.session()
                .getMetadata()
                .getTokenMap()
                .filter(tokens -> tokens.getPartitionerName().endsWith("Murmur3Partitioner"))
                .isPresent();
    }

    @Override
    public void close() {
        wire.close();
    }
}
