package io.overdrive.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Check;
import io.overdrive.bench.Description;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Measurement;
import io.overdrive.bench.Result;
import io.overdrive.bench.report.Comparison.Row;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/**
 * Results as {@link Pages}, whose templates are beside this class. Stateless.
 */
public final class HtmlReport {
    private static final ObjectMapper JSON = new ObjectMapper();

    private HtmlReport() {}

    /** Writes a page to a file. */
    public static void write(String page, Path file) {
        try {
            Files.writeString(file, page);
        } catch (IOException e) {
            throw new UncheckedIOException(file + " can't be written (" + e.getMessage() + ")", e);
        }
    }

    /** The page of one experiment: question, verdicts, charts, figures, and how to repeat it. */
    public static String of(Result result) {
        Map<String, Object> page = new HashMap<>();
        Description description = result.description();
        page.put("name", description.name());
        page.put("title", description.title());
        page.put("question", description.question());
        page.put("publishedClaim", description.claim());
        page.put("source", description.source());
        page.put("caveats", description.caveats());
        page.put("facts", facts(result));
        page.put("incomplete", result.complete() ? false : progress(result));
        page.put("tally", tally(result.checks()));
        page.put("checks", checks(result.checks()));
        page.put("warnings", result.warnings());
        List<Plot> plots = Plot.of(result);
        page.put("hero", plots.isEmpty() ? false : plots.get(0).view(0));
        page.put("stacked", !plots.isEmpty() && plots.get(0).isWide());
        List<Object> more = new ArrayList<>();
        for (int i = 1; i < plots.size(); i++) {
            more.add(plots.get(i).view(i));
        }
        page.put("moreCharts", more);
        page.putAll(table(result));
        putRuns(page, result, plots);
        return render("report.html", page);
    }

    /** The end of a page: how to repeat it, what it ran on, all runs, and the data of the plots. */
    private static void putRuns(Map<String, Object> page, Result result, List<Plot> plots) {
        page.put("command", result.command());
        page.put("settings", entries(result.settings()));
        page.put("environment", entries(result.environment()));
        page.put("runs", result.measurements().size());
        page.put("result", packed(result));
        // Sorted, so that the same result makes the same page.
        page.put(
                "plots",
                script(new TreeMap<>(
                        Map.of("charts", plots.stream().map(Plot::data).toList(), "figures", figureNames(result)))));
        page.put("chartLibrary", resource("chart.js").replaceFirst("(?m)^//# sourceMappingURL=.*$", ""));
        page.put("script", resource("report.js"));
    }

    /** The page of a tuning run: what to set, in the words of each tool, and the figures of each setting. */
    public static String of(Advice advice) {
        Map<String, Object> page = new HashMap<>();
        Result all = advice.runs();
        page.put("name", all.description().name());
        page.put("title", advice.title());
        page.put("facts", facts(all));
        page.put("incomplete", all.complete() ? false : all.measurements().size() + " runs");
        page.put("warnings", all.warnings());
        List<Plot> plots = new ArrayList<>();
        List<Object> answers = new ArrayList<>();
        for (Advice.Answer answer : advice.answers()) {
            Map<String, Object> view = new HashMap<>(table(answer.result()));
            view.put("title", answer.result().description().title());
            view.put("question", answer.result().description().question());
            view.put("value", answer.value());
            view.put("style", answer.style().name().toLowerCase(Locale.ROOT));
            view.put("verdict", answer.verdict());
            view.put("evidence", answer.evidence());
            List<Object> charts = new ArrayList<>();
            for (Plot plot : Plot.of(answer.result())) {
                charts.add(plot.view(plots.size()));
                plots.add(plot);
            }
            view.put("chart", charts);
            answers.add(view);
        }
        page.put("answers", answers);
        page.put(
                "words",
                advice.words().stream()
                        .map(each -> Map.of(
                                "title", each.title(),
                                "text", each.text(),
                                "note", each.note().isEmpty() ? false : each.note()))
                        .toList());
        putRuns(page, all, plots);
        return render("advice.html", page);
    }

    /**
     * The page for several experiments: questions, and whether claims were reproduced.
     *
     * @param results each with its own page beside this one, named after the experiment, with {@code .html}
     */
    public static String suite(List<Result> results) {
        Map<String, Object> page = new HashMap<>();
        List<Check> all = results.stream().flatMap(r -> r.checks().stream()).toList();
        page.put("count", results.size() == 1 ? "One experiment" : results.size() + " experiments");
        page.put("facts", results.isEmpty() ? List.of() : common(results));
        page.put("tally", tally(all));
        page.put(
                "experiments",
                results.stream()
                        .map(result -> Map.of(
                                "name", result.description().name(),
                                "title", result.description().title(),
                                "question", result.description().question(),
                                "facts", facts(result),
                                "checks", checks(result.checks())))
                        .toList());
        return render("suite.html", page);
    }

