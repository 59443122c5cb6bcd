package io.overdrive.bench.spark;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.bench.ExperimentContext;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A query in Spark's SQL, and the table that gets its rows. Immutable. The components are the fields of the JSON that jobs.py reads.
 *
 * @param query the same for all connectors
 * @param into options of the table
 */
record SparkJob(String query, Map<String, String> into) {
    /**
     * Options of a table: how to reach it in the cluster's first data centre, and others.
     *
     * @param others further options, by names of the connector for Spark 3, which both understand
     */
    static Map<String, String> table(ExperimentContext context, String table, Map<String, String> others) {
        String datacenter = context.datacenters().get(0);
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
