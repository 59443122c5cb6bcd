package io.overdrive.bench;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Whether something that was published holds on this cluster.
 *
 * @param claim the published shape, as a sentence that can be true or false
 * @param verdict whether it is
 * @param evidence the figures that say so: a ratio with its interval, or why it can't be shown
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
     * A claim that is true if all of these are at least that much: the whole intervals, not only their middles. Where an interval reaches
     * to both sides of the number, that is uncertain; where runs are missing, it can't be shown.
     */
    public static Check atLeast(double number, String claim, Estimate... measured) {
        return between(number, Double.POSITIVE_INFINITY, claim, measured);
    }

    /** As {@link #atLeast}, for at most. */
    public static Check atMost(double number, String claim, Estimate... measured) {
        return between(Double.NEGATIVE_INFINITY, number, claim, measured);
    }

    /** As {@link #atLeast}, for two numbers: with a ratio between 0.9 and 1.1 two arms are as good as equal. */
    public static Check between(double least, double most, String claim, Estimate... measured) {
        List<Estimate> all = Arrays.asList(measured);
        String evidence = all.stream().map(Estimate::toString).collect(Collectors.joining("; "));
        if (all.stream().anyMatch(e -> e.hasInterval() && (e.high() < least || e.low() > most))) {
            return new Check(claim, Verdict.NOT_REPRODUCED, evidence);
        }
        if (all.stream().anyMatch(Estimate::isMissing)) {
            return cannotBeShown(claim, evidence);
        }
        if (all.stream().allMatch(e -> e.hasInterval() && e.low() >= least && e.high() <= most)) {
            return new Check(claim, Verdict.REPRODUCED, evidence);
        }
        return new Check(claim, Verdict.UNCERTAIN, evidence);
    }

    /** A claim for which this cluster, or what was run, is not enough. */
    public static Check cannotBeShown(String claim, String why) {
        return new Check(claim, Verdict.CANNOT_BE_SHOWN, why);
    }
}
