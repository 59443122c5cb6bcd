package io.overdrive.formats.parquet;

import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;

/**
 * The distinct texts of a column in a row group, which pages refer to by their numbers, as long as these are few. Confined to one thread;
 * on the hot path.
 */
final class Words {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_WORDS = 1 << 16;
    private static final int NONE = -1;

    private final Bytes plain = new Bytes(1 << 10);
    /** Where each of them begins. */
    private int[] starts = new int[64];

    private int[] table = filled(256);
    private int count;
    private boolean isFull;

    private int[] indices = new int[64];
    private int used;

    private static int[] filled(int size) {
        int[] table = new int[size];
        Arrays.fill(table, NONE);
        return table;
    }

    /** Adds the last text of a page, which begins there with its length. */
    void add(Bytes page, int start) {
        if (isFull) {
            return;
        }
        int length = page.length() - start;
        int hash = hash(page.array(), start, page.length());
        int slot = hash & table.length - 1;
        while (table[slot] != NONE && !isSame(table[slot], page.array(), start, length)) {
            slot = slot + 1 & table.length - 1;
        }
        if (table[slot] == NONE) {
            if (count == MAX_WORDS || plain.length() + length > MAX_BYTES) {
                isFull = true;
                return;
            }
            append(page, start, length, slot);
        }
        if (used == indices.length) {
            indices = Arrays.copyOf(indices, used * 2);
        }
        indices[used++] = table[slot];
        if (count * 2 > table.length) {
            grow();
        }
    }

    private static int hash(byte[] bytes, int from, int end) {
        int hash = 0;
        for (int i = from; i < end; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash ^ hash >>> 16;
    }

    private int end(int word) {
        return word + 1 == count ? plain.length() : starts[word + 1];
    }

    private boolean isSame(int word, byte[] bytes, int from, int length) {
        return Arrays.equals(plain.array(), starts[word], end(word), bytes, from, from + length);
    }

    private void append(Bytes page, int start, int length, int slot) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
        }
        starts[count] = plain.length();
        plain.put(page.array(), start, length);
        table[slot] = count++;
    }

    private void grow() {
        int[] larger = filled(table.length * 2);
        for (int word = 0; word < count; word++) {
            int slot = hash(plain.array(), starts[word], end(word)) & larger.length - 1;
            while (larger[slot] != NONE) {
                slot = slot + 1 & larger.length - 1;
            }
            larger[slot] = word;
        }
        table = larger;
    }

    /**
     * Whether the page is better written as numbers of texts than as the texts.
     *
     * @param values of the page
     * @param isUsed whether an earlier page is
     */
    boolean isWorthwhile(int values, boolean isUsed) {
        return used == values && values > 0 && (isUsed || count <= values / 2);
    }

    /** Writes the numbers of the page's texts. */
    void putIndices(int values, Bytes out) {
        int bits = Math.max(1, RunLengthWriter.bits(count - 1));
        out.putByte(bits);
        RunLengthWriter.write(indices, values, bits, out);
    }

    void endPage() {
        used = 0;
    }

    int count() {
        return count;
    }

    Bytes plain() {
        return plain;
    }

    /** Memory that they take. */
    long bytes() {
        return plain.length() + (long) Integer.BYTES * (table.length + starts.length);
    }
}
