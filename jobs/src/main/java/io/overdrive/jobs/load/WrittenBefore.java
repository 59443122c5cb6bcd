package io.overdrive.jobs.load;

import io.overdrive.formats.records.Block;
import java.util.BitSet;

/** The positions that earlier runs have finished. Immutable, so that all workers use it. */
final class WrittenBefore {
    static final WrittenBefore NOTHING = new WrittenBefore(new PositionSet());

    private final PositionSet positions;
    private final long count;

    /** @param positions not changed any more */
    WrittenBefore(PositionSet positions) {
        this.positions = positions;
        this.count = positions.count();
    }

    PositionSet positions() {
        return positions;
    }

    long count() {
        return count;
    }

    long bytes() {
        return count == 0 ? 0 : positions.bytes();
    }

    /**
     * Finds the positions of a block.
     *
     * @param into receives them, as distances from the block's first position
     * @return their number
     */
    int in(Block block, BitSet into) {
        into.clear();
        return count == 0 ? 0 : positions.in(block.position(), block.endPosition(), into);
    }
}
