package io.overdrive.bench.load;

/**
 * Random numbers as a function of a seed and a number: the output function of SplitMix64 (Steele, Lea, Flood: Fast splittable
 * pseudorandom number generators, OOPSLA 2014) at any place of its sequence. Stateless; on the path of each operation.
 */
final class Mix {
    private static final long STEP = 0x9E3779B97F4A7C15L;

    private Mix() {}

    static long of(long seed, long number) {
        return of(seed + (number + 1) * STEP);
    }

    static long of(long z) {
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** From 0 to below 1. */
    static double fraction(long random) {
        return (random >>> 11) * 0x1.0p-53;
    }
}
