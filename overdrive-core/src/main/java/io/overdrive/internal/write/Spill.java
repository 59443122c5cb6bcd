package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a {@link Shard} on local disk, in pieces by the bits of the hash that follow those of the shard and of the
 * levels above. Guarded by its shard.
 *
 * <p>A row is {@code [int key length][int record length][long hash][long token][key][record]}. Files are deleted as they
 * are opened on systems that allow it, so that not even a killed process leaves them behind.
 */
final class Spill {
    /** With 3 bits for the shard and 5 a level: the bits of a hash last for this many levels below the first. */
    static final int DEEPEST = 8;

    private static final int PIECE_BITS = 5;
    private static final int PIECES = 1 << PIECE_BITS;
    private static final int SHARD_BITS = 3;
    private static final int HEADER = 24;
    private static final int BUFFER_BYTES = 32 << 10;

    /**
     * Takes a row: the key is {@code bytes} from 0 to {@code keyTo}, the record follows it up to {@code recordTo}. Tells
     * whether it wants more.
     */
    interface RowConsumer {
        boolean accept(long hash, long token, byte[] bytes, int keyTo, int recordTo);
    }

    private final Path directory;
    private final int level;
    private final int shift;
    private final @Nullable FileChannel[] files = new FileChannel[PIECES];
    private final @Nullable ByteBuffer[] buffers = new ByteBuffer[PIECES];
    private final String name;
    private int nextPiece;
    /** What is left of the piece that is being read. */
    private @Nullable Source source;

    private @Nullable Spill after;

    Spill(Path directory, int shard, int level) {
        this.directory = directory;
        this.level = level;
        this.shift = Long.SIZE - SHARD_BITS - PIECE_BITS * (level + 1);
        this.name = "overdrive-spill-" + ProcessHandle.current().pid() + "-" + shard + "-" + level + "-";
    }

    int level() {
        return level;
    }

    void add(long hash, long token, byte[] key, int keyFrom, int keyTo, byte[] record, int recordLength) {
        int piece = (int) (hash >>> shift) & (PIECES - 1);
        ByteBuffer buffer = buffers[piece];
        if (buffer == null) {
            buffer = ByteBuffer.allocate(BUFFER_BYTES);
            buffers[piece] = buffer;
        }
        buffer = room(piece, buffer, HEADER);
        int keyLength = keyTo - keyFrom;
        buffer.putInt(keyLength).putInt(recordLength).putLong(hash).putLong(token);
        put(piece, buffer, key, keyFrom, keyLength);
        put(piece, buffer, record, 0, recordLength);
    }

    private void put(int piece, ByteBuffer buffer, byte[] source, int from, int count) {
        while (count > buffer.remaining()) {
            int part = buffer.remaining();
            buffer.put(source, from, part);
            from += part;
            count -= part;
            room(piece, buffer, 1);
        }
        buffer.put(source, from, count);
    }

    private ByteBuffer room(int piece, ByteBuffer buffer, int needed) {
        if (buffer.remaining() < needed) {
            write(piece, buffer);
        }
        return buffer;
    }

    private void write(int piece, ByteBuffer buffer) {
        try {
            FileChannel file = files[piece];
            if (file == null) {
                Files.createDirectories(directory);
                file = FileChannel.open(
                        Files.createTempFile(directory, name, ".tmp"),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
                files[piece] = file;
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                file.write(buffer);
            }
            buffer.clear();
        } catch (IOException e) {
            throw failed("cannot write", e);
        }
    }

    /** Whether all pieces have been read. */
    boolean isEmpty() {
        while (nextPiece < PIECES && buffers[nextPiece] == null) {
            nextPiece++;
        }
        return nextPiece == PIECES;
    }

    /**
     * Reads on in the next piece that holds rows, for as long as the consumer wants more.
     *
     * @return whether the piece has come to its end; then it is deleted
     */
    boolean readPiece(RowConsumer consumer) {
        if (isEmpty()) {
            return true;
        }
        int piece = nextPiece;
        try {
            if (source == null) {
                source = new Source(files[piece], buffers[piece].flip());
            }
            if (!read(source, consumer)) {
                return false;
            }
            source = null;
            buffers[piece] = null;
            FileChannel file = files[piece];
            files[piece] = null;
            if (file != null) {
                file.close();
            }
            return true;
        } catch (IOException e) {
            throw failed("cannot read", e);
        }
    }

    private static boolean read(Source source, RowConsumer consumer) throws IOException {
        byte[] header = new byte[HEADER];
        byte[] bytes = new byte[1024];
        while (source.read(header, HEADER)) {
            int keyLength = Bytes.getInt(header, 0);
            int length = keyLength + Bytes.getInt(header, 4);
            if (bytes.length < length) {
                bytes = new byte[Math.max(length, 2 * bytes.length)];
            }
            source.read(bytes, length);
            if (!consumer.accept(Bytes.getLong(header, 8), Bytes.getLong(header, 16), bytes, keyLength, length)) {
                return false;
            }
        }
        return true;
    }

    /** The file's bytes, then those that were never written to it. */
    private static final class Source {
        private final @Nullable FileChannel file;
        private final ByteBuffer last;
        private ByteBuffer current = ByteBuffer.allocate(4 * BUFFER_BYTES).limit(0);
        private long fileAt;

        Source(@Nullable FileChannel file, ByteBuffer last) {
            this.file = file;
            this.last = last;
        }

        /** Reads exactly this many bytes, or returns false at the end. */
        boolean read(byte[] target, int count) throws IOException {
            int done = 0;
            while (done < count) {
                if (!current.hasRemaining() && !refill()) {
                    if (done > 0) {
                        throw new IOException("a spill file ends in the middle of a row");
                    }
                    return false;
                }
                int part = Math.min(count - done, current.remaining());
                current.get(target, done, part);
                done += part;
            }
            return true;
        }

        private boolean refill() throws IOException {
            if (file != null && current != last) {
                current.clear();
                int n = file.read(current, fileAt);
                current.flip();
                if (n > 0) {
                    fileAt += n;
                    return true;
                }
            }
            if (current == last) {
                return false;
            }
            current = last;
            return current.hasRemaining();
        }
    }

    /** Once this spill is empty, goes on with one of the level above. */
    void then(Spill above) {
        after = above.isEmpty() ? above.close() : above;
    }

    /** Ends an empty spill and returns the one to go on with. */
    @Nullable Spill close() {
        return after;
    }

    /** Deletes all files. */
    void abandon() {
        for (FileChannel file : files) {
            if (file != null) {
                try {
                    file.close();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        if (after != null) {
            after.abandon();
        }
    }

    private OverdriveException failed(String what, IOException e) {
        return new OverdriveException(
                Kind.DISK,
                what + " spilled rows in " + directory + " (" + e
                        + "); spillDirectory chooses another place, groupingMemory"
                        + " spills less",
                e);
    }
}
