package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GuardLimitTest {
    @Test
    void readsATimeOrAFactor() {
        assertThat(GuardLimit.parse("p99=20ms")).isEqualTo(GuardLimit.p99(Duration.ofMillis(20)));
        assertThat(GuardLimit.parse("p99=2.5ms")).isEqualTo(GuardLimit.p99(Duration.ofNanos(2_500_000)));
        assertThat(GuardLimit.parse("p99=1.5s")).isEqualTo(GuardLimit.p99(Duration.ofMillis(1500)));
        assertThat(GuardLimit.parse("1.2x")).isEqualTo(GuardLimit.relative(1.2));
        assertThat(GuardLimit.parse("2x")).isEqualTo(GuardLimit.relative(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"p99=20ms", "p99=2.5ms", "1.2x", "10x"})
    void printsWhatItReads(String text) {
        assertThat(GuardLimit.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "20ms", "p99=20", "p99 = 20ms", "p95=20ms", "1.2", "x", "-2x", "p99=-1ms", "fast"})
    void refusesOtherTextAndShowsBothForms(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardLimit.parse(text))
                .withMessage("guard is \"" + text
                        + "\", must be p99=20ms (the latency of the cluster's users to keep to) or 1.2x (times their"
                        + " latency before the job)");
    }

    @Test
    void refusesLimitsThatCannotBeKept() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardLimit.parse("p99=0.05ms"))
                .withMessage("guard is p99=0.05ms, must be p99=0.1ms to p99=60s");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GuardLimit.parse("p99=61s"))
                .withMessage("guard is p99=61000ms, must be p99=0.1ms to p99=60s");
        for (String factor : new String[] {"1x", "0.5x", "101x", "0x"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> GuardLimit.parse(factor))
                    .withMessage("guard is " + factor + ", must be more than 1x and at most 100x: 1.2x allows a latency"
                            + " of 1.2 times that before the job");
        }
    }
}
