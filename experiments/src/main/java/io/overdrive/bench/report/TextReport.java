package io.overdrive.bench.report;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Result;
import java.util.ArrayList;
import java.util.List;

/**
 * A result for the terminal: a table of means with their confidence intervals, which published claims hold, and what to doubt. Stateless.
 */
public final class TextReport {
    private static final int HEAD_WIDTH = 16;

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
            notes.add("not complete: " + result.measurements().size() + " runs are complete");
        }
        if (!notes.isEmpty()) {
            text.append('\n').append(String.join("\n", notes)).append('\n');
        }
        return text.toString();
    }

    /** A table for each figure, with a verdict for each variant; then what else differs. */
    public static String of(Comparison comparison) {
        StringBuilder text = new StringBuilder();
        text.append(comparison.before().description().title())
                .append(": ")
                .append(comparison.summary())
                .append('\n');
        comparison.rowsByFigure().forEach((figure, rows) -> {
            List<List<String>> lines = new ArrayList<>();
            lines.add(List.of(
                    figure.label() + ", " + figure.unit(),
                    "",
                    "before",
                    "after",
                    "ratio",
                    "95 % interval",
                    "would show from"));
            rows.forEach(row -> lines.add(line(row)));
            text.append('\n');
            align(text, lines, 2);
        });
        if (!comparison.notes().isEmpty()) {
            text.append("\nwhat else differs:\n");
            comparison.notes().forEach(note -> text.append("  ").append(note).append('\n'));
        }
        return text.toString();
    }

    private static List<String> line(Comparison.Row row) {
        Estimate ratio = row.ratio();
        return List.of(
                row.arm().toString(),
                row.verdict(),
                Estimate.text(row.before().value()),
                Estimate.text(row.after().value()),
                Estimate.text(ratio.value()),
                ratio.hasInterval() ? Estimate.text(ratio.low()) + " to " + Estimate.text(ratio.high()) : "",
                row.change() == Comparison.Change.NONE ? HtmlReport.percent(row.visible()) : "");
    }

    private static void table(StringBuilder text, Result result) {
        List<List<String>> lines = new ArrayList<>();
        List<String> factors = result.arms().stream()
                .flatMap(arm -> arm.levels().keySet().stream())
                .distinct()
                .toList();
        List<List<String>> heads = new ArrayList<>();
        factors.forEach(factor -> heads.add(List.of(factor)));
        result.tableFigures().forEach(figure -> heads.add(wrapped(figure)));
        heads.add(List.of("runs"));
        int height = heads.stream().mapToInt(List::size).max().orElse(0);
        for (int i = 0; i < height; i++) {
            int row = i;
            lines.add(heads.stream()
                    .map(head -> row < head.size() ? head.get(row) : "")
                    .toList());
        }
        for (Arm arm : result.arms()) {
            lines.add(line(arm, factors, result));
        }
        align(text, lines, factors.size());
    }

    /** Text columns are left-aligned, the others right-aligned. */
    private static void align(StringBuilder text, List<List<String>> lines, int words) {
        int[] widths = new int[lines.get(0).size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        for (List<String> line : lines) {
            StringBuilder padded = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String blanks = " ".repeat(widths[i] - line.get(i).length());
                padded.append("  ").append(i < words ? line.get(i) + blanks : blanks + line.get(i));
            }
            text.append(padded.toString().stripTrailing()).append('\n');
        }
    }

    /** The label, wrapped, and the unit below it. */
    private static List<String> wrapped(Figure figure) {
        List<String> lines = new ArrayList<>();
        String line = "";
        for (String word : figure.label().split(" ")) {
            if (!line.isEmpty() && line.length() + word.length() >= HEAD_WIDTH) {
                lines.add(line);
                line = "";
            }
            line = line.isEmpty() ? word : line + " " + word;
        }
        lines.add(line);
        lines.add(figure.unit());
        return lines;
    }

    private static List<String> line(Arm arm, List<String> factors, Result result) {
        List<Measurement> runs = result.measurements().stream()
                .filter(run -> run.arm().equals(arm))
                .toList();
        Findings findings = Findings.ofRuns(runs);
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
