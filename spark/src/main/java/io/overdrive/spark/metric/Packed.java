package io.overdrive.spark.metric;

/** Three numbers in one, as a metric of Spark is one number. Numbers that are too large become the largest possible. Stateless. */
final class Packed {
    static final int BITS = 21;
    private static final long MAX = (1L << BITS) - 1;

    private Packed() {}

    /** @param first to third: 0 or more */
    static long of(long first, long second, long third) {
        return Math.min(first, MAX) << 2 * BITS | Math.min(second, MAX) << BITS | Math.min(third, MAX);
    }

    static long first(long packed) {
        return packed >>> 2 * BITS;
    }

    static long second(long packed) {
        return packed >>> BITS & MAX;
    }

    static long third(long packed) {
        return packed & MAX;
    }
}
