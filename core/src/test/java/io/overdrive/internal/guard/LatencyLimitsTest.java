package io.overdrive.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LatencyLimitsTest {
    private static final long MS = 1_000_000;
    private static final ProbeWindow OUTAGE = new ProbeWindow(2_000 * MS, 1, 99, 2_000 * MS, 2_000 * MS);

    private static ProbeWindow window(long p99Millis, long meanMillis) {
        return new ProbeWindow(2_000 * MS, 100, 0, p99Millis * MS, meanMillis * MS);
    }

    private static LatencyLimits before(ProbeWindow... windows) {
        return Objects.requireNonNull(LatencyLimits.relativeTo(List.of(windows), 1.5));
    }

    @Test
    void isRelativeToTheHighestP99AndTheMeanOfAllWindowsButTheHighest() {
        assertThat(before(window(12, 4), window(400, 300), window(10, 6), window(40, 5), window(9, 3)))
                .isEqualTo(new LatencyLimits(60 * MS, 27 * MS / 4, 40 * MS, 9 * MS / 2));
    }

    @Test
    void allowsAMillisecondMoreAtLeastAndHalfOfOneForTheMean() {
        assertThat(before(window(1, 1), window(1, 1), window(1, 1)))
                .isEqualTo(new LatencyLimits(2 * MS, 3 * MS / 2, MS, MS));
    }

    @Test
    void leavesOutAnOutageAsTheHighest() {
        assertThat(before(window(10, 2), OUTAGE, window(30, 4), window(20, 3), window(20, 2))
                        .p99Before())
                .isEqualTo(30 * MS);
        assertThat(before(window(10, 2), OUTAGE, window(30, 4), OUTAGE, window(20, 3)))
                .isEqualTo(new LatencyLimits(45 * MS, 9 * MS / 2, 30 * MS, 3 * MS));
    }

    @Test
    void isUnknownIfMostWindowsWereOutages() {
        assertThat(LatencyLimits.relativeTo(
                        Stream.of(window(10, 2), OUTAGE, OUTAGE, OUTAGE, window(20, 3))
                                .toList(),
                        2))
                .isNull();
    }

    @Test
    void takesTheOneThatIsFurtherAboveItsLimit() {
        LatencyLimits limits = new LatencyLimits(30 * MS, 3 * MS, 20 * MS, 2 * MS);
        assertThat(limits.ratio(window(60, 3))).isEqualTo(2);
        assertThat(limits.isMean(window(60, 3))).isFalse();
        assertThat(limits.ratio(window(15, 9))).isEqualTo(3);
        assertThat(limits.isMean(window(15, 9))).isTrue();
        assertThat(limits.ratioBefore()).isEqualTo(2.0 / 3);
    }

    @Test
    void aLimitOfP99LeavesTheMeanAlone() {
        LatencyLimits limits = LatencyLimits.ofP99(20 * MS);
        assertThat(limits.ratio(window(10, 9))).isEqualTo(0.5);
        assertThat(limits.isMean(window(10, 9))).isFalse();
        assertThat(limits.ratioBefore()).isZero();
    }
}
