package io.overdrive.jobs.bottleneck;

import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.flow.Waits.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How the time that threads wait for the cluster is spread over its nodes: by the waits for permits, which are for one node each, and by
 * how long requests to each node took, where threads wait for any answer. Immutable.
 *
 * @param waits largest first
 */
record NodeLoad(List<NodeWait> waits) {
    /** Factor by which its waits exceed another node's; it also has most of the waits. */
    private static final double MIN_SHARE = 0.6;

    private static final double MIN_TIMES_THE_OTHERS = 3;
    /** Factor by which its round trips exceed the others'. */
    private static final double SLOW = 2;

    /** @param nanos for how long threads waited for it */
    record NodeWait(Node node, double nanos) {}

    /**
     * @param waits of one writer or scan
     * @param answersNanos how long threads waited for any answer
     */
    static NodeLoad of(Waits waits, double answersNanos) {
        double requestNanos = requestNanos(waits);
        List<NodeWait> loads = new ArrayList<>();
        for (Node node : waits.nodes()) {
            double share = requestNanos == 0 ? 0 : (node.queuedNanos() + node.inFlightNanos()) / requestNanos;
            loads.add(new NodeWait(node, node.permitNanos() + answersNanos * share));
        }
        loads.sort(Comparator.comparingDouble(NodeWait::nanos).reversed());
        return new NodeLoad(loads);
    }

    /** How long all requests waited or were in flight, without those that the guard held back. */
    static double requestNanos(Waits waits) {
        return waits.nodes().stream()
                .mapToDouble(node -> (double) node.queuedNanos() + node.inFlightNanos())
                .sum();
    }

    double nanos() {
        return waits.stream().mapToDouble(NodeWait::nanos).sum();
    }

    /** Whether most waits are for the first node. */
    boolean isOneNode() {
        if (waits.size() < 2) {
            return false;
        }
        double first = waits.get(0).nanos;
        double others = nanos() - first;
        return first > 0 && first >= MIN_SHARE * nanos() && first >= MIN_TIMES_THE_OTHERS * others / (waits.size() - 1);
    }

    /** Whether the first node answers much later than the others. */
    boolean isFirstSlow() {
        double others = roundTripOfOthers();
        return others > 0 && waits.get(0).node.roundTripNanos() >= SLOW * others;
    }

    /** The median over the nodes but the first; 0 if none of them has answered. */
    double roundTripOfOthers() {
        double[] others = waits.stream()
                .skip(1)
                .filter(wait -> wait.node.requests() > 0)
                .mapToDouble(wait -> wait.node.roundTripNanos())
                .sorted()
                .toArray();
        return others.length == 0 ? 0 : others[others.length / 2];
    }
}
