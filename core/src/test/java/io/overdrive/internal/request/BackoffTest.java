package io.overdrive.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import org.junit.jupiter.api.Test;

class BackoffTest {
    @Test
    void doublesThePauseUpToItsBoundAndKeepsHalfOfItFixed() {
        Backoff backoff = new Backoff(10_000);
        Seeds.times(5, random -> {
            for (int tries = 1; tries <= 1000; tries++) {
                long full = Math.min(10_000, 50L << Math.min(tries - 1, 20));
                assertThat(backoff.pauseMillis(tries, random)).isBetween(full / 2, full);
            }
        });
    }

    @Test
    void spreadsRequestsThatFailedTogether() {
        Backoff backoff = new Backoff(10_000);
        Seeds.times(5, random -> assertThat(random.ints(1000)
                        .mapToLong(i -> backoff.pauseMillis(8, random))
                        .distinct()
                        .count())
                .isGreaterThan(500));
    }
}
