package io.overdrive.formats.records;

import java.util.List;

/**
 * A piece of a file that starts and ends between records, so that any thread can parse it independently. Must not be
 * used after it was returned by {@link InputReader#recycle}.
 */
public final class Block {
    final byte[] bytes;
    final int length;
    final boolean inArray;
    /** Records that are malformed because a quoted field has too many lines, in order. */
    final List<CsvScanner.Overlong> overlong;

    private final FileHeader header;
    private final long line;
    private final long position;
    private final long endPosition;

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
    }

    public FileHeader header() {
        return header;
    }

    /** Size in bytes, uncompressed. */
    public int length() {
        return length;
    }

    /** The number of the block's first line in the file, from 1. */
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
