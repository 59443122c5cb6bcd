package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.ScanOptions;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.FromSstablesMixin;
import io.overdrive.cli.options.JournalMixin;
import io.overdrive.cli.options.KeysMixin;
import io.overdrive.cli.options.OutputMixin;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.options.TablesMixin;
import io.overdrive.cli.options.WrittenAfterMixin;
import io.overdrive.cli.report.CatchUpPrinter;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.report.UnloadPrinter;
import io.overdrive.cli.watch.Watch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.formats.records.OutputFormat;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.estimate.Road;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.sql.FirstRows;
import io.overdrive.jobs.sql.SqlEngine;
import io.overdrive.jobs.sql.SqlEngines;
import io.overdrive.jobs.tables.KeyspaceSstables;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.jobs.unload.FileLimit;
import io.overdrive.jobs.unload.QueryUnload;
import io.overdrive.jobs.unload.UnloadCheck;
import io.overdrive.jobs.unload.UnloadOptions;
import io.overdrive.jobs.unload.UnloadSummary;
import io.overdrive.jobs.unload.Unloader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** {@code overdrive unload}: a table into files. */
@Command(
        name = "unload",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive unload [OPTIONS] TABLE OUTPUT",
        description =
                "Writes the rows of a table, of a query, or of all tables of a keyspace into CSV, JSON, Arrow or Parquet"
                        + " files.",
        footer = {
            "",
            "Examples:",
            "  overdrive unload demo.flights out/ --format csv --compress zstd",
            "  overdrive unload demo.flights out/ --format parquet --file-rows 1M",
            "  overdrive unload demo.flights - --columns origin,dest,dep_delay --where \"origin = 'JFK'\" | head",
            "  overdrive unload demo.flights flights.jsonl.gz --host 10.0.0.1",
            "  overdrive unload demo.flights out.csv --set \"dest = upper(dest)\" --map \"from = origin, * = *\"",
            "  overdrive unload demo.flights - --format arrow | python3 -c 'import sys, polars; print(polars.read_ipc_stream(sys.stdin.buffer))'",
            "  overdrive unload demo.flights out/ --from-sstables /var/lib/cassandra/data/demo/flights-1a2b/snapshots/monday",
            "  overdrive unload demo.flights out.csv --keys ids.csv",
            "  overdrive unload shop.orders backup/ --format parquet --keep-times",
            "  overdrive unload shop s3://backups/shop/2026-11-26/ --format parquet --keep-times   # a keyspace, with its schema",
            "  overdrive unload --query \"SELECT origin, dest, writetime(dep_delay) FROM demo.flights\" out/",
        })
