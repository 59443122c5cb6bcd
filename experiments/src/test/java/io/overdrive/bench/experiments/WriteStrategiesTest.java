package io.overdrive.bench.experiments;

import static io.overdrive.bench.Check.Verdict.CANNOT_BE_SHOWN;
import static io.overdrive.bench.Check.Verdict.NOT_REPRODUCED;
import static io.overdrive.bench.Check.Verdict.REPRODUCED;
import static io.overdrive.bench.Figure.CLIENT_CPU;
import static io.overdrive.bench.Figure.SECONDS;
import static io.overdrive.bench.Figure.SERVER_CPU;
import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import org.junit.jupiter.api.Test;

class WriteStrategiesTest {
    private final WriteStrategies experiment = new WriteStrategies();
    private final Size size = experiment.size(Preset.LAPTOP);

    @Test
    void hasAllCombinationsAtTheSizeOfTheTalk() {
        assertThat(experiment.arms(experiment.size(Preset.PAPER))).hasSize(2 * 3 * (1 + 5 * 5));
        assertThat(experiment.arms(size)).hasSize(2 * 2 * (1 + 5 * 2));
    }

    /** Figures as in the talk, and as its speaker meant it. */
    private static double published(Arm arm) {
        double cost = arm.level("consistency").equals("ALL") ? 1.5 : 1;
        boolean alone =
                arm.level("schema").startsWith("1 ") && arm.level("strategy").equals("partition");
        if (arm.level("strategy").equals("individual") || alone) {
            return 2 * cost;
        }
        return switch (arm.level("strategy")) {
            case "any rows" -> 1.2 * cost;
            case "one replica" -> 1.1 * cost;
            case "partition" -> 0.5 * cost;
            default -> cost;
        };
    }

    @Test
    void findsThePublishedShapesIfTheyExist() {
        assertThat(MadeUp.verdicts(
                        experiment,
                        MadeUp.findings(
                                experiment, size, 3, WriteStrategiesTest::published, SECONDS, CLIENT_CPU, SERVER_CPU)))
                .containsOnly(REPRODUCED);
    }

    @Test
    void findsNothingIfAllFiguresAreEqual() {
        assertThat(MadeUp.verdicts(
                        experiment, MadeUp.findings(experiment, size, 3, arm -> 1, SECONDS, CLIENT_CPU, SERVER_CPU)))
                .containsExactly(
                        NOT_REPRODUCED,
                        NOT_REPRODUCED,
                        NOT_REPRODUCED,
                        REPRODUCED,
                        NOT_REPRODUCED,
                        NOT_REPRODUCED,
                        NOT_REPRODUCED,
                        REPRODUCED,
                        NOT_REPRODUCED);
    }

    @Test
    void concludesNothingAboutReplicasIfThereIsOneNode() {
        assertThat(MadeUp.verdicts(
                                experiment,
                                MadeUp.findings(
                                        experiment,
                                        Size.rows(40_000).repeat(4),
                                        1,
                                        WriteStrategiesTest::published,
                                        SECONDS,
                                        CLIENT_CPU,
                                        SERVER_CPU))
                        .subList(4, 7))
                .containsOnly(CANNOT_BE_SHOWN);
    }
}
