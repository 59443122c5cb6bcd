package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A gate in virtual time, with requests that do not wait. */
class GateTest {
    private static final int COST = Gate.REQUEST_COST;

    private long now = 1;
    private final List<String> ran = new ArrayList<>();

    private Gate gate(int maxRequests) {
        return new Gate(maxRequests, 1 << 20, () -> now);
    }

    private void ask(Gate gate, String name, long size) {
        if (gate.acquireOrQueue(size, () -> ran.add(name))) {
            ran.add(name);
        }
    }

    @Test
    void runsWhatIsQueuedInOrderAsPermitsAreReleased() {
        Gate gate = gate(2);
        for (String name : List.of("a", "b", "c", "d")) {
            ask(gate, name, 100);
        }
        assertThat(ran).containsExactly("a", "b");
        gate.release(100);
        assertThat(ran).containsExactly("a", "b", "c");
        gate.release(100);
        gate.release(100);
        assertThat(ran).containsExactly("a", "b", "c", "d");
        gate.release(100);
        assertThat(gate.requests()).isZero();
        assertThat(gate.bytes()).isZero();
    }

    @Test
    void countsHowLongRequestsAreQueuedAndWhetherTheGuardIsTheReason() {
        Gate gate = gate(1);
        ask(gate, "a", 100);
        ask(gate, "b", 100);
        now += 50;
        gate.release(100);
        assertThat(gate.times().queuedNanos()).isEqualTo(50);

        gate.share(0.5);
        ask(gate, "c", 100);
        now += 20;
        assertThat(gate.times().queuedHeldBackNanos()).isEqualTo(20);
        now += 10;
        gate.share(1);
        gate.release(100);
        assertThat(ran).containsExactly("a", "b", "c");
        now += 1000;
        assertThat(gate.times().queuedNanos()).isEqualTo(50);
        assertThat(gate.times().queuedHeldBackNanos()).isEqualTo(30);
        assertThat(gate.times().threadNanos()).isZero();
    }

    @Test
    void addsUpHowLongRequestsWereInFlight() {
        Gate gate = gate(8);
        gate.ended(100, 30, Outcome.ANSWERED);
        gate.ended(100, 50, Outcome.TIMED_OUT);
        assertThat(gate.times().ended()).isEqualTo(2);
        assertThat(gate.times().endedNanos()).isEqualTo(80);
    }

    /** They would use up the stack. */
    @Test
    void doesNotNestRequestsThatFailAtOnce() {
        Gate gate = gate(1);
        ask(gate, "first", 100);
        int[] depth = {0};
        int[] maxDepth = {0};
        for (int i = 0; i < 10_000; i++) {
            gate.acquireOrQueue(100, () -> {
                maxDepth[0] = Math.max(maxDepth[0], ++depth[0]);
                gate.release(100);
                depth[0]--;
            });
        }
        gate.release(100);
        assertThat(maxDepth[0]).isOne();
        assertThat(gate.requests()).isZero();
    }

    @Test
    void aHigherLimitLetsWaitingRequestsGo() {
        Gate gate = gate(100);
        gate.limit(2 * (100 + COST));
        for (int i = 0; i < 5; i++) {
            ask(gate, "r" + i, 100);
        }
        assertThat(gate.requests()).isEqualTo(2);
        gate.limit(4 * (100 + COST));
        assertThat(gate.requests()).isEqualTo(4);
        gate.limit(1);
        gate.release(100);
        gate.release(100);
        gate.release(100);
        assertThat(gate.requests()).as("above a lower limit nothing goes").isOne();
        gate.release(100);
        assertThat(gate.requests()).as("one always goes").isOne();
    }

    @Test
    void aShareOfLessThanOneRequestPausesBetweenRequests() {
        Gate gate = gate(1000);
        gate.limit(4 * (100 + COST));
        gate.share(0.05);
        ask(gate, "a", 100);
        ask(gate, "b", 100);
        assertThat(ran).containsExactly("a");
        pass(Duration.ofMillis(10));
        gate.release(100);
        assertThat(ran)
                .as("a fifth of one request: four times as long as it took")
                .containsExactly("a");
        pass(Duration.ofMillis(39));
        gate.runQueue();
        assertThat(ran).containsExactly("a");
        pass(Duration.ofMillis(2));
        gate.runQueue();
        assertThat(ran).containsExactly("a", "b");
        gate.share(1);
        gate.release(100);
        ask(gate, "c", 100);
        assertThat(ran).endsWith("c");
    }

    @Test
    void aShareLowersEachLimit() {
        Gate gate = gate(100);
        gate.share(0.1);
        for (int i = 0; i < 50; i++) {
            ask(gate, "r", 100);
        }
        assertThat(gate.requests()).isEqualTo(10);
        gate.share(0.2);
        assertThat(gate.requests()).isEqualTo(20);
    }

    @Test
    void aWindowHoldsWhatHappenedInIt() {
        Gate gate = gate(2);
        gate.limit(1 << 20);
        for (int i = 0; i < 3; i++) {
            ask(gate, "r", 100);
        }
        pass(Duration.ofMillis(500));
        gate.ended(100, TimeUnit.MILLISECONDS.toNanos(10), Outcome.ANSWERED);
        gate.ended(100, TimeUnit.MILLISECONDS.toNanos(20), Outcome.ANSWERED);
        gate.ended(100, TimeUnit.MILLISECONDS.toNanos(30), Outcome.ANSWERED);
        gate.ended(100, TimeUnit.MILLISECONDS.toNanos(30), Outcome.OVERLOADED);
        Window window = gate.takeWindow(now);
        assertThat(window.nanos()).isEqualTo(Duration.ofMillis(500).toNanos());
        assertThat(window.answered()).isEqualTo(3);
        assertThat(window.failed()).isOne();
        assertThat(window.cost()).isEqualTo(3 * (100 + COST));
        assertThat(window.medianNanos() / 1e6).isBetween(19.8, 20.2);
        assertThat(window.peakCost()).isEqualTo(2 * (100 + COST));
        assertThat(window.isLimited()).isTrue();
        gate.release(100);
        gate.release(100);
        gate.release(100);
        gate.takeWindow(now);
        assertThat(gate.takeWindow(now)).isEqualTo(new Window(0, 0, 0, 0, 0, 0, 0, 0, false));
    }

    @Test
    void aWindowDoesNotCountTimeWithoutRequests() {
        Gate gate = gate(2);
        pass(Duration.ofHours(1));
        assertThat(gate.windowNanos(now)).isZero();
        ask(gate, "a", 100);
        pass(Duration.ofSeconds(1));
        assertThat(gate.windowNanos(now)).isEqualTo(Duration.ofSeconds(1).toNanos());
    }

    private void pass(Duration duration) {
        now += duration.toNanos();
    }

    @Test
    void aThreadThatWaitsAndQueuedRequestsTakeTurns() throws InterruptedException {
        Gate gate = gate(8); // of which a thread is woken when two are free
        for (int i = 0; i < 8; i++) {
            gate.acquire(100);
        }
        Thread thread = new Thread(() -> {
            gate.acquire(100);
            ran.add("thread");
        });
        thread.start();
        while (!gate.hadWaits()) {
            Thread.onSpinWait();
        }
        ask(gate, "queued", 100);
        ask(gate, "queued later", 100);
        gate.release(100);
        assertThat(ran).containsExactly("queued");
        gate.release(100);
        thread.join();
        assertThat(ran).containsExactly("queued", "thread");
        gate.release(100);
        assertThat(ran).containsExactly("queued", "thread", "queued later");
    }
}
