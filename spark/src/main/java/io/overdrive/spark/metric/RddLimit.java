package io.overdrive.spark.metric;

import static scala.jdk.javaapi.CollectionConverters.asJava;

import java.io.Serializable;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
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

    /** Says what has limited the reads of a stage when it ends. */
    private static final class Stages extends SparkListener {
        @Override
        public void onStageCompleted(SparkListenerStageCompleted completed) {
            asJava(completed.stageInfo().accumulables()).values().forEach(info -> log(info, completed));
        }

        private static void log(AccumulableInfo info, SparkListenerStageCompleted completed) {
            if (info.value().isDefined()
                    && info.value().get() instanceof Shares shares
                    && LimitedBy.isWorthSaying(shares.all)) {
                LOG.info(
                        "[{}] read by {} tasks, limited by {}",
                        info.name().get().substring(NAME.length()),
                        completed.stageInfo().numTasks(),
                        shares);
            }
        }
    }
}
