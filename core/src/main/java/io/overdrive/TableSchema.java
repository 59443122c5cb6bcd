package io.overdrive;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.ProtocolVersion;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.cql.PreparedCql;
import io.overdrive.internal.write.HiddenValues;
import io.overdrive.internal.write.RowMarkers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A table's columns: partition key, clustering columns, then the others, each in the order of the schema. Immutable.
 *
 * @param keyspace the keyspace's name, not quoted
 * @param table the table's name, not quoted
 * @param columns in that order
 */
public record TableSchema(String keyspace, String table, List<Column> columns) {

    /** A column's role in the table. */
    public enum Role {
        PARTITION_KEY,
        CLUSTERING,
        STATIC,
        REGULAR
    }

    /**
     * One column. Immutable.
     *
     * @param name as in the schema: not quoted, with its capitals
     */
    public record Column(String name, DataType type, Role role) {
        /** The name as written in CQL, quoted if needed. */
        public String cqlName() {
            return CqlIdentifier.fromInternal(name).asCql(true);
        }

        /** Whether the column is part of the primary key. */
        public boolean isKey() {
            return role == Role.PARTITION_KEY || role == Role.CLUSTERING;
        }
    }

    public TableSchema {
        columns = List.copyOf(columns);
    }

    static TableSchema of(RelationMetadata metadata) {
        List<Column> columns = new ArrayList<>();
        metadata.getPartitionKey().forEach(c -> columns.add(column(c, Role.PARTITION_KEY)));
        metadata.getClusteringColumns().keySet().forEach(c -> columns.add(column(c, Role.CLUSTERING)));
        for (ColumnMetadata c : metadata.getColumns().values()) {
            if (!metadata.getPrimaryKey().contains(c)) {
                columns.add(column(c, c.isStatic() ? Role.STATIC : Role.REGULAR));
            }
        }
        return new TableSchema(
                metadata.getKeyspace().asInternal(), metadata.getName().asInternal(), columns);
    }

    private static Column column(ColumnMetadata c, Role role) {
        return new Column(c.getName().asInternal(), c.getType(), role);
    }

    /** Keyspace and table as written in CQL, quoted if needed. */
    public String cqlName() {
        return CqlIdentifier.fromInternal(keyspace).asCql(true)
                + "."
                + CqlIdentifier.fromInternal(table).asCql(true);
    }

    /** The column with exactly this name. */
    public Optional<Column> column(String name) {
        return columns.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    /** The columns of the partition key, in key order. */
    public List<Column> partitionKey() {
        return withRole(Role.PARTITION_KEY);
    }

    /** The clustering columns, in key order; may be empty. */
    public List<Column> clusteringColumns() {
        return withRole(Role.CLUSTERING);
    }

    /**
     * A buffer for rows of these columns that no statement writes, with places for a TTL and a write time of the row. A row must have its key.
     * For Overdrive's own modules.
     */
    public RowBuffer unwrittenRow() {
        List<String> names = new ArrayList<>(columns.stream().map(Column::name).toList());
        List<DataType> types =
                new ArrayList<>(columns.stream().map(Column::type).toList());
        int[] all = IntStream.range(0, names.size()).toArray();
        int[] key =
                Arrays.stream(all).filter(column -> columns.get(column).isKey()).toArray();
        names.addAll(List.of("[ttl]", "[timestamp]"));
        types.addAll(List.of(DataTypes.INT, DataTypes.BIGINT));
        PreparedCql unprepared = new PreparedCql(
                /* text */ "",
                /* id */ new byte[0],
                /* resultMetadataId */ new byte[0],
                names,
                types,
                Arrays.stream(key).anyMatch(column -> CanonicalForm.of(types.get(column)) != null),
                /* partitionMarkers */ new int[0],
                CodecRegistry.DEFAULT,
                ProtocolVersion.DEFAULT);
        RowMarkers row = new RowMarkers(all, key, /* prefix */ 0, /* ttl */ all.length, /* timestamp */ all.length + 1);
        return new RowBuffer(unprepared, row, HiddenValues.none(), /* maxPosition */ Long.MAX_VALUE);
    }

    /** Whether the table holds counters; then every column outside the primary key is a counter. */
    public boolean isCounter() {
        return columns.stream().anyMatch(c -> c.type().equals(DataTypes.COUNTER));
    }

    private List<Column> withRole(Role role) {
        return columns.stream().filter(c -> c.role() == role).toList();
    }
}
