package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.InFlightControl;
import io.overdrive.Seeds;
import io.overdrive.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class LimiterTest {
    private static final long NONE = Long.MAX_VALUE;

    private static Limiter fixed(int maxRequests, long maxBytes) {
        return new Limiter(
                new Limits(maxRequests, maxBytes, NONE, NONE),
                InFlightControl.FIXED,
                /* startCost */ 0,
                System::nanoTime,
                "test",
                decision -> {});
    }

    @Test
    void neverLetsMoreThroughThanTheBoundsAndLosesNoWakeUp() {
        Seeds.times(10, random -> {
            int maxRequests = 1 + random.nextInt(9);
            long maxBytes = 1L + random.nextInt(1000);
            Gate gate = fixed(maxRequests, maxBytes).gate(NamedNode.of("a"));
            int producers = 1 + random.nextInt(8);
            int each = 2_000;
            BlockingQueue<Long> inFlight = new LinkedBlockingQueue<>();
            AtomicInteger requests = new AtomicInteger();
            AtomicLong bytes = new AtomicLong();
            AtomicLong broken = new AtomicLong();
            List<Thread> threads = new ArrayList<>();
            for (int p = 0; p < producers; p++) {
                Random own = new Random(random.nextLong());
                threads.add(new Thread(() -> {
                    for (int i = 0; i < each; i++) {
                        long size = 1L + own.nextInt((int) Math.min(Integer.MAX_VALUE, maxBytes + maxBytes / 4 + 1));
                        gate.acquire(size);
                        int nowRequests = requests.incrementAndGet();
                        long nowBytes = bytes.addAndGet(size);
                        if (nowRequests > maxRequests || (nowBytes > maxBytes && nowRequests > 1)) {
                            broken.incrementAndGet();
                        }
                        inFlight.add(size);
                    }
                }));
            }
            Thread server = new Thread(() -> {
                try {
                    for (int i = 0; i < producers * each; i++) {
                        long size = inFlight.take();
                        bytes.addAndGet(-size);
                        requests.decrementAndGet();
                        gate.release(size);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            threads.forEach(Thread::start);
            server.start();
            for (Thread thread : threads) {
                thread.join();
            }
            server.join();
            assertThat(broken).hasValue(0);
            assertThat(gate.requests()).isZero();
            assertThat(gate.bytes()).isZero();
        });
    }

    @Test
    void letsARequestAboveTheBoundGoAlone() throws InterruptedException {
        Gate gate = fixed(10, 100).gate(NamedNode.of("a"));
        gate.acquire(1);
        Thread large = new Thread(() -> gate.acquire(1_000));
        large.start();
        Threads.awaitInside(Gate.class, large);
        gate.release(1);
        large.join();
        assertThat(gate.bytes()).isEqualTo(1_000);
        gate.release(1_000);
    }

    @Test
    void countsTheTimeOfThreadsThatWaitForAPermit() throws InterruptedException {
        Gate gate = fixed(1, 100).gate(NamedNode.of("a"));
        gate.acquire(1);
        assertThat(gate.times().threadNanos()).isZero();
        Thread second = new Thread(() -> gate.acquire(1));
        second.start();
        while (gate.times().threadNanos() == 0) {
            Thread.onSpinWait(); // a wait that has not ended counts, too
        }
        gate.release(1);
        second.join();
        long waited = gate.times().threadNanos();
        assertThat(waited).isPositive();
        assertThat(gate.times().threadNanos()).isEqualTo(waited);
        assertThat(gate.times().threadHeldBackNanos()).isZero();
    }

    @Test
    void letsARequestAboveTheBoundHaveItsTurnWhileOthersKeepComing() throws InterruptedException {
        Gate gate = fixed(8, 100).gate(NamedNode.of("a"));
        AtomicBoolean through = new AtomicBoolean();
        AtomicInteger pending = new AtomicInteger();
        Thread small = new Thread(() -> {
            for (int i = 0; i < 2_000_000 && !through.get(); i++) {
                gate.acquire(1);
                pending.incrementAndGet();
            }
        });
        Thread large = new Thread(() -> {
            gate.acquire(1_000);
            through.set(true);
            gate.release(1_000);
        });
        // Gives the last permit back only once there is another one, or nobody asks for one.
        Thread server = new Thread(() -> {
            while (small.isAlive() || pending.get() > 0) {
                boolean noMore = !small.isAlive() || small.getState() == Thread.State.WAITING;
                if (pending.get() > (noMore ? 0 : 1)) {
                    pending.decrementAndGet();
                    gate.release(1);
                }
            }
        });
        small.start();
        while (gate.requests() == 0) {
            Thread.onSpinWait();
        }
        large.start();
        server.start();
        small.join();
        assertThat(through).isTrue();
        server.join();
        large.join();
        assertThat(gate.requests()).isZero();
    }

    @Test
    void keepsTheInterruptOfAProducerThatWaits() throws InterruptedException {
        Gate gate = fixed(1, 100).gate(NamedNode.of("a"));
        gate.acquire(1);
        AtomicInteger interrupted = new AtomicInteger();
        Thread producer = new Thread(() -> {
            gate.acquire(1);
            interrupted.set(Thread.currentThread().isInterrupted() ? 1 : -1);
        });
        producer.start();
        Threads.awaitInside(Gate.class, producer);
        producer.interrupt();
        while (producer.isInterrupted()) {
            Thread.onSpinWait(); // until its wait has ended by the interrupt
        }
        Threads.awaitInside(Gate.class, producer);
        assertThat(gate.requests()).isEqualTo(1);
        gate.release(1);
        producer.join();
        assertThat(interrupted).hasValue(1);
        assertThat(gate.requests()).isEqualTo(1);
    }

    @Test
    void countsEachNodeByItself() {
        Limiter limiter = fixed(1, 100);
        Node a = NamedNode.of("a");
        Node b = NamedNode.of("b");
        limiter.gate(a).acquire(10);
        limiter.gate(b).acquire(20);
        limiter.gate(b).force(500);
        assertThat(limiter.gate(a).requests()).isEqualTo(1);
        assertThat(limiter.gate(a).bytes()).isEqualTo(10);
        assertThat(limiter.gate(b).requests()).isEqualTo(2);
        assertThat(limiter.gate(b).bytes()).isEqualTo(520);
    }

    @Test
    void drainsOneNodeAtATimeButDoesNotWaitForOneThatHasNothingToDo() {
        List<Boolean> mayDrain = new ArrayList<>();
        AtomicLong clock = new AtomicLong(1);
        Limiter limiter = new Limiter(
                new Limits(100, 1 << 20, NONE, NONE),
                start -> new LimitController() {
                    @Override
                    public Decision first() {
                        return new Decision(start, 1, 1, /* isDrain */ true, 0, "drains");
                    }

                    @Override
                    public Decision next(Window window, boolean mayDrainNow) {
                        mayDrain.add(mayDrainNow);
                        return first();
                    }
                },
                1 << 20,
                clock::get,
                "test",
                decision -> {});
        Gate idle = limiter.gate(NamedNode.of("a"));
        Gate busy = limiter.gate(NamedNode.of("b"));
        idle.acquire(1);
        for (int i = 0; i < 2; i++) {
            busy.acquire(1);
            busy.ended(1, 1, Outcome.ANSWERED);
            clock.incrementAndGet();
            limiter.adapt();
            if (i == 0) {
                idle.release(1);
            }
        }
        assertThat(mayDrain).containsExactly(false, true);
    }

    /** Compares with counting the nodes that drain and have requests in flight, for each decision. */
    @Test
    void drainsATenthOfTheNodesAtATime() {
        Seeds.times(10, random -> {
            int nodes = 1 + random.nextInt(60);
            boolean[] drains = new boolean[nodes];
            List<Gate> gates = new ArrayList<>();
            AtomicInteger decisions = new AtomicInteger();
            AtomicLong clock = new AtomicLong(1);
            Limiter limiter = new Limiter(
                    new Limits(100, 1 << 20, NONE, NONE),
                    start -> new LimitController() {
                        private final int node = gates.size();

                        @Override
                        public Decision first() {
                            return new Decision(start, 1, 1, drains[node], 0, "random");
                        }

                        @Override
                        public Decision next(Window window, boolean mayDrain) {
                            long others = IntStream.range(0, nodes)
                                    .filter(i -> i != node
                                            && drains[i]
                                            && gates.get(i).requests() > 0)
                                    .count();
                            assertThat(mayDrain).isEqualTo(others < Math.max(1, nodes / 10));
                            decisions.incrementAndGet();
                            drains[node] = random.nextInt(6) == 0;
                            return first();
                        }
                    },
                    1 << 20,
                    clock::get,
                    "test",
                    decision -> {});
            for (int i = 0; i < nodes; i++) {
                gates.add(limiter.gate(NamedNode.of("node" + i)));
            }
            for (int tick = 0; tick < 200; tick++) {
                clock.incrementAndGet();
                for (Gate gate : gates) {
                    if (gate.requests() > 0 && random.nextBoolean()) {
                        gate.ended(1, 1, Outcome.ANSWERED);
                        gate.release(1);
                    } else if (random.nextBoolean()) {
                        gate.force(1);
                    }
                }
                limiter.adapt();
            }
            assertThat(decisions.get()).isGreaterThan(nodes);
        });
    }
}
