package io.overdrive.bench.experiments.kit;

import io.overdrive.bench.stress.Values;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * Random bytes that cost almost nothing to generate, so that large rows do not measure the generator: slices of one block. They overlap too
 * rarely for a compressor to find anything. Thread-safe: the block does not change.
 */
public final class Payload {
    private static final int STARTS = 1 << 20;

    private final byte[] block;
    private final long seed;

    /** @param longest the maximum length of a slice, in bytes */
    public Payload(long seed, int longest) {
        this.block = new byte[longest + STARTS];
        this.seed = seed;
        new SplittableRandom(seed).nextBytes(block);
    }

    /** The same bytes for the same number. */
    public ByteBuffer at(long number, int bytes) {
        return ByteBuffer.wrap(block, (int) (Values.mix(seed, number) & STARTS - 1), bytes);
    }
}
