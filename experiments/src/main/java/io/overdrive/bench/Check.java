package io.overdrive.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether a published claim holds on this cluster.
 *
 * @param id names the claim within its experiment, whatever words it has: the ledger finds it by this; empty in old reports
 * @param claim the claim, as a sentence that can be true or false
 * @param verdict the answer
 * @param evidence the figures that say so: a ratio with its confidence interval, or why it can't be shown
 * @param measured the same figures as numbers; empty if the claim is not about numbers
 */
public record Check(String id, String claim, Verdict verdict, String evidence, List<Estimate> measured) {
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

    /** Takes null for what an old report does not have. */
    public Check(
            @Nullable String id, String claim, Verdict verdict, String evidence, @Nullable List<Estimate> measured) {
        this.id = Objects.requireNonNullElse(id, "");
        this.claim = claim;
        this.verdict = verdict;
        this.evidence = evidence;
        this.measured = List.copyOf(Objects.requireNonNullElse(measured, List.of()));
    }

    public Check(String claim, Verdict verdict, String evidence) {
        this("", claim, verdict, evidence, List.of());
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
        return new Check("", claim, verdict(min, max, all), evidence, all);
    }

    private static Verdict verdict(double min, double max, List<Estimate> all) {
        if (all.stream().anyMatch(e -> e.hasInterval() && (e.high() < min || e.low() > max))) {
            return Verdict.NOT_REPRODUCED;
        }
        if (all.stream().anyMatch(Estimate::isMissing)) {
            return Verdict.CANNOT_BE_SHOWN;
        }
        return all.stream().allMatch(e -> e.hasInterval() && e.low() >= min && e.high() <= max)
                ? Verdict.REPRODUCED
                : Verdict.UNCERTAIN;
    }

    /** A claim that this cluster, or these runs, can't decide. */
    public static Check cannotBeShown(String claim, String why) {
        return new Check(claim, Verdict.CANNOT_BE_SHOWN, why);
    }

    /** The same claim with a name: its words are joined by hyphens, as in {@code read-10-kb-rows}. */
    public Check named(String words) {
        String id = words.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
        return new Check(id, claim, verdict, evidence, measured);
    }

    /** The same claim and figures with another answer. */
    public Check with(Verdict verdict, String evidence) {
        return new Check(id, claim, verdict, evidence, measured);
    }

    /** The same claim about one of several connectors: its name, and how the sentence begins. */
    public Check of(String connector, String beginning) {
        return new Check("", beginning + claim, verdict, evidence, measured).named(connector + " " + id);
    }
}
