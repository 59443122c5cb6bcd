package io.overdrive.formats.columns;

import io.overdrive.formats.columns.ColumnType.Dictionary;
import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.internal.codec.Bytes;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The values of a column in a batch of rows, in the layout of Arrow: numbers in sequence in little-endian order, texts by their
 * offsets, and a bit for each row that says whether it has a value. Never changed, and checked when it is made, so that a damaged
 * file cannot lead beyond its buffers; for any thread. On the hot path.
 */
public final class Column {
    private static final int INLINE_BYTES = 12;
    private static final int VIEW_BYTES = 16;
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final ColumnType type;
    private final int rows;
    private final @Nullable ByteBuffer validity;
    private final ByteBuffer offsets;
    private final ByteBuffer data;
    private final List<ByteBuffer> views;
    private final List<Column> children;
    private final @Nullable Column dictionary;
    /** Type of what {@link #data} has: of the indices if there is a dictionary. */
    private final ColumnType stored;

    private final int width;

    /**
     * @param validity null if each row has a value
     * @param offsets of texts, bytes, lists and maps; else empty
     * @param data numbers, texts, places of views, or indices of a dictionary
     * @param views where the places lead; else empty
     * @param children elements, fields, or entries
     * @param dictionary null if there is none
     * @throws IllegalArgumentException if the buffers are too short for the rows, or lead elsewhere; the message continues a sentence
     */
    public Column(
            ColumnType type,
            int rows,
            @Nullable ByteBuffer validity,
            ByteBuffer offsets,
            ByteBuffer data,
            List<ByteBuffer> views,
            List<Column> children,
            @Nullable Column dictionary) {
        this.type = type;
        this.rows = rows;
        this.validity = validity == null ? null : validity.order(ByteOrder.LITTLE_ENDIAN);
        this.offsets = offsets.order(ByteOrder.LITTLE_ENDIAN);
        this.data = data.order(ByteOrder.LITTLE_ENDIAN);
        this.views = List.copyOf(views);
        views.forEach(view -> view.order(ByteOrder.LITTLE_ENDIAN));
        this.children = List.copyOf(children);
        this.dictionary = dictionary;
        Dictionary indices = type.dictionary();
        stored = indices == null ? type : indices.index();
        width = stored.width();
        check();
    }

    /** A column whose values are numbers or the like, without children. */
    static Column of(ColumnType type, int rows, @Nullable ByteBuffer validity, ByteBuffer offsets, ByteBuffer data) {
        return new Column(type, rows, validity, offsets, data, List.of(), List.of(), null);
    }

    static ByteBuffer none() {
        return EMPTY.duplicate();
    }

    private void check() {
        if (rows < 0) {
            throw new IllegalArgumentException("has " + rows + " rows");
        }
        if (validity != null) {
            require(validity, (rows + 7L) / 8);
        }
        switch (stored.kind()) {
            case NULL -> {}
            case BOOLEAN -> require(data, (rows + 7L) / 8);
            case FIXED_BINARY -> require(data, (long) rows * width);
            case TEXT, BINARY -> {
                if (width == ColumnType.VIEW) {
                    checkViews();
                } else {
                    checkOffsets(data.limit());
                }
            }
            case LIST, MAP -> checkOffsets(children.get(0).rows);
            case FIXED_LIST -> requireRows(children.get(0), (long) rows * width);
            case STRUCT -> children.forEach(child -> requireRows(child, rows));
            default -> require(data, (long) rows * width / 8);
        }
        if (dictionary != null) {
            checkIndices(dictionary.rows);
        }
    }

    private void checkIndices(int values) {
        for (int row = 0; row < rows; row++) {
            if (hasBit(row)) {
                long index = integer(row);
                if (index < 0 || index >= values) {
                    throw new IllegalArgumentException(
                            "has the index " + index + ", and its dictionary " + values + " values");
                }
            }
        }
    }

    private void require(ByteBuffer buffer, long bytes) {
        if (buffer.limit() < bytes) {
            throw new IllegalArgumentException(
                    "has " + buffer.limit() + " bytes where " + rows + " rows need " + bytes);
        }
    }

    private static void requireRows(Column child, long wanted) {
        if (child.rows < wanted) {
            throw new IllegalArgumentException("has parts of " + child.rows + " values, and needs " + wanted);
        }
    }

    private void checkOffsets(int end) {
        if (rows == 0) {
            return; // there may be no offset at all
        }
        require(offsets, (rows + 1L) * (width / 8));
        long before = offset(0);
        for (int row = 1; row <= rows; row++) {
            long next = offset(row);
            if (before < 0 || next < before) {
                throw new IllegalArgumentException("has the offset " + next + " after " + before);
            }
            before = next;
        }
        if (before > end) {
            throw new IllegalArgumentException("has the offset " + before + ", and ends at " + end);
        }
    }

    private void checkViews() {
        require(data, (long) rows * VIEW_BYTES);
        for (int row = 0; row < rows; row++) {
            if (hasBit(row)) {
                int length = data.getInt(row * VIEW_BYTES);
                if (length < 0 || (length > INLINE_BYTES && !isInView(row, length))) {
                    throw new IllegalArgumentException(
                            "has a value of " + length + " bytes that is not in its buffers");
                }
            }
        }
    }

