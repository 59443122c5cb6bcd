package io.overdrive.formats.text;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.overdrive.formats.text.ValueFormat.BlobEncoding;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import java.io.IOException;
import java.util.Arrays;

/**
 * Blobs in hexadecimal or Base64; empty text is an empty blob in both. Written in hexadecimal after {@code 0x}, or if the
 * format says so, in Base64 with padding. Immutable; on the hot path.
 *
 * <p>Base64 is decoded here because the JDK's decoder needs bytes, and returns a new array for each value.
 */
final class BlobText extends ValueText {
    private static final byte[] BASE64 =
            TextForms.utf8("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    private static final byte[] BASE64_VALUES = new byte[128];

    static {
        Arrays.fill(BASE64_VALUES, (byte) -1);
        for (int i = 0; i < BASE64.length; i++) {
            BASE64_VALUES[BASE64[i]] = (byte) i;
        }
        BASE64_VALUES['-'] = 62;
        BASE64_VALUES['_'] = 63;
    }

    private final BlobEncoding encoding;

    BlobText(BlobEncoding encoding) {
        this("blob", encoding);
    }

    private BlobText(String type, BlobEncoding encoding) {
        super(type);
        this.encoding = encoding;
    }

    /** Values of a class that only the server knows, as their bytes in hexadecimal. */
    static BlobText custom(String type) {
        return new BlobText(type, BlobEncoding.HEX);
    }

    @Override
    public void parse(JsonParser json, Bytes out) throws IOException {
        JsonToken token = json.currentToken();
        if (token.isScalarValue() && token != JsonToken.VALUE_STRING) {
            throw gotToken(token); // 1234 and true would be valid Base64
        }
        super.parse(json, out);
    }

    @Override
    public void parse(char[] chars, int from, int to, Bytes out) {
        int start = skipSpaces(chars, from, to);
        int end = trimEnd(chars, start, to);
        boolean prefixed =
                end - start >= 2 && chars[start] == '0' && (chars[start + 1] == 'x' || chars[start + 1] == 'X');
        if (encoding == BlobEncoding.AUTO && !prefixed && isHex(chars, start, end)) {
            throw new BadValueException(
                    got(chars, from, to).getMessage() + ", which may be hexadecimal without 0x or Base64");
        }
        boolean good =
                switch (encoding) {
                    case AUTO -> prefixed ? hex(chars, start + 2, end, out) : base64(chars, start, end, out);
                    case HEX -> hex(chars, prefixed ? start + 2 : start, end, out);
                    case BASE64 -> base64(chars, start, end, out);
                };
        if (!good) {
            throw new BadValueException(
                    got(chars, from, to).getMessage() + (encoding == BlobEncoding.AUTO && !prefixed ? expected() : ""));
        }
    }

    @Override
    public MessageText hint(String value) {
        return switch (encoding) {
            case AUTO -> words -> "; give " + words.of(JobOption.BLOB_ENCODING) + " hex or base64";
            case HEX -> words -> "; its values are in hexadecimal, for example 0xcafe";
            case BASE64 -> words -> "; its values are in Base64, by " + words.of(JobOption.BLOB_ENCODING);
        };
    }

    private static boolean isHex(char[] chars, int from, int to) {
        if (from == to || (to - from & 1) != 0) {
            return false;
        }
        int i = from;
        while (i < to && UuidText.hexDigit(chars[i]) >= 0) {
            i++;
        }
        return i == to;
    }

    private static String expected() {
        return ", which is neither hexadecimal after 0x nor Base64";
    }

    private static boolean hex(char[] chars, int from, int to, Bytes out) {
        if ((to - from & 1) != 0) {
            return false;
        }
        int count = (to - from) / 2;
        out.reserve(count);
        byte[] target = out.array();
        int at = out.length();
        int bad = 0;
        for (int i = from; i < to; i += 2) {
            int value = UuidText.hexDigit(chars[i]) << 4 | UuidText.hexDigit(chars[i + 1]);
            bad |= value;
            target[at++] = (byte) value;
        }
        out.advance(count);
        return bad >= 0;
    }

    private static boolean base64(char[] chars, int from, int to, Bytes out) {
        int end = to;
        while (end > from && to - end < 2 && chars[end - 1] == '=') {
            end--;
        }
        // padding, if any, completes the last four characters
        if ((end - from) % 4 == 1 || (end != to && (to - from) % 4 != 0)) {
            return false;
        }
        out.reserve((end - from) / 4 * 3 + 2);
        int i = from;
        for (; i <= end - 4; i += 4) {
            int value = base64(chars[i]) << 18
                    | base64(chars[i + 1]) << 12
                    | base64(chars[i + 2]) << 6
                    | base64(chars[i + 3]);
            if (value < 0) {
                return false;
            }
            out.putByte(value >> 16);
            out.putShort(value);
        }
        if (end - i == 2) {
            int value = base64(chars[i]) << 6 | base64(chars[i + 1]);
            out.putByte(value >> 4);
            return value >= 0;
        }
        if (end - i == 3) {
            int value = base64(chars[i]) << 12 | base64(chars[i + 1]) << 6 | base64(chars[i + 2]);
            out.putShort(value >> 2);
            return value >= 0;
        }
        return true;
    }

    private static int base64(char c) {
        return c < 128 ? BASE64_VALUES[c] : -1;
    }

    @Override
    boolean mayBeEmpty() {
        return true;
    }

    @Override
    public void write(byte[] from, int offset, int length, Bytes out) {
        if (encoding == BlobEncoding.BASE64) {
            putBase64(from, offset, length, out);
        } else {
            putHex(from, offset, length, out);
        }
    }

    @Override
    void writeLiteral(byte[] from, int offset, int length, Bytes out) {
        if (encoding == BlobEncoding.BASE64) {
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
