package io.overdrive.jobs.unload;

import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * How far a split is written. Immutable.
 *
 * @param token all rows up to this token are written
 * @param isFinished whether all rows of the split are
 * @param rows number of these rows
 * @param bytes size of their records before compression
 * @param digestFirst first sum of their digest
 * @param digestSecond second sum of their digest
 * @param place in the files of the split
 * @param notKept of these rows
 */
record Position(
        long token,
        boolean isFinished,
        long rows,
        long bytes,
        long digestFirst,
        long digestSecond,
        Place place,
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
    static final int FILE = 9;
    static final int ROWS_BEFORE = 10;
    static final int STORED_BEFORE = 11;
    static final int EMPTY_VALUES = 12;
    /** The first of the checksums of the files. */
    static final int SUMS = 13;

    static final Position START =
            new Position(Long.MIN_VALUE, /* isFinished */ false, 0, 0, 0, 0, Place.START, NotKept.NOTHING);

    /**
     * A place in the files of a split, which follow each other. Immutable.
     *
     * @param file its number, from 0; the files before are complete
     * @param rowsBefore number of rows in these
     * @param storedBefore size of these as stored
     * @param stored size of this file as stored; 0 if it does not exist
     * @param sums CRC-32C of each of the files before, and of so much of this file; none if they are not known
     */
    record Place(int file, long rowsBefore, long storedBefore, long stored, List<Integer> sums) {
        static final Place START = new Place(0, 0, 0, 0, List.of());

        Place {
            sums = List.copyOf(sums);
        }

        /** The CRC-32C of a file; null if it is not known. */
        @Nullable Integer sum(int of) {
            return of < sums.size() ? sums.get(of) : null;
        }
    }

    static Position of(Reached reached) {
        long[] figures = reached.figures();
        return new Position(
                reached.token(),
                reached.isFinished(),
                figures[ROWS],
                figures[BYTES],
                figures[DIGEST_FIRST],
                figures[DIGEST_SECOND],
                new Place(
                        Math.toIntExact(figure(figures, FILE)),
                        figure(figures, ROWS_BEFORE),
                        figure(figures, STORED_BEFORE),
                        figures[STORED],
                        sums(figures)),
                new NotKept(
                        figure(figures, EMPTY_KEYS),
                        figure(figures, EMPTY_ELEMENTS),
                        figure(figures, EMPTY_VALUES),
                        figure(figures, REPEATED_TIMES),
                        figure(figures, ELEMENT_TIMES)));
    }

    private static List<Integer> sums(long[] figures) {
        return Arrays.stream(figures).skip(SUMS).mapToObj(sum -> (int) sum).toList();
    }

    private static long figure(long[] figures, int index) {
        return index < figures.length ? figures[index] : 0;
    }

    Reached reached(int split) {
        long[] known = {
            rows,
            bytes,
            digestFirst,
            digestSecond,
            place.stored,
            notKept.emptyKeys(),
            notKept.emptyElements(),
            notKept.repeatedTimes(),
            notKept.elementTimes(),
            place.file,
            place.rowsBefore,
            place.storedBefore,
            notKept.emptyValues()
        };
        LongStream all =
                LongStream.concat(Arrays.stream(known), place.sums.stream().mapToLong(Integer::longValue));
        return new Reached(split, token, isFinished, all.toArray());
    }

    Position at(Place now) {
        return new Position(token, isFinished, rows, bytes, digestFirst, digestSecond, now, notKept);
    }

    /** Number of rows in complete files of splits that are not finished. */
    static long rowsInFilesOfRest(@Nullable SplitJournal journal) {
        return journal == null
                ? 0
                : journal.reached().stream()
                        .filter(each -> !each.isFinished())
                        .mapToLong(each -> of(each).place.rowsBefore)
                        .sum();
    }
}