final class UnloadCommand implements Callable<Integer>, SettingOptions.Command {
    private static final String DRY_RUN = "--dry-run";

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "TABLE OUTPUT",
            hideParamSyntax = true,
            arity = "1..2",
            description =
                    "keyspace.table, as in CQL (not with --query), or keyspace for all of its tables, or a pattern such as"
                            + " \"keyspace.order*\"; then a directory, which gets a file for each split that has"
                            + " rows, or several (--file-rows), and with a keyspace a directory for each table and schema.cql; a file (.csv, .tsv, .tab, .txt, .json, .jsonl or .ndjson, followed by .gz, .zst and the like to"
                            + " compress it; .arrow, or .arrows for a stream; .parquet), or - for standard output. Directories and files may be in an object store (s3://bucket/key, gs, abfss).")
    private List<String> arguments = new ArrayList<>();

    @Mixin
    private final TablesMixin tables = new TablesMixin();

    @Option(names = "--query", paramLabel = "CQL", description = "Instead of a table: a SELECT without markers.")
    private @Nullable String query;

    @Option(
            names = "--columns",
            paramLabel = "NAMES",
            description = "Columns to read, in this order: a,b,\"C\". Default: all columns.")
    private @Nullable String columns;

    @Option(
            names = "--map",
            paramLabel = "MAPPING",
            description =
                    "Names of the fields in the output, as for a load of them: \"town = city, * = *, * = -note\" writes"
                            + " column city as field town, and leaves out note. Default: \"* = *\", by name.")
    private String map = "* = *";

    @Option(
            names = "--set",
            paramLabel = "ASSIGNMENT",
            description =
                    "Field that is computed from the columns that are read: \"dest = upper(trim(dest))\"; once for"
                            + " each field. Default: none.")
    private List<String> assignments = new ArrayList<>();

    @Option(
            names = "--sql",
            paramLabel = "QUERY",
            description =
                    "Write the result of a query in the SQL of DuckDB in place of the rows, which it reads as the table rows:"
                            + " \"SELECT carrier, count(*) AS n FROM rows GROUP BY carrier\". Statements may come before it,"
                            + " separated by semicolons.")
    private @Nullable String sql;

    @Option(
            names = "--keep-times",
            description = "Write the times of each cell, too: writetime(field) in microseconds since 1970, and"
                    + " expires(field), when the cell expires, in seconds since 1970. overdrive load --keep-times restores"
                    + " them. A non-frozen collection or UDT whose elements have different write times has none: its"
                    + " record is not restored, and the exit code is 3. The time at which a row was inserted can be read"
                    + " with --from-sstables only. Default: values only.")
    private boolean keepTimes;

    @Mixin
    private final WrittenAfterMixin newer = new WrittenAfterMixin();

    @Mixin
    private final FromSstablesMixin files = new FromSstablesMixin();

    @Mixin
    private final KeysMixin keys = new KeysMixin();

    @Option(
            names = DRY_RUN,
            description = "Check everything, show the plan and what the unload would take, and read and write nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Write the summary as one JSON object.")
    private boolean json;

    @Mixin
    private final ReportMixin report = new ReportMixin();

    @Option(names = "--settings", description = "Show the settings for reading, and their origin, before the run.")
    private boolean settings;

    private final SettingOptions threads =
            new SettingOptions(null, List.of(JobSetting.UNLOAD_THREADS, JobSetting.CLOCK_SKEW));

    @Mixin
    private final JournalMixin journal = new JournalMixin();

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nFiles:%n")
    private OutputMixin output = new OutputMixin();

    private final SettingOptions limit = new SettingOptions("", List.of(JobSetting.FILE_ROWS, JobSetting.FILE_BYTES));
    private final ScanMixin scan = ScanMixin.withTokens("Reading");

    @ArgGroup(validate = false, exclusive = false, order = 1, heading = "%nWatching:%n")
    private WatchMixin watchOptions = new WatchMixin();

    private final ConnectMixin connect = new ConnectMixin();

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(threads, limit, scan.options(), connect.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = report.begin(spec);
        if (arguments.size() != (query == null ? 2 : 1)) {
            throw new IllegalArgumentException(
                    query == null
                            ? "give the table and the output: overdrive unload KEYSPACE.TABLE OUTPUT"
                            : "give the output, and no table besides --query: overdrive unload --query CQL OUTPUT");
        }
        String target = arguments.get(arguments.size() - 1);
        TableSelection selection = selection();
        if (selection != null) {
            return unload(selection, target);
        }
        String resume = journal.resumeOption();
        if (target.equals("-") && resume != null) {
            throw new IllegalArgumentException(
                    resume + " does not go with standard output, which cannot be truncated to the last checkpoint:"
                            + " unload into a directory or a file");
        }
        files.check(spec.commandLine().getParseResult(), scan, FlowMixin.options());
        keys.check(spec, err);
        UnloadOptions all = options(target);
        newer.check(spec, threads, all, files.isGiven());
        output.check(spec.commandLine().getParseResult(), all.format());
        SqlEngine engine = engine(); // before anything else happens
        ScanOptions.Builder read = read();
        scan.apply(read);
        if (columns != null) {
            read.columns(ScanMixin.columns("--columns", columns));
        }
        show(read.build(), err);
        RunRequest request =
                dryRun ? null : journal.request(spec, sql == null && !target.equals("-") && !files.isGiven());
        CqlIdentifier[] table = query == null ? TableName.parse(arguments.get(0)) : null;
        // a summary among the rows would look like one of them
        PrintWriter out = target.equals("-") ? err : spec.commandLine().getOut();
        try (Watch watch = watchOptions.open(spec, table);
                Flow flow = flowOptions.open(err);
                Overdrive overdrive =
                        table == null ? flow.connect(connect.options(err)) : flow.connect(connect.options(err), table);
                FromSstablesMixin from = files.open(overdrive, read, err);
                KeysMixin ofKeys = keys.open(overdrive, read, err)) {
            JobRun run = new JobRun(spec, flow, watch, json);
            newer.decide(spec, threads, keepTimes, request, overdrive, targets(overdrive, read), Map.of());
            UnloadOptions options = all.writtenAfter(newer.after());
            if (dryRun) {
                UnloadCheck check = UnloadCheck.of(overdrive, read.build(), options);
                return run.dryRun(check.plan(), check.warnings(), Road.READ, out, "no row was read or written");
            }
            try (Unloader unloader = engine == null || sql == null
                    ? Unloader.open(overdrive, read.build(), options, newer.keeping(request))
                    : queried(run, overdrive, read.build(), options, engine, sql)) {
                return run(run, unloader, out, err);
            }
        }
    }

    /** Reports a wrong value before anything else happens, and shows the settings if they are wanted. */
    private void show(ScanOptions read, PrintWriter err) {
        Map<String, String> checked = read.settings();
        if (settings) {
            checked.forEach((name, value) -> err.println(name + " = " + value));
        }
        if (dryRun) {
            journal.refuseResume(DRY_RUN);
        }
    }

    /** The table, as its journal has it. */
    private Supplier<List<RunTarget>> targets(Overdrive overdrive, ScanOptions.Builder read) {
        return () -> {
            CqlIdentifier[] table = TableName.parse(arguments.get(0));
            return List.of(RunTarget.of(overdrive, overdrive.table(table[0].asInternal(), table[1].asInternal()))
                    .rowsOf(read.build().source()));
        };
    }

    private static Unloader queried(
            JobRun run, Overdrive overdrive, ScanOptions read, UnloadOptions options, SqlEngine engine, String sql) {
        FirstRows first = new FirstRows();
        return run.await(first, () -> QueryUnload.open(overdrive, read, options, engine, sql, temporary(), first));
    }

    /** The tables that are to be unloaded; null if it is one, or a query. */
    private @Nullable TableSelection selection() {
        return tables.selection(
                query == null ? arguments.get(0) : null, spec.commandLine().getParseResult());
    }

    /** The engine for the query; null without one. */
    private @Nullable SqlEngine engine() {
        if (sql == null) {
            return null;
        }
        String resume = journal.mustResume();
        if (resume != null) {
            throw new IllegalArgumentException(
                    resume + " does not go with --sql: the rows of a query have no positions at which a run could"
                            + " continue. Run the whole unload again");
        }
        if (keepTimes) {
            throw new IllegalArgumentException("--keep-times does not go with --sql, whose rows have no times");
        }
        if (dryRun) {
            throw new IllegalArgumentException(
                    "--dry-run does not go with --sql: the columns of a query are known when it runs");
        }
        return SqlEngines.find();
    }

    private static Path temporary() {
        return Path.of(System.getProperty("java.io.tmpdir"));
    }

    private ScanOptions.Builder read() {
        if (query != null) {
            return ScanOptions.query(query);
        }
        CqlIdentifier[] table = TableName.parse(arguments.get(0));
        return ScanOptions.from(table[0].asInternal(), table[1].asInternal());
    }

    private UnloadOptions options(String target) {
        boolean stdout = target.equals("-");
        PrintStream stream = stdout ? System.out : null;
        Path path = Location.writable(target);
        boolean directory = target.endsWith("/") || Files.isDirectory(path);
        boolean file = !stdout && !directory && OutputFormat.kindOf(target) != null;
        String whyNot = stdout || directory || file ? null : OutputFormat.whyNoDirectory(target);
        if (whyNot != null) {
            throw new IllegalArgumentException("the output is " + target + ", but " + whyNot
                    + ". Name a file such as rows.csv.gz, rows.jsonl, rows.arrow or rows.parquet, or a directory as "
                    + target + "/");
        }
        OutputFormat format = output.format(target);
        return new UnloadOptions(
                stdout || file ? null : path,
                file ? path : null,
                stream,
                format,
                output.values(format),
                output.compression(target),
                threads.getInt(JobSetting.UNLOAD_THREADS),
                Mapping.parse(map),
                Assignments.parse(assignments),
                keepTimes,
                /* listsFiles */ false,
                /* after */ null,
                limit());
    }

    private FileLimit limit() {
        return new FileLimit(limit.get(JobSetting.FILE_ROWS), limit.get(JobSetting.FILE_BYTES));
    }

    /** Unloads several tables of a keyspace. */
    private int unload(TableSelection selection, String target) {
        ParseResult given = spec.commandLine().getParseResult();
        TablesMixin.refuse(
                given,
                "--columns",
                "--map",
                "--set",
                "--where",
                "--keys",
                "--sql",
                "--token-range",
                "--sample",
                "--partition-by");
        if (given.hasMatchedOption("--no-header")) {
            throw new IllegalArgumentException(
                    "--no-header leaves out the names of fields, by which several tables are loaded again");
        }
        Path directory = Location.writable(target);
        if (target.equals("-") || (!target.endsWith("/") && OutputFormat.kindOf(target) != null)) {
            throw new IllegalArgumentException("the output is " + target + ", but " + selection.text()
                    + " is several tables: name a directory as the output, such as "
                    + selection.keyspace().asInternal()
                    + "/");
        }
        files.check(given, scan, FlowMixin.options());
        CqlIdentifier keyspace = selection.keyspace();
        ScanOptions read =
                read(new TablesJob.Table(keyspace, keyspace, Long.MAX_VALUE)).build();
        UnloadOptions all = options(directory, keepTimes);
        newer.check(spec, threads, all, files.isGiven());
        output.check(given, all.format());
        PrintWriter err = spec.commandLine().getErr();
        show(read, err);
        RunRequest request = dryRun ? null : journal.request(spec, /* canHaveJournal */ !files.isGiven());
        KeyspaceSstables sources = files.tables(keyspace, err);
        try (Watch watch = watchOptions.open(spec, TablesMixin.all(keyspace));
                Flow flow = flowOptions.open(err);
                Overdrive overdrive = flow.connect(connect.options(err), TablesMixin.all(keyspace))) {
            TablesRun<UnloadSummary> run = new TablesRun<>(
                    new JobRun(spec, flow, watch, json),
                    spec.commandLine().getOut(),
                    selection,
                    UnloadTables.unloaded(summary -> next(request != null, summary)),
                    TablesRun.End.of(files, one -> one.notKept().isNothing() ? Main.DONE : Main.DONE_WITH_REJECTS),
                    request == null
                            ? "stops, and deletes files that are not complete"
                            : "stops, and keeps what it has written for a resumed run");
            UnloadTables unload = new UnloadTables(this, overdrive, selection, directory, keepTimes, sources);
            int code = dryRun
                    ? unload.dryRun(run)
                    : unload.run(run, request, TablesRun.atOnce(read.rowsPerSecond(), read.bytesPerSecond()));
            files.sayWhatIsLeftOut(err);
            return code;
        }
    }

    /** The options for reading one of several tables. */
    ScanOptions.Builder read(TablesJob.Table table) {
        ScanOptions.Builder read =
                ScanOptions.from(table.keyspace().asInternal(), table.name().asInternal());
        scan.apply(read);
        if (table.isSmall()) {
            read.pageMemory(TablesRun.MEMORY_OF_SMALL);
        }
        return read;
    }

    FromSstablesMixin files() {
        return files;
    }

    /** The options for the files of one of several tables. */
    UnloadOptions options(Path directory, boolean hasTimes) {
        String name = directory + "/";
        OutputFormat format = output.format(name);
        return new UnloadOptions(
                directory,
                /* file */ null,
                /* stream */ null,
                format,
                output.values(format),
                output.compression(name),
                threads.getInt(JobSetting.UNLOAD_THREADS),
                Mapping.BY_NAME,
                Assignments.NONE,
                hasTimes,
                /* listsFiles */ true,
                /* after */ null,
                limit());
    }

    private int run(JobRun run, Unloader unloader, PrintWriter out, PrintWriter err) {
        return run.run(unloader, (summary, plan) -> {
            Report report = new UnloadPrinter(summary, unloader.pageMemory(), unloader.runId())
                    .then(next(unloader.runId() != null, summary));
            run.print(report, plan, out, members -> {
                files.members(members);
                keys.members(members);
            });
            int done = summary.notKept().isNothing() ? Main.DONE : Main.DONE_WITH_REJECTS;
            boolean isResumed = summary.splitsBefore() > 0 || summary.rowsBefore() > 0;
            this.report.leftOut(files.leftOut());
            this.report.leftOut(keys.leftOut(isResumed));
            int code = keys.end(files.end(Run.end(summary, done, spec), err), isResumed, err);
            UnloadPrinter.sayWhatIsNotKept(summary.notKept(), err);
            return code;
        });
    }

    /** Prints where the next unload begins, if it can follow this one. */
    private Report next(boolean isFound, Summary summary) {
        return CatchUpPrinter.ofUnload(
                files.isGiven() ? null : newer.decided(), newer.skew(spec, threads), isFound, summary);
    }

    WrittenAfterMixin newer() {
        return newer;
    }

    /** Decides which cells of several tables are taken. */
    void decide(
            @Nullable RunRequest request,
            Overdrive overdrive,
            List<RunTarget> targets,
            Map<CqlIdentifier, String> ids) {
        newer.decide(spec, threads, keepTimes, request, overdrive, () -> targets, ids);
    }
}
