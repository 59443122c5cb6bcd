package io.overdrive.spark.metric;

import static scala.jdk.javaapi.CollectionConverters.asJava;

import java.io.Serializable;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.util.AccumulatorV2;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where the tasks that read an RDD spent their time. An RDD has no place in the SQL tab: Spark's UI has this among the accumulators of a
 * stage, and the log of the driver when the stage ends. Registered on the driver; tasks add values of {@link TaskTime}.
 */
public final class RddLimit extends AccumulatorV2<Long, RddLimit.Shares> {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(RddLimit.class);
    private static final String NAME = "limited by, reading ";
    private static final Set<SparkContext> LISTENED = Collections.newSetFromMap(new WeakHashMap<>());

    private Shares shares = Shares.NONE;

    RddLimit() {}

    /** Adds one to Spark's UI and log, for an RDD of a table. */
    public static RddLimit register(SparkContext spark, String table) {
        RddLimit limit = new RddLimit();
        spark.register(limit, NAME + table);
        synchronized (LISTENED) {
            if (LISTENED.add(spark)) {
                spark.addSparkListener(new Stages());
            }
        }
        return limit;
    }

    @Override
    public boolean isZero() {
        return shares.all == 0;
    }

    @Override
    public RddLimit copy() {
        RddLimit copy = new RddLimit();
        copy.shares = shares;
        return copy;
    }

    @Override
    public void reset() {
        shares = Shares.NONE;
    }

    @Override
    public void add(Long packed) {
        shares = shares.plus(new Shares(Packed.first(packed), Packed.second(packed), Packed.third(packed)));
    }

    @Override
    public void merge(AccumulatorV2<Long, Shares> other) {
        shares = shares.plus(other.value());
    }

    @Override
    public Shares value() {
        return shares;
    }

    /**
     * The time of tasks, in units of {@link TaskTime}. Immutable.
     *
     * @param cluster the part that they waited for the cluster
     * @param paced the part that they waited for a rate limit
     */
    public record Shares(long all, long cluster, long paced) implements Serializable {
        static final Shares NONE = new Shares(0, 0, 0);

        Shares plus(Shares more) {
            return new Shares(all + more.all, cluster + more.cluster, paced + more.paced);
        }

        /** The text in Spark's UI. */
        @Override
        public String toString() {
            return LimitedBy.text(all, cluster, paced);
        }
    }

    /**
     * Says what has limited the reads of a stage when it ends. Adds up its tasks, as the accumulator has those of all stages. Confined to the
     * thread of Spark's listeners.
     */
    private static final class Stages extends SparkListener {
        private final Map<Integer, Map<String, Reads>> running = new HashMap<>();

        @Override
        public void onTaskEnd(SparkListenerTaskEnd ended) {
            Map<String, Reads> task = new LinkedHashMap<>();
            for (AccumulableInfo info : asJava(ended.taskInfo().accumulables())) {
                if (info.update().isDefined() && info.update().get() instanceof Shares shares) {
                    task.merge(info.name().get(), new Reads(1, shares), Reads::plusOfTask);
                }
            }
            if (!task.isEmpty()) {
                Map<String, Reads> stage = running.computeIfAbsent(ended.stageId(), id -> new LinkedHashMap<>());
                task.forEach((name, reads) -> stage.merge(name, reads, Reads::plus));
            }
        }

        @Override
        public void onStageCompleted(SparkListenerStageCompleted completed) {
            Map<String, Reads> stage = running.remove(completed.stageInfo().stageId());
            if (stage != null) {
                stage.forEach(Stages::log);
            }
        }

        private static void log(String name, Reads reads) {
            if (LimitedBy.isWorthSaying(reads.shares.all)) {
                LimitedBy.log(LOG, name.substring(NAME.length()), "read", reads.tasks, reads.shares.toString());
            }
        }
    }

    /** The tasks that have read a table, and their time. Immutable. */
    private record Reads(int tasks, Shares shares) {
        Reads plus(Reads others) {
            return new Reads(tasks + others.tasks, shares.plus(others.shares));
        }

        /** The sum of two reads of one task. */
        Reads plusOfTask(Reads other) {
            return new Reads(tasks, shares.plus(other.shares));
        }
    }
}
