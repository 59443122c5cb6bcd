package io.overdrive.jobs;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * A sample of partitions whose rows come in any order: those whose hash is at most a threshold, each with all of its rows. Confined to one
 * thread at a time.
 *
 * <p>The hash is the token without its sign, which is uniform from 0 to 2<sup>63</sup> - 1. The threshold begins at the maximum, and is
 * halved, and the partitions above are dropped, when there are more than a maximum. As it only falls, a partition that is below it at the
 * end was below it from its first row on: its figures are complete. Each one then stands for 2<sup>63</sup> / (threshold + 1) partitions. An
 * estimate from n partitions has a relative standard error of about 1 / &radic;n; a share p of partitions one of &radic;(p (1 - p) / n).
 */
public final class PartitionSample {
    public static final int MAX_PARTITIONS = 1 << 14;

    /** The rows of a partition, and the number of sequences in which they come. */
    private static final class Found {
        long rows;
        long bytes;
        long runs;
    }

    private final Map<Long, Found> kept = new HashMap<>();
    private final int max;
    private long threshold = Long.MAX_VALUE;

    /** @param max number of partitions to keep */
    public PartitionSample(int max) {
        this.max = max;
    }

    /** Adds rows of a partition that follow each other, or corrects how many sequences there are. */
    public void add(long token, long rows, long bytes, long runs) {
        if (isBelow(token, threshold)) {
            Found found = kept.computeIfAbsent(token, t -> new Found());
            found.rows += rows;
            found.bytes += bytes;
            found.runs += runs;
            while (kept.size() > max) {
                lower(threshold >>> 1);
            }
        }
    }

    private static boolean isBelow(long token, long threshold) {
        return (token & Long.MAX_VALUE) <= threshold;
    }

    private void lower(long to) {
        threshold = to;
        kept.keySet().removeIf(token -> !isBelow(token, to));
    }

    /** Adds the rows of another part of the input. */
    public void add(PartitionSample other) {
        if (other.threshold < threshold) {
            lower(other.threshold);
        }
        other.kept.forEach((token, found) -> add(token, found.rows, found.bytes, found.runs));
    }

    /** The number of partitions that each one stands for; 1 if all are kept. */
    public double factor() {
        return Math.scalb(1.0, 63) / (threshold + 1.0);
    }

    /** The number of partitions that are kept. */
    public int kept() {
        return kept.size();
    }

    /** Adds the sizes of all partitions but some, as an estimate. */
    public void addSizes(Sizes to, Set<Long> without) {
        kept.forEach((token, found) -> {
            if (found.rows > 0 && !without.contains(token)) {
                to.add(found.rows, found.bytes, factor());
            }
        });
    }

    /** Adds the size of a partition if it is kept. */
    public boolean addSize(Sizes to, long token) {
        Found found = kept.get(token);
        if (found == null || found.rows == 0) {
            return false;
        }
        to.add(found.rows, found.bytes, 1);
        return true;
    }

    /** The sizes of partitions. */
    public interface Sizes {
        /** @param times number of partitions of this size */
        void add(long rows, long bytes, double times);
    }

    /** A figure of a partition. */
    interface Figure {
        double of(long rows, long bytes);
    }

    /** The sum of a figure of all partitions, as an estimate. */
    double sum(Figure figure) {
        double sum = 0;
        for (Found found : kept.values()) {
            sum += figure.of(found.rows, found.bytes);
        }
        return factor() * sum;
    }

    /** The number of sequences of rows of one partition, of all partitions but some, as an estimate. */
    public double runs(Set<Long> without) {
        return factor()
                * kept.entrySet().stream()
                        .filter(each -> !without.contains(each.getKey()))
                        .mapToLong(each -> each.getValue().runs)
                        .sum();
    }
}
