package io.overdrive.bench.report;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/**
 * Two results of the same experiment, before and after something was changed. Immutable.
 *
 * @param before the denominator of all ratios
 * @param after the numerator
 * @param rows each figure of the table in both, and for each the arms in both
 * @param notes other differences: settings, environment, arms that only one of them has
 */
public record Comparison(Result before, Result after, List<Row> rows, List<String> notes) {
    public Comparison {
        rows = List.copyOf(rows);
        notes = List.copyOf(notes);
    }

    /**
     * One figure of one arm.
     *
     * @param ratio after to before, with a p-value adjusted for all arms of the figure, and an unadjusted interval
     * @param visible a share, such as 0.04 for 4 %: the smallest difference that would have shown, whatever the other arms did
     */
    public record Row(Arm arm, Figure figure, Estimate before, Estimate after, Estimate ratio, double visible) {
        public Change change() {
            if (!ratio.hasInterval()) {
                return Change.UNKNOWN;
            }
            if (!ratio.differs()) {
                return Change.NONE;
            }
            return switch (figure.better()) {
                case HIGHER -> ratio.value() > 1 ? Change.BETTER : Change.WORSE;
                case LOWER -> ratio.value() < 1 ? Change.BETTER : Change.WORSE;
                case NEITHER -> Change.NEUTRAL;
            };
        }

        /** {@code faster}, {@code less}, {@code no difference shown}, or why there is no verdict. */
        public String verdict() {
            boolean speed =
                    Set.of("s", "ms").contains(figure.unit()) || figure.unit().endsWith("/s");
            return switch (change()) {
                case UNKNOWN -> ratio.isMissing() ? ratio.note() : "too few runs";
                case NONE -> "no difference shown";
                case BETTER -> speed ? "faster" : "better";
                case WORSE -> speed ? "slower" : "worse";
                case NEUTRAL -> ratio.value() > 1 ? "more" : "less";
            };
        }
    }

    /** The meaning of a change. */
    public enum Change {
        BETTER,
        WORSE,
        /** A difference in a figure that is neither good nor bad. */
        NEUTRAL,
        NONE,
        /** Too few runs, or a figure of 0. */
        UNKNOWN
    }

    /** @throws IllegalArgumentException if they are of different experiments, or have no arm in common */
    public static Comparison of(Result before, Result after) {
        String name = before.description().name();
        if (!name.equals(after.description().name())) {
            throw new IllegalArgumentException("the first result is of " + name + " and the second of "
                    + after.description().name() + ": give two results of the same experiment");
        }
        List<Arm> arms = new ArrayList<>(before.arms());
        arms.retainAll(after.arms());
        if (arms.isEmpty()) {
            throw new IllegalArgumentException("the two results of " + name + " have no variant in common: "
                    + before.arms() + " and " + after.arms());
        }
        List<Row> rows = new ArrayList<>();
        for (Figure figure : before.tableFigures()) {
            if (Findings.of(before).mean(figure).isMissing()
                    || Findings.of(after).mean(figure).isMissing()) {
                continue;
            }
            List<Estimate> ratios = new ArrayList<>();
            List<Estimate> joint = new ArrayList<>();
            for (Arm arm : arms) {
                Findings then = Findings.of(before).where(arm::equals);
                Findings now = Findings.of(after).where(arm::equals);
                ratios.add(now.unpairedRatioTo(then, figure, Estimate.ALPHA));
                joint.add(now.unpairedRatioTo(then, figure, Estimate.ALPHA / arms.size()));
            }
            ratios = Estimate.family(ratios);
            for (int i = 0; i < arms.size(); i++) {
                Arm arm = arms.get(i);
                rows.add(new Row(
                        arm,
                        figure,
                        Findings.of(before).where(arm::equals).mean(figure),
                        Findings.of(after).where(arm::equals).mean(figure),
                        ratios.get(i),
                        Math.max(
                                Estimate.NOISE,
                                Math.sqrt(joint.get(i).high() / joint.get(i).low()) - 1)));
            }
        }
        return new Comparison(before, after, rows, notes(before, after));
    }

    /** A sentence that says in how many arms the main figure changed, and how. */
    public String summary() {
        Map<String, Integer> verdicts = new TreeMap<>();
        List<Row> main =
                rows.stream().filter(row -> row.figure == before.mainFigure()).toList();
        main.forEach(row -> verdicts.merge(row.verdict(), 1, Integer::sum));
        return before.mainFigure().label() + ", " + main.size() + (main.size() == 1 ? " variant: " : " variants: ")
                + String.join(
                        "; ",
                        verdicts.entrySet().stream()
                                .map(e -> e.getValue() + " " + e.getKey())
                                .toList());
    }

    /** The rows, figure by figure. */
    Map<Figure, List<Row>> rowsByFigure() {
        Map<Figure, List<Row>> byFigure = new LinkedHashMap<>();
        rows.forEach(row -> byFigure.computeIfAbsent(row.figure, figure -> new ArrayList<>())
                .add(row));
        return byFigure;
    }

    private static List<String> notes(Result before, Result after) {
        List<String> notes = new ArrayList<>();
        differences("environment", before.environment(), after.environment(), notes);
        differences("settings", before.settings(), after.settings(), notes);
        onlyIn("before", before.arms(), after.arms(), notes);
        onlyIn("after", after.arms(), before.arms(), notes);
        return notes;
    }

    private static void differences(
            String what, Map<String, String> before, Map<String, String> after, List<String> notes) {
        Set<String> keys = new LinkedHashSet<>(before.keySet());
        keys.addAll(after.keySet());
        for (String key : keys) {
            if (!Objects.equals(before.get(key), after.get(key))) {
                notes.add(what + ": " + key + " was " + before.getOrDefault(key, "not recorded") + " and is "
                        + after.getOrDefault(key, "not recorded"));
            }
        }
    }

    private static void onlyIn(String which, List<Arm> arms, List<Arm> others, List<String> notes) {
        List<Arm> only = new ArrayList<>(arms);
        only.removeAll(others);
        if (!only.isEmpty()) {
            notes.add("variants: only " + which + " has "
                    + String.join("; ", only.stream().map(Arm::toString).toList()));
        }
    }
}
