package io.overdrive.spark.write;

/**
 * Gives the rows of a task their positions, from which their write times follow, so that no two rows of a job which have the
 * same key have the same position: Cassandra would choose between them cell by cell. Confined to one thread; on the hot
 * path.
 *
 * <p>Task {@code t} of {@code n} has the positions {@code t, t + n, t + 2n, …}, each of which rows of different keys may
 * share: rows are counted by the hash of their key, in one of {@value #BUCKETS} buckets. The position of a row is
 * {@code (start + rows before it in its bucket) * n + t}. It grows with the key's rows in the task, and with the share of
 * all others that is in the same bucket, so write times stay behind the clock, however many tasks there are.
 */
final class KeyPositions {
    private static final int BUCKETS = 4096;

    private final long tasks;
    private final long task;
    private final long start;
    private final int[] rows = new int[BUCKETS];
    private int most;

    /**
     * @param tasks of the job, 1 or more
     * @param task number of this one, from 0
     * @param atLeast no position is below this one
     */
    KeyPositions(int tasks, int task, long atLeast) {
        this.tasks = tasks;
        this.task = task;
        this.start = (atLeast + tasks - 1) / tasks;
    }

    /** The position of the next row, which is above those of all rows before it that have the same hash. */
    long next(long keyHash) {
        int bucket = (int) keyHash & BUCKETS - 1;
        int before = rows[bucket]++;
        most = Math.max(most, before + 1);
        return (start + before) * tasks + task;
    }

    /** Above all positions that were given, and not above any that other tasks give next. */
    long end() {
        return (start + most) * tasks;
    }
}
