package io.overdrive.bench.ledger;

import io.overdrive.bench.Check;
import io.overdrive.bench.Result;
import io.overdrive.bench.ledger.Ledger.Beside;
import io.overdrive.bench.ledger.Ledger.Judged;
import io.overdrive.bench.ledger.Ledger.Row;
import io.overdrive.bench.ledger.Ledger.Status;
import io.overdrive.bench.report.Pages;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The ledger as a page of HTML, in the style of the experiments' pages, which it links. Stateless. */
public final class LedgerPage {
    private static final String SLIDE = "slide ";
    private static final String SLIDES = "slides ";
    private static final String RESULT = ".json";

    private LedgerPage() {}

    /**
     * The page.
     *
     * @param results the directory of the experiments' pages, relative to this page: empty, or with a slash at its end
     * @param root the directory that has the pages of claims, such as {@code docs/guides/tuning.md}, likewise; null if they are not there
     */
    public static String of(Ledger ledger, String results, @Nullable String root) {
        Map<Source, List<Row>> bySource = new LinkedHashMap<>();
        ledger.rows().forEach(row -> bySource.computeIfAbsent(row.source(), source -> new ArrayList<>())
                .add(row));
        Map<String, Object> page = new HashMap<>();
        page.put("count", ledger.rows().size());
        page.put("tally", tally(ledger));
        page.put("stale", ledger.stale() == 0 ? false : ledger.stale());
        page.put(
                "sources",
                bySource.entrySet().stream()
                        .map(entry -> source(entry.getKey(), entry.getValue(), results, root))
                        .toList());
        page.put("ledgerCss", Pages.text(LedgerPage.class, "ledger.css"));
        page.put("script", Pages.text(LedgerPage.class, "ledger.js"));
        return Pages.render(LedgerPage.class, "ledger.html", page);
    }

    private static List<Object> tally(Ledger ledger) {
        return ledger.tally().entrySet().stream()
                .<Object>map(entry -> Map.of(
                        "style", style(entry.getKey()),
                        "count", entry.getValue(),
                        "words", entry.getKey().words()))
                .toList();
    }

    private static Map<String, Object> source(Source source, List<Row> rows, String results, @Nullable String root) {
        Map<String, Object> view = new HashMap<>();
        view.put("key", source.key());
        view.put("title", source.title());
        view.put("author", source.author());
        view.put("published", source.published());
        view.put("places", places(rows));
        view.put("rows", rows.stream().map(row -> row(row, results, root)).toList());
        return view;
    }

    /** A link to the first row of each slide or section. */
    private static List<Object> places(List<Row> rows) {
        Map<String, Row> first = new LinkedHashMap<>();
        rows.forEach(row -> numbers(row.claim().place()).forEach(place -> first.putIfAbsent(place, row)));
        boolean slides = first.keySet().stream().allMatch(place -> Character.isDigit(place.charAt(0)));
        return first.entrySet().stream()
                .sorted((a, b) -> slides ? Integer.compare(number(a.getKey()), number(b.getKey())) : 0)
                .<Object>map(entry -> Map.of(
                        "place", entry.getKey(),
                        "anchor", anchor(entry.getValue())))
                .toList();
    }

    /** The slides of {@code slides 24, 27, 28} and {@code slides 9–11} one by one; another place as it is. */
    private static Stream<String> numbers(String place) {
        if (!place.startsWith(SLIDE) && !place.startsWith(SLIDES)) {
            return Stream.of(place);
        }
        return Stream.of(place.substring(place.indexOf(' ') + 1).split(", ")).flatMap(part -> {
            String[] ends = part.split("–");
            return IntStream.rangeClosed(number(ends[0]), number(ends[ends.length - 1]))
                    .mapToObj(String::valueOf);
        });
    }

    private static int number(String slide) {
        return Integer.parseInt(slide);
    }

