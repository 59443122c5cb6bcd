package io.overdrive.jobs.sort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * Tokens and offsets of some entries of a sorted file, by which a range of tokens is found. Each block of 512 marks is in the file itself,
 * between two entries; the memory has 24 bytes of a block, and the marks after the last one. Confined to one thread while the file is
 * written, then immutable.
 */
final class SpillMarks {
    private static final int MARKS_A_BLOCK = 512;
    private static final int BYTES_A_MARK = 2 * Long.BYTES;
    /** The negative length where an entry would have its size, and the marks. */
    static final int BLOCK_BYTES = Integer.BYTES + MARKS_A_BLOCK * BYTES_A_MARK;

    private final int distance;
    private int blocks;
    /** Tokens of the first marks of blocks; their offsets and those of the blocks follow. */
    private long[] blockTokens = {};

    private long[] blockOffsets = {};
    private long[] blockPlaces = {};
    private int last;
    /** The marks of no block: token, offset, token, offset, ... */
    private long[] lastMarks = new long[16];

    /** @param distance bytes between two marks, at least */
    SpillMarks(int distance) {
        this.distance = distance;
    }

    /** Whether the entry at this offset should be marked. */
    boolean isDue(long offset) {
        return last == 0 || offset - lastMarks[2 * last - 1] >= distance;
    }

    /** Whether a block has to be written before another mark. */
    boolean isBlockFull() {
        return last == MARKS_A_BLOCK;
    }

    /** The block that begins at this offset of the file. */
    ByteBuffer block(long offset) {
        if (blocks == blockTokens.length) {
            int length = Math.max(4, 2 * blocks);
            blockTokens = Arrays.copyOf(blockTokens, length);
            blockOffsets = Arrays.copyOf(blockOffsets, length);
            blockPlaces = Arrays.copyOf(blockPlaces, length);
        }
        blockTokens[blocks] = lastMarks[0];
        blockOffsets[blocks] = lastMarks[1];
        blockPlaces[blocks++] = offset;
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).putInt(-BLOCK_BYTES);
        block.asLongBuffer().put(lastMarks, 0, 2 * last);
        last = 0;
        return block.rewind();
    }

    /** Marks an entry, which follows the entries that were marked before. */
    void add(long token, long offset) {
        if (2 * last == lastMarks.length) {
            lastMarks = Arrays.copyOf(lastMarks, 4 * last);
        }
        lastMarks[2 * last] = token;
        lastMarks[2 * last++ + 1] = offset;
    }

    /** The offset from which on all entries with greater tokens are. */
    long from(long token, FileChannel file) throws IOException {
        if (startsUpTo(token)) {
            return lastMarks[2 * upTo(lastMarks, last, token) - 1];
        }
        int block = blocksUpTo(token) - 1;
        if (block < 0) {
            return 0;
        }
        long[] marks = marks(block, file);
        return marks[2 * upTo(marks, MARKS_A_BLOCK, token) - 1];
    }

    /** The offset before which all entries with at most this token are. */
    long to(long token, FileChannel file, long length) throws IOException {
        if (startsUpTo(token)) {
            int next = upTo(lastMarks, last, token);
            return next == last ? length : lastMarks[2 * next + 1];
        }
        int block = blocksUpTo(token) - 1;
        if (block >= 0) {
            long[] marks = marks(block, file);
            int next = upTo(marks, MARKS_A_BLOCK, token);
            if (next < MARKS_A_BLOCK) {
                return marks[2 * next + 1];
            }
        }
        if (block + 1 < blocks) {
            return blockOffsets[block + 1];
        }
        return last == 0 ? length : lastMarks[1];
    }

    /** Whether the marks of no block begin with at most this token. */
    private boolean startsUpTo(long token) {
        return last > 0 && lastMarks[0] <= token;
    }

    private int blocksUpTo(long token) {
        int low = 0;
        int high = blocks;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (blockTokens[middle] <= token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The number of marks with at most this token. */
    private static int upTo(long[] marks, int count, long token) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (marks[2 * middle] <= token) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private long[] marks(int block, FileChannel file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES);
        while (bytes.hasRemaining()) {
            if (file.read(bytes, blockPlaces[block] + bytes.position()) <= 0) {
                throw new IOException("the file was truncated");
            }
        }
        long[] marks = new long[2 * MARKS_A_BLOCK];
        bytes.flip().position(Integer.BYTES).asLongBuffer().get(marks);
        return marks;
    }
}
