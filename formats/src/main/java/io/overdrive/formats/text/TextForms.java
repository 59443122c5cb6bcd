package io.overdrive.formats.text;

import io.overdrive.internal.codec.Bytes;
import java.nio.charset.StandardCharsets;

/** Strings in CQL literals and JSON. Static and pure; on the hot path. */
public final class TextForms {
    /** The character after the backslash in JSON: 0 for no escape, u for four digits. */
    private static final byte[] ESCAPES = new byte[256];

    static {
        for (int i = 0; i < ' '; i++) {
            ESCAPES[i] = 'u';
        }
        ESCAPES['\b'] = 'b';
        ESCAPES['\t'] = 't';
        ESCAPES['\n'] = 'n';
        ESCAPES['\f'] = 'f';
        ESCAPES['\r'] = 'r';
        ESCAPES['"'] = '"';
        ESCAPES['\\'] = '\\';
    }

    private TextForms() {}

    /** A CQL string: in single quotes, one within doubled. */
    static void putLiteral(byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int copied = offset;
        out.putByte('\'');
        for (int i = offset; i < end; i++) {
            if (from[i] == '\'') {
                out.put(from, copied, i + 1 - copied);
                copied = i; // copies the quote twice
            }
        }
        out.put(from, copied, end - copied);
        out.putByte('\'');
    }

    /** A JSON string. Only characters that must be are escaped. */
    static void putJson(byte[] from, int offset, int length, Bytes out) {
        int end = offset + length;
        int copied = offset;
        out.putByte('"');
        for (int i = offset; i < end; i++) {
            byte escape = ESCAPES[from[i] & 0xFF];
            if (escape != 0) {
                out.put(from, copied, i - copied);
                copied = i + 1;
                putEscape(escape, from[i], out);
            }
        }
        out.put(from, copied, end - copied);
        out.putByte('"');
    }

    private static void putEscape(byte escape, byte value, Bytes out) {
        out.reserve(6);
        byte[] a = out.array();
        int at = out.length();
        a[at++] = '\\';
        a[at++] = escape;
        if (escape != 'u') {
            out.advance(2);
            return;
        }
        Digits.put2(a, at, 0);
        Digits.putHex(a, at + 2, value);
        out.advance(6);
    }

    /** A JSON string, for text that is written often. */
    public static byte[] json(String text) {
        byte[] bytes = utf8(text);
        Bytes out = new Bytes(bytes.length + 2);
        putJson(bytes, 0, bytes.length, out);
        return out.toByteArray();
    }

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Puts a string of ASCII characters without an array between. */
    @SuppressWarnings("deprecation") // getBytes truncates characters to bytes: right for ASCII, and fastest
    static void putAscii(String text, Bytes out) {
        out.reserve(text.length());
        text.getBytes(0, text.length(), out.array(), out.length());
        out.advance(text.length());
    }
}
