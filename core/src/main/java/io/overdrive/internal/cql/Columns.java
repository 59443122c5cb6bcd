package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Tables and their columns, found by name and listed for CQL. Stateless. */
public final class Columns {
    private Columns() {}

    /** The table or materialized view of this name. */
    public static Optional<RelationMetadata> relation(Metadata metadata, CqlIdentifier keyspace, CqlIdentifier name) {
        return metadata.getKeyspace(keyspace)
                .flatMap(k ->
                        k.getTable(name).<RelationMetadata>map(table -> table).or(() -> k.getView(name)));
    }

    /** The TTL of rows that are written without one, in seconds; 0 for none. */
    public static int defaultTtl(RelationMetadata table) {
        Object seconds = table.getOptions().get(CqlIdentifier.fromInternal("default_time_to_live"));
        return seconds instanceof Integer number ? number : 0;
    }

    /** @throws OverdriveException of kind SCHEMA if the table has no column of exactly this name */
    public static Column require(TableSchema table, String name) {
        return table.column(name)
                .orElseThrow(() -> new OverdriveException(
                        Kind.SCHEMA,
                        "[" + table.cqlName() + "] has no column \"" + name + "\"; its columns are "
                                + table.columns().stream().map(Column::name).collect(Collectors.joining(", "))));
    }

    /** The columns of these names, in this order; all if null. */
    public static List<Column> choose(TableSchema table, @Nullable List<String> names) {
        return names == null
                ? table.columns()
                : names.stream().map(name -> require(table, name)).toList();
    }

    /** Their names, quoted if necessary and separated by commas. */
    public static String list(List<Column> columns) {
        return columns.stream().map(Column::cqlName).collect(Collectors.joining(", "));
    }

    /** A condition that compares each of them with a bind marker. */
    public static String equalMarkers(List<Column> columns) {
        return columns.stream().map(column -> column.cqlName() + " = ?").collect(Collectors.joining(" AND "));
    }
}
