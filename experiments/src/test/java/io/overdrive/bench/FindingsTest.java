package io.overdrive.bench;

import static io.overdrive.bench.Check.Verdict.CANNOT_BE_SHOWN;
import static io.overdrive.bench.Check.Verdict.NOT_REPRODUCED;
import static io.overdrive.bench.Check.Verdict.REPRODUCED;
import static io.overdrive.bench.Check.Verdict.UNCERTAIN;
import static io.overdrive.bench.Figure.ROWS_PER_SECOND;
import static io.overdrive.bench.Figure.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.overdrive.bench.Findings.Conditions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FindingsTest {
    /** Student's sleep data (Cushny and Peebles 1905), hours of sleep gained with each of two drugs; in R: {@code sleep}. */
    private static final double[] FIRST_DRUG = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};

    private static final double[] SECOND_DRUG = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

    private final List<Measurement> runs = new ArrayList<>();

    @Test
    void meanHasTheIntervalOfTheTDistribution() {
        add("drug", "first", FIRST_DRUG);
        Estimate mean = findings().mean(SECONDS);
        // numpy.mean, numpy.std(ddof=1), scipy.stats.t.interval of SciPy 1.17.1
        assertThat(mean.value()).isCloseTo(0.75, within(1e-12));
        assertThat(mean.sd()).isCloseTo(1.7890096577591623, within(1e-12));
        assertThat(mean.low()).isCloseTo(-0.5297804135262318, within(1e-9));
        assertThat(mean.high()).isCloseTo(2.0297804135262316, within(1e-9));
        assertThat(mean.n()).isEqualTo(10);
    }

    @Test
    void roundingGivesEqualRunsNoInterval() {
        add("drug", "first", 0.7, 0.7, 0.7);
        assertThat((0.7 + 0.7 + 0.7) / 3).as("the mean after rounding").isNotEqualTo(0.7);
        assertThat(findings().mean(SECONDS)).hasToString("0.700 s (0.700 to 0.700, n = 3)");
        assertThat(findings().mean(SECONDS).half()).isZero();
    }

    @Test
    void oneRunHasNoInterval() {
        add("drug", "first", 5);
        assertThat(findings().mean(SECONDS)).hasToString("5.00 s (n = 1: no interval)");
    }

    @Test
    void comparesRunsOfTheSameBlock() {
        add("drug", "first", exp(FIRST_DRUG));
        add("drug", "second", exp(SECOND_DRUG));
        Estimate ratio = findings().where("drug", "second").ratioTo(findings().where("drug", "first"), SECONDS);
        // scipy.stats.ttest_rel, SciPy 1.17.1; R's t.test(extra ~ group, sleep, paired = TRUE) has the same
        assertThat(Math.log(ratio.value())).isCloseTo(1.58, within(1e-12));
        assertThat(Math.log(ratio.low())).isCloseTo(0.7001142367230175, within(1e-9));
        assertThat(Math.log(ratio.high())).isCloseTo(2.459885763276983, within(1e-9));
        assertThat(ratio.p()).isCloseTo(0.002832890197384273, within(1e-9));
        assertThat(ratio.n()).isEqualTo(10);
    }

    @Test
    void comparesRunsOfDifferentSessions() {
        Estimate ratio = Estimate.ratio(SECOND_DRUG, FIRST_DRUG, 0.05, "");
        // scipy.stats.ttest_ind(equal_var=False), SciPy 1.17.1: 17.776 degrees of freedom
        assertThat(Math.log(ratio.value())).isCloseTo(1.58, within(1e-12));
        assertThat(Math.log(ratio.low())).isCloseTo(-0.20548323071171137, within(1e-9));
        assertThat(Math.log(ratio.high())).isCloseTo(3.3654832307117104, within(1e-9));
        assertThat(ratio.p()).isCloseTo(0.0793941401873583, within(1e-9));
    }

    @Test
    void effectsSharedByAllRunsOfABlockCancelOut() {
        add("order", "in order", 100, 210, 390);
        add("order", "random", 50, 100, 200);
        Estimate ratio =
                findings().where("order", "in order").ratioTo(findings().where("order", "random"), SECONDS);
        assertThat(ratio.value()).isCloseTo(2.0, within(0.05));
        assertThat(ratio.low()).isGreaterThan(1.8);
        assertThat(ratio.note()).isEqualTo("233 against 117 s");
    }

    @Test
    void ignoresBlocksInWhichOneSideFailed() {
        add("order", "in order", 10, 20, 30);
        add("order", "random", 5, 10);
        runs.add(new Measurement(arm("order", "random"), 3, Map.of(SECONDS, 1.0), List.of(), "timed out"));
        Estimate ratio =
                findings().where("order", "in order").ratioTo(findings().where("order", "random"), SECONDS);
        assertThat(ratio.n()).isEqualTo(2);
        assertThat(ratio.value()).isCloseTo(2, within(1e-12));
    }

    @Test
    void comparesArmsThatAreOtherwiseEqual() {
        for (int block = 1; block <= 3; block++) {
            add(Map.of("order", "in order", "grouping", "none"), block, 40);
            add(Map.of("order", "random", "grouping", "none"), block, 20);
            add(Map.of("order", "in order", "grouping", "partition"), block, 4000);
        }
        Estimate ratio =
                findings().where("order", "in order").ratioTo(findings().where("order", "random"), SECONDS);
        assertThat(ratio.value()).isCloseTo(2, within(1e-12));
    }

    @Test
    void saysWhyThereIsNoRatio() {
        add("order", "in order", 10, 20);
        runs.add(new Measurement(arm("order", "random"), 1, Map.of(), List.of(), "timed out"));
        Findings inOrder = findings().where("order", "in order");
        assertThat(inOrder.ratioTo(findings().where("order", "random"), SECONDS))
                .hasToString("no time of random (1 of 1 runs failed)");
        assertThat(inOrder.ratioTo(findings().where("order", "backwards"), SECONDS))
                .hasToString("no time of an arm that was not run");
    }

    @Test
    void adjustsAFamilyByHolmsMethod() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
        List<Double> adjusted = Estimate.family(DoubleStream.of(0.01, 0.04, 0.03, 0.005)
                        .mapToObj(p -> new Estimate(2, 1, 3, "times", 0, p, 5, ""))
                        .toList())
                .stream()
                .map(Estimate::p)
                .toList();
        assertThat(adjusted).containsExactly(0.03, 0.06, 0.06, 0.02);
    }

    @Test
    void fitsALineAsNistCertifies() {
        // NIST Statistical Reference Datasets, Norris: y and x of each pair, and the certified values
        double[] norris = {
            0.1, 0.2, 338.8, 337.4, 118.1, 118.2, 888.0, 884.6, 9.2, 10.1, 228.1, 226.5, 668.5, 666.3, 998.5, 996.3,
            449.1, 448.6, 778.9, 777.0, 559.2, 558.2, 0.3, 0.4, 0.1, 0.6, 778.1, 775.5, 668.8, 666.9, 339.3, 338.0,
            448.9, 447.5, 10.8, 11.6, 557.7, 556.0, 228.3, 228.1, 998.0, 995.8, 888.8, 887.6, 119.6, 120.2, 0.3, 0.3,
            0.6, 0.3, 557.6, 556.8, 339.3, 339.1, 888.0, 887.2, 998.5, 999.0, 778.9, 779.0, 10.2, 11.1, 117.6, 118.3,
            228.9, 229.2, 668.4, 669.1, 449.2, 448.9, 0.2, 0.5
        };
        for (int i = 0; i < norris.length; i += 2) {
            add(Map.of("rows", String.valueOf(norris[i + 1])), 1 + i, norris[i]);
        }
        Estimate intercept = findings().intercept(SECONDS, arm -> arm.number("rows"));
        assertThat(intercept.value()).isCloseTo(-0.262323073774029, within(1e-12));
        // the interval from the certified standard error 0.232818234301152: scipy.stats.t.ppf(.975, 34)
        assertThat(intercept.low()).isCloseTo(-0.7354666521023308, within(1e-9));
        assertThat(intercept.high()).isCloseTo(0.21082050455436158, within(1e-9));
        Estimate slope = findings().slope(SECONDS, arm -> arm.number("rows"));
        assertThat(slope.value()).isCloseTo(1.00211681802045, within(1e-13));
        assertThat(slope.low()).isCloseTo(1.0012433657355764, within(1e-9));
        assertThat(slope.high()).isCloseTo(1.0029902703053322, within(1e-9));
        assertThat(slope.sd()).isCloseTo(0.884796396144373, within(1e-12));
    }

    @Test
    void findsThePointAtWhichTwoCurvesCross() {
        // by hand: 2018 + x (5078 - 2018) / 6000 = 3890 + x (4378 - 3890) / 6000
        double crossing = (3890.0 - 2018) * 6000 / ((5078 - 2018) - (4378 - 3890));
        for (int block = 1; block <= 5; block++) {
            double day = 1 + 0.01 * block;
            add(Map.of("cluster", "one", "load", "0 op/s"), block, 2018 * day);
            add(Map.of("cluster", "one", "load", "6,000 op/s"), block, 5078 * day);
            add(Map.of("cluster", "two", "load", "0 op/s"), block, 3890 * day);
            add(Map.of("cluster", "two", "load", "6,000 op/s"), block, 4378 * day);
        }
        Estimate found =
                findings().where("cluster", "one").crossOver(findings().where("cluster", "two"), SECONDS, "load");
        assertThat(found.value()).isCloseTo(crossing, within(1e-6));
        assertThat(found.low()).isCloseTo(crossing, within(1e-6));
        assertThat(found.high()).isCloseTo(crossing, within(1e-6));
        Estimate none = findings()
                .where("load", "0 op/s", "6,000 op/s")
                .where("cluster", "two")
                .crossOver(findings().where("cluster", "none"), SECONDS, "load");
        assertThat(none.isMissing()).isTrue();
    }

    @Test
    void aCrossOverBeyondTheMeasuredRangeIsInfinite() {
        add(Map.of("cluster", "one", "load", "0"), 1, 1);
        add(Map.of("cluster", "one", "load", "9"), 1, 2);
        add(Map.of("cluster", "two", "load", "0"), 1, 3);
        add(Map.of("cluster", "two", "load", "9"), 1, 3);
        Findings one = findings().where("cluster", "one");
        Findings two = findings().where("cluster", "two");
        assertThat(one.crossOver(two, SECONDS, "load").value()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(two.crossOver(one, SECONDS, "load").value()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(one.crossOver(two, SECONDS, "load").toString()).startsWith("one stays below two at every load");
    }

    @Test
    void theIntervalOfTheCrossOverUsuallyContainsTheTrueValue() {
        Random random = new Random(7);
        int hits = 0;
        for (int trial = 0; trial < 60; trial++) {
            runs.clear();
            for (int block = 1; block <= 10; block++) {
                for (int load = 0; load <= 100; load += 20) {
                    add(
                            Map.of("cluster", "one", "load", "" + load),
                            block,
                            100 + 2 * load + 10 * random.nextGaussian());
                    add(Map.of("cluster", "two", "load", "" + load), block, 200 + 10 * random.nextGaussian());
                }
            }
            Estimate found =
                    findings().where("cluster", "one").crossOver(findings().where("cluster", "two"), SECONDS, "load");
            hits += found.low() <= 50 && 50 <= found.high() ? 1 : 0;
        }
        // percentiles of a bootstrap over ten blocks are known to be a little narrow
        assertThat(hits).isBetween(50, 59);
    }

    @Test
    void findsTheBestLevel() {
        add("size", "1 kB", 10, 11);
        add("size", "32 kB", 90, 91);
        add("size", "10 MB", 8, 9);
        assertThat(findings().best("size", ROWS_PER_SECOND).levels("size")).isEmpty();
        assertThat(findings().best("size", SECONDS).levels("size")).containsExactly("10 MB");
    }

    @Test
    void findsTheBestArm() {
        assertThat(findings().best(SECONDS).arms()).isEmpty();
        add(Map.of("size", "1 kB", "in flight", "4"), 1, 9);
        add(Map.of("size", "1 kB", "in flight", "16"), 1, 7);
        add(Map.of("size", "32 kB", "in flight", "4"), 1, 7);
        assertThat(findings().best(ROWS_PER_SECOND).arms()).isEmpty();
        assertThat(findings().best(SECONDS).arms())
                .as("the first of two")
                .containsExactly(new Arm(Map.of("size", "1 kB", "in flight", "16")));
    }

    @Test
    void equalArmsSeemDifferentInFivePercentOfFamilies() {
        Random random = new Random(20161103);
        int families = 2000;
        int alarms = 0;
        int unadjusted = 0;
        int single = 0;
        for (int family = 0; family < families; family++) {
            runs.clear();
            for (int block = 1; block <= 6; block++) {
                double day = 1000 * Math.exp(0.3 * random.nextGaussian());
                for (int arm = 0; arm < 5; arm++) {
                    add(Map.of("arm", "" + arm), block, day * Math.exp(0.1 * random.nextGaussian()));
                }
            }
            Findings findings = findings();
            Findings first = findings.where("arm", "0");
            List<Estimate> ratios = IntStream.range(1, 5)
                    .mapToObj(arm -> findings.where("arm", "" + arm).ratioTo(first, SECONDS))
                    .toList();
            single += ratios.get(0).p() < 0.05 ? 1 : 0;
            unadjusted += ratios.stream().anyMatch(Estimate::differs) ? 1 : 0;
            alarms += Estimate.family(ratios).stream().anyMatch(Estimate::differs) ? 1 : 0;
        }
        // 5 % of 2000 are 100, with a standard deviation of 10
        assertThat(single).isBetween(75, 125);
        assertThat(alarms).isBetween(60, 120);
        assertThat(unadjusted).isGreaterThan(200);
    }

    @Test
    void differencesBelowOnePercentAreIgnored() {
        add("arm", "a", 1000, 1001, 1002, 1001);
        add("arm", "b", 1005, 1006, 1007, 1006);
        Estimate ratio = findings().where("arm", "b").ratioTo(findings().where("arm", "a"), SECONDS);
        assertThat(ratio.p()).isLessThan(0.001);
        assertThat(ratio.differs()).isFalse();
    }

    @Test
    void aClaimIsReproducedIfTheWholeIntervalMeetsIt() {
        assertThat(Check.atLeast(1.3, "faster", ratio(1.5, 1.31, 1.7)).verdict())
                .isEqualTo(REPRODUCED);
        assertThat(Check.atLeast(1.3, "faster", ratio(1.5, 1.2, 1.8)).verdict()).isEqualTo(UNCERTAIN);
        assertThat(Check.atLeast(1.3, "faster", ratio(1.1, 0.9, 1.29)).verdict())
                .isEqualTo(NOT_REPRODUCED);
        assertThat(Check.atMost(0.6, "slower", ratio(0.5, 0.4, 0.6)).verdict()).isEqualTo(REPRODUCED);
        assertThat(Check.between(0.9, 1.1, "equal", ratio(1, 0.95, 1.05)).verdict())
                .isEqualTo(REPRODUCED);
        assertThat(Check.between(0.9, 1.1, "equal", ratio(1, 0.5, 2)).verdict()).isEqualTo(UNCERTAIN);
    }

    @Test
    void aClaimOfSeveralPartsNeedsAllOfThem() {
        Estimate missing = Estimate.missing("times", "no time of random");
        assertThat(Check.atMost(0.6, "ends", ratio(0.5, 0.4, 0.55), ratio(0.9, 0.8, 1.0))
                        .verdict())
                .isEqualTo(NOT_REPRODUCED);
        assertThat(Check.atMost(0.6, "ends", ratio(0.9, 0.8, 1.0), missing).verdict())
                .isEqualTo(NOT_REPRODUCED);
        Check check = Check.atMost(0.6, "ends", ratio(0.5, 0.4, 0.55), missing);
        assertThat(check.verdict()).isEqualTo(CANNOT_BE_SHOWN);
        assertThat(check.evidence()).isEqualTo("0.500 times (0.400 to 0.550, n = 5); no time of random");
    }

    @Test
    void writesNumbersWithThreeDigits() {
        assertThat(DoubleStream.of(0, 0.012345, 1.999, 12.345, 999.6, 77_149, 1_234_567, -0.5)
                        .mapToObj(Estimate::text))
                .containsExactly("0", "0.0123", "2.00", "12.3", "1,000", "77,100", "1,230,000", "-0.500");
    }

    @Test
    void readsTheNumberOfALevel() {
        assertThat(List.of("4,000 op/s", "32 kB", "32kB", "1 KiB", "10 MB", "5 k", "70 %", "10 ms", "1.5", "5 minutes"))
                .extracting(level -> arm("x", level).number("x"))
                .containsExactly(4000.0, 32e3, 32e3, 1024.0, 10e6, 5e3, 70.0, 10.0, 1.5, 5.0);
    }

    private static Estimate ratio(double value, double low, double high) {
        return new Estimate(value, low, high, "times", 0.1, 0.01, 5, "");
    }

    private static double[] exp(double[] logarithms) {
        return DoubleStream.of(logarithms).map(Math::exp).toArray();
    }

    private static Arm arm(String factor, String level) {
        return new Arm(Map.of(factor, level));
    }

    /** A run of this arm in each of the blocks 1, 2, ... */
    private void add(String factor, String level, double... seconds) {
        for (int i = 0; i < seconds.length; i++) {
            add(Map.of(factor, level), i + 1, seconds[i]);
        }
    }

    private void add(Map<String, String> levels, int block, double seconds) {
        runs.add(new Measurement(new Arm(levels), block, Map.of(SECONDS, seconds), List.of(), null));
    }

    private Findings findings() {
        return Findings.ofRuns(runs);
    }

    @Test
    void findingsOfAReportHaveNoCluster() {
        Findings findings = Findings.ofRuns(List.of());
        assertThatThrownBy(findings::size)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not know the cluster");
        assertThatThrownBy(findings::nodes).isInstanceOf(IllegalStateException.class);
        assertThat(new Findings(List.of(), new Conditions(3, Size.rows(10), false))
                        .where("order", "in order")
                        .nodes())
                .isEqualTo(3);
    }
}
