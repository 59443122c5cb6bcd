package io.overdrive.formats.records;

import io.overdrive.internal.disk.BlockStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Text in any encoding, read as UTF-8. Malformed input becomes a byte that is malformed in UTF-8 too, so that its
 * record is rejected. Confined to one thread.
 */
final class Utf8Transcoder extends BlockStream {
    private static final byte MALFORMED = (byte) 0xFF;
    private static final int CHARS = 16 * 1024;
    private static final int UTF_32_BYTES = 4;

    private final boolean isUtf32;
    private final CharsetDecoder decoder;
    private final CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    private final ByteBuffer source = ByteBuffer.allocate(2 * CHARS).flip();
    private final CharBuffer chars = CharBuffer.allocate(CHARS);
    private final ByteBuffer target = ByteBuffer.allocate(3 * CHARS + 1).flip();
    private boolean sourceEnded;
    private boolean decoderEnded;

    Utf8Transcoder(InputStream in, Charset encoding) {
        super(in);
        isUtf32 = encoding.name().contains("UTF-32");
        decoder = encoding.newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        while (!target.hasRemaining()) {
            if (decoderEnded) {
                return -1;
            }
            transcode();
        }
        int read = Math.min(length, target.remaining());
        target.get(bytes, offset, read);
        return read;
    }

    private void transcode() throws IOException {
        if (!sourceEnded) {
            source.compact();
            int read = in.read(source.array(), source.position(), source.remaining());
            sourceEnded = read < 0;
            source.position(source.position() + Math.max(read, 0)).flip();
        }
        chars.clear();
        target.clear();
        int end = source.limit();
        int surrogate = isUtf32 ? indexOfSurrogate(end) : end;
        boolean last = sourceEnded && surrogate == end;
        CoderResult result = decoder.decode(source.limit(surrogate), chars, last);
        source.limit(end);
        if (last && result.isUnderflow()) {
            decoder.flush(chars);
            decoderEnded = true;
        }
        chars.flip();
        encode();
        if (result.isError()) {
            source.position(source.position() + result.length());
            target.put(MALFORMED);
        } else if (surrogate < end && source.position() == surrogate) {
            source.position(surrogate + UTF_32_BYTES);
            target.put(MALFORMED);
        }
        target.flip();
    }

    /**
     * The first code point of the source that is a surrogate, or {@code end}. The decoder lets surrogates through, and
     * two of them would become a pair if one read returns both. The bytes that are a surrogate in one byte order are
     * malformed in the other.
     */
    private int indexOfSurrogate(int end) {
        for (int i = source.position(); i + UTF_32_BYTES <= end; i += UTF_32_BYTES) {
            int codePoint = source.getInt(i);
            if (isSurrogate(codePoint) || isSurrogate(Integer.reverseBytes(codePoint))) {
                return i;
            }
        }
        return end;
    }

    private static boolean isSurrogate(int codePoint) {
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }

    private void encode() {
        // a decoder may let a lone surrogate through; the encoder then reports it
        CoderResult result = encoder.reset().encode(chars, target, /* endOfInput */ true);
        while (result.isError()) {
            chars.position(chars.position() + result.length());
            target.put(MALFORMED);
            result = encoder.reset().encode(chars, target, /* endOfInput */ true);
        }
    }
}
