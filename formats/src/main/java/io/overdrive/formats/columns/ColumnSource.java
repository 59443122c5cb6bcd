package io.overdrive.formats.columns;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a columnar file. Used by one thread at a time. */
public interface ColumnSource {
    List<ColumnType> columns();

    /**
     * Leaves out columns from the next batch on, if the file has them apart from each other: they then have no values.
     *
     * @param wanted numbers of the others; the columns that are wanted never become more
     */
    default void restrict(BitSet wanted) {}

    /**
     * Skips at most that many rows without reading them, before the next batch.
     *
     * @return how many; fewer, or none, if the file has them together with others
     */
    default long skip(long rows) throws IOException {
        return 0;
    }

    /**
     * The next batch, or null after the last one.
     *
     * @throws IOException if the file is truncated or damaged; its message continues a sentence
     */
    @Nullable ColumnBatch next() throws IOException;
}
