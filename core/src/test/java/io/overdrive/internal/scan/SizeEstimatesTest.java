package io.overdrive.internal.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.Seeds;
import io.overdrive.internal.scan.SizeEstimates.Estimate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SizeEstimatesTest {
    private static SizeEstimates of(long... startEndBytes) {
        List<Estimate> found = new ArrayList<>();
        for (int i = 0; i < startEndBytes.length; i += 3) {
            SizeEstimates.add(found, startEndBytes[i], startEndBytes[i + 1], startEndBytes[i + 2]);
        }
        found.sort(Comparator.comparingLong(Estimate::start));
        return new SizeEstimates(found);
    }

    @Test
    void areZeroWithoutEstimates() {
        assertThat(of().bytes(Long.MIN_VALUE, Long.MAX_VALUE)).isZero();
    }

    @Test
    void spreadTheBytesOfARangeEvenly() {
        SizeEstimates sizes = of(0, 1000, 500, 1000, 2000, 100);
        assertThat(sizes.bytes(0, 1000)).isEqualTo(500);
        assertThat(sizes.bytes(200, 400)).isEqualTo(100);
        assertThat(sizes.bytes(900, 1500)).isEqualTo(50 + 50);
        assertThat(sizes.bytes(-5000, 0)).isZero();
        assertThat(sizes.bytes(2000, 5000)).isZero();
    }

    @Test
    void addTheEstimatesOfSeveralNodesForOneRange() {
        assertThat(of(0, 1000, 500, 0, 1000, 300).bytes(0, 500)).isEqualTo(400);
    }

    @Test
    void divideARangeThatWrapsAround() {
        long start = Long.MAX_VALUE - 3000;
        long end = Long.MIN_VALUE + 1000;
        SizeEstimates sizes = of(start, end, 400);
        assertThat(sizes.bytes(start, Long.MAX_VALUE)).isCloseTo(300, within(1.0));
        assertThat(sizes.bytes(Long.MIN_VALUE, end)).isCloseTo(100, within(1.0));
        assertThat(sizes.bytes(end, start)).isZero();
    }

    @Test
    void treatARangeThatStartsAndEndsAtOneTokenAsTheWholeRing() {
        for (long token : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
            SizeEstimates sizes = of(token, token, 1 << 20);
            assertThat(sizes.bytes(Long.MIN_VALUE, Long.MAX_VALUE)).isCloseTo(1 << 20, within(1.0));
            assertThat(sizes.bytes(Long.MIN_VALUE, 0)).isCloseTo(1 << 19, within(1.0));
        }
    }

    @Test
    void rangesWithoutEstimatesCountAsTheOthers() {
        List<Estimate> found = new ArrayList<>();
        SizeEstimates.fillGaps(found);
        assertThat(found).isEmpty();
        SizeEstimates.add(found, -1L << 62, 0, 3 << 20);
        SizeEstimates.add(found, 0, 1L << 61, 0);
        SizeEstimates.add(found, 0, 1L << 60, 3 << 20);
        SizeEstimates.fillGaps(found);
        SizeEstimates sizes = new SizeEstimates(found);
        assertThat(sizes.bytes(-1L << 62, 1L << 61)).isCloseTo(6 << 20, within(1.0));
        assertThat(sizes.bytes(Long.MIN_VALUE, -1L << 62)).isCloseTo(4 << 20, within(1.0));
        assertThat(sizes.bytes(Long.MIN_VALUE, Long.MAX_VALUE)).isCloseTo(16 << 20, within(1.0));
        int before = found.size();
        SizeEstimates.fillGaps(found);
        assertThat(found).hasSize(before);
    }

    @Test
    void ofThePartsAddUpToThoseOfTheWhole() {
        Seeds.times(100, random -> {
            long[] ranges = new long[3 * (1 + random.nextInt(20))];
            double total = 0;
            for (int i = 0; i < ranges.length; i += 3) {
                ranges[i] = random.nextLong();
                ranges[i + 1] = random.nextLong();
                ranges[i + 2] = random.nextInt(1 << 30);
                total += ranges[i + 2];
            }
            SizeEstimates sizes = of(ranges);
            TreeSet<Long> cuts = new TreeSet<>(List.of(Long.MIN_VALUE, Long.MAX_VALUE));
            for (int i = 0; i < 50; i++) {
                cuts.add(random.nextLong());
            }
            double sum = 0;
            Long last = null;
            for (Long cut : cuts) {
                sum += last == null ? 0 : sizes.bytes(last, cut);
                last = cut;
            }
            assertThat(sum).isCloseTo(total, within(1e-6 * total + 1));
        });
    }
}
