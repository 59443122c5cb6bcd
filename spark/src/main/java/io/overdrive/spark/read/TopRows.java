package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.metadata.schema.ClusteringOrder;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.spark.cell.SparkTypes;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.NullOrdering;
import org.apache.spark.sql.connector.expressions.SortDirection;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The first rows in an order by clustering columns: of each partition, Cassandra returns as many, and Spark chooses from
 * those. Plans (on the driver). Immutable.
 *
 * @param table whose rows are sorted
 * @param orders of its clustering columns
 * @param columns of Spark's rows, all of the table
 */
record TopRows(TableSchema table, List<ClusteringOrder> orders, StructType columns) {
    /** Types of which Spark takes two values for equal that Cassandra sorts: -0.0 and 0.0. */
    private static final Set<CqlType> TIES = Set.of(CqlType.FLOAT, CqlType.DOUBLE);

    /**
     * The clause after the conditions of a query in CQL, with which it returns the first rows of each partition; null
     * if Cassandra cannot sort like this.
     *
     * @param rows of each partition
     */
    @Nullable String clause(PushDown pushDown, SortOrder[] wanted, int rows) {
        // Cassandra sorts no rows that an index has found.
        if (rows < 1 || !pushDown.others().isEmpty()) {
            return null;
        }
        Set<String> fixed = pushDown.clustering().stream()
                .filter(condition -> condition.operator().equals("="))
                .map(condition -> condition.column().name())
                .collect(Collectors.toSet());
        List<Column> clustering = table.clusteringColumns();
        Boolean isReversed = null;
        int next = 0;
        for (int i = 0; i < clustering.size() && next < wanted.length; i++) {
            Column column = clustering.get(i);
            boolean isFixed = fixed.contains(column.name());
            if (!isOf(wanted[next], column)) {
                if (!isFixed) {
                    return null;
                }
                continue;
            }
            SortOrder order = wanted[next++];
            if (isFixed) {
                continue;
            }
            boolean differs = isAscending(order) != (orders.get(i) == ClusteringOrder.ASC);
            boolean isLast = next == wanted.length;
            if (!isComparable(column, isLast)
                    || !hasNullsAsMinimum(order)
                    || (isReversed != null && isReversed != differs)) {
                return null;
            }
            isReversed = differs;
        }
        boolean isBackwards = Boolean.TRUE.equals(isReversed);
        // A range of tokens cannot be read backwards.
        if (next < wanted.length || (isBackwards && !pushDown.isLookup())) {
            return null;
        }
        return (isBackwards ? "ORDER BY " + backwards() + " " : "") + "PER PARTITION LIMIT " + rows;
    }

    /** The order of the first column decides. */
    private String backwards() {
        return table.clusteringColumns().get(0).cqlName() + (orders.get(0) == ClusteringOrder.ASC ? " DESC" : " ASC");
    }

    private static boolean isOf(SortOrder order, Column column) {
        return order.expression() instanceof NamedReference reference
                && reference.fieldNames().length == 1
                && reference.fieldNames()[0].equals(column.name());
    }

    private static boolean isAscending(SortOrder order) {
        return order.direction() == SortDirection.ASCENDING;
    }

    /** An empty value, which sorts first in Cassandra, is null in Spark. */
    private static boolean hasNullsAsMinimum(SortOrder order) {
        return (order.nullOrdering() == NullOrdering.NULLS_FIRST) == isAscending(order);
    }

    private boolean isComparable(Column column, boolean isLast) {
        return SparkTypes.haveSameOrder(column.type())
                && columns.apply(column.name()).dataType().equals(SparkTypes.type(column.type()))
                && (isLast || !TIES.contains(CqlType.of(column.type())));
    }
}
