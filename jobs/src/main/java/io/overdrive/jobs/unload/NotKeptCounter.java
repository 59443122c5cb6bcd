package io.overdrive.jobs.unload;

import io.overdrive.Overdrive;
import io.overdrive.RowCursor;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema.Column;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.formats.text.CellCounts;
import io.overdrive.formats.text.ValueText;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Counts values of written rows that files do not keep. Confined to one thread; on the hot path. */
final class NotKeptCounter {
    /** The key columns whose empty values have no text. */
    private final int[] keysWithoutEmpty;

    private final CellCounts[] keys;
    private final CellCounts[] others;
    private final boolean hasNestedKeys;
    /** The number of empty parts of keys until the row before. */
    private long emptyParts;

    private final OutputFields.@Nullable Row row;
    private long emptyKeys;
    /** The counts that were taken already. */
    private NotKept taken = NotKept.NOTHING;

    /**
     * @param records writes the rows
     * @param fields that it writes
     * @param row of that; null if it has no times
     * @param keyColumns as {@link #keysWithoutEmpty}
     */
    NotKeptCounter(RecordWriter records, OutputFields fields, OutputFields.@Nullable Row row, int[] keyColumns) {
        this.row = row;
        this.keysWithoutEmpty = IntStream.of(keyColumns)
                .filter(column -> fields.fieldOf(column) >= 0)
                .toArray();
        int[] ofKeys = IntStream.of(keysWithoutEmpty).map(fields::fieldOf).toArray();
        this.keys = IntStream.of(ofKeys).mapToObj(records::counts).toArray(CellCounts[]::new);
        this.others = IntStream.range(0, fields.count())
                .filter(field -> IntStream.of(ofKeys).noneMatch(key -> key == field))
                .mapToObj(records::counts)
                .toArray(CellCounts[]::new);
        this.hasNestedKeys = Arrays.stream(keys).anyMatch(CellCounts::isNested);
    }

    /** The columns of the primary key in which an empty value is written as a missing one; none if a query is unloaded. */
    static int[] keysWithoutEmpty(Overdrive overdrive, ScanOptions read, RowFeed scan, UnloadOptions options) {
        String keyspace = read.keyspace();
        String table = read.table();
        if (keyspace == null || table == null) {
            return new int[0];
        }
        List<String> key = overdrive.table(keyspace, table).columns().stream()
                .filter(Column::isKey)
                .map(Column::name)
                .toList();
        return IntStream.range(0, scan.columns().size())
                .filter(i -> key.contains(scan.columns().get(i)))
                .filter(i -> ValueText.of(scan.types().get(i), options.values()).isNull(/* length */ 0))
                .toArray();
    }

    /** Counts a row that was written if a column of its key is empty, or a part of it. */
    void count(RowCursor of) {
        boolean isEmpty = false;
        for (int column : keysWithoutEmpty) {
            isEmpty |= of.length(column) == 0;
        }
        if (hasNestedKeys) {
            long before = emptyParts;
            emptyParts = sum(keys, CellCounts::emptyParts);
            isEmpty |= emptyParts > before;
        }
        if (isEmpty) {
            emptyKeys++;
        }
    }

    /** The counts since the last call. */
    NotKept take() {
        NotKept now = new NotKept(
                emptyKeys,
                sum(others, CellCounts::emptyElements),
                sum(keys, CellCounts::repeatedTimes) + sum(others, CellCounts::repeatedTimes),
                row == null ? 0 : row.elementTimes());
        NotKept since = now.minus(taken);
        taken = now;
        return since;
    }

    private static long sum(CellCounts[] columns, ToLongFunction<CellCounts> count) {
        long sum = 0;
        for (CellCounts column : columns) {
            sum += count.applyAsLong(column);
        }
        return sum;
    }
}
