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
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Counts values of written rows that files do not keep. Confined to one thread; on the hot path. */
final class NotKeptCounter {
    /**
     * The columns whose empty values are written as missing ones, by their numbers. Immutable.
     *
     * @param keys those of the primary key; none if a query is unloaded
     */
    record WithoutEmpty(int[] keys, int[] others) {}

    private final WithoutEmpty columns;
    private final CellCounts[] keys;
    private final CellCounts[] others;
    private final boolean hasNestedKeys;
    /** The number of empty parts of keys until the row before. */
    private long emptyParts;

    private final OutputFields.@Nullable Row row;
    private long emptyKeys;
    private long emptyValues;
    /** The counts that were taken already. */
    private NotKept taken = NotKept.NOTHING;

    /**
     * @param records writes the rows
     * @param fields that it writes
     * @param row of that; null if it has no times
     * @param columns that are read
     */
    NotKeptCounter(RecordWriter records, OutputFields fields, OutputFields.@Nullable Row row, WithoutEmpty columns) {
        this.row = row;
        this.columns = new WithoutEmpty(written(columns.keys, fields), written(columns.others, fields));
        int[] ofKeys = IntStream.of(this.columns.keys).map(fields::fieldOf).toArray();
        this.keys = IntStream.of(ofKeys).mapToObj(records::counts).toArray(CellCounts[]::new);
        this.others = IntStream.range(0, fields.count())
                .filter(field -> IntStream.of(ofKeys).noneMatch(key -> key == field))
                .mapToObj(records::counts)
                .toArray(CellCounts[]::new);
        this.hasNestedKeys = Arrays.stream(keys).anyMatch(CellCounts::isNested);
    }

    private static int[] written(int[] columns, OutputFields fields) {
        return IntStream.of(columns)
                .filter(column -> fields.fieldOf(column) >= 0)
                .toArray();
    }

    /** The columns in which an empty value is written as a missing one. */
    static WithoutEmpty withoutEmpty(Overdrive overdrive, ScanOptions read, RowFeed scan, UnloadOptions options) {
        String keyspace = read.keyspace();
        String table = read.table();
        List<String> key = keyspace == null || table == null
                ? List.of()
                : overdrive.table(keyspace, table).columns().stream()
                        .filter(Column::isKey)
                        .map(Column::name)
                        .toList();
        Map<Boolean, List<Integer>> byIsKey = IntStream.range(0, scan.columns().size())
                .filter(i -> ValueText.of(scan.types().get(i), options.values()).isNull(/* length */ 0))
                .boxed()
                .collect(Collectors.partitioningBy(
                        i -> key.contains(scan.columns().get(i))));
        return new WithoutEmpty(numbers(byIsKey, true), numbers(byIsKey, false));
    }

    private static int[] numbers(Map<Boolean, List<Integer>> columns, boolean isKey) {
        return columns.getOrDefault(isKey, List.of()).stream()
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Counts the empty values of a row that was written. */
    void count(RowCursor of) {
        boolean isEmpty = false;
        for (int column : columns.keys) {
            isEmpty |= of.length(column) == 0 && !isLeftOut(column);
        }
        for (int column : columns.others) {
            emptyValues += of.length(column) == 0 && !isLeftOut(column) ? 1 : 0;
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

    private boolean isLeftOut(int column) {
        return row != null && row.leavesOut(column);
    }

    /** The counts since the last call. */
    NotKept take() {
        NotKept now = new NotKept(
                emptyKeys,
                sum(others, CellCounts::emptyElements),
                emptyValues + sum(others, CellCounts::emptyParts) - sum(others, CellCounts::emptyElements),
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
