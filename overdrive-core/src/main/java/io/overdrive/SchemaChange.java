package io.overdrive;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.OverdriveException.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A statement that changes the schema, and the wait until all nodes have the change. The driver waits too, but asks one
 * node for what it has heard of the others, which says nothing of nodes that it has not heard of yet. Stateless.
 */
final class SchemaChange {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private SchemaChange() {}

    /** Runs it where the schema is the same everywhere, and returns when it is again. */
    static void run(CqlSession session, String cql) {
        ResultSet result = session.execute(
                SimpleStatement.newInstance(cql).setTimeout(PATIENCE).setIdempotent(false));
        awaitAgreement(session, cql);
        if (!result.getExecutionInfo().isSchemaInAgreement()) {
            session.refreshSchema();
        }
    }

    private static void awaitAgreement(CqlSession session, String cql) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Map<String, UUID> versions = versions(session);
            if (versions.values().stream().distinct().count() <= 1) {
                return;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "the nodes still have different schemas " + PATIENCE.toSeconds() + " s after \"" + cql
                                + "\" was run: " + versions + "; see nodetool describecluster");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Of each node that the session is connected to; a node that does not answer is about to be no such node. */
    private static Map<String, UUID> versions(CqlSession session) {
        List<Node> nodes = session.getMetadata().getNodes().values().stream()
                .filter(node -> node.getState() == NodeState.UP && node.getOpenConnections() > 0)
                .collect(Collectors.toList());
        Map<String, UUID> versions = new TreeMap<>();
        for (Node node : nodes) {
            UUID version = version(session, node);
            if (version != null) {
                versions.put(String.valueOf(node.getEndPoint()), version);
            }
        }
        return versions;
    }

    private static @Nullable UUID version(CqlSession session, Node node) {
        try {
            var row = session.execute(SimpleStatement.newInstance("SELECT schema_version FROM system.local")
                            .setNode(node))
                    .one();
            return row == null ? null : row.getUuid(0);
        } catch (DriverException e) {
            return null;
        }
    }
}
