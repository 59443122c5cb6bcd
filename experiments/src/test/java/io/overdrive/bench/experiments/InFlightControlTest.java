package io.overdrive.bench.experiments;

import static io.overdrive.bench.Check.Verdict.CANNOT_BE_SHOWN;
import static io.overdrive.bench.Check.Verdict.NOT_REPRODUCED;
import static io.overdrive.bench.Check.Verdict.REPRODUCED;
import static io.overdrive.bench.Figure.P99;
import static io.overdrive.bench.Figure.PEAK_MEMORY;
import static io.overdrive.bench.Figure.ROWS_PER_SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class InFlightControlTest {
    private final InFlightControl experiment = new InFlightControl();
    private final Size size = experiment.size(Preset.LAPTOP);

    @Test
    void equalFiguresShowNoHarm() {
        assertThat(MadeUp.verdicts(
                        experiment, MadeUp.findings(experiment, size, 3, arm -> 1, ROWS_PER_SECOND, P99, PEAK_MEMORY)))
                .containsExactly(REPRODUCED, REPRODUCED, NOT_REPRODUCED, NOT_REPRODUCED, REPRODUCED);
    }

    @Test
    void failuresThatHappenOnlyWithoutALimitShowTheClaim() {
        List<Check> checks =
                experiment.check(failing(arm -> arm.level("control").equals("none")));
        assertThat(checks.stream().filter(check -> check.verdict() == REPRODUCED))
                .hasSize(2)
                .allSatisfy(check -> assertThat(check.evidence())
                        .isEqualTo("1 of 1 runs without a limit failed: no connection is free"));
    }

    @Test
    void concludesNothingIfAllRunsFail() {
        assertThat(MadeUp.verdicts(experiment, failing(arm -> true))).containsOnly(CANNOT_BE_SHOWN);
    }

    private Findings failing(Predicate<Arm> fails) {
        return MadeUp.findings(
                experiment.arms(size).stream()
                        .map(arm -> new Measurement(
                                arm, 1, Map.of(), List.of(), fails.test(arm) ? "no connection is free" : null))
                        .toList(),
                3,
                size);
    }

    @Test
    void concludesNothingFromALimitThatIsHardlyReached() {
        Size tiny = experiment.size(Preset.TINY);
        assertThat(MadeUp.verdicts(
                        experiment, MadeUp.findings(experiment, tiny, 1, arm -> 1, ROWS_PER_SECOND, P99, PEAK_MEMORY)))
                .containsExactly(CANNOT_BE_SHOWN, CANNOT_BE_SHOWN, CANNOT_BE_SHOWN, CANNOT_BE_SHOWN, REPRODUCED);
    }
}
