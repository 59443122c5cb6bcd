package io.overdrive.jobs.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach;
import io.overdrive.RowBuffer;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.TargetTable;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.LoadSummary;
import io.overdrive.jobs.load.Loader;
import io.overdrive.sstable.handover.HandOver;
import io.overdrive.sstable.handover.ImportResult;
import io.overdrive.sstable.handover.Importers;
import io.overdrive.sstable.handover.SstableOptions;
import io.overdrive.sstable.handover.SstableRefusals;
import io.overdrive.sstable.sort.SstableSorter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Loads files into a table by SSTables. First a dry run of a load reads the files, and its rows are sorted and merged, on disk if need
 * be. Then they are written as SSTables, a series for each node with the tokens that it has replicas of, and the nodes import them. No
 * node has any of the rows until all are written. {@link #run} is called once; {@link #progress} and {@link #stop} from any thread.
 */
public final class SstableLoader implements Job<SstableSummary> {
    private final LoadOptions input;
    private final Loader loader;
    private final Reach reach;
    private final Importers importers;
    private final SstableSorter sorter;
    /** Null in a dry run. */
    private final @Nullable HandOver handOver;

    private final int ttl;
    private final ThreadLocal<SstableSorter.Part> parts;
    /** Of records that have static columns and no row. */
    private final ThreadLocal<SstableSorter.Part> staticParts;

    private final long startNanos = System.nanoTime();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile Outcome outcome = Outcome.RUNNING;

    private SstableLoader(
            LoadOptions input,
            Loader loader,
            Reach reach,
            Importers importers,
            SstableSorter sorter,
            @Nullable HandOver handOver,
            int ttl) {
        this.input = input;
        this.loader = loader;
        this.reach = reach;
        this.importers = importers;
        this.sorter = sorter;
        this.handOver = handOver;
        this.ttl = ttl;
        parts = ThreadLocal.withInitial(sorter::part);
        List<String> statics = internal(loader.staticColumns());
        staticParts = ThreadLocal.withInitial(() -> sorter.part(statics, /* cellsOnly */ false));
        loader.onDryRow(row -> accept(row, parts.get()));
        loader.onDryStatics(row -> accept(row, staticParts.get()));
    }

    private static List<String> internal(List<String> columns) {
        return columns.stream()
                .map(column -> CqlIdentifier.fromCql(column).asInternal())
                .toList();
    }

    /** Has a creator of the table check, before it creates anything, the nodes, how they import, and the directories. */
    public static void checkBefore(TableCreator creator, Overdrive overdrive, WriteOptions target, SstableOptions by) {
        SstableRefusals.check(target);
        creator.checkLast(replication -> {
            WritableDirectory.checkSpills(target.spillDirectory());
            Importers.checkBeforeCreation(
                    overdrive,
                    CqlIdentifier.fromInternal(String.valueOf(target.keyspace())),
                    CqlIdentifier.fromInternal(String.valueOf(target.table())),
                    replication,
                    by);
        });
    }

    /**
     * Checks everything that can be checked before the first row: the table, the nodes and how they import, and the directories.
     *
     * @param write a table, without columns, which follow from the input; its grouping memory and spill directory are used for sorting,
     *     and its limits of requests have no effect
     * @param input the files, and how to read them
     * @param by how the nodes get the SSTables
     * @throws OverdriveException of kind SCHEMA if rows of the table cannot be imported, or nodes do not agree on the schema; of kind CONNECT if a node cannot
     *     import from here; of kind INPUT if the input cannot be read, its fields do not match the columns, or a directory cannot be written
     */
    public static SstableLoader open(
            Overdrive overdrive, WriteOptions.Builder write, LoadOptions input, SstableOptions by) {
        WriteOptions target = write.build();
        String keyspace = String.valueOf(target.keyspace());
        String name = String.valueOf(target.table());
        SstableRefusals.check(target);
        overdrive.awaitNode(target.patience());
        TargetTable.of(overdrive, keyspace, name); // or says what there is
        TableMetadata table = SstableRefusals.check(
                overdrive.session(), target, input.mapping().usesWritetime());
        Importers importers = Importers.of(overdrive, table, by);
        WritableDirectory.checkSpills(target.spillDirectory());
        if (!input.dryRun()) {
            importers.open();
        }
        Loader loader = null;
        try {
            LoadOptions dry = input.toBuilder().dryRun(true).build();
            // Nothing is sent by CQL: the consistency level is not needed, and lists get the same cells each time.
            loader = Loader.open(
                    overdrive,
                    write.consistency(DefaultConsistencyLevel.LOCAL_ONE).allowNonIdempotent(),
                    dry);
            SstableSorter sorter = SstableSorter.of(
                    table,
                    internal(loader.columns()),
                    target.spillDirectory(),
                    target.groupingMemory(),
                    dry.threads(),
                    (int) (System.currentTimeMillis() / 1000));
            Reach reach = overdrive.reach(keyspace, name, DefaultConsistencyLevel.ALL);
            return new SstableLoader(
                    input,
                    loader,
                    reach,
                    importers,
                    sorter,
                    input.dryRun() ? null : HandOver.open(overdrive, importers, internal(loader.columns())),
                    ttl(target, table));
        } catch (RuntimeException e) {
            if (loader != null) {
                loader.close();
            }
            importers.close();
            throw e instanceof IllegalArgumentException
                    ? new OverdriveException(Kind.SCHEMA, "[" + keyspace + "." + name + "] " + e.getMessage(), e)
                    : e;
        }
    }

    /** That of rows without their own: the option, or the default of the table. */
    static int ttl(WriteOptions target, TableMetadata table) {
        Integer given = target.ttl();
        return given != null ? given : Columns.defaultTtl(table);
    }

    @Override
    public List<String> warnings() {
        return importers.warnings();
    }

    /** As {@link Loader#fieldsNotFound}. */
    public List<String> fieldsNotFound() {
        return loader.fieldsNotFound();
    }

    /** Which nodes get the rows. */
    public Reach reach() {
        return reach;
    }

    /** Number of nodes that get SSTables. */
    public int nodes() {
        return importers.replicas().nodes().size();
    }

    /** Called by the workers of the dry run. */
    private @Nullable String accept(RowBuffer row, SstableSorter.Part part) {
        int seconds = row.ttl(ttl);
        long writeTime = loader.writeTime(row);
        String problem = part.problem(row, writeTime, seconds);
        if (problem != null || input.dryRun()) {
            return problem;
        }
        try {
            part.add(row, writeTime, seconds);
        } catch (OverdriveException e) {
            failure.compareAndSet(null, e); // before the loader says what this means for a load
            throw e;
        }
        return null;
    }

    @Override
    public SstableSummary run() {
        LoadSummary read = loader.run();
        if (read.outcome() == Outcome.STOPPED) {
            stopped = true; // this thread may have been interrupted
        }
        RuntimeException notRead = read.failure();
        if (notRead != null) {
            failure.compareAndSet(null, notRead);
        } else if (!stopped && handOver != null) {
            HandOver to = handOver;
            Workers.guard("these rows", e -> failure.compareAndSet(null, e), () -> {
                if (!to.run(sorter)) {
                    stopped = true;
                }
            });
        }
        if (handOver != null) {
            handOver.deleteUnlessBegun();
        }
        outcome = failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
        return progress();
    }

    @Override
    public JobTimes times() {
        HandOver to = handOver;
        return to == null ? loader.times() : to.times(loader.times(), sorter.times(), input.threads());
    }

    /** Stops reading and writing, unless nodes import already; {@link #run} then returns, and no node has any of the rows. */
    @Override
    public void stop() {
        HandOver to = handOver;
        if (to == null || to.stop()) {
            stopped = true;
            loader.stop();
            sorter.stop();
        }
    }

    @Override
    public SstableSummary progress() {
        LoadSummary read = loader.progress();
        long accepted = read.rowsWritten();
        HandOver to = handOver;
        long rowsWritten = to != null ? to.rows() : outcome == Outcome.DONE ? accepted : 0;
        return new SstableSummary(
                read.rowsRead(),
                accepted,
                sorter.rowsDone(),
                rowsWritten,
                read.rowsRejected(),
                read.bytesRead(),
                read.read(),
                read.filesRead(),
                read.filesTotal(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                sorter.bytesSpilled(),
                results(),
                writeTimes(read.rowsRead()),
                read.writes().repeatedKeys(),
                read.writes().repeatedKeysExact(),
                read.rejectFiles(),
                read.firstReject(),
                outcome,
                failure.get());
    }

    private List<ImportResult> results() {
        HandOver to = handOver;
        return to == null ? List.of() : to.results();
    }

    private @Nullable WriteTimes writeTimes(long rows) {
        return input.dryRun() || rows == 0 || input.mapping().usesWritetime() ? null : loader.writeTimes(rows);
    }

    /** Deletes what was spilled, closes the connections and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        loader.close();
        sorter.close();
        if (handOver != null) {
            handOver.close();
        }
    }
}
