package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.bench.Figure;
import io.overdrive.bench.experiments.kit.Timeline.Counts;
import io.overdrive.bench.experiments.kit.Timeline.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TimelineTest {
    private static Sample sample(double second, long rows, long failed, int pending) {
        return new Sample(second, new Counts(rows, failed, null), OptionalInt.of(pending));
    }

    @Test
    void aPointHasTheCountsSinceTheOneBefore() {
        Histogram latency = new Histogram(3);
        latency.recordValue(2000);
        List<Sample> samples = List.of(
                new Sample(1, new Counts(100, 0, latency), OptionalInt.of(3)),
                new Sample(3, new Counts(500, 7, null), OptionalInt.empty()));
        assertThat(Timeline.moments(samples))
                .satisfiesExactly(
                        first -> {
                            assertThat(first.second()).isEqualTo(1);
                            assertThat(first.figures())
                                    .containsEntry(Figure.ROWS_PER_SECOND, 100.0)
                                    .containsEntry(Figure.ERRORS, 0.0)
                                    .containsEntry(Figure.P99, 2.0)
                                    .containsEntry(Figure.PENDING_COMPACTIONS, 3.0);
                        },
                        second -> assertThat(second.figures())
                                .containsOnlyKeys(Figure.ROWS_PER_SECOND, Figure.ERRORS)
                                .containsEntry(Figure.ROWS_PER_SECOND, 200.0)
                                .containsEntry(Figure.ERRORS, 7.0));
    }

    @Test
    void doesNotCatchUpOnLateSamples() {
        assertThat(Timeline.nextDue(/* due */ 1000, /* intervalNanos */ 100, /* now */ 1001))
                .isEqualTo(1100);
        assertThat(Timeline.nextDue(1000, 100, 1050)).isEqualTo(1100);
        assertThat(Timeline.nextDue(1000, 100, 1350)).isEqualTo(1400);
    }

    @Test
    void comparesTheLastTenthOfTheRowsWithTheFirst() {
        // 100 rows in 2 s, 800 in 1 s, 100 in 0.5 s
        List<Sample> samples = new ArrayList<>(List.of(sample(2, 100, 0, 0)));
        IntStream.rangeClosed(1, 8).forEach(i -> samples.add(sample(2 + i / 8.0, 100 + 100 * i, 0, 0)));
        samples.add(sample(3.5, 1000, 0, 0));
        assertThat(Timeline.figures(samples).get(Figure.LAST_TENTH)).isCloseTo(4, within(1e-9));
    }

    @Test
    void assumesAConstantRateBetweenSamples() {
        // half of the first tenth in 1 s, and the rest of it in a third of 3 s
        List<Sample> samples = new ArrayList<>(List.of(sample(1, 50, 0, 0), sample(4, 200, 0, 0)));
        IntStream.rangeClosed(1, 8).forEach(i -> samples.add(sample(4 + i, 200 + 100 * i, 0, 0)));
        assertThat(Timeline.figures(samples).get(Figure.LAST_TENTH)).isCloseTo(2, within(1e-9));
    }

    @Test
    void hasNoLastTenthIfThereAreTooFewSamples() {
        assertThat(Timeline.figures(List.of(sample(1, 1000, 0, 0), sample(2, 2000, 0, 0))))
                .doesNotContainKey(Figure.LAST_TENTH);
    }

    @Test
    void reportsTheGrowthOfCompactionsPerMinute() {
        List<Sample> samples = List.of(sample(10, 1, 0, 2), sample(20, 2, 0, 3), sample(30, 3, 0, 4));
        assertThat(Timeline.figures(samples).get(Figure.COMPACTIONS_GROWTH)).isCloseTo(6, within(1e-9));
    }

    @Test
    void hasNoFiguresWithoutRowsOrCompactions() {
        assertThat(Timeline.figures(List.of(sample(1, 0, 0, 5)))).isEmpty();
    }
}
