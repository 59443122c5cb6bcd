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
        int range = firstRangeOf(token);
        return range == ends.length ? 0 : range;
    }

    /** As {@link #rangeOf}, and the number of ranges for tokens above the last end. */
    private int firstRangeOf(long token) {
        int found = Arrays.binarySearch(ends, token);
        return found >= 0 ? found : -found - 1;
    }

    /** The owners of a range. */
    public int[] owners(int range) {
        return owners[range].clone();
    }

    int[] ownersOf(int range) {
        return owners[range];
    }

    /**
     * Estimates of the shares that the first so many owners get of partitions whose tokens are evenly spread over a span, each 0 to 1; 0
     * exactly if an owner gets none of them.
     */
    double[] shares(int count, TokenSpan span) {
        double[] shares = new double[count];
        TokenSpan left = span;
        for (int range = firstRangeOf(span.first()); !left.isEmpty(); range++) {
            boolean isLast = range == ends.length || ends[range] >= span.last();
            TokenSpan part = new TokenSpan(left.first(), isLast ? span.last() : ends[range]);
            for (int owner : owners[range == ends.length ? 0 : range]) {
                shares[owner] = Math.min(1, shares[owner] + part.tokens() / span.tokens());
            }
            left = isLast ? TokenSpan.NONE : new TokenSpan(ends[range] + 1, span.last());
        }
        return shares;
    }
}
