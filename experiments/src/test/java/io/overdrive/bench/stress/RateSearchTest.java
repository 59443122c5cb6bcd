package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.stress.RateSearch.Found;
import io.overdrive.bench.stress.RateSearch.Step;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateSearchTest {
    /** A server with a maximum number of operations a second; the closer the rate is to it, the slower it answers, like a queue. */
    private static StressResult serve(long rate, double capacity, long failed) {
        long due = 5 * rate;
        double achieved = Math.min(rate, capacity);
        double millis = rate < capacity ? 1 / (1 - rate / capacity) : 1000;
        Latency latency = new Latency(due, millis, millis, millis, millis, millis, millis);
        Interval all = new Interval(
                0, due / achieved, due, due, due - failed, failed, 0, 0, 0, 0, 0, latency, latency, Map.of(), Map.of());
        return new StressResult(rate, all, 0, 0, Map.of(), 0, true);
    }

    private static Found search(LongFunction<StressResult> server, @Nullable Duration p99) {
        return RateSearch.search(server, 1000, p99, step -> {});
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 700, 1000, 5_300, 97_000, 3_000_000})
    void findsTheRateThatAServerSustains(long capacity) {
        Found found = search(rate -> serve(rate, capacity, 0), null);

        // a rate counts as sustained up to 3 % above what is achieved
        assertThat((double) found.rate()).isBetween(0.95 * capacity - 1, 1.031 * capacity);
        Step last = found.steps().get(found.steps().size() - 1);
        assertThat(last.held()).isTrue();
        assertThat(last.rate()).isEqualTo(found.rate());
        assertThat(found.steps()).hasSizeLessThan(40);
    }

    @Test
    void staysBelowTheAllowedLatency() {
        Found found = search(rate -> serve(rate, 10_000, 0), Duration.ofMillis(4));

        assertThat((double) found.rate()).isBetween(7_100.0, 7_500.0); // 1 / (1 - 0.75) = 4
        assertThat(found.steps())
                .anySatisfy(step -> assertThat(step.whyNot()).isEqualTo("p99 was 5.0 ms, more than 4.0"));
    }

    @Test
    void isNotMisledByOneBadTrial() {
        Set<Long> tried = new HashSet<>();
        Found found = search(rate -> serve(rate, tried.add(rate) ? 500 : 8_000, 0), null);

        assertThat(found.rate()).isGreaterThan(7_500);
    }

    @Test
    void lowersTheRateIfItIsNotSustainedAgain() {
        int[] trials = {0};
        Found found = search(rate -> serve(rate, trials[0]++ < 12 ? 8_000 : 6_000, 0), null);

        assertThat((double) found.rate()).isBetween(5_500.0, 6_200.0);
    }

    @Test
    void countsTrialsWithFailuresAsNotSustained() {
        Found found = search(rate -> serve(rate, 1e9, rate > 2_000 ? rate : 0), null);

        assertThat((double) found.rate()).isBetween(1_900.0, 2_000.0);
        assertThat(found.steps())
                .anySatisfy(step -> assertThat(step.whyNot()).isEqualTo("4000 of 20000 operations failed"));
    }

    @Test
    void findsNothingIfNoRateIsSustained() {
        Found found = search(rate -> serve(rate, 0.5, 0), null);

        assertThat(found.rate()).isZero();
    }
}
