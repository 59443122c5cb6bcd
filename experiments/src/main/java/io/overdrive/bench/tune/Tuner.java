package io.overdrive.bench.tune;

import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.run.Runner;
import io.overdrive.bench.tune.Answer.Verdict;
import io.overdrive.bench.tune.Knob.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tunes one setting after another, in a given time. All values of a setting run once in each round, in random order; then the value with the
 * best median and the default run in turns, in separate rounds. The verdict is from these only: the best of several values looks better
 * than it is in the rounds that it was chosen by. The next setting is tuned with the values chosen before.
 *
 * <p>Confined to one thread, except {@link #stop} and {@link #progress}.
 */
final class Tuner {
    private static final int SWEEP_ROUNDS = 3;
    private static final int COMPARISON_ROUNDS = 10;
    /** Fewer have too wide an interval to show anything. */
    private static final int MIN_COMPARISON_ROUNDS = 5;
    /** The share of the time that runs get; the rest is for the preparation and the end of each. */
    private static final double RUNNING = 0.8;
    /** Minimum length of a run; in a shorter one the start and the end count for more than the settings. */
    static final Duration MIN_RUN = Duration.ofMillis(100);

    private final Trials trials;
    private final List<Knob> knobs;
    private final Duration time;
    private final long seed;
    private final LongSupplier nanos;
    private volatile boolean stopped;
    private volatile String doing = "";

    /**
     * @param knobs in the order in which they are tuned
     * @param time for all of them
     * @param nanos the clock
     */
    Tuner(Trials trials, List<Knob> knobs, Duration time, long seed, LongSupplier nanos) {
        this.trials = trials;
        this.knobs = List.copyOf(knobs);
        this.time = time;
        this.seed = seed;
        this.nanos = nanos;
    }

    /** The present activity, in words. */
    String progress() {
        return doing;
    }

    /** Ends it after the current run, which does not count. */
    void stop() {
        stopped = true;
    }

    /** An answer for each setting; fewer after {@link #stop}. */
    List<Answer> run() {
        long deadline = nanos.getAsLong() + time.toNanos();
        Tuning tuning = Tuning.DEFAULT;
        List<Answer> answers = new ArrayList<>();
        for (int i = 0; i < knobs.size() && !stopped; i++) {
            long now = nanos.getAsLong();
            Answer answer = tune(knobs.get(i), tuning, now + Math.max(0, deadline - now) / (knobs.size() - i));
            if (!stopped || answer.verdict() != Verdict.NO_RESULT) {
                answers.add(answer);
            }
            tuning = answer.chosen().tuning();
        }
        return answers;
    }

    private Answer tune(Knob knob, Tuning base, long deadline) {
        List<Level> levels = knob.levels(base);
        Level standard = levels.stream().filter(Level::isDefault).findFirst().orElseThrow();
        String whyNot = trials.whyNot(knob);
        if (whyNot != null) {
            return Answer.none(knob, levels, standard, List.of(), whyNot);
        }
        Duration length = length(levels.size(), deadline - nanos.getAsLong());
        List<Measurement> warmUp = round(Runner.order(levels, 0, seed), 0, length, "warm-up: ");
        String tooShort = tooShort(warmUp);
        if (tooShort != null) {
            return Answer.none(knob, levels, standard, List.of(), tooShort);
        }
        List<Measurement> sweep = new ArrayList<>();
        int round = 0;
        while (round < SWEEP_ROUNDS && !stopped) {
            round++;
            sweep.addAll(round(Runner.order(levels, round, seed), round, length, ""));
        }
        if (stopped) {
            return Answer.none(knob, levels, standard, sweep, "it was stopped");
        }
        Level fastest = fastest(sweep, levels);
        if (fastest == null || hasFailed(sweep, standard)) {
            return Answer.none(knob, levels, standard, sweep, "runs failed: " + failure(sweep));
        }
        if (fastest.isDefault()) {
            return new Answer(knob, Verdict.DEFAULT_AS_GOOD, levels, standard, null, sweep, List.of(), null, "");
        }
        return compare(knob, levels, standard, fastest, sweep, length, deadline);
    }

    /** Compares the fastest level of a sweep with the default. */
    private Answer compare(
            Knob knob,
            List<Level> levels,
            Level standard,
            Level fastest,
            List<Measurement> sweep,
            Duration length,
            long deadline) {
        List<Measurement> comparison = new ArrayList<>();
        List<Level> both = List.of(standard, fastest);
        int round = SWEEP_ROUNDS;
        for (int i = 0; i < COMPARISON_ROUNDS && !stopped; i++) {
            if (i >= MIN_COMPARISON_ROUNDS && nanos.getAsLong() - deadline >= 0) {
                break;
            }
            round++;
            comparison.addAll(round(Runner.order(both, round, seed), round, length, "compares: "));
        }
        if (stopped) {
            return Answer.none(knob, levels, standard, sweep, "it was stopped");
        }
        Estimate ratio =
                Answer.of(comparison, fastest).ratioTo(Answer.of(comparison, standard), Figure.ROWS_PER_SECOND);
        boolean failed = hasFailed(comparison, fastest);
        if (!failed && !ratio.hasInterval()) {
            return Answer.none(
                    knob,
                    levels,
                    standard,
                    sweep,
                    "runs of " + length.toMillis()
                            + " ms were too short for rows to be acknowledged or read in each: give more"
                            + " --time, or let less other work run");
        }
        boolean isBetter = !failed && ratio.low() > 1 + Estimate.NOISE;
        return new Answer(
                knob,
                isBetter ? Verdict.BETTER : Verdict.DEFAULT_AS_GOOD,
                levels,
                isBetter ? fastest : standard,
                fastest,
                sweep,
                comparison,
                ratio,
                "");
    }

    /** One run of each; fewer after {@link #stop}. */
    private List<Measurement> round(List<Level> order, int round, Duration length, String what) {
        List<Measurement> runs = new ArrayList<>();
        for (Level level : order) {
            if (stopped) {
                break;
            }
            doing = level.knob().label() + "  " + what + level.label();
            Measurement run = trials.run(level, round, length);
            if (!stopped) { // else it may have been cut short
                runs.add(run);
            }
        }
        return runs;
    }

    private static Duration length(int levels, long nanos) {
        int runs = levels * (1 + SWEEP_ROUNDS) + 2 * COMPARISON_ROUNDS;
        return Duration.ofNanos(Math.max(MIN_RUN.toNanos(), (long) (nanos * RUNNING / runs)));
    }

    /** Why nothing can be measured, if all runs of the warm-up failed or were too short; otherwise null. */
    private static @Nullable String tooShort(List<Measurement> warmUp) {
        List<Double> seconds = new ArrayList<>();
        for (Measurement run : warmUp) {
            if (run.failure() == null) {
                seconds.add(run.figures().getOrDefault(Figure.SECONDS, 0.0));
            }
        }
        if (seconds.isEmpty()) {
            return warmUp.isEmpty() ? null : "all runs failed: " + failure(warmUp);
        }
        double longest = Collections.max(seconds);
        return longest * 1e9 >= MIN_RUN.toNanos()
                ? null
                : "too few rows: a run with all of them takes " + Math.round(longest * 1000)
                        + " ms, too short to compare settings";
    }

    /** Null if none has runs without a failure. */
    private static @Nullable Level fastest(List<Measurement> sweep, List<Level> levels) {
        return levels.stream()
                .filter(level -> !hasFailed(sweep, level))
                .max(Comparator.<Level>comparingDouble(
                                level -> Answer.of(sweep, level).median(Figure.ROWS_PER_SECOND))
                        .thenComparing(Level::isDefault))
                .orElse(null);
    }

    private static boolean hasFailed(List<Measurement> runs, Level level) {
        return Answer.of(runs, level).measurements().stream().anyMatch(run -> run.failure() != null);
    }

    private static String failure(List<Measurement> runs) {
        return runs.stream()
                .map(Measurement::failure)
                .filter(reason -> reason != null)
                .findFirst()
                .orElse("for an unknown reason");
    }
}