    /** The page of a comparison: for each figure and arm the ratio, its confidence interval and a verdict. */
    public static String of(Comparison comparison) {
        Result before = comparison.before();
        Result after = comparison.after();
        Map<String, Object> page = new HashMap<>();
        page.put("name", before.description().name());
        page.put("title", before.description().title());
        page.put("summary", comparison.summary());
        page.put(
                "facts",
                List.of(
                        "before: " + time(before) + ", " + before.measurements().size() + " runs",
                        "after: " + time(after) + ", " + after.measurements().size() + " runs"));
        page.put("notes", comparison.notes());
        page.put(
                "figures",
                comparison.rowsByFigure().entrySet().stream()
                        .map(e -> compared(e.getKey(), e.getValue()))
                        .toList());
        return render("compare.html", page);
    }

    private static Map<String, Object> compared(Figure figure, List<Row> rows) {
        double widest = rows.stream()
                .filter(row -> row.ratio().hasInterval())
                .mapToDouble(
                        row -> Math.max(row.ratio().value(), 1 / row.ratio().value()))
                .max()
                .orElse(1);
        double edge = Math.max(1.1, widest * 1.15);
        List<List<Map<String, Object>>> levels =
                levels(rows.stream().map(Row::arm).toList());
        List<Object> views = new ArrayList<>();
        for (Row row : rows) {
            Estimate ratio = row.ratio();
            boolean shown = ratio.hasInterval();
            Map<String, Object> view = new HashMap<>();
            view.put("levels", levels.get(views.size()));
            view.put("before", Estimate.text(row.before().value()));
            view.put("after", Estimate.text(row.after().value()));
            view.put("ratio", Estimate.text(ratio.value()));
            view.put("interval", shown ? Estimate.text(ratio.low()) + " to " + Estimate.text(ratio.high()) : "");
            view.put("style", row.change().name().toLowerCase(Locale.ROOT));
            view.put("verdict", row.verdict());
            view.put(
                    "visible",
                    row.change() == Comparison.Change.NONE ? "would show from " + percent(row.visible()) : false);
            view.put(
                    "plot",
                    shown
                            ? Map.of(
                                    "low", place(ratio.low(), edge),
                                    "middle", place(ratio.value(), edge),
                                    "high", place(ratio.high(), edge))
                            : false);
            views.add(view);
        }
        return Map.of(
                "label", figure.label(),
                "unit", figure.unit(),
                "factors", rows.get(0).arm().levels().keySet(),
                "edge", Estimate.text(edge),
                "rows", views);
    }

    /** The position of a ratio on 200 units, 1 in the middle and {@code edge} near the right end. */
    private static long place(double ratio, double edge) {
        return Math.round(100 + 94 * Math.max(-1, Math.min(1, Math.log(ratio) / Math.log(edge))));
    }

    private static Map<String, Object> table(Result result) {
        Findings findings = Findings.of(result);
        List<Figure> figures = result.tableFigures().stream()
                .filter(figure -> !findings.mean(figure).isMissing())
                .toList();
        Map<Figure, Set<Arm>> best = new EnumMap<>(Figure.class);
        figures.forEach(figure -> best.put(figure, findings.bestArms(figure)));
        List<List<Map<String, Object>>> levels = levels(result.arms());
        List<Object> rows = new ArrayList<>();
        for (Arm arm : result.arms()) {
            Findings runs = findings.where(arm::equals);
            long failed = runs.measurements().stream()
                    .filter(m -> m.failure() != null)
                    .count();
            Map<String, Object> row = new HashMap<>();
            row.put("levels", levels.get(rows.size()));
            row.put("n", runs.measurements().size() - failed);
            row.put("failed", failed == 0 ? false : failed + " failed");
            row.put(
                    "cells",
                    figures.stream()
                            .map(figure -> cell(
                                    runs.mean(figure),
                                    best.getOrDefault(figure, Set.of()).contains(arm)))
                            .toList());
            rows.add(row);
        }
        return Map.of(
                "factors",
                result.arms().isEmpty()
                        ? List.of()
                        : result.arms().get(0).levels().keySet(),
                "columns",
                figures.stream()
                        .map(f -> Map.of("label", f.label(), "unit", f.unit()))
                        .toList(),
                "rows",
                rows,
                "anyBest",
                best.values().stream().anyMatch(arms -> !arms.isEmpty()));
    }

