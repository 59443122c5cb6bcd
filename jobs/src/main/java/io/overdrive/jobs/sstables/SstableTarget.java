package io.overdrive.jobs.sstables;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.metadata.schema.TableMetadata;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Reach;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import io.overdrive.internal.cql.Columns;
import io.overdrive.internal.cql.DroppedColumns;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.EncodedRows;
import io.overdrive.jobs.ImportFigures;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.TargetTable;
import io.overdrive.jobs.copy.CopyOptions;
import io.overdrive.jobs.create.TableCreator;
import io.overdrive.jobs.load.LoadOptions;
import io.overdrive.jobs.load.Loader;
import io.overdrive.sstable.handover.ImportPasses;
import io.overdrive.sstable.handover.Importers;
import io.overdrive.sstable.handover.SstableOptions;
import io.overdrive.sstable.handover.SstableRefusals;
import io.overdrive.sstable.sort.SorterPart;
import io.overdrive.sstable.sort.SstableSorter;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a load or a copy as SSTables. They are sorted and merged, on disk if need be, while they are read. Then they are
 * written, a series for each node with the tokens that it has replicas of, and the nodes import them. No node has any of the rows until all
 * are written, unless they are to be written in several passes: then until those of the first pass are.
 *
 * <p>Cells and row markers have the values, write times and times to live that the job's writers would have given them.
 */
public final class SstableTarget implements RowTarget {
    private static final long NANOS_A_SECOND = 1_000_000_000;
    /** Producers of each thread of a copy: rows, cells without the row marker, and static columns. */
    private static final int PRODUCERS_A_THREAD = 3;
    /** A range of tokens takes them in the driver's map, in ours, and among the owners: 180 MB were live for 256,000. */
    private static final int RING_BYTES_A_RANGE = 700;

    private static final long MIN_MEMORY = 1 << 20;

    private final Reach reach;
    private final Importers importers;
    private final SstableSorter sorter;
    /** Null in a dry run. */
    private final @Nullable ImportPasses handOver;

    private final int ttl;
    private final Rows rows;
    /** Rows of a dry run. */
    private final EncodedRows encoded = new EncodedRows();
    /** When times to live start in the sorter. */
    private final long startNanos = System.nanoTime();

    private volatile boolean isDelivered;

    /**
     * Properties of a job's rows.
     *
     * @param haveTimes whether they bring their write times
     * @param keepTimeToLive whether they bring the time to live that remained when they were read
     * @param mayBeEmpty whether a row may leave nothing in SSTables, which then do not have as many rows as the job
     */
    private record Rows(boolean haveTimes, boolean keepTimeToLive, boolean mayBeEmpty) {}

    private SstableTarget(
            Reach reach,
            Importers importers,
            SstableSorter sorter,
            @Nullable ImportPasses handOver,
            int ttl,
            Rows rows) {
        this.reach = reach;
        this.importers = importers;
        this.sorter = sorter;
        this.handOver = handOver;
        this.ttl = ttl;
        this.rows = rows;
    }

    /** Makes a creator of the table check the nodes, how they import, and the directories, before it creates anything. */
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
     * Opens a load into SSTables, and checks everything that can be checked before the first row: the table, the nodes and how they import,
     * and the directories.
     *
     * @param write a table, without columns, which follow from the input; its grouping memory and spill directory are used for sorting,
     *     and its limits of requests have no effect
     * @param input the files, and how to read them
     * @param by how the nodes get the SSTables
     * @throws OverdriveException of kind SCHEMA if rows of the table cannot be imported, or nodes do not agree on the schema; of kind CONNECT
     *     if a node cannot import from here; of kind INPUT if the input cannot be read, its fields do not match the columns, or a directory
     *     cannot be written
     */
    public static Loader load(Overdrive overdrive, WriteOptions.Builder write, LoadOptions input, SstableOptions by) {
        WriteOptions to = write.build();
        boolean keepTimes = input.keepTimes();
        boolean haveTimes = keepTimes || input.mapping().usesWritetime();
        boolean refuseLists = keepTimes ? !to.allowNonIdempotent() : haveTimes;
        SstableRefusals.check(to);
        overdrive.awaitNode(to.patience());
        TargetTable.of(overdrive, String.valueOf(to.keyspace()), String.valueOf(to.table())); // or says what there is
        TableMetadata table = SstableRefusals.check(overdrive.session(), to, refuseLists);
        Importers importers = Importers.of(overdrive, table, by);
        WritableDirectory.checkSpills(to.spillDirectory());
        if (!input.dryRun()) {
            importers.open();
        }
        try {
            return Loader.openInto(
                    overdrive,
                    write,
                    input,
                    writers -> open(
                            overdrive,
                            table,
                            importers,
                            to,
                            writers.rows().columns(),
                            keepTimes ? PRODUCERS_A_THREAD * input.threads() : input.threads(),
                            input.dryRun(),
                            new Rows(haveTimes, keepTimes, /* mayBeEmpty */ keepTimes)));
        } catch (RuntimeException e) {
            importers.close();
            throw named(e, to);
        }
    }

