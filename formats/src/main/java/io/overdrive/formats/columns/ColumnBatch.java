package io.overdrive.formats.columns;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Some rows of a file, as columns. Thread-safe by its lock: the first thread that wants the columns decodes them. */
public final class ColumnBatch {
    private final int number;
    private final int rows;
    private final long bytes;
    private final Supplier<List<Column>> decoder;

    /** Guarded by this. */
    private @Nullable List<Column> columns;

    /**
     * @param number in its file, from 1
     * @param bytes its size in memory, about
     * @param decoder makes the columns, and fails with an OverdriveException if they are damaged
     */
    public ColumnBatch(int number, int rows, long bytes, Supplier<List<Column>> decoder) {
        this.number = number;
        this.rows = rows;
        this.bytes = bytes;
        this.decoder = decoder;
    }

    public int number() {
        return number;
    }

    public int rows() {
        return rows;
    }

    public long bytes() {
        return bytes;
    }

    public synchronized List<Column> columns() {
        List<Column> known = columns;
        if (known == null) {
            known = List.copyOf(decoder.get());
            columns = known;
        }
        return known;
    }
}
