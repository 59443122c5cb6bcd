package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.FieldsMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.InputMixin;
import io.overdrive.cli.options.JournalMixin;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.SstableMixin;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.options.TablesMixin;
import io.overdrive.cli.report.LoadPrinter;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.watch.Watch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputFiles;
import io.overdrive.formats.records.InputFiles.LeftOut;
import io.overdrive.formats.records.ReadingSetting;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.create.KeyspaceCreator;
import io.overdrive.jobs.create.KeyspaceSchema;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.jobs.create.TableDefinition;
import io.overdrive.jobs.create.TableDefinition.Key;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loader;
import io.overdrive.jobs.load.QueriedFiles;
import io.overdrive.jobs.sql.FirstRows;
import io.overdrive.jobs.sql.SqlEngine;
import io.overdrive.jobs.sql.SqlEngines;
import io.overdrive.jobs.sstables.SstableTarget;
import io.overdrive.jobs.tables.KeyspaceInput;
import io.overdrive.jobs.tables.KeyspaceInput.TableFiles;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.sstable.handover.SstableOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code overdrive load}: files into a table. */
@Command(
        name = "load",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive load [OPTIONS] INPUT… TABLE",
        description =
                "Loads CSV, JSON, Arrow or Parquet files into a table, or an unload of a keyspace into a keyspace.",
        footer = {
            "",
            "Examples:",
            "  overdrive load flights.csv.zst demo.flights --local --create \\",
            "      --key \"(origin, dest, year, month), day, sched_dep_time, carrier, flight\"",
            "  overdrive load 'export/*.csv.gz' shop.orders --host 10.0.0.1,10.0.0.2 --dc dc1 --user app \\",
            "      --password-file pw",
            "  cat events.jsonl | overdrive load - shop.events --format json",
            "  overdrive load s3://backups/shop/2026-11-26/ shop_restored --create   # all tables of an unload of a keyspace",
            "  overdrive load users.csv --query \"UPDATE shop.users SET name = :name WHERE id = :id\"",
        })
