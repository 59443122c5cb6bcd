package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PacerTest {
    private static final long NONE = Long.MAX_VALUE;
    private static final long SECOND = 1_000_000_000;

    private long now = -3 * SECOND;

    @Test
    void keepsTheRateLimitInRows() {
        Pacer pacer = pacer(5_000, NONE);
        // 6,000 rows, of which a tenth of a second's worth may come at once, and the last call waits only for its start
        assertThat(nanos(pacer, 10, 1, 600)).isEqualTo(SECOND * 11 / 10 - SECOND / 500);
        assertThat(pacer.waitedNanos()).isEqualTo(SECOND * 11 / 10 - SECOND / 500);
    }

    @Test
    void keepsTheRateLimitInBytes() {
        assertThat(nanos(pacer(NONE, 1_000_000), 1, 1_000, 1_001)).isEqualTo(SECOND * 9 / 10);
    }

    @Test
    void keepsTheLowerOfTwoLimits() {
        assertThat(nanos(pacer(1_000, 1_000), 10, 1, 101)).isEqualTo(SECOND * 9 / 10);
        assertThat(nanos(pacer(1_000, 1_000), 1, 10, 101)).isEqualTo(SECOND * 9 / 10);
    }

    @Test
    void whatIsReservedHasToPassBeforeMoreIsReady() {
        Pacer pacer = pacer(1_000, NONE);
        assertThat(pacer.isReady()).isTrue();
        pacer.reserve(100, 1); // what was unused in the last tenth of a second
        assertThat(pacer.isReady()).isTrue();
        pacer.reserve(500, 1);
        assertThat(pacer.isReady()).isFalse();
        now += SECOND / 2 - 1;
        assertThat(pacer.isReady()).isFalse();
        now += 1;
        assertThat(pacer.isReady()).isTrue();
        assertThat(pacer.waitedNanos()).isZero();
        pacer.reserve(10_000, 1);
        pacer.cancel();
        assertThat(pacer.isReady()).isTrue();
    }

    @Test
    void keepsATenthOfASecondOfUnusedTime() {
        Pacer pacer = pacer(1_000, NONE);
        nanos(pacer, 1, 0, 500);
        now += 60 * SECOND;
        assertThat(nanos(pacer, 1, 0, 101)).isZero();
        assertThat(nanos(pacer, 1, 0, 1)).isEqualTo(SECOND / 1_000);
    }

    @Test
    void doesNotWaitWithoutLimits() {
        assertThat(nanos(pacer(NONE, NONE), Integer.MAX_VALUE, NONE, 10)).isZero();
    }

    @Test
    void countsTimeThatASleepTookTooLong() {
        Pacer pacer = new Pacer(1_000, NONE, () -> now, nanos -> now += nanos + SECOND / 1_000);
        nanos(pacer, 1, 0, 1_101);
        assertThat(pacer.waitedNanos()).isBetween(SECOND, SECOND + SECOND / 500);
    }

    @Test
    void liftsTheLimitsForThreadsThatWaitAndThoseThatComeLater() {
        List<Long> sleeps = new ArrayList<>();
        Pacer[] pacer = new Pacer[1];
        pacer[0] = new Pacer(1, NONE, () -> now, nanos -> {
            sleeps.add(nanos);
            now += nanos;
            if (sleeps.size() == 3) {
                pacer[0].cancel();
            }
        });
        pacer[0].pace(1_000_000, 0);
        pacer[0].pace(1, 0);
        pacer[0].pace(1, 0);
        assertThat(sleeps).containsExactly(SECOND / 10, SECOND / 10, SECOND / 10);
    }

    @Test
    void waitsOnAfterAnInterruptAndKeepsIt() {
        Pacer pacer = new Pacer(1_000, NONE, () -> now, nanos -> {
            now += nanos / 2 + 1;
            Thread.currentThread().interrupt();
        });
        assertThat(nanos(pacer, 1, 0, 101)).isZero();
        assertThat(nanos(pacer, 1, 0, 1)).isGreaterThanOrEqualTo(SECOND / 1_000);
        assertThat(Thread.interrupted()).isTrue();
    }

    private Pacer pacer(long rowsPerSecond, long bytesPerSecond) {
        return new Pacer(rowsPerSecond, bytesPerSecond, () -> now, nanos -> now += nanos);
    }

    private long nanos(Pacer pacer, int rows, long bytes, int calls) {
        long start = now;
        for (int i = 0; i < calls; i++) {
            pacer.pace(rows, bytes);
        }
        return now - start;
    }
}
