package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
    private static Latency.Histogram of(int bucket, long count) {
        List<Long> counts = new ArrayList<>(Latency.Histogram.NONE.counts());
        counts.set(bucket, count);
        return new Latency.Histogram(counts, Duration.ofMillis(count));
    }

    @Test
    void boundsDoubleFromAQuarterOfAMillisecond() {
        assertThat(Latency.Histogram.BOUNDS)
                .startsWith(Duration.ofNanos(250_000), Duration.ofNanos(500_000), Duration.ofMillis(1))
                .endsWith(Duration.ofMillis(32_768));
    }

    @Test
    void quantilesAreInTheirBucket() {
        Latency.Histogram latency = of(3, 100).plus(of(10, 100));
        assertThat(latency.count()).isEqualTo(200);
        assertThat(latency.sum()).isEqualTo(Duration.ofMillis(200));
        assertThat(latency.quantile(0.25)).isEqualTo(Duration.ofNanos(1_500_000));
        assertThat(latency.quantile(0.5)).isEqualTo(Duration.ofMillis(2));
        assertThat(latency.quantile(0.99)).isBetween(Duration.ofMillis(128), Duration.ofMillis(256));
        assertThat(latency.quantile(1)).isEqualTo(Duration.ofMillis(256));
        assertThat(latency.quantile(0)).isEqualTo(Duration.ofMillis(1));
    }

    @Test
    void quantilesOfTheLastBucketAreItsLowerBound() {
        assertThat(of(Latency.Histogram.BOUNDS.size(), 1).quantile(0.5)).isEqualTo(Duration.ofMillis(32_768));
    }

    @Test
    void hasNoQuantileWithoutRequests() {
        assertThat(Latency.Histogram.NONE.quantile(0.99)).isZero();
        assertThat(Latency.Histogram.NONE.count()).isZero();
    }

    @Test
    void refusesOtherBuckets() {
        assertThatThrownBy(() -> new Latency.Histogram(Collections.nCopies(3, 0L), Duration.ZERO))
                .hasMessage("counts has 3 elements, must have 19");
    }
}
