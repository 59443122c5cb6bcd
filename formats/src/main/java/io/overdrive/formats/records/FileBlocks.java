package io.overdrive.formats.records;

import io.overdrive.OverdriveException;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The blocks of one file. Used by one thread at a time. */
interface FileBlocks extends AutoCloseable {
    /**
     * @param blockBytes at most the maximum size of a record
     * @param pool unused buffers of {@code blockBytes}; may be empty
     * @param sample whether the file will be read again afterwards, even if it is a pipe
     */
    static FileBlocks of(
            InputFile file,
            InputFormat format,
            int blockBytes,
            Queue<byte[]> pool,
            RawBytes rawBytes,
            long firstPosition,
            boolean sample) {
        return format.kindOf(file) == InputFormat.Kind.ARROW
                ? new ColumnBlockReader(file, format, blockBytes, rawBytes, firstPosition, sample)
                : new BlockReader(file, format, blockBytes, pool, rawBytes, firstPosition, sample);
    }

    /**
     * The next block, or null at the end of the file. A file with only a header has one block without records, so that
     * its names are checked as well: the header may be a record of a file that has no header.
     *
     * @throws OverdriveException of kind INPUT if reading fails, the file is not complete, or it was changed since it was opened;
     *     everything read before has been returned
     */
    @Nullable Block next();

    /** The version of the file being read; null before it is open, and for pipes and standard input. */
    InputFile.@Nullable Version version();

    /** The position of the first record after the blocks returned so far. */
    long nextPosition();

    /** Bytes of the file as stored that the blocks returned so far have, about: the rest of what was read waits to be cut. */
    long storedBytes();

    /** {@inheritDoc} Never fails: an error on close does not affect the records read. */
    @Override
    void close();
}
