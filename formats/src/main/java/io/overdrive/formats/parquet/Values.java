package io.overdrive.formats.parquet;

import java.io.IOException;
import java.util.Arrays;

/**
 * Values without the missing ones, in sequence: of a fixed number of bytes each, or of any number. Confined to one thread while they are
 * collected; on the hot path.
 */
final class Values {
    private static final int MAX_BYTES = Integer.MAX_VALUE - 64;

    /** Bytes of a value; 0 if they differ. */
    final int width;

    byte[] data;
    /** Where each value ends, if they have no width. */
    int[] ends = {};

    int length;
    int count;

    Values(int width, int expected) {
        this.width = width;
        data = new byte[Math.max(64, (int) Math.min(1 << 24, (long) expected * Math.max(width, 8)))];
        if (width == 0) {
            ends = new int[Math.max(16, Math.min(1 << 20, expected))];
        }
    }

    /** Makes room for so many values of the width. */
    void reserve(int values) throws IOException {
        room((long) values * width);
    }

    private void room(long bytes) throws IOException {
        long needed = length + bytes;
        if (needed > MAX_BYTES) {
            throw new IOException("its rows have more bytes than can be read at a time (2 GiB)");
        }
        if (needed > data.length) {
            data = Arrays.copyOf(data, (int) Math.min(MAX_BYTES, Math.max(needed, data.length * 2L)));
        }
    }

    /** Adds a value of any number of bytes. */
    void add(byte[] from, int offset, int bytes) throws IOException {
        if (length + (long) bytes > data.length) {
            room(bytes);
        }
        System.arraycopy(from, offset, data, length, bytes);
        length += bytes;
        if (width == 0) {
            end();
        } else {
            count++;
        }
    }

    private void end() {
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, count * 2);
        }
        ends[count++] = length;
    }

    /** Adds many values of the width. */
    void addAll(byte[] from, int offset, int values) throws IOException {
        reserve(values);
        System.arraycopy(from, offset, data, length, values * width);
        length += values * width;
        count += values;
    }

    /** Adds an int, for which there is room. */
    void addInt(int value) {
        Page.setInt(data, length, value);
        length += Integer.BYTES;
        count++;
    }

    /** Adds a long, for which there is room. */
    void addLong(long value) {
        Page.setLong(data, length, value);
        length += Long.BYTES;
        count++;
    }

    int start(int index) {
        return width > 0 ? index * width : index == 0 ? 0 : ends[index - 1];
    }

    /** Bytes of the longest value. */
    int longest() {
        int longest = width;
        for (int i = 0; i < count && width == 0; i++) {
            longest = Math.max(longest, end(i) - start(i));
        }
        return longest;
    }

    int end(int index) {
        return width > 0 ? (index + 1) * width : ends[index];
    }

    /** Adds the values of a dictionary to which the indices refer. */
    void addAll(Values dictionary, int[] indices, int number) throws IOException {
        for (int i = 0; i < number; i++) {
            if (indices[i] < 0 || indices[i] >= dictionary.count) {
                throw new IOException(
                        "it has the index " + indices[i] + ", and its dictionary " + dictionary.count + " values");
            }
        }
        byte[] from = dictionary.data;
        switch (width) {
            case Integer.BYTES -> {
                reserve(number);
                for (int i = 0; i < number; i++) {
                    addInt(Page.intAt(from, indices[i] * Integer.BYTES));
                }
            }
            case Long.BYTES -> {
                reserve(number);
                for (int i = 0; i < number; i++) {
                    addLong(Page.longAt(from, indices[i] * Long.BYTES));
                }
            }
            default -> {
                for (int i = 0; i < number; i++) {
                    int start = dictionary.start(indices[i]);
                    add(from, start, dictionary.end(indices[i]) - start);
                }
            }
        }
    }
}
