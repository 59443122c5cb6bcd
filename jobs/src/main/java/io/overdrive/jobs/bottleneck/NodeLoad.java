package io.overdrive.jobs.bottleneck;

import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.flow.Waits.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.DoubleStream;

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

    /** Whether no answer of a node has come in a span, not even to an empty request, while those of others take less than half as long. */
    private boolean isSilent(Node node, long spanNanos) {
        return hasNoAnswer(node, spanNanos) && node.emptyNanos() >= SLOW * emptyOfOthers(spanNanos);
    }

    private static boolean hasNoAnswer(Node node, long spanNanos) {
        return node.requests() == 0 && node.emptyNanos() >= spanNanos;
    }

    /** How long an empty request takes: the median over the nodes that have answered or had nothing to answer; 0 if unknown. */
    private double emptyOfOthers(long spanNanos) {
        return median(waits.stream()
                .map(NodeWait::node)
                .filter(node -> node.emptyNanos() > 0 && !hasNoAnswer(node, spanNanos))
                .mapToDouble(Node::emptyNanos));
    }

    /** The waits for nodes that do not answer, in a span of this length. If all of them are silent, it is not for the nodes that they are. */
    NodeLoad silent(long spanNanos) {
        NodeLoad silent = new NodeLoad(waits.stream()
                .filter(wait -> wait.nanos > 0 && isSilent(wait.node, spanNanos))
                .toList());
        return silent.waits.size() == waits.size() ? new NodeLoad(List.of()) : silent;
    }

    NodeLoad without(NodeLoad some) {
        return new NodeLoad(
                waits.stream().filter(wait -> !some.waits.contains(wait)).toList());
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
        return median(waits.stream()
                .skip(1)
                .filter(wait -> wait.node.requests() > 0)
                .mapToDouble(wait -> wait.node.roundTripNanos()));
    }

    private static double median(DoubleStream values) {
        double[] sorted = values.sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }
}
