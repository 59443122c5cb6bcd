package io.overdrive.sstable.write;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.SstableSchema.Compression;
import io.overdrive.sstable.format.Strings;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The file of the rows, Data.db. Rows are appended to {@link #bytes}; {@link #drain} cuts them into chunks. With compression, each
 * chunk is followed by its checksum, and CompressionInfo.db says where chunks begin; without, CRC.db has the checksums. Confined to
 * one thread; on the hot path.
 */
final class DataFile implements Closeable {
    /** The room for the end of a row that begins before what was gathered is written. */
    private static final int REST_BYTES = 1 << 11;

    private final OutFile file;
    private final Compression compression;
    private final WriterBuffers buffers;
    private final @Nullable ChunkCompressor compressor;
    private final int maxCompressedBytes;
    private final Bytes bytes;
    private final CRC32 digest = new CRC32();
    private final CRC32 chunkChecksum = new CRC32();
    private final Bytes checksums = new Bytes(1 << 8);
    private long[] chunkStarts = new long[1 << 5];
    private int chunks;
    private long drained;

    DataFile(OutFile file, Compression compression, WriterBuffers buffers) {
        this.file = file;
        this.compression = compression;
        this.buffers = buffers;
        compressor = buffers.compressor();
        maxCompressedBytes = compression.maxCompressedBytes();
        bytes = new Bytes(buffers.drainBytes() + compression.chunkBytes() + REST_BYTES);
        checksums.putInt(compression.chunkBytes());
    }

    /** Where rows are appended. */
    Bytes bytes() {
        return bytes;
    }

    /** The position behind the last byte, in the file without compression. */
    long position() {
        return drained + bytes.length();
    }

    /** Writes the complete chunks if there are enough of them. */
    void drain() throws IOException {
        if (bytes.length() >= buffers.drainBytes() + compression.chunkBytes()) {
            write(bytes.length() - bytes.length() % compression.chunkBytes());
        }
    }

    private void write(int count) throws IOException {
        byte[] source = bytes.array();
        if (compressor == null) {
            for (int from = 0; from < count; from += compression.chunkBytes()) {
                chunkChecksum.reset();
                chunkChecksum.update(source, from, Math.min(compression.chunkBytes(), count - from));
                checksums.putInt((int) chunkChecksum.getValue());
            }
            emit(source, count);
        } else {
            byte[] packed = buffers.packed();
            int to = 0;
            for (int from = 0; from < count; from += compression.chunkBytes()) {
                if (packed.length - to < buffers.maxChunkBytes()) {
                    emit(packed, to);
                    to = 0;
                }
                to = pack(compressor, source, from, Math.min(compression.chunkBytes(), count - from), packed, to);
            }
            emit(packed, to);
        }
        int rest = bytes.length() - count;
        System.arraycopy(source, count, source, 0, rest);
        bytes.truncate(rest);
        drained += count;
    }

    private int pack(ChunkCompressor by, byte[] source, int from, int length, byte[] packed, int to)
            throws IOException {
        if (chunks == chunkStarts.length) {
            chunkStarts = Arrays.copyOf(chunkStarts, 2 * chunks);
        }
        chunkStarts[chunks++] = file.length() + to;
        int size = by.compress(source, from, length, packed, to);
        if (size >= maxCompressedBytes) {
            // stored as it is; readers know that from its size, which a short last chunk is padded to
            size = Math.max(length, maxCompressedBytes);
            System.arraycopy(source, from, packed, to, length);
            Arrays.fill(packed, to + length, to + size, (byte) 0);
        }
        chunkChecksum.reset();
        chunkChecksum.update(packed, to, size);
        Bytes.setInt(packed, to + size, (int) chunkChecksum.getValue());
        return to + size + 4;
    }

    private void emit(byte[] source, int count) throws IOException {
        digest.update(source, 0, count);
        file.write(source, 0, count);
    }

    /** Writes the rest, and syncs. */
    void finish() throws IOException {
        write(bytes.length());
        file.sync();
    }

    /** The CRC-32 of the file. */
    long digest() {
        return digest.getValue();
    }

    /** Compressed bytes for each byte, -1 without compression. */
    double compressionRatio() {
        return compressor == null ? -1 : (double) (file.length() - 4L * chunks) / drained;
    }

    /** The content of CompressionInfo.db, or without compression, of CRC.db. */
    Bytes chunkInfo() {
        if (compressor == null) {
            return checksums;
        }
        Bytes info = new Bytes(64 + 8 * chunks);
        Strings.putUtf(info, compression.compressor());
        info.putInt(compression.options().size());
        compression.options().forEach((name, value) -> {
            Strings.putUtf(info, name);
            Strings.putUtf(info, value);
        });
        info.putInt(compression.chunkBytes());
        info.putInt(maxCompressedBytes);
        info.putLong(drained);
        info.putInt(chunks);
        for (int i = 0; i < chunks; i++) {
            info.putLong(chunkStarts[i]);
        }
        return info;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
