package io.overdrive.bench;

import java.util.ArrayList;
import java.util.List;

/** A result for the terminal: a table of means with their intervals, what holds of what was published, and what to doubt. Stateless. */
public final class TextReport {
    private TextReport() {}

    public static String of(Result result) {
        StringBuilder text = new StringBuilder();
        text.append(result.description().title())
                .append(": ")
                .append(result.description().question())
                .append('\n');
        table(text, result);
        for (Check check : result.checks()) {
            text.append('\n')
                    .append(check.verdict().words())
                    .append(": ")
                    .append(check.claim())
                    .append('\n');
            text.append("    ").append(check.evidence()).append('\n');
        }
        List<String> notes = new ArrayList<>();
        result.measurements().stream()
                .filter(run -> run.failure() != null)
                .forEach(run -> notes.add("failed: " + run.arm() + ", run " + run.block() + ": " + run.failure()));
        result.warnings().forEach(warning -> notes.add("warning: " + warning));
        if (!result.complete()) {
            notes.add("not complete: " + result.measurements().size() + " runs were made");
        }
        if (!notes.isEmpty()) {
            text.append('\n').append(String.join("\n", notes)).append('\n');
        }
        return text.toString();
    }

    private static void table(StringBuilder text, Result result) {
        List<List<String>> lines = new ArrayList<>();
        List<String> factors = result.arms().stream()
                .flatMap(arm -> arm.levels().keySet().stream())
                .distinct()
                .toList();
        List<String> names = new ArrayList<>(factors);
        List<String> units = new ArrayList<>(factors.stream().map(factor -> "").toList());
        for (Figure figure : result.tableFigures()) {
            names.add(figure.label());
            units.add(figure.unit());
        }
        names.add("runs");
        units.add("");
        lines.add(names);
        lines.add(units);
        for (Arm arm : result.arms()) {
            lines.add(line(arm, factors, result));
        }
        int[] widths = new int[names.size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        for (List<String> line : lines) {
            StringBuilder padded = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String blanks = " ".repeat(widths[i] - line.get(i).length());
                boolean isWord = i < factors.size();
                padded.append("  ").append(isWord ? line.get(i) + blanks : blanks + line.get(i));
            }
            text.append(padded.toString().stripTrailing()).append('\n');
        }
    }

    private static List<String> line(Arm arm, List<String> factors, Result result) {
        List<Measurement> runs = result.measurements().stream()
                .filter(run -> run.arm().equals(arm))
                .toList();
        Findings findings = new Findings(runs, 1, new Size(1, 1, 1, 1, 1));
        List<String> line = new ArrayList<>();
        factors.forEach(factor -> line.add(arm.levels().getOrDefault(factor, "")));
        for (Figure figure : result.tableFigures()) {
            Estimate mean = findings.mean(figure);
            line.add(
                    mean.isMissing()
                            ? "–"
                            : Estimate.text(mean.value())
                                    + (mean.hasInterval() ? " ± " + Estimate.text(mean.half(), 2) : ""));
        }
        line.add(
                Long.toString(runs.stream().filter(run -> run.failure() == null).count()));
        return line;
    }
}
