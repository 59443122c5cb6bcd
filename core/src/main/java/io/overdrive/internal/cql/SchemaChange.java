package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.Version;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.NodeName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a statement that changes the schema, and waits until all nodes have the change. The driver waits too, but only asks
 * one node which versions it has seen on the others, and ignores other data centres. Stateless.
 *
 * <p>A node that has not created a table yet acknowledges writes to it without storing them (Cassandra's
 * {@code Keyspace.applyInternal}, which logs "Attempting to mutate non-existant table"). So a writer must not start earlier.
 */
public final class SchemaChange {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaChange.class);

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /**
     * Timeout for nodes that the session is not connected to, or that do not answer: they may be down without the
     * driver knowing.
     */
    private static final Duration REMOTE_NODES_TIMEOUT = Duration.ofSeconds(10);

    private SchemaChange() {}

    /** Runs the statement and returns once the nodes agree on the schema. */
    public static void run(CqlSession session, BooleanSupplier canRefresh, String cql) {
        ResultSet result = session.execute(SimpleStatement.newInstance(cql)
                .setNode(answering(session))
                .setTimeout(TIMEOUT)
                .setIdempotent(false));
        Collection<Node> behind = awaitAgreement(session, " after \"" + firstLine(cql) + "\"", TIMEOUT);
        if (!behind.isEmpty()) {
            LOG.warn(
                    "no schema agreement with {} after {} s (\"{}\"); unless these nodes are down, rows written now may be"
                            + " missing there until a repair; see nodetool describecluster",
                    NodeName.listed(behind),
                    REMOTE_NODES_TIMEOUT.toSeconds(),
                    cql);
        }
        if (!result.getExecutionInfo().isSchemaInAgreement()) {
            SchemaRefresh.run(session, canRefresh, TIMEOUT);
        }
    }

    /** A node that answers: a change is sent once, and it would be unknown whether a node that hangs makes it. */
    private static @Nullable Node answering(CqlSession session) {
        return session.execute(OwnQuery.of("SELECT key FROM system.local"))
                .getExecutionInfo()
                .getCoordinator();
    }

    private static String firstLine(String cql) {
        return cql.lines().count() > 1 ? cql.lines().findFirst().orElse("") + " …" : cql;
    }

    /**
     * Waits until all nodes agree on the schema: a change by another client may still be on its way to some.
     *
     * @return nodes of which that is not known after 10 s: the session is not connected to them, or they do not answer
     * @throws OverdriveException of kind SCHEMA if there is no agreement after 30 s; of kind INTERRUPTED
     */
    public static Collection<Node> awaitAgreement(CqlSession session) {
        return awaitAgreement(session, "", TIMEOUT);
    }

    /** @param change the changed object, for a message */
    static Collection<Node> awaitAgreement(CqlSession session, String change, Duration timeout) {
        long start = System.nanoTime();
        while (true) {
            Map<Node, UUID> versions = versions(session);
            Set<UUID> distinct = Set.copyOf(versions.values());
            long waited = System.nanoTime() - start;
            if (distinct.size() <= 1) {
                Collection<Node> behind = behind(session, versions);
                if (behind.isEmpty() || waited > REMOTE_NODES_TIMEOUT.toNanos()) {
                    return behind;
                }
            } else if (waited > timeout.toNanos()) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "no schema agreement after " + timeout.toSeconds() + " s" + change
                                + ": the nodes have versions " + byEndPoint(versions) + wayOut(versions.keySet()));
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new OverdriveException(Kind.INTERRUPTED, "interrupted while waiting for schema agreement");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private static String wayOut(Set<Node> nodes) {
        Set<String> releases = releases(nodes);
        return releases.size() > 1
                ? ". They are of releases " + String.join(" and ", releases)
                        + ", which do not agree before the upgrade of the cluster is finished: finish it, or load over"
                        + " CQL into tables that exist"
                : "; see nodetool describecluster";
    }

    /**
     * The major and minor versions of nodes. If there are several, the nodes never agree, as the version of the schema is computed from tables
     * of the system, too.
     */
    public static Set<String> releases(Collection<Node> nodes) {
        Set<String> releases = new TreeSet<>();
        for (Node node : nodes) {
            Version version = node.getCassandraVersion();
            if (version != null) {
                releases.add(version.getMajor() + "." + version.getMinor());
            }
        }
        return releases;
    }

    private static Map<String, UUID> byEndPoint(Map<Node, UUID> versions) {
        Map<String, UUID> sorted = new TreeMap<>();
        versions.forEach((node, version) -> sorted.put(String.valueOf(node.getEndPoint()), version));
        return sorted;
    }

    /** Schema versions of the nodes that the session is connected to; a node that does not answer is left out. */
    static Map<Node, UUID> versions(CqlSession session) {
        Map<Node, CompletionStage<AsyncResultSet>> answers = new HashMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (isConnected(node)) {
                answers.put(node, session.executeAsync(OwnQuery.to(node, "SELECT schema_version FROM system.local")));
            }
        }
        Map<Node, UUID> versions = new HashMap<>();
        answers.forEach((node, answer) -> {
            UUID version = version(answer);
            if (version != null) {
                versions.put(node, version);
            }
        });
        return versions;
    }

    private static boolean isConnected(Node node) {
        return node.getState() == NodeState.UP && node.getOpenConnections() > 0;
    }

    private static @Nullable UUID version(CompletionStage<AsyncResultSet> answer) {
        try {
            Row row = answer.toCompletableFuture().join().one();
            return row == null ? null : row.getUuid(0);
        } catch (CompletionException e) {
            return null;
        }
    }

    /** Nodes that no up-to-date node has seen on the new schema version, except those known to be down. */
    static Collection<Node> behind(CqlSession session, Map<Node, UUID> versions) {
        Map<UUID, Node> behind = new HashMap<>();
        for (Node node : session.getMetadata().getNodes().values()) {
            if (!versions.containsKey(node) && node.getState() != NodeState.DOWN && node.getHostId() != null) {
                behind.put(node.getHostId(), node);
            }
        }
        versions.forEach((node, version) -> {
            if (!behind.isEmpty()) {
                behind.keySet().removeAll(seenWith(session, node, version));
            }
        });
        return behind.values();
    }

    /** The host ids of the nodes that this node has seen with a version. */
    private static List<UUID> seenWith(CqlSession session, Node node, UUID version) {
        List<UUID> hosts = new ArrayList<>();
        try {
            for (Row peer : peers(session, node)) {
                UUID host = peer.getUuid(0);
                if (host != null && version.equals(peer.getUuid(1))) {
                    hosts.add(host);
                }
            }
        } catch (DriverException e) {
            LOG.debug("{} does not say which schema versions the other nodes have", node, e);
        }
        return hosts;
    }

    private static ResultSet peers(CqlSession session, Node node) {
        try {
            return session.execute(OwnQuery.to(node, "SELECT host_id, schema_version FROM system.peers_v2"));
        } catch (InvalidQueryException beforeCassandra4) {
            return session.execute(OwnQuery.to(node, "SELECT host_id, schema_version FROM system.peers"));
        }
    }
}
