package io.overdrive.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.ScriptedTransport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplicaChoiceTest {
    private ScriptedTransport cluster = new ScriptedTransport(3);
    private final Map<Node, Long> loads = new HashMap<>();
    private final ReplicaChoice choice = new ReplicaChoice(node -> loads.getOrDefault(node, 0L));

    private @Nullable Node choose(@Nullable Node last, long tieBreak) {
        return choice.choose(ring(), /* token */ 0, last, tieBreak);
    }

    private Ring ring() {
        return cluster.ring(CqlIdentifier.fromInternal("ks")).now();
    }

    @Test
    void takesTheReplicaWithTheLeastLoad() {
        loads.put(cluster.node(0), 5L);
        loads.put(cluster.node(1), 3L);
        loads.put(cluster.node(2), 4L);
        for (int tieBreak = -5; tieBreak < 5; tieBreak++) {
            assertThat(choose(null, tieBreak)).isEqualTo(cluster.node(1));
        }
    }

    @Test
    void takesAnotherOneThanLastTimeEvenIfThatHasTheLeastLoad() {
        loads.put(cluster.node(1), 7L);
        loads.put(cluster.node(2), 8L);
        assertThat(choose(cluster.node(0), 0)).isEqualTo(cluster.node(1));
    }

    @Test
    void takesTheSameOneAsLastTimeIfNoOtherIsUp() {
        cluster.setState(1, NodeState.DOWN);
        cluster.setState(2, NodeState.FORCED_DOWN);
        assertThat(choose(cluster.node(0), 0)).isEqualTo(cluster.node(0));
        cluster = new ScriptedTransport(1);
        assertThat(choose(cluster.node(0), 0)).isEqualTo(cluster.node(0));
    }

    @Test
    void spreadsEqualLoadsByTheTieBreak() {
        Set<Node> chosen = new HashSet<>();
        for (long tieBreak : new long[] {0, 1, 2, Long.MIN_VALUE, Long.MAX_VALUE, -1}) {
            Node node = choose(null, tieBreak);
            assertThat(choose(null, tieBreak)).isEqualTo(node);
            chosen.add(node);
        }
        assertThat(chosen).hasSize(3);
    }

    @Test
    void takesANodeThatTheDriverHasNotTriedYetToBeUp() {
        cluster.setState(0, NodeState.DOWN);
        cluster.setState(1, NodeState.UNKNOWN);
        cluster.setState(2, NodeState.DOWN);
        assertThat(choose(null, 0)).isEqualTo(cluster.node(1));
    }

    @Test
    void hasNoneIfAllAreDownAndNamesThem() {
        assertThat(ReplicaChoice.nodesDown(ring(), 0, "overloaded", cluster::whyDown))
                .isEqualTo("overloaded");
        cluster.setState(0, NodeState.DOWN);
        assertThat(ReplicaChoice.nodesDown(ring(), 0, "overloaded", cluster::whyDown))
                .isEqualTo("node 10.0.0.1:9042 does not answer");
        cluster.setState(1, NodeState.DOWN);
        cluster.setState(2, NodeState.DOWN);
        assertThat(choose(null, 0)).isNull();
        assertThat(choose(cluster.node(0), 0)).isNull();
        assertThat(ReplicaChoice.nodesDown(ring(), 0, "overloaded", cluster::whyDown))
                .startsWith("nodes 10.0.0.")
                .endsWith(":9042 do not answer");
        cluster.setWhyDown(1, "does not accept the password of user u");
        assertThat(ReplicaChoice.nodesDown(ring(), 0, "overloaded", cluster::whyDown))
                .isEqualTo("node 10.0.0.2:9042 does not accept the password of user u");
    }

    @Test
    void failsOverToAnotherDatacentreOnlyWhileNoLocalNodeIsUp() {
        cluster.setRemote(1);
        cluster.setRemote(2);
        loads.put(cluster.node(0), 9L);
        loads.put(cluster.node(1), 1L);
        assertThat(choose(null, 0)).isEqualTo(cluster.node(0));

        cluster.setState(0, NodeState.DOWN);
        assertThat(choose(null, 0)).isEqualTo(cluster.node(2));
        cluster.setState(2, NodeState.DOWN);
        assertThat(choose(cluster.node(1), 0)).isEqualTo(cluster.node(1));
        cluster.setState(1, NodeState.DOWN);
        assertThat(choose(null, 0)).isNull();

        cluster.setState(1, NodeState.UP);
        cluster.setState(0, NodeState.UP);
        assertThat(choose(cluster.node(1), 0)).isEqualTo(cluster.node(0));
    }
}
