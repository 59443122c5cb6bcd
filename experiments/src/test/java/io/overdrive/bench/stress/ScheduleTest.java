package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    private static final long START = -5_000_000_000L; // nanoTime may be anything

    @Test
    void isExactAfterAnHourIfTheIntervalIsNotAWholeNumberOfNanoseconds() {
        long rate = 1_500_000; // every 666.67 ns
        long hour = 3600;

        assertThat(new Schedule(START, rate).dueNanos(rate * hour)).isEqualTo(START + TimeUnit.SECONDS.toNanos(hour));
        assertThat(new Schedule(START, 3).dueNanos(1)).isEqualTo(START + 333_333_333);
        assertThat(new Schedule(START, 3).dueNanos(2)).isEqualTo(START + 666_666_666);
    }

    @Test
    void startsAtOnce() {
        assertThat(new Schedule(START, 7).dueNanos(0)).isEqualTo(START);
        assertThat(new Schedule(START, 7).dueBefore(START)).isZero();
        assertThat(new Schedule(START, 7).dueBefore(START - 1)).isZero();
        assertThat(new Schedule(START, 7).dueBefore(START + 1)).isEqualTo(1);
    }

    @Test
    void hasTheNumberOfOperationsPerSecondThatTheRateRequires() {
        for (long rate : new long[] {1, 999, 4_001, StressOptions.MAX_RATE}) {
            assertThat(new Schedule(START, rate).dueBefore(START + TimeUnit.SECONDS.toNanos(60)))
                    .isEqualTo(60 * rate);
        }
    }

    @Test
    void countsAnOperationAsDueOnceItsTimeHasCome() {
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            Schedule schedule = new Schedule(START, 1 + random.nextInt((int) StressOptions.MAX_RATE));
            long n = random.nextLong(1L << 40);

            assertThat(schedule.dueBefore(schedule.dueNanos(n))).isEqualTo(n);
            assertThat(schedule.dueBefore(schedule.dueNanos(n) + 1)).isEqualTo(n + 1);
        }
    }
}
