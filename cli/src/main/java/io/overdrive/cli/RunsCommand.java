package io.overdrive.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.JournalMixin;
import io.overdrive.cli.report.Report;
import io.overdrive.jobs.journal.RunStore;
import io.overdrive.jobs.journal.RunTarget;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code overdrive runs}: the runs that have a journal. */
@Command(
        name = "runs",
        sortOptions = false,
        customSynopsis = "overdrive runs [OPTIONS]",
        description =
                "Lists the runs of this user, newest first. Runs that are done are deleted after 7 days, others and those of copy"
                        + " --keep-times after 30.",
        footer = {
            "",
            "Examples:",
            "  overdrive runs",
            "  overdrive runs --json",
        })
final class RunsCommand implements Callable<Integer>, Report {
    private static final String ROW = "%-20s  %-7s  %8s  %15s  %-19s  %s";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Write the runs as one JSON object.")
    private boolean json;

    private List<RunStore.Entry> runs = List.of();

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        runs = JournalMixin.store().list(damaged -> err.println("overdrive: a run is not shown: " + damaged));
        print(spec.commandLine().getOut(), json);
        return Main.DONE;
    }

    @Override
    public void text(PrintWriter out) {
        if (runs.isEmpty()) {
            out.println("There are no runs.");
            return;
        }
        out.println(String.format(Locale.ROOT, ROW, "RUN", "STATE", "PROGRESS", "ROWS", "LAST CHANGE", "COMMAND"));
        for (RunStore.Entry each : runs) {
            double done = each.status().done();
            out.println(String.format(
                    Locale.ROOT,
                    ROW,
                    each.id(),
                    state(each),
                    done < 0 ? "" : Math.round(Math.floor(100 * done)) + " %",
                    Amount.count(each.status().rows()),
                    TIME.format(each.status().at()),
                    each.info().command() + " " + tables(each)));
        }
    }

    private static String state(RunStore.Entry run) {
        return run.status().state().name().toLowerCase(Locale.ROOT);
    }

    private static String tables(RunStore.Entry run) {
        return run.info().targets().stream().map(RunTarget::table).collect(Collectors.joining(" "));
    }

    @Override
    public void members(JsonGenerator to) throws IOException {
        to.writeArrayFieldStart("runs");
        for (RunStore.Entry each : runs) {
            to.writeStartObject();
            to.writeStringField("run", each.id());
            to.writeStringField("state", state(each));
            to.writeStringField("command", each.info().command());
            to.writeArrayFieldStart("arguments");
            for (String argument : each.info().arguments()) {
                to.writeString(argument);
            }
            to.writeEndArray();
            to.writeArrayFieldStart("tables");
            for (RunTarget target : each.info().targets()) {
                to.writeString(target.table());
            }
            to.writeEndArray();
            to.writeStringField("directory", each.info().directory().toString());
            to.writeStringField("started", each.info().started().toString());
            to.writeStringField("changed", each.status().at().toString());
            to.writeNumberField("rows", each.status().rows());
            if (each.status().done() >= 0) {
                to.writeNumberField("done", each.status().done());
            }
            if (!each.status().message().isEmpty()) {
                to.writeStringField("message", each.status().message());
            }
            to.writeEndObject();
        }
        to.writeEndArray();
    }
}
