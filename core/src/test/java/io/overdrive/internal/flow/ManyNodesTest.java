package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.FlowDecision;
import io.overdrive.InFlightControl;
import io.overdrive.OneCaseIn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One job with requests for all nodes of a large cluster, in virtual time: each node has 8 workers, which take 20 ms on average for a
 * request of 8 KiB.
 */
class ManyNodesTest {
    private static final double TICK = 0.025;
    private static final int REQUEST_BYTES = 8192;
    private static final int WORKERS = 8;
    private static final double SERVICE = 0.02;

    private record Event(double time, long number, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int order = Double.compare(time, other.time);
            return order != 0 ? order : Long.compare(number, other.number);
        }
    }

    private static final class Cluster {
        private final Random random = new Random(1);
        private final PriorityQueue<Event> events = new PriorityQueue<>();
        private final List<FlowDecision> decisions = new ArrayList<>();
        private final List<Server> servers = new ArrayList<>();
        private final Limiter limiter = new Limiter(
                new Limits(4096, 64 << 20, Long.MAX_VALUE, Long.MAX_VALUE),
                InFlightControl.ROUND_TRIPS,
                128 << 10,
                () -> (long) (now() * 1e9),
                "simulation",
                decisions::add);
        private double now;
        private long made;

        Cluster(int nodes) {
            for (int i = 0; i < nodes; i++) {
                servers.add(new Server(NamedNode.of("node" + i)));
            }
        }

        private double now() {
            return now;
        }

        private void at(double time, Runnable action) {
            events.add(new Event(time, made++, action));
        }

        void run(double seconds) {
            servers.forEach(server -> at(random.nextDouble() * TICK, server::request));
            tick();
            while (events.element().time <= seconds) {
                Event event = events.remove();
                now = event.time;
                event.action.run();
            }
        }

        private void tick() {
            limiter.adapt();
            at(now + TICK, this::tick);
        }

        private final class Server {
            private final Node node;
            private final Gate gate;
            private final Deque<Double> waiting = new ArrayDeque<>();
            private int busy;

            Server(Node node) {
                this.node = node;
                this.gate = limiter.gate(node);
            }

            /** Sends as many requests as are permitted; the next one waits in the gate. */
            private void request() {
                while (gate.acquireOrQueue(REQUEST_BYTES, () -> {
                    arrive();
                    request();
                })) {
                    arrive();
                }
            }

            private void arrive() {
                waiting.add(now);
                serve();
            }

            private void serve() {
                while (busy < WORKERS && !waiting.isEmpty()) {
                    double since = waiting.remove();
                    busy++;
                    at(now + SERVICE * Math.exp(0.5 * random.nextGaussian() - 0.125), () -> {
                        busy--;
                        gate.ended(REQUEST_BYTES, (long) ((now - since) * 1e9), Outcome.ANSWERED);
                        gate.release(REQUEST_BYTES);
                        serve();
                    });
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 50, 200})
    @OneCaseIn(3)
    void measuresEachNodeWithoutAQueueAndTreatsAllAlike(int nodes) {
        Cluster cluster = new Cluster(nodes);
        cluster.run(120);
        List<Double> limits = new ArrayList<>();
        for (Cluster.Server server : cluster.servers) {
            List<FlowDecision> ofNode = cluster.decisions.stream()
                    .filter(decision -> decision.node().equals(NodeName.of(server.node)))
                    .toList();
            assertThat(ofNode).as(NodeName.of(server.node)).anySatisfy(decision -> assertThat(decision.reason())
                    .contains("known again"));
            limits.add(ofNode.subList(ofNode.size() / 2, ofNode.size()).stream()
                    .mapToLong(FlowDecision::limit)
                    .average()
                    .orElseThrow());
        }
        limits.sort(null);
        assertThat(limits.get(limits.size() - 1)).isLessThan(1.5 * limits.get(0));
    }
}
