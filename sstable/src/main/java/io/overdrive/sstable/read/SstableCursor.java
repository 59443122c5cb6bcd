package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.FileHeader.FileColumn;
import io.overdrive.sstable.format.Layout;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Partitions of one SSTable in sequence, and in each of them rows and the bounds of deleted ranges, with their bytes where they were read.
 * Confined to one thread; on the hot path.
 *
 * <p>{@code RowEncoder} shows the bytes of rows. A bound is its kind, the number of its clustering columns, their values, the length of
 * what follows, that of the row before, and one or two deletions.
 *
 * <p>Above 500 lines because one pass over the buffer reads all of a row, and each step begins where the step before it has ended.
 */
final class SstableCursor implements Closeable {
    /** Maximum bytes of a row before the values of its clustering. */
    private static final int HEAD_BYTES = 64;

    private static final int VINT_BYTES = 9;

    private static final int END_OF_PARTITION = 0x01;
    private static final int IS_BOUND = 0x02;
    private static final int HAS_TIME = 0x04;
    private static final int EXPIRES = 0x08;
    private static final int HAS_DELETION = 0x10;
    private static final int HAS_ALL_COLUMNS = 0x20;
    private static final int HAS_DELETED_COLLECTION = 0x40;
    private static final int IS_EXTENDED = 0x80;
    private static final int EXTENDED_STATIC = 0x01;
    private static final int EXTENDED_SHADOWABLE = 0x02;

    private static final int CELL_IS_DELETED = 0x01;
    private static final int CELL_EXPIRES = 0x02;
    private static final int CELL_IS_EMPTY = 0x04;
    private static final int CELL_HAS_TIME_OF_ROW = 0x08;
    private static final int CELL_HAS_TTL_OF_ROW = 0x10;

    private static final int MAX_BITMAP_COLUMNS = 63;
    private static final int COLUMNS_OF_A_HEADER = 32;

    // kinds of clusterings, as they are numbered in the file
    private static final int EXCLUSIVE_END = 0;
    private static final int INCLUSIVE_START = 1;
    private static final int EXCLUSIVE_END_INCLUSIVE_START = 2;
    private static final int ROW = 4;
    private static final int INCLUSIVE_END_EXCLUSIVE_START = 5;
    private static final int INCLUSIVE_END = 6;
    private static final int EXCLUSIVE_START = 7;
    /** The kind of the end, behind the last row of a partition. */
    private static final int END = 8;

    private final SstableFile file;
    private final DataReader in;
    private final Columns staticColumns;
    private final Columns regularColumns;
    private final int[] clusteringFixedBytes;
    private final ClusteringOrder[] orders;
    private final long minTime;
    private final int minExpiry;
    private final int minTtl;
    private final long nowSeconds;
    private final RowCells row;
    private final RowCells statics;

    private byte[] key = new byte[64];
    private byte[] lastKey = new byte[64];
    private int keyLength;
    private int lastKeyLength;
    private long token;
    private boolean hasPartition;
    private boolean isFirst;
    private long partitionDeleted;

    private int kind;
    private int columns;
    /** Where values of the clustering are, from the mark of the reader. */
    private final int[] clusteringStarts;

    private final int[] clusteringLengths;
    /** Everything up to then is deleted here by a range whose start has been read. */
    private long rangeDeleted;

    private long nextRangeDeleted;

    // of the row in progress
    private byte[] buffer = {};
    private int at;
    private int bodyEnd;

    /** The columns of the file, as arrays. */
    private static final class Columns {
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
    SstableCursor(SstableFile file, Layout layout, ClusteringOrder[] orders, long nowSeconds) {
        this.nowSeconds = nowSeconds;
        this.file = file;
        this.orders = orders;
        FileHeader header = file.header();
        in = new DataReader(file);
        staticColumns = new Columns(header.statics());
        regularColumns = new Columns(header.regulars());
        statics = new RowCells(layout.statics().size());
        row = new RowCells(layout.regulars().size());
        clusteringFixedBytes =
                layout.clustering().stream().mapToInt(Layout.Part::fixedBytes).toArray();
        clusteringStarts = new int[clusteringFixedBytes.length];
        clusteringLengths = new int[clusteringFixedBytes.length];
        minTime = header.base().writeTime();
        minExpiry = header.base().expiry();
        minTtl = header.minTtl();
    }

