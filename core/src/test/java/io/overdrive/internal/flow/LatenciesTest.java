package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.Latency;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    private final Latencies latencies = new Latencies();

    private static void assertAbout(Duration got, double millis) {
        assertThat(got.toNanos() / 1e6).isCloseTo(millis, within(0.01 * millis));
    }

    @Test
    void areZeroWithoutRequests() {
        assertThat(latencies.snapshot()).isEqualTo(Latency.NONE);
    }

    @Test
    void haveThePercentilesToOnePercent() {
        for (int millis = 1; millis <= 10_000; millis++) {
            latencies.record(TimeUnit.MILLISECONDS.toNanos(millis));
        }
        Latency latency = latencies.snapshot();
        assertAbout(latency.p50(), 5000);
        assertAbout(latency.p99(), 9900);
        assertAbout(latency.p999(), 9990);
        assertAbout(latency.max(), 10_000);
    }

    @Test
    void coverAllRequestsAndNotOnlyThoseSinceTheLastSnapshot() {
        latencies.record(TimeUnit.SECONDS.toNanos(10));
        assertAbout(latencies.snapshot().max(), 10_000);
        latencies.record(TimeUnit.MILLISECONDS.toNanos(1));
        assertAbout(latencies.snapshot().max(), 10_000);
        assertAbout(latencies.snapshot().p50(), 1);
    }

    @Test
    void countMoreThanAnHourAsAnHour() {
        latencies.record(TimeUnit.DAYS.toNanos(3));
        assertAbout(latencies.snapshot().max(), TimeUnit.HOURS.toMillis(1));
    }
}
