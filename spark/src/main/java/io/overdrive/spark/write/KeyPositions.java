package io.overdrive.spark.write;

/**
 * Assigns positions to the rows of a task, from which their write times follow, so that no two rows of a job with the
 * same key have the same position: Cassandra would choose between them cell by cell. Executes (on the executors).
 * Confined to one thread; on the hot path.
 *
 * <p>Rows of different keys may share a position: rows are counted by the hash of their key, in one of {@value #BUCKETS}
 * buckets. The {@code i}th row in a bucket has a position in place {@code i}, which begins at {@code i * step}, and of the
 * positions in a place task {@code t} of {@code n} has number {@code t}. So positions grow with the rows of the key and with
 * the other rows in the same bucket, and write times stay behind the clock, however many tasks there are.
 *
 * <p>A task that runs again may get its rows in another order, as blocks of a shuffle come in any. Its rows then have other
 * positions, in the same places: numbers {@code n} to {@code step - 1} are for attempts after the first. Wherever each attempt
 * ends, the row that came last in one of them wins as a whole. There are as many of these numbers as tasks, and at least
 * {@value #MIN_REPEATED}, so attempts of one task differ. Attempts of two tasks may not, if one runs for the third time or more.
 */
final class KeyPositions {
    private static final int BUCKETS = 4096;
    private static final int MIN_REPEATED = 8;

    private final long step;
    private final long own;
    private final int[] rows = new int[BUCKETS];
    private int max;

    /**
     * @param tasks of the job, 1 or more
     * @param task number of this one, from 0
     * @param attempt of this task, 0 for the first one
     */
    KeyPositions(int tasks, int task, long attempt) {
        long repeated = Math.max(tasks, MIN_REPEATED);
        step = tasks + repeated;
        own = attempt == 0 ? task : tasks + (task + attempt - 1) % repeated;
    }

    /** The position of the next row, greater than those of all earlier rows with the same hash. */
    long next(long keyHash) {
        int bucket = (int) keyHash & BUCKETS - 1;
        int before = rows[bucket]++;
        max = Math.max(max, before + 1);
        return before * step + own;
    }

    /**
     * Greater than all assigned positions, and at most the next one that another task with as many rows would assign.
     */
    long end() {
        return max * step;
    }
}
