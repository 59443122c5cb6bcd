package io.overdrive.formats.columns;

import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a columnar file. Used by one thread at a time. */
public interface ColumnSource {
    List<ColumnType> columns();

    /**
     * The next batch, or null after the last one.
     *
     * @throws IOException if the file is truncated or damaged; its message continues a sentence
     */
    @Nullable ColumnBatch next() throws IOException;
}
