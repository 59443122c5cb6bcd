package io.overdrive.files.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roaringbitmap.longlong.Roaring64Bitmap;

class PositionBitsTest {
    private final PositionBits bits = new PositionBits();

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 1000, 60_000, 400_000})
    void movesAllPositions(int count) {
        Random random = new Random(count);
        for (int round = 0; round < 3; round++) {
            Roaring64Bitmap expected = new Roaring64Bitmap();
            for (int i = 0; i < count; i++) {
                long position = random.nextInt(500_000);
                bits.add(position);
                expected.addLong(position);
            }
            Roaring64Bitmap moved = new Roaring64Bitmap();
            bits.moveTo(moved);
            assertThat(moved).isEqualTo(expected);
            assertThat(moved.getLongCardinality()).isEqualTo(expected.getLongCardinality());
        }
    }

    @Test
    void movesWholePagesAndTheirEnds() {
        Roaring64Bitmap expected = new Roaring64Bitmap();
        for (long position = 65_535; position < 3 * 65_536 + 64; position++) {
            bits.add(position);
        }
        bits.add(1L << 32);
        expected.addRange(65_535, 3 * 65_536 + 64);
        expected.addLong(1L << 32);
        Roaring64Bitmap moved = new Roaring64Bitmap();
        bits.moveTo(moved);
        assertThat(moved).isEqualTo(expected);
        Roaring64Bitmap again = new Roaring64Bitmap();
        bits.moveTo(again);
        assertThat(again.isEmpty()).isTrue();
    }
}
