package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The controllers from the literature, by their formulas: an experiment compares with them, which the gate does not run. */
class WindowControllerTest {
    private static final double MIN = 10_000;
    private static final double MAX = 1_000_000;
    private static final double START = 100_000;
    /** The cost of a request: the first limit is a hundred of them. */
    private static final long COST = 1000;

    /** A second of requests that use the whole of any limit. */
    private static Window busy(long answered, long failed, long medianMillis) {
        return window(answered, failed, medianMillis, (long) MAX);
    }

    private static Window window(long answered, long failed, long medianMillis, long peakCost) {
        return new Window(
                TimeUnit.SECONDS.toNanos(1),
                answered + failed,
                failed,
                0,
                0,
                answered * COST,
                TimeUnit.MILLISECONDS.toNanos(medianMillis),
                peakCost,
                /* isLimited */ true);
    }

    private static double next(LimitController controller, Window window) {
        return controller.next(window, /* mayDrain */ true).limit();
    }

    @Test
    void additiveIncreaseAddsARequestForEachRoundTripAndFailuresTakeATenth() {
        LimitController aimd = new AimdController(START, MIN, MAX);
        assertThat(aimd.first().limit()).isEqualTo(START);
        assertThat(next(aimd, busy(1000, 0, 20))).isEqualTo(START + 50 * COST);
        assertThat(next(aimd, busy(1000, 0, 1))).isEqualTo(300_000); // at most doubled
        assertThat(next(aimd, busy(1000, 1, 1))).isEqualTo(270_000);
        assertThat(next(aimd, window(1000, 0, 1, 100_000))).isEqualTo(270_000); // not used by half
    }

    @Test
    void vegasKeepsAFewRequestsInTheQueue() {
        LimitController vegas = new VegasController(START, MIN, MAX);
        assertThat(next(vegas, busy(1000, 0, 10))).isEqualTo(START + 12 * COST); // 6 times the logarithm of 100
        double step = Math.log10(112) * COST;
        assertThat(next(vegas, busy(1000, 0, 20))).isEqualTo(112_000 - step, within(1e-6)); // half of them wait
        double fewer = 112_000 - step;
        assertThat(next(vegas, busy(1000, 1, 10))).isEqualTo(fewer - Math.log10(fewer / COST) * COST, within(1e-6));
        double before = vegas.next(window(1000, 0, 10, 1), true).limit();
        assertThat(next(vegas, window(1000, 0, 10, 1))).isEqualTo(before); // not used by half
    }

    @Test
    void gradientComparesTheRoundTripWithItsMean() {
        LimitController gradient = new GradientController(START, MIN, MAX);
        assertThat(next(gradient, busy(1000, 0, 10))).isEqualTo(START + 0.8 * COST, within(1e-6));
        double slower = 1.5 * 20 / 30; // by the mean of 10 and 30 ms
        assertThat(slower).isEqualTo(1);
        assertThat(next(gradient, busy(1000, 0, 30))).isEqualTo(START + 1.6 * COST, within(1e-6));
        double limit = START + 1.6 * COST;
        double mean = (10 + 30 + 320) / 3.0;
        assertThat(next(gradient, busy(1000, 0, 320)))
                .isEqualTo(0.8 * limit + 0.2 * (limit * 1.5 * mean / 320 + 4 * COST), within(1e-6));
        double before = next(gradient, window(1000, 0, 10, 1));
        assertThat(next(gradient, window(0, 5, 0, (long) MAX))).isEqualTo(before); // nothing was answered
    }

    @Test
    void limitsStayWithinTheirBounds() {
        LimitController aimd = new AimdController(START, MIN, MAX);
        for (int i = 0; i < 30; i++) {
            next(aimd, busy(1000, 1, 1));
        }
        assertThat(next(aimd, busy(1000, 1, 1))).isEqualTo(MIN);
        for (int i = 0; i < 30; i++) {
            next(aimd, busy(1000, 0, 1));
        }
        LimitController.Decision last = aimd.next(busy(1000, 0, 1), true);
        assertThat(last.limit()).isEqualTo(MAX);
        assertThat(last.reason()).isEqualTo("stays");
    }
}
