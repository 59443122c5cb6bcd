package io.overdrive.formats.parquet;

import io.overdrive.formats.columns.Column;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes columns from what was read of the file's columns: values that are there, and levels. An entry of a file's column is a place of a part
 * if its repetition level is at most the number of lists around the part, and its definition level at least the one at which the innermost of
 * these lists has an element. Confined to one thread; on the hot path.
 */
final class ColumnAssembly {
    private static final int BYTES_OF_INTERVAL = 16;

    private final List<@Nullable ChunkReader> chunks;

    ColumnAssembly(List<@Nullable ChunkReader> chunks) {
        this.chunks = chunks;
    }

    Column column(Node node) throws IOException {
        return column(node, /* lists */ 0, /* elementLevel */ 0);
    }

    /**
     * @param lists number of lists around the part
     * @param elementLevel definition level at which the innermost of them has an element
     */
    private Column column(Node node, int lists, int elementLevel) throws IOException {
        if (node.layout() != null) {
            return leaf(node, node.layout(), elementLevel);
        }
        return switch (node.type().kind()) {
            case LIST, MAP -> elements(node, lists, elementLevel);
            default -> struct(node, lists, elementLevel);
        };
    }

    private Column struct(Node node, int lists, int elementLevel) throws IOException {
        List<Column> fields = new ArrayList<>();
        for (Node child : node.children()) {
            fields.add(column(child, lists, elementLevel));
        }
        Places places = new Places();
        ChunkReader first = chunk(node);
        for (int i = 0; i < first.entries; i++) {
            if (isPlace(first, i, lists, elementLevel)) {
                places.add(definition(first, i) >= node.definition());
            }
        }
        requireRows(fields, places.count);
        return new Column(node.type(), places.count, places.validity(), none(), none(), List.of(), fields, null);
    }

    /** Parts of a damaged file may have lists of other lengths. */
    private static void requireRows(List<Column> parts, int rows) throws IOException {
        for (Column part : parts) {
            if (part.rows() != rows) {
                throw new IOException("its part \"" + part.type().name() + "\" has " + part.rows() + " values, and "
                        + rows + " are expected");
            }
        }
    }

    private ChunkReader chunk(Node node) {
        return Objects.requireNonNull(chunks.get(node.leaf()));
    }

    private static boolean isPlace(ChunkReader chunk, int entry, int lists, int elementLevel) {
        return (chunk.leaf.maxRepetition() == 0 || chunk.repetitions[entry] <= lists)
                && definition(chunk, entry) >= elementLevel;
    }

    private static int definition(ChunkReader chunk, int entry) {
        return chunk.leaf.maxDefinition() == 0 ? 0 : chunk.definitions[entry];
    }

    private static ByteBuffer none() {
        return ByteBuffer.allocate(0);
    }

