package io.overdrive.sstable.read;

import io.overdrive.OverdriveException;
import io.overdrive.internal.codec.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a Data.db in sequence, from any position on: chunks are read, checked and decompressed into one array, from which bytes
 * from {@link #mark} on are not discarded. Confined to one thread; on the hot path.
 */
final class DataReader implements Closeable {
    /** How much is read at once, at least a chunk. */
    private static final int READ_BYTES = 1 << 16;
    /** Bytes behind {@link #end}, so that a number may be read in one piece. */
    private static final int SLACK = 16;
    /** Maximum bytes of a number of variable length. */
    static final int VINT_BYTES = 9;

    private final SstableFile file;
    private final DataChunks chunks;
    private final DataChunks.Window places;
    private final @Nullable ChunkDecompressor decompressor;
    private final CRC32 checksum = new CRC32();
    private byte[] packed = {};

    byte[] buffer = new byte[SLACK];
    /** The next byte to read. */
    int at;
    /** Bytes from here on stay, even if others are read. They may move: the mark and {@link #at} move with them. */
    int mark;

    private int end;
    /** Position in the file of the first byte of the array. */
    private long base;

    private int nextChunk;
    private long stop;

    DataReader(SstableFile file) {
        this.file = file;
        chunks = file.chunks();
        places = chunks.new Window(file);
        decompressor = chunks.decompressor();
    }

    /**
     * Continues at another position.
     *
     * @param expectedEnd up to where it will probably be read, which bounds what is read ahead
     */
    void seek(long position, long expectedEnd) {
        int chunkBytes = chunks.chunkBytes();
        stop = expectedEnd;
        nextChunk = (int) (position / chunkBytes);
        base = (long) nextChunk * chunkBytes;
        end = 0;
        at = (int) (position - base);
        mark = at;
        if (position < file.dataBytes()) {
            load(1);
        }
    }

    /** The position of the next byte. */
    long position() {
        return base + at;
    }

    boolean isAtEnd() {
        return base + at >= file.dataBytes();
    }

    /** Makes sure that so many bytes follow, or all that the file has. */
    void want(int bytes) {
        if (end - at < bytes) {
            load(bytes);
        }
    }

    /** Makes sure that so many bytes follow. */
    void need(int bytes) {
        if (end - at < bytes) {
            if (bytes > file.dataBytes() - position()) {
                throw cutShort();
            }
            load(bytes);
        }
        if (bytes < 0) {
            throw cutShort();
        }
    }

    private OverdriveException cutShort() {
        return file.damaged("its rows continue beyond its end, at " + position(), null);
    }

    /** The next number; {@link #want} has provided 9 bytes. */
    long vint() {
        byte first = buffer[at];
        if (first >= 0) {
            at++;
            return first;
        }
        int bytes = Bytes.vintBytes(first);
        long value = longVint(buffer, at, bytes);
        at += bytes;
        return value;
    }

    /** A number of at least 2 bytes, read in one piece: eight bytes must follow in the array. */
    static long longVint(byte[] array, int at, int bytes) {
        return bytes == 9
                ? Bytes.getLong(array, at + 1)
                : Bytes.getLong(array, at) >>> 64 - 8 * bytes & (1L << 7 * bytes) - 1;
    }

    private void load(int bytes) {
        if (mark > 0 && mark <= end) {
            System.arraycopy(buffer, mark, buffer, 0, end - mark);
            base += mark;
            at -= mark;
            end -= mark;
            mark = 0;
        }
        int chunkBytes = chunks.chunkBytes();
        int ahead = Math.max(1, READ_BYTES / chunkBytes);
        while (end - at < bytes && nextChunk < chunks.count()) {
            int last = (int) Math.min(chunks.count(), Math.max(nextChunk + 1L, stop / chunkBytes + 1));
            int until = Math.min(nextChunk + ahead, last);
            long unpacked = Math.min((long) until * chunkBytes, file.dataBytes()) - (long) nextChunk * chunkBytes;
            long room = end + unpacked + SLACK;
            if (room > Integer.MAX_VALUE - 8) {
                throw file.damaged("it has a row of more than 2 GiB at " + (base + mark), null);
            }
            if (buffer.length < room) {
                buffer = Arrays.copyOf(buffer, (int) Math.min(Integer.MAX_VALUE - 8, Math.max(room, 2L * end)));
            }
            unpack(nextChunk, until);
            nextChunk = until;
        }
    }

    private void unpack(int from, int until) {
        long start = places.start(from);
        int size = Math.toIntExact(places.start(until) - start);
        if (decompressor == null) {
            read(start, size, buffer, end);
        } else {
            if (packed.length < size) {
                packed = new byte[size];
            }
            read(start, size, packed, 0);
        }
        for (int chunk = from; chunk < until; chunk++) {
            int length = (int) Math.min(chunks.chunkBytes(), file.dataBytes() - (long) chunk * chunks.chunkBytes());
            if (decompressor == null) {
                check(chunk, buffer, end, length, places.checksum(chunk));
            } else {
                int at = (int) (places.start(chunk) - start);
                int bytes = (int) (places.start(chunk + 1) - start) - at - 4;
                check(chunk, packed, at, bytes, Bytes.getInt(packed, at + bytes));
                unpack(decompressor, chunk, at, bytes, length);
            }
            end += length;
        }
    }

    private void unpack(ChunkDecompressor by, int chunk, int from, int bytes, int length) {
        int written;
        if (bytes >= chunks.maxCompressedBytes()) {
            written = bytes < length ? -1 : length; // stored as it is; a short last chunk is padded
            System.arraycopy(packed, from, buffer, end, Math.min(bytes, length));
        } else {
            try {
                written = by.decompress(packed, from, bytes, buffer, end, length);
            } catch (IOException e) {
                throw damaged(chunk, "cannot be decompressed", e);
            }
        }
        if (written != length) {
            throw damaged(chunk, "has not the " + length + " bytes that it had before it was compressed", null);
        }
    }

    private void check(int chunk, byte[] array, int from, int length, int expected) {
        checksum.reset();
        checksum.update(array, from, length);
        if ((int) checksum.getValue() != expected) {
            throw damaged(chunk, "does not match its checksum", null);
        }
    }

    private OverdriveException damaged(int chunk, String problem, @Nullable Throwable cause) {
        return file.damaged("the chunk at " + places.start(chunk) + " " + problem, cause);
    }

    private void read(long position, int size, byte[] target, int to) {
        ByteBuffer rest = ByteBuffer.wrap(target, to, size);
        try {
            while (rest.hasRemaining()) {
                if (file.channel().read(rest, position + size - rest.remaining()) < 0) {
                    throw file.damaged("it was cut short while it was read", null);
                }
            }
        } catch (IOException e) {
            throw file.unreadable(size + " bytes at " + position, e);
        }
    }

    @Override
    public void close() {
        if (decompressor != null) {
            decompressor.close();
        }
    }
}
