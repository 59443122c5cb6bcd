package io.overdrive.bench;

import io.overdrive.bench.stress.Values;

/**
 * A random order of the numbers from 0 on: each once, computed rather than stored, the same for the same seed. Immutable.
 *
 * <p>A Feistel network of four rounds permutes the next power of four; a number that falls beyond the end is permuted again until it does
 * not (cycle walking: J. Black and P. Rogaway, Ciphers with Arbitrary Finite Domains, 2002).
 */
public final class Shuffle {
    private static final int ROUNDS = 4;

    private final long size;
    private final long seed;
    private final int halfBits;
    private final long halfMask;

    /** @param size how many numbers, 1 or more */
    public Shuffle(long size, long seed) {
        if (size < 1) {
            throw new IllegalArgumentException("size is " + size + ", must be 1 or more");
        }
        this.size = size;
        this.seed = seed;
        this.halfBits = Math.max(1, (64 - Long.numberOfLeadingZeros(size - 1) + 1) / 2);
        this.halfMask = (1L << halfBits) - 1;
    }

    /** The number at a place, both from 0 to below the size. */
    public long at(long place) {
        long number = place;
        do {
            number = permute(number);
        } while (number >= size);
        return number;
    }

    private long permute(long number) {
        long left = number >>> halfBits;
        long right = number & halfMask;
        for (int round = 0; round < ROUNDS; round++) {
            long next = left ^ (Values.mix(seed + round, right) & halfMask);
            left = right;
            right = next;
        }
        return left << halfBits | right;
    }
}
