package io.overdrive.cli.report;

import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.Overdrive;
import io.overdrive.cli.options.RunArguments;
import io.overdrive.cli.watch.VisibleWriter;
import io.overdrive.internal.scan.RowSource;
import io.overdrive.jobs.Plan;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The facts about a run that its report has: what the summary as JSON says, and in addition the clusters, differences, messages and a verdict.
 * docs/reference/reports.md has its members. Thread-safe by its lock.
 */
public final class RunReport {
    /** How a report as JSON begins. */
    static final String SIGN = "\"report\" : \"overdrive\"";

    private static final int SCHEMA = 1;
    /** Differences of a table that are in the report; all of them are in the output of the command. */
    private static final int MAX_DIFFERENCES = 100;
    /** The same in characters, as keys may be long. */
    private static final int MAX_CHARS = 64 << 10;

    private static final String TIMES = "--compare-times";
    private static final int MAX_MESSAGES = 1000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final CommandSpec command;
    private final Instant started = Instant.now();

    @GuardedBy("this") private final List<String> messages = new ArrayList<>();

    @GuardedBy("this") private final Map<String, Differences> differences = new LinkedHashMap<>();

    @GuardedBy("this") private final List<String> onlyRight = new ArrayList<>();

    @GuardedBy("this") private final List<String> leftOut = new ArrayList<>();

    /** The same of one of several tables. */
    @GuardedBy("this") private final Map<String, List<String>> leftOutOf = new LinkedHashMap<>();

    @GuardedBy("this") private ArrayNode sides = MAPPER.createArrayNode();

    /** The summary as JSON, with the parts of it that only a report has; null until the end of the work. */
    @GuardedBy("this") private @Nullable ObjectNode summary;

    @GuardedBy("this") private @Nullable String run;

    @GuardedBy("this") private @Nullable String failure;

    @GuardedBy("this") private @Nullable Instant ended;

    @GuardedBy("this") private int code = -1;

    /** The first differences of a table. */
    private static final class Differences {
        final ArrayNode first = MAPPER.createArrayNode();
        int chars;
    }

    RunReport(CommandSpec command) {
        this.command = command;
        PrintWriter err = command.commandLine().getErr();
        command.commandLine().setErr(VisibleWriter.on(new Messages(err)));
        leftOut.addAll(ReportScope.leftOut(command.commandLine().getParseResult()));
    }

    /** Passes on what is printed, and keeps messages; the plan, the progress and the summary are not among them. */
    private final class Messages extends Writer {
        private static final String PREFIX = "overdrive: ";

        private final PrintWriter to;
        private final StringBuilder line = new StringBuilder();

        Messages(PrintWriter to) {
            this.to = to;
        }

        @Override
        public void write(char[] chars, int from, int count) {
            to.write(chars, from, count);
            for (int i = from; i < from + count; i++) {
                if (chars[i] != '\n') {
                    line.append(chars[i]);
                    continue;
                }
                String text = line.toString();
                line.setLength(0);
                if (text.startsWith(PREFIX)) {
                    message(text.substring(PREFIX.length()));
                }
            }
        }

        @Override
        public void flush() {
            to.flush();
        }

        @Override
        public void close() {
            to.close();
        }
    }

    private synchronized void message(String text) {
        if (messages.size() < MAX_MESSAGES) {
            messages.add(text);
        }
    }

    /**
     * The work begins.
     *
     * @param id the run's; null if it has no journal
     * @param connections to the first cluster, and to the second if there is one
     */
    synchronized void begin(@Nullable String id, Plan plan, List<Overdrive> connections) {
        run = id;
        sides = MAPPER.createArrayNode();
        for (int i = 0; i < plan.parts().size(); i++) {
            Plan.Part part = plan.parts().get(i);
            if (part instanceof Plan.Repairs || connections.isEmpty()) {
                continue;
            }
            ObjectNode side = sides.addObject().put("side", part.label());
            side.put("tables", PlanPrinter.tables(part));
            RowSource.Content files = files(part);
            if (files != null) {
                side.put("sstableBytes", files.bytes()); // the cluster may only have provided columns
                continue;
            }
            Metadata metadata = connections
                    .get(i == 0 ? 0 : connections.size() - 1)
                    .session()
                    .getMetadata();
            side.put("cluster", metadata.getClusterName().orElse(""));
            ArrayNode releases = side.putArray("cassandra");
            metadata.getNodes().values().stream()
                    .map(Node::getCassandraVersion)
                    .filter(Objects::nonNull)
                    .sorted()
                    .map(Object::toString)
                    .distinct()
                    .forEach(releases::add);
            ArrayNode datacenters = side.putArray("datacenters");
            metadata.getNodes().values().stream()
                    .map(Node::getDatacenter)
                    .filter(Objects::nonNull)
                    .sorted()
                    .distinct()
                    .forEach(datacenters::add);
            side.put("nodes", metadata.getNodes().size());
        }
    }

    /** The SSTables that a part reads; null if it reads the cluster. */
    private static RowSource.@Nullable Content files(Plan.Part part) {
        RowSource.Content from = part instanceof Plan.ReadsSource source
                ? source.from()
                : part instanceof Plan.ReadsTables tables ? tables.from() : null;
        return from != null && from.way() == RowSource.Way.FILES ? from : null;
    }

