package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The blocks of one file. Used by one thread at a time. */
abstract class FileBlocks implements AutoCloseable {
    /** Memory of blocks that are no longer in use, for others. Thread-safe. */
    static final class Pool {
        private static final int MAX_BUFFERS = 64;

        private final int blockBytes;
        private final Queue<byte[]> buffers = new ArrayBlockingQueue<>(MAX_BUFFERS);

        /** @param blockBytes of a buffer; at most the maximum size of a record */
        Pool(int blockBytes) {
            this.blockBytes = blockBytes;
        }

        int blockBytes() {
            return blockBytes;
        }

        byte[] take() {
            byte[] free = buffers.poll();
            return free == null ? new byte[blockBytes] : free;
        }

        void recycle(Block block) {
            if (block.bytes.length == blockBytes) {
                buffers.offer(block.bytes);
            }
        }
    }

    /** Takes a file if it was read ahead; null otherwise. */
    @FunctionalInterface
    interface Content {
        @Nullable Closeable take() throws IOException;
    }

    final InputFile file;
    final InputFormat format;
    final RawBytes rawBytes;
    final long rawBytesBefore;
    /** Null before the file is open, and for pipes and standard input. */
    InputFile.@Nullable Version version;

    @Nullable FileHeader header;

    private @Nullable Closeable opened;
    /** The position of the first record after the blocks returned so far. */
    long position;

    boolean gaveBlock;
    boolean finished;
    private final boolean sample;
    private Content ahead = () -> null;

    FileBlocks(InputFile file, InputFormat format, RawBytes rawBytes, long firstPosition, boolean sample) {
        this.file = file;
        this.format = format.forFile(file);
        this.rawBytes = rawBytes;
        this.sample = sample;
        rawBytesBefore = rawBytes.count();
        position = firstPosition;
    }

    /** @param sample whether the file will be read again afterwards, even if it is a pipe */
    static FileBlocks of(
            InputFile file, InputFormat format, Pool pool, RawBytes rawBytes, long firstPosition, boolean sample) {
        return format.kindOf(file).isColumnar()
                ? new ColumnBlockReader(file, format, pool.blockBytes(), rawBytes, firstPosition, sample)
                : new BlockReader(file, format, pool, rawBytes, firstPosition, sample);
    }

    /**
     * The next block, or null at the end of the file. A file with only a header has one block without records, so that
     * its names are checked as well: the header may be a record of a file that has no header.
     *
     * @throws OverdriveException of kind INPUT if reading fails, the file is not complete, or it was changed since it was opened;
     *     everything read before has been returned
     */
    abstract @Nullable Block next();

    /** As {@link InputReader#restrict}. */
    void restrict(Function<FileHeader, BitSet> wanted) {}

    /** Opens the file by taking it from those that were read ahead. */
    final void readAhead(Content from) {
        ahead = from;
    }

    /** Bytes of the file as stored that the blocks returned so far have, about: the rest of what was read waits to be cut. */
    abstract long storedBytes();

    /** The uncompressed content of the file. */
    final InputStream openStream() throws IOException {
        version = file.version();
        InputStream stream = file.open((InputStream) ahead.take(), rawBytes, sample);
        opened = stream;
        return stream;
    }

    /** The file as stored, to read it in any order. */
    final FileChannel openChannel() throws IOException {
        version = file.version();
        FileChannel read = (FileChannel) ahead.take();
        FileChannel channel = read == null ? file.channel() : read;
        opened = channel;
        return channel;
    }

    /** {@inheritDoc} Never fails: an error on close does not affect the records read. */
    @Override
    public void close() {
        finished = true;
        Closeable open = opened;
        opened = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                // nothing was written, so nothing can be lost
            }
        }
    }
}
