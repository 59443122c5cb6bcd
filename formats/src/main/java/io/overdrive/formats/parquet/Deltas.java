package io.overdrive.formats.parquet;

import java.io.IOException;

/**
 * Reads integers as differences: a first one, and then blocks of small blocks of differences, each with its own number of bits.
 * Confined to one thread; on the hot path.
 */
final class Deltas {
    private static final int MAX_BLOCK = 1 << 20;
    private static final int PART = 32;

    private final byte[] bytes;
    private final int end;
    private final int perMini;
    private final int minis;
    /** Numbers in all. */
    final int count;

    private int at;
    private int left;
    private boolean first = true;
    private long value;
    private long minDelta;
    private int widthsAt;
    private int mini;
    private int leftOfMini;
    private int bits;
    private long bitAt;

    Deltas(byte[] bytes, int from, int end, int maxCount) throws IOException {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
        long block = vint();
        long number = vint();
        long total = vint();
        value = zigzag(vint());
        if (block <= 0 || block > MAX_BLOCK || number <= 0 || number > block || block / number % PART != 0) {
            throw new IOException("its differences are in blocks of " + block + " in " + number + " parts");
        }
        if (total < 0 || total > maxCount) {
            throw new IOException("it has " + total + " differences for " + maxCount + " values");
        }
        minis = (int) number;
        perMini = (int) (block / number);
        count = (int) total;
        left = count;
        mini = minis;
    }

    private long vint() throws IOException {
        long number = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (at >= end) {
                throw new IOException("it ends inside a number");
            }
            byte next = bytes[at++];
            number |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new IOException("it has a number of too many bytes");
    }

    private static long zigzag(long number) {
        return number >>> 1 ^ -(number & 1);
    }

    long next() throws IOException {
        if (left == 0) {
            throw new IOException("it has fewer values than it says");
        }
        left--;
        if (first) {
            first = false;
            return value;
        }
        if (leftOfMini == 0) {
            beginMini();
        }
        leftOfMini--;
        if (bits > 0) {
            long part = Page.longAt(bytes, (int) (bitAt >>> 3)) >>> (bitAt & 7);
            int have = Long.SIZE - (int) (bitAt & 7);
            if (have < bits) {
                part |= (long) bytes[(int) (bitAt >>> 3) + Long.BYTES] << have;
            }
            value += bits == Long.SIZE ? part : part & (1L << bits) - 1;
            bitAt += bits;
        }
        value += minDelta;
        return value;
    }

    private void beginMini() throws IOException {
        if (mini == minis) {
            minDelta = zigzag(vint());
            widthsAt = at;
            at += minis;
            mini = 0;
            if (at > end) {
                throw new IOException("it ends inside a block");
            }
        }
        bits = bytes[widthsAt + mini++] & 0xFF;
        int size = bits * (perMini / 8);
        if (bits > Long.SIZE || size > end - at) {
            throw new IOException("it ends inside differences of " + bits + " bits");
        }
        bitAt = at * 8L;
        at += size;
        leftOfMini = perMini;
    }

    /** Reads all of them as lengths. */
    int[] lengths() throws IOException {
        int[] lengths = new int[count];
        for (int i = 0; i < count; i++) {
            long length = next();
            if (length < 0 || length > end) {
                throw new IOException("it has a value of " + length + " bytes");
            }
            lengths[i] = (int) length;
        }
        return lengths;
    }

    /** Where the bytes after the numbers begin, once all were read. */
    int endOfAll() {
        return at;
    }
}
