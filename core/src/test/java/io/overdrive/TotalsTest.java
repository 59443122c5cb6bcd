package io.overdrive;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TotalsTest {
    private static final Totals ONE = new Totals(
            1,
            2,
            3,
            4,
            5,
            true,
            6,
            7,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            15,
            16,
            latency(1, 20, 30, 400),
            null,
            Set.of("b:9042"));
    private static final Totals OTHER = new Totals(
            100,
            200,
            300,
            400,
            500,
            false,
            600,
            700,
            800,
            900,
            1000,
            1100,
            1200,
            1300,
            1400,
            1500,
            1600,
            latency(10, 2, 300, 301),
            "waiting",
            Set.of("a:9042", "b:9042"));

    private static Latency latency(long p50, long p99, long p999, long max) {
        return new Latency(
                Duration.ofMillis(p50), Duration.ofMillis(p99), Duration.ofMillis(p999), Duration.ofMillis(max));
    }

    @Test
    void addsEveryCount() throws ReflectiveOperationException {
        Totals sum = ONE.plus(OTHER);
        for (RecordComponent component : Totals.class.getRecordComponents()) {
            if (component.getType() == long.class) {
                long one = (long) component.getAccessor().invoke(ONE);
                assertThat(component.getAccessor().invoke(sum))
                        .as(component.getName())
                        .isEqualTo(101 * one);
            }
        }
    }

    @Test
    void repeatedKeysAreExactIfBothAre() {
        assertThat(ONE.plus(ONE).repeatedKeysExact()).isTrue();
        assertThat(ONE.plus(OTHER).repeatedKeysExact()).isFalse();
    }

    @Test
    void takesTheLargerOfEachPercentile() {
        assertThat(ONE.plus(OTHER).latency()).isEqualTo(latency(10, 20, 300, 400));
        assertThat(OTHER.plus(ONE).latency()).isEqualTo(latency(10, 20, 300, 400));
    }

    @Test
    void keepsWhatOneWaitsForAndAllNodesLost() {
        assertThat(ONE.plus(OTHER).waiting()).isEqualTo("waiting");
        assertThat(OTHER.plus(ONE).waiting()).isEqualTo("waiting");
        assertThat(ONE.plus(OTHER).nodesLost()).containsExactly("a:9042", "b:9042");
    }

    @Test
    void nothingAddedChangesNothing() {
        assertThat(Totals.NONE.plus(OTHER)).isEqualTo(OTHER);
        assertThat(OTHER.plus(Totals.NONE)).isEqualTo(OTHER);
    }
}
