package io.overdrive.formats.columns;

import io.overdrive.formats.columns.ColumnType.Kind;
import io.overdrive.formats.text.BadValueException;
import io.overdrive.internal.codec.Bytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/** Readers of numbers, which refuse what a type would not keep. Stateless; on the hot path. */
final class Numbers {
    /** Every whole number up to this is a float. */
    private static final long MAX_EXACT_FLOAT = 1L << 24;
    /** Every whole number up to this is a double. */
    private static final long MAX_EXACT_DOUBLE = 1L << 53;

    private Numbers() {}

    /** Appends a number that is in range. */
    interface Sink {
        void put(long value, Bytes out);
    }

    static @Nullable CellReader integer(ColumnType from, long min, long max, String name, Sink sink) {
        return switch (from.kind()) {
            case SIGNED ->
                (column, row, out) -> {
                    long value = column.integer(row);
                    if (value < min || value > max) {
                        throw outOfRange(String.valueOf(value), min, max, name);
                    }
                    sink.put(value, out);
                };
            case UNSIGNED ->
                (column, row, out) -> {
                    long value = column.integer(row);
                    if (value < 0 || value > max) {
                        throw outOfRange(Long.toUnsignedString(value), min, max, name);
                    }
                    sink.put(value, out);
                };
            case FLOAT ->
                (column, row, out) -> {
                    double number = column.number(row);
                    long value = (long) number;
                    // the largest long is no double: the number above it would become it
                    if (value != number || value == Long.MAX_VALUE) {
                        throw new BadValueException("is " + name + ", got " + number);
                    }
                    if (value < min || value > max) {
                        throw outOfRange(String.valueOf(value), min, max, name);
                    }
                    if (Math.abs(number) >= (from.width() == 64 ? MAX_EXACT_DOUBLE : MAX_EXACT_FLOAT)) {
                        throw new BadValueException("is " + name + ", got the float " + number
                                + ", which may have been another integer: give integers, also next to nulls");
                    }
                    sink.put(value, out);
                };
            case DECIMAL ->
                (column, row, out) -> {
                    BigDecimal number =
                            new BigDecimal(column.unscaled(row), column.type().scale());
                    if (number.compareTo(BigDecimal.valueOf(min)) < 0
                            || number.compareTo(BigDecimal.valueOf(max)) > 0) {
                        throw outOfRange(number.toString(), min, max, name);
                    }
                    long value = number.longValue();
                    if (number.compareTo(BigDecimal.valueOf(value)) != 0) {
                        throw new BadValueException("is " + name + ", got " + number);
                    }
                    sink.put(value, out);
                };
            default -> null;
        };
    }

    private static BadValueException outOfRange(String value, long min, long max, String name) {
        return new BadValueException("is " + name + ", but " + value + " is out of range (" + min + " to " + max + ")");
    }

    static @Nullable CellReader varint(ColumnType from) {
        return switch (from.kind()) {
            case SIGNED -> (column, row, out) -> out.putVarint(column.integer(row));
            case UNSIGNED ->
                (column, row, out) -> {
                    long value = column.integer(row);
                    if (value >= 0) {
                        out.putVarint(value);
                    } else {
                        out.put(new BigInteger(Long.toUnsignedString(value)).toByteArray());
                    }
                };
            case DECIMAL ->
                from.scale() != 0
                        ? null
                        : (column, row, out) -> out.put(column.unscaled(row).toByteArray());
            default -> null;
        };
    }

    static @Nullable CellReader decimal(ColumnType from) {
        return switch (from.kind()) {
            case SIGNED ->
                (column, row, out) -> {
                    out.putInt(0);
                    out.putVarint(column.integer(row));
                };
            case DECIMAL ->
                (column, row, out) -> {
                    out.putInt(column.type().scale());
                    out.put(column.unscaled(row).toByteArray());
                };
            default -> null; // the text of a fraction shows its digits
        };
    }

    static @Nullable CellReader float32(ColumnType from) {
        return switch (from.kind()) {
            case FLOAT ->
                (column, row, out) -> {
                    double value = column.number(row);
                    requireKept((float) value == value || Double.isNaN(value), "float", String.valueOf(value));
                    out.putFloat((float) value);
                };
            case SIGNED, UNSIGNED ->
                (column, row, out) -> {
                    long value = column.integer(row);
                    requireKept(
                            isWithin(MAX_EXACT_FLOAT, value, from),
                            "float",
                            from.kind() == Kind.UNSIGNED ? Long.toUnsignedString(value) : String.valueOf(value));
                    out.putFloat((float) value);
                };
            default -> null;
        };
    }

    static @Nullable CellReader float64(ColumnType from) {
        return switch (from.kind()) {
            case FLOAT -> (column, row, out) -> out.putDouble(column.number(row));
            case SIGNED, UNSIGNED ->
                (column, row, out) -> {
                    long value = column.integer(row);
                    requireKept(
                            isWithin(MAX_EXACT_DOUBLE, value, from),
                            "double",
                            from.kind() == Kind.UNSIGNED ? Long.toUnsignedString(value) : String.valueOf(value));
                    out.putDouble((double) value);
                };
            case DECIMAL ->
                (column, row, out) -> {
                    BigDecimal exact =
                            new BigDecimal(column.unscaled(row), column.type().scale());
                    double value = exact.doubleValue();
                    requireKept(
                            !Double.isInfinite(value) && new BigDecimal(Double.toString(value)).compareTo(exact) == 0,
                            "double",
                            exact.toString());
                    out.putDouble(value);
                };
            default -> null;
        };
    }

    private static boolean isWithin(long max, long value, ColumnType from) {
        long min = from.kind() == Kind.UNSIGNED ? 0 : -max; // negative ones are above the largest long
        return value >= min && value <= max;
    }

    private static void requireKept(boolean isKept, String name, String value) {
        if (!isKept) {
            throw new BadValueException("is " + name + ", which does not hold all digits of " + value);
        }
    }
}
