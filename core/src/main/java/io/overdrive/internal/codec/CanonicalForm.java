package io.overdrive.internal.codec;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Puts the elements of sets and the entries of maps in order, and of equal ones keeps the first, with the value of the last, as the
 * server does with values that it receives. Collections within tuples and UDTs stay as they are, there as here. Confined to one thread.
 */
public final class CanonicalForm {
    /** Whether it is within another collection. */
    private final boolean isNested;
    /** Elements side by side are one entry: two in maps. */
    private final int partsOfEntry;

    private final @Nullable CanonicalForm[] parts;
    /** Order of a set's elements or a map's keys; null in lists, which keep their order. */
    private final @Nullable ClusteringOrder order;

    /** Entries as they come, each part preceded by its length. */
    private final Bytes entries = new Bytes(64);

    private int[] starts = new int[16];
    private final IndexSort sort = new IndexSort();

    private CanonicalForm(boolean isNested, @Nullable ClusteringOrder order, DataType... types) {
        this.isNested = isNested;
        this.order = order;
        partsOfEntry = types.length;
        parts = Arrays.stream(types).map(type -> of(type, /* isNested */ true)).toArray(CanonicalForm[]::new);
    }

    /** Null if values of the type have only one form, or a class of the server determines the order of their elements. */
    public static @Nullable CanonicalForm of(DataType type) {
        return of(type, /* isNested */ false);
    }

    private static @Nullable CanonicalForm of(DataType type, boolean isNested) {
        if (type instanceof SetType set) {
            ClusteringOrder order = order(set.getElementType());
            return order == null ? null : new CanonicalForm(isNested, order, set.getElementType());
        }
        if (type instanceof MapType map) {
            ClusteringOrder order = order(map.getKeyType());
            return order == null ? null : new CanonicalForm(isNested, order, map.getKeyType(), map.getValueType());
        }
        return type instanceof ListType list && of(list.getElementType()) != null
                ? new CanonicalForm(isNested, null, list.getElementType())
                : null;
    }

    private static @Nullable ClusteringOrder order(DataType type) {
        try {
            return ClusteringOrder.of(type);
        } catch (IllegalArgumentException e) {
            return null; // a custom type
        }
    }

    /**
     * Appends the canonical form of a value, which is not empty.
     *
     * @throws IllegalArgumentException if it has a null in it, or its lengths are wrong
     */
    public void append(byte[] value, int from, int length, Bytes out) {
        int count = read(value, from, length);
        if (order == null) {
            out.putInt(count);
            out.put(entries.array(), 0, entries.length());
            return;
        }
        int[] sorted = sort.sort(count, this::compare);
        int countAt = out.beginValue() - 4;
        int kept = 0;
        int first = 0;
        while (first < count) {
            int to = first + 1;
            while (to < count && compare(sorted[first], sorted[to]) == 0) {
                to++;
            }
            kept += appendEqual(sorted, first, to, out);
            first = to;
        }
        out.setInt(countAt, kept);
    }

    /** Appends the entries that remain of equal ones. @return their number */
    private int appendEqual(int[] sorted, int from, int to, Bytes out) {
        int kept = 0;
        for (int i = from; i < to; i++) {
            int last = i;
            boolean isRepeated = false;
            for (int k = from; k < to; k++) {
                if (k != i && isSame(sorted[i], sorted[k])) {
                    isRepeated |= k < i;
                    last = Math.max(last, k);
                }
            }
            if (!isRepeated) {
                appendPart(sorted[i], 0, out);
                if (partsOfEntry == 2) {
                    appendPart(sorted[last], 1, out);
                }
                kept++;
            }
        }
        return kept;
    }

    /** Whether only one of two entries whose order is the same stays: within another value, both do if their bytes differ. */
    private boolean isSame(int a, int b) {
        return !isNested
                || Arrays.equals(
                        entries.array(),
                        starts[a],
                        starts[a] + 4 + Bytes.getInt(entries.array(), starts[a]),
                        entries.array(),
                        starts[b],
                        starts[b] + 4 + Bytes.getInt(entries.array(), starts[b]));
    }

    private void appendPart(int entry, int part, Bytes out) {
        byte[] array = entries.array();
        int from = starts[entry];
        if (part == 1) {
            from += 4 + Bytes.getInt(array, from);
        }
        out.put(array, from, 4 + Bytes.getInt(array, from));
    }

    private int read(byte[] value, int from, int length) {
        int count = CollectionValue.count(value, from, length);
        if (starts.length <= count) {
            starts = new int[Math.max(count + 1, 2 * starts.length)];
        }
        entries.clear();
        int at = from + 4;
        for (int i = 0; i < count; i++) {
            starts[i] = entries.length();
            for (int part = 0; part < partsOfEntry; part++) {
                int bytes = CollectionValue.elementBytes(value, at, from + length);
                CanonicalForm form = parts[part];
                if (form == null || bytes == 0) {
                    entries.put(value, at, 4 + bytes);
                } else {
                    int begin = entries.beginValue();
                    form.append(value, at + 4, bytes, entries);
                    entries.endValue(begin);
                }
                at += 4 + bytes;
            }
        }
        starts[count] = entries.length();
        CollectionValue.checkEnd(at, from + length);
        return count;
    }

    private int compare(int a, int b) {
        byte[] array = entries.array();
        return Objects.requireNonNull(order)
                .compare(
                        array,
                        starts[a] + 4,
                        Bytes.getInt(array, starts[a]),
                        array,
                        starts[b] + 4,
                        Bytes.getInt(array, starts[b]));
    }
}
