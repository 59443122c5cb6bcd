package io.overdrive.cli;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Metadata;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.cli.options.Amount;
import io.overdrive.cli.report.Report;
import io.overdrive.cli.report.TablesPrinter;
import io.overdrive.cli.report.UnloadPrinter;
import io.overdrive.formats.manifest.KeyspaceManifest;
import io.overdrive.internal.estimate.Road;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.WrittenAfter;
import io.overdrive.jobs.create.KeyspaceSchema;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.tables.KeyspaceSstables;
import io.overdrive.jobs.tables.TableResult;
import io.overdrive.jobs.tables.TableSelection;
import io.overdrive.jobs.tables.TableSizes;
import io.overdrive.jobs.tables.TablesJob;
import io.overdrive.jobs.tables.TablesJournal;
import io.overdrive.jobs.tables.TablesSummary;
import io.overdrive.jobs.unload.KeyspaceOutput;
import io.overdrive.jobs.unload.UnloadCheck;
import io.overdrive.jobs.unload.UnloadOptions;
import io.overdrive.jobs.unload.UnloadSummary;
import io.overdrive.jobs.unload.Unloader;
import io.overdrive.sstable.read.SstableRows;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Unloads several tables of a keyspace, with its schema. Immutable.
 *
 * @param command opens the unload of each
 * @param directory of the whole
 * @param keepTimes whether cells have their times, in tables without counters
 * @param files the SSTables that the rows are read from; null for the cluster
 */
