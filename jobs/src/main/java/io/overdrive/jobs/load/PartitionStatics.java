package io.overdrive.jobs.load;

import io.overdrive.RowBuffer;
import io.overdrive.jobs.RowSink;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Records that have no row, only the static columns of a partition, as an unload writes partitions without rows. Confined to one worker;
 * only records without a key column get here.
 */
final class PartitionStatics {
    private final RowSink sink;
    /** The columns of a record that its partition and static columns come from. */
    private final int[] sources;
    /** Clustering columns and others of a row. */
    private final int[] ofRow;

    private final int partitionColumns;

    /**
     * @param sink of static columns
     * @param columns of records, in the table's order
     */
    PartitionStatics(RowSink sink, List<String> columns, int partitionColumns) {
        this.sink = sink;
        this.partitionColumns = partitionColumns;
        List<String> taken = sink.columns();
        sources = taken.stream().mapToInt(columns::indexOf).toArray();
        ofRow = IntStream.range(0, columns.size())
                .filter(column -> !taken.contains(columns.get(column)))
                .toArray();
    }

    RowSink sink() {
        return sink;
    }

    /**
     * Returns the part of the record that is written; null if it has a part of a row, or not the whole partition key.
     */
    @Nullable RowBuffer take(RowBuffer record) {
        for (int column : ofRow) {
            if (hasValue(record, column)) {
                return null;
            }
        }
        RowBuffer statics = sink.row().copy(record, sources);
        return statics.missingKeyColumn() < 0 ? statics : null;
    }

    /** Whether a static column of the taken record has a value. */
    boolean hasValue(RowBuffer statics) {
        return IntStream.range(partitionColumns, sources.length).anyMatch(column -> hasValue(statics, column));
    }

    private static boolean hasValue(RowBuffer row, int column) {
        return row.isSet(column) && row.length(column) >= 0;
    }

    /**
     * Takes the static columns of a record without a row, if it has a value in one of them and none in a column of the row; else the record
     * has a problem.
     *
     * @param statics null if records always have a row
     * @param column of the key, which has no value
     */
    static @Nullable RowBuffer takeOr(
            @Nullable PartitionStatics statics, RowBuffer row, String column, Problems problems) {
        RowBuffer taken = statics == null ? null : statics.take(row);
        if (statics == null || taken == null) {
            problems.add(column, null, words -> "key column \"" + column + "\" has no value");
            return null;
        }
        if (!statics.hasValue(taken)) {
            problems.add(
                    column,
                    null,
                    words -> "key column \"" + column + "\" has no value, and neither has any other column besides"
                            + " the partition key");
            return null;
        }
        return taken;
    }
}
