package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.Reach;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.OptionNames;
import io.overdrive.cli.options.OptionValues;
import io.overdrive.cli.options.TablesMixin;
import io.overdrive.cli.options.ToMixin;
import io.overdrive.cli.report.CopyPrinter;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.TablesPrinter;
import io.overdrive.internal.estimate.Road;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.copy.Copier;
import io.overdrive.jobs.copy.CopyBuilder;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.create.KeyspaceCreator;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.KeyspaceSstables;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TableSizes;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.jobs.tables.TablesSummary;
import io.overdrive.sstable.read.SstableRows;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Copies several tables of a keyspace. Immutable.
 *
 * @param command opens the copy of each
 * @param from the keyspace of the sources
 * @param into the keyspace of the targets
 * @param names of the tables
 * @param schema creates the targets; null if they have to exist
 * @param notCreated targets that could not be created
 * @param files the SSTables that the rows are read from; null for the source
 */
record CopyTables(
        CopyCommand command,
        ToMixin.Pair clusters,
        CqlIdentifier from,
        CqlIdentifier into,
        List<CqlIdentifier> names,
        @Nullable KeyspaceCreator schema,
        Map<CqlIdentifier, OverdriveException> notCreated,
        @Nullable KeyspaceSstables files) {
    /** Options that are about one table. */
    static final String[] ABOUT_ONE = {"--columns", "--map", "--set", "--where", "--keys", "--sstable-directory"};

    /**
     * How the targets come to be.
     *
     * @param creates whether they are created if they are missing
     * @param timesToLive whether rows get the tables' default times to live
     * @param hasSource whether the first cluster has the tables; otherwise the targets have their columns, and the files their
     *     statements
     */
    record Setup(boolean creates, boolean isDryRun, boolean timesToLive, boolean hasSource) {}

    /**
     * Selects the tables, and checks that there is a keyspace for their targets.
     *
     * @param files as {@link #files}
     */
    static List<CqlIdentifier> select(
            ToMixin.Pair clusters,
            TableSelection selection,
            CqlIdentifier into,
            Setup setup,
            @Nullable KeyspaceSstables files) {
        List<CqlIdentifier> names = files == null
                ? selection.select(clusters.first())
                : files.select(selection, setup.hasSource ? clusters.first() : null);
        if (files != null) {
            TablesMixin.checkExists(clusters.second(), into, setup.creates);
        } else {
            TablesMixin.checkTarget(clusters, selection.keyspace(), into, setup.creates);
        }
        return names;
    }

    /**
     * Creates their targets if they are to be created.
     *
     * @param names as {@link #select} returns them
     * @param files as {@link #files}
     */
    static CopyTables of(
            CopyCommand command,
            ToMixin.Pair clusters,
            TableSelection selection,
            List<CqlIdentifier> names,
            CqlIdentifier into,
            Setup setup,
            @Nullable KeyspaceSstables files) {
        CqlIdentifier from = selection.keyspace();
        KeyspaceCreator schema = null;
        if (setup.creates) {
            Consumer<MessageText> log = command.log();
            schema = files != null && !setup.hasSource
                    ? new KeyspaceCreator(files.requireSchema(), clusters.second(), into, log, setup.isDryRun)
                    : new KeyspaceCreator(clusters.first(), from, clusters.second(), into, log, setup.isDryRun);
        }
        Map<CqlIdentifier, OverdriveException> notCreated =
                schema == null ? Map.of() : schema.create(names, selection.isWhole(), setup.timesToLive);
        return new CopyTables(command, clusters, setup.hasSource ? from : into, into, names, schema, notCreated, files);
    }

    /** @param last about all tables, after the others */
    static TablesPrinter.Kind<CopySummary> copied(Function<TablesSummary<CopySummary>, Report> last) {
        return new TablesPrinter.Kind<>(
                all -> Report.rows(
                        sum(all, CopySummary::rowsRead),
                        sum(all, CopySummary::rowsWritten),
                        "written",
                        sum(all, CopySummary::rowsRejected),
                        sum(all, CopySummary::rowsLeftOut)),
                CopyPrinter::rows,
                CopyPrinter::printRejects,
                one -> CopyPrinter.of(one, /* run */ null),
                (summary, run) -> last.apply(summary));
    }

    private static long sum(TablesSummary<CopySummary> all, ToLongFunction<CopySummary> rows) {
        return all.summaries().stream().mapToLong(rows).sum();
    }

    /** Checks each table, and shows what the run would do and take. */
    int dryRun(TablesRun<CopySummary> run) {
        sayWhole(run);
        if (schema != null) {
            schema.createDependents(names);
        }
        List<TablesJob.Table> sized = sized();
        Plan.ReadsTables reads = reads(run, sized);
        List<TablesJob.Table> there =
                sized.stream().filter(each -> files == null || isInSource(each)).toList();
        int code = run.dryRun(
                there,
                reads,
                List.of(writes(reads)),
                this::plan,
                Road.READ,
                "nothing was created or copied"
                        + (there.size() == sized.size()
                                ? ""
                                : ", and the SSTables of " + Amount.count(sized.size() - there.size(), "table")
                                        + " that would be created were not looked at"));
        List<String> failures = schema == null ? List.of() : schema.failures();
        PrintWriter err = run.run().command().commandLine().getErr();
        failures.forEach(each -> err.println("overdrive: WOULD NOT BE CREATED: " + each));
        return failures.isEmpty() ? code : Main.FAILED;
    }

    private List<TablesJob.Table> sized() {
        return files == null ? TableSizes.of(clusters.first(), from, names) : files.sized(from, names);
    }

    private boolean isInSource(TablesJob.Table table) {
        return id(clusters.first(), from, table.name()) != null;
    }

    private Plan plan(TablesJob.Table table) {
        check(table);
        try (SstableRows rows = files == null ? null : files.open(clusters.first(), table)) {
            return plan(table, rows);
        }
    }

    private Plan plan(TablesJob.Table table, @Nullable SstableRows rows) {
        return copier(table, rows)
                .create(schema == null ? null : schema.silent())
                .check()
                .plan();
    }

    /**
     * Copies them, and creates indexes and views of those that are done.
     *
     * @param request null for no journal
     * @param smallAtOnce as {@link TablesJob} has it
     */
    int run(TablesRun<CopySummary> run, TableSelection selection, @Nullable RunRequest request, int smallAtOnce) {
        sayWhole(run);
        List<TablesJob.Table> sized = sized();
        Plan.ReadsTables reads = reads(run, sized);
        int code = run.run(
                sized,
                new Plan(reads, writes(reads)).of(command.after()),
                this::open,
                request,
                targets(clusters, selection, into, files != null),
                this::targetsOf,
                results -> TablesRun.dependents(schema, results),
                smallAtOnce);
        command.files().sayWhatIsLeftOut(run.run().command().commandLine().getErr());
        return code;
    }

    /** As {@link TablesRun#atOnce}, of both sides. */
    static int atOnce(ScanOptions read, WriteOptions written) {
        return Math.min(
                TablesRun.atOnce(read.rowsPerSecond(), read.bytesPerSecond()),
                TablesRun.atOnce(written.rowsPerSecond(), written.bytesPerSecond()));
    }

    /** Prints the settings of a copy. */
    static void show(Map<String, String> read, Map<String, String> written, PrintWriter err) {
        read.forEach((name, value) -> err.println("read " + name + " = " + value));
        written.forEach((name, value) -> err.println("write " + name + " = " + value));
    }

    /** Refuses options about rows. */
    static void refuseRows(ParseResult given, String option) {
        for (String each :
                List.of("--keep-times", "--sstables", "--from-sstables", "--resume", "--resume-if-any", "--json")) {
            if (OptionValues.isTyped(given, each)) {
                throw new IllegalArgumentException(each + " is about rows, and has no effect with " + option);
            }
        }
    }

    /** Creates what is missing of the selected tables and of what belongs to them, or writes the statements to standard output. */
    static int createSchema(
            CommandSpec spec, ToMixin.Pair clusters, TableSelection selection, CqlIdentifier into, boolean isDryRun) {
        CqlIdentifier from = selection.keyspace();
        PrintWriter err = spec.commandLine().getErr();
        PrintWriter log = isDryRun ? spec.commandLine().getOut() : err;
        List<CqlIdentifier> names = selection.selectIfAny(clusters.first());
        TablesMixin.checkTarget(clusters, from, into, /* creates */ true);
        KeyspaceCreator schema = new KeyspaceCreator(
                clusters.first(),
                from,
                clusters.second(),
                into,
                line -> log.println(line.in(OptionNames.words(spec))),
                isDryRun);
        Map<CqlIdentifier, OverdriveException> notCreated =
                schema.create(names, selection.isWhole(), /* timesToLive */ false);
        schema.createDependents(
                names.stream().filter(name -> !notCreated.containsKey(name)).toList());
        log.flush();
        notCreated.forEach((name, failure) -> err.println(
                "overdrive: NOT CREATED: table " + name.asCql(true) + ": " + OptionNames.in(spec, failure)));
        schema.failures().forEach(each -> err.println("overdrive: NOT CREATED: " + each));
        return notCreated.isEmpty() && schema.failures().isEmpty() ? Main.DONE : Main.FAILED;
    }

    /** Names the tables that are copied with all of their cells, because the copy before did not have them. */
    private void sayWhole(TablesRun<CopySummary> run) {
        PrintWriter err = run.run().command().commandLine().getErr();
        if (command.after() != null) {
            names.stream()
                    .filter(name -> command.after(name) == null)
                    .forEach(name -> err.println("overdrive: " + name.asCql(true)
                            + ": the last copy did not have this table, so all of its cells are copied"));
        }
    }

    /** The tables of a copy of one, as its journal has them. */
    static Supplier<List<RunTarget>> targets(
            ToMixin.Pair clusters, ScanOptions.Builder scan, CqlIdentifier[] from, CqlIdentifier[] into) {
        return () -> List.of(
                target(clusters.first(), from[0], from[1]).rowsOf(scan.build().source()),
                target(clusters.second(), into[0], into[1]));
    }

    private List<RunTarget> targetsOf(CqlIdentifier table) {
        return List.of(target(clusters.first(), from, table), target(clusters.second(), into, table));
    }

    /** The clusters of the run. Rows of SSTables are older than the run, so no other copy may begin where it did. */
    static List<RunTarget> targets(
            ToMixin.Pair clusters, TableSelection selection, CqlIdentifier into, boolean areFiles) {
        return List.of(
                RunTarget.of(clusters.first(), selection.text() + (areFiles ? " from SSTables" : "")),
                RunTarget.of(clusters.second(), into.asCql(true)));
    }

    /** The ids of the source and the target of each table that both clusters have. */
    Map<CqlIdentifier, String> ids() {
        Map<CqlIdentifier, String> ids = new HashMap<>();
        for (CqlIdentifier name : names) {
            String source = id(clusters.first(), from, name);
            String target = id(clusters.second(), into, name);
            if (source != null && target != null) {
                ids.put(name, source + " " + target);
            }
        }
        return ids;
    }

    /** The id of a table; null if there is no such table. */
    static @Nullable String id(Overdrive overdrive, CqlIdentifier keyspace, CqlIdentifier table) {
        return overdrive
                .session()
                .getMetadata()
                .getKeyspace(keyspace)
                .flatMap(each -> each.getTable(table))
                .flatMap(TableMetadata::getId)
                .map(UUID::toString)
                .orElse(null);
    }

    private static RunTarget target(Overdrive overdrive, CqlIdentifier keyspace, CqlIdentifier table) {
        return RunTarget.of(overdrive, overdrive.table(keyspace.asInternal(), table.asInternal()));
    }

    /** The copy of one of several tables, which is not begun. */
    private CopyBuilder copier(TablesJob.Table table, @Nullable SstableRows rows) {
        CqlIdentifier[] name = {into, table.name()};
        ScanOptions.Builder scan = read(table, rows);
        WriteOptions.Builder writer = command.writer(name);
        scan.patience(writer.build().patience());
        if (table.isSmall()) {
            scan.pageMemory(TablesRun.MEMORY_OF_SMALL);
            writer.groupingMemory(
                    Math.min(TablesRun.MEMORY_OF_SMALL, writer.build().groupingMemory()));
        }
        return Copier.of(clusters.first(), scan, clusters.second(), writer, command.options(table, name));
    }

    private ScanOptions.Builder read(TablesJob.Table table, @Nullable SstableRows rows) {
        ScanOptions.Builder scan = command.read(new CqlIdentifier[] {table.keyspace(), table.name()});
        if (rows != null) {
            scan.source(rows);
        }
        return scan;
    }

    private Job<CopySummary> open(TablesJob.Table table, @Nullable RunRequest request) {
        check(table);
        return files == null
                ? open(table, /* rows */ null, request)
                : command.files()
                        .open(
                                files,
                                clusters.first(),
                                table,
                                request,
                                targetsOf(table.name()),
                                rows -> open(table, rows, /* request */ null));
    }

    private void check(TablesJob.Table table) {
        OverdriveException failure = notCreated.get(table.name());
        if (failure != null) {
            throw failure;
        }
        if (files == null) {
            TablesRun.requireKept(clusters.first(), table.keyspace(), table.name());
        }
        if (schema == null) {
            TablesRun.require(clusters.second(), into, table.name(), "does not exist; --create creates it");
        }
    }

    private Copier open(TablesJob.Table table, @Nullable SstableRows rows, @Nullable RunRequest request) {
        if (command.writesSstables()) {
            CqlIdentifier[] name = {into, table.name()};
            return command.bySstables(
                            clusters,
                            read(table, rows),
                            command.writer(name),
                            command.options(table, name),
                            /* ofMissing */ null)
                    .open();
        }
        return copier(table, rows).journal(request).open();
    }

    private Plan.ReadsTables reads(TablesRun<CopySummary> run, List<TablesJob.Table> sized) {
        CqlIdentifier[] one = {from, names.get(0)};
        Reach reach = clusters.first()
                .reach(
                        from.asInternal(),
                        one[1].asInternal(),
                        command.read(one).build().consistency());
        return run.reads(reach, sized).from(files == null ? null : files.content(sized));
    }

    /** How much is stored is not known of a copy of newer cells. */
    private Plan.Part writes(Plan.ReadsTables source) {
        CqlIdentifier[] one = {into, names.get(0)};
        WriteOptions options = command.writer(one).build();
        Reach reach = clusters.second().reach(into.asInternal(), one[1].asInternal(), options.consistency());
        Plan.WritesTables writes = new Plan.WritesTables("writes", into.asCql(true), reach, names.size(), options);
        return command.after() == null ? writes.storedAs(source) : writes;
    }
}
