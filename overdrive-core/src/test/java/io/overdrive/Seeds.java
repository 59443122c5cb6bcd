package io.overdrive;

import java.util.Random;

/**
 * Repeatable randomness: a test that fails reports its seed, and {@code -Dseed=…} runs it with this seed.
 */
public final class Seeds {
    /** What a test does with its randomness. */
    public interface Body {
        void run(Random random) throws Exception;
    }

    private Seeds() {}

    /** Runs the body this many times with new seeds, or once with the seed that was asked for. */
    public static void times(int times, Body body) {
        Long asked = Long.getLong("seed");
        for (int i = 0; i < (asked == null ? times : 1); i++) {
            long seed = asked == null ? System.nanoTime() : asked;
            try {
                body.run(new Random(seed));
            } catch (Exception | AssertionError e) {
                throw new AssertionError("with -Dseed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
