package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.cli.options.ConnectMixin;
import io.overdrive.cli.options.Flow;
import io.overdrive.cli.options.FlowMixin;
import io.overdrive.cli.options.FromSstablesMixin;
import io.overdrive.cli.options.JournalMixin;
import io.overdrive.cli.options.KeysMixin;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.options.ScanMixin;
import io.overdrive.cli.options.SettingOptions;
import io.overdrive.cli.options.SstableMixin;
import io.overdrive.cli.options.TableName;
import io.overdrive.cli.options.TablesMixin;
import io.overdrive.cli.options.ToMixin;
import io.overdrive.cli.options.WrittenAfterOption;
import io.overdrive.cli.report.CatchUpPrinter;
import io.overdrive.cli.report.CopyPrinter;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.ReportMixin;
import io.overdrive.cli.watch.Watch;
import io.overdrive.cli.watch.WatchMixin;
import io.overdrive.internal.estimate.Road;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.JobSetting;
import io.overdrive.jobs.Mapping;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.Summary;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.copy.CatchUp;
import io.overdrive.jobs.copy.Copier;
import io.overdrive.jobs.copy.CopyBuilder;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.create.GuardrailCheck;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.jobs.expression.Assignments;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.sstables.SstableCopy;
import io.overdrive.jobs.tables.KeyspaceSstables;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TablesJob;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code overdrive copy}: a table into another one. */
@Command(
        name = "copy",
        sortOptions = false,
        modelTransformer = SettingOptions.Model.class,
        customSynopsis = "overdrive copy [OPTIONS] SOURCE [TARGET]",
        description =
                "Copies the rows of a table into another table, or the tables of a keyspace into another keyspace.",
        footer = {
            "",
            "Examples:",
            "  overdrive copy demo.flights other.flights",
            "  overdrive copy shop.orders shop.orders --host 10.0.0.1 --to-host 10.1.0.1 --to-dc dc2 --keep-times",
            "  overdrive copy shop.orders archive.orders --to-host 10.1.0.1 --create",
            "  overdrive copy shop.orders archive.orders --sstables",
            "  overdrive copy shop.orders shop.orders --from-sstables snapshot/ --keep-times   # restores a snapshot",
            "  overdrive copy shop.orders test.orders --where \"day > '2026-01-01'\" --map \"id = order_id, * ="
                    + " -note\"",
            "  overdrive copy shop --to-host 10.1.0.1 --create --keep-times   # all tables of a keyspace",
            "  overdrive copy \"shop.order*\" shop_test --create",
            "  overdrive copy shop --from-sstables '/backup/*/shop/*/snapshots/monday' --to-host 10.1.0.1 --create --keep-times",
            "  overdrive copy shop --to-host 10.1.0.1 --schema-only --dry-run > schema.cql",
            "  overdrive copy shop --to-host 10.1.0.1 --keep-times --written-after last   # what came since the last copy",
        })
