package io.overdrive.formats.records;

import io.overdrive.formats.columns.ColumnBatch;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a file that starts and ends between records, so that any thread can parse it independently. Must not be
 * used after it was returned by {@link InputReader#recycle}.
 */
public final class Block {
    private static final byte[] NOTHING = {};

    final byte[] bytes;
    final int length;
    final boolean inArray;
    /** Records that are malformed because a quoted field has too many lines, in order. */
    final List<CsvScanner.Overlong> overlong;

    private final FileHeader header;
    private final long line;
    private final long position;
    private final long endPosition;
    /** The rows of a columnar file; null for others. */
    final @Nullable ColumnBatch batch;
    /** The first of its rows that belong to this block. */
    final int firstRow;

    /**
     * Some rows of a batch of a columnar file.
     *
     * @param length the share of the batch's memory
     */
    Block(FileHeader header, ColumnBatch batch, int firstRow, int rows, int length, long position) {
        this.header = header;
        this.bytes = NOTHING;
        this.length = length;
        this.inArray = false;
        this.overlong = List.of();
        this.line = batch.number();
        this.position = position;
        this.endPosition = position + rows;
        this.batch = batch;
        this.firstRow = firstRow;
    }

    Block(
            FileHeader header,
            byte[] bytes,
            int length,
            boolean inArray,
            List<CsvScanner.Overlong> overlong,
            long line,
            long position,
            long endPosition) {
        this.header = header;
        this.bytes = bytes;
        this.length = length;
        this.inArray = inArray;
        this.overlong = overlong;
        this.line = line;
        this.position = position;
        this.endPosition = endPosition;
        this.batch = null;
        this.firstRow = 0;
    }

    public FileHeader header() {
        return header;
    }

    /** Size in bytes, uncompressed. */
    public int length() {
        return length;
    }

    /** The number of the block's first line in the file, or of its batch, from 1. */
    public long line() {
        return line;
    }

    /** The position of the block's first record in the whole input; later records count up from here. */
    public long position() {
        return position;
    }

    /** Greater than the position of each record of the block; where the next block starts. */
    public long endPosition() {
        return endPosition;
    }
}
