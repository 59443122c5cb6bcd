package io.overdrive.internal.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.Seeds;
import io.overdrive.internal.write.GatheringTrial.Decision;
import io.overdrive.internal.write.GatheringTrial.Slot;
import java.time.Duration;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Clusters in virtual time, whose rates vary from slot to slot, and some trials of them. */
class GatheringTrialTest {
    private static final int RUNS = 50;
    private static final long ENOUGH = 80;
    private static final Duration HOUR = Duration.ofHours(1);

    /** A cluster with a rate for single rows and one for gathered rows, and what the trial made of it. Confined to one thread. */
    private static final class Cluster {
        final Random random;
        final GatheringTrial trial = new GatheringTrial();
        Decision decision = GatheringTrial.first();
        double singleRate;
        double gatheredRate;
        /** Standard deviation of the logarithm of the rates. */
        double noise = 0.2;

        long roundTripNanos = 5_000_000;
        /** Growth of both rates a second. */
        double trend = 1;

        long nowNanos;
        long gatheredNanos;
        double rowsWritten;

        Cluster(double singleRate, double gatheredRate, Random random) {
            this.singleRate = singleRate;
            this.gatheredRate = gatheredRate;
            this.random = random;
        }

        /** Lets time pass; returns it. */
        Cluster run(Duration time) {
            long end = nowNanos + time.toNanos();
            while (nowNanos < end) {
                slot(decision.nanos());
            }
            return this;
        }

        void slot(long nanos) {
            long all = decision.settleNanos() + nanos;
            double rate = (decision.gathers() ? gatheredRate : singleRate)
                    * Math.pow(trend, nowNanos / 1e9)
                    * Math.exp(noise * random.nextGaussian());
            nowNanos += all;
            gatheredNanos += decision.gathers() ? all : 0;
            rowsWritten += rate * all / 1e9;
            long rows = (long) (rate * nanos / 1e9);
            decision = trial.next(new Slot(nanos, rows, rows, ENOUGH, roundTripNanos));
        }

        /** The share of the time in which rows were gathered. */
        double gatheredShare() {
            return (double) gatheredNanos / nowNanos;
        }
    }

    private static void always(double singleRate, double gatheredRate, java.util.function.Consumer<Cluster> check) {
        Seeds.times(RUNS, random -> check.accept(new Cluster(singleRate, gatheredRate, random)));
    }

    /**
     * Averages out chance, which would decide in one run of some thousands; the least mean may leave room for one of
     * the runs.
     */
    private static void onAverage(
            double singleRate, double gatheredRate, double least, ToDoubleFunction<Cluster> figure) {
        Seeds.times(1, random -> {
            double sum = 0;
            for (int i = 0; i < RUNS; i++) {
                sum += figure.applyAsDouble(new Cluster(singleRate, gatheredRate, random));
            }
            assertThat(sum / RUNS).as("gathered %s", gatheredRate).isGreaterThan(least);
        });
    }

    @Test
    void gathersWithinSecondsIfThatIsMuchFaster() {
        onAverage(10_000, 18_000, 0.97, cluster -> {
            cluster.run(Duration.ofSeconds(8)).gatheredNanos = 0;
            long before = cluster.nowNanos;
            cluster.run(Duration.ofSeconds(40));
            return cluster.gatheredNanos == cluster.nowNanos - before ? 1 : 0;
        });
    }

    @Test
    void keepsGatheringWhileThatIsFaster() {
        onAverage(10_000, 18_000, 0.98, cluster -> cluster.run(HOUR).gatheredShare());
    }

    @Test
    void hardlyEverGathersIfThatIsSlower() {
        always(10_000, 8_000, cluster -> assertThat(cluster.run(HOUR).gatheredShare())
                .isLessThan(0.06));
    }

    @Test
    void losesAlmostNothingWhicheverIsFaster() {
        for (double gathered : new double[] {3_000, 8_000, 9_500, 10_000, 10_500, 12_000, 30_000}) {
            onAverage(10_000, gathered, 0.95, cluster -> {
                cluster.noise = 0.1;
                return cluster.run(HOUR).rowsWritten / (Math.max(10_000, gathered) * HOUR.toSeconds());
            });
        }
    }

    @Test
    void isNotMisledByATrend() {
        for (double trend : new double[] {0.9, 1.1}) {
            always(10_000, 8_500, cluster -> {
                cluster.noise = 0.02;
                cluster.trend = trend;
                cluster.run(Duration.ofSeconds(20));
                assertThat(cluster.decision.gathers()).isFalse();
            });
        }
    }

    @Test
    void noticesThatTheClusterHasChanged() {
        onAverage(10_000, 18_000, 0.97, cluster -> {
            cluster.run(Duration.ofSeconds(20));
            boolean gathersAtFirst = cluster.decision.gathers();
            cluster.gatheredRate = 7_000;
            cluster.run(Duration.ofMinutes(3));
            return gathersAtFirst && !cluster.decision.gathers() ? 1 : 0;
        });
    }

    @Test
    void comparesNothingWhileRowsComeSlowly() {
        always(200, 18_000, cluster -> assertThat(cluster.run(HOUR).gatheredNanos)
                .isZero());
    }

    @Test
    void stopsGatheringWhenRowsComeSlowly() {
        always(10_000, 18_000, cluster -> {
            cluster.run(Duration.ofSeconds(20));
            cluster.singleRate = 100;
            cluster.gatheredRate = 100;
            cluster.slot(cluster.decision.nanos());
            assertThat(cluster.decision.gathers()).isFalse();
            assertThat(cluster.decision.outcome())
                    .extracting(outcome -> outcome == null ? "none" : outcome.reason())
                    .isEqualTo("rows come too slowly to fill requests");
        });
    }

    /** A program waits for each row: gathered ones come slowly because they are gathered. */
    @Test
    void stopsIfRowsComeSlowlyOnlyBecauseTheyAreGathered() {
        always(2_000, 200, cluster -> assertThat(cluster.run(HOUR).gatheredShare())
                .isLessThan(0.02));
    }

    @Test
    void slotsInWhichNothingWasAcknowledgedForAWhileDoNotCount() {
        always(10_000, 18_000, cluster -> {
            while (!cluster.decision.gathers()) {
                cluster.slot(cluster.decision.nanos());
            }
            while (cluster.nowNanos < Duration.ofSeconds(20).toNanos()) {
                cluster.gatheredRate = 300; // it hangs
                cluster.slot(cluster.decision.gathers() ? 4 * cluster.decision.nanos() : cluster.decision.nanos());
            }
            cluster.gatheredRate = 18_000;
            cluster.run(Duration.ofSeconds(10));
            assertThat(cluster.decision.gathers()).isTrue();
        });
    }

    @Test
    void slotsAreLongerIfRoundTripsAre() {
        Cluster cluster = new Cluster(10_000, 18_000, new Random(1));
        cluster.run(Duration.ofSeconds(1));
        assertThat(cluster.decision.settleNanos()).isEqualTo(50_000_000);
        assertThat(cluster.decision.nanos()).isEqualTo(150_000_000);
        cluster.roundTripNanos = 100_000_000;
        cluster.slot(cluster.decision.nanos());
        assertThat(cluster.decision.settleNanos()).isEqualTo(200_000_000);
        assertThat(cluster.decision.nanos()).isEqualTo(600_000_000);
        cluster.roundTripNanos = Duration.ofMinutes(1).toNanos();
        cluster.slot(cluster.decision.nanos());
        assertThat(cluster.decision.settleNanos()).isEqualTo(2_000_000_000);
        assertThat(cluster.decision.nanos()).isEqualTo(2_000_000_000);
    }
}
