package io.overdrive.sstable.read;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.FileHeader;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * How the bytes of a Data.db are divided into chunks: CompressionInfo.db has where each begins, or without compression, CRC.db its
 * checksum. Of a large file they stay on disk, and each {@link Window} has some of them. Thread-safe, as it does not change.
 */
final class DataChunks implements Closeable {
    /** Chunks of which all is kept in memory: 64 KiB, for 128 MiB of rows in chunks of 16 KiB. */
    static final int MAX_IN_MEMORY = 1 << 13;

    private static final int MIN_CHUNK_BYTES = 1 << 10;
    /** So that a damaged file does not take all memory; the default of the server is 16 KiB. */
    private static final int MAX_CHUNK_BYTES = 1 << 26;
    /** The shortest chunk has a byte and its checksum. */
    private static final int MIN_COMPRESSED_BYTES = 5;

    private final String compressor;
    private final int chunkBytes;
    private final int maxCompressedBytes;
    private final long dataBytes;
    private final int count;
    /** Where the last chunk ends in the file. */
    private final long end;
    /** Where the table of the chunks begins. */
    private final long tableAt;

    private final FileChannel channel;
    /** All of the table, or null if it stays on disk. */
    private final byte @Nullable [] table;

    /**
     * @param compressor empty for none
     * @param dataBytes length before compression
     */
    private DataChunks(
            String compressor,
            int chunkBytes,
            int maxCompressedBytes,
            long dataBytes,
            int count,
            long end,
            FileChannel channel,
            int maxInMemory)
            throws IOException {
        this.compressor = compressor;
        this.chunkBytes = chunkBytes;
        this.maxCompressedBytes = maxCompressedBytes;
        this.dataBytes = dataBytes;
        this.count = count;
        this.end = end;
        this.channel = channel;
        tableAt = channel.position();
        table = count <= maxInMemory ? read(0, count) : null;
        if (table != null) {
            channel.close();
        }
    }

    /**
     * Reads and checks all of the chunks' table.
     *
     * @param data the file that ends in {@code -Data.db}
     * @param fileBytes its length
     * @param maxInMemory chunks of which all is kept in memory
     */
    static DataChunks open(Path data, long fileBytes, int maxInMemory) throws IOException, FileHeader.Problem {
        Path toc = SstableFile.component(data, "TOC.txt");
        Path info = SstableFile.component(data, "CompressionInfo.db");
        boolean isCompressed = Files.exists(info)
                || (Files.exists(toc)
                        && Files.readAllLines(toc, StandardCharsets.ISO_8859_1).contains("CompressionInfo.db"));
        FileChannel channel =
                FileChannel.open(isCompressed ? info : SstableFile.component(data, "CRC.db"), StandardOpenOption.READ);
        DataChunks chunks = null;
        try {
            chunks =
                    isCompressed ? compressed(channel, fileBytes, maxInMemory) : plain(channel, fileBytes, maxInMemory);
            return chunks;
        } catch (EOFException | UTFDataFormatException e) {
            throw damagedInfo();
        } finally {
            if (chunks == null) {
                channel.close();
            }
        }
    }

    private static DataChunks compressed(FileChannel channel, long fileBytes, int maxInMemory)
            throws IOException, FileHeader.Problem {
        DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
        String compressor = in.readUTF();
        for (int options = in.readInt(); options > 0; options--) {
            in.readUTF();
            in.readUTF();
        }
        int chunkBytes = in.readInt();
        int maxCompressedBytes = in.readInt();
        long dataBytes = in.readLong();
        int listed = in.readInt();
        if (Integer.bitCount(chunkBytes) != 1 || chunkBytes < MIN_CHUNK_BYTES || dataBytes < 1) {
            throw damagedInfo();
        }
        if (chunkBytes > MAX_CHUNK_BYTES) {
            throw new FileHeader.Problem("it has chunks of " + chunkBytes + " bytes; at most " + MAX_CHUNK_BYTES
                    + " can be read: read the table over CQL");
        }
        // the server may have added a chunk without bytes
        long filled = (dataBytes - 1) / chunkBytes + 1;
        long tableAt = channel.position();
        if (listed < 1 || (listed != filled && listed != filled + 1) || channel.size() - tableAt != 8L * listed) {
            throw damagedInfo();
        }
        int count = (int) filled;
        long end = checkStarts(
                new DataInputStream(new BufferedInputStream(in, 1 << 16)), count, listed, chunkBytes, fileBytes);
        try {
            ChunkDecompressor.of(compressor).close();
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new FileHeader.Problem(String.valueOf(e.getMessage()));
        }
        channel.position(tableAt);
        return new DataChunks(compressor, chunkBytes, maxCompressedBytes, dataBytes, count, end, channel, maxInMemory);
    }

