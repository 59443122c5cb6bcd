package io.overdrive;

import java.util.Random;

/**
 * Repeatable randomness: a test draws the same in each build, from seeds that follow from its name. A test that fails
 * reports its seed, and {@code -Doverdrive.seed=…} runs it with this seed alone; {@code -Doverdrive.seed=new} draws new
 * ones, which is for the nightly build and for those who look for faults.
 */
public final class Seeds {
    /** The part of a test that uses its randomness. */
    public interface Body {
        void run(Random random) throws Exception;
    }

    private static final String PROPERTY = "overdrive.seed";
    private static final String GIVEN = System.getProperty(PROPERTY, "");
    private static final StackWalker STACK = StackWalker.getInstance();

    private Seeds() {}

    /** Runs the body this many times with different seeds, or once with the given seed. */
    public static void times(int times, Body body) {
        long first = seed();
        for (int i = 0; i < (isGiven() ? 1 : times); i++) {
            run(first + i, body);
        }
    }

    /** Runs the body once, and prints its seed before: for a test that may hang, or be killed with its process. */
    public static void once(Body body) {
        long seed = seed();
        System.out.println(PROPERTY + "=" + seed);
        run(seed, body);
    }

    /** The seed of the calling test: the given one, a new one, or one that follows from the name of the caller. */
    public static long seed() {
        return isGiven() ? Long.parseLong(GIVEN) : GIVEN.equals("new") ? System.nanoTime() : seedOfCaller();
    }

    private static boolean isGiven() {
        return !GIVEN.isEmpty() && !GIVEN.equals("new");
    }

    /** Spread over 48 bits, which are all that {@link Random} uses of a seed, so that no two tests share theirs. */
    private static long seedOfCaller() {
        String caller = STACK.walk(
                frames -> frames.filter(frame -> !frame.getClassName().equals(Seeds.class.getName()))
                        .findFirst()
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .orElseThrow());
        return caller.hashCode() * 0x9E3779B97F4AL & 0x7FFF_FFFF_FFFFL;
    }

    private static void run(long seed, Body body) {
        try {
            body.run(new Random(seed));
        } catch (Exception | AssertionError e) {
            throw new AssertionError("with -D" + PROPERTY + "=" + seed + ": " + e.getMessage(), e);
        }
    }
}
