package io.overdrive.cli.report;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.TableFailure;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.tables.TableResult;
import io.overdrive.jobs.tables.TableResult.Kept;
import io.overdrive.jobs.tables.TablesSummary;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Prints the summary of a run of several tables: the totals, then a line for each table.
 *
 * @param <S> the type of the summary of one table
 * @param selection the tables, as the user named them
 * @param run null if it has no journal
 * @param kind the words of the command about its rows
 */
public record TablesPrinter<S extends Summary>(
        CommandSpec command, TablesSummary<S> summary, String selection, @Nullable String run, Kind<S> kind)
        implements Report {
    private static final int MAX_WIDTH = 48;
    /** Members of a table that was done before, besides its summary. */
    private static final Set<String> WRITTEN = Set.of("table", "outcome", "rowsBefore", "before");

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * Words of a command about the rows of its tables.
     *
     * @param <S> the type of the summary of one table
     * @param total of all tables, from their summaries: {@code 12 rows read = 12 written + 0 rejected}
     * @param line about the rows of one table
     * @param more further lines about one table, each beginning with its label
     * @param report the summary of one table by itself
     * @param last about all tables, after the others
     */
    public record Kind<S extends Summary>(
            Function<TablesSummary<S>, String> total,
            Function<S, String> line,
            PrintsMore<S> more,
            Function<S, Report> report,
            Last<S> last) {
        public Kind(
                Function<TablesSummary<S>, String> total,
                Function<S, String> line,
                PrintsMore<S> more,
                Function<S, Report> report) {
            this(total, line, more, report, /* last */ (summary, run) -> Report.NONE);
        }
    }

    /**
     * Makes the report about all tables.
     *
     * @param <S> the type of the summary of one table
     */
    public interface Last<S extends Summary> {
        /** @param run null if it has no journal */
        Report of(TablesSummary<S> summary, @Nullable String run);
    }

    /**
     * Prints further lines about a table.
     *
     * @param <S> the type of its summary
     */
    public interface PrintsMore<S> {
        void print(PrintWriter out, S summary);
    }

    @Override
    public void text(PrintWriter out) {
        long left = summary.tables() - summary.count(Outcome.DONE);
        out.println(selection + ": " + Amount.count(summary.tables(), "table") + ", "
                + kind.total.apply(summary)
                + (left == 0 ? "" : "; " + Amount.count(left, "table") + " NOT DONE"));
        Report.resumed(out, run, summary.rowsBefore());
        out.println(Report.time(summary.elapsed(), Math.max(0, summary.figures().rows()), /* rates */ ""));
        summary.notDone().forEach(each -> out.println("  " + each));
        int width = summary.results().stream()
                .mapToInt(each -> each.table().asCql(true).length())
                .max()
                .orElse(0);
        for (TableResult<S> each : summary.results()) {
            String name = each.table().asCql(true);
            out.println("  " + name + " ".repeat(Math.max(0, Math.min(MAX_WIDTH, width) - name.length())) + "  "
                    + line(each));
            S one = each.summary();
            if (one != null) {
                kind.more.print(out, one);
            }
        }
        kind.last.of(summary, run).text(out);
    }

    private String line(TableResult<S> result) {
        S one = result.summary();
        RuntimeException failure = result.failure();
        Kept before = result.before();
        if (before != null) {
            return before.text() + ", done before";
        }
        String rows = one == null ? "" : kind.line.apply(one) + " in " + Amount.duration(one.elapsed());
        return rows
                + (rows.isEmpty() || failure == null ? "" : "; ")
                + (failure == null
                        ? result.outcome() == Outcome.STOPPED ? "; NOT ALL, stopped" : ""
                        : "FAILED: " + TableFailure.in(command, result.table(), failure));
    }

    @Override
    public void members(JsonGenerator json) throws IOException {
        Report.outcome(json, summary);
        json.writeNumberField("tables", summary.tables());
        json.writeNumberField("tablesDone", summary.count(Outcome.DONE));
        json.writeNumberField("tablesFailed", summary.count(Outcome.FAILED));
        Report.resumed(json, run, summary.rowsBefore());
        Report.seconds(json, summary.elapsed());
        json.writeArrayFieldStart("notDone");
        for (String each : summary.notDone()) {
            json.writeString(each);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("results");
        for (TableResult<S> each : summary.results()) {
            json.writeStartObject();
            table(json, each);
            json.writeEndObject();
        }
        json.writeEndArray();
        kind.last.of(summary, run).members(json);
    }

    /** This summary with all members of its tables. */
    @Override
    public Report full() {
        return new TablesPrinter<>(
                command,
                summary,
                selection,
                run,
                new Kind<>(
                        kind.total,
                        kind.line,
                        kind.more,
                        one -> kind.report.apply(one).full(),
                        kind.last));
    }

    /** Copies the members of an object that are not written yet. */
    private static void members(JsonGenerator json, String object) throws IOException {
        if (object.isEmpty()) {
            return;
        }
        for (Map.Entry<String, JsonNode> member : MAPPER.readTree(object).properties()) {
            if (!WRITTEN.contains(member.getKey())) {
                json.writeFieldName(member.getKey());
                MAPPER.writeTree(json, member.getValue());
            }
        }
    }

    private void table(JsonGenerator json, TableResult<S> result) throws IOException {
        CqlIdentifier name = result.table();
        json.writeStringField("table", name.asCql(true));
        S one = result.summary();
        if (one != null) {
            kind.report.apply(one).members(json);
            return;
        }
        json.writeStringField("outcome", result.outcome().name().toLowerCase(Locale.ROOT));
        RuntimeException failure = result.failure();
        Kept before = result.before();
        if (before != null) {
            json.writeNumberField("rowsBefore", before.rows());
            json.writeStringField("before", before.text());
            members(json, before.json());
        }
        if (failure != null) {
            json.writeStringField("failure", TableFailure.in(command, name, failure));
        }
    }
}
