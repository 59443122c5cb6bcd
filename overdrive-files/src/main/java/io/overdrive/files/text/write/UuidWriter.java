package io.overdrive.files.text.write;

import io.overdrive.internal.codec.Bytes;

/** UUIDs in the form of 36 characters. Immutable; on the hot path. */
final class UuidWriter extends ValueWriter {
    private static final int BYTES = 16;
    private static final int CHARS = 36;

    UuidWriter(String type) {
        super(type);
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
