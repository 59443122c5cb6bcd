package io.overdrive.internal.cql;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.metadata.Node;
import java.time.Duration;

/**
 * Queries of our own, which change nothing. A node that has been asked may hang: after a moment, the next one is asked, too, and the first
 * answer counts. Stateless.
 */
public final class OwnQuery {
    /** The driver's execution profile for them. */
    public static final String PROFILE = "overdrive-queries";

    /** The time after which the next node is asked. */
    public static final Duration NEXT_NODE_AFTER = Duration.ofSeconds(1);

    /** Number of nodes that are asked, unless others fail. */
    public static final int MAX_NODES = 5;

    /** Time for an answer that can be done without. */
    private static final Duration ONE_NODE_TIMEOUT = Duration.ofSeconds(2);

    private OwnQuery() {}

    /** A query of any node. */
    public static SimpleStatement of(String cql, Object... values) {
        return any(SimpleStatement.newInstance(cql, values));
    }

    /** Lets a statement that changes nothing ask any node. */
    public static <T extends Statement<T>> T any(T statement) {
        return statement.setIdempotent(true).setExecutionProfileName(PROFILE);
    }

    /** A query of this node, which gets 2 s, as its answer can be done without. */
    public static SimpleStatement to(Node node, String cql, Object... values) {
        return SimpleStatement.newInstance(cql, values).setNode(node).setTimeout(ONE_NODE_TIMEOUT);
    }
}
