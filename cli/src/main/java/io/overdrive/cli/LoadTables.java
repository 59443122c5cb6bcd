package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.Reach;
import io.overdrive.WriteOptions;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.options.FieldsMixin;
import io.overdrive.cli.report.LoadPrinter;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.TablesPrinter;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.create.GuardrailCheck;
import io.overdrive.jobs.create.KeyspaceCreator;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loader;
import io.overdrive.jobs.tables.KeyspaceInput;
import io.overdrive.jobs.tables.KeyspaceInput.TableFiles;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.jobs.tables.TablesSummary;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Loads the tables of an unload of a keyspace. Immutable.
 *
 * @param command opens the load of each
 * @param into the keyspace of the tables
 * @param files of each table
 * @param schema creates the tables; null if they have to exist
 * @param left what was left out as its time was up
 */
record LoadTables(
        LoadCommand command,
        Overdrive overdrive,
        CqlIdentifier into,
        Map<CqlIdentifier, TableFiles> files,
        @Nullable KeyspaceCreator schema,
        Expired left) {
    /** Cells and rows whose time was up, of each table. Thread-safe. */
    static final class Expired {
        private final Map<CqlIdentifier, List<String>> tables = new ConcurrentHashMap<>();
        private final LongAdder cells = new LongAdder();
        private final LongAdder rows = new LongAdder();

        void add(CqlIdentifier table, long cellsOfTable, long rowsOfTable) {
            tables.put(table, FieldsMixin.expired(cellsOfTable, rowsOfTable));
            cells.add(cellsOfTable);
            rows.add(rowsOfTable);
        }

        /** Prints them for all tables. The report has them for each. */
        void say(PrintWriter err) {
            FieldsMixin.expired(cells.sum(), rows.sum()).forEach(each -> err.println("overdrive: " + each));
        }

        /** The end of a table of which they are left out. */
        <S> TablesRun.End<S> end(ToIntFunction<S> code) {
            return new TablesRun.End<>() {
                @Override
                public int code(CqlIdentifier table, S summary) {
                    return code.applyAsInt(summary);
                }

                @Override
                public List<String> leftOut(CqlIdentifier table) {
                    return tables.getOrDefault(table, List.of());
                }
            };
        }
    }

    /** @param done how rows of a load that is done are described: "written" */
    static TablesPrinter.Kind<LoadSummary> loaded(boolean dryRun) {
        String done = dryRun ? "could be written" : "written";
        return new TablesPrinter.Kind<>(
                all -> Report.rows(
                        sum(all, LoadSummary::rowsRead),
                        sum(all, LoadSummary::rowsWritten),
                        done,
                        sum(all, LoadSummary::rowsRejected)),
                one -> Report.rows(one.rowsRead(), one.rowsWritten(), done, one.rowsRejected()),
                LoadPrinter::printRejects,
                one -> LoadPrinter.of(one, /* filesLeftOut */ 0, dryRun));
    }

    private static long sum(TablesSummary<LoadSummary> all, ToLongFunction<LoadSummary> rows) {
        return all.summaries().stream().mapToLong(rows).sum();
    }

    /**
     * The tables of an unload that are selected, with their files.
     *
     * @throws OverdriveException if one is missing, or none is selected
     */
    static Map<CqlIdentifier, TableFiles> select(KeyspaceInput input, TableSelection selection) {
        return input.files(selection.select(input.tables(), input.directory()));
    }

    /**
     * Refuses tables that change with each repetition of a row.
     *
     * @param option by which the user accepts that
     */
    static void refuseRepetition(Map<CqlIdentifier, TableFiles> files, String option) {
        List<String> names = files.values().stream()
                .map(TableFiles::table)
                .filter(KeyspaceManifest.Table::addsWhenRepeated)
                .map(KeyspaceManifest.Table::name)
                .toList();
        if (!names.isEmpty()) {
            throw new IllegalArgumentException("a row that is sent twice, after a timeout or by a resumed run, would be"
                    + " added twice to counters, and to lists that are not frozen if their times are kept: "
                    + String.join(", ", names) + ". Accept that with " + option
                    + ", or leave these tables out: --except '"
                    + String.join(",", names) + "'");
        }
    }

    /** Refuses tables with counters, which SSTables cannot have. */
    static void refuseCounters(Map<CqlIdentifier, TableFiles> files) {
        String names = counters(files);
        if (!names.isEmpty()) {
            throw new IllegalArgumentException("--sstables writes no counters: leave these tables out, and load them"
                    + " without it: --except '" + names + "'");
        }
    }

    /** The names of tables with counters, separated by commas. */
    static String counters(Map<CqlIdentifier, TableFiles> files) {
        return files.values().stream()
                .map(TableFiles::table)
                .filter(each -> each.kind() == KeyspaceManifest.Kind.COUNTERS)
                .map(KeyspaceManifest.Table::name)
                .collect(Collectors.joining(","));
    }

    /** The rows of files, for the guardrails of the cluster. */
    static GuardrailCheck.Rows rows(
            WriteOptions options, CqlIdentifier keyspace, Map<CqlIdentifier, TableFiles> files) {
        boolean hasTimes = files.values().stream().anyMatch(each -> each.table().hasTimes());
        return new GuardrailCheck.Rows(
                options, hasTimes, /* source */ null, keyspace, files.keySet(), /* largestOfFiles */ null);
    }

    /** The tables of files in a keyspace. */
    static List<TablesJob.Table> sized(CqlIdentifier keyspace, Map<CqlIdentifier, TableFiles> files) {
        return files.entrySet().stream()
                .map(each -> new TablesJob.Table(
                        keyspace, each.getKey(), each.getValue().bytes()))
                .toList();
    }

    private List<CqlIdentifier> names() {
        return List.copyOf(files.keySet());
    }

    /**
     * Creates what is missing if it is to be created, and loads the tables.
     *
     * @param isWhole whether functions are created, too
     * @param request null for no journal
     */
    int run(TablesRun<LoadSummary> run, boolean isWhole, @Nullable RunRequest request, int smallAtOnce) {
        Map<CqlIdentifier, OverdriveException> notCreated =
                schema == null ? Map.of() : schema.create(names(), isWhole, /* timesToLive */ false);
        int code = run.run(
                sized(into, files),
                new Plan(writes(names())),
                (table, ofTable) -> open(table, notCreated.get(table.name()), ofTable),
                request,
                List.of(RunTarget.of(overdrive, into.asCql(true))),
                table -> List.of(RunTarget.of(overdrive, overdrive.table(into.asInternal(), table.asInternal()))),
                results -> TablesRun.dependents(schema, results),
                smallAtOnce);
        left.say(run.run().command().commandLine().getErr());
        return code;
    }

    /** Shows what would be created, and checks the files of tables that exist. */
    int dryRun(TablesRun<LoadSummary> run, boolean isWhole, int smallAtOnce) {
        PrintWriter err = run.run().command().commandLine().getErr();
        List<String> failures = new ArrayList<>();
        if (schema != null) {
            schema.create(names(), isWhole, /* timesToLive */ false)
                    .forEach((table, failure) ->
                            failures.add("table " + table.asCql(true) + ": " + failure.getMessage()));
            schema.createDependents(names());
            failures.addAll(schema.failures());
            failures.forEach(each -> err.println("overdrive: WOULD NOT BE CREATED: " + each));
        }
        Map<CqlIdentifier, TableFiles> existing = new HashMap<>(files);
        existing.keySet()
                .removeIf(table -> schema != null
                        && overdrive
                                .session()
                                .getMetadata()
                                .getKeyspace(into)
                                .flatMap(keyspace -> keyspace.getTable(table))
                                .isEmpty());
        int code = Main.DONE;
        if (!existing.isEmpty()) {
            code = run.run(
                    sized(into, existing),
                    new Plan(writes(List.copyOf(existing.keySet()))),
                    (table, ofTable) -> open(table, /* failure */ null, /* request */ null),
                    /* journal */ null,
                    /* last */ results -> List.of(),
                    smallAtOnce);
        } else {
            run.run().watch().done();
        }
        err.println("overdrive: dry run: nothing was created or loaded"
                + (existing.size() == files.size()
                        ? ""
                        : ", and the records of " + Amount.count(files.size() - existing.size(), "table")
                                + " that would be created were not checked"));
        return failures.isEmpty() ? code : Main.FAILED;
    }

    private Job<LoadSummary> open(
            TablesJob.Table table, @Nullable OverdriveException failure, @Nullable RunRequest request) {
        if (failure != null) {
            throw failure;
        }
        TablesRun.require(overdrive, into, table.name(), "does not exist; --create creates it");
        TableFiles of = files.get(table.name());
        if (of == null) {
            throw new IllegalStateException("no files of " + table.name());
        }
        Loader loader = command.open(overdrive, table, of, request);
        return new TablesRun.Then<>(loader, () -> left.add(table.name(), loader.expiredCells(), loader.rowsLeftOut()));
    }

    private Plan.Part writes(List<CqlIdentifier> names) {
        WriteOptions options = command.writer(into, names.get(0)).build();
        Reach reach = overdrive.reach(into.asInternal(), names.get(0).asInternal(), options.consistency());
        return new Plan.WritesTables("writes", into.asCql(true), reach, names.size(), options);
    }
}
