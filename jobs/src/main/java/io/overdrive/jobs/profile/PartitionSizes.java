package io.overdrive.jobs.profile;

import io.overdrive.jobs.profile.Profile.Bucket;
import java.util.ArrayList;
import java.util.List;

/** How many partitions there are of each size. Confined to one thread at a time. */
final class PartitionSizes {
    /** Sizes from which buckets begin: of partitions with one row, and of those with fewer than 10, 100 and so on. */
    private static final long[] ROWS = {1, 2, 10, 100, 1_000, 10_000, 100_000, 1_000_000};

    private static final long[] BYTES = {0, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000};

    private final double[][] byRows = new double[ROWS.length][2];
    private final double[][] byBytes = new double[BYTES.length][2];
    private double partitions;

    void add(long rows, long bytes) {
        add(rows, bytes, /* times */ 1);
    }

    /** @param times number of partitions that this one stands for */
    void add(long rows, long bytes, double times) {
        partitions += times;
        add(byRows[bucket(ROWS, rows)], rows, times);
        add(byBytes[bucket(BYTES, bytes)], rows, times);
    }

    private static void add(double[] bucket, long rows, double times) {
        bucket[0] += times;
        bucket[1] += rows * times;
    }

    private static int bucket(long[] starts, long size) {
        int i = starts.length - 1;
        while (i > 0 && size < starts[i]) {
            i--;
        }
        return i;
    }

    void add(PartitionSizes other) {
        partitions += other.partitions;
        for (int i = 0; i < ROWS.length; i++) {
            byRows[i][0] += other.byRows[i][0];
            byRows[i][1] += other.byRows[i][1];
            byBytes[i][0] += other.byBytes[i][0];
            byBytes[i][1] += other.byBytes[i][1];
        }
    }

    double partitions() {
        return partitions;
    }

    List<Bucket> byRows() {
        return buckets(ROWS, byRows);
    }

    List<Bucket> byBytes() {
        return buckets(BYTES, byBytes);
    }

    private static List<Bucket> buckets(long[] starts, double[][] counts) {
        int from = 0;
        int to = starts.length;
        while (from < to && counts[from][0] == 0) {
            from++;
        }
        while (to > from && counts[to - 1][0] == 0) {
            to--;
        }
        List<Bucket> buckets = new ArrayList<>();
        for (int i = from; i < to; i++) {
            long end = i + 1 < starts.length ? starts[i + 1] : Long.MAX_VALUE;
            buckets.add(new Bucket(starts[i], end, counts[i][0], counts[i][1]));
        }
        return buckets;
    }
}