    /** Goes to the first partition whose token is greater, if there may be one up to the other token. */
    void seek(long fromToken, long toToken) {
        SstableFile.Places places = file.places();
        if (file.isKnownToMiss(fromToken, toToken)) {
            hasPartition = false;
            return;
        }
        int place = places.before(fromToken);
        if (place > 0 && places.tokens()[place] > fromToken) {
            start(
                    places,
                    place - 1,
                    places.positions()[place - 1]); // so what it says of the one that is left out is true
        }
        start(places, place, file.end(toToken));
        if (place == 0) {
            file.confirmFirst();
        }
        while (hasPartition && token <= fromToken) {
            readStatics();
            do {
                next();
            } while (!isAtEnd());
            nextPartition();
        }
    }

    private void start(SstableFile.Places places, int place, long expectedEnd) {
        in.seek(places.positions()[place], expectedEnd);
        isFirst = true;
        nextPartition();
        if (!hasPartition || token != places.tokens()[place]) {
            throw file.damaged("its Index.db names another partition at " + places.positions()[place], null);
        }
    }

    /** Goes to the next partition, from the end of one. */
    void nextPartition() {
        in.mark = in.at;
        if (in.isAtEnd()) {
            if (token != file.places().lastToken()) {
                throw file.damaged("its Index.db lacks its last partition", null);
            }
            file.confirmLast();
            hasPartition = false;
            return;
        }
        in.need(2);
        int length = Bytes.getShort(in.buffer, in.at) & 0xFFFF;
        in.at += 2;
        in.need(length + 1);
        byte[] swap = lastKey;
        lastKey = key;
        lastKeyLength = keyLength;
        key = swap.length >= length ? swap : new byte[2 * length];
        keyLength = length;
        System.arraycopy(in.buffer, in.at, key, 0, length);
        in.at += length;
        long lastToken = token;
        token = Murmur3.token(key, 0, length);
        hasPartition = true;
        if (!isFirst
                && (token < lastToken
                        || (token == lastToken
                                && Arrays.compareUnsigned(lastKey, 0, lastKeyLength, key, 0, keyLength) >= 0))) {
            throw file.damaged("partitions are not in order at " + in.position(), null);
        }
        isFirst = false;
        readPartitionDeletion();
        rangeDeleted = RowCells.NONE;
        nextRangeDeleted = RowCells.NONE;
        kind = ROW;
    }

    private void readPartitionDeletion() {
        if (!file.hasShortDeletions()) {
            in.need(12);
            partitionDeleted = Bytes.getLong(in.buffer, in.at + 4);
            in.at += 12;
        } else if (in.buffer[in.at] < 0) {
            if (in.buffer[in.at] != Byte.MIN_VALUE) {
                throw malformed(null);
            }
            partitionDeleted = RowCells.NONE;
            in.at++;
        } else {
            in.need(12);
            partitionDeleted = Bytes.getLong(in.buffer, in.at);
            in.at += 12;
        }
    }

    OverdriveException malformedKey() {
        return file.damaged("the key of a partition is malformed before " + in.position(), null);
    }

    private OverdriveException malformed(@Nullable RuntimeException cause) {
        return file.damaged("its rows are malformed before " + in.position(), cause);
    }

    /**
     * Reads the static row, which may be missing; before {@link #next}.
     *
     * @return the static row, valid until the next call of any method
     */
    RowCells readStatics() {
        statics.clear();
        in.mark = in.at;
        in.want(HEAD_BYTES);
        in.need(1);
        if ((in.buffer[in.at] & (IS_EXTENDED | IS_BOUND | END_OF_PARTITION)) != IS_EXTENDED) {
            return statics;
        }
        in.need(2);
        if ((in.buffer[in.at + 1] & EXTENDED_STATIC) == 0) {
            return statics;
        }
        int flags = in.buffer[in.at];
        in.at += 2;
        readBody(statics, staticColumns, flags);
        return statics;
    }

