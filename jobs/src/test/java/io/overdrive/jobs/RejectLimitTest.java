package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RejectLimitTest {
    @Test
    void oneMoreThanTheCountExceedsIt() {
        RejectLimit limit = RejectLimit.parse("2");
        assertThat(limit.isExceeded(2, 2)).isFalse();
        assertThat(limit.isExceeded(3, 1_000_000)).isTrue();
        assertThat(limit.isExceededAtEnd(2, 2)).isFalse();
        assertThat(limit.isExceededAtEnd(3, 3)).isTrue();
    }

    @Test
    void zeroAllowsNoReject() {
        assertThat(RejectLimit.parse("0").isExceeded(0, 10)).isFalse();
        assertThat(RejectLimit.parse("0").isExceeded(1, 10)).isTrue();
        assertThat(RejectLimit.parse("0%").isExceededAtEnd(1, 1_000_000)).isTrue();
    }

    @Test
    void aShareIsNotCheckedForTheFirstFewRecords() {
        RejectLimit limit = RejectLimit.parse(" 1.5% ");
        assertThat(limit.isExceeded(999, 999)).isFalse();
        assertThat(limit.isExceeded(15, 1000)).isFalse();
        assertThat(limit.isExceeded(16, 1000)).isTrue();
    }

    @Test
    void aShareHoldsForAnyNumberOfRecordsAtTheEnd() {
        assertThat(RejectLimit.parse("50%").isExceededAtEnd(1, 2)).isFalse();
        assertThat(RejectLimit.parse("50%").isExceededAtEnd(2, 3)).isTrue();
        assertThat(RejectLimit.parse("50%").isExceededAtEnd(0, 0)).isFalse();
    }

    @Test
    void noLimitIsNeverExceeded() {
        assertThat(RejectLimit.NONE.isExceeded(Long.MAX_VALUE - 1, Long.MAX_VALUE))
                .isFalse();
        assertThat(RejectLimit.parse("100%").isExceededAtEnd(5, 5)).isFalse();
    }

    @Test
    void isPrintedAsWritten() {
        assertThat(RejectLimit.parse("5%")).hasToString("5%");
        assertThat(RejectLimit.parse("0.5%")).hasToString("0.5%");
        assertThat(RejectLimit.parse("100")).hasToString("100");
        assertThat(RejectLimit.NONE).hasToString("none");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "%", "ten", "1.5", "1,000", "-1", "-1%", "101%", "NaN%"})
    void saysWhatALimitIs(String text) {
        assertThatThrownBy(() -> RejectLimit.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "maxRejects is \"" + text + "\", must be a count such as 100, a share such as 0.5%, or none");
    }

    @Test
    void noneMeansNoLimit() {
        assertThat(RejectLimit.parse("none")).isEqualTo(RejectLimit.NONE);
    }
}
