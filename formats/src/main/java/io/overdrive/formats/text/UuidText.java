package io.overdrive.formats.text;

import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;

/** UUIDs in the form of 36 characters. Immutable; on the hot path. */
final class UuidText extends ValueText {
    private static final int BYTES = 16;
    private static final int CHARS = 36;

    enum Versions {
        ANY,
        TIME
    }

    private static final byte[] HEX = new byte[128];

    static {
        Arrays.fill(HEX, (byte) -1);
        for (int i = 0; i < 16; i++) {
            HEX[Character.forDigit(i, 16)] = (byte) i;
            HEX[Character.toUpperCase(Character.forDigit(i, 16))] = (byte) i;
        }
    }

    private final Versions versions;

    UuidText(String type, Versions versions) {
        super(type);
        this.versions = versions;
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int i = skipSpaces(chars, from, to);
        int end = trimEnd(chars, i, to);
        if (end - i != 36
                || chars[i + 8] != '-'
                || chars[i + 13] != '-'
                || chars[i + 18] != '-'
                || chars[i + 23] != '-') {
            throw got(chars, from, to);
        }
        long a = hex4(chars, i);
        long b = hex4(chars, i + 4);
        long c = hex4(chars, i + 9);
        long d = hex4(chars, i + 14);
        long e = hex4(chars, i + 19);
        long f = hex4(chars, i + 24);
        long g = hex4(chars, i + 28);
        long h = hex4(chars, i + 32);
        if ((a | b | c | d | e | f | g | h) < 0) {
            throw got(chars, from, to);
        }
        if (versions == Versions.TIME && d >>> 12 != 1) {
            throw BadValueException.but(type, chars, i, end, "is a UUID of version " + (d >>> 12) + ", not 1");
        }
        out.putLong(a << 48 | b << 32 | c << 16 | d);
        out.putLong(e << 48 | f << 32 | g << 16 | h);
    }

    /** The value of a hexadecimal digit, or -1. */
    static int hexDigit(char c) {
        return c < 128 ? HEX[c] : -1;
    }

    /** Four hexadecimal digits, or a negative number. */
    private static long hex4(char[] chars, int i) {
        int value = hexDigit(chars[i]) << 12
                | hexDigit(chars[i + 1]) << 8
                | hexDigit(chars[i + 2]) << 4
                | hexDigit(chars[i + 3]);
        return value;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        checkLength(length, BYTES);
        out.reserve(CHARS);
        byte[] a = out.array();
        int at = put(from, offset, 4, a, out.length());
        a[at++] = '-';
        at = put(from, offset + 4, 2, a, at);
        a[at++] = '-';
        at = put(from, offset + 6, 2, a, at);
        a[at++] = '-';
        at = put(from, offset + 8, 2, a, at);
        a[at++] = '-';
        put(from, offset + 10, 6, a, at);
        out.advance(CHARS);
    }

    private static int put(byte[] from, int offset, int count, byte[] a, int at) {
        for (int i = 0; i < count; i++) {
            Digits.putHex(a, at + 2 * i, from[offset + i]);
        }
        return at + 2 * count;
    }
}
