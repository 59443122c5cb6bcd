package io.overdrive.jobs.profile;

import io.overdrive.jobs.profile.Profile.Bucket;
import java.util.ArrayList;
import java.util.List;

/** How many partitions there are of each size. Confined to one thread at a time. */
final class PartitionSizes {
    /** Sizes from which buckets begin: of partitions with one row, and of those with fewer than 10, 100 and so on. */
    private static final long[] ROWS = {1, 2, 10, 100, 1_000, 10_000, 100_000, 1_000_000};

    private static final long[] BYTES = {0, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000};

    private final long[][] byRows = new long[ROWS.length][2];
    private final long[][] byBytes = new long[BYTES.length][2];
    private long partitions;

    void add(long rows, long bytes) {
        partitions++;
        add(byRows[bucket(ROWS, rows)], rows);
        add(byBytes[bucket(BYTES, bytes)], rows);
    }

    private static void add(long[] bucket, long rows) {
        bucket[0]++;
        bucket[1] += rows;
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

    long partitions() {
        return partitions;
    }

    /** @param factor the number of partitions that each stands for */
    List<Bucket> byRows(double factor) {
        return buckets(ROWS, byRows, factor);
    }

    List<Bucket> byBytes(double factor) {
        return buckets(BYTES, byBytes, factor);
    }

    private static List<Bucket> buckets(long[] starts, long[][] counts, double factor) {
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
            buckets.add(new Bucket(starts[i], end, counts[i][0] * factor, counts[i][1] * factor));
        }
        return buckets;
    }
}
