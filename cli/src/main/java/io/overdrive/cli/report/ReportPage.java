package io.overdrive.cli.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.overdrive.bench.report.Pages;
import io.overdrive.cli.options.Amount;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** A report as a page, from the report as JSON. The template is beside this class. Stateless. */
final class ReportPage {
    /** The sign of a page, near its beginning. */
    static final String SIGN = "content=\"Overdrive report\"";

    private static final int MAX_RANGES = 200;

    /** A column of the table of tables: a figure of each. */
    private record Column(String label, String member) {}

    private static final List<Column> MOVED = List.of(
            new Column("read", "rowsRead"),
            new Column("written", "rowsWritten"),
            new Column("rejected", "rowsRejected"),
            new Column("left out", "rowsLeftOut"));
    private static final Map<String, List<Column>> COLUMNS = Map.of(
            "diff",
            List.of(
                    new Column("left", "rowsLeft"),
                    new Column("right", "rowsRight"),
                    new Column("the same", "rowsSame"),
                    new Column("different", "different"),
                    new Column("missing right", "missingRight"),
                    new Column("missing left", "missingLeft"),
                    new Column("repaired", "rowsRepaired"),
                    new Column("not repaired", "notRepaired")),
            "verify",
            List.of(
                    new Column("records", "recordsRead"),
                    new Column("rejected", "recordsRejected"),
                    new Column("compared", "rowsCompared"),
                    new Column("the same", "rowsSame"),
                    new Column("different", "different"),
                    new Column("missing", "missing")),
            "copy",
            MOVED,
            "load",
            MOVED,
            "unload",
            List.of(new Column("written", "rowsWritten"), new Column("bytes", "bytesStored")));

    private ReportPage() {}

    static String of(JsonNode report) {
        Map<String, Object> page = new HashMap<>();
        String command = report.path("command").asText();
        String verdict = report.path("verdict").path("text").asText();
        page.put("command", command);
        page.put("verdict", verdict.substring(0, 1).toUpperCase(Locale.ROOT) + verdict.substring(1));
        page.put(
                "style",
                ReportVerdict.style(report.path("verdict").path("result").asText()));
        page.put("facts", facts(report));
        page.put("leftOut", texts(report.path("verdict").path("leftOut")));
        page.put("isComparison", command.equals("diff") || command.equals("verify"));
        boolean isOfTable = report.path("tables").findValue("failure") != null;
        page.put("failure", isOfTable ? false : orFalse(report.path("failure").asText()));
        page.put("sides", sides(report.path("sides")));
        putTables(page, report, command);
        page.put("onlyRight", texts(report.path("onlyRight")));
        page.put(
                "onlyRightTitle",
                command.equals("verify") ? "Tables that are not in the files" : "Tables that only the right side has");
        page.put("differing", differing(report.path("tables")));
        page.put("digests", digests(report.path("tables")));
        page.put("run", orFalse(report.path("run").asText()));
        page.put("limitedBy", limitedBy(report.path("summary").path("limitedBy")));
        page.put("notDone", texts(report.path("summary").path("notDone")));
        page.put("messages", texts(report.path("messages")));
        page.put("commandLine", commandLine(report));
        return Pages.render(ReportPage.class, "run.html", page);
    }

    private static Object orFalse(String text) {
        return text.isEmpty() ? false : text;
    }

    private static List<String> facts(JsonNode report) {
        List<String> facts = new ArrayList<>();
        facts.add(DateTimeFormatter.ofPattern("d MMMM yyyy, HH:mm 'UTC'", Locale.ENGLISH)
                .withZone(ZoneOffset.UTC)
                .format(Instant.parse(report.path("started").asText())));
        long before = report.path("summary").path("rowsBefore").asLong();
        for (JsonNode each : report.path("tables")) {
            before = Math.max(before, each.path("rowsBefore").asLong());
        }
        if (report.has("seconds")) {
            facts.add(time(report.path("seconds").asDouble()) + (before > 0 ? " since it was resumed" : ""));
        }
        if (before > 0) {
            facts.add(Amount.count(before, "row") + (before == 1 ? " was" : " were") + " done before");
        }
        if (report.path("command").asText().equals("diff")) {
            facts.add(
                    report.path("comparesTimes").asBoolean()
                            ? "values, write times and times to live"
                            : "values, without write times and times to live");
        }
        facts.add("Overdrive " + report.path("overdrive").asText());
        return facts;
    }