    private boolean isInView(int row, int length) {
        int buffer = data.getInt(row * VIEW_BYTES + 8);
        int at = data.getInt(row * VIEW_BYTES + 12);
        return buffer >= 0
                && buffer < views.size()
                && at >= 0
                && at + (long) length <= views.get(buffer).limit();
    }

    private long offset(int row) {
        return width == 64 ? offsets.getLong(row << 3) : offsets.getInt(row << 2);
    }

    public ColumnType type() {
        return type;
    }

    public int rows() {
        return rows;
    }

    /** Whether the row has no value. */
    public boolean isNull(int row) {
        if (stored.kind() == Kind.NULL || !hasBit(row)) {
            return true;
        }
        Column values = dictionary;
        return values != null && values.isNull(index(row));
    }

    private boolean hasBit(int row) {
        ByteBuffer bits = validity;
        return bits == null || (bits.get(row >> 3) >> (row & 7) & 1) != 0;
    }

    /** The values to which a row of a column with a dictionary refers by its {@link #index}. */
    Column dictionary() {
        Column values = dictionary;
        if (values == null) {
            throw new IllegalStateException("a column without a dictionary");
        }
        return values;
    }

    int index(int row) {
        return (int) integer(row);
    }

    /** A number without a fraction; of 64 bits without a sign as if it had one. */
    public long integer(int row) {
        boolean isUnsigned = stored.kind() == Kind.UNSIGNED;
        return switch (width) {
            case 8 -> isUnsigned ? data.get(row) & 0xFF : data.get(row);
            case 16 -> isUnsigned ? data.getShort(row << 1) & 0xFFFF : data.getShort(row << 1);
            case 32 -> isUnsigned ? data.getInt(row << 2) & 0xFFFF_FFFFL : data.getInt(row << 2);
            default -> data.getLong(row << 3);
        };
    }

    double number(int row) {
        return switch (width) {
            case 16 -> HalfFloat.toFloat(data.getShort(row << 1));
            case 32 -> data.getFloat(row << 2);
            default -> data.getDouble(row << 3);
        };
    }

    public boolean bool(int row) {
        return (data.get(row >> 3) >> (row & 7) & 1) != 0;
    }

    /** An int at a place within the row's value. */
    public int intAt(int row, int offset) {
        return data.getInt(row * (width / 8) + offset);
    }

    public long longAt(int row, int offset) {
        return data.getLong(row * (width / 8) + offset);
    }

    /** A decimal without its scale. */
    BigInteger unscaled(int row) {
        int bytes = width / 8;
        byte[] value = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            value[bytes - 1 - i] = data.get(row * bytes + i);
        }
        return new BigInteger(value);
    }

    /** Where the first part of a list or a map is among the children's rows. */
    public int start(int row) {
        return stored.kind() == Kind.FIXED_LIST ? row * width : (int) offset(row);
    }

    public int end(int row) {
        return stored.kind() == Kind.FIXED_LIST ? (row + 1) * width : (int) offset(row + 1);
    }

    public Column child(int index) {
        return children.get(index);
    }

    /** The number of bytes of a text or of bytes. */
    public int length(int row) {
        return stored.kind() == Kind.FIXED_BINARY
                ? width
                : width == ColumnType.VIEW ? data.getInt(row * VIEW_BYTES) : (int) (offset(row + 1) - offset(row));
    }

    /** Whether the row, which has a value, is one of these texts. */
    public boolean isText(int row, Collection<String> words) {
        Column values = dictionary;
        if (values != null) {
            return values.isText(index(row), words);
        }
        if (stored.kind() != Kind.TEXT) {
            return false;
        }
        Bytes text = new Bytes(length(row));
        put(row, text);
        return words.contains(new String(text.array(), 0, text.length(), StandardCharsets.UTF_8));
    }

    /** Appends a text or bytes. */
    public void put(int row, Bytes out) {
        int length = length(row);
        ByteBuffer from = data;
        int at;
        if (stored.kind() == Kind.FIXED_BINARY) {
            at = row * width;
        } else if (width != ColumnType.VIEW) {
            at = (int) offset(row);
        } else if (length <= INLINE_BYTES) {
            at = row * VIEW_BYTES + 4;
        } else {
            from = views.get(data.getInt(row * VIEW_BYTES + 8));
            at = data.getInt(row * VIEW_BYTES + 12);
        }
        out.reserve(length);
        from.get(at, out.array(), out.length(), length);
        out.advance(length);
    }

    /** Calls the visitor for this column and its parts, each before its own parts. */
    public void visit(Visitor visitor) {
        visitor.column(rows, validity, offsets, data, stored.kind());
        children.forEach(child -> child.visit(visitor));
    }

    /** Receives the buffers of columns that are written. */
    public interface Visitor {
        /**
         * @param validity null if each row has a value
         * @param offsets empty if the kind has none
         * @param data empty if the kind has none
         */
        void column(int rows, @Nullable ByteBuffer validity, ByteBuffer offsets, ByteBuffer data, Kind kind);
    }
}
