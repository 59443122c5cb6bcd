package io.overdrive.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two searches share the slots of a job, in virtual time. */
class TrialsTest {
    private static final long STEP_NANOS = 25_000_000;

    private final List<String> changes = new ArrayList<>();
    private long now;
    private double answered;

    private static SizeSearch bytes() {
        return new SizeSearch(512, 64, 1024, "bytes", /* isFromEarlierRun */ false);
    }

    private static SizeSearch splits() {
        return new SizeSearch(4, 1, 16, "splits", /* isFromEarlierRun */ false);
    }

    /** Runs for this time, with a rate in bytes a second for each size and number of splits. */
    private void run(Trials trials, int seconds, DoubleBinaryOperator rate) {
        for (long end = now + seconds * 1_000_000_000L; now < end; now += STEP_NANOS) {
            answered += rate.applyAsDouble(trials.requestBytes(), trials.splits()) * STEP_NANOS / 1e9;
            if (trials.hasSettled(now)) {
                trials.measure(now, (long) answered);
            } else if (trials.isOver(now)) {
                String change = trials.next(now, (long) answered, /* hadDemand */ true);
                if (change != null) {
                    changes.add(change);
                }
            }
        }
    }

    /** A factor of 0.8 for each step away from the best. */
    private static double hump(double value, double best) {
        return Math.pow(0.8, Math.abs(Math.log(value / best) / Math.log(2)));
    }

    @Test
    void findsTheSizeFirstAndThenTheNumberOfSplits() {
        Trials trials = new Trials(bytes(), splits(), now);
        List<Integer> splitsUntilSizeIsFound = new ArrayList<>();
        run(trials, 40, (size, splits) -> {
            splitsUntilSizeIsFound.add((int) splits);
            return 1e6 * hump(size, 256) * hump(splits, 16);
        });
        assertThat(splitsUntilSizeIsFound).containsOnly(4);
        run(trials, 400, (size, splits) -> 1e6 * hump(size, 256) * hump(splits, 16));
        assertThat(trials.foundBytes()).hasValue(256);
        assertThat(trials.foundSplits()).hasValue(16);
        assertThat(changes)
                .contains(
                        "requests of 256 bytes: faster than 512 bytes",
                        "8 splits at once for each node: compared",
                        "16 splits at once for each node: faster than 8 splits");
    }

    @Test
    void returnsToTheSizeWhenTheNumberOfSplitsRests() {
        Trials trials = new Trials(bytes(), splits(), now);
        run(trials, 300, (size, splits) -> 1e6 * hump(size, 512) * hump(splits, 4));
        run(trials, 1200, (size, splits) -> 1e6 * hump(size, 64) * hump(splits, 2));
        assertThat(trials.foundBytes()).hasValue(64);
        assertThat(trials.foundSplits()).hasValue(2);
    }

    @Test
    void staysWhereItIsIfNothingMakesADifference() {
        Trials trials = new Trials(bytes(), splits(), now);
        run(trials, 3600, (size, splits) -> 1e6);
        assertThat(trials.foundBytes()).hasValue(512);
        assertThat(trials.foundSplits()).hasValue(4);
    }

    @Test
    void findsOneOfThemIfTheOtherIsFixed() {
        assertThat(found(bytes(), null).requestBytes()).isEqualTo(64);
        Trials ofSplits = found(null, splits());
        assertThat(ofSplits.splits()).isEqualTo(16);
        assertThat(ofSplits.requestBytes()).as("fixed").isZero();
        assertThat(ofSplits.foundBytes()).isEmpty();
    }

    private Trials found(@Nullable SizeSearch bytes, @Nullable SizeSearch splits) {
        Trials trials = new Trials(bytes, splits, now);
        run(
                trials,
                300,
                (size, number) -> 1e6 * (size == 0 ? 1 : hump(size, 64)) * (number == 0 ? 1 : hump(number, 16)));
        return trials;
    }

    @Test
    void triesNoOtherNumberOfSplitsOnceTheLastHasBegun() {
        Trials trials = new Trials(bytes(), splits(), now);
        DoubleBinaryOperator rate = (size, splits) -> 1e6 * hump(size, 512) * hump(splits, 16);
        while (trials.splits() == 4) {
            run(trials, 1, rate);
        }
        trials.endSplits();
        run(trials, 5, rate);
        changes.clear();
        run(trials, 600, rate);
        assertThat(trials.splits()).isEqualTo(4);
        assertThat(changes).noneMatch(change -> change.contains("splits at once"));
    }

    @Test
    void saysWhatComesFromAnEarlierRun() {
        SizeSearch bytes = new SizeSearch(256, 64, 1024, "bytes", /* isFromEarlierRun */ true);
        SizeSearch splits = new SizeSearch(8, 1, 16, "splits", /* isFromEarlierRun */ true);
        assertThat(new Trials(bytes, splits, now).fromEarlierRun())
                .containsExactly(
                        "requests of 256 bytes: from an earlier run",
                        "8 splits at once for each node: from an earlier run");
        assertThat(new Trials(bytes(), splits(), now).fromEarlierRun()).isEmpty();
    }
}