    /**
     * Adds a difference, as the command prints it.
     *
     * @param table as spelled in CQL; empty if it is the only one
     */
    synchronized void difference(String table, String json) {
        Differences of = differences.computeIfAbsent(table, each -> new Differences());
        of.chars += json.length();
        if (of.first.size() < MAX_DIFFERENCES && of.chars <= MAX_CHARS) {
            ObjectNode difference = object(json);
            difference.remove("table");
            of.first.add(difference);
        }
    }

    /** Adds tables that have no counterpart, which is a difference. */
    synchronized void onlyRight(List<String> tables) {
        onlyRight.addAll(tables);
    }

    /** Adds what is not done or not compared, besides what the options say. */
    synchronized void leftOut(String what) {
        leftOut.add(what);
    }

    /** Adds what was left out of one of several tables. */
    public synchronized void leftOut(String table, List<String> what) {
        leftOutOf.put(table, what);
    }

    /**
     * The summary of a table that is done, for the journal: a later process of the run puts it into its report.
     *
     * @param report null if no report is wanted now
     * @param leftOut what was left out of its rows
     */
    public static String ofTable(@Nullable RunReport report, String table, Report summary, List<String> leftOut) {
        ObjectNode json = object(summary.full().object());
        addLeftOut(leftOut, json);
        if (report != null) {
            report.addDifferences(table, json);
        }
        return json.toString();
    }

    private static void addLeftOut(List<String> leftOut, ObjectNode to) {
        if (!leftOut.isEmpty()) {
            ArrayNode words = to.putArray("leftOut");
            leftOut.forEach(words::add);
        }
    }

    private synchronized void addDifferences(String table, ObjectNode to) {
        Differences found = differences.get(table);
        if (found != null) {
            to.set("differences", found.first);
        }
    }

    /** The work has ended. */
    public synchronized void summary(Report report) {
        summary = object(report.full().object());
    }

    synchronized void end(int exitCode, @Nullable String why) {
        code = exitCode;
        failure = why;
        ended = Instant.now();
    }

    String text() {
        try {
            return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(json()) + "\n";
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The report as JSON. */
    synchronized ObjectNode json() {
        ObjectNode json = MAPPER.createObjectNode();
        json.put("report", "overdrive").put("schema", SCHEMA);
        ObjectNode verdict = json.putObject("verdict");
        json.put("command", command.name());
        ArrayNode arguments = json.putArray("arguments");
        RunArguments.of(command.commandLine().getParseResult()).forEach(arguments::add);
        json.put("overdrive", command.root().version()[0].replace("overdrive ", ""));
        json.put("started", started.truncatedTo(ChronoUnit.SECONDS).toString());
        if (ended != null) {
            json.put("ended", ended.truncatedTo(ChronoUnit.SECONDS).toString());
            json.put("seconds", Duration.between(started, ended).toMillis() / 1000.0);
            json.put("exitCode", code);
        }
        if (command.findOption(TIMES) != null) {
            json.put("comparesTimes", command.commandLine().getParseResult().hasMatchedOption(TIMES));
        }
        if (run != null) {
            json.put("run", run);
        }
        ObjectNode ofAll = summary == null ? MAPPER.createObjectNode() : summary.deepCopy();
        json.put("outcome", ofAll.path("outcome").asText(outcomeOfCode()));
        String why = ofAll.path("failure").asText(failure == null ? "" : failure);
        if (!why.isEmpty()) {
            json.put("failure", why);
        }
        json.set("sides", sides);
        ArrayNode tables = tables(ofAll);
        json.set("tables", tables);
        ArrayNode right = json.putArray("onlyRight");
        onlyRight.forEach(right::add);
        json.set("summary", ofAll);
        ArrayNode said = json.putArray("messages");
        messages.forEach(said::add);
        new ReportVerdict(json, leftOut).write(verdict);
        return json;
    }

    /** How a command has ended that had no work to summarize, by its exit code. */
    @GuardedBy("this") private String outcomeOfCode() {
        return ended == null
                ? "running"
                : switch (code) {
                    case 0, 3 -> "done";
                    case 130 -> "stopped";
                    default -> "failed";
                };
    }

    /** The tables of the run, which are taken out of the summary. */
    @GuardedBy("this") private ArrayNode tables(ObjectNode ofAll) {
        ArrayNode tables = MAPPER.createArrayNode();
        JsonNode several = ofAll.remove("results");
        if (several != null) {
            for (JsonNode each : several) {
                ObjectNode table = (ObjectNode) each;
                String name = table.path("table").asText();
                addDifferences(name, table);
                addLeftOut(leftOutOf.getOrDefault(name, List.of()), table);
                tables.add(table);
            }
        } else if (summary != null) {
            ObjectNode table = tables.addObject();
            table.put("table", sides.path(0).path("tables").asText());
            table.setAll(ofAll);
            List.of("plan", "limitedBy", "timeouts", "guard", "guardOfSecondCluster", "next")
                    .forEach(table::remove);
            table.fieldNames().forEachRemaining(name -> {
                if (!name.equals("table")) {
                    ofAll.remove(name);
                }
            });
            addDifferences("", table);
        }
        return tables;
    }

    private static ObjectNode object(String json) {
        try {
            return (ObjectNode) MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }
}
