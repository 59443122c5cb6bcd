package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.fasterxml.jackson.core.JsonGenerator;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.FromSstablesMixin;
import io.overdrive.cli.options.JournalMixin;
import io.overdrive.cli.options.KeysMixin;
import io.overdrive.cli.options.OptionValues;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.options.TablesMixin;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.TablesPrinter;
import io.overdrive.cli.watch.Watch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.internal.estimate.Road;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.count.CountSummary;
import io.overdrive.jobs.count.CountSummary.Group;
import io.overdrive.jobs.count.Counter;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.KeyspaceSstables;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TableSizes;
import io.overdrive.jobs.tables.TablesJob;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive count}: the rows of a table. */
@Command(
        name = "count",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive count [OPTIONS] TABLE",
        description =
                "Counts the rows of a table, or of each table of a keyspace. The servers count; keys of rows are transferred only where a server"
                        + " does not count in time.",
        footer = {
            "",
            "Examples:",
            "  overdrive count demo.flights",
            "  overdrive count demo.flights --by partition --top 10",
            "  overdrive count shop --except audit,tmp_*   # the tables of a keyspace",
            "  overdrive count demo.flights --where \"carrier = 'UA'\" --json",
        })
final class CountCommand implements Callable<Integer>, SettingOptions.Command {
    private static final String DRY_RUN = "--dry-run";

