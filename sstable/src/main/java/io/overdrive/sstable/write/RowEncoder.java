package io.overdrive.sstable.write;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.codec.CollectionValue;
import io.overdrive.sstable.format.CellTimes;
import io.overdrive.sstable.format.ClusteringValues;
import io.overdrive.sstable.format.EncodingBase;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.format.Layout.Part;
import io.overdrive.sstable.format.Statistics;
import io.overdrive.sstable.format.Vints;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a row, from values in wire form. Confined to one thread; on the hot path.
 *
 * <pre>
 * row: flags, [extended flags], [clustering], length of the body, body
 * clustering: 2 bits a column (null, empty), then values
 * body: length of the previous row, [write time], [TTL, expiry], [columns that are missing], columns
 * column of one cell: cell
 * column of several: write time and time of the deletion before, number of cells, cells
 * cell: flags, [write time], [expiry], [TTL], [path], [value]
 * value: its bytes, preceded by their number unless each value of the type has as many
 * </pre>
 *
 * Numbers are vints; write times and expiries are distances from the {@link EncodingBase}.
 */
public final class RowEncoder {
    /** The length of a null in wire form. */
    public static final int NULL = -1;
    /** Length of a missing value, whose cell is not written. */
    public static final int UNSET = -2;

    private static final int ROW_HAS_TIME = 0x04;
    private static final int ROW_EXPIRES = 0x08;
    private static final int ROW_HAS_ALL_COLUMNS = 0x20;
    private static final int ROW_HAS_DELETED_COLLECTION = 0x40;
    private static final int ROW_IS_EXTENDED = 0x80;
    private static final int EXTENDED_STATIC = 0x01;

    private static final int CELL_IS_DELETED = 0x01;
    private static final int CELL_EXPIRES = 0x02;
    private static final int CELL_IS_EMPTY = 0x04;
    private static final int CELL_HAS_TIME_OF_ROW = 0x08;
    private static final int CELL_HAS_TTL_OF_ROW = 0x10;

    /** The second half of timeuuids of list elements: the variant, and no node. */
    private static final long LIST_NODE = 0x8080808080808080L;
    /** 100 ns intervals from October 1582 to 1970. */
    private static final long UUID_EPOCH = 0x01B21DD213814000L;

    private static final int MAX_BITMAP_COLUMNS = 63;

    private final Part[] clustering;
    private final Part[] statics;
    private final Part[] regulars;
    private final EncodingBase base;
    private final int nowSeconds;
    private final Statistics statistics;
    private final Bytes out;

    /** Where the length of each value is; its bytes follow. */
    private final int[] at;

    private final boolean[] isPresent;
    private final Bytes canonical = new Bytes(256);
    private int lengthBytes = 1;
    private int clusteringFrom;
    private int clusteringTo;

    // of the row in progress
    private byte[] values = {};
    private boolean hasTime;
    private long rowTime;
    private int rowTtl;
    private @Nullable CellTimes cellTimes;
    private long listPaths;

    // of the column in progress; of the row if all columns have the same times
    private long writeTime;
    private int ttl;
    private int expiry;
    private int flagsOfCell;
    /** Cells for which the statistics have to be notified of the times above. */
    private int cells;

    RowEncoder(Layout layout, EncodingBase base, int nowSeconds, Statistics statistics, Bytes out) {
        this.base = base;
        this.nowSeconds = nowSeconds;
        this.statistics = statistics;
        this.out = out;
        clustering = layout.clustering().toArray(Part[]::new);
        statics = layout.statics().toArray(Part[]::new);
        regulars = layout.regulars().toArray(Part[]::new);
        at = new int[layout.valueCount()];
        isPresent = new boolean[Math.max(statics.length, regulars.length)];
    }

    /** Finds the values of a row, for the calls that follow. */
    void locate(byte[] row, int from) {
        values = row;
        int next = from;
        for (int i = 0; i < at.length; i++) {
            at[i] = next;
            next += 4 + Math.max(0, Bytes.getInt(row, next));
        }
    }

    /** Copies the clustering columns of the row that was located. */
    void copyClustering(ClusteringValues copy) {
        copy.clear();
        for (int i = 0; i < clustering.length; i++) {
            Part part = clustering[i];
            int length = checkedLength(part);
            if (length < 0) {
                throw new IllegalArgumentException("clustering column " + part.name() + " has no value");
            }
            if (length > 0xFFFF) {
                throw new IllegalArgumentException(
                        "clustering column " + part.name() + " has " + length + " bytes; 65535 is the maximum");
            }
            CanonicalForm form = part.canonical();
            if (form == null || length == 0) {
                copy.add(i, values, at[part.index()] + 4, length);
            } else {
                canonical(form, at[part.index()] + 4, length);
                copy.add(i, canonical.array(), 0, canonical.length());
            }
        }
    }

