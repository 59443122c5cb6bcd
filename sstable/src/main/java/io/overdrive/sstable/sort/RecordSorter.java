package io.overdrive.sstable.sort;

import io.overdrive.internal.codec.IndexSort;
import java.util.Arrays;

/** Sorts records that are in one array. Confined to one thread; on the hot path. */
public final class RecordSorter implements Records {
    /** Records of one sorter have the first bits of their tokens in common. */
    public static final int PIECE_BITS = 8;
    /** The low bits of a token give way to the number of the record, so that both are sorted as one long. */
    private static final int NUMBER_BITS = 24;

    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    /** The numbers of the records fit, as each has at least 32 bytes. */
    public static final int MAX_BYTES = 32 << NUMBER_BITS;

    private final RecordOrder order;
    private final byte[] array;
    private final int[] starts;
    /** The first bits of the token that are not common, then the number of the record. */
    private final long[] sorted;

    private int next;

    /**
     * Sorts at once.
     *
     * @param length of the records in the array, at most {@link #MAX_BYTES}
     */
    RecordSorter(RecordOrder order, byte[] array, int length) {
        this.order = order;
        this.array = array;
        int[] found = new int[Math.max(16, length / 64)];
        int count = 0;
        for (int at = 0; at < length; at += RowRecord.size(array, at)) {
            if (count == found.length) {
                found = Arrays.copyOf(found, 2 * count);
            }
            found[count++] = at;
        }
        starts = found;
        sorted = new long[count];
        for (int i = 0; i < count; i++) {
            sorted[i] = (((RowRecord.token(array, starts[i]) << PIECE_BITS) ^ Long.MIN_VALUE) & ~NUMBER_MASK) | i;
        }
        Arrays.sort(sorted);
        sortNeighbours();
    }

    /** Sorts those whose tokens are not distinguished by the bits that were sorted, such as the rows of a partition. */
    private void sortNeighbours() {
        IndexSort sort = new IndexSort();
        long[] moved = new long[64];
        int from = 0;
        while (from < sorted.length) {
            int to = from + 1;
            while (to < sorted.length && (sorted[to] & ~NUMBER_MASK) == (sorted[from] & ~NUMBER_MASK)) {
                to++;
            }
            int count = to - from;
            if (count > 1) {
                if (moved.length < count) {
                    moved = new long[2 * count];
                }
                int first = from;
                int[] ranks =
                        sort.sort(count, (a, b) -> order.compare(array, start(first + a), array, start(first + b)));
                for (int i = 0; i < count; i++) {
                    moved[i] = sorted[from + ranks[i]];
                }
                System.arraycopy(moved, 0, sorted, from, count);
            }
            from = to;
        }
    }

    private int start(int rank) {
        return starts[(int) (sorted[rank] & NUMBER_MASK)];
    }

    @Override
    public boolean next() {
        return next++ < sorted.length;
    }

    @Override
    public byte[] array() {
        return array;
    }

    @Override
    public int at() {
        return start(next - 1);
    }
}
