package io.overdrive.jobs.sort;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.ColumnMetadata;
import com.datastax.oss.driver.api.core.metadata.schema.RelationMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.codec.ClusteringOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The order in which a table's rows come from a scan: by token, then by the bytes of the partition key, then by the
 * clustering columns. For rows whose key columns come first. Immutable.
 */
public final class KeyOrder {
    /** The key columns of a row. */
    public interface Cells {
        /** The array that holds the values. */
        byte[] array();

        /** Offset of a column's value. */
        int offset(int column);

        /** The number of bytes of a column's value. */
        int length(int column);
    }

    /** The key columns of the row that the cursor is on. */
    public record CursorCells(RowCursor row) implements Cells {
        @Override
        public byte[] array() {
            return row.array();
        }

        @Override
        public int offset(int column) {
            return row.offset(column);
        }

        @Override
        public int length(int column) {
            return row.length(column);
        }
    }

    private final int partitionColumns;
    private final ClusteringOrder[] clustering;
    /** Whether each clustering column is in descending order; must be the same on both sides. */
    private final List<Boolean> descending;

    private KeyOrder(int partitionColumns, ClusteringOrder[] clustering, List<Boolean> descending) {
        this.partitionColumns = partitionColumns;
        this.clustering = clustering;
        this.descending = descending;
    }

    /** @throws OverdriveException of kind SCHEMA if the order of a clustering column is unknown */
    public static KeyOrder of(Overdrive overdrive, TableSchema table) {
        Map<ColumnMetadata, com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder> declared = relation(
                        overdrive, table)
                .orElseThrow(() -> new OverdriveException(Kind.SCHEMA, "[" + table.cqlName() + "] no longer exists"))
                .getClusteringColumns();
        List<Boolean> descending = declared.values().stream()
                .map(com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder.DESC::equals)
                .toList();
        return of(table, descending);
    }

    /**
     * @param descending for each clustering column whether it is in descending order
     * @throws OverdriveException of kind SCHEMA if the order of a clustering column is unknown
     */
    public static KeyOrder of(TableSchema table, List<Boolean> descending) {
        List<ClusteringOrder> orders = new ArrayList<>();
        for (Column column : table.clusteringColumns()) {
            try {
                ClusteringOrder ascending = ClusteringOrder.of(column.type());
                orders.add(descending.get(orders.size()) ? ascending.reversed() : ascending);
            } catch (IllegalArgumentException e) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "[" + table.cqlName() + "] column \"" + column.name() + "\": " + e.getMessage(),
                        e);
            }
        }
        return new KeyOrder(table.partitionKey().size(), orders.toArray(ClusteringOrder[]::new), descending);
    }

    private static Optional<RelationMetadata> relation(Overdrive overdrive, TableSchema table) {
        CqlIdentifier name = CqlIdentifier.fromInternal(table.table());
        return overdrive
                .session()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(table.keyspace()))
                .flatMap(k -> {
                    Optional<RelationMetadata> found = k.getTable(name).map(t -> t);
                    return found.isPresent() ? found : k.getView(name).map(v -> v);
                });
    }

    /** Whether each clustering column is in descending order. */
    public List<Boolean> descending() {
        return descending;
    }

    /** Whether the current entry is the static columns of a partition without rows. */
    public boolean isStaticsOnly(RowCursor row) {
        return clustering.length > 0 && row.isNull(partitionColumns);
    }

    public int comparePartitions(RowCursor a, RowCursor b) {
        int order = Long.compare(a.token(), b.token());
        return order != 0 ? order : comparePartitionKeys(new CursorCells(a), new CursorCells(b));
    }

    /**
     * Keys of one token come in the order of their unsigned bytes; keys of several columns as one value, in which each
     * column is prefixed with its length in two bytes.
     */
    public int comparePartitionKeys(Cells a, Cells b) {
        for (int c = 0; c < partitionColumns; c++) {
            int order = partitionColumns == 1 ? 0 : Integer.compare(a.length(c), b.length(c));
            if (order == 0) {
                order = Arrays.compareUnsigned(
                        a.array(),
                        a.offset(c),
                        a.offset(c) + a.length(c),
                        b.array(),
                        b.offset(c),
                        b.offset(c) + b.length(c));
            }
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Compares two rows of one partition. */
    public int compareClustering(RowCursor a, RowCursor b) {
        return compareClustering(new CursorCells(a), new CursorCells(b));
    }

    /** Compares two rows of one partition. */
    public int compareClustering(Cells a, Cells b) {
        for (int i = 0; i < clustering.length; i++) {
            int c = partitionColumns + i;
            int order = clustering[i].compare(a.array(), a.offset(c), a.length(c), b.array(), b.offset(c), b.length(c));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
}
