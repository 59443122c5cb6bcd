package io.overdrive.formats.parquet;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.formats.columns.CellReader;
import io.overdrive.formats.columns.Column;
import io.overdrive.formats.columns.ColumnType;
import io.overdrive.formats.text.ValueFormat;
import io.overdrive.formats.text.ValueText;
import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;
import org.apache.parquet.format.Type;
import org.jspecify.annotations.Nullable;

/**
 * Collects the values of a page in sequence, and the bounds of a row group's values. A class for each form of bounds. Confined to one
 * thread; on the hot path.
 */
abstract class LeafValues {
    private static final int MAX_INT_DIGITS = 9;
    private static final int MAX_LONG_DIGITS = 18;

    final Bytes page = new Bytes(1 << 10);

    /** The type in which values of a column are stored. */
    static Type stored(ColumnType type) {
        return switch (type.kind()) {
            case BOOLEAN -> Type.BOOLEAN;
            case SIGNED, TIMESTAMP, TIME -> type.width() == 64 ? Type.INT64 : Type.INT32;
            case DATE_DAYS -> Type.INT32;
            case FLOAT -> type.width() == 64 ? Type.DOUBLE : Type.FLOAT;
            case TEXT, BINARY, MONTHS_DAYS_NANOS -> Type.BYTE_ARRAY;
            case FIXED_BINARY -> Type.FIXED_LEN_BYTE_ARRAY;
            case DECIMAL ->
                type.precision() <= MAX_INT_DIGITS
                        ? Type.INT32
                        : type.precision() <= MAX_LONG_DIGITS ? Type.INT64 : Type.FIXED_LEN_BYTE_ARRAY;
            default -> throw new IllegalArgumentException("Parquet has no " + type.describe());
        };
    }

    static LeafValues of(ColumnType type) {
        return switch (stored(type)) {
            case INT32, INT64 -> new Integers(type, stored(type) == Type.INT64);
            case FLOAT, DOUBLE -> new Floats(type.width() == 64);
            case BOOLEAN -> new Bits();
            case FIXED_LEN_BYTE_ARRAY -> new Fixed(type.width(), type.kind() == ColumnType.Kind.DECIMAL);
            default -> new Texts(type);
        };
    }

    /** Adds a value, and returns where it begins in the page. */
    abstract int put(Column column, int row);

    Bytes plain() {
        return page;
    }

    void putPage(Bytes out) {
        out.put(page.array(), 0, page.length());
    }

    void clearPage() {
        page.clear();
    }

    boolean isText() {
        return false;
    }

    /** The least value of the row group; null if it is not known. */
    byte @Nullable [] min() {
        return null;
    }

    byte @Nullable [] max() {
        return null;
    }

    /** Begins the next row group. */
    void begin() {}

    private static final class Integers extends LeafValues {
        private final boolean isLong;
        private final boolean isWide;
        private long min;
        private long max;

        Integers(ColumnType type, boolean isLong) {
            this.isLong = isLong;
            isWide = type.width() > Long.SIZE; // a decimal of few digits
            begin();
        }

        @Override
        int put(Column column, int row) {
            long value = isWide ? column.longAt(row, 0) : column.integer(row);
            min = Math.min(min, value);
            max = Math.max(max, value);
            int start = page.length();
            putNumber(value, page);
            return start;
        }

        private void putNumber(long value, Bytes out) {
            if (isLong) {
                out.putLong(Long.reverseBytes(value));
            } else {
                out.putInt(Integer.reverseBytes((int) value));
            }
        }

        private byte @Nullable [] bound(long value) {
            if (min > max) {
                return null;
            }
            Bytes bound = new Bytes(Long.BYTES);
            putNumber(value, bound);
            return bound.toByteArray();
        }

        @Override
        byte @Nullable [] min() {
            return bound(min);
        }

        @Override
        byte @Nullable [] max() {
            return bound(max);
        }

        @Override
        void begin() {
            min = Long.MAX_VALUE;
            max = Long.MIN_VALUE;
        }
    }

    /** Bounds are left out if a value is no number; a zero as bound stands for both zeros. */
    private static final class Floats extends LeafValues {
        private final boolean isDouble;
        private double min;
        private double max;
        private boolean hasNaN;

