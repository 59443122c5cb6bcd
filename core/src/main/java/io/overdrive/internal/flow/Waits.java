package io.overdrive.internal.flow;

import io.overdrive.Scan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Where the threads and the requests of a writer or a scan have waited since its beginning, to find what limits it: a snapshot, or the
 * difference of two. Immutable. Two threads that wait for a second have waited for two; waits that have not ended are included.
 *
 * @param isRead whether it reads
 * @param threadNanos for how long threads of {@link Scan#forEachSplit} were at work or waited; 0 for a writer, which has none
 * @param pacedNanos threads waited for the rate limits
 * @param heldBackNanos threads waited because of the guard
 * @param diskNanos threads wrote or read spilled rows, or waited for others that did
 * @param answersNanos threads waited for pages, or at the end for acknowledgements
 * @param queuedHeldBackNanos page requests waited because of the guard
 * @param nodes the nodes to which something was sent, one for each address: if another node has taken an address, the two are taken together
 * @param bytesByPlace bytes sent by partition or read by split; those with the same hash have one count. Empty if there is only one split
 */
public record Waits(
        boolean isRead,
        long threadNanos,
        long pacedNanos,
        long heldBackNanos,
        long diskNanos,
        long answersNanos,
        long queuedHeldBackNanos,
        List<Node> nodes,
        List<Long> bytesByPlace) {
    public Waits {
        nodes = byName(nodes);
    }

    private static List<Node> byName(List<Node> nodes) {
        Map<String, Node> all = new LinkedHashMap<>();
        nodes.forEach(node -> all.merge(node.name, node, Node::plus));
        return List.copyOf(all.values());
    }

    /**
     * One node.
     *
     * @param name its address
     * @param permitNanos threads waited until more could be in flight to it
     * @param queuedNanos page requests waited for the same
     * @param inFlightNanos how long requests to it were in flight, taken together
     * @param requests those that have ended
     * @param endedNanos how long these were in flight
     * @param emptyNanos how long an empty request to it takes now, on the same connection: the median of the last ones;
     *     0 if unknown
     * @param emptyShare the share of this in the round trip of the requests that end meanwhile, 0 to 1, likewise
     */
    public record Node(
            String name,
            long permitNanos,
            long queuedNanos,
            long inFlightNanos,
            long requests,
            long endedNanos,
            long emptyNanos,
            double emptyShare) {
        /** Taken together with another node of this name. */
        private Node plus(Node other) {
            boolean isEmptyKnown = other.emptyNanos > 0;
            return new Node(
                    name,
                    permitNanos + other.permitNanos,
                    queuedNanos + other.queuedNanos,
                    inFlightNanos + other.inFlightNanos,
                    requests + other.requests,
                    endedNanos + other.endedNanos,
                    isEmptyKnown ? other.emptyNanos : emptyNanos,
                    isEmptyKnown ? other.emptyShare : emptyShare);
        }

        /** The increase since an earlier snapshot. */
        Node since(Node before) {
            return new Node(
                    name,
                    permitNanos - before.permitNanos,
                    queuedNanos - before.queuedNanos,
                    inFlightNanos - before.inFlightNanos,
                    requests - before.requests,
                    endedNanos - before.endedNanos,
                    emptyNanos,
                    emptyShare);
        }

        /** The mean round trip of those that have ended; if none has, the time until now of all. */
        public long roundTripNanos() {
            return requests == 0 ? inFlightNanos : endedNanos / requests;
        }
    }

    /** The waits of several writers, or of several scans, taken together without places. */
    static Waits together(List<Waits> all, boolean isRead) {
        List<Waits> chosen = all.stream().filter(each -> each.isRead == isRead).toList();
        return new Waits(
                isRead,
                sum(chosen, Waits::threadNanos),
                sum(chosen, Waits::pacedNanos),
                sum(chosen, Waits::heldBackNanos),
                sum(chosen, Waits::diskNanos),
                sum(chosen, Waits::answersNanos),
                sum(chosen, Waits::queuedHeldBackNanos),
                chosen.stream().flatMap(each -> each.nodes.stream()).toList(),
                /* bytesByPlace */ List.of());
    }

    private static long sum(List<Waits> all, ToLongFunction<Waits> nanos) {
        return all.stream().mapToLong(nanos).sum();
    }

    /** The same waits, of threads that were at work or waited for this long. */
    public Waits ofThreads(long nanos) {
        return new Waits(
                isRead,
                nanos,
                pacedNanos,
                heldBackNanos,
                diskNanos,
                answersNanos,
                queuedHeldBackNanos,
                nodes,
                bytesByPlace);
    }

    /** The increase since an earlier snapshot of the same writer or scan. */
    public Waits since(Waits before) {
        Map<String, Node> known = before.nodes.stream().collect(Collectors.toMap(Node::name, Function.identity()));
        List<Long> places = new ArrayList<>();
        for (int i = 0; i < bytesByPlace.size(); i++) {
            places.add(bytesByPlace.get(i) - (before.bytesByPlace.isEmpty() ? 0 : before.bytesByPlace.get(i)));
        }
        return new Waits(
                isRead,
                threadNanos - before.threadNanos,
                pacedNanos - before.pacedNanos,
                heldBackNanos - before.heldBackNanos,
                diskNanos - before.diskNanos,
                answersNanos - before.answersNanos,
                queuedHeldBackNanos - before.queuedHeldBackNanos,
                nodes.stream()
                        .map(node -> {
                            Node earlier = known.get(node.name);
                            return earlier == null ? node : node.since(earlier);
                        })
                        .toList(),
                places);
    }
}
