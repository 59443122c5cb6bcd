package io.overdrive.bench.experiments;

import static io.overdrive.bench.Check.Verdict.CANNOT_BE_SHOWN;
import static io.overdrive.bench.Check.Verdict.NOT_REPRODUCED;
import static io.overdrive.bench.Check.Verdict.REPRODUCED;
import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.Layouts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Conclusions of the experiments on data centres from made-up figures. */
class LayoutsTest {
    private static final Size LAPTOP = new DcIsolation().size(Preset.LAPTOP);

    /** The original's job: from no foreground load to three quarters of the maximum rate, 2018 s to 5078 s on one data centre, and 3890 s to the given time on two. */
    private static List<Check> isolation(double highestOnTwo, double riseOnOne, double kept) {
        List<Measurement> runs = new ArrayList<>();
        for (int block = 1; block <= 3; block++) {
            double factor = 1 + block / 100.0;
            for (Arm arm : new DcIsolation().arms(LAPTOP)) {
                boolean one = arm.level("layout").equals("1 data centre");
                double share = arm.number("foreground load") / 75;
                double seconds = one ? 2018 + share * (5078 - 2018) : 3890 + share * (highestOnTwo - 3890);
                Map<Figure, Double> figures = share == 0
                        ? Map.of(Figure.SECONDS, seconds * factor)
                        : Map.of(
                                Figure.SECONDS, seconds * factor,
                                Figure.FOREGROUND_RISE, one ? riseOnOne * factor : factor,
                                Figure.RATE_KEPT, one && share == 1 ? kept : 1);
                runs.add(new Measurement(arm, block, figures, List.of(), null));
            }
        }
        return new DcIsolation().check(MadeUp.findings(runs, 1, LAPTOP));
    }

    @Test
    void reproducesTheFiguresOfTheOriginal() {
        List<Check> checks = isolation(4378, 3, 1);
        assertThat(checks).extracting(Check::verdict).containsOnly(REPRODUCED);
        assertThat(checks.get(1).evidence()).isEqualTo("54.6 (54.6 to 54.6, n = 3)");
    }

    @Test
    void aJobThatIsAlwaysFasterOnOneDataCentreRefutesACrossOver() {
        List<Check> checks = isolation(9000, 1, 1);
        assertThat(checks).extracting(Check::verdict).containsExactly(REPRODUCED, NOT_REPRODUCED, NOT_REPRODUCED);
        assertThat(checks.get(1).evidence()).contains("1 data centre stays below 2 data centres");
    }

    @Test
    void namesRunsWhoseLoadMissedItsTargetRate() {
        assertThat(isolation(4378, 3, 0.85)).allSatisfy(check -> assertThat(check.evidence())
                .endsWith("; the load did not achieve its target rate within 10 % in 3 runs of 1 data centre, 75 %"));
    }

    @Test
    void noClaimIsRefutedIfNodesShareAMachine() {
        Findings here = new Findings(List.of(), new Findings.Conditions(1, LAPTOP, /* onThisMachine */ true));
        Findings elsewhere = MadeUp.none(LAPTOP, 1);
        Check negative = new Check("claim", NOT_REPRODUCED, "figures");
        Check positive = new Check("claim", REPRODUCED, "figures");
        assertThat(Layouts.judge(here, negative))
                .satisfies(check -> assertThat(check.verdict()).isEqualTo(CANNOT_BE_SHOWN))
                .satisfies(check -> assertThat(check.evidence()).startsWith("figures; all nodes share"));
        assertThat(Layouts.judge(elsewhere, negative)).isEqualTo(negative);
        assertThat(Layouts.judge(here, positive)).isEqualTo(positive);
    }

    @Test
    void capacityIsComparedWithTwiceTheRate() {
        Experiment capacity = new EqualCostCapacity();
        for (Map.Entry<Double, Check.Verdict> times :
                Map.of(2.0, REPRODUCED, 1.2, NOT_REPRODUCED).entrySet()) {
            Findings findings = MadeUp.findings(
                    capacity,
                    LAPTOP,
                    1,
                    arm -> arm.level("layout").equals("1 data centre") ? 1000 * times.getKey() : 1000,
                    Figure.OPERATIONS_PER_SECOND);
            assertThat(MadeUp.verdicts(capacity, findings))
                    .as("%s times", times.getKey())
                    .hasSize(3)
                    .containsOnly(times.getValue());
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingCanBeShownWithoutRuns(Preset preset) {
        for (Experiment experiment : List.of(new DcIsolation(), new EqualCostCapacity())) {
            Findings none = MadeUp.none(experiment.size(preset), 1);
            assertThat(MadeUp.verdicts(experiment, none)).containsOnly(CANNOT_BE_SHOWN);
        }
    }
}
