package io.overdrive.sstable.handover;

import io.overdrive.sstable.sort.TokenOwners;
import java.util.Arrays;

/** Counts the rows that all of their owners have, while one owner after another gets its own. Confined to one thread. */
final class RowsDone {
    private final TokenOwners owners;
    private final long[] rowsOfRanges;
    /** The ranges that an owner is the last one to get: the first of them, and for each range the next one; negative at the end. */
    private final int[] first;

    private final int[] next;
    private final boolean[] hasRows;
    private long rows;

    /** @param rowsOfRanges for the first ranges of the owners the number of their rows */
    RowsDone(TokenOwners owners, int ownerCount, long[] rowsOfRanges) {
        this.owners = owners;
        this.rowsOfRanges = rowsOfRanges;
        first = new int[ownerCount];
        Arrays.fill(first, -1);
        next = new int[rowsOfRanges.length];
        for (int range = 0; range < next.length; range++) {
            int last = Arrays.stream(owners.owners(range)).max().orElseThrow();
            next[range] = first[last];
            first[last] = range;
        }
        hasRows = new boolean[ownerCount];
    }

    /**
     * Takes the result of an owner, in their order.
     *
     * @return the number of rows until now
     */
    long add(int owner, boolean isDone) {
        hasRows[owner] = isDone;
        for (int range = first[owner]; range >= 0; range = next[range]) {
            if (Arrays.stream(owners.owners(range)).allMatch(each -> hasRows[each])) {
                rows += rowsOfRanges[range];
            }
        }
        return rows;
    }
}
