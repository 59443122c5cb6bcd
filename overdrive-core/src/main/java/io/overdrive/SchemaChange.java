package io.overdrive;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.overdrive.OverdriveException.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A statement that changes the schema, and the wait until all nodes have the change. The driver waits too, but asks one
 * node for what it has heard of the others, and leaves out those of other data centres. Stateless.
 *
 * <p>A node that is about to make a table acknowledges writes to it without keeping them (Cassandra's
 * {@code Keyspace.applyInternal}, which logs "Attempting to mutate non-existant table"). So a writer must not start before.
 */
final class SchemaChange {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaChange.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** With nodes that the session is not connected to: they may be down, which nobody tells us. */
    private static final Duration FAR_NODES_TIMEOUT = Duration.ofSeconds(10);

    private SchemaChange() {}

    /** Runs it where the schema is the same everywhere, and returns when it is again. */
    static void run(CqlSession session, String cql) {
        ResultSet result = session.execute(
                SimpleStatement.newInstance(cql).setTimeout(TIMEOUT).setIdempotent(false));
        awaitAgreement(session, cql);
        if (!result.getExecutionInfo().isSchemaInAgreement()) {
            session.refreshSchema();
        }
    }

    private static void awaitAgreement(CqlSession session, String cql) {
        long start = System.nanoTime();
        while (true) {
            Map<Node, UUID> versions = versions(session);
            Set<UUID> distinct = Set.copyOf(versions.values());
            long waited = System.nanoTime() - start;
            if (distinct.size() <= 1) {
                Collection<Node> behind = behind(session, versions);
                if (behind.isEmpty()) {
                    return;
                }
                if (waited > FAR_NODES_TIMEOUT.toNanos()) {
                    LOG.warn(
                            "after {} s nobody has heard from {} that \"{}\" has arrived there; if they are not down, what is"
                                    + " written now may be missing on them until a repair; see nodetool describecluster",
                            FAR_NODES_TIMEOUT.toSeconds(),
                            behind.stream().map(Node::getEndPoint).toList(),
                            cql);
                    return;
                }
            } else if (waited > TIMEOUT.toNanos()) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "the nodes still have different schemas " + TIMEOUT.toSeconds() + " s after \"" + cql
                                + "\" was run: " + byEndPoint(versions) + "; see nodetool describecluster");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static Map<String, UUID> byEndPoint(Map<Node, UUID> versions) {
        Map<String, UUID> sorted = new TreeMap<>();
        versions.forEach((node, version) -> sorted.put(String.valueOf(node.getEndPoint()), version));
        return sorted;
    }

    /** Of each node that the session is connected to; a node that does not answer is about to be no such node. */
    private static Map<Node, UUID> versions(CqlSession session) {
        Map<Node, UUID> versions = new HashMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            UUID version = isConnected(node) ? version(session, node) : null;
            if (version != null) {
                versions.put(node, version);
            }
        }
        return versions;
    }

    private static boolean isConnected(Node node) {
        return node.getState() == NodeState.UP && node.getOpenConnections() > 0;
    }

    private static @Nullable UUID version(CqlSession session, Node node) {
        try {
            Row row = select(session, node, "SELECT schema_version FROM system.local")
                    .one();
            return row == null ? null : row.getUuid(0);
        } catch (DriverException e) {
            return null;
        }
    }

    /** Nodes of which none of those with the new version has heard that they have it too; without those known to be down. */
    private static Collection<Node> behind(CqlSession session, Map<Node, UUID> versions) {
        Map<UUID, Node> behind = new HashMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (!isConnected(node) && node.getState() != NodeState.DOWN && node.getHostId() != null) {
                behind.put(node.getHostId(), node);
            }
        }
        versions.forEach((node, version) -> {
            if (!behind.isEmpty()) {
                behind.keySet().removeAll(heardOf(session, node, version));
            }
        });
        return behind.values();
    }

    /** The identities of the nodes that have a version, as one node has heard. */
    private static List<UUID> heardOf(CqlSession session, Node node, UUID version) {
        List<UUID> hosts = new ArrayList<>();
        try {
            for (Row peer : peers(session, node)) {
                UUID host = peer.getUuid(0);
                if (host != null && version.equals(peer.getUuid(1))) {
                    hosts.add(host);
                }
            }
        } catch (DriverException e) {
            LOG.debug("{} does not say what it has heard of the others", node, e);
        }
        return hosts;
    }

    private static ResultSet peers(CqlSession session, Node node) {
        try {
            return select(session, node, "SELECT host_id, schema_version FROM system.peers_v2");
        } catch (InvalidQueryException beforeCassandra4) {
            return select(session, node, "SELECT host_id, schema_version FROM system.peers");
        }
    }

    private static ResultSet select(CqlSession session, Node node, String cql) {
        return session.execute(SimpleStatement.newInstance(cql).setNode(node));
    }
}
