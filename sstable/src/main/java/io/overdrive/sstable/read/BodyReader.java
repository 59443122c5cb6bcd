package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.FileHeader.FileColumn;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads bodies of rows and bounds, which follow their clustering: the length of the body and of the row before, then deletions and cells,
 * whose bytes stay where they are. Reads from the place of a {@link DataReader}, and leaves it at the end of the body. Confined to one
 * thread; on the hot path.
 */
final class BodyReader {
    private static final int HAS_TIME = 0x04;
    private static final int EXPIRES = 0x08;
    private static final int HAS_DELETION = 0x10;
    private static final int HAS_ALL_COLUMNS = 0x20;
    private static final int HAS_DELETED_COLLECTION = 0x40;

    private static final int CELL_IS_DELETED = 0x01;
    private static final int CELL_EXPIRES = 0x02;
    private static final int CELL_IS_EMPTY = 0x04;
    private static final int CELL_HAS_TIME_OF_ROW = 0x08;
    private static final int CELL_HAS_TTL_OF_ROW = 0x10;

    private static final int MAX_BITMAP_COLUMNS = 63;

    private final SstableFile file;
    private final DataReader in;
    private final long minTime;
    private final int minExpiry;
    private final int minTtl;
    private final long nowSeconds;

    // of the body in progress
    private byte[] buffer = {};
    private int at;
    private int bodyEnd;

    // of the cell in progress
    private long cellTime;
    private long cellExpiry;
    private int cellTtl;

    /** The columns of the file, as arrays. */
    static final class Columns {
        final int[] parts;
        final int[] fixedBytes;
        final boolean[] hasCells;
        /** Numbers of fields of UDTs with cells; 0 for other types. */
        final int[] fields;

        final long[] dropped;
        final boolean[] isPresent;

        Columns(List<FileColumn> columns) {
            int count = columns.size();
            parts = columns.stream().mapToInt(FileColumn::part).toArray();
            fixedBytes = columns.stream().mapToInt(FileColumn::fixedBytes).toArray();
            fields = columns.stream().mapToInt(FileColumn::fields).toArray();
            dropped = columns.stream().mapToLong(FileColumn::droppedMicros).toArray();
            hasCells = new boolean[count];
            isPresent = new boolean[count];
            for (int i = 0; i < count; i++) {
                hasCells[i] = columns.get(i).hasCells();
            }
        }
    }

    /** @param nowSeconds cells that expire then or before have expired */
    BodyReader(SstableFile file, DataReader in, long nowSeconds) {
        this.file = file;
        this.in = in;
        this.nowSeconds = nowSeconds;
        FileHeader header = file.header();
        minTime = header.base().writeTime();
        minExpiry = header.base().expiry();
        minTtl = header.minTtl();
    }

    /** Reads the body of a row. */
    void read(RowCells cells, Columns of, int flags) {
        start();
        cells.clear();
        cells.buffer = buffer;
        try {
            if ((flags & HAS_TIME) != 0) {
                cells.liveTime = number() + minTime;
                if ((flags & EXPIRES) != 0) {
                    cells.liveTtl = (int) number() + minTtl;
                    cells.liveExpiry = expiry((int) number(), cells.liveTtl);
                }
            }
            if ((flags & HAS_DELETION) != 0) {
                cells.deleted = number() + minTime;
                number();
            }
            readColumns(cells, of, flags);
        } catch (IndexOutOfBoundsException | NegativeArraySizeException e) {
            throw malformed(e);
        }
        end();
    }

    /** Reads the body of a bound, which has one deletion or several; returns the write time of the last one. */
    long readDeletions(int count) {
        start();
        long deleted = RowCells.NONE;
        try {
            for (int i = 0; i < count; i++) {
                deleted = number() + minTime;
                number(); // the local time
            }
        } catch (IndexOutOfBoundsException e) {
            throw malformed(e);
        }
        end();
        return deleted;
    }

    /** Makes sure that as many bytes as the length says are in the array, and moves to them. */
    private void start() {
        in.want(DataReader.VINT_BYTES);
        long length = in.vint();
        if (length < 0 || length > Integer.MAX_VALUE - 64) {
            throw malformed(null);
        }
        in.need((int) length);
        buffer = in.buffer;
        at = in.at;
        bodyEnd = at + (int) length;
        number(); // the length of the row before
    }

    private void end() {
        if (at != bodyEnd) {
            throw malformed(null);
        }
        in.at = bodyEnd;
    }

    private long number() {
        byte first = buffer[at];
        if (first >= 0) {
            at++;
            return first;
        }
        int bytes = Bytes.vintBytes(first);
        long value = DataReader.longVint(buffer, at, bytes);
        at += bytes;
        return value;
    }

