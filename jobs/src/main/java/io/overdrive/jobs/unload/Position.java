package io.overdrive.jobs.unload;

import io.overdrive.jobs.journal.SplitJournal.Reached;

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
 * @param notKept of these rows
 */
record Position(
        long token,
        boolean isFinished,
        long rows,
        long bytes,
        long digestFirst,
        long digestSecond,
        long stored,
        NotKept notKept) {
    static final int ROWS = 0;
    static final int BYTES = 1;
    static final int DIGEST_FIRST = 2;
    static final int DIGEST_SECOND = 3;
    static final int STORED = 4;
    /** Journals of earlier versions do not have this and the following fields. */
    static final int EMPTY_KEYS = 5;

    static final int EMPTY_ELEMENTS = 6;
    static final int REPEATED_TIMES = 7;
    static final int ELEMENT_TIMES = 8;

    static final Position START = new Position(Long.MIN_VALUE, /* isFinished */ false, 0, 0, 0, 0, 0, NotKept.NOTHING);

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
                new NotKept(
                        figure(figures, EMPTY_KEYS),
                        figure(figures, EMPTY_ELEMENTS),
                        figure(figures, REPEATED_TIMES),
                        figure(figures, ELEMENT_TIMES)));
    }

    private static long figure(long[] figures, int index) {
        return index < figures.length ? figures[index] : 0;
    }

    Reached reached(int split) {
        return new Reached(split, token, isFinished, new long[] {
            rows,
            bytes,
            digestFirst,
            digestSecond,
            stored,
            notKept.emptyKeys(),
            notKept.emptyElements(),
            notKept.repeatedTimes(),
            notKept.elementTimes()
        });
    }

    Position withStored(long size) {
        return new Position(token, isFinished, rows, bytes, digestFirst, digestSecond, size, notKept);
    }
}
