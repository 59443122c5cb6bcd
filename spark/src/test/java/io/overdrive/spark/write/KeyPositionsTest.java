package io.overdrive.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.internal.ring.Murmur3;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
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
                KeyPositions positions = new KeyPositions(tasks, task, /* attempt */ random.nextInt(2));
                Map<Integer, Long> last = new HashMap<>();
                long max = -1;
                for (int row = random.nextInt(300); row > 0; row--) {
                    int key = random.nextInt(keys);
                    long position = positions.next(hash(key));
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
    void attemptsOfATaskHaveDistinctPositionsInTheSamePlaces() {
        for (int tasks : new int[] {1, 2, 7, 200}) {
            for (int task = 0; task < tasks; task++) {
                List<KeyPositions> attempts = new ArrayList<>();
                for (int attempt : new int[] {0, 1, 2, 3, 16}) {
                    attempts.add(new KeyPositions(tasks, task, attempt));
                }
                long last = -1;
                for (int row = 0; row < 5; row++) {
                    List<Long> positions = attempts.stream()
                            .map(attempt -> attempt.next(hash(1)))
                            .sorted()
                            .toList();
                    assertThat(positions).doesNotHaveDuplicates();
                    assertThat(positions.get(0))
                            .as("a later row wins, whichever attempt writes it")
                            .isGreaterThan(last);
                    last = positions.get(positions.size() - 1);
                }
            }
        }
    }

    /** Blocks of a shuffle come in any order. */
    @Test
    void oneRowOfAKeyWinsAsAWholeHoweverAttemptsAreOrderedAndWhereverTheyEnd() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            List<Integer> rows = new ArrayList<>(List.of(0, 1, 2, 3, 4));
            Map<Long, Integer> written = new HashMap<>();
            for (int attempt = 0; attempt < 4; attempt++) {
                Collections.shuffle(rows, random);
                KeyPositions positions = new KeyPositions(3, 1, attempt);
                int end = attempt == 3 ? rows.size() : random.nextInt(rows.size());
                for (int other = random.nextInt(4); other > 0; other--) {
                    positions.next(hash(7)); // another key in the same bucket
                }
                for (int row : rows.subList(0, end)) {
                    Integer before = written.put(positions.next(hash(7)), row);
                    assertThat(before).as("seed %d", seed).isNull();
                }
            }
        }
    }

    /** A job of 200 tasks with a million rows each takes more than 200,000 microseconds. */
    @Test
    void positionsGrowByAFractionOfTheRowsHoweverManyTasksThereAre() {
        KeyPositions positions = new KeyPositions(200, 199, 1);
        for (long key = 0; key < 1_000_000; key++) {
            positions.next(hash(key));
        }
        assertThat(positions.end()).isLessThan(200_000);
    }
}
