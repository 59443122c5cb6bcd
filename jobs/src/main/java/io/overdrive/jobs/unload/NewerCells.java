package io.overdrive.jobs.unload;

import io.overdrive.RowCursor;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.jobs.CellTimes;
import io.overdrive.jobs.WrittenAfter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Decides which rows have something that was written after a time, and which of their cells are older. Static cells that are newer are in each
 * record of their partition; if none of its rows has another one, they get a record without clustering columns, which stands for no row.
 * Confined to one thread; on the hot path.
 */
final class NewerCells {
    private final UnloadScan read;
    private final long afterMicros;
    private final int[] partition;
    private final int[] clustering;
    private final int[] statics;
    private final int[] regular;
    /** Whether the cell of a column is left out of the record of the current row. */
    private final boolean[] isLeftOut;

    private boolean hasMarker;
    private final Bytes key = new Bytes(64);

    /**
     * @param table that is read
     * @param afterMicros in microseconds since 1970
     */
    NewerCells(TableSchema table, UnloadScan read, long afterMicros) {
        this.read = read;
        this.afterMicros = afterMicros;
        partition = columns(table, read.columns(), Role.PARTITION_KEY);
        clustering = columns(table, read.columns(), Role.CLUSTERING);
        statics = columns(table, read.columns(), Role.STATIC);
        regular = columns(table, read.columns(), Role.REGULAR);
        isLeftOut = new boolean[read.columns().size()];
    }

    private static int[] columns(TableSchema table, List<String> read, Role role) {
        return IntStream.range(0, read.size())
                .filter(i -> table.column(read.get(i)).orElseThrow().role() == role)
                .toArray();
    }

    /**
     * Whether the row gets a record.
     *
     * @param last the partition key of the split's last record of static cells alone, each value after its length; replaced if the row gets
     *     such a record
     */
    boolean take(RowCursor row, Bytes last) {
        Arrays.fill(isLeftOut, false);
        boolean hasOlder = false;
        boolean hasNewer = false;
        for (int column : regular) {
            if (!row.isNull(column)) {
                isLeftOut[column] = !isAfter(row, column);
                hasOlder |= isLeftOut[column];
                hasNewer |= !isLeftOut[column];
            }
        }
        boolean hasNewerStatic = false;
        for (int column : statics) {
            if (!row.isNull(column)) {
                isLeftOut[column] = !isAfter(row, column);
                hasNewerStatic |= !isLeftOut[column];
            }
        }
        int marker = read.markerTimes();
        hasMarker = marker >= 0 && !row.isNull(marker) && row.getLong(marker) > afterMicros;
        boolean isRow = clustering.length == 0 || !row.isNull(clustering[0]);
        if (WrittenAfter.takesRow(hasNewer, hasOlder || !isRow, /* knowsMarker */ marker >= 0, hasMarker)) {
            return true;
        }
        for (int column : clustering) {
            isLeftOut[column] = true;
        }
        return hasNewerStatic && isOfNextPartition(row, last);
    }

    private boolean isAfter(RowCursor row, int column) {
        return CellTimes.isAfter(row, read.timesOf(column), read.areTimesOfElements(column), afterMicros);
    }

    private boolean isOfNextPartition(RowCursor row, Bytes last) {
        key.clear();
        for (int column : partition) {
            key.putInt(row.length(column));
            key.put(row.array(), row.offset(column), row.length(column));
        }
        if (Arrays.equals(key.array(), 0, key.length(), last.array(), 0, last.length())) {
            return false;
        }
        last.clear();
        last.put(key.array(), 0, key.length());
        return true;
    }

    /** Whether the value of a column is missing in the record of the row that was taken. */
    boolean leavesOut(int column) {
        return isLeftOut[column];
    }

    /** Whether the row that was taken was inserted after the time, as far as times of row markers are read. */
    boolean hasMarker() {
        return hasMarker;
    }
}
