package io.overdrive.sstable.sort;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.codec.CanonicalForm;
import io.overdrive.internal.names.JobOption;
import io.overdrive.sstable.format.CellTimes;
import io.overdrive.sstable.format.Layout;
import io.overdrive.sstable.write.RowEncoder;
import io.overdrive.sstable.write.SstableWriter;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Several records of one row as the server would merge them: of each value the one with the latest write time. Of one write time, a
 * null wins over a value, one with a TTL over one without, a later expiry over an earlier one, and then the greater value. Confined to
 * one thread.
 */
final class MergedRow {
    private static final byte[] NONE = {};

    private final Layout.@Nullable Part[] parts;
    private final byte[][] arrays;
    /** Where the length of each value is in its array. */
    private final int[] starts;

    private final CellTimes times;
    private final Bytes values = new Bytes(512);
    private final Bytes left = new Bytes(64);
    private final Bytes right = new Bytes(64);
    private boolean hasMarker;
    private long writeTime;
    private int ttl;

    /** @param layout that no other thread uses */
    MergedRow(Layout layout) {
        parts = new Layout.Part[layout.valueCount()];
        for (List<Layout.Part> each : List.of(layout.statics(), layout.regulars())) {
            each.forEach(part -> parts[part.index()] = part);
        }
        arrays = new byte[parts.length][];
        clear();
        starts = new int[parts.length];
        times = new CellTimes(parts.length);
    }

    /** Starts with the first of the records. */
    void start(byte[] array, int at) {
        hasMarker = RowRecord.hasMarker(array, at);
        writeTime = RowRecord.writeTime(array, at);
        ttl = RowRecord.ttl(array, at);
        times.setAll(writeTime, ttl);
        int next = RowRecord.valuesFrom(array, at);
        for (int i = 0; i < parts.length; i++) {
            arrays[i] = array;
            starts[i] = next;
            next += 4 + Math.max(0, Bytes.getInt(array, next));
        }
    }

    /**
     * Adds another record of the same row.
     *
     * @throws OverdriveException of kind INPUT if both have the same write time and a collection or UDT of several cells that differs,
     *     whose elements the server would mix
     */
    void add(byte[] array, int at) {
        long newTime = RowRecord.writeTime(array, at);
        int newTtl = RowRecord.ttl(array, at);
        if (RowRecord.hasMarker(array, at)
                && (!hasMarker || newTime > writeTime || (newTime == writeTime && newTtl > ttl))) {
            hasMarker = true;
            writeTime = newTime;
            ttl = newTtl;
        }
        int next = RowRecord.valuesFrom(array, at);
        for (int i = 0; i < parts.length; i++) {
            int length = Bytes.getInt(array, next);
            Layout.Part part = parts[i];
            if (part != null && length != RowEncoder.UNSET && wins(part, array, next, newTime, newTtl)) {
                arrays[i] = array;
                starts[i] = next;
                times.set(i, newTime, newTtl);
            }
            next += 4 + Math.max(0, length);
        }
    }

    private boolean wins(Layout.Part part, byte[] array, int start, long newTime, int newTtl) {
        int i = part.index();
        int length = Bytes.getInt(array, start);
        int oldLength = Bytes.getInt(arrays[i], starts[i]);
        if (oldLength == RowEncoder.UNSET || newTime != times.writeTime(i)) {
            return oldLength == RowEncoder.UNSET || newTime > times.writeTime(i);
        }
        int order = compareValues(part, array, start);
        if (part.cells() != Layout.Cells.ONE) {
            if (order != 0 || length < 0 != oldLength < 0 || newTtl != times.ttl(i)) {
                throw new OverdriveException(
                        Kind.INPUT,
                        words -> "two rows of the same key have the write time " + newTime + ", and different values"
                                + " of column \"" + part.name() + "\", which is not frozen: the server would mix their"
                                + " elements, which files cannot do; give them different write times, or load them"
                                + " over CQL, without " + words.of(JobOption.SSTABLES));
            }
            return false;
        }
        if (length < 0 || oldLength < 0) {
            return oldLength >= 0;
        }
        return newTtl != times.ttl(i) ? newTtl > times.ttl(i) : order > 0;
    }

    /** The new value with the old one by unsigned bytes, in the form in which they are stored. */
    private int compareValues(Layout.Part part, byte[] array, int start) {
        int i = part.index();
        store(part, array, start, left);
        store(part, arrays[i], starts[i], right);
        return Arrays.compareUnsigned(left.array(), 0, left.length(), right.array(), 0, right.length());
    }

    private static void store(Layout.Part part, byte[] array, int start, Bytes out) {
        out.clear();
        int length = Bytes.getInt(array, start);
        CanonicalForm form = part.canonical();
        if (length > 0 && form != null) {
            form.append(array, start + 4, length, out);
        } else if (length > 0) {
            out.put(array, start + 4, length);
        }
    }

    /** The values as {@link SstableWriter} takes them, from the start of the array; valid until the next call. */
    byte[] values() {
        values.clear();
        for (int i = 0; i < parts.length; i++) {
            values.put(arrays[i], starts[i], 4 + Math.max(0, Bytes.getInt(arrays[i], starts[i])));
        }
        return values.array();
    }

    /** Lets go of the records. */
    void clear() {
        Arrays.fill(arrays, NONE);
    }

    /** Whether one of the records has the row marker. */
    boolean hasMarker() {
        return hasMarker;
    }

    /** Write time of the row marker, if there is one. */
    long writeTime() {
        return writeTime;
    }

    /** TTL of the row marker, if there is one. */
    int ttl() {
        return ttl;
    }

    CellTimes times() {
        return times;
    }
}
