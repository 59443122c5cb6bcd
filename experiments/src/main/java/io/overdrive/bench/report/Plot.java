package io.overdrive.bench.report;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Result;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Chart} with its numbers: a panel for each combination of levels that neither x nor series shows. Heat maps are tables in the
 * page; report.js draws all others from {@link #data}. Immutable.
 */
final class Plot {
    /** The share of the range above which the colour of a cell needs text of the opposite brightness. */
    private static final double STRONG = 0.55;

    private final Chart chart;
    private final Result result;
    private final Map<String, Findings> panels = new LinkedHashMap<>();

    private Plot(Chart chart, Result result) {
        this.chart = chart;
        this.result = result;
        for (Arm arm : result.arms()) {
            panels.computeIfAbsent(panelName(arm), name -> Findings.of(result)
                    .where(a -> panelName(a).equals(name)));
        }
    }

    /** The charts with measured figures. */
    static List<Plot> of(Result result) {
        return result.charts().stream()
                .map(chart -> new Plot(chart, result))
                .filter(plot -> !plot.panels.isEmpty() && plot.hasFigures())
                .toList();
    }

    /** The data for the template. */
    Map<String, Object> view(int index) {
        List<Map<String, Object>> views = new ArrayList<>();
        panels.forEach((name, findings) -> {
            Map<String, Object> view = new HashMap<>();
            view.put("name", name.isEmpty() ? false : name);
            boolean heat = chart.kind() == Chart.Kind.HEAT_MAP;
            view.put("heat", heat ? heat(name, findings) : false);
            view.put("canvas", heat ? false : chart.title() + (name.isEmpty() ? "" : ": " + name));
            views.add(view);
        });
        return Map.of(
                "index",
                index,
                "kind",
                chart.kind().name().toLowerCase(Locale.ROOT).replace('_', '-'),
                "title",
                chart.title(),
                "caption",
                caption(),
                "wide",
                isWide(),
                "panels",
                views);
    }

    /** Whether it needs the whole width of a page. */
    boolean isWide() {
        return panels.size() > 1 || chart.kind() == Chart.Kind.TIMELINE;
    }

    /** The data for report.js. */
    Map<String, Object> data() {
        Map<String, Object> data = new HashMap<>();
        data.put("kind", chart.kind().name());
        if (chart.kind() == Chart.Kind.HEAT_MAP) {
            return data;
        }
        data.put("unit", chart.figure().unit());
        data.put("x", chart.x() == null ? "seconds" : chart.x());
        data.put("seriesFactor", chart.series() == null ? "" : chart.series());
        data.put("series", seriesNames());
        data.put("labels", labels());
        data.put("panels", panels.values().stream().map(this::series).toList());
        return data;
    }

    private boolean hasFigures() {
        return result.measurements().stream()
                .anyMatch(m -> chart.kind() == Chart.Kind.TIMELINE
                        ? m.timeline().stream()
                                .anyMatch(moment -> moment.figures().containsKey(chart.figure()))
                        : m.figures().containsKey(chart.figure()));
    }

    private String caption() {
        Figure figure = chart.figure();
        String mean = chart.kind() == Chart.Kind.TIMELINE
                ? "mean of the runs in each second"
                : "mean" + (chart.kind() == Chart.Kind.HEAT_MAP ? "" : " with its 95 % interval");
        String better =
                switch (figure.better()) {
                    case HIGHER -> "; more is better";
                    case LOWER -> "; less is better";
                    case NEITHER -> "";
                };
        return figure.label() + ", " + figure.unit() + ": " + mean + better;
    }

    /** The levels of all factors that have more than one level and that this chart does not show otherwise. */
    private String panelName(Arm arm) {
        if (chart.kind() == Chart.Kind.TIMELINE && chart.series() == null) {
            return "";
        }
        List<String> names = new ArrayList<>();
        arm.levels().forEach((factor, level) -> {
            if (!factor.equals(chart.x())
                    && !factor.equals(chart.series())
                    && levels(factor).size() > 1) {
                names.add(factor + ": " + level);
            }
        });
        return String.join(", ", names);
    }

    private Set<String> levels(@Nullable String factor) {
        return levels(result.arms(), factor);
    }

    private static Set<String> levels(List<Arm> arms, @Nullable String factor) {
        Set<String> levels = new LinkedHashSet<>();
        arms.forEach(arm -> levels.add(factor == null ? "" : arm.level(factor)));
        return levels;
    }

    private String seriesOf(Arm arm) {
        if (chart.series() != null) {
            return arm.level(chart.series());
        }
        return chart.kind() == Chart.Kind.TIMELINE ? arm.toString() : "";
    }

    private Collection<String> seriesNames() {
        Set<String> names = new LinkedHashSet<>();
        result.arms().forEach(arm -> names.add(seriesOf(arm)));
        return names;
    }

    /** The levels of x, each with its position; numeric only if all of them are numbers. */
    private List<Object> labels() {
        if (chart.x() == null) {
            return List.of();
        }
        List<Object> labels = new ArrayList<>();
        boolean numbers =
                chart.kind() != Chart.Kind.BARS && levels(chart.x()).stream().allMatch(Plot::isNumber);
        for (String level : levels(chart.x())) {
            labels.add(numbers ? new TreeMap<>(Map.of("text", level, "at", number(level))) : Map.of("text", level));
        }
        return labels;
    }

    private Object series(Findings panel) {
        Map<String, Object> series = new LinkedHashMap<>();
        for (String name : seriesNames()) {
            Findings ofSeries = panel.where(arm -> seriesOf(arm).equals(name));
            series.put(name, chart.kind() == Chart.Kind.TIMELINE ? moments(ofSeries) : means(ofSeries));
        }
        return series;
    }

    /** Means with bounds and number of runs, for each level of x. */
    private Map<String, Object> means(Findings series) {
        Map<String, Object> means = new LinkedHashMap<>();
        for (String level : levels(chart.x())) {
            Estimate mean = series.where(
                            arm -> chart.x() == null || arm.level(chart.x()).equals(level))
                    .mean(chart.figure());
            if (!mean.isMissing()) {
                means.put(
                        level,
                        mean.hasInterval()
                                ? List.of(round(mean.value()), round(mean.low()), round(mean.high()), mean.n())
                                : List.of(round(mean.value())));
            }
        }
        return means;
    }

    /** Each second, with the mean of all runs. */
    private List<Object> moments(Findings series) {
        Map<Long, List<Double>> seconds = new TreeMap<>();
        series.measurements().forEach(m -> m.timeline().forEach(moment -> {
            Double value = moment.figures().get(chart.figure());
            if (value != null) {
                seconds.computeIfAbsent(Math.round(moment.second()), s -> new ArrayList<>())
                        .add(value);
            }
        }));
        List<Object> moments = new ArrayList<>();
        seconds.forEach((second, values) -> moments.add(List.of(
                second, round(values.stream().mapToDouble(v -> v).average().orElse(Double.NaN)))));
        return moments;
    }

    /** Only the levels that arms of the panel have, and its own range of colours: panels may be of different magnitude. */
    private Map<String, Object> heat(String name, Findings panel) {
        String right = Objects.requireNonNull(chart.x(), "a heat map needs x");
        String down = Objects.requireNonNull(chart.series(), "a heat map needs a series");
        List<Arm> arms = result.arms().stream()
                .filter(arm -> panelName(arm).equals(name))
                .toList();
        double[] all = arms.stream()
                .mapToDouble(
                        arm -> panel.where(arm::equals).mean(chart.figure()).value())
                .filter(v -> !Double.isNaN(v))
                .toArray();
        double low = Arrays.stream(all).min().orElse(0);
        double range = Arrays.stream(all).max().orElse(0) - low;
        List<Object> rows = new ArrayList<>();
        for (String level : levels(arms, down)) {
            List<Object> cells = new ArrayList<>();
            for (String column : levels(arms, right)) {
                Estimate mean = panel.where(down, level).where(right, column).mean(chart.figure());
                double heat = range == 0 ? 0 : (mean.value() - low) / range;
                Map<String, Object> cell = new HashMap<>();
                cell.put("heat", mean.isMissing() ? false : String.format(Locale.ROOT, "%.0f%%", 100 * heat));
                cell.put("strong", heat > STRONG);
                cell.put("value", Estimate.text(mean.value()));
                cell.put("hover", down + " " + level + ", " + right + " " + column + ": " + mean);
                cells.add(cell);
            }
            rows.add(Map.of("level", level, "cells", cells));
        }
        return Map.of("corner", down + " ↓ " + right + " →", "head", levels(arms, right), "rows", rows);
    }

    private static boolean isNumber(String level) {
        return !level.isEmpty() && Character.isDigit(level.charAt(0));
    }

    private static double number(String level) {
        return new Arm(Map.of("level", level)).number("level");
    }

    /** Four digits are more than a chart shows. */
    private static double round(double value) {
        return Double.isInfinite(value) || Double.isNaN(value) || value == 0
                ? value
                : new BigDecimal(value).round(new MathContext(4)).doubleValue();
    }
}
