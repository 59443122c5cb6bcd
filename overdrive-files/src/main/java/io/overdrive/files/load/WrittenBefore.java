package io.overdrive.files.load;

import io.overdrive.files.records.Block;
import java.util.BitSet;
import org.roaringbitmap.longlong.PeekableLongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/** The positions that earlier runs have finished. Immutable, so that all workers use it. */
final class WrittenBefore {
    static final WrittenBefore NOTHING = new WrittenBefore(new Roaring64Bitmap());

    private final Roaring64Bitmap positions;
    private final long count;

    /** @param positions not changed any more */
    WrittenBefore(Roaring64Bitmap positions) {
        this.positions = positions;
        this.count = positions.getLongCardinality();
    }

    Roaring64Bitmap positions() {
        return positions;
    }

    long count() {
        return count;
    }

    long bytes() {
        return count == 0 ? 0 : positions.getLongSizeInBytes();
    }

    /**
     * Finds those of a block.
     *
     * @param into receives them, as distances from the block's first position
     * @return their number
     */
    int in(Block block, BitSet into) {
        into.clear();
        if (count == 0) {
            return 0;
        }
        int found = 0;
        PeekableLongIterator each = positions.getLongIteratorFrom(block.position());
        while (each.hasNext() && each.peekNext() < block.endPosition()) {
            into.set((int) (each.next() - block.position()));
            found++;
        }
        return found;
    }
}
