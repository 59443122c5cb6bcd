package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Column;
import io.overdrive.sstable.format.SstableSchema.Kind;
import java.io.Closeable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a table from its SSTables, of any number of nodes and replicas, merged as the server does for a SELECT: the
 * latest write wins, cell by cell, what is deleted or has expired is left out, and a partition that has only static values is one row
 * without clustering. Confined to one thread, while others may read other ranges of the same files; on the hot path.
 *
 * <pre>{@code
 * try (SstableFile file = SstableFile.open(path, schema, Map.of());
 *         SstableMerge merge = SstableMerge.of(List.of(file), nowSeconds)) {
 *     merge.open(Long.MIN_VALUE, Long.MAX_VALUE);
 *     while (merge.next()) {
 *         use(merge.row());
 *     }
 * }
 * }</pre>
 */
public final class SstableMerge implements Closeable {
    private final SstableCursor[] cursors;
    private final long nowSeconds;
    private final int[] keyColumns;
    private final MergedColumn[] clustering;
    private final MergedColumn[] statics;
    private final MergedColumn[] regulars;
    private final SstableRow row;

    /** Values of the key and the static columns of the partition. */
    private final Bytes partition = new Bytes(256);
    /** Collections and UDTs of the row that are not frozen. */
    private final CollectionMerge collections;

    /** The cursors that have a partition in the range. */
    private final CursorHeap heap;

    /** SSTables that have the partition in progress. */
    private final SstableCursor[] sources;

    private int sourceCount;
    /** Sources that have the row in progress; the next one is found from there. */
    private final SstableCursor[] same;

    private int sameCount;
    /** The version of the current row in each of {@link #same}. */
    private final RowCells[] versions;

    /** Values that do not count, as their column was dropped since, by the number of the column. */
    private final long[] hidden;

    private final boolean mayHide;
    private long hiddenOfGone;
    private long hiddenRows;
    private boolean hasHidden;

    private long lastToken;
    private long partitionDeleted;
    private boolean hasStatics;
    private boolean hasHiddenStatics;
    private boolean hasRows;
    /** The rows that were left out before the partition in progress. */
    private long hiddenRowsBefore;

    private SstableMerge(SstableSchema schema, List<SstableFile> files, long nowSeconds) {
        this.nowSeconds = nowSeconds;
        Layout layout = Layout.of(schema);
        ClusteringOrder[] orders = Layout.orders(layout.clustering());
        List<Column> columns = schema.columns();
        keyColumns = columns.stream()
                .filter(column -> column.kind() == Kind.PARTITION_KEY)
                .sorted(Comparator.comparingInt(Column::position))
                .mapToInt(columns::indexOf)
                .toArray();
        clustering = parts(layout.clustering());
        statics = parts(layout.statics());
        regulars = parts(layout.regulars());
        row = new SstableRow(columns.size());
        hidden = new long[columns.size()];
        mayHide = files.stream()
                .anyMatch(file ->
                        !file.hiddenColumns().isEmpty() || !file.goneColumns().isEmpty());
        cursors = new SstableCursor[files.size()];
        for (int i = 0; i < cursors.length; i++) {
            cursors[i] = new SstableCursor(files.get(i), layout, orders, nowSeconds);
        }
        heap = new CursorHeap(cursors.length);
        sources = new SstableCursor[cursors.length];
        same = new SstableCursor[cursors.length];
        versions = new RowCells[cursors.length];
        collections = new CollectionMerge(nowSeconds, row, versions);
    }

    private static MergedColumn[] parts(List<Layout.Part> parts) {
        return parts.stream().map(MergedColumn::new).toArray(MergedColumn[]::new);
    }

