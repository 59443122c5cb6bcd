package io.overdrive.jobs.diff;

import io.overdrive.internal.scan.RowDigest;
import io.overdrive.jobs.journal.SplitJournal.Reached;

/** The figures of one split. Confined to the thread that compares it. */
final class SplitFigures {
    static final int ROWS_LEFT = 0;
    static final int ROWS_RIGHT = 1;
    static final int ROWS_SAME = 2;
    static final int DIFFERENT = 3;
    static final int MISSING_LEFT = 4;
    static final int MISSING_RIGHT = 5;
    static final int DIGEST_LEFT = 6;
    static final int DIGEST_RIGHT = 8;
    /** Differences that should have been repaired, and could not be. */
    static final int NOT_REPAIRED = 10;
    /** The process of the run that compared the split, from 1. */
    static final int ATTEMPT = 11;

    private static final int COUNT = 12;

    final int split;
    final long[] figures = new long[COUNT];
    final RowDigest digestLeft = new RowDigest();
    final RowDigest digestRight = new RowDigest();
    final RowDigest.Part sumLeft = digestLeft.part();
    final RowDigest.Part sumRight = digestRight.part();

    /** The differences of a split. */
    static long differences(long[] figures) {
        return figures[DIFFERENT] + figures[MISSING_LEFT] + figures[MISSING_RIGHT];
    }

    SplitFigures(int split) {
        this.split = split;
    }

    /** The figures of a split that is finished. */
    Reached reached(int attempt) {
        sumLeft.finish();
        sumRight.finish();
        figures[DIGEST_LEFT] = digestLeft.first();
        figures[DIGEST_LEFT + 1] = digestLeft.second();
        figures[DIGEST_RIGHT] = digestRight.first();
        figures[DIGEST_RIGHT + 1] = digestRight.second();
        figures[ATTEMPT] = attempt;
        return new Reached(split, Long.MAX_VALUE, /* isFinished */ true, figures);
    }
}