    static Reach reach(Overdrive target, WriteOptions to) {
        return target.reach(String.valueOf(to.keyspace()), String.valueOf(to.table()), DefaultConsistencyLevel.ALL);
    }

    /**
     * Opens the target of a copy.
     *
     * @param dropped the columns that were dropped when the copy began
     */
    static SstableTarget open(
            Overdrive overdrive,
            WriteOptions to,
            CopyOptions options,
            SstableOptions by,
            DroppedColumns dropped,
            List<RowWriter> writers) {
        Set<String> written =
                writers.stream().flatMap(writer -> writer.columns().stream()).collect(Collectors.toSet());
        TableMetadata table =
                SstableRefusals.check(overdrive.session(), to, options.mapping().usesWritetime());
        List<String> columns = table.getColumns().keySet().stream()
                .map(CqlIdentifier::asInternal)
                .filter(written::contains)
                .toList();
        Importers importers = Importers.of(overdrive, table, by);
        try {
            importers.open();
            String column = importers.replicas().placement().drops().droppedSince(dropped, columns);
            if (column != null) {
                throw new OverdriveException(
                        Kind.SCHEMA,
                        "[" + to.keyspace() + "." + to.table() + "] column \"" + column
                                + "\" was dropped while the copy began; run it again");
            }
            boolean haveTimes = options.keepTimes() || options.mapping().usesWritetime();
            return open(
                    overdrive,
                    table,
                    importers,
                    to,
                    columns,
                    PRODUCERS_A_THREAD * options.threads(),
                    /* dryRun */ false,
                    new Rows(haveTimes, options.keepTimes(), /* mayBeEmpty */ true));
        } catch (RuntimeException e) {
            importers.close();
            throw e;
        }
    }

    /** A failure with the name of the table. */
    static RuntimeException named(RuntimeException e, WriteOptions to) {
        return e instanceof IllegalArgumentException
                ? new OverdriveException(
                        Kind.SCHEMA,
                        words -> "[" + to.keyspace() + "." + to.table() + "] "
                                + MessageText.of(e).in(words),
                        e)
                : e;
    }

    /** @param producers number of sinks that are used at the same time */
    private static SstableTarget open(
            Overdrive overdrive,
            TableMetadata table,
            Importers importers,
            WriteOptions to,
            List<String> columns,
            int producers,
            boolean dryRun,
            Rows rows) {
        SstableSorter sorter = SstableSorter.of(
                table,
                columns,
                to.spillDirectory(),
                besidesRing(to.groupingMemory(), importers.replicas().owners().ranges()),
                producers,
                (int) (System.currentTimeMillis() / 1000));
        Integer ttl = to.ttl();
        return new SstableTarget(
                reach(overdrive, to),
                importers,
                sorter,
                dryRun ? null : ImportPasses.open(overdrive, importers, columns),
                ttl != null ? ttl : Columns.defaultTtl(table),
                rows);
    }

    /** Memory for sorting: the same share of the heap that the maps of tokens leave as {@code memory} is of the whole heap. */
    private static long besidesRing(long memory, int ranges) {
        double ring =
                (double) ranges * RING_BYTES_A_RANGE / Runtime.getRuntime().maxMemory();
        return Math.max(MIN_MEMORY, (long) (memory * Math.max(0, 1 - ring)));
    }

