package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.apache.commons.statistics.distribution.ChiSquaredDistribution;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DistributionTest {
    private static final int DRAWS = 200_000;
    private static final int ROWS = 50;

    @Test
    void uniformDrawsEachRowEquallyOften() {
        double[] expected = new double[ROWS];
        Arrays.fill(expected, 1.0 / ROWS);

        assertFits(counts(Distribution.UNIFORM), expected);
    }

    @Test
    void zipfDrawsRowsByTheirRank() {
        double[] expected = new double[ROWS];
        double sum = 0;
        for (int row = 0; row < ROWS; row++) {
            expected[row] = Math.pow(row + 1, -0.99);
            sum += expected[row];
        }
        for (int row = 0; row < ROWS; row++) {
            expected[row] /= sum;
        }

        assertFits(counts(Distribution.ZIPF), expected);
    }

    /** Seeds are fixed, so this always passes or always fails; of a million random seeds one would fail. */
    private static void assertFits(long[] counts, double[] expected) {
        double statistic = 0;
        for (int row = 0; row < ROWS; row++) {
            double mean = expected[row] * DRAWS;
            statistic += (counts[row] - mean) * (counts[row] - mean) / mean;
        }
        assertThat(statistic).isLessThan(ChiSquaredDistribution.of(ROWS - 1).inverseSurvivalProbability(1e-6));
    }

    private static long[] counts(Distribution distribution) {
        LongUnaryOperator rows = distribution.rows(ROWS, 42);
        long[] counts = new long[ROWS];
        for (int n = 0; n < DRAWS; n++) {
            counts[(int) rows.applyAsLong(n)]++;
        }
        return counts;
    }

    @Test
    void sequentialTakesKeysInOrderAndStartsOver() {
        LongUnaryOperator rows = Distribution.SEQUENTIAL.rows(3, 42);

        assertThat(new long[] {
                    rows.applyAsLong(0), rows.applyAsLong(2), rows.applyAsLong(3), rows.applyAsLong(3_000_001)
                })
                .containsExactly(0, 2, 0, 1);
    }

    @ParameterizedTest
    @EnumSource
    void theRowOfAnOperationDoesNotDependOnEarlierOnes(Distribution distribution) {
        LongUnaryOperator one = distribution.rows(1_000_000, 7);
        LongUnaryOperator other = distribution.rows(1_000_000, 7);
        for (int n = 0; n < 1000; n++) {
            assertThat(one.applyAsLong(n)).isBetween(0L, 999_999L);
        }

        assertThat(one.applyAsLong(123_456)).isEqualTo(other.applyAsLong(123_456));
    }

    @Test
    void refusesMoreRowsThanZipfCanDrawFrom() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Distribution.ZIPF.rows(1L << 31, 1))
                .withMessage("distribution zipf draws from at most 2147483647 keys, not 2147483648: use fewer keys, or"
                        + " uniform");
    }
}
