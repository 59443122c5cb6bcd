package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.overdrive.internal.flow.SizeSearch.Decision;
import io.overdrive.internal.flow.SizeSearch.Slot;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizeSearchTest {
    private static final int KIB = 1 << 10;

    private final SizeSearch search =
            new SizeSearch(64 * KIB, 8 * KIB, 512 * KIB, "bytes", /* isFromEarlierRun */ false);
    private Decision decision = search.first();
    /** Time in each size is weighted by its rate. */
    private double answered;

    private double seconds;

    /** Runs for this time, with a rate for each size and some noise. */
    private void run(double forSeconds, IntToDoubleFunction rate, double noise, long seed) {
        Random random = new Random(seed);
        double end = seconds + forSeconds;
        while (seconds < end) {
            double bytesPerSecond = rate.applyAsDouble(decision.size()) * Math.exp(noise * random.nextGaussian());
            double slot = decision.nanos() / 1e9;
            answered += bytesPerSecond * (slot + decision.settleNanos() / 1e9);
            seconds += slot + decision.settleNanos() / 1e9;
            decision = search.next(new Slot(decision.nanos(), (long) (bytesPerSecond * slot), /* isSteady */ true));
            assertThat(decision.size()).isBetween(8 * KIB, 512 * KIB);
        }
    }

    /** The size in use: the search rests most of the time. */
    private int restsAt(IntToDoubleFunction rate) {
        for (int i = 0; i < 100; i++) {
            int size = decision.size();
            double before = seconds;
            run(20, rate, 0, 1);
            if (decision.size() == size && seconds - before >= 20) {
                return size;
            }
        }
        throw new AssertionError("never rests");
    }

    /** A hump: each step away from the best size costs a tenth. */
    private static IntToDoubleFunction hump(int best) {
        return size -> 50e6 * Math.pow(0.9, Math.abs(Math.log((double) size / best) / Math.log(2)));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 16, 32, 64, 128, 256, 512})
    void climbsToTheBestSize(int best) {
        run(400, hump(best * KIB), /* noise */ 0.02, 1);
        assertThat(restsAt(hump(best * KIB))).isEqualTo(best * KIB);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void staysWithinAStepOfTheBestIfRatesAreNoisy(long seed) {
        run(900, hump(256 * KIB), /* noise */ 0.1, seed);
        assertThat(restsAt(hump(256 * KIB))).isBetween(128 * KIB, 512 * KIB);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void staysWhereItIsIfSizesMakeNoDifference(long seed) {
        run(3600, size -> 50e6, /* noise */ 0.02, seed);
        assertThat(restsAt(size -> 50e6)).isEqualTo(64 * KIB);
    }

    @Test
    void costsLittleWhereTheFirstSizeIsTheBest() {
        run(600, hump(64 * KIB), /* noise */ 0.02, 1);
        assertThat(answered / seconds).isGreaterThan(0.98 * 50e6);
    }

    @Test
    void followsABestSizeThatChanges() {
        run(400, hump(256 * KIB), /* noise */ 0.02, 1);
        run(2000, hump(32 * KIB), /* noise */ 0.02, 2);
        assertThat(restsAt(hump(32 * KIB))).isEqualTo(32 * KIB);
    }

    @Test
    void doesNotCompareWhileTheJobIsNotSteady() {
        for (int i = 0; i < 1000; i++) {
            decision = search.next(new Slot(decision.nanos(), 1000, /* isSteady */ false));
            assertThat(decision.size()).isEqualTo(64 * KIB);
        }
    }

    @Test
    void aPairThatWasNotSteadyDoesNotCount() {
        run(5, size -> 1e6, 0, 1);
        for (int slot = 0; slot < 30; slot++) { // the larger size seems slow, but only while something disturbs
            boolean tries = decision.size() > 64 * KIB;
            decision = search.next(new Slot(decision.nanos(), tries ? 1 : 1000, !tries));
            assertThat(decision.size()).isGreaterThanOrEqualTo(64 * KIB);
        }
    }

    @Test
    void hasFoundNothingBeforeItHasCompared() {
        run(5, size -> 1e6, 0, 1);
        assertThat(search.found()).isEmpty();
        run(400, hump(128 * KIB), 0, 1);
        assertThat(search.found()).hasValue(128 * KIB);
    }

    @Test
    void saysWhereItsStartComesFrom() {
        assertThat(search.first().reason()).isEqualTo("first size");
        SizeSearch later = new SizeSearch(4, 1, 16, "splits", /* isFromEarlierRun */ true);
        assertThat(later.first().reason()).isEqualTo("from an earlier run");
    }

    @Test
    void startsWithinItsBounds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SizeSearch(4, 8, 16, "bytes", /* isFromEarlierRun */ false))
                .withMessage("4 is not between 8 and 16");
    }
}
