package io.overdrive.bench.experiments;

import static io.overdrive.bench.Check.Verdict.NOT_REPRODUCED;
import static io.overdrive.bench.Check.Verdict.REPRODUCED;
import static io.overdrive.bench.Figure.ROWS_PER_SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.run.Selection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FoundLimitsTest {
    private final FoundLimits experiment = new FoundLimits();
    private final Size size = experiment.size(Preset.LAPTOP);

    private Findings findings(ToDoubleFunction<Arm> rate) {
        return MadeUp.findings(experiment, size, 1, rate, ROWS_PER_SECOND);
    }

    private static boolean isFound(Arm arm) {
        return arm.level("request size").equals("found");
    }

    @Test
    void aPartOfTheJobsCanBeSelected() {
        List<Arm> arms = Selection.parse(List.of("job=write W1")).of(experiment.arms(size));
        assertThat(arms).doesNotHaveDuplicates().hasSize(1 + 4 * 5);
        assertThat(arms.stream().filter(FoundLimitsTest::isFound)).hasSize(1);
        assertThat(Selection.parse(List.of("job=read 10 kB rows")).of(experiment.arms(size)))
                .hasSize(1 + 4 * 3);
    }

    @Test
    void levelsOfTheGridAreNumbers() {
        assertThat(Stream.of("1 KiB", "64 KiB", "20,000 rows").map(level -> experiment.arms(size).stream()
                        .filter(arm -> arm.level("request size").equals(level))
                        .findFirst()
                        .orElseThrow()
                        .number("request size")))
                .containsExactly(1024.0, 65536.0, 20_000.0);
        assertThat(experiment.arms(size).stream().filter(arm -> !isFound(arm)).map(arm ->
                        (int) arm.number("in flight")))
                .containsOnly(1, 4, 16, 64, 256, 1024);
    }

    @Test
    void foundLimitsThatAreAsFastAsTheBestReproduceTheClaim() {
        assertThat(MadeUp.verdicts(experiment, findings(arm -> 1))).hasSize(6).containsOnly(REPRODUCED);
        assertThat(MadeUp.verdicts(experiment, findings(arm -> isFound(arm) ? 0.94 : 1)))
                .hasSize(6)
                .containsOnly(NOT_REPRODUCED);
    }

    @Test
    void theBestCellOfEachJobIsCompared() {
        Arm fast = experiment.arms(size).stream()
                .filter(arm -> arm.toString().equals("write W2, 4 KiB, 64 requests"))
                .findFirst()
                .orElseThrow();
        Findings findings = findings(arm -> arm.equals(fast) ? 1.2 : 1);
        assertThat(MadeUp.verdicts(experiment, findings))
                .containsExactly(REPRODUCED, NOT_REPRODUCED, REPRODUCED, REPRODUCED, REPRODUCED, REPRODUCED);
        assertThat(experiment.check(findings).get(1).evidence()).endsWith("; the best: 4 KiB, 64 requests");
    }

    @Test
    void checksOnlyJobsThatRan() {
        Findings findings = findings(arm -> 1).where("job", "read W1");
        assertThat(MadeUp.verdicts(experiment, findings)).containsExactly(REPRODUCED);
    }
}