    private static String time(double seconds) {
        return Amount.duration(Duration.ofMillis(Math.round(seconds * 1000)));
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.isTextual() ? each.asText() : each.toString()));
        return texts;
    }

    private static String joined(JsonNode array) {
        return String.join(", ", texts(array));
    }

    private static List<Object> sides(JsonNode sides) {
        List<Object> views = new ArrayList<>();
        for (JsonNode each : sides) {
            String side = each.path("side").asText();
            views.add(Map.of(
                    "side",
                    side.substring(0, 1).toUpperCase(Locale.ROOT) + side.substring(1),
                    "tables",
                    each.path("tables").asText(),
                    "files",
                    each.has("sstableBytes")
                            ? "SSTables of "
                                    + Amount.bytes(each.path("sstableBytes").asLong())
                            : false,
                    "cluster",
                    each.path("cluster").asText(),
                    "cassandra",
                    joined(each.path("cassandra")),
                    "nodes",
                    Amount.count(each.path("nodes").asLong(), "node") + " in " + joined(each.path("datacenters"))));
        }
        return views;
    }

    private static void putTables(Map<String, Object> page, JsonNode report, String command) {
        List<JsonNode> tables = new ArrayList<>();
        report.path("tables").forEach(tables::add);
        List<Column> columns = COLUMNS.getOrDefault(command, MOVED).stream()
                .filter(column -> tables.stream().anyMatch(each -> isShown(column, each)))
                .toList();
        tables.sort(Comparator.comparingInt(ReportPage::rank));
        page.put("columns", columns.stream().map(Column::label).toList());
        page.put(
                "tables",
                tables.stream().map(each -> row(each, columns, command)).toList());
        List<String> sums = columns.stream()
                .map(column -> figure(
                        column,
                        tables.stream()
                                .mapToLong(each -> each.path(column.member()).asLong())
                                .sum()))
                .toList();
        page.put("sums", tables.size() > 1 ? Map.of("title", tables.size() + " tables", "sums", sums) : false);
    }

    /** Columns of what is rare are there only if it has happened. */
    private static boolean isShown(Column column, JsonNode table) {
        boolean isRare = column.member().equals("rowsRepaired")
                || column.member().equals("notRepaired")
                || column.member().equals("rowsLeftOut");
        return isRare ? table.path(column.member()).asLong() > 0 : table.has(column.member());
    }

    private static int rank(JsonNode table) {
        boolean isDone = table.path("outcome").asText().equals("done");
        return !isDone ? 0 : ReportVerdict.differences(table) > 0 ? 1 : 2;
    }

    private static String figure(Column column, long value) {
        return column.member().startsWith("bytes") ? Amount.bytes(value) : Amount.count(value);
    }

    private static Object cell(Column column, JsonNode table) {
        long value = table.path(column.member()).asLong();
        return Map.of(
                "text", table.has(column.member()) ? figure(column, value) : "", "zero", value == 0 ? " zero" : "");
    }

    private static Map<String, Object> row(JsonNode table, List<Column> columns, String command) {
        Map<String, Object> row = new HashMap<>();
        row.put("name", table.path("table").asText());
        boolean hasFigures = columns.stream().anyMatch(column -> table.has(column.member()));
        row.put("cells", columns.stream().map(column -> cell(column, table)).toList());
        row.put("time", table.has("seconds") ? time(table.path("seconds").asDouble()) : "");
        row.put("before", hasFigures ? false : orFalse(table.path("before").asText()));
        row.put("failure", orFalse(table.path("failure").asText()));
        putState(row, table, hasFigures, command.equals("diff") || command.equals("verify"));
        return row;
    }

    private static void putState(Map<String, Object> row, JsonNode table, boolean hasFigures, boolean isComparison) {
        String outcome = table.path("outcome").asText();
        boolean isRejecting = table.path("rowsRejected").asLong()
                        + table.path("recordsRejected").asLong()
                > 0;
        String state = outcome.equals("failed")
                ? "failed"
                : !outcome.equals("done")
                        ? "stopped"
                        : ReportVerdict.differences(table) > 0
                                ? "differs"
                                : !hasFigures
                                        ? "done before"
                                        : isRejecting
                                                ? "with rejects"
                                                : table.path("leftOut").size() > 0
                                                        ? "not all"
                                                        : isComparison ? "no difference" : "done";
        row.put("state", state);
        row.put(
                "style",
                switch (state) {
                    case "failed", "differs" -> "bad";
                    case "no difference", "done" -> "good";
                    default -> "open";
                });
    }

    private static List<Object> differing(JsonNode tables) {
        List<Object> views = new ArrayList<>();
        for (JsonNode table : tables) {
            JsonNode first = table.path("differences");
            if (first.size() > 0) {
                long all = Math.max(first.size(), ReportVerdict.differences(table));
                views.add(Map.of(
                        "name", table.path("table").asText(),
                        "title",
                                Amount.count(all, "difference")
                                        + (all > first.size() ? ", the first " + first.size() : ""),
                        "open", views.isEmpty(),
                        "rows", differences(first)));
            }
        }
        return views;
    }

    private static List<Object> differences(JsonNode first) {
        List<Object> rows = new ArrayList<>();
        for (JsonNode each : first) {
            StringJoiner how = new StringJoiner("; ");
            if (each.has("columns")) {
                how.add(joined(each.path("columns")));
            }
            if (each.has("times")) {
                how.add("times of " + joined(each.path("times")));
            }
            rows.add(Map.of(
                    "kind", each.path("kind").asText().replace('-', ' '),
                    "key", each.path("key").toString(),
                    "columns", how.toString()));
        }
        return rows;
    }

    private static List<Object> digests(JsonNode tables) {
        List<Object> views = new ArrayList<>();
        for (JsonNode table : tables) {
            if (!table.has("digestLeft") && table.path("ranges").size() == 0) {
                continue;
            }
            List<JsonNode> ranges = new ArrayList<>();
            table.path("ranges").forEach(ranges::add);
            ranges.sort(Comparator.comparing(
                    (JsonNode each) -> each.path("differences").asLong() == 0));
            Map<String, Object> view = new HashMap<>();
            view.put("name", table.path("table").asText());
            view.put("left", orFalse(table.path("digestLeft").asText()));
            view.put("right", table.path("digestRight").asText());
            view.put(
                    "title",
                    Amount.count(ranges.size(), "part") + " of the ring"
                            + (ranges.size() > MAX_RANGES
                                    ? ", " + MAX_RANGES + " of them here, all in the report as JSON"
                                    : ""));
            view.put(
                    "ranges",
                    ranges.stream().limit(MAX_RANGES).map(ReportPage::range).toList());
            views.add(view);
        }
        return views;
    }

    private static Object range(JsonNode range) {
        JsonNode tokens = range.path("tokenRanges");
        long differences = range.path("differences").asLong();
        return Map.of(
                "tokens", tokens.path(0).asText() + (tokens.size() > 1 ? " and " + (tokens.size() - 1) + " more" : ""),
                "left", Amount.count(range.path("rowsLeft").asLong()),
                "right", Amount.count(range.path("rowsRight").asLong()),
                "differences", Amount.count(differences),
                "style", differences > 0 ? "failed" : "",
                "digestLeft", range.path("digestLeft").asText(),
                "digestRight", range.path("digestRight").asText());
    }

    private static Object limitedBy(JsonNode found) {
        return found.isMissingNode()
                ? false
                : Map.of(
                        "cause", found.path("cause").asText().replace('_', ' '),
                        "evidence", found.path("evidence").asText());
    }

    /** The command as a person would type it, without the end of the options. */
    private static String commandLine(JsonNode report) {
        StringJoiner line =
                new StringJoiner(" ", "overdrive " + report.path("command").asText() + " ", "");
        List<String> options = new ArrayList<>(texts(report.path("arguments")));
        int end = options.indexOf("--");
        for (String each : options.subList(end + 1, options.size())) {
            line.add(quoted(each));
        }
        for (String each : options.subList(0, Math.max(0, end))) {
            line.add(quoted(each));
        }
        return line.toString();
    }

    private static String quoted(String argument) {
        return argument.matches("[\\w./:=,@%+-]+") ? argument : "'" + argument.replace("'", "'\\''") + "'";
    }
}
