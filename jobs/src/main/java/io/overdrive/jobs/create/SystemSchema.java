package io.overdrive.jobs.create;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.ColumnDefinition;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.type.codec.TypeCodec;
import io.overdrive.TableSchema;
import io.overdrive.internal.cql.OwnQuery;
import io.overdrive.internal.cql.TableDescription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Properties of a table or a materialized view, from the server's system tables, that the driver's metadata lack or
 * have only for some server versions. Stateless: queries at each call.
 */
final class SystemSchema {
    private static final String OF_TABLE = " WHERE keyspace_name = ? AND table_name = ?";

    private SystemSchema() {}

    /** Names of the clustering columns in DESC order. */
    static Set<String> descending(CqlSession session, TableSchema table) {
        Set<String> names = new HashSet<>();
        for (Row row :
                ask(session, "SELECT column_name, clustering_order FROM system_schema.columns" + OF_TABLE, table)) {
            if ("desc".equalsIgnoreCase(row.getString(1))) {
                names.add(String.valueOf(row.getString(0)));
            }
        }
        return Set.copyOf(names);
    }

    /** CQL literals of all options that are set, by their names. */
    static Map<String, String> options(CqlSession session, TableSchema table) {
        List<Row> rows = ask(session, "SELECT * FROM system_schema.tables" + OF_TABLE, table);
        if (rows.isEmpty()) {
            rows = ask(session, "SELECT * FROM system_schema.views WHERE keyspace_name = ? AND view_name = ?", table);
        }
        Map<String, String> options = new TreeMap<>();
        for (Row row : rows) {
            for (ColumnDefinition column : row.getColumnDefinitions()) {
                Object value = row.getObject(column.getName());
                if (value != null) {
                    TypeCodec<Object> codec = row.codecRegistry().codecFor(column.getType());
                    options.put(column.getName().asInternal(), codec.format(value));
                }
            }
        }
        described(session, table).ifPresent(description -> description.options().forEach(options::putIfAbsent));
        return options;
    }

    private static Optional<TableDescription> described(CqlSession session, TableSchema table) {
        return TableDescription.read(
                session,
                /* node */ null,
                CqlIdentifier.fromInternal(table.keyspace()),
                CqlIdentifier.fromInternal(table.table()));
    }

    /** Names of the options that the server supports. */
    static Set<String> knownOptions(CqlSession session) {
        Set<String> names = new HashSet<>();
        session.execute(OwnQuery.of("SELECT * FROM system_schema.tables LIMIT 1"))
                .getColumnDefinitions()
                .forEach(column -> names.add(column.getName().asInternal()));
        return names;
    }

    /**
     * Parts of a table other than its columns and options, as text: {@code index by_name}, {@code trigger audit},
     * {@code constraint of column v (CHECK LENGTH() < 3)}.
     *
     * @param withLater whether indexes and views are among them
     */
    static List<String> dependents(CqlSession session, TableSchema table, boolean withLater) {
        List<String> names = withLater ? indexesAndViews(session, table) : new ArrayList<>();
        names.addAll(named("trigger ", session, "SELECT trigger_name FROM system_schema.triggers", table));
        names.addAll(named("mask of column ", session, "SELECT column_name FROM system_schema.column_masks", table));
        described(session, table).ifPresent(description -> description
                .constraints()
                .forEach((column, words) -> names.add("constraint of column " + column + " (" + words + ")")));
        names.sort(null);
        return names;
    }

    private static List<String> indexesAndViews(CqlSession session, TableSchema table) {
        List<String> names = new ArrayList<>();
        CqlIdentifier name = CqlIdentifier.fromInternal(table.table());
        session.getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(table.keyspace()))
                .ifPresent(keyspace -> {
                    keyspace.getTable(name).map(TableMetadata::getIndexes).ifPresent(indexes -> indexes.keySet()
                            .forEach(index -> names.add("index " + index.asCql(true))));
                    keyspace.getViewsOnTable(name)
                            .keySet()
                            .forEach(view -> names.add("materialized view " + view.asCql(true)));
                });
        return names;
    }

    private static List<String> named(String what, CqlSession session, String query, TableSchema table) {
        return ask(session, query + OF_TABLE, table).stream()
                .map(row -> what
                        + CqlIdentifier.fromInternal(String.valueOf(row.getString(0)))
                                .asCql(true))
                .collect(Collectors.toList());
    }

    private static List<Row> ask(CqlSession session, String query, TableSchema table) {
        try {
            return session.execute(OwnQuery.of(query, table.keyspace(), table.table()))
                    .all();
        } catch (InvalidQueryException e) {
            return List.of(); // this server version has no such table
        }
    }
}
