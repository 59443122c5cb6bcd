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
 * A query in Spark's SQL, and what becomes of its rows. Immutable. The components are the fields of the JSON that jobs.py reads.
 *
 * @param tables options of Cassandra's tables, by the names that the query has for them
 * @param query the same for all connectors
 * @param into options of the table that gets the rows; null for a job that only reads
 * @param collect whether the answer has the rows themselves, which must be few, not their number
 */
record SparkJob(
        Map<String, Map<String, String>> tables, String query, @Nullable Map<String, String> into, boolean collect) {
    /** Writes the rows of a query. */
    static SparkJob write(String query, Map<String, String> into) {
        return new SparkJob(Map.of(), query, into, false);
    }

    /** Reads rows, and counts them. */
    static SparkJob read(Map<String, Map<String, String>> tables, String query) {
        return new SparkJob(tables, query, null, false);
    }

    /** Reads few rows, and returns them. */
    static SparkJob collect(Map<String, Map<String, String>> tables, String query) {
        return new SparkJob(tables, query, null, true);
    }

    /**
     * Options of a table: how to reach it in the cluster's first data centre, and others.
     *
     * @param others further options, by names of the connector for Spark 3, which both understand
     */
    static Map<String, String> table(ExperimentContext context, String table, Map<String, String> others) {
        return table(context, context.datacenters().get(0), table, others);
    }

    /** The same for a given data centre. */
    static Map<String, String> table(
            ExperimentContext context, String datacenter, String table, Map<String, String> others) {
        List<InetSocketAddress> nodes = context.session().getMetadata().getNodes().values().stream()
                .filter(node -> datacenter.equals(node.getDatacenter()))
                .map(Node::getEndPoint)
                .map(point -> (InetSocketAddress) point.resolve())
                .toList();
        Map<String, String> options = new HashMap<>(Map.of(
                "keyspace", context.keyspace(),
                "table", table,
                "spark.cassandra.connection.host",
                        nodes.stream()
                                .map(InetSocketAddress::getHostString)
                                .sorted()
                                .collect(Collectors.joining(",")),
                "spark.cassandra.connection.port", Integer.toString(nodes.get(0).getPort()),
                "spark.cassandra.connection.localDC", datacenter));
        options.putAll(others);
        return options;
    }
}
