package io.overdrive.spark.config;

import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.session.Session;
import io.overdrive.ConnectOptions;
import java.util.Locale;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections that the executors of a job open at most, which its log says before. An executor connects to the nodes that its tasks
 * use. Plans (on the driver). Immutable.
 *
 * @param executors number of them
 * @param each connections of one executor
 * @param nodes of the local data centre, and of the one to fail over to
 */
public record ExecutorConnections(long executors, long each, long nodes) {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutorConnections.class);
    /** One for metadata, on a node that is also used. */
    private static final int CONTROL = 1;

    /**
     * Logs the connections of a job; not in local mode, where tasks use the connections of the driver, and if the number of executors is not
     * known.
     *
     * @param what is done, such as {@code [ks.table] is read}
     * @param tasks of the job
     * @param nodesOfTask to which one task sends requests; {@link Integer#MAX_VALUE} for all
     */
    public static void log(SparkContext spark, Settings settings, String what, int tasks, int nodesOfTask) {
        long executors = spark.isLocal() ? 0 : executors(spark);
        if (executors == 0) {
            return;
        }
        Session session = SharedEngines.of(settings).session();
        long nodes = session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getDistance() != NodeDistance.IGNORED)
                .count();
        DriverExecutionProfile config = session.getContext().getConfig().getDefaultProfile();
        int connectionsOfNode = config.getInt(DefaultDriverOption.CONNECTION_POOL_LOCAL_SIZE);
        boolean usesAll = settings.find(Setting.FAILOVER_DATACENTER) != null;
        LOG.info(
                "{} by {} tasks: {}",
                what,
                tasks,
                of(
                        executors,
                        tasks,
                        usesAll ? nodes : nodesOfTask,
                        nodes,
                        connectionsOfNode,
                        settings.find(Setting.GUARD) != null));
    }

    private static long executors(SparkContext spark) {
        SparkConf conf = spark.getConf();
        long now = spark.statusTracker().getExecutorInfos().length - 1L; // without the driver
        long most = conf.getBoolean("spark.dynamicAllocation.enabled", false)
                ? conf.getInt("spark.dynamicAllocation.maxExecutors", 0)
                : conf.getInt("spark.executor.instances", 0);
        return Math.max(now, most);
    }

    static ExecutorConnections of(
            long executors, long tasks, long nodesOfTask, long nodes, int connectionsOfNode, boolean isGuarded) {
        long working = Math.max(1, Math.min(executors, tasks));
        long tasksOfExecutor = (tasks + working - 1) / working;
        long used = Math.min(nodes, ConnectOptions.FIRST_NODES + tasksOfExecutor * Math.min(nodes, nodesOfTask));
        long guards = isGuarded ? CONTROL + nodes * connectionsOfNode : 0;
        return new ExecutorConnections(working, CONTROL + used * connectionsOfNode + guards, nodes);
    }

    /** Whether this process is an executor, and not the driver. */
    static boolean isExecutor(@Nullable SparkEnv process) {
        return process != null && isExecutor(process.executorId());
    }

    static boolean isExecutor(String id) {
        return !id.equals("driver");
    }

    /** The text in the log. */
    @Override
    public String toString() {
        long all = executors * each;
        return String.format(
                Locale.ROOT,
                "%,d executors open at most %,d connections each, %,d in all, about %,d to each of %,d nodes",
                executors,
                each,
                all,
                (all + nodes - 1) / Math.max(1, nodes),
                nodes);
    }
}
