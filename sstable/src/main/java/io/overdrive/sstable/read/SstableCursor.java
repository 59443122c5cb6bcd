package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.ClusteringOrder;
import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.Layout;
import java.io.Closeable;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;

/**
 * Partitions of one SSTable in sequence, and in each of them rows and the bounds of deleted ranges, with their bytes where they were read.
 * Confined to one thread; on the hot path.
 *
 * <p>{@code RowEncoder} shows the bytes of rows. A bound is its kind, the number of its clustering columns, their values, and a body with
 * one or two deletions.
 */
final class SstableCursor implements Closeable {
    /** A partition before a range that is shorter is read; another is left out, as the index says. */
    private static final int PASSED_BYTES = 1 << 18;
    /** Maximum bytes of a row before the values of its clustering. */
    private static final int HEAD_BYTES = 64;

    private static final int END_OF_PARTITION = 0x01;
    private static final int IS_BOUND = 0x02;
    private static final int IS_EXTENDED = 0x80;
    private static final int EXTENDED_STATIC = 0x01;
    private static final int EXTENDED_SHADOWABLE = 0x02;

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
    private final BodyReader body;
    private final BodyReader.Columns staticColumns;
    private final BodyReader.Columns regularColumns;
    private final int[] clusteringFixedBytes;
    private final ClusteringOrder[] orders;
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

    /** @param nowSeconds cells that expire then or before have expired */
    SstableCursor(SstableFile file, Layout layout, ClusteringOrder[] orders, long nowSeconds) {
        this.file = file;
        this.orders = orders;
        FileHeader header = file.header();
        in = new DataReader(file);
        body = new BodyReader(file, in, nowSeconds);
        staticColumns = new BodyReader.Columns(header.statics());
        regularColumns = new BodyReader.Columns(header.regulars());
        statics = new RowCells(layout.statics().size());
        row = new RowCells(layout.regulars().size());
        clusteringFixedBytes =
                layout.clustering().stream().mapToInt(Layout.Part::fixedBytes).toArray();
        clusteringStarts = new int[clusteringFixedBytes.length];
        clusteringLengths = new int[clusteringFixedBytes.length];
    }

    /** Goes to the first partition whose token is greater, if there may be one up to the other token. */
    void seek(long fromToken, long toToken) {
        if (file.isKnownToMiss(fromToken, toToken)) {
            hasPartition = false;
            return;
        }
        SstableIndex.Neighbours found = file.neighbours(fromToken);
        SstableIndex.Place last = found.last();
        SstableIndex.Place next = found.next();
        long followsAt = -1; // where the next partition begins by the index, if the one before it is read
        if (last == null || (next != null && next.position() - last.position() >= PASSED_BYTES)) {
            if (last != null) {
                start(last, last.position()); // so what the index says of the partition that is left out is true
            }
            start(Objects.requireNonNull(next), file.end(toToken));
        } else {
            start(last, file.end(toToken));
            followsAt = next == null ? -1 : next.position();
        }
        if (last == null || last.position() == 0) {
            file.confirmFirst();
        }
        while (hasPartition && token <= fromToken) {
            readStatics();
            do {
                next();
            } while (!isAtEnd());
            if (followsAt >= 0 && in.position() != followsAt) {
                throw file.damagedIndex("lacks the partition at " + in.position());
            }
            followsAt = -1;
            nextPartition();
        }
    }

    private void start(SstableIndex.Place place, long expectedEnd) {
        in.seek(place.position(), expectedEnd);
        isFirst = true;
        nextPartition();
        if (!hasPartition || !place.fits(token, key, keyLength)) {
            throw file.damagedIndex("names another partition at " + place.position());
        }
    }

    /** Goes to the next partition, from the end of one. */
    void nextPartition() {
        in.mark = in.at;
        if (in.isAtEnd()) {
            if (token != file.lastToken()) {
                throw file.damagedIndex("lacks its last partition");
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
                throw body.malformed(null);
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
        body.read(statics, staticColumns, flags);
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
        body.read(row, regularColumns, flags);
    }

    private void readClustering(int count) {
        columns = count;
        long header = 0;
        for (int i = 0; i < count; i++) {
            if (i % COLUMNS_OF_A_HEADER == 0) {
                in.want(DataReader.VINT_BYTES);
                header = in.vint();
            }
            int length = 0;
            if ((header & 1) == 0) {
                if ((header & 2) != 0) {
                    throw file.lacksClustering(i);
                }
                length = clusteringFixedBytes[i];
                if (length < 0) {
                    in.want(DataReader.VINT_BYTES);
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
            throw body.malformed(null);
        }
        readClustering(count);
        boolean isBoundary = kind == EXCLUSIVE_END_INCLUSIVE_START || kind == INCLUSIVE_END_EXCLUSIVE_START;
        long deleted = body.readDeletions(isBoundary ? 2 : 1); // the second is of the range that starts
        nextRangeDeleted = kind == EXCLUSIVE_END || kind == INCLUSIVE_END ? RowCells.NONE : deleted;
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
