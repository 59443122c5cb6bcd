package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.Split.Range;
import java.util.List;
import org.junit.jupiter.api.Test;

class SplitTest {
    @Test
    void refusesAnEmptyRange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Range(5, 5))
                .withMessage("the token range (5, 5] is empty");
    }

    @Test
    void refusesRangesThatOverlapOrAreOutOfOrder() {
        Range low = new Range(0, 10);
        Range high = new Range(10, 20);
        assertThat(new Split(List.of(low, high), List.of(), 0).ranges()).containsExactly(low, high);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Split(List.of(high, low), List.of(), 0))
                .withMessage("token ranges overlap or are out of order: [(10, 20], (0, 10]]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Split(List.of(low, new Range(9, 20)), List.of(), 0))
                .withMessage("token ranges overlap or are out of order: [(0, 10], (9, 20]]");
    }

    @Test
    void whatIsLeftAfterATokenHasTheLaterTokensOnly() {
        Split split = new Split(List.of(new Range(0, 10), new Range(20, 30)), List.of("10.0.0.1"), 7);
        assertThat(split.after(-1)).isEqualTo(new Split(split.ranges(), List.of(), 0));
        assertThat(split.after(4)).isEqualTo(new Split(List.of(new Range(4, 10), new Range(20, 30)), List.of(), 0));
        assertThat(split.after(10)).isEqualTo(new Split(List.of(new Range(20, 30)), List.of(), 0));
        assertThat(split.after(15)).isEqualTo(split.after(10));
        assertThat(split.after(29)).isEqualTo(new Split(List.of(new Range(29, 30)), List.of(), 0));
        assertThat(split.after(30)).isNull();
    }
}