        Floats(boolean isDouble) {
            this.isDouble = isDouble;
            begin();
        }

        @Override
        int put(Column column, int row) {
            int start = page.length();
            double value;
            if (isDouble) {
                long bits = column.longAt(row, 0);
                page.putLong(Long.reverseBytes(bits));
                value = Double.longBitsToDouble(bits);
            } else {
                int bits = column.intAt(row, 0);
                page.putInt(Integer.reverseBytes(bits));
                value = Float.intBitsToFloat(bits);
            }
            hasNaN |= Double.isNaN(value);
            min = Math.min(min, value);
            max = Math.max(max, value);
            return start;
        }

        private byte @Nullable [] bound(double value) {
            if (hasNaN || min > max) {
                return null;
            }
            Bytes bound = new Bytes(Double.BYTES);
            if (isDouble) {
                bound.putLong(Long.reverseBytes(Double.doubleToRawLongBits(value)));
            } else {
                bound.putInt(Integer.reverseBytes(Float.floatToRawIntBits((float) value)));
            }
            return bound.toByteArray();
        }

        @Override
        byte @Nullable [] min() {
            return bound(min == 0 ? -0.0 : min);
        }

        @Override
        byte @Nullable [] max() {
            return bound(max == 0 ? 0.0 : max);
        }

        @Override
        void begin() {
            min = Double.POSITIVE_INFINITY;
            max = Double.NEGATIVE_INFINITY;
            hasNaN = false;
        }
    }

    private static final class Bits extends LeafValues {
        private int count;

        @Override
        int put(Column column, int row) {
            int bit = count++ & 7;
            if (bit == 0) {
                page.putByte(0);
            }
            if (column.bool(row)) {
                page.array()[page.length() - 1] |= (byte) (1 << bit);
            }
            return page.length() - 1;
        }

        @Override
        void clearPage() {
            super.clearPage();
            count = 0;
        }
    }

    /** Bytes of a fixed number, and decimals, whose bytes are turned round. */
    private static final class Fixed extends LeafValues {
        private final int bytes;
        private final boolean isReversed;

        Fixed(int width, boolean isReversed) {
            this.bytes = isReversed ? width / Byte.SIZE : width;
            this.isReversed = isReversed;
        }

        @Override
        int put(Column column, int row) {
            int start = page.length();
            if (isReversed) {
                for (int at = bytes - Long.BYTES; at >= 0; at -= Long.BYTES) {
                    page.putLong(column.longAt(row, at));
                }
            } else {
                column.put(row, page);
            }
            return start;
        }
    }

    /** Texts, bytes, and durations as text, each after its length. */
    private static final class Texts extends LeafValues {
        private final @Nullable CellReader durations;
        private final ValueText writer = ValueText.of(DataTypes.DURATION, ValueFormat.DEFAULT);
        private final Bytes duration = new Bytes(32);
        private byte @Nullable [] min;
        private byte @Nullable [] max;

        Texts(ColumnType type) {
            durations = type.kind() == ColumnType.Kind.MONTHS_DAYS_NANOS
                    ? CellReader.of(type, DataTypes.DURATION, writer, ValueFormat.DEFAULT)
                    : null;
        }

        @Override
        boolean isText() {
            return true;
        }

        @Override
        int put(Column column, int row) {
            int start = page.length();
            page.putInt(0);
            if (durations == null) {
                column.put(row, page);
            } else {
                duration.clear();
                durations.read(column, row, duration);
                writer.write(duration.array(), 0, duration.length(), page);
            }
            int from = start + Integer.BYTES;
            page.setInt(start, Integer.reverseBytes(page.length() - from));
            byte[] least = min;
            if (least == null || compare(from, least) < 0) {
                min = Arrays.copyOfRange(page.array(), from, page.length());
            }
            byte[] most = max;
            if (most == null || compare(from, most) > 0) {
                max = Arrays.copyOfRange(page.array(), from, page.length());
            }
            return start;
        }

        private int compare(int from, byte[] bound) {
            return Arrays.compareUnsigned(page.array(), from, page.length(), bound, 0, bound.length);
        }

        @Override
        byte @Nullable [] min() {
            return min;
        }

        @Override
        byte @Nullable [] max() {
            return max;
        }

        @Override
        void begin() {
            min = null;
            max = null;
        }
    }
}