    /** Returns where the last chunk with bytes ends. */
    private static long checkStarts(DataInputStream in, int count, int listed, int chunkBytes, long fileBytes)
            throws IOException, FileHeader.Problem {
        long start = in.readLong();
        if (start != 0) {
            throw damagedInfo();
        }
        for (int i = 1; i <= count; i++) {
            long next = i < listed ? in.readLong() : fileBytes;
            if (!isLength(next - start, chunkBytes)) {
                throw i == count
                        ? new FileHeader.Problem("its Data.db was cut short, or is damaged; " + FileHeader.OTHER_COPY)
                        : damagedInfo();
            }
            start = next;
        }
        return start;
    }

    private static boolean isLength(long compressedBytes, int chunkBytes) {
        return compressedBytes >= MIN_COMPRESSED_BYTES && compressedBytes <= 2L * chunkBytes;
    }

    private static DataChunks plain(FileChannel channel, long fileBytes, int maxInMemory)
            throws IOException, FileHeader.Problem {
        long bytes = channel.size();
        DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
        int chunkBytes = bytes < 4 ? 0 : in.readInt();
        long listed = bytes / 4 - 1;
        long filled = chunkBytes < 1 ? -1 : (fileBytes + chunkBytes - 1) / chunkBytes;
        // the server may have added a chunk without bytes, whose checksum is 0
        boolean hasEmpty = listed == filled + 1 && lastChecksum(channel, bytes) == 0;
        if (filled < 1 || filled > Integer.MAX_VALUE || bytes % 4 != 0 || (listed != filled && !hasEmpty)) {
            throw new FileHeader.Problem(
                    "its Data.db and CRC.db do not have the same length: one was cut short; " + FileHeader.OTHER_COPY);
        }
        channel.position(4);
        return new DataChunks(
                "", chunkBytes, Integer.MAX_VALUE, fileBytes, (int) filled, fileBytes, channel, maxInMemory);
    }

    private static int lastChecksum(FileChannel channel, long bytes) throws IOException {
        channel.position(bytes - 4);
        return new DataInputStream(Channels.newInputStream(channel)).readInt();
    }

    private static FileHeader.Problem damagedInfo() {
        return new FileHeader.Problem(
                "its CompressionInfo.db is damaged or cut short, or of another SSTable; " + FileHeader.OTHER_COPY);
    }

    private int entryBytes() {
        return isCompressed() ? Long.BYTES : Integer.BYTES;
    }

    /** Entries of the table. */
    private byte[] read(int from, int entries) throws IOException {
        byte[] bytes = new byte[entries * entryBytes()];
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        long at = tableAt + (long) from * entryBytes();
        while (rest.hasRemaining()) {
            if (channel.read(rest, at + rest.position()) < 0) {
                throw new EOFException("it was cut short while it was read");
            }
        }
        return bytes;
    }

    boolean isCompressed() {
        return !compressor.isEmpty();
    }

    @Nullable ChunkDecompressor decompressor() {
        return isCompressed() ? ChunkDecompressor.of(compressor) : null;
    }

    /** Length of a chunk before compression; the last one may be shorter. */
    int chunkBytes() {
        return chunkBytes;
    }

    /** Chunks of as many bytes or more are stored as they are. */
    int maxCompressedBytes() {
        return maxCompressedBytes;
    }

    /** Length of all before compression. */
    long dataBytes() {
        return dataBytes;
    }

    int count() {
        return count;
    }

    /** Where the last chunk ends in the file. */
    long end() {
        return end;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** A view of the table, for one thread. */
    final class Window {
        private static final int ENTRIES = 512;

        private final SstableFile file;
        private byte[] entries = {};
        private int first;
        private int last;

        Window(SstableFile file) {
            this.file = file;
            if (table != null) {
                entries = table;
                last = count;
            }
        }

        /** Where a chunk begins in the file, or where the last one ends. */
        long start(int chunk) {
            if (!isCompressed()) {
                return Math.min(dataBytes, (long) chunk * chunkBytes);
            }
            if (chunk == count) {
                return end;
            }
            int at = entry(chunk);
            return Bytes.getLong(entries, at);
        }

        /** Checksum of a chunk without compression; otherwise it is behind the chunk. */
        int checksum(int chunk) {
            int at = entry(chunk);
            return Bytes.getInt(entries, at);
        }

        /** The index of a chunk in the entries, which are then others if they did not have it. */
        private int entry(int chunk) {
            if (chunk < first || chunk >= last) {
                first = chunk;
                last = Math.min(count, chunk + ENTRIES);
                try {
                    entries = read(first, last - first);
                } catch (IOException e) {
                    throw file.unreadable("where its chunks are", e);
                }
            }
            return (chunk - first) * entryBytes();
        }
    }
}
