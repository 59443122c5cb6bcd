package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadMetricsTest {
    private static final ReadMetrics.LimitedBy LIMITED_BY = new ReadMetrics.LimitedBy();

    @Test
    void limitedByWhatTookMostOfTheTime() {
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {Packed.of(100, 80, 0), Packed.of(100, 40, 0)}))
                .isEqualTo("the cluster, 60 % of their time");
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {Packed.of(100, 20, 0), Packed.of(300, 20, 60)}))
                .isEqualTo("Spark's tasks, 75 % of their time");
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {0, Packed.of(100, 20, 70)}))
                .isEqualTo("the rate limit, 70 % of their time");
    }

    @Test
    void nothingIsSaidWithoutFigures() {
        assertThat(LIMITED_BY.aggregateTaskMetrics(new long[] {0, 0})).isEmpty();
        assertThat(new ReadMetrics.EstimatedTime().aggregateTaskMetrics(new long[0]))
                .isEmpty();
    }

    @Test
    void threeNumbersFitIntoOne() {
        long packed = Packed.of(1, 2_000_000, 7);
        assertThat(Packed.first(packed)).isOne();
        assertThat(Packed.second(packed)).isEqualTo(2_000_000);
        assertThat(Packed.third(packed)).isEqualTo(7);
        assertThat(Packed.second(Packed.of(0, Long.MAX_VALUE, 0))).isEqualTo((1 << 21) - 1);
        assertThat(Packed.of(Long.MAX_VALUE, 0, 0)).isPositive();
    }
}