record UnloadTables(
        UnloadCommand command,
        Overdrive overdrive,
        TableSelection selection,
        Path directory,
        boolean keepTimes,
        @Nullable KeyspaceSstables files) {
    /** @param last about all tables, after the others */
    static TablesPrinter.Kind<UnloadSummary> unloaded(Function<TablesSummary<UnloadSummary>, Report> last) {
        return new TablesPrinter.Kind<>(
                UnloadTables::total,
                one -> Amount.count(one.rowsWritten(), "row") + " written, " + Amount.bytes(one.bytesStored()),
                UnloadPrinter::printNotKept,
                one -> new UnloadPrinter(one, /* pageMemory */ 0, /* run */ null),
                (summary, run) -> last.apply(summary));
    }

    private static String total(TablesSummary<UnloadSummary> all) {
        long stored =
                all.summaries().stream().mapToLong(UnloadSummary::bytesStored).sum();
        return Amount.count(all.rows(), "row") + " written" + (all.rowsBefore() > 0 ? "" : ", " + Amount.bytes(stored));
    }

    private TableSchema schema(CqlIdentifier table) {
        return overdrive.table(selection.keyspace().asInternal(), table.asInternal());
    }

    private List<TablesJob.Table> sized(List<CqlIdentifier> names) {
        return files == null
                ? TableSizes.of(overdrive, selection.keyspace(), names)
                : files.sized(selection.keyspace(), names);
    }

    private List<RunTarget> targets() {
        return List.of(RunTarget.of(overdrive, selection.text()));
    }

    private void decide(@Nullable RunRequest request, List<CqlIdentifier> names) {
        Map<CqlIdentifier, String> ids = new HashMap<>();
        names.forEach(each -> ids.put(each, String.valueOf(CopyTables.id(overdrive, selection.keyspace(), each))));
        command.decide(request, overdrive, targets(), ids);
    }

    private List<CqlIdentifier> select() {
        return files == null ? selection.select(overdrive) : files.select(selection, overdrive);
    }

    /** Checks each table, and shows what the run would do and take. */
    int dryRun(TablesRun<UnloadSummary> run) {
        KeyspaceOutput.check(directory);
        List<CqlIdentifier> names = select();
        decide(/* request */ null, names);
        KeyspaceManifest layout = manifest(names, /* run */ "");
        sayWhatIsNotKept(layout, run.run().command().commandLine().getErr());
        List<TablesJob.Table> sized = sized(names);
        return run.dryRun(
                sized, reads(run, sized), List.of(), one -> plan(one, layout), Road.READ, "no row was read or written");
    }

    private Plan plan(TablesJob.Table table, KeyspaceManifest layout) {
        TablesRun.requireKept(overdrive, table.keyspace(), table.name());
        refuse(table.name());
        Path of = layout.tables().stream()
                .filter(each -> each.name().equals(table.name().asCql(true)))
                .map(each -> directory.resolve(each.directory()))
                .findFirst()
                .orElseThrow();
        try (SstableRows rows = files == null ? null : files.open(overdrive, table)) {
            return UnloadCheck.of(overdrive, read(table, rows), options(table.name(), of))
                    .plan();
        }
    }

    private ScanOptions read(TablesJob.Table table, @Nullable SstableRows rows) {
        ScanOptions.Builder read = command.read(table);
        return rows == null ? read.build() : read.source(rows).build();
    }

    /** @param request null for no journal */
    int run(TablesRun<UnloadSummary> run, @Nullable RunRequest request, int smallAtOnce) {
        boolean isResumed = request != null && request.isResume();
        if (!isResumed) {
            KeyspaceOutput.check(directory); // before a run begins that has to fail
        }
        List<CqlIdentifier> names = select();
        decide(request, names);
        Map<CqlIdentifier, TableSchema> described = new HashMap<>();
        names.forEach(each -> described.put(each, schema(each)));
        KeyspaceSchema schema = KeyspaceSchema.of(overdrive, selection.keyspace());
        TablesJournal journal = request == null
                ? null
                : TablesJournal.open(
                        Objects.requireNonNull(command.newer().keeping(request)),
                        targets(),
                        table -> List.of(RunTarget.of(overdrive, schema(table))));
        KeyspaceOutput output;
        try {
            output = KeyspaceOutput.open(
                    directory, manifest(names, journal == null ? "" : journal.id()), isResumed, schema.toCql());
        } catch (RuntimeException e) {
            if (journal != null) {
                journal.closeAfter(e);
            }
            throw e;
        }
        try (output) {
            List<CqlIdentifier> begun = output.manifest().tables().stream()
                    .map(each -> CqlIdentifier.fromCql(each.name()))
                    .toList();
            PrintWriter err = run.run().command().commandLine().getErr();
            sayWhatIsNotKept(output.manifest(), err);
            if (isResumed) {
                renew(output, schema);
                sayWhatIsLater(names, begun, err);
            }
            List<TablesJob.Table> sized = sized(present(begun, names));
            return run.run(
                    sized,
                    new Plan(reads(run, sized)).of(command.newer().after()),
                    (table, ofTable) -> {
                        TablesRun.requireKept(overdrive, table.keyspace(), table.name());
                        if (!schema(table.name()).equals(described.get(table.name()))) {
                            renew(output, KeyspaceSchema.of(overdrive, selection.keyspace()));
                        }
                        return open(table, output.of(table.name()), ofTable);
                    },
                    journal,
                    results -> end(output, results),
                    smallAtOnce);
        }
    }

    /** Describes tables that were altered before they are read as they are read, with the types that they need. */
    private void renew(KeyspaceOutput output, KeyspaceSchema now) {
        output.renewSchema((text, begun) -> KeyspaceSchema.parse(text, selection.keyspace(), KeyspaceManifest.SCHEMA)
                .renewed(now, begun)
                .toCql());
    }

    /** The tables of the run that are still there. The journal knows the others, too. */
    private List<CqlIdentifier> present(List<CqlIdentifier> begun, List<CqlIdentifier> names) {
        List<CqlIdentifier> present = begun.stream().filter(names::contains).toList();
        if (present.isEmpty()) {
            throw new OverdriveException(
                    Kind.SCHEMA, selection.text() + ": all tables of the run were dropped since it began");
        }
        return present;
    }

    private static void sayWhatIsLater(List<CqlIdentifier> names, List<CqlIdentifier> begun, PrintWriter err) {
        String later = names.stream()
                .filter(each -> !begun.contains(each))
                .map(each -> each.asCql(true))
                .collect(Collectors.joining(", "));
        if (!later.isEmpty()) {
            err.println("overdrive: created since the run began, and not in the files: " + later);
        }
    }

    private Job<UnloadSummary> open(TablesJob.Table table, Path into, @Nullable RunRequest request) {
        refuse(table.name());
        return files == null
                ? open(table, into, /* rows */ null, request)
                : command.files()
                        .open(
                                files,
                                overdrive,
                                table,
                                /* request */ null,
                                /* targets */ List.of(),
                                rows -> open(table, into, rows, /* request */ null));
    }

    private Unloader open(TablesJob.Table table, Path into, @Nullable SstableRows rows, @Nullable RunRequest request) {
        return Unloader.open(overdrive, read(table, rows), options(table.name(), into), request);
    }

    private UnloadOptions options(CqlIdentifier table, Path into) {
        boolean hasTimes = keepsTimes(schema(table));
        return command.options(into, hasTimes)
                .writtenAfter(hasTimes ? command.newer().after(table) : null);
    }

    private static List<String> end(KeyspaceOutput output, List<TableResult<UnloadSummary>> results) {
        try {
            return output
                    .end(results.stream()
                            .filter(each -> each.outcome() == Outcome.DONE)
                            .map(TableResult::table)
                            .toList())
                    .stream()
                    .map(each -> "NOT COMPLETE: " + each)
                    .toList();
        } catch (OverdriveException e) {
            return List.of("NOT COMPLETE: " + e.getMessage());
        }
    }

    private KeyspaceManifest manifest(List<CqlIdentifier> names, String run) {
        List<String> directories = KeyspaceManifest.directories(
                names.stream().map(CqlIdentifier::asInternal).toList());
        List<KeyspaceManifest.Table> tables = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            TableSchema schema = schema(names.get(i));
            tables.add(new KeyspaceManifest.Table(
                    names.get(i).asCql(true), directories.get(i), kind(schema), keepsTimes(schema)));
        }
        Metadata metadata = overdrive.session().getMetadata();
        String releases = metadata.getNodes().values().stream()
                .map(Node::getCassandraVersion)
                .filter(Objects::nonNull)
                .map(Object::toString)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        WrittenAfter after = command.newer().after();
        return new KeyspaceManifest(
                new KeyspaceManifest.Source(
                        selection.keyspace().asCql(true),
                        metadata.getClusterName().orElse(""),
                        releases),
                run,
                Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
                /* isComplete */ false,
                after == null ? "" : after.time().toString(),
                tables);
    }

    private static KeyspaceManifest.Kind kind(TableSchema schema) {
        if (schema.isCounter()) {
            return KeyspaceManifest.Kind.COUNTERS;
        }
        return schema.columns().stream().anyMatch(each -> each.type() instanceof ListType list && !list.isFrozen())
                ? KeyspaceManifest.Kind.LISTS
                : KeyspaceManifest.Kind.PLAIN;
    }

    private boolean keepsTimes(TableSchema schema) {
        return keepTimes && !schema.isCounter();
    }

    /** Refuses a table whose files a load would not make the same table of. */
    private void refuse(CqlIdentifier table) {
        TableSchema schema = schema(table);
        boolean hasStaticCounters = schema.columns().stream()
                .anyMatch(each ->
                        each.role() == TableSchema.Role.STATIC && each.type().equals(DataTypes.COUNTER));
        if (hasStaticCounters) {
            throw new OverdriveException(
                    Kind.SCHEMA,
                    "[" + schema.cqlName()
                            + "] has static counters, which would be in the record of each row, and which a"
                            + " load would add as often: unload it by itself, the static columns by a query with SELECT"
                            + " DISTINCT and the others with --columns");
        }
    }

    private void sayWhatIsNotKept(KeyspaceManifest manifest, PrintWriter err) {
        if (command.newer().after() != null) {
            manifest.tables().stream()
                    .filter(each -> command.newer().after(CqlIdentifier.fromCql(each.name())) == null)
                    .forEach(each -> err.println("overdrive: " + each.name()
                            + ": the last unload did not have this table, so all of its cells are written"));
        }
        String counters = manifest.tables().stream()
                .filter(each -> keepTimes && each.kind() == KeyspaceManifest.Kind.COUNTERS)
                .map(KeyspaceManifest.Table::name)
                .collect(Collectors.joining(", "));
        if (!counters.isEmpty()) {
            err.println("overdrive: counters have no times, and are written without: " + counters);
        }
    }

    private Plan.ReadsTables reads(TablesRun<UnloadSummary> run, List<TablesJob.Table> sized) {
        return run.reads(
                        overdrive.reach(
                                selection.keyspace().asInternal(),
                                sized.get(0).name().asInternal(),
                                command.read(sized.get(0)).build().consistency()),
                        sized)
                .from(files == null ? null : files.content(sized));
    }
}
