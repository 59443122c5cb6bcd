package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteSetting;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.WaitTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows of a {@link Shard} on local disk, in 32 pieces by the bits of the hash that follow those of the shard and of the levels
 * above. Guarded by its shard.
 *
 * <p>A row is {@code [int key length][int record length][long hash][long token][key][record]}. Files are deleted when opened, if
 * the system allows it, so that not even a killed process leaves them behind. After a write failure, such as a full disk, a
 * piece contains only whole rows and can still be read.
 */
final class Spill {
    private static final Logger LOG = LoggerFactory.getLogger(Spill.class);
    /** The shard takes 3 bits of the hash, and levels 0 to 8 take 5 each: 48 of 64. */
    static final int MAX_LEVEL = 8;

    private static final int PIECE_BITS = 5;
    private static final int PIECES = 1 << PIECE_BITS;
    private static final int SHARD_BITS = 3;
    private static final int HEADER = 24;
    private static final int BUFFER_BYTES = 32 << 10;

    /**
     * Takes a row: the first {@code keyLength} of the bytes are the key, and the record follows it up to {@code recordTo}.
     * Returns whether to continue.
     */
    interface RowConsumer {
        boolean accept(long hash, long token, byte[] bytes, int keyLength, int recordTo);
    }

    /** Opens the file of a piece; tests have others. */
    interface FileOpener {
        FileChannel open(Path directory, String name) throws IOException;
    }

    /**
     * The place of rows on local disk. Immutable.
     *
     * @param shard number of the shard, for the names of files
     */
    record Place(Path directory, FileOpener files, int shard) {}

    /** The rows of a part of the hash range: the file's bytes up to {@code written}, then those in the buffer. */
    private static final class Piece {
        final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);

        @Nullable FileChannel file;

        long written;

        long length() {
            return written + buffer.position();
        }

