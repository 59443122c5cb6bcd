package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class PartitionSampleTest {
    private static final int ROWS = 200_000;

    private final List<BigInteger> rows = new ArrayList<>();
    private int requests;

    private PartitionSample sample(IntToLongFunction position) {
        rows.clear();
        for (int i = 0; i < ROWS; i++) {
            rows.add(BigInteger.valueOf(position.applyAsLong(i)));
        }
        rows.sort(null);
        requests = 0;
        return PartitionSample.of(rows.get(0), rows.get(ROWS - 1), UnaryOperator.identity(), places -> {
            requests += places.size();
            return places.stream().map(this::read).toList();
        });
    }

    private List<BigInteger> read(BigInteger place) {
        int from = before(place);
        return rows.subList(from, Math.min(ROWS, from + PartitionSample.ROWS));
    }

    private int before(BigInteger position) {
        int low = 0;
        int high = ROWS;
        while (low < high) {
            int middle = (low + high) / 2;
            if (rows.get(middle).compareTo(position) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The largest of eight parts, as a share of the eighth that it should have. */
    private double largestOfEight(PartitionSample sample) {
        List<BigInteger> cuts = new ArrayList<>(sample.cuts(8));
        assertThat(cuts).hasSize(7).isSorted().doesNotHaveDuplicates();
        assertThat(cuts.get(0)).isGreaterThan(rows.get(0));
        int largest = 0;
        int before = 0;
        for (int i = 0; i <= cuts.size(); i++) {
            int end = i == cuts.size() ? ROWS : before(cuts.get(i));
            largest = Math.max(largest, end - before);
            before = end;
        }
        return 8.0 * largest / ROWS;
    }

    @Test
    void cutsRowsThatAreEvenlySpreadIntoEqualParts() {
        PartitionSample sample = sample(i -> 1_000_000_000_000L + 60_000L * i);
        assertThat(sample.rows()).isBetween(0.8 * ROWS, 1.2 * ROWS);
        assertThat(sample.isUnclear()).isFalse();
        assertThat(largestOfEight(sample)).isLessThan(1.2);
        assertThat(requests).isLessThan(600);
    }

    @Test
    void cutsRowsOfWhichMostAreInAPartThatThePlacesFind() {
        Seeds.times(3, random -> {
            PartitionSample sample = sample(i -> i % 10 == 0
                    ? random.nextLong(1_000_000_000_000L)
                    : 300_000_000_000L + random.nextLong(40_000_000_000L));
            assertThat(sample.rows()).isBetween(0.5 * ROWS, 2.0 * ROWS);
            assertThat(largestOfEight(sample)).isLessThan(4.0);
            assertThat(requests).isLessThan(600);
        });
    }

    @Test
    void cutsRowsOfWhichAFewAreFarAway() {
        PartitionSample sample =
                sample(i -> i == 0 ? 0 : i == 1 ? 250_000_000_000_000L : 1_700_000_000_000L + 50_000L * i);
        assertThat(sample.rows()).isBetween(0.5 * ROWS, 2.0 * ROWS);
        assertThat(largestOfEight(sample)).isLessThan(2.0);
        assertThat(requests).isLessThan(600);
    }

    @Test
    void cutsRowsThatHaveFewValues() {
        long day = 86_400_000L;
        PartitionSample sample = sample(i -> day * (i % 100));
        assertThat(sample.isUnclear()).isTrue();
        assertThat(largestOfEight(sample)).isLessThan(2.0);
    }

    @Test
    void cutsRowsAtBothEndsOfTheNumbers() {
        PartitionSample sample = sample(i -> i % 2 == 0 ? Long.MIN_VALUE + i : Long.MAX_VALUE - i);
        List<BigInteger> cuts = sample.cuts(2);
        assertThat(before(cuts.get(0))).isBetween(ROWS / 4, 3 * ROWS / 4);
    }

    @Test
    void hasNoCutsIfAllRowsHaveOneValue() {
        PartitionSample sample = sample(i -> 5);
        assertThat(sample.isUnclear()).isTrue();
        assertThat(sample.cuts(8)).isEmpty();
    }
}
