package io.overdrive.sstable.read;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.sstable.format.Layout;
import java.util.Arrays;
import java.util.Objects;

/**
 * Makes the values of collections and UDTs that are not frozen from their cells in several versions of a row. Confined to one thread; on the
 * hot path.
 */
final class CollectionMerge {
    private final long nowSeconds;
    private final SstableRow row;
    private final RowCells[] versions;
    private final Bytes assembled = new Bytes(256);
    /** How many cells of the column in progress have been taken of each version. */
    private final int[] nextCells;

    /**
     * @param row takes the values
     * @param versions of the row
     */
    CollectionMerge(long nowSeconds, SstableRow row, RowCells[] versions) {
        this.nowSeconds = nowSeconds;
        this.row = row;
        this.versions = versions;
        this.nextCells = new int[versions.length];
    }

    /** Starts a row. */
    void clear() {
        assembled.clear();
    }

    /** Has the values, which move until the last one of the row is made. */
    byte[] array() {
        return assembled.array();
    }

    /**
     * Makes the value of a column.
     *
     * @param count of the versions of the row
     * @param deleted everything up to then is deleted
     * @return whether it is not null
     */
    boolean assemble(MergedColumn part, int column, int count, long deleted, ClusteringOrder paths) {
        Arrays.fill(nextCells, 0, count, 0);
        row.setNull(part.index);
        row.beginElements(part.index);
        int start = assembled.length();
        if (part.cells != Layout.Cells.UDT) {
            assembled.putInt(0); // the number of elements
        }
        int elements = 0;
        while (true) {
            RowCells from = null;
            int cell = 0;
            for (int i = 0; i < count; i++) {
                RowCells version = versions[i];
                if (nextCells[i] < version.cellCount[column]) {
                    int next = version.firstCell[column] + nextCells[i];
                    int order = from == null ? -1 : comparePaths(paths, version, next, from, cell);
                    if (order < 0 || (order == 0 && version.cellWins(next, Objects.requireNonNull(from), cell))) {
                        from = version;
                        cell = next;
                    }
                }
            }
            if (from == null) {
                break;
            }
            for (int i = 0; i < count; i++) {
                RowCells version = versions[i];
                int next = version.firstCell[column] + nextCells[i];
                if (nextCells[i] < version.cellCount[column]
                        && (version == from || comparePaths(paths, version, next, from, cell) == 0)) {
                    nextCells[i]++;
                }
            }
            if (from.cellTimes[cell] > deleted && from.cellLengths[cell] >= 0 && nowSeconds < from.cellExpiries[cell]) {
                elements = append(part, from, cell, elements);
            }
        }
        if (elements == 0) {
            assembled.truncate(start);
            return false;
        }
        if (part.cells != Layout.Cells.UDT) {
            assembled.setInt(start, elements);
        }
        for (int field = elements; field < part.fields; field++) {
            appendNull(part);
        }
        row.set(part.index, assembled.array(), start, assembled.length() - start);
        return true;
    }

    private static int comparePaths(ClusteringOrder paths, RowCells a, int cell, RowCells b, int otherCell) {
        return paths.compare(
                a.buffer,
                a.pathStarts[cell],
                a.pathLengths[cell],
                b.buffer,
                b.pathStarts[otherCell],
                b.pathLengths[otherCell]);
    }

    /** @return the number of elements, or of fields, so far */
    private int append(MergedColumn part, RowCells from, int cell, int elements) {
        int path = from.pathStarts[cell];
        int pathLength = from.pathLengths[cell];
        int count = elements;
        if (part.cells == Layout.Cells.UDT) {
            for (int field = Bytes.getShort(from.buffer, path); count < field; count++) {
                appendNull(part);
            }
        }
        if (part.cells == Layout.Cells.SET || part.cells == Layout.Cells.MAP) {
            assembled.putInt(pathLength);
            assembled.put(from.buffer, path, pathLength);
        }
        if (part.cells != Layout.Cells.SET) {
            assembled.putInt(from.cellLengths[cell]);
            assembled.put(from.buffer, from.cellStarts[cell], from.cellLengths[cell]);
        }
        row.addElement(part.index, from.cellTimes[cell], from.cellExpiries[cell]);
        return count + 1;
    }

    /** A field without a value. */
    private void appendNull(MergedColumn part) {
        assembled.putNull();
        row.addElement(part.index, SstableRow.NO_TIME, SstableRow.NEVER);
    }
}
