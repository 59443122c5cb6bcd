package io.overdrive.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShuffleTest {
    private static long[] order(long size, long seed) {
        Shuffle shuffle = new Shuffle(size, seed);
        return LongStream.range(0, size).map(shuffle::at).toArray();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 16, 17, 1000, 65_536, 65_537})
    void returnsEachNumberOnce(long size) {
        assertThat(LongStream.of(order(size, 42)).sorted())
                .containsExactlyElementsOf(LongStream.range(0, size).boxed().toList());
    }

    @Test
    void orderDependsOnTheSeedAndIsRandom() {
        assertThat(order(1000, 1)).isEqualTo(order(1000, 1)).isNotEqualTo(order(1000, 2));
        long neighbours = LongStream.range(1, 1000)
                .filter(i -> Math.abs(order(1000, 1)[(int) i] - order(1000, 1)[(int) i - 1]) == 1)
                .count();
        assertThat(neighbours)
                .as("neighbours that stay neighbours; by chance 2 of 1000")
                .isLessThan(20);
    }
}
