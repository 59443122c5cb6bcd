package io.overdrive.bench.spark;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.bench.ExperimentContext;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The work of Spark in a run: a query in its SQL, whose rows a table gets; or a lookup of keys by RDDs. Immutable. The
 * components are the fields of the JSON that jobs.py reads.
 *
 * @param query the same for all connectors; {@link #ROWS} there is the table that is read. Empty for a lookup
 * @param from options of the table that is read, or null
 * @param into options of the table that is written; null if the rows are not needed
 * @param observe names of the answer's values, and aggregates in Spark's SQL of the rows of the query
 * @param keys to look up, or null
 * @param progress whether Spark says how many tasks of the write are complete
 */
record SparkJob(
        String query,
        @Nullable Map<String, String> from,
        @Nullable Map<String, String> into,
        Map<String, String> observe,
        @Nullable Keys keys,
        boolean progress) {
    /** The name of the table that is read, in a query. */
    static final String ROWS = "cassandra_rows";

    private static final String HOST = "spark.cassandra.connection.host";
    private static final String PORT = "spark.cassandra.connection.port";
    private static final String DATACENTER = "spark.cassandra.connection.localDC";

    /**
     * Keys that are looked up by an RDD: a prefix and a number from 0 on.
     *
     * @param table with a partition key of one text column
     * @param column its name
     * @param prefix of the keys
     * @param count how many keys
     * @param byReplica whether the RDD is repartitioned by replica first
     */
    record Keys(String keyspace, String table, String column, String prefix, long count, boolean byReplica) {}

    /** Writes the rows of a query; the answer has their number, "rows". */
    static SparkJob writing(String query, Map<String, String> into) {
        return new SparkJob(query, null, into, Map.of("rows", "count(1)"), null, false);
    }

    /**
     * Reads rows and discards them.
     *
     * @param observe "rows", how many rows were read, and others
     */
    static SparkJob reading(String query, Map<String, String> from, Map<String, String> observe) {
        return new SparkJob(query, from, null, observe, null, false);
    }

    /** Looks up keys; the answer has the number of rows, "rows". */
    static SparkJob lookingUp(Keys keys) {
        return new SparkJob("", null, null, Map.of(), keys, false);
    }

    SparkJob withProgress() {
        return new SparkJob(query, from, into, observe, keys, true);
    }

    /** Options of a table: how to reach it in the cluster's first data centre, and others. */
    static Map<String, String> table(ExperimentContext context, String table, Map<String, String> others) {
        return table(context, context.datacenters().get(0), table, others);
    }

    /**
     * Options of a table: how to reach it, and others.
     *
     * @param datacenter whose nodes get the requests
     * @param others further options, by names of the connector for Spark 3, which both understand
     */
    static Map<String, String> table(
            ExperimentContext context, String datacenter, String table, Map<String, String> others) {
        Map<String, String> options = new HashMap<>(connection(context, datacenter));
        options.put("keyspace", context.keyspace());
        options.put("table", table);
        options.putAll(others);
        return options;
    }

    /** Settings of Spark for RDDs, which have no options. */
    static Map<String, String> connection(ExperimentContext context) {
        return connection(context, context.datacenters().get(0));
    }

    private static Map<String, String> connection(ExperimentContext context, String datacenter) {
        List<InetSocketAddress> nodes = context.session().getMetadata().getNodes().values().stream()
                .filter(node -> datacenter.equals(node.getDatacenter()))
                .map(Node::getEndPoint)
                .map(point -> (InetSocketAddress) point.resolve())
                .toList();
        String hosts =
                nodes.stream().map(InetSocketAddress::getHostString).sorted().collect(Collectors.joining(","));
        return Map.of(HOST, hosts, PORT, Integer.toString(nodes.get(0).getPort()), DATACENTER, datacenter);
    }
}
