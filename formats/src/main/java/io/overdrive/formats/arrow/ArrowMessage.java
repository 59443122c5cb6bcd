package io.overdrive.formats.arrow;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.apache.arrow.flatbuf.Message;
import org.jspecify.annotations.Nullable;

/** The frame around the messages of a stream, and around the stream in a file. Stateless. */
final class ArrowMessage {
    /** The word at the beginning and at the end of a file. */
    static final byte[] MAGIC = "ARROW1".getBytes(StandardCharsets.US_ASCII);

    /** The magic with its padding, at the beginning of a file. */
    static final byte[] HEAD = "ARROW1\0\0".getBytes(StandardCharsets.US_ASCII);

    static final int CONTINUES = -1;
    static final int PREFIX_BYTES = 8;
    static final int MAX_METADATA_BYTES = 256 << 20;

    private ArrowMessage() {}

    /**
     * The next message without its body, or null at the end mark.
     *
     * @throws EOFException if the input ends before the end mark
     */
    static @Nullable Message read(InputStream in) throws IOException {
        int length = readInt(in);
        if (length == CONTINUES) {
            length = readInt(in); // without this mark in files before Arrow 0.15
        }
        if (length == 0) {
            return null;
        }
        if (length < 0 || length > MAX_METADATA_BYTES) {
            throw new IOException("a message of " + length + " bytes is not one of Arrow");
        }
        byte[] metadata = in.readNBytes(length);
        if (metadata.length < length) {
            throw new EOFException("it ends inside a message");
        }
        return Message.getRootAsMessage(ByteBuffer.wrap(metadata).order(ByteOrder.LITTLE_ENDIAN));
    }

    private static int readInt(InputStream in) throws IOException {
        byte[] bytes = in.readNBytes(Integer.BYTES);
        if (bytes.length < Integer.BYTES) {
            throw new EOFException("it ends without its end mark");
        }
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt();
    }
}
