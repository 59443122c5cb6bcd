package io.overdrive.bench;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.Overdrive;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;

/** What an experiment runs on: a cluster, a keyspace of its own there, and its numbers. */
public interface ExperimentContext {
    Overdrive overdrive();

    default CqlSession session() {
        return overdrive().session();
    }

    Size size();

    /** The keyspace of this experiment, with the replication of {@link #size}. */
    String keyspace();

    /**
     * Drops the table of this name and creates it anew.
     *
     * @param definition what stands in the parentheses of CREATE TABLE, and after these, if anything: {@code "(k bigint PRIMARY KEY)"}
     */
    void createTable(String name, String definition);

    /**
     * How many rows the table has: the servers count.
     *
     * @param consistency one at which what was written is seen: ALL after writes that one replica has acknowledged
     */
    long countRows(String table, DefaultConsistencyLevel consistency);

    /**
     * Has all nodes write to disk what they hold in memory of this keyspace, and estimate the sizes of its tables anew. Does nothing where
     * nodes can't be asked, because there is no JMX.
     */
    void flush();

    /** The same for the same seed and name: workloads are functions of the row's number and the seed. */
    RandomGenerator random(String name);

    /** Nodes of the cluster in the local data centre. */
    int nodes();

    /** Names of the data centres, the local one first. */
    List<String> datacenters();

    /**
     * A further connection, whose requests go to the nodes of this data centre: for a {@link io.overdrive.bench.load.Load} beside the work,
     * which then does not queue behind it in one connection. The caller closes it.
     */
    Overdrive connect(String datacenter);

    /**
     * As many nodes as these in one data centre, with as many copies there as {@link #size} says, and a keyspace of their own: these
     * themselves where one data centre is used, else a cluster that is started on this machine beside this one, and ends with the
     * experiment; what nodes count is then the sum of both. Empty beside a cluster of the user's own that has more data centres.
     */
    Optional<ExperimentContext> inOneDatacenter();

    /** Compactions under way or due on all nodes; empty where none of them answers. */
    OptionalInt pendingCompactions();

    /** A line for people about what takes its time outside of runs. */
    void progress(String line);

    /** True once the user wants an end; long work then returns early, with what it has done. */
    boolean stopped();
}
