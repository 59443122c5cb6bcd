package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.TokenRange;
import com.datastax.oss.driver.internal.core.metadata.DefaultEndPoint;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3TokenRange;
import io.overdrive.Seeds;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.ring.Ring.Arc;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SplitterTest {
    private static final CqlIdentifier KEYSPACE = CqlIdentifier.fromInternal("ks");
    private static final long SPLIT_BYTES = 64 << 20;
    private static final double RING = 0x1p64;
    static final List<Range> ALL = List.of(Split.WHOLE_RING);

    @Test
    void coversEveryRingExactlyOnce() {
        Seeds.times(100, random -> {
            Cluster cluster = Cluster.random(random);
            Ring ring = cluster.ring();
            SizeEstimates sizes = sizes(cluster, random);
            assertArcs(ring, cluster);
            List<Split> splits = Splitter.split(ring, sizes::bytes, ALL, SPLIT_BYTES);
            assertCovered(splits);
            for (Split split : splits) {
                for (Range range : split.ranges()) {
                    for (long token : new long[] {range.start() + 1, middle(range), range.end()}) {
                        assertThat(cluster.local(token)).containsAll(split.replicas());
                        if (ring.arcs().size() <= 32 * cluster.localNodes()) {
                            assertThat(Set.copyOf(split.replicas())).isEqualTo(Set.copyOf(cluster.local(token)));
                        }
                    }
                }
            }
        });
    }

    @Test
    void coversTheGivenTokensExactlyOnce() {
        Seeds.times(100, random -> {
            Cluster cluster = Cluster.random(random);
            SizeEstimates sizes = sizes(cluster, random);
            List<Range> ranges = TokenRangesTest.ranges(random);
            List<Split> splits = Splitter.split(cluster.ring(), sizes::bytes, ranges, SPLIT_BYTES);
            TokenRangesTest.assertSame(splits, ranges);
            assertThat(splits.stream().mapToLong(Split::estimatedBytes).sum())
                    .isCloseTo(Math.round(((Splitter.Sizes) sizes::bytes).bytes(ranges)), within(splits.size() + 1L));
        });
    }

    @Test
    void cutsSplitsOfSimilarSize() {
        Seeds.times(100, random -> {
            Cluster cluster = Cluster.random(random);
            SizeEstimates sizes = sizes(cluster, random);
            List<Split> splits = Splitter.split(cluster.ring(), sizes::bytes, ALL, SPLIT_BYTES);
            int nodes = cluster.localNodes();
            double total = sizes.bytes(Long.MIN_VALUE, Long.MAX_VALUE);
            double largest = Math.min(SPLIT_BYTES, Math.max(1 << 20, total / (16 * nodes)));
            double widest = RING / nodes / (total == 0 ? 16 : 4);
            for (Split split : splits) {
                assertThat((double) split.estimatedBytes()).isLessThanOrEqualTo(1.8 * largest);
                assertThat(width(split)).isLessThanOrEqualTo(1.8 * widest);
            }
            // for each replica set, and for small ranges, one split that is not full in addition to the full ones
            assertThat((double) splits.size())
                    .isLessThanOrEqualTo(1 + cluster.replicaSets() + (total / largest + RING / widest) / 0.75);
        });
    }

    @Test
    void cutsARingWithoutEstimatesForAllNodes() {
        for (int nodes = 1; nodes <= 6; nodes++) {
            for (int replicas = 1; replicas <= nodes; replicas++) {
                Cluster cluster = new Cluster(new Random(nodes), nodes, 0, 1, replicas, /* evenly */ true);
                List<Split> splits = Splitter.split(cluster.ring(), (start, end) -> 0, ALL, SPLIT_BYTES);
                assertCovered(splits);
                assertThat(splits).as("%d nodes, RF %d", nodes, replicas).hasSize(16 * nodes);
                assertThat(splits.stream()
                                .mapToDouble(SplitterTest::width)
                                .max()
                                .orElse(0))
                        .isLessThanOrEqualTo(RING / nodes / 16 * 1.001);
                assertThat(splits.stream().allMatch(split -> split.ranges().size() == 1))
                        .isTrue();
            }
        }
    }

    @Test
    void putsSplitsOfDifferentNodesSideBySide() {
        for (int replicas = 1; replicas <= 2; replicas++) {
            Cluster cluster = new Cluster(new Random(1), 3, 0, 1, replicas, /* evenly */ true);
            List<Split> splits = Splitter.split(cluster.ring(), (start, end) -> 0, ALL, SPLIT_BYTES);
            for (int i = 2; i < splits.size(); i++) {
                assertThat(new HashSet<>(List.of(
                                splits.get(i - 2).replicas(),
                                splits.get(i - 1).replicas(),
                                splits.get(i).replicas())))
                        .hasSize(3);
            }
        }
    }

    /** A node with much more than the others is busy from the start to the end, and no node comes only at the end. */
    @Test
    void spreadsTheSplitsOfEachNodeOverTheWholeList() {
        Cluster cluster = new Cluster(new Random(1), 4, 0, 16, 1, /* evenly */ false);
        List<Split> splits =
                Splitter.split(cluster.ring(), (start, end) -> Splitter.width(start, end) / 1e9, ALL, SPLIT_BYTES);
        Set<List<String>> firstQuarter = new HashSet<>();
        splits.subList(0, splits.size() / 4).forEach(split -> firstQuarter.add(split.replicas()));
        assertThat(firstQuarter).hasSize(4);
    }

    /** One replica set of the whole ring, nearly all bytes in a corner of it, as if there were a partition of gigabytes. */
    @Test
    void cutsWhereTheBytesAre() {
        Cluster cluster = new Cluster(new Random(1), 3, 0, 1, 3, /* evenly */ true);
        long corner = Long.MAX_VALUE - (1L << 50);
        Splitter.Sizes sizes =
                (start, end) -> end <= corner ? 0 : Splitter.width(Math.max(start, corner), end) / 0x1p50 * (10L << 30);
        List<Split> splits = Splitter.split(cluster.ring(), sizes, ALL, SPLIT_BYTES);
        assertCovered(splits);
        assertThat(splits.stream().mapToLong(Split::estimatedBytes).max().orElse(0))
                .isLessThan(2 * SPLIT_BYTES);
        assertThat(splits).hasSizeLessThan(600);
    }

    /** 76,800 ranges with nearly as many replica sets. */
    @Test
    void followsTheDataAndTheNodesIfThereAreManyTokens() {
        int nodes = 300;
        Cluster cluster = new Cluster(new Random(1), nodes, 0, 256, 3, /* evenly */ false);
        Ring ring = cluster.ring();
        assertThat(ring.arcs()).hasSizeGreaterThan(70_000);
        assertFollows(Splitter.split(ring, (start, end) -> 0, ALL, SPLIT_BYTES), 6 * nodes, 6 * nodes);
        assertFollows(Splitter.split(ring, bytes(1 << 20), ALL, SPLIT_BYTES), 6 * nodes, 6 * nodes);
        assertFollows(Splitter.split(ring, bytes(1 << 30), ALL, SPLIT_BYTES), 6 * nodes, 6 * nodes);
        List<Split> large = Splitter.split(ring, bytes(1L << 40), ALL, SPLIT_BYTES);
        assertFollows(large, (int) ((1L << 40) / (1 << 25)) + nodes, 90_000);
        assertThat(large.stream().filter(split -> split.replicas().isEmpty()).count())
                .isLessThan(large.size() / 50);
        assertThat(large.stream().flatMap(split -> split.replicas().stream()).distinct())
                .hasSize(nodes);
    }

    private static Splitter.Sizes bytes(long total) {
        return (start, end) -> total * (Splitter.width(start, end) / RING);
    }

    private static void assertFollows(List<Split> splits, int mostSplits, int mostRanges) {
        assertCovered(splits);
        assertThat(splits).hasSizeLessThan(mostSplits);
        assertThat(splits.stream().mapToInt(split -> split.ranges().size()).sum())
                .isLessThan(mostRanges);
    }

    @Test
    void handlesAdjacentTokens() {
        Cluster cluster = new Cluster(new Random(1), 2, 0, 0, 1, /* evenly */ false);
        for (long token : new long[] {
            Long.MIN_VALUE, Long.MIN_VALUE + 1, -1, 0, 1, (1L << 62) + 511, (1L << 62) + 513, Long.MAX_VALUE
        }) {
            cluster.tokens.put(token, cluster.nodes.get((int) (token & 1)));
        }
        List<SizeEstimates.Estimate> estimates = new ArrayList<>();
        Long last = cluster.tokens.lastKey();
        for (Long token : cluster.tokens.keySet()) {
            SizeEstimates.add(estimates, last, token, 1 << 30);
            last = token;
        }
        SizeEstimates sizes = new SizeEstimates(estimates);
        assertThat(sizes.bytes(Long.MIN_VALUE, Long.MAX_VALUE)).isBetween(6.99 * (1 << 30), 7.01 * (1 << 30));
        assertArcs(cluster.ring(), cluster);
        assertCovered(Splitter.split(cluster.ring(), sizes::bytes, ALL, SPLIT_BYTES));
    }

    @Test
    void canBeSerialized() throws Exception {
        Cluster cluster = new Cluster(new Random(1), 6, 0, 16, 1, /* evenly */ false);
        for (Split split : Splitter.split(cluster.ring(), (start, end) -> 0, ALL, SPLIT_BYTES)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(split);
            }
            assertThat(bytes.size()).isLessThan(1000);
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                assertThat(in.readObject()).isEqualTo(split);
            }
        }
    }

    private static void assertCovered(List<Split> splits) {
        List<Range> all = new ArrayList<>();
        splits.forEach(split -> all.addAll(split.ranges()));
        all.sort(Comparator.comparingLong(Range::start));
        long at = Long.MIN_VALUE;
        for (Range range : all) {
            assertThat(range.start()).as("gap or overlap before %s", range).isEqualTo(at);
            at = range.end();
        }
        assertThat(at).isEqualTo(Long.MAX_VALUE);
    }

    private static void assertArcs(Ring ring, Cluster cluster) {
        long at = Long.MIN_VALUE;
        Arc before = null;
        for (Arc arc : ring.arcs()) {
            assertThat(arc.start()).isEqualTo(at);
            assertThat(arc.end()).isGreaterThan(at);
            assertThat(arc.replicas()).isEqualTo(ring.replicas(arc.end()));
            assertThat(arc.replicas()).isEqualTo(ring.replicas(arc.start() + 1));
            assertThat(arc.replicas().nodes().stream().map(Node::toString))
                    .containsExactlyInAnyOrderElementsOf(cluster.local(arc.end()));
            if (before != null) {
                assertThat(arc.replicas()).isNotEqualTo(before.replicas());
            }
            before = arc;
            at = arc.end();
        }
        assertThat(at).isEqualTo(Long.MAX_VALUE);
    }

    private static long middle(Range range) {
        return range.start() + ((range.end() - range.start()) >>> 1) + (range.end() - range.start() & 1);
    }

    private static double width(Split split) {
        return split.ranges().stream()
                .mapToDouble(range -> Splitter.width(range.start(), range.end()))
                .sum();
    }

    /** Nothing, something for each of the ring's ranges, or nearly everything in one of them. */
    static SizeEstimates sizes(Cluster cluster, Random random) {
        List<SizeEstimates.Estimate> estimates = new ArrayList<>();
        if (random.nextInt(4) > 0) {
            double scale = Math.pow(10, random.nextInt(6));
            boolean skewed = random.nextBoolean();
            Long last = cluster.tokens.lastKey();
            for (Long token : cluster.tokens.keySet()) {
                double bytes = skewed && random.nextInt(4) > 0 ? 0 : random.nextInt(1000) * scale;
                SizeEstimates.add(estimates, last, token, bytes * (random.nextInt(20) == 0 ? 100 : 1));
                last = token;
            }
        }
        estimates.sort(Comparator.comparingLong(SizeEstimates.Estimate::start));
        return new SizeEstimates(estimates);
    }

    /** Nodes of one or two data centres, their tokens, and their replicas, found by walking around the ring. */
    static final class Cluster {
        final List<Node> nodes = new ArrayList<>();
        final TreeMap<Long, Node> tokens = new TreeMap<>();
        private final int localNodes;
        private final int replicas;

        Cluster(Random random, int local, int remote, int tokensPerNode, int replicas, boolean evenly) {
            this.localNodes = local;
            this.replicas = replicas;
            for (int i = 0; i < local + remote; i++) {
                Node node = node("127.0.0." + (i + 1), i < local ? NodeDistance.LOCAL : NodeDistance.IGNORED);
                nodes.add(node);
                for (int t = 0; t < tokensPerNode; t++) {
                    tokens.put(evenly ? Long.MIN_VALUE + (long) (0x1p63 / local * 2) * i : random.nextLong(), node);
                }
            }
        }

        static Cluster random(Random random) {
            int local = 1 + random.nextInt(6);
            int remote = random.nextBoolean() ? 0 : 1 + random.nextInt(3);
            return new Cluster(
                    random, local, remote, random.nextBoolean() ? 1 : 16, 1 + random.nextInt(3), /* evenly */ false);
        }

        int localNodes() {
            return localNodes;
        }

        int replicaSets() {
            Set<Set<String>> sets = new HashSet<>();
            tokens.keySet().forEach(token -> sets.add(new HashSet<>(local(token))));
            return sets.size();
        }

        /** Names of the local replicas of a token. */
        List<String> local(long token) {
            return replicas(token).stream()
                    .filter(node -> node.getDistance() == NodeDistance.LOCAL)
                    .map(Node::toString)
                    .toList();
        }

        /**
         * Replicas as NetworkTopologyStrategy without racks chooses them, with one replica in the other data centre.
         */
        private Set<Node> replicas(long token) {
            Set<Node> found = new LinkedHashSet<>();
            int here = 0;
            boolean there = localNodes == nodes.size();
            Map.Entry<Long, Node> at =
                    tokens.tailMap(token, /* inclusive */ true).firstEntry();
            for (int i = 0; i < tokens.size() && !(here == replicas && there); i++) {
                at = at == null ? tokens.firstEntry() : at;
                Node node = at.getValue();
                at = tokens.higherEntry(at.getKey());
                boolean local = node.getDistance() == NodeDistance.LOCAL;
                if ((local ? here < replicas : !there) && found.add(node)) {
                    here += local ? 1 : 0;
                    there |= !local;
                }
            }
            return found;
        }

        Ring ring() {
            Map<TokenRange, Set<Node>> ranges = new LinkedHashMap<>();
            Long last = tokens.lastKey();
            for (Long token : tokens.keySet()) {
                ranges.put(new Murmur3TokenRange(new Murmur3Token(last), new Murmur3Token(token)), replicas(token));
                last = token;
            }
            Map<UUID, Node> byId = new LinkedHashMap<>();
            nodes.forEach(node -> byId.put(new UUID(0, byId.size()), node));
            TokenMap map = answering(TokenMap.class, "tokens", Map.of("getTokenRanges", ranges.keySet()), ranges);
            Map<String, Object> answers = Map.of("getNodes", byId, "getTokenMap", Optional.of(map));
            return Ring.of(answering(Metadata.class, "metadata", answers, Map.of()), KEYSPACE);
        }

        private static Node node(String name, NodeDistance distance) {
            return answering(
                    Node.class,
                    name,
                    Map.of(
                            "getDistance",
                            distance,
                            "getEndPoint",
                            new DefaultEndPoint(InetSocketAddress.createUnresolved(name, 9042))),
                    Map.of());
        }

        /** The driver's interfaces have many methods, of which few are called. */
        private static <T> T answering(
                Class<T> type, String name, Map<String, ?> answers, Map<TokenRange, Set<Node>> replicas) {
            return type.cast(
                    Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
                        return switch (method.getName()) {
                            case "equals" -> self == args[0];
                            case "hashCode" -> name.hashCode();
                            case "toString" -> name;
                            case "getReplicas" -> replicas.get((TokenRange) args[1]);
                            default -> answers.get(method.getName());
                        };
                    }));
        }
    }
}
