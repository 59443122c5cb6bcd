package io.overdrive.bench;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Whether a published claim holds on this cluster.
 *
 * @param claim the claim, as a sentence that can be true or false
 * @param verdict the answer
 * @param evidence the figures that say so: a ratio with its confidence interval, or why it can't be shown
 */
public record Check(String claim, Verdict verdict, String evidence) {
    public enum Verdict {
        REPRODUCED("reproduced"),
        NOT_REPRODUCED("not reproduced here"),
        /** More repeats may decide. */
        UNCERTAIN("inconclusive"),
        CANNOT_BE_SHOWN("can't be shown on this cluster");

        private final String words;

        Verdict(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }
    }

    /**
     * A claim that is true if all of these are at least this number: the whole confidence intervals, not only their means. If the number is
     * inside an interval, the check is inconclusive; if runs are missing, the claim can't be shown.
     */
    public static Check atLeast(double number, String claim, Estimate... measured) {
        return between(number, Double.POSITIVE_INFINITY, claim, measured);
    }

    /** Like {@link #atLeast}, for a maximum. */
    public static Check atMost(double number, String claim, Estimate... measured) {
        return between(Double.NEGATIVE_INFINITY, number, claim, measured);
    }

    /** Like {@link #atLeast}, for a range: two arms with a ratio between 0.9 and 1.1 are practically equal. */
    public static Check between(double min, double max, String claim, Estimate... measured) {
        List<Estimate> all = Arrays.asList(measured);
        String evidence = all.stream().map(Estimate::toString).collect(Collectors.joining("; "));
        if (all.stream().anyMatch(e -> e.hasInterval() && (e.high() < min || e.low() > max))) {
            return new Check(claim, Verdict.NOT_REPRODUCED, evidence);
        }
        if (all.stream().anyMatch(Estimate::isMissing)) {
            return cannotBeShown(claim, evidence);
        }
        if (all.stream().allMatch(e -> e.hasInterval() && e.low() >= min && e.high() <= max)) {
            return new Check(claim, Verdict.REPRODUCED, evidence);
        }
        return new Check(claim, Verdict.UNCERTAIN, evidence);
    }

    /** A claim that this cluster, or these runs, can't decide. */
    public static Check cannotBeShown(String claim, String why) {
        return new Check(claim, Verdict.CANNOT_BE_SHOWN, why);
    }
}
