package io.overdrive.sstable.format;

import io.overdrive.internal.codec.Bytes;
import java.util.Arrays;

/**
 * When how many cells expire, or have been deleted, in at most 100 points of time, by which the node decides which files are worth a
 * compaction. The two points next to each other become one when there is one too many (Ben-Haim and Tom-Tov, A Streaming Parallel
 * Decision Tree Algorithm, 2010). Confined to one thread; on the hot path of rows that expire.
 */
final class DropTimes {
    private static final int MAX_POINTS = 100;
    private static final int ROUND_SECONDS = 60;

    private final long[] points = new long[MAX_POINTS + 1];
    private final long[] counts = new long[MAX_POINTS + 1];
    private int size;

    void add(int epochSeconds, int count) {
        long point = rounded(epochSeconds);
        int at = Arrays.binarySearch(points, 0, size, point);
        if (at >= 0) {
            counts[at] += count;
            return;
        }
        at = -at - 1;
        System.arraycopy(points, at, points, at + 1, size - at);
        System.arraycopy(counts, at, counts, at + 1, size - at);
        points[at] = point;
        counts[at] = count;
        if (++size > MAX_POINTS) {
            joinNearest();
        }
    }

    private static long rounded(long epochSeconds) {
        return (epochSeconds + ROUND_SECONDS - 1) / ROUND_SECONDS * ROUND_SECONDS;
    }

    private void joinNearest() {
        int nearest = 0;
        for (int i = 1; i < size - 1; i++) {
            if (points[i + 1] - points[i] < points[nearest + 1] - points[nearest]) {
                nearest = i;
            }
        }
        int next = nearest + 1;
        long sum = counts[nearest] + counts[next];
        // the mean, from the first point on, so that nothing overflows
        double share = (double) counts[next] / sum;
        points[nearest] = rounded(points[nearest] + (long) (share * (points[next] - points[nearest])));
        counts[nearest] = sum;
        System.arraycopy(points, next + 1, points, next, size - next - 1);
        System.arraycopy(counts, next + 1, counts, next, size - next - 1);
        size--;
    }

    void write(Bytes out) {
        out.putInt(size);
        out.putInt(size);
        for (int i = 0; i < size; i++) {
            out.putDouble(points[i]);
            out.putLong(Math.min(Integer.MAX_VALUE, counts[i]));
        }
    }
}
