package io.overdrive.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.TokenRange;
import com.datastax.oss.driver.api.core.session.Session;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3Token;
import com.datastax.oss.driver.internal.core.metadata.token.Murmur3TokenRange;
import com.datastax.oss.driver.internal.core.metadata.token.RandomToken;
import com.datastax.oss.driver.internal.core.metadata.token.RandomTokenRange;
import java.lang.reflect.Proxy;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RingTest {
    private static final CqlIdentifier KEYSPACE = CqlIdentifier.fromInternal("ks");

    private final Node a = node("a", NodeDistance.LOCAL);
    private final Node b = node("b", NodeDistance.LOCAL);
    private final Node c = node("c", NodeDistance.LOCAL);
    private final Node far = node("far", NodeDistance.IGNORED);
    private final Node failover = node("failover", NodeDistance.REMOTE);

    @Test
    void findsTheRangeOfAToken() {
        Map<TokenRange, Set<Node>> ranges = new LinkedHashMap<>();
        ranges.put(range(100, -100), Set.of(a));
        ranges.put(range(0, 100), Set.of(c));
        ranges.put(range(-100, 0), Set.of(b));
        Ring ring = Ring.of(metadata(ranges), KEYSPACE);

        assertThat(ring.replicas(-99).nodes()).containsExactly(b);
        assertThat(ring.replicas(0).nodes()).as("a range holds its end").containsExactly(b);
        assertThat(ring.replicas(1).nodes()).as("and not its start").containsExactly(c);
        assertThat(ring.replicas(100).nodes()).containsExactly(c);
        assertThat(ring.replicas(101).nodes()).as("wraps around").containsExactly(a);
        assertThat(ring.replicaSets()).isEqualTo(3);
        assertThat(ring.replicas(Long.MAX_VALUE).nodes()).containsExactly(a);
        assertThat(ring.replicas(Long.MIN_VALUE + 1).nodes()).containsExactly(a);
        assertThat(ring.replicas(-100).nodes()).containsExactly(a);
        assertThat(ring.allLocalNodes().nodes()).containsExactly(a, b, c);
    }

    @Test
    void treatsTheSameNodesInAnotherOrderAsTheSameReplicas() {
        Map<TokenRange, Set<Node>> ranges = new LinkedHashMap<>();
        ranges.put(range(100, -100), ordered(a, b));
        ranges.put(range(-100, 0), ordered(b, a));
        ranges.put(range(0, 100), ordered(c, b, a));
        Ring ring = Ring.of(metadata(ranges), KEYSPACE);

        assertThat(ring.replicas(-1).id()).isEqualTo(ring.replicas(101).id());
        assertThat(ring.replicas(-1).id()).isNotEqualTo(ring.replicas(1).id());
        assertThat(ring.replicas(1).id()).isEqualTo(ring.allLocalNodes().id());
    }

    @Test
    void leavesOutOtherDatacentres() {
        Map<TokenRange, Set<Node>> ranges = new LinkedHashMap<>();
        ranges.put(range(100, 0), ordered(failover, far, b));
        ranges.put(range(0, 100), ordered(far));
        Ring ring = Ring.of(metadata(ranges), KEYSPACE);

        assertThat(ring.replicas(-1).nodes()).containsExactly(b);
        assertThat(ring.replicas(1)).as("no replica here: any node coordinates").isEqualTo(ring.allLocalNodes());
        assertThat(ring.failoverNodes()).containsExactly(failover);
    }

    @Test
    void hasNoReplicasWithoutTokensOrWithAnotherPartitioner() {
        TokenRange random = new RandomTokenRange(new RandomToken(BigInteger.ZERO), new RandomToken(BigInteger.TEN));
        for (Metadata metadata : List.of(metadata(null), metadata(Map.of(random, Set.of(a))))) {
            Ring ring = Ring.of(metadata, KEYSPACE);
            assertThat(ring.replicas(5)).isEqualTo(ring.allLocalNodes());
            assertThat(ring.allLocalNodes().nodes()).containsExactly(a, b, c);
            assertThat(ring.failoverNodes()).containsExactly(failover);
        }
    }

    @Test
    void isRebuiltWhenTheMetadataHaveChanged() {
        Map<String, Metadata> answers = new HashMap<>();
        Session session = answering(Session.class, "session", answers, Map.of());
        CurrentRing ring = new CurrentRing(session::getMetadata, KEYSPACE);
        answers.put("getMetadata", metadata(Map.of(range(0, 100), Set.of(a))));
        Ring before = ring.now();
        assertThat(ring.now()).isSameAs(before);
        assertThat(before.replicas(5).nodes()).containsExactly(a);

        answers.put("getMetadata", metadata(Map.of(range(0, 100), Set.of(b))));
        assertThat(ring.now().replicas(5).nodes()).containsExactly(b);
    }

    @Test
    void isRebuiltWhenANodeThatJoinedHasBecomeLocal() {
        Map<String, Object> joining = new HashMap<>(Map.of("getDistance", NodeDistance.IGNORED));
        Node node = answering(Node.class, "joining", joining, Map.of());
        Metadata metadata = answering(
                Metadata.class,
                "metadata",
                Map.of("getNodes", Map.of(UUID.randomUUID(), node), "getTokenMap", Optional.empty()),
                Map.of());
        CurrentRing ring = new CurrentRing(() -> metadata, KEYSPACE);
        assertThat(ring.now().allLocalNodes().nodes()).isEmpty();

        joining.put("getDistance", NodeDistance.LOCAL);
        assertThat(ring.now().allLocalNodes().nodes())
                .as("the metadata are the same")
                .isEmpty();
        ring.forget();
        assertThat(ring.now().allLocalNodes().nodes()).containsExactly(node);
    }

    private static TokenRange range(long start, long end) {
        return new Murmur3TokenRange(new Murmur3Token(start), new Murmur3Token(end));
    }

    private static Set<Node> ordered(Node... nodes) {
        return new LinkedHashSet<>(Arrays.asList(nodes));
    }

    private Metadata metadata(@Nullable Map<TokenRange, Set<Node>> ranges) {
        Map<UUID, Node> nodes = new LinkedHashMap<>();
        for (Node node : List.of(a, far, b, failover, c)) {
            nodes.put(UUID.nameUUIDFromBytes(node.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8)), node);
        }
        TokenMap tokens = ranges == null
                ? null
                : answering(TokenMap.class, "tokens", Map.of("getTokenRanges", ranges.keySet()), ranges);
        return answering(
                Metadata.class,
                "metadata",
                Map.of("getNodes", nodes, "getTokenMap", Optional.ofNullable(tokens)),
                Map.of());
    }

    private static Node node(String name, NodeDistance distance) {
        return answering(Node.class, name, Map.of("getDistance", distance), Map.of());
    }

    /** The driver's interfaces have many methods, of which {@link Ring} calls few. */
    private static <T> T answering(
            Class<T> type, String name, Map<String, ?> answers, Map<TokenRange, Set<Node>> replicas) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
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
