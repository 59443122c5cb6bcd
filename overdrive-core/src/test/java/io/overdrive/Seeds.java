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

    /** Runs the body this many times with new seeds, or once with the given seed. */
    public static void times(int times, Body body) {
        Long given = Long.getLong("seed");
        for (int i = 0; i < (given == null ? times : 1); i++) {
            long seed = given == null ? System.nanoTime() : given;
            try {
                body.run(new Random(seed));
            } catch (Exception | AssertionError e) {
                throw new AssertionError("with -Dseed=" + seed + ": " + e.getMessage(), e);
            }
        }
    }
}
