package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Latency;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeCountsTest {
    @Test
    void putsALatencyThatIsABoundIntoTheBucketBelow() {
        List<Duration> bounds = Latency.Histogram.BOUNDS;
        for (int i = 0; i < bounds.size(); i++) {
            long bound = bounds.get(i).toNanos();
            assertThat(NodeCounts.bucket(bound)).isEqualTo(i);
            assertThat(NodeCounts.bucket(bound + 1)).isEqualTo(i + 1);
        }
        assertThat(NodeCounts.bucket(0)).isZero();
        assertThat(NodeCounts.bucket(-1)).as("of a clock that went back").isZero();
        assertThat(NodeCounts.bucket(Long.MAX_VALUE)).isEqualTo(bounds.size());
    }

    @Test
    void hasLatenciesOfAnsweredRequestsOnly() {
        NodeCounts counts = new NodeCounts();
        counts.ended(10, Duration.ofMillis(3).toNanos(), Outcome.ANSWERED);
        counts.ended(20, Duration.ofSeconds(5).toNanos(), Outcome.TIMED_OUT);
        assertThat(counts.latency().count()).isOne();
        assertThat(counts.latency().sum()).isEqualTo(Duration.ofMillis(3));
        assertThat(counts.answeredBytes()).isEqualTo(10);
        assertThat(counts.failures(Outcome.TIMED_OUT)).isOne();
        assertThat(counts.failures(Outcome.LOST)).isZero();
    }
}
