package io.overdrive.sstable.read;

import io.overdrive.internal.ring.Murmur3;
import io.overdrive.sstable.format.FileHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where partitions begin, as Index.db or Partitions.db has them: some places in memory, never more than a maximum, and the others by
 * reading the file. An index has no checksum, so who uses a place compares the partition that is there. Thread-safe, as it does not change once it is open.
 */
final class SstableIndex {
    static final int MAX_PLACES = 1 << 14;
    /** Minimum bytes of rows between two places. */
    private static final int MIN_DISTANCE = 1 << 18;

    private static final int BUFFER_BYTES = 1 << 16;
    /** Read at once on the way to the next place. */
    private static final int SEEK_BUFFER_BYTES = 1 << 14;

    private final Path data;
    private final boolean isTrie;
    private final long dataBytes;
    private long distance = MIN_DISTANCE;
    /** The number of places. */
    private int count;

    private long[] tokens = new long[64];
    private long[] positions = new long[64];
    /** Where a reader finds them. */
    private long[] entries = new long[64];

    private long partitions;
    private long lastToken;

    /**
     * A partition, as the index has it: with its token, or with the first bytes of it.
     *
     * @param minToken the least that its token can be
     * @param maxToken the greatest that its token can be
     * @param hash the last byte of the second half of its key's hash; negative if the index does not have it
     * @param position where it begins in the rows, before compression
     */
    record Place(long minToken, long maxToken, int hash, long position) {
        static Place of(long token, long position) {
            return new Place(token, token, /* hash */ -1, position);
        }

        /** Whether it can be the partition of a key. */
        boolean fits(long token, byte[] key, int keyLength) {
            return minToken <= token
                    && token <= maxToken
                    && (hash < 0 || hash == (Murmur3.secondHalf(key, 0, keyLength) & 0xFF));
        }
    }

    /**
     * Two partitions next to each other.
     *
     * @param last with at most a certain token; null if none has
     * @param next the first that may have a greater token; null if none may
     */
    record Neighbours(@Nullable Place last, @Nullable Place next) {}

    private SstableIndex(Path data, boolean isTrie, long dataBytes) {
        this.data = data;
        this.isTrie = isTrie;
        this.dataBytes = dataBytes;
    }

    /**
     * Reads the index from its start to its end.
     *
     * @param data the file that ends in {@code -Data.db}
     * @param isTrie whether the format is BTI
     * @param maxPlaces maximum of places in memory, at least 2
     */
    static SstableIndex open(Path data, boolean isTrie, long dataBytes, int maxPlaces)
            throws IOException, FileHeader.Problem {
        SstableIndex index = new SstableIndex(data, isTrie, dataBytes);
        try (IndexEntries reader = index.read(BUFFER_BYTES)) {
            long last = -1;
            while (reader.next()) {
                if (reader.position() <= last || reader.position() >= dataBytes) {
                    throw index.damaged();
                }
                last = reader.position();
                index.add(reader, maxPlaces);
            }
            index.lastToken = reader.minToken();
        }
        if (index.count == 0) {
            throw index.damaged();
        }
        return index;
    }

    private IndexEntries read(int bufferBytes) throws IOException, FileHeader.Problem {
        return isTrie ? new TrieEntries(data) : new IndexFileEntries(data, bufferBytes);
    }

    private void add(IndexEntries reader, int maxPlaces) throws FileHeader.Problem {
        if (partitions++ == 0 && reader.position() != 0) {
            throw damaged();
        }
        if (count > 0 && reader.position() - positions[count - 1] < distance) {
            return;
        }
        long token = reader.minToken();
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

    private void add(long token, IndexEntries reader) {
        tokens[count] = token;
        positions[count] = reader.position();
        entries[count++] = reader.entry();
    }

    private void everySecond(long[] values) {
        for (int i = 1; 2 * i < count; i++) {
            values[i] = values[2 * i];
        }
    }

    /** The file that has it. */
    String name() {
        return isTrie ? TrieEntries.FILE : IndexFileEntries.FILE;
    }

    FileHeader.Problem damaged() {
        return damaged(name());
    }

    static FileHeader.Problem damaged(String name) {
        return new FileHeader.Problem(
                "its " + name + " is damaged or cut short, or of another SSTable; " + FileHeader.OTHER_COPY);
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
        for (int place = placesUpTo(token) - 1; place >= 0; place--) {
            Neighbours found = neighbours(token, entries[place]);
            if (found.last != null) {
                return found;
            }
        }
        return new Neighbours(null, Place.of(tokens[0], positions[0]));
    }

    private Neighbours neighbours(long token, long entry) throws IOException, FileHeader.Problem {
        Place last = null;
        try (IndexEntries reader = read(SEEK_BUFFER_BYTES)) {
            reader.seek(entry);
            while (reader.next()) {
                Place place = reader.place();
                if (place.maxToken > token) {
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
}
