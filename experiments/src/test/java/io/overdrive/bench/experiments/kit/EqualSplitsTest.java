package io.overdrive.bench.experiments.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.Split;
import io.overdrive.Split.Range;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class EqualSplitsTest {
    private static Split split(long bytes, long... bounds) {
        List<Range> ranges = new ArrayList<>();
        for (int i = 0; i < bounds.length; i += 2) {
            ranges.add(new Range(bounds[i], bounds[i + 1]));
        }
        return new Split(ranges, List.of("10.0.0." + bounds[0] % 3), bytes);
    }

    @Test
    void joinsNeighboursUntilTheyReachTheSize() {
        List<Split> small = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            small.add(split(10, i * 100L, (i + 1) * 100L));
        }
        Collections.shuffle(small, new Random(1));
        assertThat(EqualSplits.of(small, 40))
                .containsExactly(
                        new Split(List.of(new Range(0, 400)), List.of(), 40),
                        new Split(List.of(new Range(400, 800)), List.of(), 40),
                        new Split(List.of(new Range(800, 1200)), List.of(), 40));
    }

    @Test
    void distributesTheRemainderOverAllSplits() {
        List<Split> small = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            small.add(split(1, i, i + 1));
        }
        assertThat(EqualSplits.of(small, 30)).extracting(Split::estimatedBytes).containsExactly(33L, 33L, 34L);
        assertThat(EqualSplits.of(small, 1000))
                .extracting(Split::estimatedBytes)
                .containsExactly(100L);
    }

    @Test
    void keepsRangesThatAreNotNeighboursSeparateAndInOrder() {
        assertThat(EqualSplits.of(List.of(split(10, 0, 10, 50, 60), split(10, 10, 20), split(5, 70, 80)), 25))
                .containsExactly(
                        new Split(List.of(new Range(0, 20), new Range(50, 60), new Range(70, 80)), List.of(), 25));
    }

    @Test
    void everyRangeIsInOneSplitWhateverTheEstimates() {
        Random random = new Random(7);
        List<Split> small = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            small.add(split(random.nextInt(10) == 0 ? 1000 : random.nextInt(20), 2L * i, 2L * i + 1));
        }
        for (long bytes : List.of(1L, 30L, 500L, 5_000L, 1_000_000L)) {
            assertThat(EqualSplits.of(small, bytes).stream().flatMap(split -> split.ranges().stream()))
                    .as("splits of %d", bytes)
                    .containsExactlyElementsOf(small.stream()
                            .flatMap(split -> split.ranges().stream())
                            .toList());
        }
    }

    @Test
    void needsEstimates() {
        assertThatThrownBy(() -> EqualSplits.of(List.of(split(0, 0, 10)), 10))
                .hasMessageContaining("no estimate of the table's size");
    }
}
