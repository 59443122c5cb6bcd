package io.overdrive.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.request.Query;
import io.overdrive.internal.wire.ScriptedTransport;
import io.overdrive.internal.wire.ScriptedTransport.Sent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The small reads of a guard, in virtual time. */
class ProbesScriptedTest {
    private static Probes start(ScriptedTransport cluster) {
        Probes probes = new Probes(cluster, List.of(new Query("read")));
        probes.start();
        return probes;
    }

    @Test
    void sendsAtMostTwoThousandASecondHoweverManyNodesThereAre() {
        ScriptedTransport cluster = new ScriptedTransport(100);
        Probes probes = start(cluster);
        Map<Node, Integer> counts = new HashMap<>();
        for (int millis = 0; millis < 10_000; millis++) {
            cluster.pass(Duration.ofMillis(1));
            while (!cluster.sent.isEmpty()) {
                Sent probe = cluster.next();
                counts.merge(probe.node(), 1, Integer::sum);
                probe.answer(ScriptedTransport.page(null));
            }
        }
        assertThat(probes.sent()).isBetween(19_990L, 20_001L);
        assertThat(counts).hasSize(100);
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(199, 201));
        probes.stop();
    }

    @Test
    void aProbeThatFailsCountsAsTwoSeconds() {
        ScriptedTransport cluster = new ScriptedTransport(1);
        Probes probes = start(cluster);
        for (int millis = 0; millis < 1990; millis++) {
            cluster.pass(Duration.ofMillis(1));
            while (!cluster.sent.isEmpty()) {
                Sent probe = cluster.next();
                if (millis < 30) {
                    probe.refuse(ErrorCode.OVERLOADED, "too busy");
                } else {
                    probe.answer(ScriptedTransport.page(null));
                }
            }
        }
        ProbeWindow window = probes.takeWindow();
        assertThat(window.failed()).isEqualTo(2);
        assertThat(window.answered()).isBetween(97L, 98L);
        assertThat(window.isOutage()).isFalse();
        assertThat(window.p99Nanos()).isEqualTo(Duration.ofSeconds(2).toNanos());
        probes.stop();
    }

    /** The latency of a node, in milliseconds, of a probe that is sent at a millisecond. */
    private interface Answers {
        int after(int node, int millis);
    }

    private record Due(int millis, Sent probe) {}

    /** The windows of two seconds each, after one that warms up. */
    private static List<ProbeWindow> windows(int nodes, int count, Answers answers) {
        ScriptedTransport cluster = new ScriptedTransport(nodes);
        Map<Node, Integer> numbers = new HashMap<>();
        for (int node = 0; node < nodes; node++) {
            numbers.put(cluster.node(node), node);
        }
        Probes probes = start(cluster);
        PriorityQueue<Due> inFlight = new PriorityQueue<>(Comparator.comparingInt(Due::millis));
        List<ProbeWindow> windows = new ArrayList<>();
        for (int millis = 1; millis <= 2000 * (count + 1); millis++) {
            cluster.pass(Duration.ofMillis(1));
            while (!cluster.sent.isEmpty()) {
                Sent probe = cluster.next();
                inFlight.add(new Due(millis + answers.after(numbers.getOrDefault(probe.node(), -1), millis), probe));
            }
            while (!inFlight.isEmpty() && inFlight.element().millis <= millis) {
                inFlight.remove().probe.answer(ScriptedTransport.page(null));
            }
            if (millis % 2000 == 0) {
                windows.add(probes.takeWindow());
            }
        }
        probes.stop();
        return windows.subList(1, windows.size());
    }

    /** Each of them stops for 150 ms in each 20 s, at another time. */
    private static int withPauses(int node, int millis) {
        return Math.max(2, 150 - Math.floorMod(millis - 199 * node, 20_000));
    }

    @Test
    void thePausesOfSingleNodesAreNotWhatUsersFeelHoweverManyNodesThereAre() {
        for (int nodes : new int[] {100, 500}) {
            assertThat(windows(nodes, 12, ProbesScriptedTest::withPauses))
                    .allSatisfy(window -> assertThat(window.p99Nanos()).isLessThan(4_000_000));
        }
    }

    @Test
    void allNodesThreeTimesSlowerShowInTheNextWindowHoweverManyThereAre() {
        for (int nodes : new int[] {1, 3, 100, 500}) {
            List<ProbeWindow> windows = windows(nodes, 4, (node, millis) -> millis < 6000 ? 2 : 6);
            assertThat(windows.get(1).p99Nanos()).isBetween(1_900_000L, 3_100_000L);
            assertThat(windows.get(2).p99Nanos()).isBetween(5_900_000L, 7_100_000L);
            assertThat((double) windows.get(3).meanNanos() / windows.get(1).meanNanos())
                    .isBetween(2.5, 3.2);
        }
    }

    /** Each node of more than 400 has fewer than ten probes in a window; one that is slow has its old ones besides. */
    @ParameterizedTest
    @ValueSource(ints = {100, 450, 1000})
    void oneSlowNodeDoesNotCountHoweverManyNodesThereAre(int nodes) {
        for (int latency : new int[] {500, 1500, 1_000_000}) {
            assertThat(windows(nodes, 6, (node, millis) -> node == 7 && millis > 4000 ? latency : 2))
                    .allSatisfy(window -> assertThat(window.p99Nanos()).isLessThan(4_000_000));
        }
    }

    @Test
    void oneSlowNodeOfTwentyDoesNotCountAndTwoDo() {
        assertThat(windows(20, 2, (node, millis) -> node == 7 ? 1500 : 2))
                .allSatisfy(window -> assertThat(window.p99Nanos()).isLessThan(4_000_000));
        assertThat(windows(20, 2, (node, millis) -> node == 7 || node == 8 ? 50 : 2))
                .allSatisfy(window -> assertThat(window.p99Nanos()).isGreaterThan(49_000_000));
        assertThat(windows(19, 2, (node, millis) -> node == 7 ? 50 : 2))
                .allSatisfy(window -> assertThat(window.p99Nanos()).isGreaterThan(49_000_000));
    }
}