    /** Goes to the next row or bound, or to the end of the partition. */
    void next() {
        rangeDeleted = nextRangeDeleted;
        in.mark = in.at;
        in.want(HEAD_BYTES);
        in.need(1);
        int flags = in.buffer[in.at++];
        if ((flags & END_OF_PARTITION) != 0) {
            kind = END;
            return;
        }
        if ((flags & IS_BOUND) != 0) {
            readBound();
            return;
        }
        if ((flags & IS_EXTENDED) != 0) {
            in.need(1);
            if ((in.buffer[in.at++] & EXTENDED_SHADOWABLE) != 0) {
                throw file.damaged("it is of a materialized view; read its base table", null);
            }
        }
        kind = ROW;
        readClustering(clusteringFixedBytes.length);
        readBody(row, regularColumns, flags);
    }

    private void readClustering(int count) {
        columns = count;
        long header = 0;
        for (int i = 0; i < count; i++) {
            if (i % COLUMNS_OF_A_HEADER == 0) {
                in.want(VINT_BYTES);
                header = in.vint();
            }
            int length = 0;
            if ((header & 1) == 0) {
                if ((header & 2) != 0) {
                    throw file.lacksClustering(i);
                }
                length = clusteringFixedBytes[i];
                if (length < 0) {
                    in.want(VINT_BYTES);
                    length = (int) in.vint();
                }
            }
            header >>>= 2;
            in.need(length);
            clusteringStarts[i] = in.at - in.mark;
            clusteringLengths[i] = length;
            in.at += length;
        }
    }

    private void readBound() {
        in.need(3);
        kind = in.buffer[in.at];
        int count = Bytes.getShort(in.buffer, in.at + 1) & 0xFFFF;
        in.at += 3;
        if (kind < 0 || kind > EXCLUSIVE_START || kind == 3 || kind == ROW || count > clusteringStarts.length) {
            throw malformed(null);
        }
        readClustering(count);
        startBody();
        try {
            long deleted = number() + minTime;
            number();
            if (kind == EXCLUSIVE_END_INCLUSIVE_START || kind == INCLUSIVE_END_EXCLUSIVE_START) {
                deleted = number() + minTime; // of the range that starts; that of the one that ends is known
                number();
            } else if (kind == EXCLUSIVE_END || kind == INCLUSIVE_END) {
                deleted = RowCells.NONE;
            }
            nextRangeDeleted = deleted;
        } catch (IndexOutOfBoundsException e) {
            throw malformed(e);
        }
        endBody();
    }

