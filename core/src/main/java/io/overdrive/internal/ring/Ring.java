package io.overdrive.internal.ring;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.TokenRange;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes of the local data centre that hold a partition of one keyspace: a binary search from token to replica set in plain
 * arrays. Immutable; on the hot path. {@link CurrentRing} replaces it when the cluster's metadata change.
 *
 * <p>If the keyspace has no replicas in the local data centre, or the cluster does not use the Murmur3 partitioner, there is a
 * single replica set: all local nodes, each of which can coordinate.
 */
public final class Ring {
    /** Nodes that hold the same partitions; {@code id} is dense from 0. */
    public record ReplicaSet(int id, List<Node> nodes) {}

    /** Tokens greater than {@code start}, up to and including {@code end}, and their replicas. */
    public record Arc(long start, long end, ReplicaSet replicas) {}

    /** The end of a range, and its replicas. */
    private record Place(long end, ReplicaSet replicas) {}

    private final long[] ends;
    private final ReplicaSet[] sets;
    private final ReplicaSet allLocalNodes;
    private final List<Node> failoverNodes;
    private final boolean usesMurmur3;
    private final int replicaSets;

    private Ring(
            long[] ends, ReplicaSet[] sets, ReplicaSet allLocalNodes, List<Node> failoverNodes, boolean usesMurmur3) {
        this.ends = ends;
        this.sets = sets;
        this.allLocalNodes = allLocalNodes;
        this.failoverNodes = failoverNodes;
        this.usesMurmur3 = usesMurmur3;
        // Of a large cluster nearly every range has another set: comparing all of their nodes takes long.
        this.replicaSets = Math.max(
                1, (int) Arrays.stream(sets).mapToInt(ReplicaSet::id).distinct().count());
    }

    private static Ring whole(ReplicaSet nodes, List<Node> failoverNodes, boolean usesMurmur3) {
        return new Ring(new long[0], new ReplicaSet[0], nodes, failoverNodes, usesMurmur3);
    }

    private static List<Node> nodes(Metadata metadata, NodeDistance distance) {
        return metadata.getNodes().values().stream()
                .filter(n -> n.getDistance() == distance)
                .toList();
    }

    /** The ring of a keyspace according to the cluster's metadata. */
    public static Ring of(Metadata metadata, CqlIdentifier keyspace) {
        List<Node> local = nodes(metadata, NodeDistance.LOCAL);
        List<Node> failover = nodes(metadata, NodeDistance.REMOTE);
        ReplicaSet allLocalNodes = new ReplicaSet(0, local);
        TokenMap tokens = metadata.getTokenMap().orElse(null);
        if (tokens == null) {
            return whole(allLocalNodes, failover, /* usesMurmur3 */ false);
        }
        // The driver orders replicas by the start of the range: the same nodes come in many orders.
        Map<Set<Node>, ReplicaSet> known = new HashMap<>();
        known.put(Set.copyOf(local), allLocalNodes);
        List<Place> places = new ArrayList<>();
        for (TokenRange range : tokens.getTokenRanges()) {
            if (!(range.getEnd() instanceof Murmur3Token end)) {
                return whole(allLocalNodes, failover, /* usesMurmur3 */ false);
            }
            Set<Node> all = tokens.getReplicas(keyspace, range);
            List<Node> replicas = all.stream()
                    .filter(n -> n.getDistance() == NodeDistance.LOCAL)
                    .toList();
            ReplicaSet set = replicas.isEmpty()
                    ? allLocalNodes
                    : known.computeIfAbsent(
                            replicas.size() == all.size() ? all : Set.copyOf(replicas),
                            nodes -> new ReplicaSet(known.size(), replicas));
            places.add(new Place(end.getValue(), set));
        }
        places.sort(Comparator.comparingLong(Place::end));
        long[] ends = places.stream().mapToLong(Place::end).toArray();
        ReplicaSet[] sets = places.stream().map(Place::replicas).toArray(ReplicaSet[]::new);
        Ring ring = new Ring(ends, sets, allLocalNodes, failover, /* usesMurmur3 */ true);
        // If all ranges have the same replicas, there is nothing to search.
        return ring.replicaSets > 1 || sets.length == 0 ? ring : whole(sets[0], failover, /* usesMurmur3 */ true);
    }

    /** The replicas of a partition. */
    public ReplicaSet replicas(long token) {
        if (ends.length == 0) {
            return allLocalNodes;
        }
        int i = Arrays.binarySearch(ends, token);
        return ofPlace(i < 0 ? ~i : i);
    }

    /** A token above the last end belongs to the range that wraps around to the first. */
    private ReplicaSet ofPlace(int i) {
        return ends.length == 0 ? allLocalNodes : sets[i == ends.length ? 0 : i];
    }

    /** The whole ring in ascending order, without gaps or wrap-around; neighbours have different replica sets. */
    public List<Arc> arcs() {
        List<Arc> arcs = new ArrayList<>();
        long start = Long.MIN_VALUE;
        for (int i = 0; i <= ends.length; i++) {
            long end = i == ends.length ? Long.MAX_VALUE : ends[i];
            ReplicaSet replicas = ofPlace(i);
            if (i < ends.length && ofPlace(i + 1) == replicas) {
                continue;
            }
            if (start < end) {
                arcs.add(new Arc(start, end, replicas));
                start = end;
            }
        }
        return arcs;
    }

    /** Whether the cluster uses the Murmur3 partitioner, so that tokens are 64-bit numbers; false if that is not known. */
    public static boolean usesMurmur3(Metadata metadata) {
        return metadata.getTokenMap()
                .filter(tokens -> tokens.getPartitionerName().endsWith("Murmur3Partitioner"))
                .isPresent();
    }

    /** Whether the cluster uses the Murmur3 partitioner, so that tokens are 64-bit numbers. */
    public boolean usesMurmur3() {
        return usesMurmur3;
    }

    /** How many replica sets there are. */
    public int replicaSets() {
        return replicaSets;
    }

    /** Nodes of another data centre that get requests while no local node is up; empty unless the user wants that. */
    public List<Node> failoverNodes() {
        return failoverNodes;
    }

    /** All nodes of the local data centre. */
    public ReplicaSet allLocalNodes() {
        return allLocalNodes;
    }
}
