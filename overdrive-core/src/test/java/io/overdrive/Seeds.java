package io.overdrive;

import java.util.Random;

/**
 * Repeatable randomness: a test that fails reports its seed, and {@code -Doverdrive.seed=…} runs it with this seed.
 */
public final class Seeds {
    /** What a test does with its randomness. */
    public interface Body {
        void run(Random random) throws Exception;
    }

    private static final String PROPERTY = "overdrive.seed";

    private Seeds() {}

    /** Runs the body this many times with new seeds, or once with the given seed. */
    public static void times(int times, Body body) {
        Long given = Long.getLong(PROPERTY);
        for (int i = 0; i < (given == null ? times : 1); i++) {
            run(given == null ? System.nanoTime() : given, body);
        }
    }

    /** Runs the body once, and prints its seed before: for a test that may hang, or be killed with its process. */
    public static void once(Body body) {
        long seed = Long.getLong(PROPERTY, System.nanoTime());
        System.out.println(PROPERTY + "=" + seed);
        run(seed, body);
    }

    private static void run(long seed, Body body) {
        try {
            body.run(new Random(seed));
        } catch (Exception | AssertionError e) {
            throw new AssertionError("with -D" + PROPERTY + "=" + seed + ": " + e.getMessage(), e);
        }
    }
}
