package io.overdrive;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.wire.Wire;
import io.overdrive.internal.write.Grouper;
import io.overdrive.internal.write.WritePlan;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The way in: one connection to a cluster, from which writers are opened. Thread-safe. Close it last.
 */
public final class Overdrive implements AutoCloseable {
    /** What must stay free holds the rows under way, and whatever the caller needs. */
    private static final double LARGEST_SHARE_OF_HEAP = 0.6;

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
     * The columns of a table; names are not quoted.
     *
     * @throws OverdriveException of kind SCHEMA where there is no such table
     */
    public TableSchema table(String keyspace, String table) {
        CqlIdentifier ks = CqlIdentifier.fromInternal(keyspace);
        CqlIdentifier name = CqlIdentifier.fromInternal(table);
        Optional<TableMetadata> known = find(wire.session().getMetadata(), ks, name);
        // A table that somebody has just made may be news to us: ask before saying no.
        Metadata metadata = known.isPresent()
                ? wire.session().getMetadata()
                : wire.session().refreshSchema();
        return TableSchema.of(find(metadata, ks, name).orElseThrow(() -> missing(metadata, ks, name)));
    }

    private static Optional<TableMetadata> find(Metadata metadata, CqlIdentifier keyspace, CqlIdentifier table) {
        return metadata.getKeyspace(keyspace).flatMap(k -> k.getTable(table));
    }

    private static OverdriveException missing(Metadata metadata, CqlIdentifier keyspace, CqlIdentifier table) {
        String name = keyspace.asInternal();
        return new OverdriveException(
                Kind.SCHEMA,
                metadata.getKeyspace(keyspace)
                        .map(k -> "keyspace \"" + name + "\" has no table \"" + table.asInternal()
                                + "\"; its tables are "
                                + k.getTables().keySet().stream()
                                        .map(CqlIdentifier::asInternal)
                                        .sorted()
                                        .collect(Collectors.joining(", ")))
                        .orElse("there is no keyspace \"" + name + "\""));
    }

    /**
     * Opens a writer.
     *
     * @throws IllegalArgumentException where the grouping memory does not fit into the Java heap
     * @throws OverdriveException of kind SCHEMA where the options do not fit the table, or the server refuses the
     *     statement
     */
    public RowWriter writer(WriteOptions options) {
        long heap = Runtime.getRuntime().maxMemory();
        if (options.groupingMemory() > heap * LARGEST_SHARE_OF_HEAP) {
            throw new IllegalArgumentException("groupingMemory is " + (options.groupingMemory() >> 20)
                    + " MiB, too much for a Java heap of " + (heap >> 20)
                    + " MiB: lower it, or give Java more (-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx2g on the command line)");
        }
        String statement = options.statement();
        WritePlan plan;
        if (statement != null) {
            plan = WritePlan.forStatement(wire, options, statement);
        } else {
            plan = WritePlan.forTable(wire, options, table(options.keyspaceOfTarget(), options.tableOfTarget()));
        }
        Long timestamp = options.timestamp();
        long base = timestamp != null ? timestamp : ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
        return new RowWriter(plan, options, new Grouper(wire, plan, options, base, options.attachments()), base);
    }

    @Override
    public void close() {
        wire.close();
    }
}