    private static Map<String, Object> cell(Estimate mean, boolean best) {
        return Map.of(
                "value",
                Estimate.text(mean.value()),
                "half",
                mean.hasInterval() && mean.half() > 0 ? "± " + Estimate.text(mean.half(), 2) : "",
                "best",
                best,
                "hover",
                mean.hasInterval() ? "standard deviation " + Estimate.text(mean.sd(), 2) : false);
    }

    /** Marks levels that repeat the levels of the arm above, up to the first that differs. */
    private static List<List<Map<String, Object>>> levels(List<Arm> arms) {
        List<List<Map<String, Object>>> rows = new ArrayList<>();
        Map<String, String> above = Map.of();
        for (Arm arm : arms) {
            List<Map<String, Object>> row = new ArrayList<>();
            boolean same = true;
            for (Map.Entry<String, String> level : arm.levels().entrySet()) {
                same &= level.getValue().equals(above.get(level.getKey()));
                row.add(Map.of("level", level.getValue(), "repeated", same));
            }
            rows.add(row);
            above = arm.levels();
        }
        return rows;
    }

    private static List<Object> checks(List<Check> checks) {
        return checks.stream()
                .<Object>map(check -> Map.of(
                        "claim", check.claim(),
                        "words", check.verdict().words(),
                        "style", style(check.verdict()),
                        "evidence", check.evidence()))
                .toList();
    }

    private static List<Object> tally(List<Check> checks) {
        List<Object> tally = new ArrayList<>();
        for (Check.Verdict verdict : Check.Verdict.values()) {
            long count = checks.stream().filter(c -> c.verdict() == verdict).count();
            if (count > 0) {
                tally.add(Map.of("style", style(verdict), "count", count, "words", verdict.words()));
            }
        }
        return tally;
    }

    private static String style(Check.Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<String> facts(Result result) {
        long minutes = Math.round(result.seconds() / 60);
        return List.of(
                time(result),
                result.measurements().size() + " runs of " + result.arms().size() + " variants",
                minutes == 0
                        ? Math.round(result.seconds()) + " seconds"
                        : minutes + (minutes == 1 ? " minute" : " minutes"));
    }

    /** The part of the environments that all results share. */
    private static List<String> common(List<Result> results) {
        Map<String, String> common = new LinkedHashMap<>(results.get(0).environment());
        results.forEach(
                result -> common.entrySet().retainAll(result.environment().entrySet()));
        return common.entrySet().stream()
                .map(e -> e.getKey() + " " + e.getValue())
                .toList();
    }

    private static String progress(Result result) {
        long blocks = result.measurements().stream()
                .mapToInt(Measurement::block)
                .max()
                .orElse(0);
        return result.measurements().size() + " runs, the last of them in block " + blocks;
    }

    private static String time(Result result) {
        return DateTimeFormatter.ofPattern("d MMMM yyyy, HH:mm 'UTC'", Locale.ENGLISH)
                .withZone(ZoneOffset.UTC)
                .format(result.started());
    }

    static String percent(double share) {
        return Estimate.text(100 * share, 2) + " %";
    }

    private static List<Object> entries(Map<String, String> map) {
        return map.entrySet().stream()
                .<Object>map(e -> Map.of("key", e.getKey(), "value", e.getValue()))
                .toList();
    }

    private static Map<String, String> figureNames(Result result) {
        Map<String, String> names = new LinkedHashMap<>();
        for (Figure figure : Figure.values()) {
            if (result.measurements().stream().anyMatch(m -> m.figures().containsKey(figure))) {
                names.put(figure.name(), figure.label() + ", " + figure.unit());
            }
        }
        return names;
    }

    private static String render(String template, Map<String, Object> page) {
        return Pages.render(HtmlReport.class, template, page);
    }

    /** JSON that is safe inside a script element: it cannot end the element. */
    private static String script(Object value) {
        try {
            return JSON.writeValueAsString(value).replace("<", "\\u003c");
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A result's JSON without spaces, by gzip and as Base64: timelines are long. */
    private static String packed(Result result) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            JSON.writeValue(gzip, JSON.readTree(Results.toJson(result)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(packed.toByteArray());
    }

    private static String resource(String name) {
        return Pages.text(HtmlReport.class, name);
    }
}
