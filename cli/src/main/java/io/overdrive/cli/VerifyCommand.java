package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.FieldsMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.InputMixin;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.options.TablesMixin;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.report.TablesPrinter;
import io.overdrive.cli.report.VerifyPrinter;
import io.overdrive.cli.watch.Watch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.InputFiles.LeftOut;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.internal.estimate.Road;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.jobs.create.TableDefinition;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.tables.KeyspaceInput;
import io.overdrive.jobs.tables.KeyspaceInput.TableFiles;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.jobs.tables.TablesSummary;
import io.overdrive.jobs.verify.Verifier;
import io.overdrive.jobs.verify.VerifyOptions;
import io.overdrive.jobs.verify.VerifySummary;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code overdrive verify}: whether all rows of files are in a table. */
@Command(
        name = "verify",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive verify [OPTIONS] INPUT… TABLE",
        description =
                "Says whether every row of CSV, JSON, Arrow or Parquet files is in a table with the same values, after a load with the same"
                        + " options for table, fields, values and files; or of an unload of a keyspace, in its tables. Prints each difference as a line of JSON on standard output, and a summary on standard"
                        + " error.",
        footer = {
            "",
            "Rows of the files that do not fit in memory are spilled to disk, which takes about as much space as their"
                    + " data, not compressed.",
            "",
            "Exit codes: 0 every row is there, 3 rows are missing or differ, or records were rejected, 1 failed.",
            "",
            "Examples:",
            "  overdrive verify flights.csv.zst demo.flights --local",
            "  overdrive verify 'export/*.csv.gz' shop.orders --host 10.0.0.1",
            "  overdrive verify s3://backups/shop/2026-11-26/ shop_restored   # all tables of an unload of a keyspace",
            "  overdrive verify users.csv shop.users --map \"id = user_id, * = *\" > differences.jsonl",
        })
