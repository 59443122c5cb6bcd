package io.overdrive.jobs.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.copy.Copier;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.copy.CopySummary;
import io.overdrive.jobs.copy.RowTaker;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.sstable.handover.HandOver;
import io.overdrive.sstable.handover.Importers;
import io.overdrive.sstable.handover.SstableOptions;
import io.overdrive.sstable.handover.SstableRefusals;
import io.overdrive.sstable.sort.SstableSorter;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Copies the rows of a table into another one by SSTables. A {@link Copier} reads them, and they are sorted and merged instead of sent.
 * Then they are written as SSTables, which the nodes of the target import, as in {@link SstableLoader}. No node has any of the rows
 * until all are written. {@link #run} is called once; {@link #progress} and {@link #stop} from any thread.
 *
 * <p>Cells and row markers have the values, write times and times to live that a {@link Copier} would have given them.
 */
public final class SstableCopier implements Job<SstableCopySummary> {
    private static final long NANOS_A_SECOND = 1_000_000_000;
    /** Rows, cells without the row marker, and static columns. */
    private static final int PRODUCERS_A_THREAD = 3;

    private final CopyOptions options;
    private final Copier copier;
    private final Reach reach;
    private final Importers importers;
    private final SstableSorter sorter;
    private final HandOver handOver;
    private final int ttl;
    private final long startNanos;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private volatile boolean stopped;
    private volatile boolean isWritten;
    private volatile Outcome outcome = Outcome.RUNNING;

    /** @param startNanos when times to live start in the sorter */
    private SstableCopier(
            CopyOptions options,
            Copier copier,
            Reach reach,
            Importers importers,
            SstableSorter sorter,
            HandOver handOver,
            int ttl,
            long startNanos) {
        this.options = options;
        this.copier = copier;
        this.reach = reach;
        this.importers = importers;
        this.sorter = sorter;
        this.handOver = handOver;
        this.ttl = ttl;
        this.startNanos = startNanos;
        copier.divertRows(Sorting::new);
    }

    /**
     * Checks everything that can be checked before the first row: the tables, the nodes and how they import, and the directories.
     *
     * @param read the source's table; its columns, if any are chosen, come with the primary key
     * @param write the target's table, without columns, which follow from the mapping; its grouping memory and spill directory are used
     *     for sorting, and its limits of requests have no effect
     * @param creator creates the target if it is missing; null if it must exist
     * @throws OverdriveException as {@link Copier#open(Overdrive, ScanOptions.Builder, Overdrive, WriteOptions.Builder, CopyOptions,
     *     TableCreator)} and {@link SstableLoader#open} do
     */
    public static SstableCopier open(
            Overdrive source,
            ScanOptions.Builder read,
            Overdrive target,
            WriteOptions.Builder write,
            CopyOptions options,
            @Nullable TableCreator creator,
            SstableOptions by) {
        WriteOptions to = write.build();
        SstableRefusals.check(to);
        target.awaitNode(to.patience());
        String keyspace = String.valueOf(to.keyspace());
        String name = String.valueOf(to.table());
        boolean writeTimes = options.mapping().usesWritetime();
        boolean isMissing = target.session()
                .getMetadata()
                .getKeyspace(CqlIdentifier.fromInternal(keyspace))
                .flatMap(known -> known.getTable(CqlIdentifier.fromInternal(name)))
                .isEmpty();
        if (!isMissing) {
            SstableRefusals.check(target.session(), to, writeTimes);
        } else if (creator != null) {
            ScanOptions from = read.build();
            SstableRefusals.checkLike(source.table(String.valueOf(from.keyspace()), String.valueOf(from.table())));
        }
        if (creator != null) {
            SstableLoader.checkBefore(creator, target, to, by);
        }
        if (!options.keepTimes() && !writeTimes) {
            write.allowNonIdempotent(); // as nothing is sent by CQL, lists get the same cells each time
        }
        // the write times of the rows follow, and no drop may come between the two
        DroppedColumns dropped = DroppedColumns.of(target.session(), keyspace, name);
        Copier copier = Copier.open(
                source,
                read,
                target,
                write.consistency(DefaultConsistencyLevel.LOCAL_ONE), // which it does not need
                options,
                creator,
                /* request */ null);
        Importers importers = null;
        try {
            TableMetadata table = SstableRefusals.check(target.session(), to, writeTimes);
            importers = Importers.of(target, table, by);
            importers.open();
            List<String> columns = table.getColumns().values().stream()
                    .filter(column -> copier.columns().contains(column.getName().asCql(/* pretty */ true)))
                    .map(column -> column.getName().asInternal())
                    .toList();
            String column = importers.replicas().placement().drops().droppedSince(dropped, columns);
            if (column != null) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "[" + keyspace + "." + name + "] column \"" + column
                                + "\" was dropped while the copy began; run it again");
            }
            SstableSorter sorter = SstableSorter.of(
                    table,
                    columns,
                    to.spillDirectory(),
                    to.groupingMemory(),
                    PRODUCERS_A_THREAD * options.threads(),
                    (int) (System.currentTimeMillis() / 1000));
            long startNanos = System.nanoTime();
            Reach reach = target.reach(keyspace, name, DefaultConsistencyLevel.ALL);
            return new SstableCopier(
                    options,
                    copier,
                    reach,
                    importers,
                    sorter,
                    HandOver.open(target, importers, columns),
                    SstableLoader.ttl(to, table),
                    startNanos);
        } catch (RuntimeException e) {
            copier.close();
            if (importers != null) {
                importers.close();
            }
            throw e instanceof IllegalArgumentException
                    ? new OverdriveException(Kind.SCHEMA, "[" + keyspace + "." + name + "] " + e.getMessage(), e)
                    : e;
        }
    }

    @Override
    public List<String> warnings() {
        return Stream.of(copier.warnings(), importers.warnings())
                .flatMap(List::stream)
                .toList();
    }

    /** The scan that reads the source. */
    public Scan scan() {
        return copier.scan();
    }

    /** Which nodes get the rows. */
    public Reach reach() {
        return reach;
    }

    /** Number of nodes that get SSTables. */
    public int nodes() {
        return importers.replicas().nodes().size();
    }

    /** Sorts the rows of one of the writers of a thread. For one thread at a time. */
    private final class Sorting implements RowTaker {
        private final RowWriter writer;
        private final SstableSorter.Part part;
        /** Of the last row. */
        private long position = -1;

        private int secondsSinceStart;

        Sorting(RowWriter writer) {
            this.writer = writer;
            part = sorter.part(writer.columns(), writer.writesCellsOnly());
        }

        @Override
        public @Nullable String problem(RowBuffer row) {
            if (row.position() != position) {
                position = row.position();
                secondsSinceStart = (int) ((System.nanoTime() - startNanos) / NANOS_A_SECOND);
            }
            return part.problem(row, writeTime(row), ttl(row));
        }

        @Override
        public void take(RowBuffer row) {
            part.add(row, writeTime(row), ttl(row));
        }

        private long writeTime(RowBuffer row) {
            return row.timestamp(writer.writeTime(row.position()));
        }

        private int ttl(RowBuffer row) {
            int seconds = row.ttl(ttl);
            // what was left when the cell was read, and in files it counts from the start
            return options.keepTimes() && seconds > 0 ? seconds + secondsSinceStart : seconds;
        }
    }

    @Override
    public SstableCopySummary run() {
        CopySummary read = copier.run();
        if (read.outcome() == Outcome.STOPPED) {
            stopped = true; // this thread may have been interrupted
        }
        RuntimeException notRead = read.failure();
        if (notRead != null) {
            failure.compareAndSet(null, notRead);
        } else if (!stopped) {
            Workers.guard("these rows", e -> failure.compareAndSet(null, e), () -> {
                if (handOver.run(sorter)) {
                    isWritten = true;
                } else {
                    stopped = true;
                }
            });
        }
        handOver.deleteUnlessBegun();
        outcome = failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
        return progress();
    }

    @Override
    public JobTimes times() {
        return handOver.times(copier.times(), sorter.times(), options.threads());
    }

    /** Stops reading and writing, unless nodes import already; {@link #run} then returns, and no node has any of the rows. */
    @Override
    public void stop() {
        if (handOver.stop()) {
            stopped = true;
            copier.stop();
            sorter.stop();
        }
    }

    @Override
    public SstableCopySummary progress() {
        CopySummary read = copier.progress();
        return new SstableCopySummary(
                read,
                isWritten ? read.rowsWritten() : 0,
                sorter.bytesSpilled(),
                handOver.results(),
                options.keepTimes() || options.mapping().usesWritetime() || read.rowsRead() == 0
                        ? null
                        : copier.writeTimes(),
                outcome,
                failure.get());
    }

    /** Deletes what was spilled, closes the connections and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        copier.close();
        sorter.close();
        handOver.close();
    }
}
