package io.overdrive.sstable.read;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A node of a trie in a file, such as Partitions.db: one at a time, read in place. The four upper bits of its first byte are its type, which
 * {@code TrieNode} in {@code org.apache.cassandra.io.tries} of Cassandra 5.0 describes:
 *
 * <pre>
 * 0      no child      payload bits (4)
 * 1, 3   one child     distance (4, 12), edge (8); no payload
 * 2, 4   one child     payload bits (4), edge (8), distance (8, 16)
 * 5-9    some          payload bits (4), count (8), edges (8 each), distances (8, 12, 16, 24, 40 each)
 * 10-15  a range       payload bits (4), first edge (8), count - 1 (8), distances (12, 16, 24, 32, 40, 64 each; 0 for no child)
 * </pre>
 *
 * A child is so many bytes before its parent. A payload follows the node, from the next whole byte on. No node is on two pages of the file.
 * What a damaged file has is an {@link IndexOutOfBoundsException}, or another node. Confined to one thread.
 */
final class TrieNode implements Closeable {
    private static final int PAGE_BYTES = 1 << 12;
    private static final int PAGES = 16;
    private static final int[] DISTANCE_BITS = {0, 4, 8, 12, 16, 8, 12, 16, 24, 40, 12, 16, 24, 32, 40, 64};
    private static final int SHORT_SINGLE = 1;
    private static final int LONG_SINGLE = 3;
    private static final int FIRST_OF_SOME = 5;
    private static final int FIRST_OF_RANGES = 10;

    private final FileChannel channel;
    private final long fileBytes;
    private final byte[][] pages = new byte[PAGES][];
    private final long[] numbers = new long[PAGES];

    private byte[] page = {};
    private long position;
    /** Where it is in the page. */
    private int at;

    private int type;
    private int children;
    /** The bit of the page at which the distance of the first child is. */
    private int distances;

    TrieNode(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.READ);
        fileBytes = channel.size();
        Arrays.fill(numbers, -1);
    }

    FileChannel channel() {
        return channel;
    }

    void go(long to) throws IOException {
        page = page(to / PAGE_BYTES);
        position = to;
        at = (int) (to % PAGE_BYTES);
        type = (page[at] & 0xFF) >>> 4;
        if (type == 0) {
            children = 0;
            distances = 8 * (at + 1);
        } else if (type < FIRST_OF_SOME) {
            children = 1;
            distances = 8 * at + (hasNoPayload() ? 4 : 16);
        } else if (type < FIRST_OF_RANGES) {
            children = page[at + 1] & 0xFF;
            distances = 8 * (at + 2 + children);
        } else {
            children = 1 + (page[at + 2] & 0xFF);
            distances = 8 * (at + 3);
        }
    }

    private byte[] page(long number) throws IOException {
        int slot = (int) (number % PAGES);
        if (numbers[slot] != number) {
            int bytes = (int) Math.max(0, Math.min(PAGE_BYTES, fileBytes - number * PAGE_BYTES));
            ByteBuffer rest = ByteBuffer.allocate(bytes);
            while (rest.hasRemaining()) {
                if (channel.read(rest, number * PAGE_BYTES + rest.position()) < 0) {
                    throw new EOFException("it was cut short while it was read");
                }
            }
            pages[slot] = rest.array();
            numbers[slot] = number;
        }
        return pages[slot];
    }

    private boolean hasNoPayload() {
        return type == SHORT_SINGLE || type == LONG_SINGLE;
    }

    /** The number of its children, counting those that a range lacks. */
    int children() {
        return children;
    }

    /** The byte that leads to a child; 256 or more in a damaged file. */
    int edge(int child) {
        if (type >= FIRST_OF_RANGES) {
            return (page[at + 1] & 0xFF) + child;
        }
        return page[at + (type >= FIRST_OF_SOME ? 2 + child : type == LONG_SINGLE ? 2 : 1)] & 0xFF;
    }

    /** Where a child is; or the node itself, if there is none. */
    long child(int child) {
        int bits = DISTANCE_BITS[type];
        int first = distances + child * bits;
        int last = first + bits - 1;
        long value = 0;
        for (int i = first >>> 3; i <= last >>> 3; i++) {
            value = value << 8 | page[i] & 0xFF;
        }
        long distance = value >>> 7 - (last & 7) & -1L >>> 64 - bits;
        return position - distance;
    }

    /** Zero for no payload. */
    int payloadBits() {
        return hasNoPayload() ? 0 : page[at] & 0xF;
    }

    /** A byte of the payload. */
    byte payload(int index) {
        return page[(distances + children * DISTANCE_BITS[type] + 7 >>> 3) + index];
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