    private static final TablesPrinter.Kind<CountSummary> COUNTED = new TablesPrinter.Kind<>(
            all -> Amount.count(
                    all.rowsBefore()
                            + all.summaries().stream()
                                    .mapToLong(CountSummary::rows)
                                    .sum(),
                    "row"),
            one -> Amount.count(one.rows(), "row"),
            (out, one) -> {},
            one -> new Answer(one, /* by */ null, /* isFromFiles */ false, /* run */ null));

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "TABLE",
            hideParamSyntax = true,
            description = "keyspace.table, as in CQL; or keyspace for all of its tables, or a pattern such as"
                    + " \"keyspace.order*\".")
    private String table = "";

    @Mixin
    private final TablesMixin tables = new TablesMixin();

    @Option(
            names = "--by",
            paramLabel = "range|node|partition",
            description =
                    "Also count the rows of each token range, of each node's replicas, or of the largest partitions.")
    private Counter.@Nullable By by;

    @Mixin
    private final FromSstablesMixin files = new FromSstablesMixin();

    @Mixin
    private final KeysMixin keys = new KeysMixin();

    @Option(
            names = DRY_RUN,
            description = "Check everything, show the plan and what the count would take, and count nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Write the answer as one JSON object.")
    private boolean json;

    private final SettingOptions top = new SettingOptions(null, List.of(JobSetting.TOP));

    @Mixin
    private final JournalMixin journal = new JournalMixin();

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    private final ScanMixin scan = ScanMixin.withTokens("Reading");

    @ArgGroup(validate = false, exclusive = false, order = 1, heading = "%nWatching:%n")
    private WatchMixin watchOptions = new WatchMixin();

    private final ConnectMixin connect = new ConnectMixin();

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(top, scan.options(), connect.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        TableSelection selection = tables.selection(table);
        if (selection != null) {
            return count(selection);
        }
        CqlIdentifier[] name = TableName.parse(table);
        files.check(spec.commandLine().getParseResult(), scan, FlowMixin.options());
        keys.check(spec, err);
        if (by == Counter.By.NODE && (files.isGiven() || keys.isGiven())) {
            throw new IllegalArgumentException("--by node counts what is stored on each node of the cluster: it does"
                    + " not go with " + (keys.isGiven() ? "--keys" : "--from-sstables"));
        }
        if (by != Counter.By.PARTITION
                && OptionValues.isTyped(spec.commandLine().getParseResult(), "--top")) {
            throw new IllegalArgumentException("--top has no effect without --by partition");
        }
        ScanOptions.Builder options = options(name[0], name[1]);
        options.build(); // reports a wrong value before anything else happens
        if (dryRun) {
            journal.refuseResume(DRY_RUN);
        }
        RunRequest request = dryRun ? null : journal.request(spec, /* canHaveJournal */ !files.isGiven());
        try (Watch watch = watchOptions.open(spec, name);
                Flow flow = flowOptions.open(err);
                Overdrive overdrive = flow.connect(connect.options(err), name);
                FromSstablesMixin from = files.open(overdrive, options, err);
                KeysMixin ofKeys = keys.open(overdrive, options, err);
                Counter counter = Counter.open(overdrive, options.build(), by, top.getInt(JobSetting.TOP), request)) {
            JobRun run = new JobRun(spec, flow, watch, json);
            if (dryRun) {
                return run.dryRun(
                        counter.plan(),
                        counter.warnings(),
                        Road.COUNT,
                        spec.commandLine().getOut(),
                        "no row was counted");
            }
            return run.run(counter, (summary, plan) -> {
                if (summary.outcome() == Outcome.DONE) {
                    run.print(
                            new Answer(summary, by, files.isGiven(), counter.runId()),
                            plan,
                            spec.commandLine().getOut(),
                            members -> {
                                files.members(members);
                                keys.members(members);
                            });
                    return keys.end(files.end(Main.DONE, err), summary.splitsBefore() > 0, err);
                }
                if (summary.outcome() == Outcome.STOPPED) {
                    err.println("overdrive: stopped after counting " + Amount.count(summary.rows(), "row"));
                }
                return Run.end(summary, Main.DONE, spec);
            });
        }
    }

    /** Counts the rows of several tables of a keyspace. */
    private int count(TableSelection selection) {
        TablesMixin.refuse(spec.commandLine().getParseResult(), "--by", "--top", "--where", "--keys");
        files.check(spec.commandLine().getParseResult(), table, scan, FlowMixin.options());
        PrintWriter err = spec.commandLine().getErr();
        CqlIdentifier keyspace = selection.keyspace();
        ScanOptions read = options(keyspace, keyspace).build(); // reports a wrong value before anything else happens
        if (dryRun) {
            journal.refuseResume(DRY_RUN);
        }
        RunRequest request = dryRun ? null : journal.request(spec, /* canHaveJournal */ true);
        KeyspaceSstables sources = files.tables(keyspace, err);
        try (Watch watch = watchOptions.open(spec, TablesMixin.all(keyspace));
                Flow flow = flowOptions.open(err);
                Overdrive overdrive = flow.connect(connect.options(err), TablesMixin.all(keyspace))) {
            List<TablesJob.Table> sized = sources == null
                    ? TableSizes.of(overdrive, keyspace, selection.select(overdrive))
                    : sources.sized(keyspace, sources.select(selection, overdrive));
            TablesRun<CountSummary> run = new TablesRun<>(
                    new JobRun(spec, flow, watch, json),
                    spec.commandLine().getOut(),
                    selection,
                    COUNTED,
                    TablesRun.End.of(files, one -> Main.DONE),
                    "stops");
            Plan.ReadsTables reads = run.reads(
                            overdrive.reach(
                                    keyspace.asInternal(), sized.get(0).name().asInternal(), read.consistency()),
                            sized)
                    .from(sources == null ? null : sources.content(sized));
            if (dryRun) {
                return run.dryRun(
                        sized,
                        reads,
                        List.of(),
                        one -> plan(overdrive, sources, one),
                        Road.COUNT,
                        "no row was counted");
            }
            int code = run.run(
                    sized,
                    new Plan(reads),
                    (one, ofTable) -> count(overdrive, sources, one, ofTable),
                    request,
                    List.of(RunTarget.of(overdrive, selection.text())),
                    one -> List.of(RunTarget.of(overdrive, overdrive.table(keyspace.asInternal(), one.asInternal()))),
                    /* last */ results -> List.of(),
                    TablesRun.atOnce(read.rowsPerSecond(), read.bytesPerSecond()));
            files.sayWhatIsLeftOut(err);
            return code;
        }
    }

    private Plan plan(Overdrive overdrive, @Nullable KeyspaceSstables sources, TablesJob.Table one) {
        try (Job<CountSummary> counter = count(overdrive, sources, one, /* request */ null)) {
            return counter.plan();
        }
    }

    private Job<CountSummary> count(
            Overdrive overdrive,
            @Nullable KeyspaceSstables sources,
            TablesJob.Table one,
            @Nullable RunRequest request) {
        TablesRun.requireKept(overdrive, one.keyspace(), one.name());
        ScanOptions.Builder of = options(one.keyspace(), one.name());
        if (sources == null) {
            return Counter.open(overdrive, of.build(), /* by */ null, /* top */ 1, request);
        }
        List<RunTarget> targets = List.of(RunTarget.of(
                overdrive,
                overdrive.table(one.keyspace().asInternal(), one.name().asInternal())));
        return files.open(
                sources,
                overdrive,
                one,
                request,
                targets,
                rows -> Counter.open(
                        overdrive, of.source(rows).build(), /* by */ null, /* top */ 1, /* request */ null));
    }

    private ScanOptions.Builder options(CqlIdentifier keyspace, CqlIdentifier name) {
        ScanOptions.Builder options = Counter.options(by, keyspace.asInternal(), name.asInternal());
        scan.apply(options);
        return options;
    }

    /**
     * The result of a count.
     *
     * @param run null if it has no journal
     */
    private record Answer(CountSummary summary, Counter.@Nullable By by, boolean isFromFiles, @Nullable String run)
            implements Report {
        @Override
        public void text(PrintWriter out) {
            out.println(Amount.count(summary.rows(), "row"));
            Report.resumed(out, run, summary.rowsBefore());
            out.println(Report.time(summary.elapsed(), summary.rows() - summary.rowsBefore(), "")
                    + (isFromFiles
                            ? ""
                            : ", " + Amount.count(summary.totals().pages(), "request") + ", "
                                    + Amount.count(summary.totals().retries(), "retry")));
            int width = summary.groups().stream()
                    .mapToInt(group -> Amount.count(group.rows()).length())
                    .max()
                    .orElse(0);
            if (by != null && !summary.groups().isEmpty()) {
                out.println("  rows      "
                        + switch (by) {
                            case PARTITION -> "of each partition, the largest first";
                            case NODE -> "of each node";
                            case RANGE -> "of each range of tokens";
                        });
            }
            for (Group group : summary.groups()) {
                String count = Amount.count(group.rows());
                out.println("  " + " ".repeat(width - count.length()) + count + "  " + group.name());
            }
        }

        @Override
        public void members(JsonGenerator json) throws IOException {
            json.writeNumberField("rows", summary.rows());
            Report.resumed(json, run, summary.rowsBefore());
            Report.seconds(json, summary.elapsed());
            json.writeNumberField("requests", summary.totals().pages());
            json.writeNumberField("retries", summary.totals().retries());
            if (by != null) {
                json.writeStringField("by", by.name().toLowerCase(Locale.ROOT));
                json.writeArrayFieldStart("groups");
                for (Group group : summary.groups()) {
                    json.writeStartObject();
                    json.writeStringField("name", group.name());
                    json.writeNumberField("rows", group.rows());
                    json.writeEndObject();
                }
                json.writeEndArray();
            }
        }
    }
}
