package io.overdrive.spark.write;

/**
 * Assigns positions to the rows of a task, from which their write times follow, so that no two rows of a job with the
 * same key have the same position: Cassandra would choose between them cell by cell. Executes (on the executors).
 * Confined to one thread; on the hot path.
 *
 * <p>Task {@code t} of {@code n} has the positions {@code t, t + n, t + 2n, …}. Rows of different keys may share a
 * position: rows are counted by the hash of their key, in one of {@value #BUCKETS} buckets. The position of a row is
 * {@code (start + rows before it in its bucket) * n + t}. It grows with the rows of the key and with the other rows in
 * the same bucket, so write times stay behind the clock, however many tasks there are.
 */
final class KeyPositions {
    private static final int BUCKETS = 4096;

    private final long tasks;
    private final long task;
    private final long start;
    private final int[] rows = new int[BUCKETS];
    private int max;

    /**
     * @param tasks of the job, 1 or more
     * @param task number of this one, from 0
     * @param atLeast minimum of all positions
     */
    KeyPositions(int tasks, int task, long atLeast) {
        this.tasks = tasks;
        this.task = task;
        this.start = (atLeast + tasks - 1) / tasks;
    }

    /** The position of the next row, greater than those of all earlier rows with the same hash. */
    long next(long keyHash) {
        int bucket = (int) keyHash & BUCKETS - 1;
        int before = rows[bucket]++;
        max = Math.max(max, before + 1);
        return (start + before) * tasks + task;
    }

    /**
     * Greater than all assigned positions, and at most the next one that another task with as many rows would assign.
     */
    long end() {
        return (start + max) * tasks;
    }
}