    private Column elements(Node node, int lists, int elementLevel) throws IOException {
        int level = node.definition() + 1;
        List<Column> parts = new ArrayList<>();
        for (Node child : node.children()) {
            parts.add(column(child, lists + 1, level));
        }
        ChunkReader first = chunk(node);
        Places places = new Places();
        ByteBuffer offsets = littleEndian((first.entries + 1) * Integer.BYTES);
        int count = 0;
        for (int i = 0; i < first.entries; i++) {
            if (isPlace(first, i, lists, elementLevel)) {
                places.add(definition(first, i) >= node.definition());
                offsets.putInt(count);
            }
            if (isPlace(first, i, lists + 1, level)) {
                count++;
            }
        }
        offsets.putInt(count);
        offsets.flip();
        requireRows(parts, count);
        if (parts.size() == 2) {
            Column entries =
                    new Column(node.type().children().get(0), count, null, none(), none(), List.of(), parts, null);
            parts = List.of(entries);
        }
        return new Column(node.type(), places.count, places.validity(), offsets, none(), List.of(), parts, null);
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private Column leaf(Node node, Node.Layout layout, int elementLevel) throws IOException {
        ChunkReader chunk = chunk(node);
        int maximum = chunk.leaf.maxDefinition();
        Places places = new Places();
        if (maximum == 0) {
            places.count = chunk.entries;
        } else {
            for (int i = 0; i < chunk.entries; i++) {
                int level = chunk.definitions[i];
                if (level >= elementLevel) {
                    places.add(level == maximum);
                }
            }
        }
        Values values = laidOut(chunk.read, layout, node.type().width() / Byte.SIZE);
        int rows = places.count;
        byte[] bits = places.bits;
        boolean hasAll = places.missing == 0;
        return switch (node.type().kind()) {
            case NULL -> new Column(node.type(), rows, null, none(), none(), List.of(), List.of(), null);
            case TEXT, BINARY -> {
                ByteBuffer offsets = littleEndian((rows + 1) * Integer.BYTES);
                offsets.putInt(0);
                int next = 0;
                for (int row = 0; row < rows; row++) {
                    if (hasAll || isSet(bits, row)) {
                        next++;
                    }
                    offsets.putInt(next == 0 ? 0 : values.ends[next - 1]);
                }
                offsets.flip();
                yield new Column(
                        node.type(),
                        rows,
                        places.validity(),
                        offsets,
                        ByteBuffer.wrap(values.data, 0, values.length),
                        List.of(),
                        List.of(),
                        null);
            }
            default -> {
                byte[] data = hasAll ? values.data : spread(values, rows, bits);
                ByteBuffer buffer = layout == Node.Layout.BYTES_TO_BITS
                        ? bits(data, rows)
                        : ByteBuffer.wrap(data, 0, rows * values.width);
                yield new Column(node.type(), rows, places.validity(), none(), buffer, List.of(), List.of(), null);
            }
        };
    }

    private static boolean isSet(byte[] bits, int row) {
        return (bits[row >> 3] >> (row & 7) & 1) != 0;
    }

    /** The values with room for the missing ones between. */
    private static byte[] spread(Values values, int rows, byte[] bits) throws IOException {
        int width = values.width;
        if ((long) rows * width > Integer.MAX_VALUE - 64) {
            throw new IOException("its rows have more bytes than can be read at a time (2 GiB)");
        }
        byte[] spread = new byte[rows * width];
        byte[] from = values.data;
        int next = 0;
        for (int row = 0; row < rows; row++) {
            if (isSet(bits, row)) {
                switch (width) {
                    case Integer.BYTES -> Page.setInt(spread, row * width, Page.intAt(from, next));
                    case Long.BYTES -> Page.setLong(spread, row * width, Page.longAt(from, next));
                    default -> System.arraycopy(from, next, spread, row * width, width);
                }
                next += width;
            }
        }
        return spread;
    }

    private static ByteBuffer bits(byte[] bytes, int rows) {
        byte[] bits = new byte[(rows + 7) / 8];
        for (int row = 0; row < rows; row++) {
            bits[row >> 3] |= (byte) (bytes[row] << (row & 7));
        }
        return ByteBuffer.wrap(bits);
    }

    /** The values as the column has them. */
    private static Values laidOut(Values read, Node.Layout layout, int width) throws IOException {
        return switch (layout) {
            case SAME, BYTES_TO_BITS -> read;
            case WIDE -> {
                Values narrow = new Values(width, read.count);
                for (int i = 0; i < read.count; i++) {
                    narrow.add(read.data, read.start(i), width);
                }
                yield narrow;
            }
            case REVERSED, REVERSED_VARIABLE -> {
                Values reversed = new Values(width, read.count);
                byte[] one = new byte[width];
                for (int i = 0; i < read.count; i++) {
                    reverse(read.data, read.start(i), read.end(i), one);
                    reversed.add(one, 0, width);
                }
                yield reversed;
            }
            case INTERVAL -> {
                Values intervals = new Values(BYTES_OF_INTERVAL, read.count);
                intervals.reserve(read.count);
                for (int i = 0; i < read.count; i++) {
                    int at = read.start(i);
                    Page.setInt(intervals.data, intervals.length, Page.intAt(read.data, at));
                    Page.setInt(
                            intervals.data,
                            intervals.length + Integer.BYTES,
                            Page.intAt(read.data, at + Integer.BYTES));
                    Page.setLong(
                            intervals.data,
                            intervals.length + Long.BYTES,
                            Page.intAt(read.data, at + Long.BYTES) * 1_000_000L);
                    intervals.length += BYTES_OF_INTERVAL;
                    intervals.count++;
                }
                yield intervals;
            }
        };
    }

    /** A number in big-endian order in little-endian order, with as many bytes as there is room for. */
    private static void reverse(byte[] from, int start, int end, byte[] to) throws IOException {
        if (start == end) {
            throw new IOException("it has a decimal without bytes");
        }
        byte sign = (byte) (from[start] < 0 ? -1 : 0);
        Arrays.fill(to, sign);
        for (int i = end - 1, at = 0; i >= start; i--, at++) {
            if (at < to.length) {
                to[at] = from[i];
            } else if (from[i] != sign) {
                throw new IOException("it has a decimal with more digits than its type");
            }
        }
        if (end - start > to.length && (to[to.length - 1] < 0) != (sign < 0)) {
            throw new IOException("it has a decimal with more digits than its type");
        }
    }

    /** Which of the places have a value. */
    private static final class Places {
        byte[] bits = new byte[64];
        int count;
        int missing;

        void add(boolean isThere) {
            if (count >> 3 == bits.length) {
                bits = Arrays.copyOf(bits, bits.length * 2);
            }
            if (isThere) {
                bits[count >> 3] |= (byte) (1 << (count & 7));
            } else {
                missing++;
            }
            count++;
        }

        @Nullable ByteBuffer validity() {
            return missing == 0 ? null : ByteBuffer.wrap(bits);
        }
    }
}
