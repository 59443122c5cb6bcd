package io.overdrive.files.text.write;

import io.overdrive.files.text.ValueFormat.BlobEncoding;
import io.overdrive.internal.codec.Bytes;

/**
 * Blobs in hexadecimal after {@code 0x}, or if the format says so, in Base64 with padding. Immutable; on the hot
 * path.
 */
final class BlobWriter extends ValueWriter {
    private static final byte[] BASE64 =
            TextForms.utf8("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");

    private final boolean base64;

    BlobWriter(BlobEncoding encoding) {
        super("blob");
        base64 = encoding == BlobEncoding.BASE64;
    }

    @Override
    boolean mayBeEmpty() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        if (base64) {
            putBase64(from, offset, length, out);
        } else {
            putHex(from, offset, length, out);
        }
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        if (base64) {
            writeQuoted('\'', from, offset, length, out);
        } else {
            putHex(from, offset, length, out);
        }
    }

    private static void putHex(byte[] from, int offset, int length, Bytes out) {
        int size = Math.addExact(2, Math.multiplyExact(2, length));
        out.reserve(size);
        byte[] a = out.array();
        int at = out.length();
        a[at++] = '0';
        a[at++] = 'x';
        for (int i = offset; i < offset + length; i++) {
            Digits.putHex(a, at, from[i]);
            at += 2;
        }
        out.advance(size);
    }

    private static void putBase64(byte[] from, int offset, int length, Bytes out) {
        int size = Math.multiplyExact(4, (length + 2) / 3);
        out.reserve(size);
        byte[] a = out.array();
        int at = out.length();
        int end = offset + length;
        for (int i = offset; i < end; i += 3) {
            int left = end - i;
            int bits = (from[i] & 0xFF) << 16
                    | (left > 1 ? (from[i + 1] & 0xFF) << 8 : 0)
                    | (left > 2 ? from[i + 2] & 0xFF : 0);
            a[at] = BASE64[bits >> 18];
            a[at + 1] = BASE64[bits >> 12 & 0x3F];
            a[at + 2] = left > 1 ? BASE64[bits >> 6 & 0x3F] : (byte) '=';
            a[at + 3] = left > 2 ? BASE64[bits & 0x3F] : (byte) '=';
            at += 4;
        }
        out.advance(size);
    }
}