    /** Gives the rows of a writer to a part of the sorter. */
    private final class Sink extends RowSink {
        private final RowWriter writer;
        private final SorterPart part;
        private final EncodedRows.Part counted;
        private final boolean keeps = handOver != null;
        /** Position of the last row. */
        private long position = -1;

        private int secondsSinceStart;

        Sink(RowWriter writer) {
            super(writer);
            this.writer = writer;
            this.part = sorter.part(writer.columns(), writer.writesCellsOnly());
            this.counted = encoded.part();
        }

        @Override
        public @Nullable String problem() {
            if (rows.keepTimeToLive() && buffer.position() != position) {
                position = buffer.position();
                secondsSinceStart = (int) ((System.nanoTime() - startNanos) / NANOS_A_SECOND);
            }
            String hidden = super.problem();
            return hidden != null ? hidden : part.problem(buffer, writeTime(), timeToLive());
        }

        @Override
        public boolean mayRefuse() {
            return true;
        }

        @Override
        public void takeMore() {
            if (keeps) {
                part.addMore(buffer, writeTime(), timeToLive());
                writer.countKey(part.lastToken());
            } else {
                take();
            }
        }

        @Override
        public void take() {
            if (keeps) {
                part.add(buffer, writeTime(), timeToLive());
                writer.countKey(part.lastToken());
            } else {
                writer.countKey();
                counted.add(writer);
            }
        }

        private long writeTime() {
            return buffer.timestamp(writer.writeTime(buffer.position()));
        }

        private int timeToLive() {
            int seconds = buffer.ttl(ttl);
            // what was left when the cell was read, and in files it counts from the start
            return rows.keepTimeToLive() && seconds > 0 ? seconds + secondsSinceStart : seconds;
        }
    }

    @Override
    public RowSink sink(RowWriter writer) {
        return new Sink(writer.fork());
    }

    @Override
    public boolean isAllOrNothing() {
        return handOver == null || handOver.count() == 1 || handOver.results().isEmpty();
    }

    @Override
    public boolean deliver() {
        isDelivered = handOver == null || handOver.run(sorter);
        return isDelivered;
    }

    @Override
    public void clean() {
        if (handOver != null) {
            handOver.deleteUnlessBegun();
        }
    }

    /** Nodes that import already continue. */
    @Override
    public boolean stop() {
        boolean isInTime = handOver == null || handOver.stop();
        sorter.stop();
        return isInTime;
    }

    @Override
    public long rowsWritten(long taken, long acknowledged, boolean isDone) {
        if (isDelivered && (handOver == null || rows.mayBeEmpty())) {
            return taken;
        }
        return handOver == null ? 0 : handOver.rows();
    }

    @Override
    public @Nullable WriteTimes writeTimes(List<RowWriter> writers, long position) {
        return handOver == null || position == 0 || rows.haveTimes()
                ? null
                : writers.get(0).writeTimes(position);
    }

    @Override
    public JobTimes times(JobTimes reading, int threads) {
        return handOver == null ? reading : handOver.times(reading, sorter.times(), threads);
    }

    @Override
    public Plan.Part plan(RowWriter rows, WriteOptions options) {
        return new Plan.WritesSstables(
                "writes",
                reach,
                importers.replicas().nodes().size(),
                importers.passes(),
                handOver == null ? encoded.total() : null);
    }

    @Override
    public String effectOfStop() {
        return handOver == null || handOver.count() == 1
                ? "stops, and imports nothing unless nodes import already"
                : "stops, and imports nothing more than the pass that nodes import already";
    }

    @Override
    public List<String> warnings() {
        return importers.warnings();
    }

    @Override
    public ImportFigures imports(long taken) {
        return new ImportFigures(
                importers.imports(),
                taken,
                sorter.rowsDone(),
                sorter.bytesSpilled(),
                handOver == null ? List.of() : handOver.results(),
                handOver == null ? 1 : handOver.count(),
                handOver == null ? 0 : handOver.finished());
    }

    /** Deletes spilled data, closes the connections and releases the lock. SSTables that are not imported stay. */
    @Override
    public void close() {
        sorter.close();
        if (handOver != null) {
            handOver.close();
        }
    }
}