    /** Makes sure that as many bytes as the length says are in the array, and moves to them. */
    private void startBody() {
        in.want(VINT_BYTES);
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

    private void endBody() {
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

    private void readBody(RowCells cells, Columns of, int flags) {
        startBody();
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
        endBody();
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
        long time = (cell & CELL_HAS_TIME_OF_ROW) != 0 ? cells.liveTime : number() + minTime;
        long expiry = RowCells.NEVER;
        int ttl = 0;
        if ((cell & (CELL_IS_DELETED | CELL_EXPIRES | CELL_HAS_TTL_OF_ROW)) != 0) {
            if ((cell & CELL_HAS_TTL_OF_ROW) != 0) {
                expiry = cells.liveExpiry;
                ttl = cells.liveTtl;
            } else {
                int delta = (int) number();
                ttl = (cell & CELL_EXPIRES) != 0 ? (int) number() + minTtl : 0;
                expiry = expiry(delta, ttl);
            }
        }
        int length =
                (cell & CELL_IS_EMPTY) != 0 ? 0 : of.fixedBytes[column] >= 0 ? of.fixedBytes[column] : (int) number();
        int part = of.parts[column];
        if (part >= 0 && time > of.dropped[column]) {
            cells.times[part] = time;
            cells.expiries[part] = expiry;
            cells.ttls[part] = ttl;
            cells.starts[part] = at;
            cells.lengths[part] = (cell & CELL_IS_DELETED) != 0 ? RowCells.DELETED : length;
        } else if ((cell & CELL_IS_DELETED) == 0 && nowSeconds < expiry) {
            hide(cells, part, time);
        }
        skip(length);
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
            long time = (cell & CELL_HAS_TIME_OF_ROW) != 0 ? cells.liveTime : number() + minTime;
            long expiry = RowCells.NEVER;
            int ttl = 0;
            if ((cell & (CELL_IS_DELETED | CELL_EXPIRES | CELL_HAS_TTL_OF_ROW)) != 0) {
                if ((cell & CELL_HAS_TTL_OF_ROW) != 0) {
                    expiry = cells.liveExpiry;
                    ttl = cells.liveTtl;
                } else {
                    int delta = (int) number();
                    ttl = (cell & CELL_EXPIRES) != 0 ? (int) number() + minTtl : 0;
                    expiry = expiry(delta, ttl);
                }
            }
            int pathLength = (int) number();
            int path = at;
            skip(pathLength);
            int fields = of.fields[column];
            if (fields > 0 && (pathLength != 2 || (Bytes.getShort(buffer, path) & 0xFFFF) >= fields)) {
                throw malformed(null);
            }
            int length = (cell & CELL_IS_EMPTY) != 0 ? 0 : (int) number();
            if (part >= 0 && time > of.dropped[column]) {
                int to = cells.addCell(part);
                cells.cellTimes[to] = time;
                cells.cellExpiries[to] = expiry;
                cells.cellTtls[to] = ttl;
                cells.pathStarts[to] = path;
                cells.pathLengths[to] = pathLength;
                cells.cellStarts[to] = at;
                cells.cellLengths[to] = (cell & CELL_IS_DELETED) != 0 ? RowCells.DELETED : length;
            } else if ((cell & CELL_IS_DELETED) == 0 && nowSeconds < expiry) {
                hide(cells, part, time);
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

    Path path() {
        return file.path();
    }

    boolean hasPartition() {
        return hasPartition;
    }

    long token() {
        return token;
    }

    /** The key of the partition, of which {@link #keyLength} bytes are valid until the next partition. */
    byte[] key() {
        return key;
    }

    int keyLength() {
        return keyLength;
    }

    /** Everything up to then is deleted in the partition. */
    long partitionDeleted() {
        return partitionDeleted;
    }

    /** Everything up to then is deleted at this place by a range. */
    long rangeDeleted() {
        return rangeDeleted;
    }

    boolean isAtEnd() {
        return kind == END;
    }

    boolean isOnRow() {
        return kind == ROW;
    }

    /** The row, valid until the next call of another method that reads. */
    RowCells row() {
        return row;
    }

    byte[] buffer() {
        return in.buffer;
    }

    int clusteringStart(int column) {
        return in.mark + clusteringStarts[column];
    }

    int clusteringLength(int column) {
        return clusteringLengths[column];
    }

    int comparePartition(SstableCursor other) {
        return token != other.token
                ? Long.compare(token, other.token)
                : Arrays.compareUnsigned(key, 0, keyLength, other.key, 0, other.keyLength);
    }

    /** Whether this row or bound comes before another one, in the server's order; a row and a bound are never equal. */
    int compareClustering(SstableCursor other) {
        int shared = Math.min(columns, other.columns);
        for (int i = 0; i < shared; i++) {
            int order = orders[i].compare(
                    in.buffer,
                    clusteringStart(i),
                    clusteringLengths[i],
                    other.in.buffer,
                    other.clusteringStart(i),
                    other.clusteringLengths[i]);
            if (order != 0) {
                return order;
            }
        }
        if (columns == other.columns) {
            return place(kind) - place(other.kind);
        }
        return columns < other.columns ? place(kind) : -place(other.kind);
    }

    /** The place of a bound relative to the rows whose clustering begins with the same values. */
    private static int place(int kind) {
        return switch (kind) {
            case EXCLUSIVE_END, INCLUSIVE_START, EXCLUSIVE_END_INCLUSIVE_START -> -1;
            case ROW -> 0;
            default -> 1;
        };
    }

    @Override
    public void close() {
        in.close();
    }
}
