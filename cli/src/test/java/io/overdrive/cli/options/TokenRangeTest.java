package io.overdrive.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.Seeds;
import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class TokenRangeTest {
    private static List<Range> parse(String text) {
        return TokenRange.parseAll("--token-range", text);
    }

    @Test
    void readsWhatItWrites() {
        Seeds.times(100, random -> {
            long one = random.nextLong();
            long other = random.nextInt(4) == 0 ? Long.MIN_VALUE : random.nextLong();
            if (one != other) {
                Range range = new Range(Math.min(one, other), Math.max(one, other));
                assertThat(parse(TokenRange.text(range))).containsExactly(range);
            }
        });
        assertThat(parse(TokenRange.text(Split.WHOLE_RING))).containsExactly(Split.WHOLE_RING);
        List<Range> several = List.of(new Range(Long.MIN_VALUE, -5), new Range(0, 7), new Range(8, Long.MAX_VALUE));
        assertThat(parse(TokenRange.text(several))).isEqualTo(several);
        assertThat(parse(" -5 , 7 ")).containsExactly(new Range(-5, 7));
    }

    @Test
    void aRangeThatEndsBeforeItsStartContinuesAtTheLowestToken() {
        assertThat(parse("7,-5")).containsExactly(new Range(Long.MIN_VALUE, -5), new Range(7, Long.MAX_VALUE));
        assertThat(parse("7," + Long.MIN_VALUE)).containsExactly(new Range(7, Long.MAX_VALUE));
        assertThat(parse(Long.MAX_VALUE + ",-5")).containsExactly(new Range(Long.MIN_VALUE, -5));
    }

    @Test
    void refusesOtherTextAndRangesWithoutAToken() {
        for (String text : List.of("", ",", "5", "1,2,3", "x,5", "5,x", "5;7", "1e3,5", "0,9223372036854775808")) {
            assertThatIllegalArgumentException()
                    .as(text)
                    .isThrownBy(() -> parse(text))
                    .withMessage(
                            "--token-range \"" + text + "\" is not a token range: write START,END, two whole numbers"
                                    + " from -9223372036854775808 to 9223372036854775807, such as 0,4611686018427387904");
        }
        for (String text : List.of("5,5", Long.MAX_VALUE + "," + Long.MIN_VALUE)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> parse(text))
                    .withMessage(
                            "--token-range \"" + text + "\" has no token: a range is greater than START and at most"
                                    + " END; all tokens are -9223372036854775808,9223372036854775807");
        }
    }

    @Test
    void aSampleHasItsShareOfTheTokensAllAroundTheRing() {
        for (double percent : new double[] {0.0001, 1, 12.5, 50, 99.9}) {
            List<Range> ranges = TokenRange.sample("--sample", percent + "%");
            assertThat(ranges).hasSize(256);
            double tokens = 0;
            for (int i = 0; i < ranges.size(); i++) {
                Range range = ranges.get(i);
                assertThat(range.start()).isLessThan(range.end());
                tokens += (double) range.end() - range.start();
                assertThat(range.start())
                        .isGreaterThan(
                                i == 0 ? Long.MIN_VALUE : ranges.get(i - 1).end());
            }
            assertThat(tokens / 0x1p64 * 100).isCloseTo(percent, Offset.offset(1e-6));
            assertThat(ranges.get(128).start()).isPositive();
        }
    }
}