    /**
     * Appends the static row, from the values that were located.
     *
     * @param isEmpty whether to ignore them, for a partition without static values
     * @param ttlSeconds 0 for none
     * @param times the times of each value; null if all have the same
     */
    void staticRow(boolean isEmpty, long writeTimeMicros, int ttlSeconds, @Nullable CellTimes times) {
        start(/* hasTime */ false, writeTimeMicros, ttlSeconds, times);
        for (int i = 0; i < statics.length; i++) {
            isPresent[i] = !isEmpty && Bytes.getInt(values, at[statics[i].index()]) != UNSET;
        }
        int flagsAt = out.length();
        out.putByte(0);
        out.putByte(EXTENDED_STATIC);
        body(statics, flagsAt, ROW_IS_EXTENDED, 0, isEmpty);
    }

    /** Whether the row that was located has a static value. */
    boolean hasStatics() {
        for (Part part : statics) {
            if (Bytes.getInt(values, at[part.index()]) != UNSET) {
                return true;
            }
        }
        return false;
    }

    /**
     * Appends a row, from the values that were located.
     *
     * @param ttlSeconds 0 for none
     * @param times the times of each value; null if all have the row's
     * @param hasMarker whether it has the row marker
     * @param previousBytes the length of the row before, or of what precedes the first row of the partition
     */
    void row(
            ClusteringValues key,
            long writeTimeMicros,
            int ttlSeconds,
            @Nullable CellTimes times,
            boolean hasMarker,
            long previousBytes) {
        start(/* hasTime */ hasMarker, writeTimeMicros, ttlSeconds, times);
        for (int i = 0; i < regulars.length; i++) {
            isPresent[i] = Bytes.getInt(values, at[regulars[i].index()]) != UNSET;
        }
        int flagsAt = out.length();
        out.putByte(0);
        clusteringFrom = out.length();
        key.encode(clustering, out);
        clusteringTo = out.length();
        body(regulars, flagsAt, 0, previousBytes, /* isEmpty */ false);
    }

    /** Where the clustering of the last row is in the output. */
    int clusteringFrom() {
        return clusteringFrom;
    }

    int clusteringTo() {
        return clusteringTo;
    }

    private void start(boolean isTimed, long writeTimeMicros, int ttlSeconds, @Nullable CellTimes times) {
        hasTime = isTimed;
        rowTime = writeTimeMicros;
        rowTtl = ttlSeconds;
        cellTimes = times;
        listPaths = 0;
        cells = 0;
        setTimes(writeTimeMicros, ttlSeconds);
    }

    /** Sets the times of the cells that follow. */
    private void setTimes(long writeTimeMicros, int ttlSeconds) {
        writeTime = writeTimeMicros;
        ttl = ttlSeconds;
        expiry = ttlSeconds == 0 ? Statistics.NEVER : nowSeconds + ttlSeconds;
        flagsOfCell = (hasTime && writeTime == rowTime ? CELL_HAS_TIME_OF_ROW : 0)
                | (ttl == 0 ? 0 : CELL_EXPIRES)
                | (hasTime && ttl != 0 && ttl == rowTtl ? CELL_HAS_TTL_OF_ROW : 0);
    }

    /** Counts the cells since the last call, all of which have the times of the column in progress. */
    private void countCells(int marks) {
        if (cells + marks > 0) {
            statistics.cells(writeTime, ttl, expiry, cells, marks);
            cells = 0;
        }
    }

