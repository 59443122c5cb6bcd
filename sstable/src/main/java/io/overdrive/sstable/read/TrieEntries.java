package io.overdrive.sstable.read;

import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.FileHeader;
import io.overdrive.sstable.format.Vints;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of an SSTable of the format BTI: Partitions.db is a trie of the tokens and keys in which a path ends where no other
 * partition begins like it, so that of most tokens it has the first bytes only. Confined to one thread.
 *
 * <p>{@code PartitionIndex} and {@code BtiFormat.md} in {@code org.apache.cassandra.io.sstable.format.bti} of Cassandra 5.0 describe the file:
 * nodes, then the first and the last key, each with its length in two bytes, and then in eight bytes each where these begin, the
 * number of keys, and where the root is. A path begins with {@code 0x40} and the token, whose sign is inverted. The payload of a leaf is, if the first of
 * its bits is set, a byte of the hash of the key, and then a signed number of as many bytes as the other bits say: if it is negative, its
 * complement is where the partition begins in the rows; otherwise it is the place in Rows.db that has the key, with its length in two
 * bytes, and where the partition begins.
 */
final class TrieEntries implements IndexEntries {
    static final String FILE = "Partitions.db";
    private static final String ROWS_FILE = "Rows.db";
    private static final int FOOTER_BYTES = 24;
    private static final int BEFORE_TOKEN = 0x40;
    /** Bytes of a path up to the end of the token. */
    private static final int TOKEN_END = 9;
    /** More than a path of the longest key can have, whose bytes may need two each. */
    private static final int MAX_DEPTH = 1 << 18;

    private static final int HAS_HASH = 8;
    static final int NO_HASH = -1;
    private static final int ROWS_BUFFER_BYTES = 512;

    private final Path data;
    private final TrieNode node;
    private @Nullable FileChannel rows;
    private long firstToken;
    private long lastToken;

    /** The nodes from the root to the leaf, and which child of each follows. */
    private long[] path = new long[16];

    private int[] children = new int[16];
    /** The bytes that lead to the leaf, up to the end of the token. */
    private final byte[] edges = new byte[TOKEN_END];

    /** The number of nodes above the leaf. */
    private int depth;

    /** Whether the partition at the end of the path is the next one; the path may be incomplete. */
    private boolean isBefore = true;

    private long position;
    private long minToken;
    private long maxToken;
    private int hash;

    /** @param data the file that ends in {@code -Data.db} */
    TrieEntries(Path data) throws IOException, FileHeader.Problem {
        this.data = data;
        node = new TrieNode(SstableFile.component(data, FILE));
        boolean isOpen = false;
        try {
            readFooter(node.channel());
            isOpen = true;
        } catch (EOFException e) {
            throw damaged();
        } finally {
            if (!isOpen) {
                node.close();
            }
        }
    }

    private void readFooter(FileChannel channel) throws IOException, FileHeader.Problem {
        long footer = channel.size() - FOOTER_BYTES;
        if (footer < 0) {
            throw damaged();
        }
        DataInputStream in = input(channel, footer);
        long keys = in.readLong();
        in.readLong(); // the number of keys, which Statistics.db has with a checksum
        path[0] = in.readLong();
        if (keys < 0 || keys > footer || path[0] < 0 || path[0] >= keys) {
            throw damaged();
        }
        in = input(channel, keys);
        byte[] first = key(in);
        byte[] last = key(in);
        if (keys + Short.BYTES + first.length + Short.BYTES + last.length != footer) {
            throw damaged();
        }
        firstToken = Murmur3.token(first, 0, first.length);
        lastToken = Murmur3.token(last, 0, last.length);
    }

    private static DataInputStream input(FileChannel channel, long from) throws IOException {
        return new DataInputStream(
                new BufferedInputStream(Channels.newInputStream(channel.position(from)), ROWS_BUFFER_BYTES));
    }

    private static byte[] key(DataInputStream in) throws IOException {
        byte[] key = new byte[in.readUnsignedShort()];
        in.readFully(key);
        return key;
    }

    private FileHeader.Problem damaged() {
        return SstableIndex.damaged(FILE);
    }

    @Override
    public void seek(long token) throws IOException, FileHeader.Problem {
        try {
            node.go(path[0]);
            while (node.children() > 0) {
                int child = 0;
                if (depth < TOKEN_END) {
                    int edge = depth == 0 ? BEFORE_TOKEN : tokenByte(token, depth - 1);
                    while (node.edge(child) != edge && child < node.children()) {
                        child++;
                    }
                }
                descend(child);
            }
        } catch (IndexOutOfBoundsException e) {
            throw damaged();
        }
    }

