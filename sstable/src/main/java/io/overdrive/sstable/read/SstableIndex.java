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
 * Where partitions begin, as Index.db has them: some places in memory, never more than a maximum, and the others by reading the file.
 * An index has no checksum, so who uses a place compares the partition that is there. Thread-safe, as it does not change once it is open.
 */
final class SstableIndex {
    static final int MAX_PLACES = 1 << 14;
    /** Minimum bytes of rows between two places. */
    private static final int MIN_DISTANCE = 1 << 18;

    private static final int BUFFER_BYTES = 1 << 16;
    /** Read at once on the way to the next place. */
    private static final int SEEK_BUFFER_BYTES = 1 << 14;

    private final Path file;
    private final long dataBytes;
    private long distance = MIN_DISTANCE;
    /** The number of places. */
    private int count;

    private long[] tokens = new long[64];
    private long[] positions = new long[64];
    /** Where their entries begin in Index.db. */
    private long[] entries = new long[64];

    private long partitions;
    private long lastToken;

    /**
     * A partition.
     *
     * @param position where it begins in the rows, before compression
     */
    record Place(long token, long position) {}

    /**
     * Two partitions next to each other.
     *
     * @param last with at most a certain token; null if none has
     * @param next with a greater token; null if none has
     */
    record Neighbours(@Nullable Place last, @Nullable Place next) {}

    private SstableIndex(Path file, long dataBytes) {
        this.file = file;
        this.dataBytes = dataBytes;
    }

    /**
     * Reads the index from its start to its end.
     *
     * @param maxPlaces maximum of places in memory, at least 2
     */
    static SstableIndex open(Path file, long dataBytes, int maxPlaces) throws IOException, FileHeader.Problem {
        SstableIndex index = new SstableIndex(file, dataBytes);
        try (Reader reader = index.new Reader(0, BUFFER_BYTES)) {
            while (reader.next()) {
                index.add(reader, maxPlaces);
            }
            index.lastToken = reader.token();
        }
        if (index.count == 0) {
            throw damaged();
        }
        return index;
    }

    private void add(Reader reader, int maxPlaces) throws FileHeader.Problem {
        if (partitions++ == 0 && reader.position != 0) {
            throw damaged();
        }
        if (count > 0 && reader.position - positions[count - 1] < distance) {
            return;
        }
        long token = reader.token();
        if (count > 0 && token < tokens[count - 1]) {
            throw damaged();
        }
        if (count == maxPlaces) {
            everySecond(tokens);
            everySecond(positions);
            everySecond(entries);
            count = (count + 1) / 2;
            distance *= 2;
            add(token, reader); // it may be closer than the distance, as the last place has perhaps gone
            return;
        }
        if (count == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * count);
            positions = Arrays.copyOf(positions, 2 * count);
            entries = Arrays.copyOf(entries, 2 * count);
        }
        add(token, reader);
    }

    private void add(long token, Reader reader) {
        tokens[count] = token;
        positions[count] = reader.position;
        entries[count++] = reader.entry;
    }

    private void everySecond(long[] values) {
        for (int i = 1; 2 * i < count; i++) {
            values[i] = values[2 * i];
        }
    }

    static FileHeader.Problem damaged() {
        return new FileHeader.Problem(
                "its Index.db is damaged or cut short, or of another SSTable; " + FileHeader.OTHER_COPY);
    }

    /** The number of all partitions, at least 1. */
    long partitions() {
        return partitions;
    }

    /** Token of the first partition. */
    long firstToken() {
        return tokens[0];
    }

    /** Token of the last partition. */
    long lastToken() {
        return lastToken;
    }

    /** A position not after the first partition with a greater token. */
    long startAfter(long token) {
        return positions[Math.max(0, placesUpTo(token) - 1)];
    }

    /** A position not before the end of the partitions up to a token. */
    long endUpTo(long token) {
        int next = placesUpTo(token);
        return next == count ? dataBytes : positions[next];
    }

    /** The partitions before and behind the place of a token, by reading the index. */
    Neighbours neighbours(long token) throws IOException, FileHeader.Problem {
        int from = placesUpTo(token) - 1;
        if (from < 0) {
            return new Neighbours(null, new Place(tokens[0], positions[0]));
        }
        Place last = new Place(tokens[from], positions[from]);
        try (Reader reader = new Reader(entries[from], SEEK_BUFFER_BYTES)) {
            while (reader.next()) {
                Place place = new Place(reader.token(), reader.position);
                if (place.token > token) {
                    return new Neighbours(last, place);
                }
                last = place;
            }
        }
        return new Neighbours(last, null);
    }

    /** The number of places with at most this token. */
    private int placesUpTo(long token) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (tokens[middle] > token) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Entries of Index.db in sequence. */
    private final class Reader implements AutoCloseable {
        private final FileChannel channel;
        private final DataInputStream in;
        private byte[] key = new byte[64];
        private int keyBytes;
        private long entry;
        private long nextEntry;
        private long position = -1;

        Reader(long entry, int bufferBytes) throws IOException {
            nextEntry = entry;
            channel = FileChannel.open(file, StandardOpenOption.READ);
            channel.position(entry);
            in = new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel), bufferBytes));
        }

        boolean next() throws IOException, FileHeader.Problem {
            int first = in.read();
            if (first < 0) {
                return false;
            }
            try {
                keyBytes = first << 8 | in.readUnsignedByte();
                if (key.length < keyBytes) {
                    key = new byte[2 * keyBytes];
                }
                in.readFully(key, 0, keyBytes);
                long last = position;
                position = Vints.read(in);
                long promoted = Vints.read(in);
                in.skipNBytes(promoted);
                if (position <= last || position >= dataBytes) {
                    throw damaged();
                }
                entry = nextEntry;
                nextEntry += Short.BYTES + keyBytes + Vints.bytes(position) + Vints.bytes(promoted) + promoted;
                return true;
            } catch (EOFException e) {
                throw damaged();
            }
        }

        /** Token of the key. */
        long token() {
            return Murmur3.token(key, 0, keyBytes);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
