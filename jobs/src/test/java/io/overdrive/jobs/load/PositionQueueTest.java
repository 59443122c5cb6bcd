package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64Bitmap;

class PositionQueueTest {
    private static final int MANY = 100_000;

    @Test
    void givesEachPositionOnce() {
        PositionQueue queue = new PositionQueue();
        List<Long> taken = new ArrayList<>();
        for (int round = 0; round < 3; round++) {
            long start = (long) round * MANY;
            queue.add(LongStream.range(start, start + MANY / 2).toArray());
            for (long i = start + MANY / 2; i < start + MANY; i++) {
                queue.add(new long[] {i});
            }
            queue.drain(taken::add);
            assertThat(taken).hasSize((round + 1) * MANY);
        }
        assertThat(taken).isEqualTo(LongStream.range(0, 3L * MANY).boxed().toList());
    }

    @Test
    void forgetsWhatIsTooMuch() {
        PositionQueue queue = new PositionQueue();
        long[] some = LongStream.range(0, 1 << 20).toArray();
        for (int i = 0; i < 10; i++) {
            queue.add(some);
        }
        long[] count = new long[1];
        queue.drain(position -> count[0]++);
        assertThat(count[0]).isEqualTo(257L << 14);
        queue.add(new long[] {7});
        queue.drain(position -> assertThat(position).isEqualTo(7));
    }

    @Test
    void manyThreadsAddWhileOneDrains() throws Exception {
        PositionQueue queue = new PositionQueue();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            long start = (long) t * MANY;
            Thread thread = new Thread(() -> {
                for (long i = start; i < start + MANY; i += 2) {
                    queue.add(new long[] {i, i + 1});
                }
            });
            threads.add(thread);
            thread.start();
        }
        Roaring64Bitmap taken = new Roaring64Bitmap();
        long[] count = new long[1];
        boolean running = true;
        while (running) {
            running = threads.stream().anyMatch(Thread::isAlive);
            queue.drain(position -> {
                taken.addLong(position);
                count[0]++;
            });
        }
        assertThat(taken.getLongCardinality()).isEqualTo(4L * MANY).isEqualTo(count[0]);
    }
}
