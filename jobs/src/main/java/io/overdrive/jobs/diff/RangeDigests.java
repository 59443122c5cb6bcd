package io.overdrive.jobs.diff;

import io.overdrive.Split;
import io.overdrive.internal.scan.RowDigest;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.util.List;

/**
 * The rows of both tables in a part of the ring that was compared to its end. Immutable.
 *
 * @param ranges token ranges of the part
 * @param digestLeft digest of its rows in any order; the same for the right table
 */
public record RangeDigests(
        List<Split.Range> ranges,
        long rowsLeft,
        long rowsRight,
        long differences,
        String digestLeft,
        String digestRight) {
    static RangeDigests of(Split split, Reached reached) {
        long[] figures = reached.figures();
        return new RangeDigests(
                split.ranges(),
                figures[SplitFigures.ROWS_LEFT],
                figures[SplitFigures.ROWS_RIGHT],
                SplitFigures.differences(figures),
                digest(figures, SplitFigures.DIGEST_LEFT),
                digest(figures, SplitFigures.DIGEST_RIGHT));
    }

    private static String digest(long[] figures, int at) {
        RowDigest digest = new RowDigest();
        digest.add(figures[at], figures[at + 1]);
        return digest.toString();
    }
}
