package io.overdrive.bench.stress;

import java.nio.charset.StandardCharsets;

/** Values of generated rows: functions of a seed and the row's number, so that every run writes the same. Stateless. */
public final class Values {
    private static final byte[] ALPHABET =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".getBytes(StandardCharsets.US_ASCII);

    private Values() {}

    /** 64 random bits (SplitMix64: G. Steele, D. Lea and C. Flood, Fast Splittable Pseudorandom Number Generators, 2014). */
    public static long mix(long seed, long number) {
        long z = seed * 0xD1B54A32D192ED03L + number * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    /** A number from 0 to below 1, from 64 random bits. */
    public static double fraction(long random) {
        return (random >>> 11) * 0x1.0p-53;
    }

    /** Random letters and digits, a byte each; six bits of each are random, so that it compresses by at most a quarter. */
    public static String text(long seed, long number, int length) {
        byte[] text = new byte[length];
        text(mix(seed, number), text, 0, length);
        return new String(text, StandardCharsets.US_ASCII);
    }

    /** Writes the text for 64 random bits into an array. */
    public static void text(long random, byte[] into, int from, int length) {
        long bits = 0;
        for (int i = 0; i < length; i++) {
            if (i % 10 == 0) {
                bits = mix(random, i);
            }
            into[from + i] = ALPHABET[(int) bits & 63];
            bits >>>= 6;
        }
    }
}
