package io.overdrive.formats.parquet;

import java.io.IOException;
import java.util.Arrays;

/**
 * Reads numbers of a few bits each: runs of the same number, and groups of eight numbers without gaps. Confined to one thread; on the
 * hot path.
 */
final class RunLengths {
    private static final int MAX_BITS = 32;

    private final byte[] bytes;
    private final int end;
    private final int bits;
    private int at;
    /** Numbers left of the current run or of its groups. */
    private int left;

    private boolean isPacked;
    private int value;
    private long bitAt;

    /** @param bytes with {@link Page#PADDING} bytes after the end */
    RunLengths(byte[] bytes, int from, int end, int bits) throws IOException {
        if (bits > MAX_BITS) {
            throw new IOException("numbers of " + bits + " bits");
        }
        this.bytes = bytes;
        this.at = from;
        this.end = end;
        this.bits = bits;
    }

    void read(int[] to, int offset, int count) throws IOException {
        int next = offset;
        int wanted = count;
        while (wanted > 0) {
            if (left == 0) {
                begin();
            }
            int some = Math.min(wanted, left);
            if (isPacked) {
                unpack(to, next, some);
            } else {
                Arrays.fill(to, next, next + some, value);
            }
            left -= some;
            next += some;
            wanted -= some;
        }
    }

    private void begin() throws IOException {
        int header = vint();
        int count = header >>> 1;
        isPacked = (header & 1) != 0;
        if (isPacked) {
            long packedBytes = Math.min((long) count * bits, end - at); // the last group may be cut short
            left = (int) Math.min(count * 8L, bits == 0 ? Integer.MAX_VALUE : packedBytes * 8 / bits);
            bitAt = at * 8L;
            at += (int) packedBytes;
        } else {
            int width = (bits + 7) / 8;
            if (end - at < width) {
                throw new IOException("it ends inside a run");
            }
            value = 0;
            for (int i = 0; i < width; i++) {
                value |= (bytes[at++] & 0xFF) << (8 * i);
            }
            left = count;
        }
        if (left == 0) {
            throw new IOException("it has an empty run");
        }
    }

    private int vint() throws IOException {
        int number = 0;
        for (int shift = 0; shift < 32; shift += 7) {
            if (at >= end) {
                throw new IOException("it has fewer values than it says");
            }
            byte next = bytes[at++];
            number |= (next & 0x7F) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new IOException("it has a length of too many bytes");
    }

    private void unpack(int[] to, int offset, int count) {
        long mask = (1L << bits) - 1;
        long bit = bitAt;
        for (int i = offset; i < offset + count; i++) {
            to[i] = (int) (Page.longAt(bytes, (int) (bit >>> 3)) >>> (bit & 7) & mask);
            bit += bits;
        }
        bitAt = bit;
    }
}
