package io.overdrive.spark.read;

import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Estimate.Client;
import io.overdrive.internal.estimate.Estimate.Share;
import io.overdrive.internal.estimate.Road;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The time that a read of a table would take, as the dry run of a command estimates it, with the executors as the client. Plans (on the
 * driver). Immutable.
 *
 * @param cores of all executors, which tasks use at once
 */
record ReadEstimate(Estimate estimate, int cores) {
    /** Estimates leave out a start, of Spark too. */
    private static final Duration SHORT = Duration.ofSeconds(5);

    private static final long BYTES_PER_MB = 1_000_000;

    /** @param road of the rows: whether the servers aggregate them */
    static ReadEstimate of(PlannedSplits splits, Road road, int cores) {
        Client executors = new Client(cores, /* heapBytes */ 0, /* connections */ 0, /* tokens */ 0);
        return new ReadEstimate(
                new Estimate(List.of(splits.share(road)), executors, /* inputTime */ Duration.ZERO), cores);
    }

    /** Whether the nodes have estimates of the table. */
    boolean isKnown() {
        return estimate.hasTime();
    }

    boolean isShort() {
        return isKnown() && estimate.slowest().compareTo(SHORT) < 0;
    }

    /** The value of a metric, which is a number: see {@link ReadMetrics}. */
    long packed() {
        return Packed.of(
                estimate.isLimitedByClient() ? 1 : 0,
                estimate.fastest().toSeconds(),
                Math.max(1, estimate.slowest().toSeconds()));
    }

    /** The text in Spark's UI. */
    static String text(long packed) {
        long slowest = Packed.third(packed);
        Duration least = Duration.ofSeconds(Packed.second(packed));
        Duration most = Duration.ofSeconds(slowest);
        if (most.compareTo(SHORT) < 0) {
            return "less than " + text(SHORT);
        }
        return (least.compareTo(SHORT) < 0 ? "up to " : text(least) + " to ") + text(most) + ", limited by "
                + (Packed.first(packed) == 1 ? "the executors" : "the nodes");
    }

    private static String text(Duration time) {
        long seconds = time.toSeconds();
        return seconds < 100
                ? seconds + " s"
                : seconds < TimeUnit.HOURS.toSeconds(1)
                        ? Math.round(seconds / 60.0) + " min"
                        : String.format(Locale.ROOT, "%.1f h", seconds / 3600.0);
    }

    /** The text in the log. */
    @Override
    public String toString() {
        Share share = estimate.shares().get(0);
        return String.format(
                Locale.ROOT,
                "%s; %,d MB (as the nodes estimate the table) at %,d replicas, %,d MB on each of %,d nodes, with %,d cores"
                        + " of executors and one processor of each node (a guess)",
                text(packed()),
                share.size().bytes() / BYTES_PER_MB,
                share.copies(),
                share.bytesANode() / BYTES_PER_MB,
                share.nodes(),
                cores);
    }
}
