package io.overdrive.formats.records;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Character encodings, for code that works on bytes. Static and pure. */
public final class Encodings {
    public static final byte[] UTF_8_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    static final int MAX_MARK_LENGTH = 4;
    /** Bytes in which the first line of a file usually ends. */
    static final int HEAD_LENGTH = 1024;

    private Encodings() {}

    /** A byte order mark. */
    record Mark(Charset encoding, int length) {}

    static @Nullable Mark mark(byte[] bytes, int length) {
        int head = 0;
        for (int i = 0; i < MAX_MARK_LENGTH; i++) {
            head = head << 8 | (i < length ? bytes[i] & 0xFF : 0x20);
        }
        if (head == 0xFFFE0000) {
            return new Mark(Charset.forName("UTF-32LE"), 4);
        }
        if (head == 0x0000FEFF) {
            return new Mark(Charset.forName("UTF-32BE"), 4);
        }
        if (head >>> 8 == 0xEFBBBF) {
            return new Mark(StandardCharsets.UTF_8, 3);
        }
        if (head >>> 16 == 0xFFFE) {
            return new Mark(StandardCharsets.UTF_16LE, 2);
        }
        if (head >>> 16 == 0xFEFF) {
            return new Mark(StandardCharsets.UTF_16BE, 2);
        }
        return null;
    }

    /**
     * The encoding of a head that begins with two ASCII characters in UTF-16 without a byte order mark, and that has a
     * line feed in UTF-16, or none at all. Null for other bytes, which may be text with NULs in another encoding.
     */
    static @Nullable Charset unmarkedUtf16(byte[] head) {
        int high = head.length < 4 || head[0] != 0 ? 1 : 0;
        if (head.length < 4 || head[high] != 0 || head[2 + high] != 0 || head[1 - high] == 0 || head[3 - high] == 0) {
            return null;
        }
        boolean anyLineFeed = false;
        boolean utf16LineFeed = false;
        for (int i = 0; i + 1 < head.length; i += 2) {
            utf16LineFeed |= head[i + high] == 0 && head[i + 1 - high] == '\n';
            anyLineFeed |= head[i] == '\n' || head[i + 1] == '\n';
        }
        if (anyLineFeed && !utf16LineFeed) {
            return null;
        }
        return high == 1 ? StandardCharsets.UTF_16LE : StandardCharsets.UTF_16BE;
    }

    /**
     * Whether records can be cut before decoding: a byte below 128 is always that ASCII character. True for UTF-8 and
     * for single-byte encodings; in others second bytes may look like ASCII.
     */
    static boolean canCutBytes(Charset encoding) {
        if (encoding.equals(StandardCharsets.UTF_8)) {
            return true;
        }
        if (!encoding.canEncode()
                || encoding.newEncoder().maxBytesPerChar() != 1f
                || encoding.newDecoder().maxCharsPerByte() != 1f) {
            return false;
        }
        byte[] ascii = new byte[128];
        for (int i = 0; i < ascii.length; i++) {
            ascii[i] = (byte) i;
        }
        return new String(ascii, encoding).equals(new String(ascii, StandardCharsets.US_ASCII));
    }

    /** The text of the bytes, or null if they are invalid in this encoding. */
    static @Nullable String decode(byte[] bytes, int from, int to, Charset encoding) {
        String text = new String(bytes, from, to - from, encoding);
        if (text.indexOf('\uFFFD') < 0) {
            return text;
        }
        // undecodable bytes become U+FFFD, which may also be in the text itself
        try {
            return encoding.newDecoder()
                    .decode(ByteBuffer.wrap(bytes, from, to - from))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }
}
