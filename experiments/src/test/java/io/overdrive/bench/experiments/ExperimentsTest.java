package io.overdrive.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Experiment;
import io.overdrive.bench.spark.SparkOptions;
import org.junit.jupiter.api.Test;

/** The texts of the experiments. */
class ExperimentsTest {
    @Test
    void eachExperimentHasATextAndAUniqueName() {
        assertThat(Experiments.all(SparkOptions.NONE))
                .extracting(experiment -> experiment.description().name())
                .doesNotHaveDuplicates()
                .allSatisfy(name -> assertThat(name).matches("[a-z]+(-[a-z]+)*"));
        assertThat(Experiments.all(SparkOptions.NONE))
                .extracting(Experiment::description)
                .allSatisfy(text -> {
                    assertThat(text.question()).endsWith("?");
                    assertThat(text.caveats()).isNotEmpty().allSatisfy(caveat -> assertThat(caveat)
                            .endsWith("."));
                });
    }

    @Test
    void textsHaveTheSameNumbersAsTheCode() {
        assertThat(caveats(new BatchOffConcurrency()))
                .contains("until " + BatchOffConcurrency.TOLERATED_FAILURES + " have");
        assertThat(caveats(new LongRun())).contains("until " + LongRun.TOLERATED_FAILURES + " have");
        assertThat(caveats(new SortFirst()))
                .contains("one in " + SortFirst.PARTITIONS_FOR_AN_OPEN_BATCH + " partitions");
        assertThat(caveats(new ThrottleSustain())).contains("best of " + ThrottleSustain.SHORT_RUNS + " short runs");
    }

    private static String caveats(Experiment experiment) {
        return String.join("\n", experiment.description().caveats());
    }
}