    private static int tokenByte(long token, int index) {
        return (int) ((token ^ Long.MIN_VALUE) >>> 56 - 8 * index) & 0xFF;
    }

    @Override
    public boolean next() throws IOException, FileHeader.Problem {
        try {
            if (!isBefore && !toNextBranch()) {
                return false;
            }
            isBefore = false;
            node.go(path[depth]);
            while (node.children() > 0) {
                descend(0);
            }
            readLeaf();
            return true;
        } catch (IndexOutOfBoundsException e) {
            throw damaged();
        }
    }

    private boolean toNextBranch() throws IOException, FileHeader.Problem {
        while (depth > 0) {
            depth--;
            node.go(path[depth]);
            int last = children[depth];
            for (int child = last + 1; child < node.children(); child++) {
                if (node.child(child) != path[depth]) {
                    if (node.edge(child) <= node.edge(last)) {
                        throw damaged();
                    }
                    descend(child);
                    return true;
                }
            }
        }
        return false;
    }

    private void descend(int child) throws IOException, FileHeader.Problem {
        long to = node.child(child);
        int edge = node.edge(child);
        if (child >= node.children() || node.payloadBits() != 0 || edge > 0xFF || to < 0 || to >= path[depth]) {
            throw damaged();
        }
        children[depth] = child;
        if (depth < TOKEN_END) {
            edges[depth] = (byte) edge;
        }
        if (++depth == path.length) {
            if (depth > MAX_DEPTH) {
                throw damaged();
            }
            path = Arrays.copyOf(path, 2 * depth);
            children = Arrays.copyOf(children, 2 * depth);
        }
        path[depth] = to;
        node.go(to);
    }

    private void readLeaf() throws IOException, FileHeader.Problem {
        int bits = node.payloadBits();
        boolean hasHash = (bits & HAS_HASH) != 0;
        int first = hasHash ? 1 : 0;
        int bytes = hasHash ? bits - HAS_HASH + 1 : bits;
        if (bytes == 0) {
            throw damaged();
        }
        hash = hasHash ? node.payload(0) & 0xFF : NO_HASH;
        long value = node.payload(first);
        for (int i = 1; i < bytes; i++) {
            value = value << 8 | node.payload(first + i) & 0xFF;
        }
        readTokens();
        position = value < 0 ? ~value : positionInRows(value);
        if (position == 0) {
            narrow(firstToken);
        }
        if (isLast()) {
            narrow(lastToken);
        }
    }

    /** The tokens that begin like the path. */
    private void readTokens() throws FileHeader.Problem {
        if (depth > 0 && edges[0] != BEFORE_TOKEN) {
            throw damaged();
        }
        minToken = Long.MIN_VALUE;
        maxToken = Long.MAX_VALUE;
        for (int i = 1; i < Math.min(depth, TOKEN_END); i++) {
            int shift = Long.SIZE - 8 * i;
            long bits = (edges[i] & 0xFFL) << shift;
            minToken ^= bits;
            maxToken ^= 0xFFL << shift ^ bits;
        }
    }

    private void narrow(long token) throws FileHeader.Problem {
        if (token < minToken || token > maxToken) {
            throw damaged();
        }
        minToken = token;
        maxToken = token;
    }

    private boolean isLast() throws IOException {
        for (int i = depth - 1; i >= 0; i--) {
            node.go(path[i]);
            if (children[i] + 1 < node.children()) {
                return false;
            }
        }
        return true;
    }

    private long positionInRows(long at) throws IOException, FileHeader.Problem {
        FileChannel channel = rows;
        if (channel == null) {
            channel = FileChannel.open(SstableFile.component(data, ROWS_FILE), StandardOpenOption.READ);
            rows = channel;
        }
        if (at >= channel.size()) {
            throw SstableIndex.damaged(ROWS_FILE);
        }
        try {
            DataInputStream in = input(channel, at);
            byte[] key = key(in);
            narrow(Murmur3.token(key, 0, key.length));
            return Vints.read(in);
        } catch (EOFException e) {
            throw SstableIndex.damaged(ROWS_FILE);
        }
    }

    @Override
    public long entry() {
        return minToken;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public long minToken() {
        return minToken;
    }

    @Override
    public SstableIndex.Place place() {
        return new SstableIndex.Place(minToken, maxToken, hash, position);
    }

    @Override
    public void close() throws IOException {
        try (FileChannel last = rows) {
            node.close();
        }
    }
}
