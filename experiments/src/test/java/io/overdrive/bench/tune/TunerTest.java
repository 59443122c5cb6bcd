package io.overdrive.bench.tune;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.bench.Estimate;
import io.overdrive.bench.tune.Answer.Verdict;
import io.overdrive.bench.tune.Knob.Level;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TunerTest {
    private static final double NOISE = 0.05;

    /** A peak at 16 KiB, half as fast at a quarter and at four times that. */
    private static double peakAt16KiB(Level level) {
        double distance = Math.log(level.tuning().batchBytes() / 16384.0) / Math.log(4);
        return 50_000 * Math.pow(2, -Math.abs(distance));
    }

    @Test
    void picksTheBestWithTheIntervalThatSaysSo() {
        Answer answer = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1)
                .tuner(Knob.WRITE_SIZE)
                .run()
                .get(0);
        assertThat(answer.verdict()).isEqualTo(Verdict.BETTER);
        assertThat(answer.chosen().label()).isEqualTo("16 KiB");
        Estimate ratio = Objects.requireNonNull(answer.ratio());
        assertThat(ratio.low()).isBetween(1.7, 2.0);
        assertThat(ratio.high()).isBetween(2.0, 2.3);
        assertThat(answer.evidence()).startsWith("16 KiB against 64 KiB in 10 separate rounds: ");
        assertThat(answer.median(answer.chosen())).isBetween(45_000.0, 55_000.0);
    }

    @Test
    void theVerdictIsFromRoundsAfterTheChoice() {
        Answer answer = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1)
                .tuner(Knob.WRITE_SIZE)
                .run()
                .get(0);
        int lastOfTheSweep =
                answer.sweep().stream().mapToInt(run -> run.block()).max().orElse(0);
        assertThat(answer.comparison())
                .allSatisfy(run -> assertThat(run.block()).isGreaterThan(lastOfTheSweep));
        assertThat(answer.comparison()).hasSize(20);
    }

    @Test
    void anIntervalThatAllowsAnythingIsNoReasonToCallTheDefaultAsGood() {
        Answer found = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1)
                .tuner(Knob.WRITE_SIZE)
                .run()
                .get(0);
        assertThat(asGood(found, 0.37, 1070).words())
                .isEqualTo("the default, as the rounds differ too much to say whether another value is better");
        assertThat(asGood(found, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY)
                        .words())
                .contains("differ too much");
        assertThat(asGood(found, 0.96, 1.03).words()).isEqualTo("the default is as good");
    }

    private static Answer asGood(Answer of, double low, double high) {
        Estimate ratio = new Estimate(1.01, low, high, "", 0.1, 0.5, 3, "");
        return new Answer(
                of.knob(),
                Verdict.DEFAULT_AS_GOOD,
                of.levels(),
                of.standard(),
                of.rival(),
                of.sweep(),
                of.comparison(),
                ratio,
                "");
    }

    @Test
    void tiesGoToTheDefaultWithoutAComparison() {
        FakeTrials trials = new FakeTrials(level -> 50_000, 0, 1);
        for (Answer answer : trials.tuner(Knob.values()).run()) {
            assertThat(answer.verdict()).isEqualTo(Verdict.DEFAULT_AS_GOOD);
            assertThat(answer.chosen().isDefault()).isTrue();
            assertThat(answer.comparison()).isEmpty();
            assertThat(answer.evidence()).contains("had the best median of");
        }
    }

    /**
     * The best of five looks several percent better with this noise; one in forty intervals of 95 % is above 1 by
     * chance.
     */
    @Test
    void noiseDoesNotWin() {
        int wins = 0;
        for (int seed = 0; seed < 100; seed++) {
            Answer answer = new FakeTrials(level -> 50_000, 0.1, seed)
                    .tuner(Knob.SPLITS)
                    .run()
                    .get(0);
            wins += answer.verdict() == Verdict.BETTER ? 1 : 0;
        }
        assertThat(wins).isLessThanOrEqualTo(5);
    }

    /** A short run may end before its first answer on a busy machine. */
    @Test
    void runsWithoutRowsAreNoResult() {
        FakeTrials trials = new FakeTrials(level -> level.isDefault() ? 0 : 50_000, 0, 1);
        Answer answer = trials.tuner(Knob.PAGE_SIZE).run().get(0);
        assertThat(answer.verdict()).isEqualTo(Verdict.NO_RESULT);
        assertThat(answer.chosen().isDefault()).isTrue();
        assertThat(answer.why()).contains(" ms were too short for rows ").contains("give more --time");
    }

    @Test
    void aDifferenceBelowOnePercentIsNotWorthASetting() {
        FakeTrials trials = new FakeTrials(level -> level.isDefault() ? 50_000 : 50_250, 0.0001, 1);
        Answer answer = trials.tuner(Knob.PAGE_SIZE).run().get(0);
        assertThat(answer.verdict()).isEqualTo(Verdict.DEFAULT_AS_GOOD);
        assertThat(answer.rival()).isNotNull();
    }

    @Test
    void laterSettingsAreTunedWithThoseChosenBefore() {
        FakeTrials trials = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1);
        trials.tuner(Knob.WRITE_SIZE, Knob.IN_FLIGHT).run();
        assertThat(trials.ran.stream().filter(level -> level.knob() == Knob.IN_FLIGHT))
                .isNotEmpty()
                .allSatisfy(level -> assertThat(level.tuning().batchBytes()).isEqualTo(16 << 10));
    }

    @Test
    void tooFewRowsAreNoResult() {
        FakeTrials trials = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1);
        trials.tooFew.add(Knob.WRITE_SIZE);
        Answer answer = trials.tuner(Knob.WRITE_SIZE).run().get(0);
        assertThat(answer.verdict()).isEqualTo(Verdict.NO_RESULT);
        assertThat(answer.evidence()).isEqualTo("too few rows: 12, and a result needs at least 1,000");
        assertThat(trials.ran).isEmpty();
    }

    @Test
    void runsThatAreTooShortAreNoResult() {
        FakeTrials trials = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1);
        trials.allRows = Duration.ofMillis(40);
        Answer answer = trials.tuner(Knob.WRITE_SIZE).run().get(0);
        assertThat(answer.verdict()).isEqualTo(Verdict.NO_RESULT);
        assertThat(answer.chosen().isDefault()).isTrue();
        assertThat(answer.evidence())
                .isEqualTo("too few rows: a run with all of them takes 40 ms, too short to compare settings");
    }

    @Test
    void aValueThatFailsIsNotChosen() {
        FakeTrials trials = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1);
        trials.failing = "16 KiB";
        Answer answer = trials.tuner(Knob.WRITE_SIZE).run().get(0);
        assertThat(answer.chosen().label()).isNotEqualTo("16 KiB");
        trials.failing = "64 KiB";
        assertThat(trials.tuner(Knob.WRITE_SIZE).run().get(0).evidence())
                .isEqualTo("runs failed: the server refuses it");
    }

    @Test
    void keepsToItsTime() {
        FakeTrials trials = new FakeTrials(TunerTest::peakAt16KiB, NOISE, 1);
        trials.tuner(Knob.values()).run();
        assertThat(Duration.ofNanos(trials.nanos)).isLessThan(Duration.ofMinutes(4));
    }

    @Test
    void afterAStopThereAreTheAnswersFoundBefore() {
        Tuner[] tuner = new Tuner[1];
        FakeTrials trials = new FakeTrials(
                level -> {
                    if (level.knob() == Knob.IN_FLIGHT) {
                        tuner[0].stop();
                    }
                    return peakAt16KiB(level);
                },
                NOISE,
                1);
        tuner[0] = trials.tuner(Knob.values());
        List<Answer> answers = tuner[0].run();
        assertThat(answers).extracting(Answer::knob).containsExactly(Knob.WRITE_SIZE);
    }
}
