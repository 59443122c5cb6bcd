package io.overdrive.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PositionBitsTest {
    private final PositionBits bits = new PositionBits();

    private static BitSet positions(PositionSet set, long from, long to) {
        BitSet positions = new BitSet();
        assertThat((long) set.in(from, to, positions)).isEqualTo(positions.cardinality());
        return positions;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 10, 1000, 60_000, 400_000})
    void givesAllPositionsOnce(int count) {
        Random random = new Random(count);
        for (int round = 0; round < 3; round++) {
            BitSet expected = new BitSet();
            for (int i = 0; i < count; i++) {
                int position = random.nextInt(500_000);
                bits.add(position);
                expected.set(position);
            }
            PositionSet taken = bits.take();
            assertThat(taken.count()).isEqualTo(expected.cardinality());
            assertThat(positions(taken, 0, 500_000)).isEqualTo(expected);
        }
    }

    @Test
    void givesWholePagesAndTheirEnds() {
        int end = 3 * 65_536 + 64;
        BitSet expected = new BitSet();
        for (int position = 65_535; position < end; position++) {
            bits.add(position);
            expected.set(position);
        }
        bits.add(1L << 32);
        PositionSet taken = bits.take();
        assertThat(taken.count()).isEqualTo(expected.cardinality() + 1);
        assertThat(positions(taken, 0, end)).isEqualTo(expected);
        assertThat(positions(taken, 1L << 32, (1L << 32) + 1).get(0)).isTrue();
        assertThat(bits.take().count()).isZero();
    }

    /** Such positions come when spilled rows of a load of a thousand million rows are acknowledged. */
    @Test
    void positionsThatAreFarApartTakeLittleMemory() {
        int pages = 15_000;
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 3 * pages; i++) {
                bits.add((long) (i % pages) * PositionSet.PAGE + i);
            }
            assertThat(bits.bytes()).isLessThan(20 << 20);
            PositionSet taken = bits.take();
            assertThat(taken.count()).isEqualTo(3L * pages);
            for (int i = 0; i < 3 * pages; i++) {
                long position = (long) (i % pages) * PositionSet.PAGE + i;
                assertThat(taken.in(position, position + 1, new BitSet())).isOne();
            }
        }
    }
}