    private void body(Part[] parts, int flagsAt, int kind, long previousBytes, boolean isEmpty) {
        int lengthAt = out.length();
        out.reserve(lengthBytes);
        out.advance(lengthBytes);
        int from = out.length();
        int flags = kind;
        out.putUnsignedVint(previousBytes);
        if (hasTime) {
            flags |= ROW_HAS_TIME;
            out.putUnsignedVint(writeTime - base.writeTime());
            if (ttl != 0) {
                flags |= ROW_EXPIRES;
                out.putUnsignedVint(ttl);
                putExpiry(expiry);
            }
        }
        int present = 0;
        for (int i = 0; i < parts.length; i++) {
            if (isPresent[i]) {
                present++;
                flags |= parts[i].cells() == Layout.Cells.ONE ? 0 : ROW_HAS_DELETED_COLLECTION;
            }
        }
        if (present == parts.length) {
            flags |= ROW_HAS_ALL_COLUMNS;
        } else {
            putColumns(parts.length, present);
        }
        int columns = 0;
        CellTimes times = cellTimes;
        if (times != null) {
            countCells(hasTime ? 1 : 0);
        }
        for (int i = 0; i < parts.length; i++) {
            if (isPresent[i]) {
                if (times != null) {
                    setTimes(times.writeTime(parts[i].index()), times.ttl(parts[i].index()));
                }
                columns += column(parts[i]);
                if (times != null) {
                    countCells(0);
                }
            }
        }
        out.array()[flagsAt] = (byte) flags;
        setLength(lengthAt, from);
        if (!isEmpty) {
            if (times == null) {
                countCells(hasTime ? 1 : 0);
            }
            statistics.row(columns);
        }
    }

    /** Sets the length of the body, which is moved if its vint has not as many bytes as that of the last row. */
    private void setLength(int lengthAt, int from) {
        int length = out.length() - from;
        int needed = Vints.bytes(length);
        if (needed != lengthBytes) {
            out.reserve(Math.max(0, needed - lengthBytes));
            System.arraycopy(out.array(), from, out.array(), lengthAt + needed, length);
            if (needed > lengthBytes) {
                out.advance(needed - lengthBytes);
            } else {
                out.truncate(out.length() - (lengthBytes - needed));
            }
            lengthBytes = needed;
        }
        Vints.set(out.array(), lengthAt, length, needed);
    }

    /** Which columns the row has: a bit for each that is missing, or with many columns the numbers of the fewer ones. */
    private void putColumns(int count, int present) {
        if (count <= MAX_BITMAP_COLUMNS) {
            long missing = 0;
            for (int i = 0; i < count; i++) {
                missing |= isPresent[i] ? 0 : 1L << i;
            }
            out.putUnsignedVint(missing);
            return;
        }
        out.putUnsignedVint(count - present);
        boolean listed = present < count / 2;
        for (int i = 0; i < count; i++) {
            if (isPresent[i] == listed) {
                out.putUnsignedVint(i);
            }
        }
    }

    /** @return 1 if it has a cell */
    private int column(Part part) {
        if (part.cells() != Layout.Cells.ONE) {
            return collection(part) > 0 ? 1 : 0;
        }
        int length = checkedLength(part);
        if (length == NULL) {
            out.putByte(CELL_IS_DELETED | CELL_IS_EMPTY | (flagsOfCell & CELL_HAS_TIME_OF_ROW));
            if ((flagsOfCell & CELL_HAS_TIME_OF_ROW) == 0) {
                out.putUnsignedVint(writeTime - base.writeTime());
            }
            putExpiry(nowSeconds);
            statistics.cells(writeTime, 0, nowSeconds, 1, 0);
            return 1;
        }
        cellHead(length);
        int from = at[part.index()] + 4;
        CanonicalForm form = part.canonical();
        if (part.fixedBytes() == Long.BYTES && length == Long.BYTES) {
            out.putLong(Bytes.getLong(values, from));
        } else if (form != null && length > 0) {
            canonical(form, from, length);
            putValue(canonical.array(), 0, canonical.length());
        } else if (part.fixedBytes() >= 0) {
            out.put(values, from, length);
        } else {
            putValue(values, from, length);
        }
        return 1;
    }

    private int checkedLength(Part part) {
        int length = Bytes.getInt(values, at[part.index()]);
        if (length < UNSET || (part.fixedBytes() >= 0 && length > 0 && length != part.fixedBytes())) {
            throw new IllegalArgumentException("column " + part.name() + " of type "
                    + part.type().asCql(/* includeFrozen */ true, /* pretty */ true) + " has a value of " + length
                    + " bytes; " + (part.fixedBytes() < 0 ? "-2 is the minimum" : part.fixedBytes() + " are needed"));
        }
        return length;
    }

    private void canonical(CanonicalForm form, int from, int length) {
        canonical.clear();
        form.append(values, from, length, canonical);
    }