final class CopyCommand implements Callable<Integer>, SettingOptions.Command {
    private static final String DRY_RUN = "--dry-run";
    private static final String SCHEMA_ONLY = "--schema-only";

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "SOURCE",
            index = "0",
            description = "keyspace.table to read, as in CQL; or keyspace for all of its tables, or a pattern such as"
                    + " \"keyspace.order*\".")
    private String source = "";

    @Parameters(
            paramLabel = "TARGET",
            index = "1",
            arity = "0..1",
            description = "keyspace.table to write; of several tables their keyspace. Default: the name of SOURCE, in"
                    + " the cluster of --to-host.")
    private String target = "";

    @Mixin
    private final TablesMixin tables = new TablesMixin();

    /** Columns and their mapping, write times, and rejected rows. */
    private static final class Rows {
        @Option(
                names = "--columns",
                paramLabel = "NAMES",
                description = "Columns to copy besides the primary key: a,b,\"C\". Default: all columns.")
        private @Nullable String columns;

        @Option(
                names = "--map",
                paramLabel = "MAPPING",
                description = "Mapping of source columns to target columns: \"id = user_id, 'web' = source, * = *, * ="
                        + " -note\". 'text' is a constant; ttl() and writetime() set the TTL and write time of the"
                        + " row. Values of different types are converted as in an unload and a load. Default: \"* ="
                        + " *\", by name.")
        private String map = "* = *";

        @Option(
                names = "--set",
                paramLabel = "ASSIGNMENT",
                description =
                        "Target column that is computed from the source columns: \"dest = upper(trim(dest))\"; once"
                                + " for each column. Default: none.")
        private List<String> assignments = new ArrayList<>();

        @Option(
                names = "--keep-times",
                description = "Keep the write time of each cell, and its remaining time to live. A row is then written"
                        + " in several parts if its cells have different write times. Rows with a non-frozen collection or"
                        + " UDT whose elements have different write times are rejected. The time at which a row was"
                        + " inserted, unlike the times of its cells, can be read from SSTables only, and is kept with"
                        + " --from-sstables. Read over CQL, a row counts as inserted at the time of its latest cell, and"
                        + " one that consists of its key only at the time of the copy. Non-frozen lists need"
                        + " --allow-non-idempotent: a second copy would double their elements. Deletes are not copied."
                        + " Default: all cells get the time of the copy.")
        private boolean keepTimes;

        @Option(
                names = WrittenAfterOption.NAME,
                paramLabel = "TIME",
                description =
                        "With --keep-times: copy only the cells that were written after TIME, by their write times:"
                                + " 2026-01-31T18:00Z, microseconds since 1970, or last for the start of the last complete run of this copy, minus"
                                + " --clock-skew. All rows are read; rows of which nothing is newer are left out. A row that consists of its key only"
                                + " is always copied, as CQL does not return its time. Deletions are not copied. Default: all cells.")
        private @Nullable String writtenAfter;

        @Option(
                names = "--max-rejects",
                paramLabel = "N|N%",
                description = "Stop when more rows than this were rejected; none: no limit. Default: 100.")
        private String maxRejects = "100";

        @Option(
                names = "--rejects",
                paramLabel = "DIR",
                description =
                        "Directory for the keys of rejected rows and the reasons, in TARGET.rejected.jsonl. Default:"
                                + " the current directory.")
        private Path rejects = Path.of("");
    }

    @Option(
            names = "--create",
            description =
                    "Create TARGET if it is missing: like SOURCE, with the copied columns, the primary key,"
                            + " clustering order and options, but without indexes, views and triggers. Its keyspace and"
                            + " user-defined types are created, too. If it exists, it must match. Of a whole keyspace, also functions, and at the end indexes and views. Default: it must exist.")
    private boolean create;

    @Option(
            names = SCHEMA_ONLY,
            description =
                    "Of a keyspace: create what is missing in TARGET, as --create does, and copy no rows. With --dry-run, write the"
                            + " statements to standard output instead.")
    private boolean schemaOnly;

    @Option(
            names = DRY_RUN,
            description =
                    "Check everything, show the plan, what the copy would take, and with --create the statements that would"
                            + " create TARGET; create and copy nothing.")
    private boolean dryRun;

    @Option(names = "--json", description = "Write the summary as one JSON object to standard output.")
    private boolean json;

    @Mixin
    private final ReportMixin report = new ReportMixin();

    @Option(
            names = "--settings",
            description = "Show the settings for reading and writing, and their origin, before the copy.")
    private boolean settings;

    @Mixin
    private final FromSstablesMixin files = new FromSstablesMixin();

    @Mixin
    private final KeysMixin keys = new KeysMixin();

    @Mixin
    private final JournalMixin journal = new JournalMixin();

    @Mixin
    private final FlowMixin flowOptions = new FlowMixin();

    @ArgGroup(validate = false, exclusive = false, heading = "%nRows and rejects:%n")
    private Rows rows = new Rows();

    private final SstableMixin sstables = new SstableMixin("Writing by SSTables");
    private final SettingOptions threads =
            new SettingOptions(null, List.of(JobSetting.COPY_THREADS, JobSetting.CLOCK_SKEW));
    private final ScanMixin reading = ScanMixin.withTokens(
            "Reading",
            List.of(ScanSetting.CONSISTENCY, ScanSetting.SPLITS_IN_FLIGHT, ScanSetting.PAGE_BYTES),
            Map.of(ScanSetting.CONSISTENCY, "--read-consistency"));
    private final SettingOptions write = new SettingOptions("Writing", WriteSetting.ALL);

    @ArgGroup(validate = false, exclusive = false, order = 1, heading = "%nWatching:%n")
    private WatchMixin watchOptions = new WatchMixin();

    private final ConnectMixin connect = new ConnectMixin();

    private final ToMixin to = new ToMixin("Connection of the target");

    /** The place of a copy of several tables among such copies; null if times are not kept. */
    private @Nullable CatchUp ofTables;

    @Override
    public List<SettingOptions> settingOptions() {
        return List.of(
                threads,
                reading.options(),
                write,
                sstables.group(),
                sstables.jmx(),
                sstables.sidecar(),
                connect.group(),
                to.group());
    }

    @Override
    public Integer call() {
        PrintWriter err = report.begin(spec);
        checkUsage();
        target = to.nameOfSecond(source, target, "TARGET");
        TableSelection selection = tables.selection(source);
        if (selection != null) {
            return schemaOnly ? createSchema(selection) : copy(selection);
        }
        if (schemaOnly) {
            throw new IllegalArgumentException(SCHEMA_ONLY + " is about a keyspace, and " + source
                    + " is one table: name the keyspace, or a pattern of its tables");
        }
        CqlIdentifier[] into = TableName.parse(target);
        CopyOptions all = options(into);
        WrittenAfterOption after = writtenAfter();
        after.check(all);
        CqlIdentifier[] from = TableName.parse(source);
        ScanOptions.Builder scan = read(from);
        WriteOptions.Builder writer = writer(into);
        scan.patience(writer.build().patience());
        Map<String, String> read = scan.build().settings(); // reports a wrong value before anything else happens
        Map<String, String> written = writer.build().settings();
        if (settings) {
            CopyTables.show(read, written, err);
        }
        RunRequest request =
                dryRun ? null : journal.request(spec, /* canHaveJournal */ !sstables.isGiven() && !files.isGiven());
        try (Watch watch = watchOptions.open(spec, into);
                Flow flow = flowOptions.open(err);
                ToMixin.Pair clusters = to.connect(files.isGiven(), connect, from, into, flow, err);
                FromSstablesMixin snapshot = files.open(clusters.first(), scan, err);
                KeysMixin ofKeys = keys.open(clusters.first(), scan, err)) {
            sayLimits(clusters, writer.build(), from[0], List.of(from[1]));
            TableCreator creator = new TableCreator(clusters.second(), log());
            TableCreator ofMissing = create ? creator : null;
            CatchUp catchUp = rows.keepTimes
                    ? after.decide(spec, request, clusters.first(), CopyTables.targets(clusters, scan, from, into))
                    : null;
            CopyOptions options = all.writtenAfter(catchUp == null ? null : catchUp.after());
            CopyBuilder copy = Copier.of(clusters.first(), scan, clusters.second(), writer, options)
                    .create(ofMissing)
                    .journal(WrittenAfterOption.keeping(request, catchUp));
            SstableCopy bySstables = sstables.isGiven() ? bySstables(clusters, scan, writer, options, ofMissing) : null;
            JobRun run = new JobRun(spec, flow, watch, json);
            if (dryRun) {
                return dryRun(run, bySstables == null ? copy.check() : bySstables.check());
            }
            int code = Main.FAILED;
            try (Copier copier = bySstables == null ? copy.open() : bySstables.open()) {
                code = run(run, copier, catchUp, err);
            } finally {
                Run.reportCreated(code, creator.created(), err);
            }
            return code;
        }
    }

    private void sayLimits(ToMixin.Pair both, WriteOptions to, CqlIdentifier from, List<CqlIdentifier> tables) {
        if (!sstables.isGiven()) {
            GuardrailCheck.Rows of = files.rows(to, rows.keepTimes, both.first(), from, tables);
            Run.sayLimits(both.second(), of, dryRun, spec.commandLine().getErr());
        }
    }

    private WrittenAfterOption writtenAfter() {
        return WrittenAfterOption.of(spec, rows.writtenAfter, threads.find(JobSetting.CLOCK_SKEW));
    }

    private Report next(@Nullable CatchUp catchUp, boolean isFound, Summary summary, boolean isWhole) {
        return CatchUpPrinter.of(
                files.isGiven() ? null : catchUp, writtenAfter().skew(), isFound, summary, isWhole);
    }

    private void checkUsage() {
        sstables.check(
                spec.commandLine().getParseResult(), write, files.isGiven() ? FlowMixin.options() : new String[0]);
        files.check(spec.commandLine().getParseResult(), source, reading);
        keys.check(spec, spec.commandLine().getErr());
        if (dryRun) {
            journal.refuseResume(DRY_RUN);
        }
    }

    private CopyOptions options(CqlIdentifier[] into) {
        return new CopyOptions(
                Mapping.parse(rows.map),
                rows.keepTimes,
                RejectLimit.parse(rows.maxRejects),
                rows.rejects,
                into[0].asInternal() + "." + into[1].asInternal(),
                threads.getInt(JobSetting.COPY_THREADS),
                Assignments.parse(rows.assignments),
                /* after */ null);
    }

    /** The options for writing a table. */
    WriteOptions.Builder writer(CqlIdentifier[] into) {
        WriteOptions.Builder writer = WriteOptions.into(into[0].asInternal(), into[1].asInternal());
        write.apply(writer.bulk()::set);
        return writer;
    }

    /** The options for reading a table. */
    ScanOptions.Builder read(CqlIdentifier[] from) {
        ScanOptions.Builder scan = ScanOptions.from(from[0].asInternal(), from[1].asInternal());
        if (rows.columns != null) {
            scan.columns(ScanMixin.columns("--columns", rows.columns));
        }
        reading.apply(scan);
        return scan;
    }

    private int dryRun(JobRun run, CopyBuilder.Check check) {
        String found = create && !check.isMissing() ? target + " exists and matches " + source + "; " : "";
        return run.dryRun(
                check.plan(),
                check.warnings(),
                Road.READ,
                spec.commandLine().getOut(),
                found + "nothing was created or copied");
    }

    private int run(JobRun run, Copier copier, @Nullable CatchUp catchUp, PrintWriter err) {
        return run.run(copier, (summary, plan) -> {
            Report report = CopyPrinter.of(summary, copier.runId())
                    .then(next(catchUp, copier.runId() != null, summary, summary.splitsBefore() == 0));
            run.print(report, plan, spec.commandLine().getOut(), members -> {
                files.members(members);
                keys.members(members);
            });
            this.report.leftOut(files.leftOut());
            this.report.leftOut(keys.leftOut(summary.splitsBefore() > 0));
            return keys.end(files.end(Run.end(summary, spec), err), summary.splitsBefore() > 0, err);
        });
    }

    SstableCopy bySstables(
            ToMixin.Pair clusters,
            ScanOptions.Builder scan,
            WriteOptions.Builder writer,
            CopyOptions options,
            @Nullable TableCreator ofMissing) {
        return new SstableCopy(
                clusters.first(),
                scan,
                clusters.second(),
                writer,
                options,
                ofMissing,
                sstables.options(clusters.second()));
    }

    /** Copies several tables of a keyspace. */
    private int copy(TableSelection selection) {
        TablesMixin.refuse(spec.commandLine().getParseResult(), CopyTables.ABOUT_ONE);
        CqlIdentifier from = selection.keyspace();
        CqlIdentifier into = target.equals(source) ? from : TablesMixin.keyspace(target);
        WrittenAfterOption after = writtenAfter();
        after.check(options(new CqlIdentifier[] {into, into})); // reports a wrong value before anything else
        after.checkTables(files.isGiven());
        PrintWriter err = spec.commandLine().getErr();
        ScanOptions read = read(new CqlIdentifier[] {from, from}).build(); // reports a wrong value before anything else
        WriteOptions written = writer(new CqlIdentifier[] {into, into}).build();
        if (settings) {
            CopyTables.show(read.settings(), written.settings(), err);
        }
        int atOnce = sstables.isGiven() ? 0 : CopyTables.atOnce(read, written);
        RunRequest request = dryRun ? null : journal.request(spec, /* canHaveJournal */ !sstables.isGiven());
        KeyspaceSstables sources = files.tables(from, err);
        boolean hasSource = sources == null || connect.isGiven() && to.isGiven();
        try (Watch watch = watchOptions.open(spec, TablesMixin.all(into));
                Flow flow = flowOptions.open(err);
                ToMixin.Pair clusters = hasSource
                        ? to.connect(connect, TablesMixin.all(from), TablesMixin.all(into), flow, err)
                        : to.connectSecond(connect, TablesMixin.all(into), flow, err)) {
            CopyTables.Setup setup = new CopyTables.Setup(create, dryRun, !rows.keepTimes, hasSource);
            List<CqlIdentifier> names = CopyTables.select(clusters, selection, into, setup, sources);
            sayLimits(clusters, written, from, names);
            CatchUp catchUp = rows.keepTimes
                    ? after.decide(
                            spec,
                            request,
                            clusters.first(),
                            () -> CopyTables.targets(clusters, selection, into, sources != null))
                    : null;
            CopyTables copies = CopyTables.of(this, clusters, selection, names, into, setup, sources);
            ofTables = catchUp == null || request != null && request.isResume()
                    ? catchUp
                    : catchUp.ofTables(copies.ids(), after.isLast());
            TablesRun<CopySummary> run = new TablesRun<>(
                    new JobRun(spec, flow, watch, json),
                    spec.commandLine().getOut(),
                    selection,
                    CopyTables.copied(summary -> next(
                            ofTables, request != null, summary, summary.before().isEmpty())),
                    TablesRun.End.of(files, one -> one.rowsRejected() > 0 ? Main.DONE_WITH_REJECTS : Main.DONE),
                    "stops reading, and writes what it has read");
            RunRequest kept = sources == null ? WrittenAfterOption.keeping(request, ofTables) : request;
            return dryRun ? copies.dryRun(run) : copies.run(run, selection, kept, atOnce);
        }
    }

    /** Creates what is missing of a keyspace, or shows it, and copies no rows. */
    private int createSchema(TableSelection selection) {
        CopyTables.refuseRows(spec.commandLine().getParseResult(), SCHEMA_ONLY);
        CqlIdentifier from = selection.keyspace();
        CqlIdentifier into = target.equals(source) ? from : TablesMixin.keyspace(target);
        PrintWriter err = spec.commandLine().getErr();
        try (Watch watch = watchOptions.open(spec, TablesMixin.all(into));
                Flow flow = flowOptions.open(err);
                ToMixin.Pair clusters = to.connect(connect, TablesMixin.all(from), TablesMixin.all(into), flow, err)) {
            int code = CopyTables.createSchema(spec, clusters, selection, into, dryRun);
            watch.done();
            return code;
        }
    }

    /** The options of the copy of one of several tables. */
    CopyOptions options(TablesJob.Table table, CqlIdentifier[] into) {
        return options(into).writtenAfter(after(table.name()));
    }

    /** The cells that are copied of one of several tables; null for all. */
    @Nullable WrittenAfter after(CqlIdentifier table) {
        return ofTables == null ? null : ofTables.after(table);
    }

    FromSstablesMixin files() {
        return files;
    }

    /** Receives lines about what is created. */
    Consumer<MessageText> log() {
        return line -> spec.commandLine().getErr().println(line.in(OptionNames.words(spec)));
    }

    boolean writesSstables() {
        return sstables.isGiven();
    }

    /** The cells that are copied of several tables, unless they are new; null for all. */
    @Nullable WrittenAfter after() {
        return ofTables == null ? null : ofTables.after();
    }
}