        /** Discards rows that were added since the piece had this length: after part of a row it could not be read. */
        void truncate(long length) {
            if (length >= written) {
                buffer.position((int) (length - written));
            } else {
                buffer.clear();
                written = length;
            }
        }
    }

    private final Path directory;
    private final FileOpener files;
    private final WaitTime disk;
    private final int level;
    private final int shift;
    private final @Nullable Piece[] pieces = new Piece[PIECES];
    private final String name;
    private int nextPiece;
    /** The rest of the piece that is being read. */
    private @Nullable Source source;

    private @Nullable Spill after;

    /** @param disk counts the time that threads spend in files */
    Spill(Place place, int level, WaitTime disk) {
        this.disk = disk;
        this.directory = place.directory();
        this.files = place.files();
        this.level = level;
        this.shift = Long.SIZE - SHARD_BITS - PIECE_BITS * (level + 1);
        this.name = "overdrive-spill-" + ProcessHandle.current().pid() + "-" + place.shard() + "-" + level + "-";
    }

    int level() {
        return level;
    }

    /**
     * Adds a row. If that fails, the row is not added, and those before it can still be read.
     *
     * @throws OverdriveException of kind DISK
     */
    void add(long hash, long token, byte[] key, int keyLength, byte[] record, int recordLength) {
        int number = pieceOf(hash);
        Piece piece = pieces[number];
        if (piece == null) {
            piece = new Piece();
            pieces[number] = piece;
        }
        long start = piece.length();
        try {
            room(piece, HEADER);
            piece.buffer.putInt(keyLength).putInt(recordLength).putLong(hash).putLong(token);
            put(piece, key, keyLength);
            put(piece, record, recordLength);
        } catch (IOException e) {
            piece.truncate(start);
            throw failed("cannot write", e);
        }
    }

    /** Bytes in the piece of this hash. */
    long length(long hash) {
        Piece piece = pieces[pieceOf(hash)];
        return piece == null ? 0 : piece.length();
    }

    /** Discards all rows that were added to the piece of this hash since it had this length. */
    void truncate(long hash, long length) {
        Piece piece = pieces[pieceOf(hash)];
        if (piece != null) {
            piece.truncate(length);
        }
    }

    private int pieceOf(long hash) {
        return (int) (hash >>> shift) & (PIECES - 1);
    }

    private void put(Piece piece, byte[] bytes, int count) throws IOException {
        int at = 0;
        while (count - at > piece.buffer.remaining()) {
            int part = piece.buffer.remaining();
            piece.buffer.put(bytes, at, part);
            at += part;
            room(piece, 1);
        }
        piece.buffer.put(bytes, at, count - at);
    }

    private void room(Piece piece, int needed) throws IOException {
        if (piece.buffer.remaining() < needed) {
            write(piece);
        }
    }

    /** Writes the buffer to the file; if that fails halfway, the rest stays in the buffer. */
    private void write(Piece piece) throws IOException {
        FileChannel file = piece.file;
        if (file == null) {
            file = files.open(directory, name);
            piece.file = file;
        }
        piece.buffer.flip();
        disk.begin(System.nanoTime());
        try {
            while (piece.buffer.hasRemaining()) {
                piece.written += file.write(piece.buffer, piece.written);
            }
        } finally {
            disk.end(System.nanoTime());
            piece.buffer.compact();
        }
    }

    /** A file that is deleted when opened if the system allows it, and otherwise when closed. */
    static FileChannel temporaryFile(Path directory, String name) throws IOException {
        Files.createDirectories(directory);
        return FileChannel.open(
                Files.createTempFile(directory, name, ".tmp"),
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** Whether all pieces have been read. */
    boolean isEmpty() {
        while (nextPiece < PIECES && pieces[nextPiece] == null) {
            nextPiece++;
        }
        return nextPiece == PIECES;
    }

    /**
     * Continues to read the current piece, or the next one that holds rows, until the consumer returns false.
     *
     * @return whether the end of the piece was reached; its file is then deleted
     * @throws OverdriveException of kind DISK; the rest of the piece is then lost, and the next call reads the next piece
     */
    boolean readPiece(RowConsumer consumer) {
        if (isEmpty()) {
            return true;
        }
        Piece piece = pieces[nextPiece];
        try {
            if (source == null) {
                source = new Source(piece.file, piece.written, piece.buffer.flip(), disk);
            }
            if (!read(source, consumer)) {
                return false;
            }
            drop(piece);
            return true;
        } catch (IOException e) {
            drop(piece);
            throw failed("cannot read", e);
        }
    }

    private void drop(Piece piece) {
        source = null;
        pieces[nextPiece] = null;
        close(piece);
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

    /** Reads the file's bytes, then those that were never written to it. */
    private static final class Source {
        private final @Nullable FileChannel file;
        private final long fileEnd;
        private final ByteBuffer last;
        private final WaitTime disk;
        private ByteBuffer current = ByteBuffer.allocate(4 * BUFFER_BYTES).limit(0);
        private long fileAt;

        Source(@Nullable FileChannel file, long fileEnd, ByteBuffer last, WaitTime disk) {
            this.disk = disk;
            this.file = file;
            this.fileEnd = fileEnd;
            this.last = last;
        }

        /** Reads exactly this many bytes, or returns false at the end. */
        boolean read(byte[] target, int count) throws IOException {
            int done = 0;
            while (done < count) {
                if (!current.hasRemaining() && !refill()) {
                    if (done > 0) {
                        throw new IOException("the spill file ends in the middle of a row");
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
            if (file != null && fileAt < fileEnd) {
                current.clear().limit((int) Math.min(current.capacity(), fileEnd - fileAt));
                int n = read(file);
                current.flip();
                if (n <= 0) {
                    throw new IOException("the spill file was truncated");
                }
                fileAt += n;
                return true;
            }
            if (current == last) {
                return false;
            }
            current = last;
            return current.hasRemaining();
        }

        private int read(FileChannel from) throws IOException {
            disk.begin(System.nanoTime());
            try {
                return from.read(current, fileAt);
            } finally {
                disk.end(System.nanoTime());
            }
        }
    }

    /** Sets the spill of the level above to continue with once this one is empty. */
    void then(Spill above) {
        after = above.isEmpty() ? above.close() : above;
    }

    /** Ends an empty spill and returns the one to continue with. */
    @Nullable Spill close() {
        return after;
    }

    /** Deletes all files. */
    void abandon() {
        for (Piece piece : pieces) {
            if (piece != null) {
                close(piece);
            }
        }
        if (after != null) {
            after.abandon();
        }
    }

    /** Only warns if the file cannot be closed: its rows have been read, or are not needed any more. */
    private static void close(Piece piece) {
        try {
            if (piece.file != null) {
                piece.file.close();
            }
        } catch (IOException e) {
            LOG.warn("cannot close a spill file", e);
        }
    }

    private OverdriveException failed(String what, IOException e) {
        return new OverdriveException(
                Kind.DISK,
                words -> what + " spilled rows in " + directory + " (" + e.toString() + "); set "
                        + words.of(WriteSetting.SPILL_DIRECTORY) + " to use another directory, or raise "
                        + words.of(WriteSetting.GROUPING_MEMORY) + " to spill less",
                e);
    }
}
