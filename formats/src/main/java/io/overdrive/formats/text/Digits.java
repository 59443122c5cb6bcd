package io.overdrive.formats.text;

import io.overdrive.internal.codec.Bytes;

/** Numbers as digits, two at a time. Static and pure; on the hot path. */
final class Digits {
    /** A minus and nineteen digits. */
    static final int MAX_LONG_BYTES = 20;

    private static final byte[] MIN_LONG = TextForms.utf8(Long.toString(Long.MIN_VALUE));
    private static final short[] PAIRS = new short[100];
    private static final short[] HEX_PAIRS = new short[256];
    private static final long[] POWERS = new long[19];

    static {
        for (int i = 0; i < PAIRS.length; i++) {
            PAIRS[i] = (short) (('0' + i / 10) << 8 | ('0' + i % 10));
        }
        for (int i = 0; i < HEX_PAIRS.length; i++) {
            HEX_PAIRS[i] = (short) (Character.forDigit(i >> 4, 16) << 8 | Character.forDigit(i & 0xF, 16));
        }
        long power = 1;
        for (int i = 0; i < POWERS.length; i++) {
            POWERS[i] = power;
            power *= 10;
        }
    }

    private Digits() {}

    /** A number as in {@link Long#toString(long)}. */
    static void put(long value, Bytes out) {
        if (value == Long.MIN_VALUE) {
            out.put(MIN_LONG);
            return;
        }
        out.reserve(MAX_LONG_BYTES);
        byte[] a = out.array();
        int start = out.length();
        int at = start;
        long size = value;
        if (value < 0) {
            a[at++] = '-';
            size = -value;
        }
        out.advance(put(a, at, size) - start);
    }

    /** Writes a number that is not negative, and returns its end. */
    static int put(byte[] a, int at, long value) {
        int end = at + count(value);
        put(a, at, end, value);
        return end;
    }

    /** Fills {@code [from, to)} with the last digits of a number that is not negative. */
    static void put(byte[] a, int from, int to, long value) {
        int i = to;
        long rest = value;
        while (rest > Integer.MAX_VALUE && i - from >= 2) {
            long quotient = rest / 100;
            i -= 2;
            Bytes.setShort(a, i, PAIRS[(int) (rest - quotient * 100)]);
            rest = quotient;
        }
        int small = (int) rest;
        while (i - from >= 2) {
            int quotient = small / 100;
            i -= 2;
            Bytes.setShort(a, i, PAIRS[small - quotient * 100]);
            small = quotient;
        }
        if (i > from) {
            a[from] = (byte) ('0' + small % 10);
        }
    }

    /** Two digits. */
    static void put2(byte[] a, int at, int value) {
        Bytes.setShort(a, at, PAIRS[value]);
    }

    /** Two hexadecimal digits. */
    static void putHex(byte[] a, int at, byte value) {
        Bytes.setShort(a, at, HEX_PAIRS[value & 0xFF]);
    }

    /** The number of digits of a number that is not negative. */
    static int count(long value) {
        // 1233 / 2^12 is close enough to log10(2) for an error of at most one
        int min = ((64 - Long.numberOfLeadingZeros(value | 1)) * 1233) >> 12;
        return (value | 1) < POWERS[min] ? min : min + 1;
    }

    /** Whether a number has neither a plus sign nor leading zeros, which no type of numbers keeps. */
    static boolean isPlain(char[] chars, int from, int to) {
        int i = ValueText.skipSpaces(chars, from, to);
        if (i < to && chars[i] == '+') {
            return false;
        }
        if (i < to && chars[i] == '-') {
            i++;
        }
        return i + 1 >= to || chars[i] != '0' || chars[i + 1] < '0' || chars[i + 1] > '9';
    }

    /** The same for a whole number, whose 0 has no sign. */
    static boolean isPlainInteger(char[] chars, int from, int to) {
        int i = ValueText.skipSpaces(chars, from, to);
        return isPlain(chars, i, to) && (chars[i] != '-' || chars[i + 1] != '0');
    }
}
