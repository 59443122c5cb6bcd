package io.overdrive.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AheadTest {
    @Test
    void givesResultsInSequenceAndRunsEachTaskOnce() throws IOException {
        List<Integer> run = new CopyOnWriteArrayList<>();
        try (Ahead<Integer> ahead = new Ahead<>(200, number -> number % 3 != 0, number -> {
            run.add(number);
            return 10 * number;
        })) {
            for (int i = 0; i < 200; i++) {
                assertThat(ahead.take(i)).isEqualTo(10 * i);
            }
        }
        assertThat(run).hasSize(200).doesNotHaveDuplicates();
    }

    @Test
    void runsAsManyAheadAsWereTakenAndNoMoreThanTheLimit() throws IOException {
        Set<Integer> begun = ConcurrentHashMap.newKeySet();
        try (Ahead<Integer> ahead = new Ahead<>(100, number -> begun.add(number), number -> number)) {
            ahead.take(0);
            assertThat(begun).isEmpty();
            ahead.take(1);
            assertThat(begun).containsExactly(2);
            for (int i = 2; i < 50; i++) {
                ahead.take(i);
            }
            assertThat(begun).hasSize(49 + Ahead.MAX - 1);
        }
    }

    @Test
    void sequencesShareTheLimit() throws IOException {
        Set<Integer> begun = ConcurrentHashMap.newKeySet();
        Ahead<Integer> other = new Ahead<>(100, number -> true, number -> number);
        try (Ahead<Integer> ahead = new Ahead<>(100, number -> true, number -> {
            begun.add(number);
            return number;
        })) {
            for (int i = 0; i < 50; i++) {
                assertThat(other.take(i)).isEqualTo(i);
            }
            for (int i = 0; i < 50; i++) {
                assertThat(ahead.take(i)).isEqualTo(i);
            }
            assertThat(begun).hasSize(50); // each when it was taken
            other.close();
            assertThat(ahead.take(50)).isEqualTo(50);
            while (!begun.contains(50 + Ahead.MAX)) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void runsTasksAtOnce() throws IOException {
        CountDownLatch both = new CountDownLatch(2);
        try (Ahead<Integer> ahead = new Ahead<>(5, number -> number > 2, number -> {
            if (number > 2) {
                both.countDown();
                while (both.getCount() > 0) {
                    Thread.onSpinWait();
                }
            }
            return number;
        })) {
            for (int i = 0; i < 5; i++) {
                assertThat(ahead.take(i)).isEqualTo(i);
            }
        }
    }

    @Test
    void aFailureIsThatOfItsTask() throws IOException {
        try (Ahead<Integer> ahead = new Ahead<>(6, number -> true, number -> {
            if (number == 3) {
                throw new IOException("three");
            } else if (number == 4) {
                throw new IllegalStateException("four");
            }
            return number;
        })) {
            for (int i = 0; i < 3; i++) {
                assertThat(ahead.take(i)).isEqualTo(i);
            }
            assertThatThrownBy(() -> ahead.take(3))
                    .isInstanceOf(IOException.class)
                    .hasMessage("three");
            assertThatThrownBy(() -> ahead.take(4))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("four");
            assertThat(ahead.take(5)).isEqualTo(5);
        }
    }

    @Test
    void closesWhatWasNotTaken() throws Exception {
        CountDownLatch opened = new CountDownLatch(3);
        List<Integer> closed = new CopyOnWriteArrayList<>();
        Ahead<Closeable> ahead = new Ahead<>(100, number -> true, number -> {
            opened.countDown();
            return () -> closed.add(number);
        });
        ahead.take(0);
        ahead.take(1);
        ahead.take(2).close();
        opened.await();
        ahead.take(3);
        ahead.take(4);
        ahead.close();
        assertThat(closed).contains(2).doesNotContain(0, 1, 3, 4);
        ahead.close();
    }
}
