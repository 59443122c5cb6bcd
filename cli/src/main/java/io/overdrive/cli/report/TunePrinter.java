package io.overdrive.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.tune.Answer;
import io.overdrive.bench.tune.Answer.Verdict;
import io.overdrive.bench.tune.Knob;
import io.overdrive.bench.tune.Knob.Level;
import io.overdrive.bench.tune.ToolWords;
import io.overdrive.bench.tune.TuneReport;
import io.overdrive.cli.options.Flow;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The result of {@code overdrive tune}. Immutable.
 *
 * @param flow has the guard's figures
 */
public record TunePrinter(TuneReport report, Flow flow) implements Report {
    private static final int VERDICT_COLUMNS = 2;

    @Override
    public void text(PrintWriter out) {
        List<Answer> answers = report.answers();
        long changes = answers.stream()
                .filter(each -> each.verdict() == Verdict.BETTER)
                .count();
        long decided = answers.stream()
                .filter(each -> each.verdict() != Verdict.NO_RESULT)
                .count();
        out.println("settings for " + report.table() + ": "
                + (decided == 0
                        ? "no result"
                        : changes == 0
                                ? "keep the defaults, nothing else was shown to be better"
                                : "change " + changes + " of " + decided));
        for (Answer answer : answers) {
            out.println();
            out.println(answer.knob().label() + ": "
                    + (answer.verdict() == Verdict.NO_RESULT
                            ? "no result: " + answer.evidence()
                            : answer.chosen().label() + ", " + answer.words()));
            if (answer.verdict() != Verdict.NO_RESULT) {
                table(out, answer);
                out.println("  " + answer.evidence());
            }
        }
        for (ToolWords.Section section : report.words()) {
            if (!section.settings().isEmpty() || !section.note().isEmpty()) {
                words(out, section);
            }
        }
        flow.guardText(out);
        report.warnings().forEach(warning -> {
            out.println();
            out.println("warning: " + warning);
        });
    }

    /** The chosen value is marked. */
    private static void table(PrintWriter out, Answer answer) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(List.of("", "", "median rows/s", "against the default", "rows a request", "p50 ms", "p99 ms"));
        for (Level level : answer.levels()) {
            lines.add(List.of(
                    level.equals(answer.chosen()) ? "*" : "",
                    level.label() + (level.isDefault() ? " (default)" : ""),
                    Estimate.text(answer.median(level)),
                    level.isDefault() ? "" : ratio(answer.ratio(level)),
                    Estimate.text(answer.mean(level, Figure.ROWS_PER_REQUEST)),
                    Estimate.text(answer.mean(level, Figure.P50)),
                    Estimate.text(answer.mean(level, Figure.P99))));
        }
        int[] widths = new int[lines.get(0).size()];
        for (List<String> line : lines) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        for (List<String> line : lines) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                String blanks = " ".repeat(widths[i] - line.get(i).length());
                text.append(i == 0 ? "  " : i == 1 ? " " : "  ")
                        .append(i < VERDICT_COLUMNS ? line.get(i) + blanks : blanks + line.get(i));
            }
            out.println(text.toString().stripTrailing());
        }
    }

    private static String ratio(Estimate ratio) {
        return ratio.isMissing()
                ? "failed"
                : Estimate.text(ratio.value())
                        + (ratio.hasInterval()
                                ? " (" + Estimate.text(ratio.low()) + " to " + Estimate.text(ratio.high()) + ")"
                                : "");
    }

    private static void words(PrintWriter out, ToolWords.Section section) {
        out.println();
        out.println(section.tool() + (section.settings().isEmpty() ? ": " + section.note() : ""));
        section.settings().forEach(setting -> out.println("  " + setting.text()));
        if (!section.settings().isEmpty() && !section.note().isEmpty()) {
            out.println("  (" + section.note() + ")");
        }
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        json.writeStringField("table", report.table());
        json.writeNumberField("seconds", Math.round(report.seconds() * 1000) / 1000.0);
        json.writeBooleanField("complete", report.complete());
        json.writeArrayFieldStart("settings");
        for (Answer answer : report.answers()) {
            answer(json, answer);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("words");
        for (ToolWords.Section section : report.words()) {
            json.writeStartObject();
            json.writeStringField("tool", section.tool());
            json.writeObjectFieldStart("settings");
            for (ToolWords.Setting setting : section.settings()) {
                json.writeStringField(setting.name(), setting.value());
            }
            json.writeEndObject();
            json.writeStringField("note", section.note());
            json.writeEndObject();
        }
        json.writeEndArray();
        flow.members(json);
        json.writeArrayFieldStart("warnings");
        for (String warning : report.warnings()) {
            json.writeString(warning);
        }
        json.writeEndArray();
    }

    private static void answer(JsonGenerator json, Answer answer) throws IOException {
        Knob knob = answer.knob();
        json.writeStartObject();
        json.writeStringField("setting", knob.label());
        json.writeStringField("verdict", answer.verdict().name().toLowerCase(Locale.ROOT));
        json.writeStringField("value", answer.chosen().label());
        json.writeStringField("default", answer.standard().label());
        json.writeStringField("evidence", answer.evidence());
        Estimate comparison = answer.ratio();
        if (comparison != null) {
            json.writeFieldName("comparison");
            estimate(json, comparison);
        }
        json.writeArrayFieldStart("values");
        for (Level level : answer.levels()) {
            json.writeStartObject();
            json.writeStringField("value", level.label());
            number(json, "medianRowsPerSecond", answer.median(level));
            number(json, "rowsPerRequest", answer.mean(level, Figure.ROWS_PER_REQUEST));
            number(json, "p50Millis", answer.mean(level, Figure.P50));
            number(json, "p99Millis", answer.mean(level, Figure.P99));
            json.writeFieldName("againstDefault");
            estimate(json, answer.ratio(level));
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    /** Numbers that are unknown are left out. */
    private static void estimate(JsonGenerator json, Estimate estimate) throws IOException {
        json.writeStartObject();
        number(json, "ratio", estimate.value());
        if (estimate.hasInterval()) {
            number(json, "low", estimate.low());
            number(json, "high", estimate.high());
        }
        json.writeNumberField("rounds", estimate.n());
        json.writeEndObject();
    }

    private static void number(JsonGenerator json, String name, double value) throws IOException {
        if (!Double.isNaN(value)) {
            json.writeNumberField(name, Math.round(value * 1000) / 1000.0);
        }
    }
}
