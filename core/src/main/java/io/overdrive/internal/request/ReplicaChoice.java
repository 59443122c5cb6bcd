package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the node for a request: the live replica with the least load. Stateless but for the load function; on the hot
 * path (write step 5).
 *
 * @param load of a node, such as its requests in flight
 */
public record ReplicaChoice(ToLongFunction<Node> load) {
    /** The reason if {@link #choose} has no node. */
    public static final String NO_NODE = "no node of the local data centre is up";

    /** Whether the driver takes the node to be up; nodes that it has not tried yet count as up. */
    public static boolean isUp(Node node) {
        return node.getState() == NodeState.UP || node.getState() == NodeState.UNKNOWN;
    }

    /**
     * The live replica with the least load, and another one than the last if possible; any live local node if no replica
     * is up; if no local node is up, one to fail over to; null if there is none.
     *
     * @param last that was tried before, or null
     * @param tieBreak which of several nodes with the same load to take: any number, equal for equal choices
     */
    public @Nullable Node choose(Ring ring, long token, @Nullable Node last, long tieBreak) {
        List<Node> replicas = ring.replicas(token).nodes();
        Node best = leastLoaded(replicas, last, tieBreak);
        if (best == null && last != null && isUp(last) && replicas.contains(last)) {
            return last;
        }
        if (best == null) {
            best = leastLoaded(ring.allLocalNodes().nodes(), null, tieBreak);
        }
        return best != null ? best : leastLoaded(ring.failoverNodes(), null, tieBreak);
    }

    private @Nullable Node leastLoaded(List<Node> nodes, @Nullable Node excluded, long tieBreak) {
        int size = nodes.size();
        if (size == 1) {
            Node only = nodes.get(0);
            return only != excluded && isUp(only) ? only : null;
        }
        Node best = null;
        long least = Long.MAX_VALUE;
        int first = size == 0 ? 0 : (int) Math.floorMod(tieBreak, (long) size);
        for (int i = 0; i < size; i++) {
            Node node = nodes.get(first + i < size ? first + i : first + i - size);
            if (node != excluded && isUp(node)) {
                long nodeLoad = load.applyAsLong(node);
                if (nodeLoad < least) {
                    least = nodeLoad;
                    best = node;
                }
            }
        }
        return best;
    }

    /**
     * Names the replicas that are down, which a coordinator's error does not do; returns the given reason if none is down.
     *
     * @param whyDown as {@link Transport#whyDown}
     */
    public static String nodesDown(Ring ring, long token, String reason, Function<Node, @Nullable String> whyDown) {
        List<String> down = new ArrayList<>();
        for (Node node : ring.replicas(token).nodes()) {
            if (!isUp(node)) {
                String why = whyDown.apply(node);
                if (why != null) {
                    return "node " + NodeName.of(node) + " " + why;
                }
                down.add(NodeName.of(node));
            }
        }
        return switch (down.size()) {
            case 0 -> reason;
            case 1 -> "node " + down.get(0) + " does not answer";
            default -> "nodes " + String.join(", ", down) + " do not answer";
        };
    }
}
