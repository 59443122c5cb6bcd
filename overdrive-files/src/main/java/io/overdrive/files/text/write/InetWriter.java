package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/**
 * IPv4 addresses, and IPv6 addresses by RFC 5952: no leading zeros, and {@code ::} for the longest run of zero groups.
 * Immutable; on the hot path.
 */
final class InetWriter extends ValueWriter {
    private static final int V4_BYTES = 4;
    private static final int V6_BYTES = 16;
    private static final int MAX_CHARS = 39;

    InetWriter() {
        super("inet");
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        out.reserve(MAX_CHARS);
        int start = out.length();
        switch (length) {
            case V4_BYTES -> out.advance(v4(from, offset, out.array(), start) - start);
            case V6_BYTES -> out.advance(v6(from, offset, out.array(), start) - start);
            default -> throw badLength(length);
        }
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        writeQuoted('\'', from, offset, length, out);
    }

    private static int v4(byte[] from, int offset, byte[] a, int start) {
        int at = start;
        for (int i = 0; i < V4_BYTES; i++) {
            if (i > 0) {
                a[at++] = '.';
            }
            at = Digits.put(a, at, from[offset + i] & 0xFF);
        }
        return at;
    }

    private static int v6(byte[] from, int offset, byte[] a, int start) {
        int gapFrom = -1;
        int gapTo = -1;
        for (int i = 0; i < V6_BYTES; i += 2) {
            int zerosFrom = i;
            while (i < V6_BYTES && Bytes.getShort(from, offset + i) == 0) {
                i += 2;
            }
            if (i - zerosFrom > Math.max(gapTo - gapFrom, 2)) {
                gapFrom = zerosFrom;
                gapTo = i;
            }
        }
        int at = start;
        for (int i = 0; i < V6_BYTES; i += 2) {
            if (i == gapFrom) {
                a[at++] = ':';
                a[at++] = ':';
                i = gapTo;
                if (i == V6_BYTES) {
                    break;
                }
            } else if (i > 0) {
                a[at++] = ':';
            }
            at = group(Bytes.getShort(from, offset + i) & 0xFFFF, a, at);
        }
        return at;
    }

    /** One to four hexadecimal digits. */
    private static int group(int value, byte[] a, int start) {
        int at = start;
        int shift = (31 - Integer.numberOfLeadingZeros(value | 1)) & ~3;
        for (; shift >= 0; shift -= 4) {
            a[at++] = (byte) Character.forDigit(value >> shift & 0xF, 16);
        }
        return at;
    }
}
