package io.overdrive.spark.metric;

import io.overdrive.internal.estimate.Estimate;
import io.overdrive.internal.estimate.Estimate.Client;
import io.overdrive.internal.estimate.Estimate.Share;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The time that a job would take, as the dry run of a command estimates it, with the executors as the client. Plans (on the driver).
 * Immutable.
 *
 * @param cores of all executors, which tasks use at once
 * @param sizeOf origin of the size, for the log
 */
public record JobEstimate(Estimate estimate, int cores, String sizeOf) {
    /** The origin of the size of a read. */
    public static final String SIZE_OF_NODES = "the nodes estimate the table";

    /** Estimates leave out a start, of Spark too. */
    private static final Duration SHORT = Duration.ofSeconds(5);

    private static final long BYTES_PER_MB = 1_000_000;

    /**
     * The estimate of a job.
     *
     * @return null if the size is not known
     */
    public static @Nullable JobEstimate of(SparkContext spark, int tasks, Share share, String sizeOf) {
        JobEstimate made = of(share, Math.max(1, Math.min(tasks, spark.defaultParallelism())), sizeOf);
        return made.estimate.hasTime() ? made : null;
    }

    static JobEstimate of(Share share, int cores, String sizeOf) {
        Client executors = new Client(cores, /* heapBytes */ 0, /* connections */ 0, /* tokens */ 0);
        return new JobEstimate(new Estimate(List.of(share), executors, /* inputTime */ Duration.ZERO), cores, sizeOf);
    }

    /**
     * Says it, unless it is short.
     *
     * @param job what is done with the table, as a verb
     */
    public void log(Logger log, String table, String job) {
        if (!isShort()) {
            log.info("[{}] estimate of the time to {} it: {}", table, job, this);
        }
    }

    boolean isShort() {
        return estimate.slowest().compareTo(SHORT) < 0;
    }

    /** The metrics of the driver; none for no estimate. */
    public static CustomTaskMetric[] metrics(@Nullable JobEstimate estimate) {
        return estimate == null ? new CustomTaskMetric[0] : new CustomTaskMetric[] {estimate.new Time()};
    }

    private final class Time implements CustomTaskMetric {
        @Override
        public String name() {
            return EstimatedTime.NAME;
        }

        @Override
        public long value() {
            return packed();
        }
    }

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
                "%s; %,d MB (as %s) at %s, %,d MB on %s, with %s of executors and one processor of each node"
                        + " (a guess)",
                text(packed()),
                share.size().bytes() / BYTES_PER_MB,
                sizeOf,
                counted(share.copies(), "replica"),
                share.bytesANode() / BYTES_PER_MB,
                (share.nodes() == 1 ? "" : "each of ") + counted(share.nodes(), "node"),
                counted(cores, "core"));
    }

    private static String counted(long number, String thing) {
        return String.format(Locale.ROOT, "%,d %s%s", number, thing, number == 1 ? "" : "s");
    }
}
