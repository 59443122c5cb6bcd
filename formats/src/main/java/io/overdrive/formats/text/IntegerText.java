package io.overdrive.formats.text;

import io.overdrive.formats.hints.NumberHint;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.MessageText;

/** The integers of 1, 2, 4 and 8 bytes, and counters. Immutable; on the hot path. */
final class IntegerText extends ValueText {
    private final int width;
    private final long min;
    private final long max;

    private IntegerText(String type, int width, long min, long max) {
        super(type);
        this.width = width;
        this.min = min;
        this.max = max;
    }

    static IntegerText tinyint() {
        return new IntegerText("tinyint", 1, Byte.MIN_VALUE, Byte.MAX_VALUE);
    }

    static IntegerText smallint() {
        return new IntegerText("smallint", 2, Short.MIN_VALUE, Short.MAX_VALUE);
    }

    static IntegerText int32() {
        return new IntegerText("int", 4, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** A bigint or a counter. */
    static IntegerText int64(String type) {
        return new IntegerText(type, 8, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    @Override
    boolean isNumber() {
        return true;
    }

    @Override
    public MessageText hint(String value) {
        return NumberHint.whole(value);
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int i = skipSpaces(chars, from, to);
        int end = trimEnd(chars, i, to);
        boolean negative = false;
        if (i < end && (chars[i] == '-' || chars[i] == '+')) {
            negative = chars[i++] == '-';
        }
        if (i == end) {
            throw got(chars, from, to);
        }
        while (i < end - 1 && chars[i] == '0') {
            i++;
        }
        int digits = end - i;
        // accumulated as a negative number, since Long.MIN_VALUE has no positive counterpart
        long value = 0;
        boolean fits = digits <= 19;
        for (; i < end; i++) {
            int digit = chars[i] - '0';
            if (digit < 0 || digit > 9) {
                throw got(chars, from, to);
            }
            if (fits && digits == 19 && i == end - 1) {
                fits = value > Long.MIN_VALUE / 10
                        || (value == Long.MIN_VALUE / 10 && digit <= (int) -(Long.MIN_VALUE % 10));
            }
            value = value * 10 - digit;
        }
        if (!negative) {
            fits &= value != Long.MIN_VALUE;
            value = -value;
        }
        if (!fits || value < min || value > max) {
            throw outOfRange(chars, from, to, Long.toString(min), Long.toString(max));
        }
        switch (width) {
            case 8 -> out.putLong(value);
            case 4 -> out.putInt((int) value);
            case 2 -> out.putShort((int) value);
            default -> out.putByte((int) value);
        }
    }

    @Override
    boolean keeps(char[] chars, int from, int to, byte[] value, int start, int end) {
        return Digits.isPlainInteger(chars, from, to);
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, width);
        long value =
                switch (width) {
                    case Long.BYTES -> Bytes.getLong(from, offset);
                    case Integer.BYTES -> Bytes.getInt(from, offset);
                    case Short.BYTES -> Bytes.getShort(from, offset);
                    default -> from[offset];
                };
        Digits.put(value, out);
    }

    @Override
    public void writeJson(byte[] from, int offset, int length, Bytes out) {
        write(from, offset, length, out);
    }
}