    /** All of a cell before its path and value. */
    private void cellHead(int length) {
        cells++;
        int flags = flagsOfCell | (length == 0 ? CELL_IS_EMPTY : 0);
        out.putByte(flags);
        if ((flags & CELL_HAS_TIME_OF_ROW) == 0) {
            out.putUnsignedVint(writeTime - base.writeTime());
        }
        if ((flags & (CELL_EXPIRES | CELL_HAS_TTL_OF_ROW)) == CELL_EXPIRES) {
            putExpiry(expiry);
            out.putUnsignedVint(ttl);
        }
    }

    private void putValue(byte[] array, int from, int length) {
        if (length > 0) {
            out.putUnsignedVint(length);
            out.put(array, from, length);
        }
    }

    private void putExpiry(int epochSeconds) {
        out.putUnsignedVint(epochSeconds - base.expiry());
    }

    /** Writes a collection or UDT as INSERT does: its cells are deleted, then written. @return the number of cells */
    private int collection(Part part) {
        out.putUnsignedVint(writeTime - 1 - base.writeTime());
        putExpiry(nowSeconds);
        statistics.collectionDeleted(writeTime - 1, nowSeconds);
        int length = checkedLength(part);
        int from = at[part.index()] + 4;
        if (length <= 0) {
            out.putUnsignedVint(0);
            return 0;
        }
        byte[] source = values;
        CanonicalForm form = part.canonical();
        if (form != null) {
            canonical(form, from, length);
            source = canonical.array();
            from = 0;
            length = canonical.length();
        }
        return switch (part.cells()) {
            case LIST -> list(source, from, length);
            case SET -> set(source, from, length);
            case MAP -> map(source, from, length);
            case UDT -> udt(source, from, length);
            case ONE -> throw new IllegalStateException("column " + part.name() + " has one cell");
        };
    }

    private int list(byte[] source, int from, int length) {
        int count = CollectionValue.count(source, from, length);
        out.putUnsignedVint(count);
        int next = from + 4;
        for (int i = 0; i < count; i++) {
            int bytes = CollectionValue.elementBytes(source, next, from + length);
            cellHead(bytes);
            out.putUnsignedVint(16);
            putListPath();
            putValue(source, next + 4, bytes);
            next += 4 + bytes;
        }
        CollectionValue.checkEnd(next, from + length);
        return count;
    }

    /** A timeuuid of the write time, and a microsecond more for each element, so that a second run makes the same cells. */
    private void putListPath() {
        long time = (writeTime + listPaths++) * 10 + UUID_EPOCH;
        out.putInt((int) time);
        out.putShort((int) (time >>> 32));
        out.putShort((int) (time >>> 48) & 0x0FFF | 0x1000);
        out.putLong(LIST_NODE);
    }

    private int set(byte[] source, int from, int length) {
        int count = CollectionValue.count(source, from, length);
        out.putUnsignedVint(count);
        int next = from + 4;
        for (int i = 0; i < count; i++) {
            int bytes = CollectionValue.elementBytes(source, next, from + length);
            cellHead(0);
            putPath(source, next + 4, bytes);
            next += 4 + bytes;
        }
        return count;
    }

    private int map(byte[] source, int from, int length) {
        int count = CollectionValue.count(source, from, length);
        out.putUnsignedVint(count);
        int key = from + 4;
        for (int i = 0; i < count; i++) {
            int keyBytes = CollectionValue.elementBytes(source, key, from + length);
            int value = key + 4 + keyBytes;
            int valueBytes = CollectionValue.elementBytes(source, value, from + length);
            cellHead(valueBytes);
            putPath(source, key + 4, keyBytes);
            putValue(source, value + 4, valueBytes);
            key = value + 4 + valueBytes;
        }
        return count;
    }

    private void putPath(byte[] source, int from, int length) {
        out.putUnsignedVint(length);
        out.put(source, from, length);
    }

    private int udt(byte[] source, int from, int length) {
        int end = from + length;
        int count = 0;
        for (int next = from; next < end; next += 4 + Math.max(0, CollectionValue.fieldBytes(source, next, end))) {
            count += CollectionValue.fieldBytes(source, next, end) >= 0 ? 1 : 0;
        }
        out.putUnsignedVint(count);
        int field = 0;
        int bytes;
        for (int next = from; next < end; next += 4 + Math.max(0, bytes)) {
            bytes = Bytes.getInt(source, next);
            if (bytes >= 0) {
                cellHead(bytes);
                out.putUnsignedVint(2);
                out.putShort(field);
                putValue(source, next + 4, bytes);
            }
            field++;
        }
        return count;
    }
}