    /**
     * A merge of SSTables of one table. It does not close them.
     *
     * @param schema by which columns of rows are counted
     * @param files any number, all opened with this schema
     * @param nowSeconds the time at which rows are seen: cells that expire then or before have expired
     */
    public static SstableMerge of(SstableSchema schema, List<SstableFile> files, long nowSeconds) {
        for (SstableFile file : files) {
            if (!file.schema().columns().equals(schema.columns())) {
                throw new IllegalArgumentException("SSTables of different schemas");
            }
        }
        return new SstableMerge(schema, files, nowSeconds);
    }

    /**
     * Goes to the start of a range of tokens, which does not wrap around. A range that was opened before ends.
     *
     * @param fromToken exclusive; {@code Long.MIN_VALUE} for the start of the ring
     * @param toToken inclusive; {@code Long.MAX_VALUE} for its end
     * @throws OverdriveException as {@link #next}
     */
    public void open(long fromToken, long toToken) {
        lastToken = toToken;
        heap.clear();
        sourceCount = 0;
        sameCount = 0;
        for (SstableCursor cursor : cursors) {
            cursor.seek(fromToken, toToken);
            pushIfInRange(cursor);
        }
    }

    /**
     * Goes to the next row of the range, in the order of tokens and in each partition in clustering order.
     *
     * @return false if there is none
     * @throws OverdriveException of kind INPUT if a file is damaged, and of kind DISK if it cannot be read
     */
    public boolean next() {
        try {
            return findNext();
        } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException e) {
            throw new OverdriveException(
                    OverdriveException.Kind.INPUT,
                    "one of these files is damaged, as values in it cannot be compared: "
                            + Arrays.stream(sources, 0, sourceCount)
                                    .map(source -> source.path().toString())
                                    .collect(Collectors.joining(", "))
                            + "; " + FileHeader.OTHER_COPY,
                    e);
        }
    }

    private boolean findNext() {
        while (true) {
            if (sourceCount > 0) {
                if (sourceCount == 1 ? nextRow(sources[0]) : nextMergedRow()) {
                    hasRows = true;
                    return true;
                }
                boolean isStaticOnly = hasStatics && !hasRows;
                boolean hadOnlyHiddenStatics =
                        hasHiddenStatics && !hasStatics && !hasRows && hiddenRows == hiddenRowsBefore;
                hiddenRows += hadOnlyHiddenStatics ? 1 : 0;
                endPartition();
                if (isStaticOnly) {
                    setNulls(clustering);
                    setNulls(regulars);
                    row.setMarker(SstableRow.NO_TIME, SstableRow.NEVER);
                    return true;
                }
            }
            if (heap.isEmpty()) {
                return false;
            }
            startPartition();
        }
    }

    /** How many values of a column have been left out, as it was dropped after they were written, and added again. */
    public long hidden(int column) {
        return hidden[column];
    }

    /** How many rows have had values of columns that the table has no longer. */
    public long hiddenOfGoneColumns() {
        return hiddenOfGone;
    }

    /**
     * How many rows have been left out since all of their values are {@link #hidden}. As in the table, a partition without
     * rows that has static values is one.
     */
    public long hiddenRows() {
        return hiddenRows;
    }

    /** The row that {@link #next} has found, valid until its next call. */
    public SstableRow row() {
        return row;
    }

    private void setNulls(MergedColumn[] parts) {
        for (MergedColumn part : parts) {
            row.setNull(part.index);
        }
    }

    private void pushIfInRange(SstableCursor cursor) {
        if (cursor.hasPartition() && cursor.token() <= lastToken) {
            heap.push(cursor);
        }
    }

    private void startPartition() {
        do {
            sources[sourceCount++] = heap.pop();
        } while (!heap.isEmpty() && heap.first().comparePartition(sources[0]) == 0);
        partitionDeleted = RowCells.NONE;
        for (int i = 0; i < sourceCount; i++) {
            partitionDeleted = Math.max(partitionDeleted, sources[i].partitionDeleted());
            versions[i] = sources[i].readStatics();
        }
        hasRows = false;
        row.token(sources[0].token());
        partition.clear();
        int keyLength = sources[0].keyLength();
        partition.put(sources[0].key(), 0, keyLength);
        hasStatics = combineStatics();
        hasHiddenStatics = hasHidden;
        hiddenRowsBefore = hiddenRows;
        setKey(keyLength);
        for (int i = 0; i < sourceCount; i++) {
            same[i] = sources[i];
        }
        sameCount = sourceCount; // all are before their first row
    }

    private void endPartition() {
        for (int i = 0; i < sourceCount; i++) {
            sources[i].nextPartition();
            pushIfInRange(sources[i]);
        }
        sourceCount = 0;
        sameCount = 0;
    }

    /** Puts the static values into the row, and copies them, as what was read does not stay. */
    private boolean combineStatics() {
        collections.clear();
        boolean hasValue = combine(statics, sourceCount, partitionDeleted);
        for (MergedColumn part : statics) {
            int length = row.length(part.index);
            if (length > 0) {
                int start = partition.length();
                partition.put(row.arrays[part.index], row.starts[part.index], length);
                row.starts[part.index] = start;
            }
        }
        for (MergedColumn part : statics) {
            row.arrays[part.index] = partition.array();
            row.starts[part.index] = row.length(part.index) > 0 ? row.starts[part.index] : 0;
        }
        return hasValue;
    }

    private void setKey(int keyLength) {
        byte[] array = partition.array();
        if (keyColumns.length == 1) {
            row.set(keyColumns[0], array, 0, keyLength);
            return;
        }
        int at = 0;
        for (int column : keyColumns) {
            int length = at + 2 > keyLength ? keyLength : Bytes.getShort(array, at) & 0xFFFF;
            if (at + 2 + length + 1 > keyLength) {
                throw sources[0].malformedKey();
            }
            row.set(column, array, at + 2, length);
            at += 2 + length + 1;
        }
    }

    /** Moves to the next live row of a partition that only one SSTable has. */
    private boolean nextRow(SstableCursor source) {
        while (true) {
            source.next();
            if (source.isAtEnd()) {
                return false;
            }
            if (source.isOnRow()) {
                versions[0] = source.row();
                if (combineRow(source, 1, Math.max(partitionDeleted, source.rangeDeleted()))) {
                    return true;
                }
            }
        }
    }

    /** Moves to the next live row of a partition that several SSTables have. */
    private boolean nextMergedRow() {
        while (true) {
            for (int i = 0; i < sameCount; i++) {
                same[i].next();
            }
            sameCount = 0;
            SstableCursor first = null;
            for (int i = 0; i < sourceCount; i++) {
                SstableCursor source = sources[i];
                if (!source.isAtEnd() && (first == null || source.compareClustering(first) < 0)) {
                    first = source;
                }
            }
            if (first == null) {
                return false;
            }
            if (!first.isOnRow()) {
                same[sameCount++] = first;
                continue;
            }
            long deleted = partitionDeleted;
            for (int i = 0; i < sourceCount; i++) {
                SstableCursor source = sources[i];
                deleted = Math.max(deleted, source.rangeDeleted());
                if (source == first || (source.isOnRow() && source.compareClustering(first) == 0)) {
                    versions[sameCount] = source.row();
                    same[sameCount++] = source;
                }
            }
            if (combineRow(first, sameCount, deleted)) {
                return true;
            }
        }
    }

    /**
     * Puts the values of {@link #versions} into the row.
     *
     * @param deletedAround everything up to then is deleted by partition or range
     * @return whether it is live
     */
    private boolean combineRow(SstableCursor source, int count, long deletedAround) {
        long deleted = deletedAround;
        for (int i = 0; i < count; i++) {
            deleted = Math.max(deleted, versions[i].deleted);
        }
        collections.clear();
        boolean hasValue = combine(regulars, count, deleted);
        RowCells marked = marked(count, deleted);
        if (!hasValue && marked == null) {
            hiddenRows += hasHidden ? 1 : 0;
            return false;
        }
        row.setMarker(
                marked == null ? SstableRow.NO_TIME : marked.liveTime,
                marked == null ? SstableRow.NEVER : marked.liveExpiry);
        byte[] buffer = source.buffer();
        for (int i = 0; i < clustering.length; i++) {
            row.set(clustering[i].index, buffer, source.clusteringStart(i), source.clusteringLength(i));
        }
        return true;
    }

    /** The version that has the row marker; null if none has one that is live. */
    private @Nullable RowCells marked(int count, long deleted) {
        RowCells latest = versions[0];
        for (int i = 1; i < count; i++) {
            RowCells other = versions[i];
            if (other.liveTime > latest.liveTime
                    || (other.liveTime == latest.liveTime && isMarkedLonger(other, latest))) {
                latest = other;
            }
        }
        return latest.liveTime > deleted && nowSeconds < latest.liveExpiry ? latest : null;
    }

    /**
     * Decides between two row markers with the same write time as the server does: a marker with a TTL wins, and of two
     * with a TTL, the one that expires later.
     */
    private static boolean isMarkedLonger(RowCells mark, RowCells other) {
        boolean expires = mark.liveExpiry != RowCells.NEVER;
        return expires != (other.liveExpiry != RowCells.NEVER) ? expires : mark.liveExpiry > other.liveExpiry;
    }

    /** Puts the values of the columns into the row. @return whether one is not null */
    private boolean combine(MergedColumn[] parts, int count, long deleted) {
        boolean hasValue = false;
        boolean hasAssembled = false;
        hasHidden = false;
        hiddenOfGone += mayHide && isOneGone(count, deleted) ? 1 : 0;
        for (int column = 0; column < parts.length; column++) {
            MergedColumn part = parts[column];
            if (part.paths != null) {
                long deletedInColumn = deleted;
                for (int i = 0; i < count; i++) {
                    deletedInColumn = Math.max(deletedInColumn, versions[i].columnDeleted[column]);
                }
                hasAssembled |= collections.assemble(part, column, count, deletedInColumn, part.paths);
                if (mayHide) {
                    countHidden(part, column, count, deletedInColumn);
                }
                continue;
            }
            RowCells from = versions[0];
            for (int i = 1; i < count; i++) {
                if (versions[i].wins(column, from)) {
                    from = versions[i];
                }
            }
            if (from.times[column] > deleted && from.lengths[column] >= 0 && nowSeconds < from.expiries[column]) {
                row.set(
                        part.index,
                        from.buffer,
                        from.starts[column],
                        from.lengths[column],
                        from.times[column],
                        from.ttls[column],
                        from.expiries[column]);
                hasValue = true;
            } else {
                row.setNull(part.index);
                if (mayHide && from.times[column] == RowCells.NONE) {
                    countHidden(part, column, count, deleted);
                }
            }
        }
        if (hasAssembled) { // the array is known when all are there
            for (MergedColumn part : parts) {
                if (part.paths != null && !row.isNull(part.index)) {
                    row.arrays[part.index] = collections.array();
                }
            }
        }
        return hasValue || hasAssembled;
    }

    /**
     * Counts a value that a drop hides. A value later than the drop is later than a hidden one, so the caller looks
     * only if there is none.
     */
    private void countHidden(MergedColumn part, int column, int count, long deleted) {
        for (int i = 0; i < count; i++) {
            if (versions[i].hiddenTimes[column] > deleted) {
                hidden[part.index]++;
                hasHidden = true;
                return;
            }
        }
    }

    private boolean isOneGone(int count, long deleted) {
        for (int i = 0; i < count; i++) {
            if (versions[i].goneTime > deleted) {
                return true;
            }
        }
        return false;
    }

    /** Frees memory outside of the heap; the files stay open. */
    @Override
    public void close() {
        for (SstableCursor cursor : cursors) {
            cursor.close();
        }
    }
}
