package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ActiveSplitsTest {
    private int wanted = 2;
    private int begun;

    private final ActiveSplits<Integer> active =
            new ActiveSplits<>(() -> wanted, () -> begun < 4 ? Integer.valueOf(begun++) : null);

    @Test
    void beginsAsManyAsWantedAndFurtherOnesWhenTheyAreFinished() {
        assertThat(active.activate()).isEqualTo(0);
        assertThat(active.activate()).isEqualTo(1);
        assertThat(active.activate()).isNull();
        active.finish();
        assertThat(active.activate()).isEqualTo(2);
        assertThat(active.activate()).isNull();
    }

    @Test
    void continuesParkedOnesBeforeItBeginsOthers() {
        active.activate();
        active.activate();
        assertThat(active.makeRoom()).isFalse();
        wanted = 1;
        assertThat(active.makeRoom()).isTrue();
        active.park(1);
        assertThat(active.makeRoom()).as("the last one").isFalse();
        assertThat(active.activate()).isNull();
        wanted = 3;
        assertThat(active.activate()).isEqualTo(1);
        assertThat(active.activate()).isEqualTo(2);
        assertThat(active.activate()).isNull();
    }

    @Test
    void endsAfterTheLast() {
        wanted = 100;
        for (int i = 0; i < 4; i++) {
            assertThat(active.activate()).isEqualTo(i);
        }
        assertThat(active.activate()).isNull();
        assertThat(active.activate()).isNull();
    }

    /** A split, as a scan reads it: its page arrives, a thread takes it, and requests the next one or parks the split. */
    private static final class Reading {
        private int pages;

        Reading(int pages) {
            this.pages = pages;
        }
    }

    @Test
    void losesNoSplitWhileTheWantedNumberChanges() {
        Seeds.times(30, random -> {
            int count = 1 + random.nextInt(200);
            int threads = 1 + random.nextInt(4);
            AtomicInteger next = new AtomicInteger();
            AtomicInteger unfinished = new AtomicInteger(count);
            AtomicInteger changing = new AtomicInteger(1 + random.nextInt(16));
            Queue<Reading> ready = new ConcurrentLinkedQueue<>();
            ActiveSplits<Reading> splits = new ActiveSplits<>(
                    changing::get, () -> next.getAndIncrement() < count ? new Reading(1 + random.nextInt(20)) : null);
            Runnable worker = () -> {
                while (unfinished.get() > 0) {
                    changing.set(1 + (changing.get() * 7 + 3) % 16);
                    activate(splits, ready);
                    Reading reading = ready.poll();
                    if (reading == null) {
                        continue;
                    }
                    reading.pages--;
                    boolean isParked = splits.makeRoom();
                    if (reading.pages == 0) {
                        if (!isParked) {
                            splits.finish();
                        }
                        activate(splits, ready);
                        unfinished.decrementAndGet();
                    } else if (isParked) {
                        splits.park(reading);
                        activate(splits, ready);
                    } else {
                        ready.add(reading);
                    }
                }
            };
            List<Thread> running = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Thread thread = new Thread(worker);
                thread.start();
                running.add(thread);
            }
            for (Thread thread : running) {
                thread.join();
            }
            assertThat(ready).isEmpty();
            assertThat(splits.activate()).isNull();
        });
    }

    private static void activate(ActiveSplits<Reading> splits, Queue<Reading> ready) {
        for (Reading reading = splits.activate(); reading != null; reading = splits.activate()) {
            ready.add(reading);
        }
    }
}
