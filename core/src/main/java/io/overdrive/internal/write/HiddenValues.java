package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.cql.AtTheEnd;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.cql.SchemaChange;
import io.overdrive.internal.flow.NodeName;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Values that a statement would write and the server would hide, since their column was dropped after their write time, and added again.
 * The server acknowledges such writes. Immutable; on the hot path (write step 2) if rows bring their own write times.
 */
public final class HiddenValues {
    private static final Logger LOG = LoggerFactory.getLogger(HiddenValues.class);
    /** The server stores the time of a drop in milliseconds, and the node that did it knows the microseconds. */
    private static final long PRECISION_MICROS = 1_000;

    /**
     * A column that the statement writes.
     *
     * @param number of the caller's column with its values; {@link #ANY_ROW} if that is unknown
     */
    record Written(String name, int number) {
        static final int ANY_ROW = -1;
    }

    private record Drop(Written column, Instant time, long hidesUpTo) {
        String says() {
            return "column \"" + column.name + "\" was dropped at " + time
                    + " and added again, and the server hides its values with write times up to then";
        }
    }

    private final @Nullable CqlIdentifier keyspace;
    private final @Nullable CqlIdentifier table;
    private final List<Written> written;
    private final DroppedColumns dropped;
    private final List<Drop> drops;
    private final long latest;

    private HiddenValues(
            @Nullable CqlIdentifier keyspace,
            @Nullable CqlIdentifier table,
            List<Written> written,
            DroppedColumns dropped,
            List<Drop> drops) {
        this.keyspace = keyspace;
        this.table = table;
        this.written = written;
        this.dropped = dropped;
        this.drops = drops;
        this.latest = drops.stream().mapToLong(Drop::hidesUpTo).max().orElse(Long.MIN_VALUE);
    }

    /** If the server sets the write times, or the columns were never dropped. */
    public static HiddenValues none() {
        return new HiddenValues(null, null, List.of(), new DroppedColumns(Map.of()), List.of());
    }

    /** Asks the server which of these columns were dropped. */
    static HiddenValues of(CqlSession session, CqlIdentifier keyspace, CqlIdentifier table, List<Written> written) {
        if (written.isEmpty()) {
            return none();
        }
        DroppedColumns dropped = DroppedColumns.of(session, keyspace.asInternal(), table.asInternal());
        List<Drop> drops = new ArrayList<>();
        for (Written column : written) {
            Instant time = dropped.times().get(column.name);
            if (time != null) {
                long micros = ChronoUnit.MICROS.between(Instant.EPOCH, time);
                drops.add(new Drop(column, time, micros + PRECISION_MICROS - 1));
            }
        }
        return new HiddenValues(keyspace, table, List.copyOf(written), dropped, List.copyOf(drops));
    }

    /**
     * Refuses rows that get these write times and later ones.
     *
     * @throws OverdriveException of kind SCHEMA if values of one of the columns would be hidden
     */
    public void refuse(long firstWriteTime) {
        refuse(firstWriteTime, "give them later ones, or leave the column out");
    }

    /** As {@link #refuse(long)}, for a run that is resumed, whose write times began with this one. */
    public void refuseResumed(long firstWriteTime) {
        refuse(firstWriteTime, "begin a new run");
    }

    private void refuse(long firstWriteTime, String wayOut) {
        Drop drop = dropSince(firstWriteTime);
        if (drop != null) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    tableName() + drop.says() + ": the rows would have write times from " + instant(firstWriteTime)
                            + " (" + firstWriteTime + " microseconds) on; " + wayOut);
        }
    }

    /**
     * Checks again at the end, when all rows are written and the nodes agree on the schema. Rows may have brought write times of any
     * age, so it counts that a column was dropped, and not when.
     *
     * @throws OverdriveException of kind WRITE if a column was dropped meanwhile, or that cannot be found out; of kind INTERRUPTED if the
     *     thread is interrupted
     */
    public void refuseIfDroppedMeanwhile(CqlSession session) {
        if (keyspace == null || table == null) {
            return;
        }
        DroppedColumns now = now(session, keyspace, table);
        String column =
                now.droppedSince(dropped, written.stream().map(Written::name).toList());
        if (column != null) {
            throw new OverdriveException(
                    Kind.WRITE,
                    tableName() + "column \"" + column + "\" was dropped at "
                            + now.times().get(column)
                            + ", while rows were written: their values that have write times up to then are gone, although"
                            + " the server has acknowledged them; write the rows again, with later write times");
        }
    }

    private DroppedColumns now(CqlSession session, CqlIdentifier from, CqlIdentifier of) {
        return AtTheEnd.ask(
                Kind.WRITE,
                tableName()
                        + "all rows are acknowledged, but it cannot be found out whether a column was dropped"
                        + " meanwhile, whose values would be gone",
                // else a drop that only its coordinator knows yet would not be seen
                () -> mayAgree(session) && session.checkSchemaAgreement()
                        ? DroppedColumns.of(session, from.asInternal(), of.asInternal())
                        : ofEachNode(session, from, of));
    }

    private static boolean mayAgree(CqlSession session) {
        return SchemaChange.releases(session.getMetadata().getNodes().values()).size() <= 1;
    }

    /** Nodes that do not agree may know different drops: perhaps only the one that was asked for it. */
    private DroppedColumns ofEachNode(CqlSession session, CqlIdentifier from, CqlIdentifier of) {
        DroppedColumns all = new DroppedColumns(Map.of());
        List<String> unknown = new ArrayList<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (node.getOpenConnections() > 0) {
                all = all.and(DroppedColumns.of(session, node, from.asInternal(), of.asInternal()));
            } else if (node.getState() != NodeState.DOWN) {
                unknown.add(NodeName.of(node));
            }
        }
        if (!unknown.isEmpty()) {
            LOG.warn(
                    "{}the nodes do not agree on the schema, and there is no connection to {}: if a column was dropped"
                            + " by one of these just now, its values may be gone without notice; see nodetool"
                            + " describecluster",
                    tableName(),
                    String.join(" and ", unknown));
        }
        return all;
    }

    private @Nullable Drop dropSince(long writeTime) {
        return writeTime > latest
                ? null
                : drops.stream()
                        .filter(drop -> writeTime <= drop.hidesUpTo)
                        .findFirst()
                        .orElse(null);
    }

    /** Whether a row with this write time may have values that would be hidden. */
    public boolean mayHide(long writeTime) {
        return writeTime <= latest;
    }

    /** Whether any row may have values that would be hidden. */
    public boolean isPossible() {
        return !drops.isEmpty();
    }

    /**
     * Why a row with this write time cannot be written as it is; null if it can.
     *
     * @param hasValue whether one of the caller's columns has a value
     */
    public @Nullable String problem(long writeTime, IntPredicate hasValue) {
        for (Drop drop : drops) {
            if (writeTime <= drop.hidesUpTo
                    && (drop.column.number == Written.ANY_ROW || hasValue.test(drop.column.number))) {
                return drop.says() + ": this one has the write time " + instant(writeTime) + " (" + writeTime
                        + " microseconds); give it a later one, or leave the column out";
            }
        }
        return null;
    }

    private String tableName() {
        return keyspace == null || table == null ? "" : "[" + keyspace.asCql(true) + "." + table.asCql(true) + "] ";
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
