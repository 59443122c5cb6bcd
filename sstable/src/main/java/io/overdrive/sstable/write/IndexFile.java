package io.overdrive.sstable.write;

import io.overdrive.internal.codec.Bytes;
import io.overdrive.sstable.format.Vints;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;

/**
 * The places of partitions in the file of the rows: Index.db, and Summary.db, which has every n-th entry of it. A partition of
 * several blocks also has the first and last clustering of each block. Confined to one thread; on the hot path.
 */
final class IndexFile implements Closeable {
    /** A block ends with the row that makes it this long; Cassandra's default. */
    static final int BLOCK_BYTES = 64 << 10;

    private static final int MIN_WRITE_BYTES = 1 << 12;
    private static final int READ_BYTES = 1 << 16;
    /** All entries of a summary are in it; Cassandra drops some when memory is short. */
    private static final int FULL_SAMPLING = 128;
    /** The kind of a bound: the clustering of a row. */
    private static final int CLUSTERING = 4;

    private final OutFile file;
    private final int interval;
    private final int writeBytes;
    private final Bytes out;
    private final Bytes samples = new Bytes(1 << 8);
    private int[] sampleStarts = new int[64];
    private int sampleCount;
    private long partitions;

    private final Bytes blocks = new Bytes(1 << 10);
    private int[] blockStarts = new int[16];
    private int blockCount;

    /** @param gatheredBytes how many bytes of rows are gathered before they are written; of the index, a quarter */
    IndexFile(OutFile file, int interval, int gatheredBytes) {
        this.file = file;
        this.interval = interval;
        writeBytes = Math.max(MIN_WRITE_BYTES, gatheredBytes / 4);
        out = new Bytes(writeBytes + writeBytes / 4);
    }

    /**
     * Ends a block of the partition.
     *
     * @param first clustering of the first row, as it is in the file of the rows
     * @param last array that has the clustering of the last row
     * @param position of the first row, from the start of the partition
     */
    void block(Bytes first, byte[] last, int lastFrom, int lastLength, long position, long length) {
        if (blockCount == blockStarts.length) {
            blockStarts = Arrays.copyOf(blockStarts, 2 * blockCount);
        }
        blockStarts[blockCount++] = blocks.length();
        blocks.putByte(CLUSTERING);
        blocks.put(first.array(), 0, first.length());
        blocks.putByte(CLUSTERING);
        blocks.put(last, lastFrom, lastLength);
        blocks.putUnsignedVint(position);
        blocks.putVint(length - BLOCK_BYTES);
        blocks.putByte(0); // no range of deleted rows is open
    }

    /** Whether a block of the partition has ended. */
    boolean hasBlocks() {
        return blockCount > 0;
    }

    /**
     * Ends a partition.
     *
     * @param position where it begins in the file of the rows
     * @param headerBytes its length without rows
     */
    void partition(byte[] key, int keyFrom, int keyLength, long position, long headerBytes) throws IOException {
        if (partitions++ % interval == 0) {
            sample(key, keyFrom, keyLength);
        }
        out.putShort(keyLength);
        out.put(key, keyFrom, keyLength);
        out.putUnsignedVint(position);
        if (blockCount <= 1) {
            out.putUnsignedVint(0);
        } else {
            int deletion = 12;
            out.putUnsignedVint((long) Vints.bytes(headerBytes)
                    + deletion
                    + Vints.bytes(blockCount)
                    + blocks.length()
                    + 4L * blockCount);
            out.putUnsignedVint(headerBytes);
            out.putInt(Integer.MAX_VALUE);
            out.putLong(Long.MIN_VALUE);
            out.putUnsignedVint(blockCount);
            out.put(blocks.array(), 0, blocks.length());
            for (int i = 0; i < blockCount; i++) {
                out.putInt(blockStarts[i]);
            }
        }
        blocks.clear();
        blockCount = 0;
        if (out.length() >= writeBytes) {
            write();
        }
    }

    private void sample(byte[] key, int from, int length) {
        if (samples.length() > Integer.MAX_VALUE - length - 16 - 4 * sampleCount) {
            return; // as the server does: keys beyond are found by reading on from the last sample
        }
        if (sampleCount == sampleStarts.length) {
            sampleStarts = Arrays.copyOf(sampleStarts, 2 * sampleCount);
        }
        sampleStarts[sampleCount++] = samples.length();
        samples.put(key, from, length);
        samples.putLong(Long.reverseBytes(file.length() + out.length()));
    }

    private void write() throws IOException {
        file.write(out.array(), 0, out.length());
        out.clear();
    }

    long partitions() {
        return partitions;
    }

    /** Writes the rest, and syncs. */
    void finish() throws IOException {
        write();
        file.sync();
    }

    /** Adds all keys of the finished file to a filter. */
    void addKeysTo(KeyFilter filter) throws IOException {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file.path()), READ_BYTES))) {
            byte[] key = new byte[0xFFFF];
            for (long i = 0; i < partitions; i++) {
                int length = in.readUnsignedShort();
                in.readFully(key, 0, length);
                filter.add(key, 0, length);
                Vints.read(in); // where the partition is
                in.skipNBytes(Vints.read(in)); // its blocks
            }
        }
    }

    /** The content of Summary.db. Numbers of samples are in the byte order of the machine, which is little-endian everywhere. */
    Bytes summary(byte[] firstKey, byte[] lastKey) {
        Bytes summary = new Bytes(64 + 4 * sampleCount + samples.length());
        summary.putInt(interval);
        summary.putInt(sampleCount);
        summary.putLong(4L * sampleCount + samples.length());
        summary.putInt(FULL_SAMPLING);
        summary.putInt(Math.toIntExact((partitions + interval - 1) / interval));
        for (int i = 0; i < sampleCount; i++) {
            summary.putInt(Integer.reverseBytes(4 * sampleCount + sampleStarts[i]));
        }
        summary.put(samples.array(), 0, samples.length());
        summary.putInt(firstKey.length);
        summary.put(firstKey);
        summary.putInt(lastKey.length);
        summary.put(lastKey);
        return summary;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
