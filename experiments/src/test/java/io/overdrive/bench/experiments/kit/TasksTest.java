package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TasksTest {
    private final ConcurrentLinkedQueue<Integer> done = new ConcurrentLinkedQueue<>();

    @Test
    void runsEachTaskOnceAndTheRequestedNumberAtATime() {
        CyclicBarrier three = new CyclicBarrier(3);
        Tasks.run(9, 3, () -> false, number -> {
            await(three); // returns only if three run at the same time
            done.add(number);
        });
        assertThat(done)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 9).boxed().toList());
    }

    @Test
    void startsNoTaskAfterAFailure() {
        assertThatThrownBy(() -> Tasks.run(100, 1, () -> false, number -> {
                    done.add(number);
                    if (number == 3) {
                        throw new IllegalStateException("three");
                    }
                }))
                .hasMessage("three");
        assertThat(done).containsExactly(0, 1, 2, 3);
    }

    @Test
    void startsNoTaskAfterAStop() {
        AtomicBoolean stopped = new AtomicBoolean();
        Tasks.run(100, 1, stopped::get, number -> {
            done.add(number);
            stopped.set(number == 1);
        });
        assertThat(done).containsExactly(0, 1);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
