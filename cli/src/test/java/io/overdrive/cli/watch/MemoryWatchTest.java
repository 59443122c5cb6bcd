package io.overdrive.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class GarbageWatchTest {
    private static final Offset<Double> NEAR = Offset.offset(0.001);

    private final GarbageWatch.Shares shares = new GarbageWatch.Shares();

    private double at(int second, long collectedMillis) {
        return shares.add(TimeUnit.SECONDS.toNanos(second), collectedMillis);
    }

    @Test
    void countsTheLastMinuteOnly() {
        for (int second = 0; second < 60; second++) {
            assertThat(at(second, 1000L * second))
                    .as("before a minute has passed")
                    .isZero();
        }
        assertThat(at(60, 60_000)).isCloseTo(1, NEAR);
        assertThat(at(61, 60_000)).isCloseTo(59 / 60.0, NEAR);
        for (int second = 62; second <= 120; second++) {
            at(second, 60_000);
        }
        assertThat(at(121, 60_000)).isZero();
        assertThat(at(151, 75_000)).isCloseTo(0.25, NEAR);
    }

    /** Threads hardly run if all time goes into collecting garbage. */
    @Test
    void countsIfItRunsSeldom() {
        assertThat(at(0, 0)).isZero();
        assertThat(at(45, 44_000)).isZero();
        assertThat(at(100, 98_000)).isCloseTo(0.98, NEAR);
        assertThat(at(300, 290_000)).isCloseTo(192 / 200.0, NEAR);
    }
}
