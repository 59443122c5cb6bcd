package io.overdrive.internal.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.Seeds;
import io.overdrive.internal.guard.GuardController.Cause;
import io.overdrive.internal.guard.GuardController.Decision;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class GuardControllerTest {
    private static final long MS = 1_000_000;
    private static final long LIMIT = 20 * MS;

    private final GuardController guard = new GuardController(LatencyLimits.ofP99(LIMIT));

    private static ProbeWindow p99(double millis) {
        return new ProbeWindow(2_000 * MS, 100, 0, (long) (millis * MS), (long) (millis * MS));
    }

    private static ProbeWindow outage() {
        return new ProbeWindow(2_000 * MS, 3, 97, 2 * MS, 2 * MS);
    }

    private Decision next(double millis) {
        return guard.next(p99(millis), 0);
    }

    private Decision repeat(int times, double millis) {
        Decision last = next(millis);
        for (int n = 1; n < times; n++) {
            last = next(millis);
        }
        return last;
    }

    @Test
    void startsLowAndDoublesUntilTheWholeShareIsUsed() {
        assertThat(next(2).share()).isCloseTo(0.05, within(1e-9));
        assertThat(repeat(2, 2).share()).isCloseTo(0.2, within(1e-9));
        assertThat(next(2)).isEqualTo(new Decision(guardShare(0.4), Cause.STARTING));
        assertThat(repeat(2, 2)).isEqualTo(new Decision(1, Cause.NONE));
    }

    /** The exact value that the same steps give. */
    private static double guardShare(double about) {
        GuardController other = new GuardController(LatencyLimits.ofP99(LIMIT));
        double share = 0;
        while (share < about - 1e-6) {
            share = other.next(p99(2), 0).share();
        }
        return share;
    }

    @Test
    void holdsTheShareInOneWindowAboveTheLimit() {
        repeat(4, 2);
        assertThat(next(30)).isEqualTo(new Decision(guardShare(0.4), Cause.LATENCY));
        assertThat(next(18).share()).isCloseTo(0.4, within(1e-9));
        assertThat(next(30).share()).isCloseTo(0.4, within(1e-9));
    }

    @Test
    void aimsBelowTheLimitInTheSecondWindowAboveIt() {
        repeat(6, 2);
        next(24);
        assertThat(next(24).share()).isBetween(0.5, 16.0 / 24);
    }

    @Test
    void cutsAtMostInHalfInOneWindow() {
        repeat(6, 2);
        next(59);
        assertThat(next(59).share()).isCloseTo(Math.exp(-0.7), within(1e-9));
    }

    @Test
    void cutsAtOnceAboveThreeTimesTheLimit() {
        repeat(6, 2);
        assertThat(next(80)).isEqualTo(new Decision(0.25, Cause.LATENCY));
        assertThat(next(4000).share()).isCloseTo(0.2 * Math.exp(-0.7), within(1e-9));
    }

    @Test
    void forgetsASinglePauseOfTheServer() {
        repeat(6, 2);
        for (int n = 0; n < 100; n++) {
            assertThat(next(150).share()).isLessThanOrEqualTo(0.2);
            assertThat(next(2).share()).isEqualTo(1); // measured at the low share, so it does not rise further either
            assertThat(repeat(5, 6).share()).isEqualTo(1);
        }
    }

    @Test
    void risesSlowlyAfterTheFirstWindowAboveTheLimit() {
        repeat(4, 2);
        next(30);
        double before = next(18).share();
        assertThat(next(1).share() / before).isCloseTo(Math.exp(0.04), within(1e-9));
    }

    @Test
    void halvesTheLastGoodShareOnceWhileProbesFail() {
        repeat(6, 2);
        for (int n = 0; n < 50; n++) {
            assertThat(guard.next(outage(), 0)).isEqualTo(new Decision(0.5, Cause.OUTAGE));
        }
        assertThat(next(2).share()).isGreaterThan(0.5);
        assertThat(guard.next(new ProbeWindow(2_000 * MS, 0, 0, 0, 0), 0).cause())
                .isEqualTo(Cause.OUTAGE);
    }

    @Test
    void halvesTheShareForEachClosedGateUntilItOpens() {
        repeat(6, 2);
        assertThat(guard.next(p99(2), 1)).isEqualTo(new Decision(0.5, Cause.GATE));
        assertThat(guard.next(p99(2), 2)).isEqualTo(new Decision(0.25, Cause.GATE));
        assertThat(guard.next(p99(2), 100).share()).isEqualTo(GuardController.FLOOR);
        assertThat(next(2)).isEqualTo(new Decision(1, Cause.NONE));
    }

    @Test
    void doesNotRiseUnusedWhileAGateIsClosed() {
        next(30);
        next(18);
        for (int n = 0; n < 100; n++) {
            guard.next(p99(1), 1);
        }
        assertThat(next(1).share()).isCloseTo(GuardController.FIRST_SHARE * Math.exp(0.04), within(1e-9));
    }

    @Test
    void saysThatBulkWorkIsNotTheCauseAfterHalfAMinuteAtTheFloor() {
        int windows = 0;
        while (next(60).share() > GuardController.FLOOR) {
            windows++;
        }
        assertThat(windows).isLessThan(10);
        for (int n = 0; n < 14; n++) {
            assertThat(next(60).cause()).as("window %s", n).isEqualTo(Cause.LATENCY);
        }
        assertThat(next(60)).isEqualTo(new Decision(GuardController.FLOOR, Cause.NOT_BULK));
        assertThat(next(10).cause()).isEqualTo(Cause.RECOVERING);
        assertThat(next(60).cause()).isEqualTo(Cause.LATENCY);
    }

    @Test
    void movesWithTheFirstWindowAfterALongTimeAtABound() {
        repeat(10_000, 1000);
        assertThat(next(18).share()).isEqualTo(GuardController.FLOOR); // in doubt after an emergency
        assertThat(next(1).share()).isCloseTo(GuardController.FLOOR * Math.exp(0.04), within(1e-9));
        assertThat(repeat(10_000, 1).share()).isEqualTo(1);
        next(40);
        assertThat(next(40).share()).isLessThan(0.6);
    }

    @Test
    void staysWithinItsBoundsWhateverHappens() {
        Seeds.times(20, random -> {
            GuardController any = new GuardController(new LatencyLimits(
                    1 + random.nextLong(1000 * MS),
                    random.nextLong(1000 * MS),
                    random.nextLong(1000 * MS),
                    random.nextLong(1000 * MS)));
            for (int n = 0; n < 2000; n++) {
                ProbeWindow window = new ProbeWindow(
                        random.nextLong(10_000 * MS),
                        random.nextInt(100),
                        random.nextInt(3) == 0 ? random.nextInt(100) : 0,
                        (long) Math.exp(random.nextDouble() * 43),
                        (long) Math.exp(random.nextDouble() * 43));
                assertThat(any.next(window, random.nextInt(4)).share()).isBetween(GuardController.FLOOR, 1.0);
            }
        });
    }

    @Test
    void moreLatencyNeverRaisesTheShareThenOrLater() {
        Seeds.times(200, random -> {
            GuardController low = new GuardController(LatencyLimits.ofP99(LIMIT));
            GuardController high = new GuardController(LatencyLimits.ofP99(LIMIT));
            double volatility = random.nextDouble() * 3;
            for (int n = 0; n < 200; n++) {
                double millis = 12 * Math.exp(volatility * random.nextGaussian());
                double more = random.nextInt(3) == 0 ? millis : millis * (1 + random.nextDouble() * 3);
                int gates = random.nextInt(10) == 0 ? 1 : 0;
                assertThat(high.next(p99(more), gates).share())
                        .isLessThanOrEqualTo(low.next(p99(millis), gates).share() + 1e-12);
            }
        });
    }

    /** Latency that depends on the share, with noise, and bursts of the cluster's users that double it. */
    @Test
    void keepsTheLatencyOfANoisyPlantWithinTheLimit() {
        Seeds.times(5, random -> {
            GuardController any = new GuardController(LatencyLimits.ofP99(LIMIT));
            double share = GuardController.FIRST_SHARE;
            int within = 0;
            int windows = 10_000;
            double sum = 0;
            for (int n = 0; n < windows; n++) {
                double burst = n % 500 >= 450 ? 2 : 1;
                double millis = burst * (4 + 60 * share) * Math.exp(0.1 * random.nextGaussian());
                within += millis <= 20 ? 1 : 0;
                share = any.next(p99(millis), 0).share();
                sum += share;
            }
            assertThat((double) within / windows).isGreaterThanOrEqualTo(0.95);
            assertThat(sum / windows)
                    .as("mean share")
                    .isGreaterThan(0.13); // the largest without noise and bursts is 0.27
        });
    }

    /**
     * Latency is eight times as long at a share above a twentieth, far above the limit; below it, bulk work is not
     * felt.
     */
    @Test
    void keepsBelowASharpKnee() {
        Seeds.times(5, random -> {
            GuardController relative = new GuardController(new LatencyLimits(3 * LIMIT / 2, 0, LIMIT, 0));
            double share = GuardController.FIRST_SHARE;
            int within = 0;
            int windows = 1_000;
            double sum = 0;
            for (int n = 0; n < windows; n++) {
                double millis = (share > 0.05 ? 160 : 20) * Math.exp(0.1 * random.nextGaussian());
                within += millis <= 30 ? 1 : 0;
                share = relative.next(p99(millis), 0).share();
                sum += share;
            }
            assertThat((double) within / windows).isGreaterThan(0.88);
            assertThat(sum / windows).as("mean share").isGreaterThan(0.03);
        });
    }

    /**
     * A pause of the node is in every second window, so that p99 says nothing about bulk work; the mean does: it grows
     * with the share, and is twice that before the job at a share of a tenth.
     */
    @Test
    void keepsTheMeanWithinItsLimitBesidePausesThatHideP99() {
        Seeds.times(5, random -> {
            GuardController relative = new GuardController(new LatencyLimits(3 * LIMIT / 2, 3 * MS, LIMIT, 2 * MS));
            double share = GuardController.FIRST_SHARE;
            int within = 0;
            int windows = 1_000;
            double sum = 0;
            for (int n = 0; n < windows; n++) {
                double mean = (2 + 20 * share) * Math.exp(0.1 * random.nextGaussian());
                double p99 = random.nextBoolean() ? 20 * Math.exp(0.2 * random.nextGaussian()) : 3 * mean;
                within += mean <= 3 ? 1 : 0;
                share = relative.next(new ProbeWindow(2_000 * MS, 100, 0, (long) (p99 * MS), (long) (mean * MS)), 0)
                        .share();
                sum += share;
            }
            assertThat((double) within / windows).isGreaterThan(0.9);
            assertThat(sum / windows).as("mean share").isGreaterThan(0.015); // the largest without noise is 0.05
        });
    }

    /** The latency is the baseline without bulk work, and every tenth window is above the limit. */
    @Test
    void doesNotHoldBackBulkWorkThatDisturbsNobody() {
        Seeds.times(5, random -> {
            GuardController relative = new GuardController(new LatencyLimits(3 * LIMIT / 2, 0, LIMIT, 0));
            double share = GuardController.FIRST_SHARE;
            double sum = 0;
            for (int n = 0; n < 2_000; n++) {
                double millis = 20 * Math.exp(0.3 * random.nextGaussian());
                share = relative.next(p99(millis), 0).share();
                sum += n < 1_000 ? 0 : share;
            }
            assertThat(sum / 1_000).as("mean share").isGreaterThan(0.7);
        });
    }

    @Test
    void usesTheWholeShareSoonAfterTheOthersAreGone() {
        for (int n = 0; n < 100; n++) {
            guard.next(p99(100), 0);
        }
        double share = GuardController.FLOOR;
        int windows = 0;
        for (; share < 1; windows++) {
            share = guard.next(p99(2), 0).share();
        }
        assertThat(windows).isBetween(15, 30);
    }

    @Test
    void recoversFromABurst() {
        Seeds.times(20, random -> {
            GuardController any = new GuardController(LatencyLimits.ofP99(LIMIT));
            double share = GuardController.FIRST_SHARE;
            double before = 0;
            for (int n = 0; n < 300; n++) {
                double burst = n >= 100 && n < 150 ? 4.5 : 1;
                double millis = burst * (4 + 30 * share);
                share = any.next(p99(millis), 0).share();
                if (n == 99) {
                    before = share;
                } else if (n == 149) {
                    assertThat(share).isLessThan(before / 4);
                }
            }
            assertThat(share).isGreaterThan(0.6 * before);
        });
    }

    /** A queue with workers, probed 50 times a second; its users' requests triple for a minute, and a collector pauses it. */
    @Test
    void protectsASimulatedNodeAndKeepsItsCapacityInUse() {
        Seeds.times(2, random -> {
            SimulatedNode node = new SimulatedNode(new SplittableRandom(random.nextLong()));
            GuardController any = new GuardController(LatencyLimits.ofP99(LIMIT));
            double share = GuardController.FIRST_SHARE;
            int within = 0;
            int windows = 200;
            int warmUp = 6;
            for (int n = 0; n < windows + warmUp; n++) {
                node.foregroundRate = n >= 100 && n < 130 ? 900 : 300;
                if (n % 50 == 40) {
                    node.pause(0.15);
                }
                ProbeWindow window = node.window(Math.max(1, (int) (share * 256)));
                if (n >= warmUp) {
                    within += window.p99Nanos() <= LIMIT ? 1 : 0;
                }
                share = any.next(window, 0).share();
            }
            assertThat((double) within / windows).isGreaterThanOrEqualTo(0.95);
            // 8 workers and 4 ms for a request are 2000 a second; a seventh of that is for the users
            assertThat(node.bulkDone / ((windows + warmUp) * SimulatedNode.WINDOW))
                    .isGreaterThan(1500);
        });
    }

    @Test
    void withoutTheGuardTheSimulatedNodeIsSlow() {
        SimulatedNode node = new SimulatedNode(new SplittableRandom(1));
        node.window(256);
        assertThat(node.window(256).p99Nanos()).isGreaterThan(4 * LIMIT);
    }
}
