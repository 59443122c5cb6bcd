package io.overdrive.files.unload;

import io.overdrive.files.journal.SplitJournal.Reached;

/**
 * How far a split is written. Immutable.
 *
 * @param token all rows up to this token are written
 * @param isFinished whether all rows of the split are
 * @param rows number of these rows
 * @param bytes size of their records before compression
 * @param digestFirst first sum of their digest
 * @param digestSecond second sum of their digest
 * @param stored size of the split's file as stored; 0 if it has none
 * @param emptyKeys as {@link UnloadSummary#emptyKeys}, of these rows
 */
record Position(
        long token,
        boolean isFinished,
        long rows,
        long bytes,
        long digestFirst,
        long digestSecond,
        long stored,
        long emptyKeys) {
    static final int ROWS = 0;
    static final int BYTES = 1;
    static final int DIGEST_FIRST = 2;
    static final int DIGEST_SECOND = 3;
    static final int STORED = 4;
    /** Journals of earlier versions do not have it. */
    static final int EMPTY_KEYS = 5;

    static final Position START = new Position(Long.MIN_VALUE, /* isFinished */ false, 0, 0, 0, 0, 0, 0);

    static Position of(Reached reached) {
        long[] figures = reached.figures();
        return new Position(
                reached.token(),
                reached.isFinished(),
                figures[ROWS],
                figures[BYTES],
                figures[DIGEST_FIRST],
                figures[DIGEST_SECOND],
                figures[STORED],
                figures.length > EMPTY_KEYS ? figures[EMPTY_KEYS] : 0);
    }

    Reached reached(int split) {
        return new Reached(
                split, token, isFinished, new long[] {rows, bytes, digestFirst, digestSecond, stored, emptyKeys});
    }

    Position withStored(long size) {
        return new Position(token, isFinished, rows, bytes, digestFirst, digestSecond, size, emptyKeys);
    }
}