final class LoadCommand implements Callable<Integer>, SettingOptions.Command {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "INPUT… TABLE",
            hideParamSyntax = true,
            arity = "1..*",
            description =
                    "Files, pipes, directories, globs or URLs (s3, gs, abfss, https), or - for standard input; then keyspace.table, as in CQL."
                            + " Or the directory of an unload of a keyspace, and the keyspace for its tables, or a pattern such as"
                            + " \"keyspace.order*\". With --query, no table.")
    private List<String> arguments = new ArrayList<>();

    @Mixin
    private final TablesMixin tables = new TablesMixin();

    /** The target of the rows. */
    private static final class Target {
        @Option(
                names = "--query",
                paramLabel = "CQL",
                description = "Instead of a table: INSERT, UPDATE or DELETE with :name for the value of a field.")
        private @Nullable String query;

        @Option(
                names = "--create",
                description =
                        "Create the keyspace and the table if they are missing; needs --key. From an unload of a keyspace: its"
                                + " tables, types, functions, indexes and views.")
        private boolean create;

        @Option(
                names = "--key",
                paramLabel = "KEY",
                description = "Primary key of the table to create, as in CQL: \"(host, day), time\".")
        private @Nullable String key;

        @Option(
                names = "--types",
                paramLabel = "TYPES",
                description = "Types of columns of the table to create, instead of those inferred from the sample:"
                        + " \"zip text, seen date\". Values that an inferred type does not keep in full are rejected.")
        private String types = "";
    }

    @Option(
            names = "--sql",
            paramLabel = "QUERY",
            description =
                    "Load the result of a query in the SQL of DuckDB in place of the records, which it reads as the table input:"
                            + " \"SELECT city, at, fare * 1.2 AS fare FROM input WHERE fare > 0\". Statements may come before it,"
                            + " separated by semicolons. With it, --types gives types of fields, too.")
    private @Nullable String sql;

    @Option(
            names = "--dry-run",
            description =
                    "Check all the input against the table, say what the load would take, and write nothing. With --create, if the table is missing:"
                            + " show the statements that would create it, and check only a sample of the input.")
    private boolean dryRun;

    @Option(
            names = "--json",
            description = "Write the summary as one JSON object to standard output. A dry run that shows statements has"
                    + " none.")
    private boolean json;

    @Mixin
    private final ReportMixin report = new ReportMixin();

    @Option(names = "--settings", description = "Show the settings for writing, and their origin, before the load.")
    private boolean settings;

    @Mixin
    private final JournalMixin journal = new JournalMixin();

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nTable:%n")
    private Target target = new Target();

    @ArgGroup(validate = false, exclusive = false, heading = "%nFields and rejects:%n")
    private FieldsMixin fields = new FieldsMixin();

    private final SstableMixin sstables = new SstableMixin("Loading by SSTables");

    @ArgGroup(validate = false, exclusive = false, heading = "%nReading:%n")
    private InputMixin input = new InputMixin();

    private final SettingOptions threads = new SettingOptions(null, List.of(JobSetting.LOAD_THREADS));
    private final SettingOptions reading = new SettingOptions("", ReadingSetting.ALL);
    private final SettingOptions write = new SettingOptions("Writing", WriteSetting.ALL);

    @ArgGroup(validate = false, exclusive = false, order = 1, heading = "%nWatching:%n")
    private WatchMixin watchOptions = new WatchMixin();

    private final ConnectMixin connect = new ConnectMixin();

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(threads, reading, write, sstables.group(), sstables.jmx(), sstables.sidecar(), connect.group());
    }

    @Override
    public Integer call() {
        report.begin(spec);
        TableSelection selection = selection();
        return selection != null ? load(selection) : load();
    }

    /** Loads into one table, or by a statement. */
    private int load() {
        PrintWriter err = spec.commandLine().getErr();
        List<String> inputs = new ArrayList<>(arguments);
        checkUsage();
        CqlIdentifier[] table = target.query == null ? table(inputs) : null;
        List<LeftOut> leftOut = new ArrayList<>();
        List<InputFile> files = InputFiles.expand(inputs, leftOut::add);
        leftOut.forEach(each -> err.println("overdrive: " + each));
        int filesLeftOut =
                leftOut.stream().mapToInt(each -> each.files().size()).sum();
        Map<String, String> types = TableDefinition.parseTypes(target.types);
        LoadOptions read = options(files, types);
        sayWhatIsOlder(files.stream().map(InputFile::writtenAfter).distinct(), read.keepTimes(), err);
        input.check(spec.commandLine().getParseResult(), read.format(), files);
        SqlEngine engine = sql == null ? null : SqlEngines.find(); // before anything else happens
        Key key = target.create ? key(read) : null;
        WriteOptions.Builder builder = into(table);
        write.apply(builder.bulk()::set);
        Map<String, String> checked = builder.build().settings(); // reports a wrong value before anything else happens
        if (settings) {
            checked.forEach((name, value) -> err.println(name + " = " + value));
        }
        RunRequest request = journal.request(
                spec,
                sql == null && !dryRun && !sstables.isGiven() && files.stream().allMatch(InputFile::isRereadable));
        FirstRows first = sql == null ? null : new FirstRows();
        try (Watch watch = watchOptions.open(spec, table);
                Flow flow = flowOptions.open(err);
                Overdrive overdrive =
                        table == null ? flow.connect(connect.options(err)) : flow.connect(connect.options(err), table);
                QueriedFiles queried = queried(engine, overdrive, builder.build(), read, types, first)) {
            LoadOptions options = queried == null ? read : queried.options();
            JobRun run = new JobRun(spec, flow, watch, json);
            TableCreator creator = new TableCreator(overdrive, line -> err.println(line.in(OptionNames.words(spec))));
            SstableOptions by = sstables.isGiven() ? sstables.options(overdrive) : null;
            if (by != null && table != null) {
                SstableTarget.checkBefore(creator, overdrive, builder.build(), by);
            }
            int code = Main.FAILED;
            try {
                if (key != null
                        && table != null
                        && !run.await(first, () -> creator.createForLoad(options, table[0], table[1], key, types))) {
                    err.println("overdrive: dry run: nothing was created or loaded, and only a sample of the input was"
                            + " checked, because " + table[0].asCql(true) + "." + table[1].asCql(true)
                            + " does not exist; to check all the input, create it by the statements above and repeat"
                            + " the dry run");
                    watch.done();
                    return Main.DONE;
                }
                try (Loader loader = run.await(first, () -> open(overdrive, builder, options, request, by))) {
                    code = run(run, loader, filesLeftOut, err);
                }
            } finally {
                Run.reportCreated(code, creator.created(), err);
            }
            return code;
        }
    }

    private WriteOptions.Builder into(CqlIdentifier @Nullable [] table) {
        return table != null
                ? WriteOptions.into(table[0].asInternal(), table[1].asInternal())
                : WriteOptions.statement(String.valueOf(target.query));
    }

    private static Loader open(
            Overdrive overdrive,
            WriteOptions.Builder write,
            LoadOptions options,
            @Nullable RunRequest request,
            @Nullable SstableOptions by) {
        return by == null
                ? Loader.open(overdrive, write, options, request)
                : SstableTarget.load(overdrive, write, options, by);
    }

    /** Waits for a node, and begins to execute the query; null without one. */
    private @Nullable QueriedFiles queried(
            @Nullable SqlEngine engine,
            Overdrive overdrive,
            WriteOptions write,
            LoadOptions files,
            Map<String, String> types,
            @Nullable FirstRows first) {
        overdrive.awaitNode(write.patience());
        if (engine == null || sql == null || first == null) {
            return null;
        }
        return QueriedFiles.open(
                engine, sql, write.spillDirectory(), first, files, types, typesOfTable(overdrive, write));
    }

    /** The types of the columns of the table, by name; none without a table, or if it does not exist. */
    private static Map<String, String> typesOfTable(Overdrive overdrive, WriteOptions write) {
        Map<String, String> types = new HashMap<>();
        if (write.keyspace() != null && write.table() != null) {
            overdrive
                    .session()
                    .getMetadata()
                    .getKeyspace(CqlIdentifier.fromInternal(write.keyspace()))
                    .flatMap(keyspace -> keyspace.getTable(CqlIdentifier.fromInternal(write.table())))
                    .ifPresent(table -> table.getColumns()
                            .forEach((name, column) -> types.put(
                                    name.asInternal(), column.getType().asCql(true, true))));
        }
        return types;
    }

    private Key key(LoadOptions options) {
        if (target.key != null) {
            return Key.parse(target.key);
        }
        List<String> columns = sql == null ? TableCreator.columnsToChoose(options) : List.of();
        throw new IllegalArgumentException(
                "--create needs --key, the columns that together identify a row: --key id, or"
                        + " --key \"(host, day), time\" for rows that are grouped by host and day and sorted by time"
                        + (columns.isEmpty() ? "" : "; the columns to choose from are " + String.join(", ", columns)));
    }

    private CqlIdentifier[] table(List<String> inputs) {
        if (inputs.size() < 2) {
            throw new IllegalArgumentException("give the input and the table: overdrive load INPUT… KEYSPACE.TABLE");
        }
        return TableName.parse(inputs.remove(inputs.size() - 1));
    }

    private void checkUsage() {
        sstables.check(spec.commandLine().getParseResult(), write, FlowMixin.options());
        if (target.create && target.query != null) {
            throw new IllegalArgumentException("--create needs a table; with --query there is none");
        }
        if (target.query != null && arguments.size() > 1) {
            String last = arguments.get(arguments.size() - 1);
            if (last.matches("[\\w\"]+\\.[\\w\"]+") && !Files.exists(Path.of(last))) {
                throw new IllegalArgumentException("with --query there is no table: leave out " + last);
            }
        }
        String resume = journal.mustResume();
        if (sql != null && resume != null) {
            throw new IllegalArgumentException(
                    resume + " does not go with --sql: the rows of a query have no positions at which a run could"
                            + " continue. Run the whole load again");
        }
        if (sql != null && fields.keepsTimes()) {
            throw new IllegalArgumentException("--keep-times does not go with --sql, whose rows have no times");
        }
        if (sql != null && !target.create && target.key == null) {
            return; // types of fields
        }
        if (!target.create && (target.key != null || !target.types.isEmpty())) {
            throw new IllegalArgumentException("--key and --types say how to create the table: they need --create");
        }
    }

    private LoadOptions options(List<InputFile> files, Map<String, String> types) {
        LoadOptions.Builder builder = options(files);
        if (target.create) {
            builder.rejectLosses(types.keySet());
        }
        return builder.build();
    }

    private LoadOptions.Builder options(List<InputFile> files) {
        return fields.apply(LoadOptions.of(files))
                .words(OptionNames.words(spec))
                .format(input.format(reading))
                .values(input.values())
                .rejects(fields.rejects(), input.rejectName(files.get(0)))
                .dryRun(dryRun)
                .threads(threads.getInt(JobSetting.LOAD_THREADS));
    }

    private int run(JobRun run, Loader loader, int filesLeftOut, PrintWriter err) {
        return run.run(loader, (summary, plan) -> {
            Report report = LoadPrinter.of(summary, filesLeftOut, dryRun);
            run.print(
                    dryRun && summary.outcome() == Outcome.DONE
                            ? run.estimated(report, loader.plan(), summary.elapsed())
                            : report,
                    plan,
                    spec.commandLine().getOut());
            this.report.sayLeftOut(FieldsMixin.expired(loader.expiredCells(), loader.rowsLeftOut()), err);
            FieldsMixin.warnOfMissing(loader.fieldsNotFound(), "got no values", err);
            FieldsMixin.warnOfNoInput(summary, summary.rowsRead(), summary.bytesRead(), err);
            return Run.end(summary, spec);
        });
    }

    /** The tables that are to be loaded; null if it is one. */
    private @Nullable TableSelection selection() {
        ParseResult given = spec.commandLine().getParseResult();
        return arguments.size() < 2
                ? tables.selection(null, given)
                : tables.selection(target.query == null ? arguments.get(arguments.size() - 1) : null, given);
    }

    /** Loads several tables, from an unload of a keyspace. */
    private int load(TableSelection selection) {
        ParseResult given = spec.commandLine().getParseResult();
        KeyspaceInput keyspace = TablesMixin.input(arguments);
        TablesMixin.refuse(given, "--map", "--set", "--sql", "--key", "--types", "--fields", "--no-header");
        sstables.check(given, write, FlowMixin.options());
        CqlIdentifier into = selection.keyspace();
        WriteOptions written = writer(into, into).build(); // reports a wrong value before anything else happens
        Map<CqlIdentifier, TableFiles> files = LoadTables.select(keyspace, selection);
        TablesMixin.checkTimes(fields.keepsTimes(), files.values());
        if (!written.allowNonIdempotent()) {
            LoadTables.refuseRepetition(files, "--allow-non-idempotent");
        }
        if (sstables.isGiven()) {
            LoadTables.refuseCounters(files);
        }
        files.values().forEach(each -> input.check(given, options(each).format(), each.files()));
        PrintWriter err = spec.commandLine().getErr();
        if (settings) {
            written.settings().forEach((name, value) -> err.println(name + " = " + value));
        }
        sayWhatIsOlder(Stream.of(keyspace.manifest().writtenAfter()), /* keepTimes */ true, err);
        if (dryRun) {
            journal.refuseResume("--dry-run");
        }
        RunRequest request = dryRun ? null : journal.request(spec, /* canHaveJournal */ !sstables.isGiven());
        try (Watch watch = watchOptions.open(spec, TablesMixin.all(into));
                Flow flow = flowOptions.open(err);
                Overdrive overdrive = flow.connect(connect.options(err), TablesMixin.all(into))) {
            overdrive.awaitNode(written.patience());
            TablesMixin.checkExists(overdrive, into, target.create);
            if (!sstables.isGiven()) {
                Run.sayLimits(overdrive, LoadTables.rows(written, into, files), dryRun, err);
            }
            KeyspaceCreator schema = target.create ? creator(overdrive, keyspace, into) : null;
            LoadTables.Expired expired = new LoadTables.Expired();
            TablesRun<LoadSummary> run = new TablesRun<>(
                    new JobRun(spec, flow, watch, json),
                    spec.commandLine().getOut(),
                    selection,
                    LoadTables.loaded(dryRun),
                    expired.end(one -> one.rowsRejected() > 0 ? Main.DONE_WITH_REJECTS : Main.DONE),
                    "stops reading, and writes what it has read");
            LoadTables load = new LoadTables(this, overdrive, into, files, schema, expired);
            int atOnce = sstables.isGiven() ? 0 : TablesRun.atOnce(written.rowsPerSecond(), written.bytesPerSecond());
            return dryRun
                    ? load.dryRun(run, selection.isWhole(), atOnce)
                    : load.run(run, selection.isWhole(), request, atOnce);
        }
    }

    /** @param writtenAfter as the manifests of unloads have it */
    private static void sayWhatIsOlder(Stream<String> writtenAfter, boolean keepTimes, PrintWriter err) {
        String wayOut = keepTimes
                ? ": load the unloads before it, too, in any order"
                : ": load the unloads before it first, as values get the time of their load without --keep-times";
        writtenAfter
                .filter(each -> !each.isEmpty())
                .forEach(each ->
                        err.println("overdrive: these files have only what was written after " + each + wayOut));
    }

    private KeyspaceCreator creator(Overdrive overdrive, KeyspaceInput input, CqlIdentifier into) {
        PrintWriter err = spec.commandLine().getErr();
        KeyspaceSchema schema = KeyspaceSchema.parse(
                input.schema(), CqlIdentifier.fromCql(input.manifest().source().keyspace()), KeyspaceManifest.SCHEMA);
        return new KeyspaceCreator(
                schema, overdrive, into, line -> err.println(line.in(OptionNames.words(spec))), dryRun);
    }

    /** The options for writing a table. */
    WriteOptions.Builder writer(CqlIdentifier keyspace, CqlIdentifier table) {
        WriteOptions.Builder writer = WriteOptions.into(keyspace.asInternal(), table.asInternal());
        write.apply(writer.bulk()::set);
        return writer;
    }

    private LoadOptions options(TableFiles table) {
        return options(table.files()).keepTimes(table.table().hasTimes()).build();
    }

    /** The load of one of several tables. */
    Loader open(Overdrive overdrive, TablesJob.Table table, TableFiles files, @Nullable RunRequest request) {
        WriteOptions.Builder writer = writer(table.keyspace(), table.name());
        if (sstables.isGiven()) {
            SstableOptions by = sstables.options(overdrive, files.table().directory());
            return SstableTarget.load(overdrive, writer, options(files), by);
        }
        if (table.isSmall()) {
            writer.groupingMemory(
                    Math.min(TablesRun.MEMORY_OF_SMALL, writer.build().groupingMemory()));
        }
        return Loader.open(overdrive, writer, options(files), request);
    }
}
