package io.overdrive.sstable.sort;

import java.io.Serializable;
import java.util.Arrays;
import java.util.List;

/**
 * The owners of tokens, which get their partitions. Immutable.
 *
 * <p>Range {@code i} has the tokens above the end of the range before it, up to its own end; the first one also has those above the
 * last end.
 */
public final class TokenOwners implements Serializable {
    private static final long serialVersionUID = 1;

    private final long[] ends;
    private final int[][] owners;

    /**
     * @param ends of the ranges, ascending, at least one
     * @param owners for each range the numbers of its owners
     */
    public TokenOwners(List<Long> ends, List<int[]> owners) {
        this.ends = ends.stream().mapToLong(Long::longValue).toArray();
        this.owners = owners.stream().map(int[]::clone).toArray(int[][]::new);
        if (this.ends.length == 0 || this.ends.length != this.owners.length) {
            throw new IllegalArgumentException(this.ends.length + " ends and owners of " + this.owners.length
                    + " ranges; at least one, and as many are needed");
        }
        for (int i = 1; i < this.ends.length; i++) {
            if (this.ends[i] <= this.ends[i - 1]) {
                throw new IllegalArgumentException("the ends of the ranges are not in order");
            }
        }
    }

    /** All tokens belong to number 0. */
    public static TokenOwners one() {
        return new TokenOwners(List.of(Long.MAX_VALUE), List.of(new int[] {0}));
    }

    /** The number of ranges. */
    public int ranges() {
        return ends.length;
    }

    /** The range of a token. */
    public int rangeOf(long token) {
        int found = Arrays.binarySearch(ends, token);
        int range = found >= 0 ? found : -found - 1;
        return range == ends.length ? 0 : range;
    }

    /** The owners of a range. */
    public int[] owners(int range) {
        return owners[range].clone();
    }

    int[] ownersOf(int range) {
        return owners[range];
    }

    /** Estimates of the shares of all partitions that the first so many owners get, each 0 to 1. */
    double[] shares(int count) {
        double[] shares = new double[count];
        for (int i = 0; i < ends.length; i++) {
            // the difference is right as an unsigned number, also across the ends of the ring
            long width = ends[i] - ends[(i + ends.length - 1) % ends.length];
            for (int owner : owners[i]) {
                shares[owner] += ends.length == 1 ? 1 : unsigned(width) / 0x1p64;
            }
        }
        return shares;
    }

    private static double unsigned(long value) {
        return value >= 0 ? value : value + 0x1p64;
    }
}
