package io.overdrive.jobs.journal;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Overdrive;
import io.overdrive.TableSchema;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.scan.RowSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The cluster and the table of a run, as they were when it began, so that a resumed run finds the same ones. Immutable.
 *
 * @param cluster name of the cluster
 * @param hosts ids of its nodes; nodes may come and go, but not all of them at once
 * @param table keyspace and table, or the statement of the run
 * @param tableId the server's id of the table, also of a statement, which is another one after the table was dropped and created; null if
 *     it has none
 * @param columns name, type and role of each column; of a statement, name and type of its bind markers or columns
 * @param drops when each column of the table was dropped before it was added again; of columns that were never dropped, nothing. Null in
 *     runs of versions that did not record it
 * @param rows the rows of the table that are read, such as those of keys; empty for all
 */
public record RunTarget(
        String cluster,
        List<String> hosts,
        String table,
        @Nullable String tableId,
        List<String> columns,
        @Nullable Map<String, String> drops,
        String rows) {
    public RunTarget(
            String cluster,
            List<String> hosts,
            String table,
            @Nullable String tableId,
            List<String> columns,
            @Nullable Map<String, String> drops) {
        this(cluster, hosts, table, tableId, columns, drops, /* rows */ "");
    }

    public RunTarget {
        hosts = List.copyOf(hosts);
        columns = List.copyOf(columns);
        drops = drops == null ? null : new TreeMap<>(drops);
    }

    /** The table as it is now. */
    public static RunTarget of(Overdrive overdrive, TableSchema schema) {
        return of(
                overdrive,
                schema.cqlName(),
                schema,
                schema.columns().stream()
                        .map(each -> each.cqlName() + " " + each.type().asCql(true, true) + " " + each.role())
                        .toList());
    }

    /**
     * A statement.
     *
     * @param keyspace its table's, not quoted
     * @param columns its bind markers or columns
     * @param types of these
     */
    public static RunTarget of(
            Overdrive overdrive,
            String statement,
            String keyspace,
            String table,
            List<String> columns,
            List<DataType> types) {
        List<String> typed = IntStream.range(0, columns.size())
                .mapToObj(i -> columns.get(i) + " " + types.get(i).asCql(/* includeFrozen */ true, /* pretty */ true))
                .toList();
        return of(overdrive, statement, overdrive.table(keyspace, table), typed);
    }

    /** Several tables, each of which has its own target, too. */
    public static RunTarget of(Overdrive overdrive, String tables) {
        return new RunTarget(
                cluster(overdrive), hosts(overdrive), tables, /* tableId */ null, List.of(), /* drops */ Map.of());
    }

    private static RunTarget of(Overdrive overdrive, String name, TableSchema schema, List<String> columns) {
        Map<String, String> drops = new TreeMap<>();
        DroppedColumns.of(overdrive.session(), schema.keyspace(), schema.table())
                .times()
                .forEach((column, time) -> schema.column(column).ifPresent(c -> drops.put(column, time.toString())));
        return new RunTarget(
                cluster(overdrive),
                hosts(overdrive),
                name,
                metadata(overdrive)
                        .getKeyspace(CqlIdentifier.fromInternal(schema.keyspace()))
                        .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(schema.table())))
                        .flatMap(TableMetadata::getId)
                        .map(UUID::toString)
                        .orElse(null),
                columns,
                drops);
    }

    /** The same table, of which only the rows of this source are read; all of them if it is null. */
    public RunTarget rowsOf(@Nullable RowSource source) {
        return new RunTarget(cluster, hosts, table, tableId, columns, drops, source == null ? "" : source.identity());
    }

    private static Metadata metadata(Overdrive overdrive) {
        return overdrive.session().getMetadata();
    }

    private static String cluster(Overdrive overdrive) {
        return metadata(overdrive).getClusterName().orElse("");
    }

    private static List<String> hosts(Overdrive overdrive) {
        return metadata(overdrive).getNodes().keySet().stream()
                .map(UUID::toString)
                .sorted()
                .toList();
    }

    /** Whether the present target is the same rows of the same table, whose columns may have changed. */
    public boolean isSameTable(RunTarget now) {
        return otherTable(now) == null;
    }

    private @Nullable String otherTable(RunTarget now) {
        if (!cluster.equals(now.cluster)) {
            return "the run wrote to or read from the cluster \"" + cluster + "\", and this is \"" + now.cluster + "\"";
        }
        if (Collections.disjoint(hosts, now.hosts)) {
            return "this cluster has the name of the run's, \"" + cluster + "\", and none of its nodes";
        }
        if (!table.equals(now.table)) {
            return "the run was about " + table + ", and this is " + now.table;
        }
        if (tableId != null && !tableId.equals(now.tableId)) {
            return "the table was dropped and created since the run began: " + table;
        }
        if (!rows.equals(now.rows)) {
            return "the run read " + rowsInWords() + " of " + table + ", and this command reads " + now.rowsInWords();
        }
        return null;
    }

    /** The difference to the present target, for the user; null if the run may be resumed. */
    public @Nullable String change(RunTarget now) {
        String other = otherTable(now);
        if (other != null) {
            return other;
        }
        List<String> gone = new ArrayList<>(columns);
        gone.removeAll(now.columns);
        List<String> added = new ArrayList<>(now.columns);
        added.removeAll(columns);
        if (gone.isEmpty() && added.isEmpty()) {
            return dropped(now);
        }
        return "the schema of " + table + " has changed since the run began: "
                + (gone.isEmpty() ? "" : "it had " + String.join(", ", gone))
                + (gone.isEmpty() || added.isEmpty() ? "" : ", ")
                + (added.isEmpty() ? "" : "it now has " + String.join(", ", added));
    }

    private String rowsInWords() {
        return rows.isEmpty() ? "all rows" : "the rows of " + rows;
    }

    /** Values from before are hidden, whenever they are written; and rows that were read before have other values. */
    private @Nullable String dropped(RunTarget now) {
        if (drops == null || now.drops == null || drops.equals(now.drops)) {
            return null;
        }
        Map<String, String> since = new TreeMap<>(now.drops);
        since.entrySet().removeAll(drops.entrySet());
        return since.isEmpty()
                ? null
                : since.keySet().stream()
                                .map(name -> CqlIdentifier.fromInternal(name).asCql(/* pretty */ true))
                                .collect(Collectors.joining(
                                        ", ", since.size() == 1 ? "the column " : "the columns ", ""))
                        + (since.size() == 1 ? " was" : " were") + " dropped and added since the run began, in "
                        + table;
    }
}
