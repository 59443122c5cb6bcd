package io.overdrive.spark.metric;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The metric of Spark's UI that says where most of the time of tasks was spent, of which each reports a {@link TaskTime}. Public, as Spark
 * instantiates it by name. Stateless.
 */
public final class LimitedBy implements CustomMetric {
    public static final String NAME = "limitedBy";

    private static final long MIN_UNITS = TaskTime.units(TimeUnit.SECONDS.toNanos(10));

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        return "limited by";
    }

    @Override
    public String aggregateTaskMetrics(long[] values) {
        long all = Arrays.stream(values).map(Packed::first).sum();
        long cluster = Arrays.stream(values).map(Packed::second).sum();
        long paced = Arrays.stream(values).map(Packed::third).sum();
        return text(all, cluster, paced);
    }

    static String text(long all, long cluster, long paced) {
        long work = all - cluster - paced;
        if (all == 0) {
            return "";
        }
        return work >= Math.max(cluster, paced)
                ? "Spark's tasks, " + percent(work, all)
                : cluster >= paced ? "the cluster, " + percent(cluster, all) : "the rate limit, " + percent(paced, all);
    }

    /** The text for tasks that took ten seconds and more together, each with its value; null for shorter ones, which say little. */
    public static @Nullable String ofJob(long[] values) {
        long units = Arrays.stream(values).map(Packed::first).sum();
        return isWorthSaying(units) ? new LimitedBy().aggregateTaskMetrics(values) : null;
    }

    /** Whether tasks took ten seconds and more together. */
    static boolean isWorthSaying(long units) {
        return units >= MIN_UNITS;
    }

    /** The value for a time, in any unit. Only the shares matter: a time that is too long is halved with its shares until it fits. */
    static long value(long all, long cluster, long paced) {
        int halved = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(all) - Packed.BITS);
        return Packed.of(all >> halved, cluster >> halved, paced >> halved);
    }

    /** The value for two tasks. */
    public static long ofTasks(long one, long other) {
        return value(
                Packed.first(one) + Packed.first(other),
                Packed.second(one) + Packed.second(other),
                Packed.third(one) + Packed.third(other));
    }

    /** The value for two writers of the same task, each with all of its time. */
    public static long ofWriters(long one, long other) {
        return value(
                Math.max(Packed.first(one), Packed.first(other)),
                Packed.second(one) + Packed.second(other),
                Packed.third(one) + Packed.third(other));
    }

    private static String percent(long part, long all) {
        return Math.min(100, 100 * part / all) + " % of the tasks' time";
    }

    /**
     * Says what has limited tasks that read or wrote an RDD.
     *
     * @param done what they did, as a participle
     * @param limit as {@link #ofJob} has it
     */
    public static void log(Logger log, String table, String done, int tasks, String limit) {
        log.info("[{}] {} by {} {}, limited by {}", table, done, tasks, tasks == 1 ? "task" : "tasks", limit);
    }
}
