package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.RowCallback;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class AcknowledgementsTest {
    private final List<Long> called = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();
    private int finished;

    private Acknowledgements acknowledgements(Executor thread) {
        return new Acknowledgements(
                thread, (callback, write, row) -> callback.ended(write.positions[row], null), write -> finished++);
    }

    private WriteRequest write(long... positions) {
        RowCallback[] callbacks = new RowCallback[positions.length];
        for (int i = 0; i < positions.length; i++) {
            callbacks[i] = (position, failure) -> called.add(position);
        }
        return new WriteRequest(0, new byte[0], 0, positions, null, callbacks);
    }

    @Test
    void wakesItsThreadOnceForManyRequests() {
        Acknowledgements acknowledgements = acknowledgements(tasks::add);
        acknowledgements.add(write(1, 2));
        acknowledgements.add(write(3));
        assertThat(called).isEmpty();
        assertThat(tasks).hasSize(1);
        tasks.remove(0).run();
        assertThat(called).containsExactly(1L, 2L, 3L);
        assertThat(finished).isEqualTo(2);
        acknowledgements.add(write(4));
        assertThat(tasks).hasSize(1);
    }

    @Test
    void callsItselfIfThereIsNoMemoryForAThread() {
        Acknowledgements acknowledgements = acknowledgements(task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        acknowledgements.add(write(1));
        acknowledgements.add(write(2));
        assertThat(called).containsExactly(1L, 2L);
        assertThat(finished).isEqualTo(2);
    }
}