final class VerifyCommand implements Callable<Integer>, SettingOptions.Command {
    private static final TablesPrinter.Kind<VerifySummary> VERIFIED = new TablesPrinter.Kind<>(
            all -> VerifyPrinter.rows(
                    sum(all, VerifySummary::recordsRead),
                    sum(all, VerifySummary::recordsRejected),
                    sum(all, VerifySummary::rowsCompared),
                    sum(all, VerifySummary::rowsSame),
                    sum(all, VerifySummary::different),
                    sum(all, VerifySummary::missing)),
            VerifyPrinter::rows,
            VerifyPrinter::printRejects,
            VerifyPrinter::new);

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "INPUT… TABLE",
            hideParamSyntax = true,
            arity = "1..*",
            description =
                    "Files, pipes, directories or globs, or - for standard input; then keyspace.table, as in CQL. Or the directory"
                            + " of an unload of a keyspace, and the keyspace of its tables, or a pattern such as"
                            + " \"keyspace.order*\".")
    private List<String> arguments = new ArrayList<>();

    @Mixin
    private final TablesMixin tables = new TablesMixin();

    @Option(names = "--query", hidden = true)
    private @Nullable String query;

    /** The options by which a load created the table. */
    private static final class Target {
        @Option(
                names = "--create",
                description =
                        "The load created the table: values that an inferred type does not keep in full are rejected,"
                                + " as in the load. Without it, they are compared as the table keeps them, and counted.")
        private boolean create;

        @Option(names = "--key", paramLabel = "KEY", description = "Primary key that the table must have, as in CQL.")
        private @Nullable String key;

        @Option(
                names = "--types",
                paramLabel = "TYPES",
                description = "Types that columns must have, and that are not inferred: \"zip text, seen date\".")
        private String types = "";
    }

    @Option(
            names = "--dry-run",
            description =
                    "Check everything but the records, show the plan and what the run would take, and compare nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Write the summary as one JSON object, to standard error.")
    private boolean json;

    @Mixin
    private final ReportMixin report = new ReportMixin();

    @Option(names = "--settings", description = "Show the settings for reading, and their origin, before the run.")
    private boolean settings;

    @Option(
            names = "--spill-directory",
            paramLabel = "DIR",
            description =
                    "Directory for rows that do not fit in that memory. Default: the system's directory for temporary"
                            + " files.")
    private Path spillDirectory = Path.of(System.getProperty("java.io.tmpdir"));

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nTable, as for load:%n")
    private Target target = new Target();

    @ArgGroup(validate = false, exclusive = false, heading = "%nFields and rejects, as for load:%n")
    private FieldsMixin fields = new FieldsMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nReading of files, as for load:%n")
    private InputMixin input = new InputMixin();

    private final SettingOptions numbers = new SettingOptions(
            null, List.of(JobSetting.MAX_DIFFERENCES, JobSetting.VERIFY_THREADS, JobSetting.SORT_MEMORY));
    private final SettingOptions reading = new SettingOptions("", ReadingSetting.ALL);
    private final ScanMixin scan = ScanMixin.withoutWhere("Reading of the table");

    @ArgGroup(validate = false, exclusive = false, order = 1, heading = "%nWatching:%n")
    private WatchMixin watchOptions = new WatchMixin();

    private final ConnectMixin connect = new ConnectMixin();

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(numbers, reading, scan.options(), connect.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = report.begin(spec);
        if (query != null) {
            throw new IllegalArgumentException("--query: verify cannot tell what a custom statement writes, only"
                    + " what a load into a table writes; compare the table with another one by overdrive diff");
        }
        List<String> inputs = new ArrayList<>(arguments);
        if (inputs.size() < 2) {
            throw new IllegalArgumentException("give the input and the table: overdrive verify INPUT… KEYSPACE.TABLE");
        }
        TableSelection selection = tables.selection(inputs.get(inputs.size() - 1));
        if (selection != null) {
            return verify(selection);
        }
        CqlIdentifier[] table = TableName.parse(inputs.remove(inputs.size() - 1));
        List<LeftOut> leftOut = new ArrayList<>();
        List<InputFile> files = InputFiles.expand(inputs, leftOut::add);
        leftOut.forEach(each -> err.println("overdrive: " + each));
        Key key = target.key == null ? null : Key.parse(target.key);
        Map<String, String> types = TableDefinition.parseTypes(target.types);
        VerifyOptions options = options(options(files, types.keySet()));
        input.check(spec.commandLine().getParseResult(), options.input().format(), files);
        ScanOptions.Builder read = read(table);
        Map<String, String> checked = read.build().settings(); // reports a wrong value before anything else happens
        if (settings) {
            checked.forEach((name, value) -> err.println(name + " = " + value));
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Watch watch = watchOptions.open(spec, table);
                Flow flow = flowOptions.open(err);
                Overdrive overdrive = flow.connect(connect.options(err), table);
                Verifier verifier = open(overdrive, table, key, types, read, options, out)) {
            JobRun run = new JobRun(spec, flow, watch, json);
            return dryRun
                    ? run.dryRun(verifier.plan(), verifier.warnings(), Road.VERIFY, err, "no row was compared")
                    : run(run, verifier, err);
        }
    }

    private Verifier open(
            Overdrive overdrive,
            CqlIdentifier[] table,
            @Nullable Key key,
            Map<String, String> types,
            ScanOptions.Builder read,
            VerifyOptions options,
            PrintWriter out) {
        TableCreator.checkExisting(overdrive, table[0], table[1], key, types);
        return Verifier.open(overdrive, read, options, difference -> report.found("", difference.toJson(), out));
    }

    private LoadOptions options(List<InputFile> files, Set<String> typesGiven) {
        LoadOptions.Builder builder = options(files);
        if (target.create) {
            builder.rejectLosses(typesGiven);
        }
        return builder.build();
    }

    private LoadOptions.Builder options(List<InputFile> files) {
        return fields.apply(LoadOptions.of(files))
                .format(input.format(reading))
                .values(input.values())
                .rejects(fields.rejects(), input.rejectName(files.get(0)))
                .threads(numbers.getInt(JobSetting.VERIFY_THREADS));
    }

    private int run(JobRun run, Verifier verifier, PrintWriter err) {
        return run.run(verifier, (summary, plan) -> {
            FieldsMixin.warnOfMissing(verifier.fieldsNotFound(), "was not compared", err);
            report.sayLeftOut(FieldsMixin.expired(verifier.expiredCells(), verifier.rowsLeftOut()), err);
            run.print(new VerifyPrinter(summary), plan, err);
            return Run.end(summary, code(summary), spec);
        });
    }

    private static int code(VerifySummary summary) {
        return summary.differences() == 0 && summary.recordsRejected() == 0 ? Main.DONE : Main.DIFFERENT;
    }

    /** Compares the tables of an unload of a keyspace. */
    private int verify(TableSelection selection) {
        ParseResult given = spec.commandLine().getParseResult();
        KeyspaceInput input = TablesMixin.input(arguments);
        TablesMixin.refuse(given, "--map", "--set", "--key", "--types", "--create", "--fields", "--no-header");
        CqlIdentifier keyspace = selection.keyspace();
        ScanOptions checked = read(keyspace, keyspace).build(); // reports a wrong value before anything else happens
        Map<CqlIdentifier, TableFiles> files = new HashMap<>(LoadTables.select(input, selection));
        List<CqlIdentifier> selected = List.copyOf(files.keySet());
        TablesMixin.checkTimes(fields.keepsTimes(), files.values());
        files.values()
                .forEach(each -> this.input.check(given, options(each).input().format(), each.files()));
        PrintWriter err = spec.commandLine().getErr();
        if (settings) {
            checked.settings().forEach((name, value) -> err.println(name + " = " + value));
        }
        String notCompared = LoadTables.counters(files);
        files.values().removeIf(each -> each.table().kind() == KeyspaceManifest.Kind.COUNTERS);
        if (files.isEmpty()) {
            throw new IllegalArgumentException("all tables have counters, to which a load adds: " + notCompared);
        }
        try (Watch watch = watchOptions.open(spec, TablesMixin.all(keyspace));
                Flow flow = flowOptions.open(err);
                Overdrive overdrive = flow.connect(connect.options(err), TablesMixin.all(keyspace))) {
            overdrive.awaitNode(checked.patience());
            TablesMixin.checkExists(overdrive, keyspace);
            LoadTables.Expired expired = new LoadTables.Expired();
            TablesRun<VerifySummary> run = new TablesRun<>(
                    new JobRun(spec, flow, watch, json),
                    err,
                    selection,
                    VERIFIED,
                    expired.end(VerifyCommand::code),
                    "stops comparing");
            int exit = verify(overdrive, run, LoadTables.sized(keyspace, files), files, expired);
            if (!notCompared.isEmpty()) {
                err.println("overdrive: NOT COMPARED, as a load adds to counters: " + notCompared);
                report.leftOut(List.of("tables with counters: " + notCompared));
            }
            List<String> others = selection.others(overdrive, keyspace, selected);
            report.onlyRight(others);
            others.forEach(table -> err.println("overdrive: NOT IN THE FILES: table " + table));
            return exit == Main.DONE && !others.isEmpty() ? Main.DIFFERENT : exit;
        }
    }

    private int verify(
            Overdrive overdrive,
            TablesRun<VerifySummary> run,
            List<TablesJob.Table> sized,
            Map<CqlIdentifier, TableFiles> files,
            LoadTables.Expired left) {
        CqlIdentifier[] one = {sized.get(0).keyspace(), sized.get(0).name()};
        ScanOptions read = read(one).build();
        Plan.ReadsTables reads =
                run.reads(overdrive.reach(one[0].asInternal(), one[1].asInternal(), read.consistency()), sized);
        int exit = dryRun
                ? run.dryRun(
                        sized,
                        reads,
                        List.of(),
                        table -> plan(overdrive, table, files),
                        Road.VERIFY,
                        "no row was compared")
                : run.run(
                        sized,
                        new Plan(reads),
                        (table, request) -> {
                            Verifier verifier = open(overdrive, table, files);
                            return new TablesRun.Then<>(
                                    verifier,
                                    () -> left.add(table.name(), verifier.expiredCells(), verifier.rowsLeftOut()));
                        },
                        /* journal */ null,
                        /* last */ results -> List.of(),
                        TablesRun.atOnce(read.rowsPerSecond(), read.bytesPerSecond()));
        left.say(spec.commandLine().getErr());
        return exit;
    }

    private Plan plan(Overdrive overdrive, TablesJob.Table table, Map<CqlIdentifier, TableFiles> files) {
        try (Verifier verifier = open(overdrive, table, files)) {
            return verifier.plan();
        }
    }

    private Verifier open(Overdrive overdrive, TablesJob.Table table, Map<CqlIdentifier, TableFiles> files) {
        TablesRun.require(overdrive, table.keyspace(), table.name(), "does not exist");
        ScanOptions.Builder read = read(table.keyspace(), table.name());
        VerifyOptions options = options(Objects.requireNonNull(files.get(table.name())));
        if (table.isSmall()) {
            read.pageMemory(TablesRun.MEMORY_OF_SMALL);
            options = options.withSortMemory(Math.min(TablesRun.MEMORY_OF_SMALL, options.sortMemory()));
        }
        PrintWriter out = spec.commandLine().getOut();
        String name = table.name().asCql(true);
        return Verifier.open(overdrive, read, options, difference -> report.found(name, difference.toJson(name), out));
    }

    private ScanOptions.Builder read(CqlIdentifier... table) {
        ScanOptions.Builder read = ScanOptions.from(table[0].asInternal(), table[1].asInternal());
        scan.apply(read);
        return read;
    }

    private VerifyOptions options(TableFiles table) {
        return options(
                options(table.files()).keepTimes(table.table().hasTimes()).build());
    }

    private VerifyOptions options(LoadOptions files) {
        return new VerifyOptions(
                files, spillDirectory, numbers.get(JobSetting.SORT_MEMORY), numbers.get(JobSetting.MAX_DIFFERENCES));
    }

    private static long sum(TablesSummary<VerifySummary> all, ToLongFunction<VerifySummary> figure) {
        return all.summaries().stream().mapToLong(figure).sum();
    }
}
