package io.overdrive.sstable.format;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.internal.codec.CqlType;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Columns in the order in which the file has them: clustering columns by position, others by name, those of several cells last.
 * Immutable.
 *
 * @param valueCount how many values a row has
 * @param partitionKeyType the name of the server's class
 */
public record Layout(
        int valueCount, String partitionKeyType, List<Part> clustering, List<Part> statics, List<Part> regulars) {
    /** How many cells a column has, and what they are. */
    public enum Cells {
        /** One, with the value. */
        ONE,
        /** One for each element, under a timeuuid. */
        LIST,
        /** One for each element, under the element. */
        SET,
        /** One for each entry, under the key. */
        MAP,
        /** One for each field that is not null, under the position of the field. */
        UDT
    }

    /**
     * A column.
     *
     * @param index of its value in a row
     * @param fixedBytes the length of each value, or -1 if each is preceded by its length
     * @param canonical puts elements of sets and maps in order; null if there are none, or they stay as they are
     * @param descending of a clustering column
     */
    public record Part(
            String name,
            DataType type,
            String typeName,
            int index,
            int fixedBytes,
            Cells cells,
            @Nullable CanonicalForm canonical,
            boolean descending) {}

    public static Layout of(SstableSchema schema) {
        List<Column> columns = schema.columns();
        List<DataType> key = columns.stream()
                .filter(column -> column.kind() == Kind.PARTITION_KEY)
                .sorted(Comparator.comparingInt(Column::position))
                .map(Column::type)
                .toList();
        List<Part> clustering = columns.stream()
                .filter(Column::isClustering)
                .sorted(Comparator.comparingInt(Column::position))
                .map(column -> part(columns, column))
                .toList();
        return new Layout(
                columns.size(),
                TypeNames.partitionKey(key),
                clustering,
                byName(columns, Kind.STATIC),
                byName(columns, Kind.REGULAR));
    }

    private static List<Part> byName(List<Column> columns, Kind kind) {
        return columns.stream()
                .filter(column -> column.kind() == kind)
                .map(column -> part(columns, column))
                .sorted(Comparator.<Part, Boolean>comparing(part -> part.cells() != Cells.ONE)
                        .thenComparing(part -> part.name().getBytes(StandardCharsets.UTF_8), Layout::compareNames))
                .toList();
    }

    /**
     * The order of {@code ColumnMetadata} in Cassandra 4.0 to 6.0: that of unsigned bytes, except that names whose first byte is beyond
     * ASCII come first. The server compares a number made of the first bytes whose highest bit it has inverted, for a comparison of
     * signed numbers, and then moved to the right.
     */
    private static int compareNames(byte[] a, byte[] b) {
        int first = Integer.compare(invertedFirst(a), invertedFirst(b));
        return first != 0 ? first : Arrays.compareUnsigned(a, b);
    }

    /** The first byte, as an unsigned number; compact storage can have a column without a name. */
    private static int invertedFirst(byte[] name) {
        return (name.length == 0 ? 0 : name[0] & 0xFF) ^ 0x80;
    }

    private static Part part(List<Column> columns, Column column) {
        boolean descending = column.kind() == Kind.CLUSTERING_DESCENDING;
        return new Part(
                column.name(),
                column.type(),
                column.isClustering()
                        ? TypeNames.clustering(column.type(), descending)
                        : TypeNames.column(column.type()),
                columns.indexOf(column),
                CqlType.elementBytes(column.type()),
                column.isClustering() ? Cells.ONE : cells(column.type()),
                canonical(column),
                descending);
    }

    /**
     * Sorts elements of sets and maps; null if the type has none, and for a clustering column whose order is DESC:
     * there the server keeps what it gets (its {@code Marker} does not see a collection in a {@code ReversedType}), and
     * two orders are two keys.
     */
    public static @Nullable CanonicalForm canonical(Column column) {
        return column.kind() == Kind.CLUSTERING_DESCENDING ? null : CanonicalForm.of(column.type());
    }

    private static Cells cells(DataType type) {
        if (type instanceof ListType list && !list.isFrozen()) {
            return Cells.LIST;
        }
        if (type instanceof SetType set && !set.isFrozen()) {
            return Cells.SET;
        }
        if (type instanceof MapType map && !map.isFrozen()) {
            return Cells.MAP;
        }
        return type instanceof UserDefinedType udt && !udt.isFrozen() ? Cells.UDT : Cells.ONE;
    }

    /** The orders of clustering columns. */
    public static ClusteringOrder[] orders(List<Part> clustering) {
        return clustering.stream()
                .map(part -> {
                    ClusteringOrder order = ClusteringOrder.of(part.type());
                    return part.descending() ? order.reversed() : order;
                })
                .toArray(ClusteringOrder[]::new);
    }
}
