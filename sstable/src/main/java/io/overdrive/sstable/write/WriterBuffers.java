package io.overdrive.sstable.write;

import io.overdrive.sstable.format.SstableSchema;
import io.overdrive.sstable.format.SstableSchema.Compression;
import java.io.Closeable;
import org.jspecify.annotations.Nullable;

/**
 * The parts that SSTables have in common that one thread writes at the same time, and how much each gathers before it is written: the
 * more there are, the less, so that all of them fit in the memory. Confined to one thread; on the hot path.
 */
public final class WriterBuffers implements Closeable {
    private static final int MAX_DRAIN_BYTES = 1 << 18;
    private static final int MIN_DRAIN_BYTES = 1 << 12;
    /** Figures about keys and sizes, and the least of the index. */
    private static final int FIXED_BYTES = 20 << 10;
    /** The files of so many SSTables, two of each, stay open: a process may often have 1024. */
    private static final int MAX_KEPT_OPEN = 200;

    private final int drainBytes;
    private final boolean keepsFilesOpen;
    private final boolean filtersComeLast;
    private final @Nullable ChunkCompressor compressor;
    private final int maxChunkBytes;
    private final byte[] packed;

    private WriterBuffers(Compression compression, int drainBytes, boolean keepsFilesOpen, boolean filtersComeLast) {
        this.drainBytes = drainBytes;
        this.keepsFilesOpen = keepsFilesOpen;
        this.filtersComeLast = filtersComeLast;
        compressor = compression.isNone() ? null : ChunkCompressor.of(compression);
        maxChunkBytes = compressor == null
                ? 0
                : 4 + Math.max(compression.chunkBytes(), compressor.maxBytes(compression.chunkBytes()));
        packed = new byte[compressor == null ? 0 : Math.max(MAX_DRAIN_BYTES, 2 * maxChunkBytes)];
    }

    /**
     * Buffers of a thread.
     *
     * @param memory bytes that all SSTables may take together; they take more if it is not enough for the least
     * @param sstables number of those that are written at the same time, by all threads
     * @param partitions about how many all of them will have together
     * @throws IllegalArgumentException if the table's compression cannot be written
     * @throws IllegalStateException if the library for the table's compression is not on the class path
     */
    public static WriterBuffers of(SstableSchema schema, long memory, int sstables, long partitions) {
        // rows, and a quarter of that of the index
        long each = (memory / sstables - FIXED_BYTES - schema.compression().chunkBytes()) / 5 * 4;
        return new WriterBuffers(
                schema.compression(),
                (int) Math.max(MIN_DRAIN_BYTES, Math.min(MAX_DRAIN_BYTES, each)),
                sstables <= MAX_KEPT_OPEN,
                KeyFilter.bytes(partitions, schema.bloomFilterFpChance()) > memory / 2.0);
    }

    /** Estimate of the least that an SSTable takes while it is written. */
    public static long minBytes(SstableSchema schema) {
        return (long) FIXED_BYTES + schema.compression().chunkBytes() + MIN_DRAIN_BYTES;
    }

    /** How many bytes of rows are gathered, in addition to a chunk, before they are written. */
    int drainBytes() {
        return drainBytes;
    }

    /** Whether files stay open between writes. */
    boolean keepsFilesOpen() {
        return keepsFilesOpen;
    }

    /** Whether the filter of an SSTable is made of its index when it is complete, so that there is one at a time. */
    boolean filtersComeLast() {
        return filtersComeLast;
    }

    /** Null without compression. */
    @Nullable ChunkCompressor compressor() {
        return compressor;
    }

    /** The most that a chunk takes in {@link #packed}, with its checksum. */
    int maxChunkBytes() {
        return maxChunkBytes;
    }

    /** Room for compressed chunks, for the time of one call. */
    byte[] packed() {
        return packed;
    }

    @Override
    public void close() {
        if (compressor != null) {
            compressor.close();
        }
    }
}
