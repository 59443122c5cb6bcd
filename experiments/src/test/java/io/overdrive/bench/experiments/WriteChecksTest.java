package io.overdrive.bench.experiments;

import static io.overdrive.bench.Check.Verdict.CANNOT_BE_SHOWN;
import static io.overdrive.bench.Check.Verdict.NOT_REPRODUCED;
import static io.overdrive.bench.Check.Verdict.REPRODUCED;
import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Conclusions of experiments that write from made-up figures, and how they divide rows. */
class WriteChecksTest {
    private static Check check(Experiment experiment, String claim, Function<Arm, Map<Figure, Double>> figures) {
        Size size = experiment.size(Preset.LAPTOP);
        List<Measurement> runs = new ArrayList<>();
        for (int block = 1; block <= 3; block++) {
            for (Arm arm : experiment.arms(size)) {
                runs.add(new Measurement(arm, block, figures.apply(arm), List.of(), null));
            }
        }
        return experiment.check(MadeUp.findings(runs, 3, size)).stream()
                .filter(check -> check.claim().contains(claim))
                .findFirst()
                .orElseThrow();
    }

    private static Check failures(double seconds, double ofAny, double ofPartition) {
        return check(
                new LongRun(),
                "fail in a long run",
                arm -> Map.of(
                        Figure.SECONDS,
                        seconds,
                        Figure.ERRORS,
                        arm.level("grouping").equals("any rows")
                                ? ofAny
                                : arm.level("grouping").equals("partition, in each task") ? ofPartition : 0));
    }

    @Test
    void longRunShowsWhetherOnlyBatchesOfAnyRowsFail() {
        assertThat(failures(90, 12, 0).verdict()).isEqualTo(REPRODUCED);
        assertThat(failures(90, 12, 3).verdict()).isEqualTo(NOT_REPRODUCED);
        assertThat(failures(90, 0, 0).verdict()).isEqualTo(NOT_REPRODUCED);
        assertThat(failures(20, 0, 0).verdict()).isEqualTo(CANNOT_BE_SHOWN);
        assertThat(failures(20, 12, 0).evidence())
                .isEqualTo("6 of 6 runs with failures in batches of any rows, 0 of 6 in batches by partition");
    }

    private static Check throttled(String claim, double seconds, double rows, double growth) {
        return check(new ThrottleSustain(), claim, arm -> {
            boolean hare = arm.level("rate").equals("100 %");
            return Map.of(
                    Figure.SECONDS,
                    seconds,
                    Figure.ROWS,
                    hare ? rows : 700,
                    Figure.COMPACTIONS_GROWTH,
                    hare ? growth : 0);
        });
    }

    @Test
    void throttleSustainConcludesNothingAboutRowsFromShortRuns() {
        assertThat(throttled("writes no fewer", 7200, 600, 0).verdict()).isEqualTo(REPRODUCED);
        assertThat(throttled("writes no fewer", 7200, 1000, 0).verdict()).isEqualTo(NOT_REPRODUCED);
        assertThat(throttled("writes no fewer", 15, 1000, 0).verdict()).isEqualTo(CANNOT_BE_SHOWN);
    }

    @Test
    void throttleSustainDetectsGrowingCompactions() {
        assertThat(throttled("pending compactions grow", 15, 1000, 4).verdict()).isEqualTo(REPRODUCED);
        assertThat(throttled("pending compactions grow", 7200, 1000, 0).verdict())
                .isEqualTo(NOT_REPRODUCED);
        assertThat(throttled("pending compactions grow", 15, 1000, 0).verdict()).isEqualTo(CANNOT_BE_SHOWN);
    }

    @Test
    void taskGranularityFindsTheFixedCostOfATask() {
        // 24 threads, 5 s of rows, and 2 ms for each task
        Check check = check(new TaskGranularity(), "fixed cost", arm -> {
            double tasksOfAThread = 240_000 / arm.number("rows per task") / 24;
            return Map.of(Figure.SECONDS, 5 + 0.002 * tasksOfAThread);
        });
        assertThat(check.verdict()).isEqualTo(REPRODUCED);
        assertThat(check.evidence()).startsWith("0.00200 s (0.00200 to 0.00200, n = 9)");
    }

    @Test
    void tasksRangeFromAThousandthToAllRowsOfAThread() {
        assertThat(rowsPerTask(Preset.PAPER)).containsExactly("500", "5,000", "50,000", "500,000");
        assertThat(rowsPerTask(Preset.LAPTOP)).containsExactly("100", "1,000", "10,000");
    }

    private static Stream<String> rowsPerTask(Preset preset) {
        TaskGranularity experiment = new TaskGranularity();
        return experiment.arms(experiment.size(preset)).stream()
                .map(arm -> arm.level("rows per task"))
                .distinct();
    }

    @Test
    void tasksHaveSeveralTimesAsManyRowsAsAreInFlight() {
        assertThat(BatchOffConcurrency.tasksAtOnce(60_000, 3)).isEqualTo(6);
        assertThat(BatchOffConcurrency.tasksAtOnce(20_000_000, 5)).isEqualTo(40);
        assertThat(BatchOffConcurrency.tasksAtOnce(500, 1)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void nothingCanBeShownWithoutRuns(Preset preset) {
        for (Experiment experiment : List.of(
                new LongRun(),
                new TaskGranularity(),
                new SortFirst(),
                new BatchOffConcurrency(),
                new ThrottleSustain())) {
            assertThat(experiment.check(MadeUp.none(experiment.size(preset), 3)))
                    .extracting(Check::verdict)
                    .containsOnly(CANNOT_BE_SHOWN);
        }
    }
}