    private static Map<String, Object> row(Row row, String results, @Nullable String root) {
        Map<String, Object> view = new HashMap<>();
        Source.Claim claim = row.claim();
        view.put("anchor", anchor(row));
        view.put("place", claim.place());
        view.put("words", numbers(claim.place()).map(each -> SLIDE + each).collect(Collectors.joining(" ")));
        view.put("said", claim.said());
        view.put("status", row.status().words());
        view.put("style", style(row.status()));
        view.put("isStale", row.isStale());
        view.put("note", or(claim.note()));
        view.put("needs", isOpen(row) ? or(claim.needs()) : false);
        view.put("page", claim.page() == null ? false : page(claim.page(), results, root));
        view.put(
                "judged",
                row.judged().stream().map(each -> judged(each, results)).toList());
        return view;
    }

    private static boolean isOpen(Row row) {
        return switch (row.status()) {
            case IN_PART, UNDECIDED, NOT_MEASURED -> true;
            case REPRODUCED, NOT_REPRODUCED, ANSWERED, NO_EXPERIMENT -> false;
        };
    }

    /** A page, or the page of an experiment in place of its result. */
    private static Map<String, Object> page(String page, String results, @Nullable String root) {
        String file = page.replaceFirst("#.*", "");
        String name = file.substring(file.lastIndexOf('/') + 1);
        if (name.endsWith(RESULT)) {
            String experiment = name.substring(0, name.length() - RESULT.length());
            return Map.of("name", experiment, "href", results + experiment + ".html");
        }
        return Map.of("name", name.equals("README.md") ? file : name, "href", root == null ? false : root + page);
    }

    private static Map<String, Object> judged(Judged judged, String results) {
        Map<String, Object> view = new HashMap<>();
        Check check = judged.check();
        Result result = judged.result();
        view.put("name", judged.name());
        view.put("experiment", judged.experiment());
        view.put("figures", figures(judged.figures()));
        if (check == null || result == null) {
            view.put("claim", judged.name());
            view.put("verdict", "no result yet");
            view.put("style", "unknown");
            view.put("evidence", false);
            view.put("run", false);
            return view;
        }
        view.put("claim", check.claim());
        view.put("verdict", check.verdict().words());
        view.put("style", check.verdict().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        view.put("evidence", check.evidence());
        view.put(
                "run",
                Map.of(
                        "href", results + judged.experiment() + ".html",
                        "date", LedgerJson.date(result),
                        "commit", LedgerJson.commit(result),
                        "machine", LedgerJson.machine(result),
                        "command", result.command(),
                        "stale", or(judged.stale())));
        return view;
    }

    /**
     * The bars of all figures: ratios share a scale with the published ones, while absolute figures of each side are drawn to the largest of that
     * side, as hardware differs.
     */
    private static List<Object> figures(List<Beside> figures) {
        List<Object> views = new ArrayList<>();
        for (Beside figure : figures) {
            boolean isAbsolute = figure.published().figure() != null;
            List<Beside> alike = isAbsolute
                    ? figures.stream()
                            .filter(each -> each.published().figure() != null)
                            .toList()
                    : List.of(figure);
            double published = alike.stream()
                    .mapToDouble(each -> each.published().high())
                    .max()
                    .orElse(1);
            double ours = alike.stream()
                    .flatMap(each -> each.ours().stream())
                    .mapToDouble(Bars::end)
                    .max()
                    .orElse(0);
            double both = Math.max(published, ours);
            views.add(Map.of(
                    "condition", figure.published().condition(),
                    "published", figure.published().toString(),
                    "bar", Bars.of(figure.published(), isAbsolute ? published : both),
                    "ours",
                            figure.ours().stream()
                                    .map(each -> Bars.of(each, isAbsolute ? ours : both))
                                    .toList()));
        }
        return views;
    }

    private static Object or(@Nullable String text) {
        return Objects.requireNonNullElse(text, false);
    }

    private static String anchor(Row row) {
        return row.claim().id().toLowerCase(Locale.ROOT);
    }

    private static String style(Status status) {
        return switch (status) {
            case REPRODUCED -> "reproduced";
            case NOT_REPRODUCED -> "not-reproduced";
            case IN_PART -> "in-part";
            case UNDECIDED, NOT_MEASURED -> "unknown";
            case ANSWERED -> "answered";
            case NO_EXPERIMENT -> "no-experiment";
        };
    }
}
