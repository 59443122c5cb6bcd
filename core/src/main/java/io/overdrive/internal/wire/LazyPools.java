package io.overdrive.internal.wire;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.driver.internal.core.context.InternalDriverContext;
import com.datastax.oss.driver.internal.core.metadata.DefaultNode;
import com.datastax.oss.driver.internal.core.metadata.DistanceEvent;
import com.datastax.oss.driver.internal.core.pool.ChannelPool;
import com.datastax.oss.driver.internal.core.pool.ChannelPoolFactory;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.ConnectOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a node when its first request is due, except for a few nodes that the driver needs for its own requests. Nodes that join
 * later are connected to as always. Thread-safe.
 *
 * <p>The driver wants a pool of each node when a session starts, and keeps it by the pool's own node: it is given the pool of
 * another node instead. Later, an event that a node has a distance, as it had before, makes it ask again.
 */
final class LazyPools extends ChannelPoolFactory {
    /** Nodes whose pool the driver has not been given at the start, and which it asks for once then. */
    @GuardedBy("this") private @Nullable Set<Node> left;

    /** The pool of any node that is connected to at the start. */
    private final CompletableFuture<ChannelPool> any = new CompletableFuture<>();

    private final Map<Node, CompletableFuture<ChannelPool>> unused = new ConcurrentHashMap<>();
    private final Set<Node> used = ConcurrentHashMap.newKeySet();

    /** Events that are fired now, by identity. */
    private final Set<DistanceEvent> events =
            Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    @Override
    public CompletionStage<ChannelPool> init(
            Node node, CqlIdentifier keyspace, NodeDistance distance, InternalDriverContext context, String logPrefix) {
        if (isLeft(node, context)) {
            return any;
        }
        CompletionStage<ChannelPool> pool = super.init(node, keyspace, distance, context, logPrefix);
        CompletableFuture<ChannelPool> waiting = unused.getOrDefault(node, any);
        pool.whenComplete((opened, failure) -> {
            if (failure == null) {
                waiting.complete(opened);
            } else {
                waiting.completeExceptionally(failure);
            }
        });
        return pool;
    }

    private synchronized boolean isLeft(Node node, InternalDriverContext context) {
        Set<Node> nodes = left;
        if (nodes == null) {
            nodes = leave(context.getMetadataManager().getMetadata().getNodes().values());
            left = nodes;
        }
        return nodes.remove(node);
    }

    /** The nodes to connect to later. Many processes start at once, so each begins with other nodes. */
    private Set<Node> leave(Iterable<Node> all) {
        List<Node> first = new ArrayList<>();
        List<Node> later = new ArrayList<>();
        for (Node node : all) {
            if (node.getDistance() != NodeDistance.IGNORED && node.getState() != NodeState.FORCED_DOWN) {
                // only a pool finds out that a node is up again
                (node.getState() == NodeState.UNKNOWN ? later : first).add(node);
            }
        }
        Collections.shuffle(later);
        later.stream()
                .skip(Math.max(0, ConnectOptions.FIRST_NODES - first.size()))
                .forEach(node -> unused.put(node, new CompletableFuture<>()));
        return new HashSet<>(unused.keySet());
    }

    /**
     * Makes the driver connect to a node if it has not been used.
     *
     * @return its pool, which may have no connection; null if the node was connected to at the start
     */
    @Nullable CompletableFuture<ChannelPool> use(Node node, InternalDriverContext context) {
        CompletableFuture<ChannelPool> pool = unused.get(node);
        if (pool != null && used.add(node)) {
            DistanceEvent event = new DistanceEvent(node.getDistance(), (DefaultNode) node);
            events.add(event);
            context.getEventBus().fire(event);
            events.remove(event);
        }
        return pool;
    }

    /** Whether this is not about a change. */
    boolean isOurs(DistanceEvent event) {
        return events.contains(event);
    }
}
