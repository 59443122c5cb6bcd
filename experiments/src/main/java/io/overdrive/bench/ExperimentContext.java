package io.overdrive.bench;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.GuardLimit;
import io.overdrive.Overdrive;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The environment of an experiment: a cluster, a separate keyspace there, and the experiment's size. */
public interface ExperimentContext {
    Overdrive overdrive();

    default CqlSession session() {
        return overdrive().session();
    }

    Size size();

    /** The keyspace of this experiment, with the replication of {@link #size}. */
    String keyspace();

    /**
     * Drops the table of this name and creates it again.
     *
     * @param definition the parentheses of CREATE TABLE, and what follows them, if anything: {@code "(k bigint PRIMARY KEY)"}
     */
    void createTable(String name, String definition);

    /**
     * The number of rows of the table, counted by the servers.
     *
     * @param consistency one that sees what was written: ALL after writes that a single replica acknowledged
     */
    long countRows(String table, DefaultConsistencyLevel consistency);

    /** Makes all nodes flush this keyspace to disk, and estimate the sizes of its tables again. Does nothing without JMX. */
    void flush();

    /** Equal for equal seeds and names: workloads are functions of the row's number and the seed. */
    RandomGenerator random(String name);

    /** Nodes of the cluster in the local data centre. */
    int nodes();

    /** Names of the data centres, the local one first. */
    List<String> datacenters();

    /**
     * A separate connection whose requests go to the nodes of this data centre: for a {@link io.overdrive.bench.stress.Stress} beside the work,
     * which so does not queue behind the work. The caller closes it.
     */
    default Overdrive connect(String datacenter) {
        return connect(datacenter, null);
    }

    /** As {@link #connect(String)}, with a guard for its users if one is given. */
    Overdrive connect(String datacenter, @Nullable GuardLimit guard);

    /**
     * The same number of nodes in one data centre, with as many replicas there as {@link #size} says, and a separate keyspace. If one data
     * centre is used, these are the nodes of this context. Else a cluster is started on this machine beside this one, and ends with the
     * experiment; counters of the nodes are then the sum of both. Empty beside a user's own cluster with several data centres.
     */
    Optional<ExperimentContext> inOneDatacenter();

    /** Compactions running or due on all nodes; empty if no node answers. */
    OptionalInt pendingCompactions();

    /** Reports an activity that takes its time outside of runs, in one line. */
    void progress(String line);

    /** True once the user wants to stop; long work then returns early, with what it has done. */
    boolean stopped();
}