    private void readColumns(RowCells cells, Columns of, int flags) {
        int count = of.parts.length;
        if ((flags & HAS_ALL_COLUMNS) == 0 && count > MAX_BITMAP_COLUMNS) {
            findPresent(of, count);
            for (int i = 0; i < count; i++) {
                if (of.isPresent[i]) {
                    readColumn(cells, of, i, flags);
                }
            }
            return;
        }
        long missing = (flags & HAS_ALL_COLUMNS) != 0 ? 0 : number();
        for (int i = 0; i < count; i++) {
            if ((missing >>> i & 1) == 0 || count > MAX_BITMAP_COLUMNS) {
                readColumn(cells, of, i, flags);
            }
        }
    }

    /**
     * Finds the columns that the row has. With many columns, a row has the number of missing ones, and then the
     * positions of the smaller part.
     */
    private void findPresent(Columns of, int count) {
        int missing = (int) number();
        boolean isListed = count - missing < count / 2;
        int listed = isListed ? count - missing : missing;
        Arrays.fill(of.isPresent, !isListed);
        for (int i = 0; i < listed; i++) {
            of.isPresent[(int) number()] = isListed;
        }
    }

    private void readColumn(RowCells cells, Columns of, int column, int flags) {
        if (of.hasCells[column]) {
            readCells(cells, of, column, flags);
            return;
        }
        int cell = buffer[at++];
        readHead(cells, cell);
        int length =
                (cell & CELL_IS_EMPTY) != 0 ? 0 : of.fixedBytes[column] >= 0 ? of.fixedBytes[column] : (int) number();
        int part = of.parts[column];
        if (part >= 0 && cellTime > of.dropped[column]) {
            cells.times[part] = cellTime;
            cells.expiries[part] = cellExpiry;
            cells.ttls[part] = cellTtl;
            cells.starts[part] = at;
            cells.lengths[part] = (cell & CELL_IS_DELETED) != 0 ? RowCells.DELETED : length;
        } else if ((cell & CELL_IS_DELETED) == 0 && nowSeconds < cellExpiry) {
            hide(cells, part, cellTime);
        }
        skip(length);
    }

    /** Reads the times of a cell, which are at its beginning. */
    private void readHead(RowCells cells, int cell) {
        cellTime = (cell & CELL_HAS_TIME_OF_ROW) != 0 ? cells.liveTime : number() + minTime;
        cellExpiry = RowCells.NEVER;
        cellTtl = 0;
        if ((cell & CELL_HAS_TTL_OF_ROW) != 0) {
            cellExpiry = cells.liveExpiry;
            cellTtl = cells.liveTtl;
        } else if ((cell & (CELL_IS_DELETED | CELL_EXPIRES)) != 0) {
            int delta = (int) number();
            cellTtl = (cell & CELL_EXPIRES) != 0 ? (int) number() + minTtl : 0;
            cellExpiry = expiry(delta, cellTtl);
        }
    }

    private static void hide(RowCells cells, int part, long time) {
        if (part < 0) {
            cells.goneTime = Math.max(cells.goneTime, time);
        } else {
            cells.hiddenTimes[part] = Math.max(cells.hiddenTimes[part], time);
        }
    }

    private void skip(int length) {
        if (length < 0 || length > bodyEnd - at) {
            throw malformed(null);
        }
        at += length;
    }

    private void readCells(RowCells cells, Columns of, int column, int flags) {
        int part = of.parts[column];
        if ((flags & HAS_DELETED_COLLECTION) != 0) {
            long deleted = number() + minTime;
            number();
            if (part >= 0) {
                cells.columnDeleted[part] = deleted;
            }
        }
        for (long count = number(); count > 0; count--) {
            int cell = buffer[at++];
            readHead(cells, cell);
            int pathLength = (int) number();
            int path = at;
            skip(pathLength);
            int fields = of.fields[column];
            if (fields > 0 && (pathLength != 2 || (Bytes.getShort(buffer, path) & 0xFFFF) >= fields)) {
                throw malformed(null);
            }
            int length = (cell & CELL_IS_EMPTY) != 0 ? 0 : (int) number();
            if (part >= 0 && cellTime > of.dropped[column]) {
                int to = cells.addCell(part);
                cells.cellTimes[to] = cellTime;
                cells.cellExpiries[to] = cellExpiry;
                cells.cellTtls[to] = cellTtl;
                cells.pathStarts[to] = path;
                cells.pathLengths[to] = pathLength;
                cells.cellStarts[to] = at;
                cells.cellLengths[to] = (cell & CELL_IS_DELETED) != 0 ? RowCells.DELETED : length;
            } else if ((cell & CELL_IS_DELETED) == 0 && nowSeconds < cellExpiry) {
                hide(cells, part, cellTime);
            }
            skip(length);
        }
    }

    /**
     * Decodes seconds since 1970 from the distance. An expiry beyond what its version can hold has passed, as for the
     * server.
     */
    private long expiry(int delta, int ttl) {
        long seconds = (long) delta + minExpiry;
        if (seconds >= ttl) {
            return seconds;
        }
        return seconds < 0 && file.hasShortDeletions() ? seconds & 0xFFFFFFFFL : 0;
    }

    OverdriveException malformed(@Nullable RuntimeException cause) {
        return file.damaged("its rows are malformed before " + in.position(), cause);
    }
}
