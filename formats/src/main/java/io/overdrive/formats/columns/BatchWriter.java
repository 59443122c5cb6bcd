package io.overdrive.formats.columns;

import io.overdrive.internal.codec.Bytes;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes batches of columns in a columnar format. Confined to one thread, except for {@link #end}; on the hot path. */
public interface BatchWriter {
    /** Writes the beginning of a file or a stream. */
    void head(Bytes out);

    /**
     * Writes a batch, or keeps it, packed, to write it with others.
     *
     * @param maxKeptBytes memory for batches that are kept
     */
    void batch(List<Column> columns, int rows, int maxKeptBytes, Bytes out);

    /** Writes the batches that were kept. */
    default void complete(Bytes out) {}

    /**
     * Writes the end of a file or a stream. For any thread.
     *
     * @param file the file so far, which is read: parts of it may have been written by others, and by earlier runs; null for a stream
     * @param length of what was written to the file
     */
    void end(@Nullable FileChannel file, long length, Bytes out) throws IOException;
}
