package io.overdrive.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PatienceTest {
    private static final long MAX = Duration.ofMinutes(5).toNanos();
    private final Random random = new Random(1);
    private final Patience patience = new Patience();

    @Test
    void goesByTimeHoweverManyRefusals() {
        long now = 77;
        for (int i = 0; i < 1000; i++) {
            assertThat(patience.refused("overloaded", now, MAX, random)).isBetween(25L, 3_000L);
        }
        assertThat(patience.waitedNanos(now + 5)).isEqualTo(5);
    }

    @Test
    void isUsedUpAfterItsTimeAndSaysWhatForAndWhichOptionSetsIt() {
        assertThat(patience.refused("first", 0, MAX, random)).isPositive();
        assertThat(patience.refused("node a does not answer", MAX - 1, MAX, random))
                .as("one retry when the time is almost up")
                .isOne();
        assertThat(patience.refused("node a does not answer", MAX, MAX, random)).isNegative();
        assertThat(patience.usedUp(MAX).inJava())
                .isEqualTo("node a does not answer; gave up after 300 s, which is set by patience");
    }

    @Test
    void startsOverOnceTheRequestWasTaken() {
        patience.refused("overloaded", 0, MAX, random);
        patience.reset();
        assertThat(patience.waitedNanos(MAX)).isZero();
        assertThat(patience.refused("overloaded", 2 * MAX, MAX, random)).isPositive();
        assertThat(patience.waitedNanos(2 * MAX + 1)).isOne();
    }
}
