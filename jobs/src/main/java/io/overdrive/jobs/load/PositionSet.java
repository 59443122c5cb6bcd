package io.overdrive.jobs.load;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.roaringbitmap.BitSetUtil;
import org.roaringbitmap.IntConsumer;
import org.roaringbitmap.RoaringBitmap;

/**
 * A set of positions: a {@link RoaringBitmap} for each 2<sup>32</sup> of them. Sets are united, and written, by pages of 65,536
 * positions, so that a position costs next to nothing. Confined to one thread at a time.
 */
final class PositionSet {
    /** Positions of a page: a container of the library. */
    static final int PAGE = 1 << 16;

    private static final int PART_BITS = 32;
    private static final long PART = 1L << PART_BITS;
    /** Positions of a piece: at most 2 MiB. */
    private static final long PIECE = 1 << 24;

    /** Bitmaps by the high bits of their positions. */
    private final NavigableMap<Integer, RoaringBitmap> parts = new TreeMap<>();

    private RoaringBitmap part(long position) {
        return parts.computeIfAbsent((int) (position >>> PART_BITS), high -> new RoaringBitmap());
    }

    void add(long position) {
        part(position).add((int) position);
    }

    /**
     * Adds positions of one page.
     *
     * @param first position of the page
     * @param bits a bit for each position
     */
    void addPage(long first, long[] bits) {
        part(first).or(RoaringBitmap.addOffset(BitSetUtil.bitmapOf(bits), first & PART - 1));
    }

    void addAll(PositionSet others) {
        others.parts.forEach((high, part) -> {
            RoaringBitmap mine = parts.get(high);
            if (mine == null) {
                parts.put(high, part.clone());
            } else {
                mine.or(part);
            }
        });
    }

    long count() {
        return parts.values().stream()
                .mapToLong(RoaringBitmap::getLongCardinality)
                .sum();
    }

    /** Size in memory. */
    long bytes() {
        return parts.values().stream()
                .mapToLong(RoaringBitmap::getLongSizeInBytes)
                .sum();
    }

    /** Compresses ranges to a few bytes. */
    void compact() {
        parts.values().forEach(RoaringBitmap::runOptimize);
    }

    /**
     * Finds the positions of a range.
     *
     * @param into receives them, as distances from the first position of the range
     * @return their number
     */
    int in(long from, long to, BitSet into) {
        int found = 0;
        for (long position = from; position < to; ) {
            long end = Math.min(to, (position | PART - 1) + 1);
            RoaringBitmap part = parts.get((int) (position >>> PART_BITS));
            if (part != null) {
                long start = position & -PART;
                RoaringBitmap selected = part.selectRange(position - start, end - start);
                int distance = (int) (start - from); // the sum below is right although both may overflow
                selected.forEach((IntConsumer) low -> into.set(distance + low));
                found += selected.getCardinality();
            }
            position = end;
        }
        return found;
    }

    /** The same positions in sets of limited size, which are made one at a time. */
    Stream<PositionSet> pieces() {
        List<Long> starts = new ArrayList<>();
        parts.forEach((high, part) -> {
            for (long low = 0; low < PART; low += PIECE) {
                if (part.intersects(low, low + PIECE)) {
                    starts.add(((long) high << PART_BITS) + low);
                }
            }
        });
        return starts.stream().map(this::piece);
    }

    private PositionSet piece(long start) {
        PositionSet piece = new PositionSet();
        long low = start & PART - 1;
        piece.parts.put((int) (start >>> PART_BITS), part(start).selectRange(low, low + PIECE));
        return piece;
    }

    void write(DataOutputStream out) throws IOException {
        out.writeInt(parts.size());
        for (Map.Entry<Integer, RoaringBitmap> each : parts.entrySet()) {
            ByteBuffer bytes = ByteBuffer.allocate(each.getValue().serializedSizeInBytes());
            each.getValue().serialize(bytes);
            out.writeInt(each.getKey());
            out.writeInt(bytes.capacity());
            out.write(bytes.array());
        }
    }

    static PositionSet read(DataInputStream in) throws IOException {
        PositionSet set = new PositionSet();
        for (int left = in.readInt(); left > 0; left--) {
            int high = in.readInt();
            RoaringBitmap part = new RoaringBitmap();
            part.deserialize(ByteBuffer.wrap(in.readNBytes(in.readInt())));
            set.parts.put(high, part);
        }
        return set;
    }
}
