package io.overdrive.bench.tune;

import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.tune.Knob.Level;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result for one setting. Immutable.
 *
 * @param levels the values that were tried
 * @param chosen the value to set: the default, unless another one is better
 * @param rival the value that was compared with the default again; null if the default was the fastest, or nothing was found
 * @param sweep the runs of all values, in rounds
 * @param comparison the runs of the default and the rival that the verdict is from
 * @param ratio of the rival's rate to the default's, from the comparison; null without a rival
 * @param why why there is no result; empty otherwise
 */
public record Answer(
        Knob knob,
        Verdict verdict,
        List<Level> levels,
        Level chosen,
        @Nullable Level rival,
        List<Measurement> sweep,
        List<Measurement> comparison,
        @Nullable Estimate ratio,
        String why) {
    /** A larger gain is worth knowing about: if one is possible, nothing is known. */
    private static final double MAX_UNKNOWN_GAIN = 1.5;

    /** Whether to change a setting. */
    public enum Verdict {
        /** The whole interval of the comparison is above the default. */
        BETTER("better than the default"),
        /** The default was the fastest, or the fastest was not shown to be better. */
        DEFAULT_AS_GOOD("the default is as good"),
        NO_RESULT("no result");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    public Answer {
        levels = List.copyOf(levels);
        sweep = List.copyOf(sweep);
        comparison = List.copyOf(comparison);
    }

    static Answer none(Knob knob, List<Level> levels, Level standard, List<Measurement> sweep, String why) {
        return new Answer(knob, Verdict.NO_RESULT, levels, standard, null, sweep, List.of(), null, why);
    }

    /** The verdict in words, which say so if the rounds differ too much for one. */
    public String words() {
        boolean isUnknown = verdict == Verdict.DEFAULT_AS_GOOD && ratio != null && !(ratio.high() <= MAX_UNKNOWN_GAIN);
        return isUnknown
                ? "the default, as the rounds differ too much to say whether another value is better"
                : verdict.words();
    }

    /** All runs, in order. */
    public List<Measurement> runs() {
        List<Measurement> all = new ArrayList<>(sweep);
        all.addAll(comparison);
        return all;
    }

    /** Median of the rates of a value, in rows a second; NaN if it has no run. */
    public double median(Level level) {
        return of(runs(), level).median(Figure.ROWS_PER_SECOND);
    }

    /** The mean of a figure over all runs of a value; NaN if unknown. */
    public double mean(Level level, Figure figure) {
        return of(runs(), level).mean(figure).value();
    }

    /** Ratio of a value's rate to the default's, within the same rounds. */
    public Estimate ratio(Level level) {
        return of(runs(), level).ratioTo(of(runs(), standard()), Figure.ROWS_PER_SECOND);
    }

    /** The default. */
    public Level standard() {
        return levels.stream().filter(Level::isDefault).findFirst().orElseThrow();
    }

    /** The evidence of the verdict, in one sentence. */
    public String evidence() {
        if (verdict == Verdict.NO_RESULT) {
            return why;
        }
        if (rival == null || ratio == null) {
            return chosen.label() + " had the best median of " + levels.size() + " values";
        }
        return rival.label() + " against " + standard().label() + " in " + ratio.n() + " separate rounds: " + ratio;
    }

    static Findings of(List<Measurement> runs, Level level) {
        return Findings.ofRuns(runs).where(level.knob().label(), level.label());
    }
}
