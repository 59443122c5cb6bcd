package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.ring.Murmur3;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyPositionsTest {
    private static long hash(long key) {
        byte[] bytes = new byte[8];
        io.overdrive.internal.codec.Bytes.setLong(bytes, 0, key);
        return Murmur3.token(bytes, 0, 8);
    }

    @Test
    void rowsOfAKeyHaveDistinctPositionsInAllTasks() {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            int tasks = 1 + random.nextInt(20);
            int keys = 1 + random.nextInt(50);
            Map<Integer, Set<Long>> taken = new HashMap<>();
            for (int task = 0; task < tasks; task++) {
                long atLeast = random.nextInt(3) * 7L;
                KeyPositions positions = new KeyPositions(tasks, task, atLeast);
                Map<Integer, Long> last = new HashMap<>();
                long max = -1;
                for (int row = random.nextInt(300); row > 0; row--) {
                    int key = random.nextInt(keys);
                    long position = positions.next(hash(key));
                    assertThat(position).isGreaterThanOrEqualTo(atLeast);
                    assertThat(taken.computeIfAbsent(key, any -> new HashSet<>())
                                    .add(position))
                            .as("seed %d, key %d", seed, key)
                            .isTrue();
                    Long before = last.put(key, position);
                    assertThat(before == null || before < position)
                            .as("the later row of a task wins")
                            .isTrue();
                    max = Math.max(max, position);
                }
                assertThat(positions.end()).isGreaterThan(max);
            }
        }
    }

    @Test
    void aTaskThatRunsAgainGivesTheSamePositions() {
        KeyPositions first = new KeyPositions(7, 3, 0);
        KeyPositions second = new KeyPositions(7, 3, 0);
        for (long key = 0; key < 10_000; key++) {
            assertThat(second.next(hash(key % 5000))).isEqualTo(first.next(hash(key % 5000)));
        }
    }

    /** A job of 200 tasks with a million rows each takes more than 100,000 microseconds. */
    @Test
    void positionsGrowByAFractionOfTheRowsHoweverManyTasksThereAre() {
        KeyPositions positions = new KeyPositions(200, 199, 0);
        for (long key = 0; key < 1_000_000; key++) {
            positions.next(hash(key));
        }
        assertThat(positions.end()).isLessThan(100_000);
    }
}
