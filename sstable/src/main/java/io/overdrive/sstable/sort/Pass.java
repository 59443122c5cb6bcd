package io.overdrive.sstable.sort;

/**
 * A part of the ring whose rows become SSTables while those of other parts wait: a range of the pieces of {@link SstableSorter}. Immutable.
 *
 * @param number from 0
 * @param count of all passes of a run, 1 to {@link #MAX_COUNT}
 */
public record Pass(int number, int count) {
    /** The maximum number of passes: each has a piece. */
    public static final int MAX_COUNT = SstableSorter.PIECES;

    /** All rows at once. */
    public static final Pass WHOLE = new Pass(0, 1);

    public Pass {
        if (count < 1 || count > MAX_COUNT || number < 0 || number >= count) {
            throw new IllegalArgumentException("pass " + number + " of " + count);
        }
    }

    boolean isFirst() {
        return number == 0;
    }

    /** The first piece of one of several threads, and of the thread after the last one the piece after the last one. */
    int piece(int thread, int threads) {
        int first = SstableSorter.PIECES * number / count;
        int end = SstableSorter.PIECES * (number + 1) / count;
        return first + (end - first) * thread / threads;
    }

    int pieces() {
        return piece(1, 1) - piece(0, 1);
    }
}
