package io.overdrive.jobs.sort;

import io.overdrive.internal.codec.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Collects entries in memory, and sorts them. Confined to one thread until {@link #sort}; then immutable until {@link
 * #clear}, and any thread may open it.
 */
final class EntrySorter implements SortedRun {
    /** The low bits of a token give way to the number of the entry, so that both are sorted as one long. */
    private static final int NUMBER_BITS = 24;

    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    /** Memory of an entry besides its bytes: its reference, its sort key, and an object while neighbours are sorted. */
    private static final int OVERHEAD = 40;

    private static final int MIN_CHUNK_BYTES = 16 << 10;
    private static final int MAX_CHUNK_BYTES = 1 << 20;

    private final EntryLayout layout;
    private final long memory;
    private final int chunkBytes;
    private final List<byte[]> chunks = new ArrayList<>();
    /** How much of the last chunk is used. */
    private int used;

    private long bytes;
    private int count;
    /** The number of its chunk and the offset there, for each entry. */
    private long[] references = new long[256];
    /** Once sorted, the entries' numbers in the low bits. */
    private long[] sorted = {};

    /** @param memory bytes that it may take; a single entry may be larger */
    EntrySorter(EntryLayout layout, long memory) {
        this.layout = layout;
        this.memory = memory;
        chunkBytes = (int) Math.max(MIN_CHUNK_BYTES, Math.min(MAX_CHUNK_BYTES, memory / 8));
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Whether there is memory for another entry of this size. */
    boolean hasRoomFor(int size) {
        return count == 0 || (count <= NUMBER_MASK && bytes + size + (long) (count + 1) * OVERHEAD <= memory);
    }

    /** Copies the entry. */
    void add(Bytes entry) {
        int size = entry.length();
        if (chunks.isEmpty() || chunks.get(chunks.size() - 1).length - used < size) {
            chunks.add(new byte[Math.max(chunkBytes, size)]);
            used = 0;
        }
        System.arraycopy(entry.array(), 0, chunks.get(chunks.size() - 1), used, size);
        if (count == references.length) {
            references = Arrays.copyOf(references, 2 * count);
        }
        references[count++] = ((long) (chunks.size() - 1) << 32) | used;
        used += size;
        bytes += size;
    }

    void sort() {
        sorted = new long[count];
        for (int i = 0; i < count; i++) {
            sorted[i] = (Entry.token(chunk(i), offset(i)) & ~NUMBER_MASK) | i;
        }
        Arrays.sort(sorted);
        Entry a = new Entry(layout);
        Entry b = new Entry(layout);
        int from = 0;
        while (from < count) {
            int to = from + 1;
            while (to < count && (sorted[to] & ~NUMBER_MASK) == (sorted[from] & ~NUMBER_MASK)) {
                to++;
            }
            if (to - from > 1) {
                sortNeighbours(from, to, a, b);
            }
            from = to;
        }
    }

    /** Sorts entries whose tokens have the same high bits, mostly rows of one partition. */
    private void sortNeighbours(int from, int to, Entry a, Entry b) {
        Integer[] numbers = new Integer[to - from];
        for (int i = from; i < to; i++) {
            numbers[i - from] = number(i);
        }
        Arrays.sort(numbers, (x, y) -> {
            a.set(chunk(x), offset(x));
            b.set(chunk(y), offset(y));
            return a.compareTo(b);
        });
        long high = sorted[from] & ~NUMBER_MASK;
        for (int i = from; i < to; i++) {
            sorted[i] = high | numbers[i - from];
        }
    }

    private int number(int rank) {
        return (int) (sorted[rank] & NUMBER_MASK);
    }

    private byte[] chunk(int number) {
        return chunks.get((int) (references[number] >>> 32));
    }

    private int offset(int number) {
        return (int) references[number];
    }

    /** Forgets all entries, and keeps no memory. */
    void clear() {
        chunks.clear();
        used = 0;
        bytes = 0;
        count = 0;
        references = new long[256];
        sorted = new long[0];
    }

    @Override
    public EntryReader open(long after, long upTo, int bufferBytes) {
        return new Reader(firstAfter(after), upTo);
    }

    /** The rank of the first entry whose token is greater. */
    private int firstAfter(long token) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            int number = number(middle);
            if (Entry.token(chunk(number), offset(number)) > token) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private final class Reader implements EntryReader {
        private final Entry entry = new Entry(layout);
        private final long upTo;
        private int next;

        Reader(int next, long upTo) {
            this.next = next;
            this.upTo = upTo;
        }

        @Override
        public boolean next() {
            if (next == count) {
                return false;
            }
            int number = number(next++);
            entry.set(chunk(number), offset(number));
            return entry.token() <= upTo;
        }

        @Override
        public Entry entry() {
            return entry;
        }
    }
}
