package io.overdrive.jobs.load;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RejectedRow;
import io.overdrive.Repetition;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import io.overdrive.formats.records.Block;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.formats.records.RecordParser;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.CqlTarget;
import io.overdrive.jobs.DryTarget;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.RowSink;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.journal.Checkpoints;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.load.MappingListener.StopReading;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Loads files into a table: workers take blocks of the input, parse them and write their rows. {@link #run} is called
 * once; {@link #progress} and {@link #stop} from any thread.
 *
 * <p>Above 500 lines because workers, rejects and the journal share how a load stops, and which records it has finished.
 */
public final class Loader implements Job<LoadSummary> {
    private static final long PAUSE_MILLIS = 1000;

    private final LoadOptions options;
    private final InputReader reader;
    private final BlockSource blocks;

    private final List<String> tableColumns;
    private final List<DataType> tableTypes;
    private final WriteOptions write;
    private final LoadWriters writers;
    private final @Nullable TableSchema table;
    /** Null if each record is acknowledged as one row, or none is. */
    private final @Nullable PartCounts parts;

    private final Queue<TimedRows> timed = new ConcurrentLinkedQueue<>();
    private final RowTarget target;

    private final int partitionColumns;
    private final LoadRejects rejects;
    private final boolean attachRecords;
    private final long startNanos = System.nanoTime();
    /** One for each worker; each counts its own rows. */
    private final List<RowMapper> mappers = new CopyOnWriteArrayList<>();
    /** Time of workers that have not ended. */
    private final WaitTime working = new WaitTime();
    /** Time of workers that wait for a block, or read it. */
    private final WaitTime input = new WaitTime();

    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final AtomicReference<@Nullable Unread> unread = new AtomicReference<>();
    private volatile boolean stopping;
    private volatile Outcome outcome = Outcome.RUNNING;

    private boolean readIsLeftBehind;
    /** Null unless the records are the result of a query. */
    private final @Nullable QueriedFiles queried;

    private final @Nullable LoadJournal journal;
    private final LongAdder finishedBefore = new LongAdder();
    /** Positions of blank lines and comments in the blocks that were parsed. */
    private final LongAdder blanks = new LongAdder();

    private volatile @Nullable RuntimeException journalFailure;

    /** A record that was not read. */
    private record Unread(FileHeader header, long line, long position) {}

    private Loader(
            LoadStart start, Overdrive overdrive, WriteOptions.Builder write, Function<LoadWriters, RowTarget> to) {
        this.options = start.options();
        this.journal = start.journal();
        this.reader = start.reader();
        this.blocks = new BlockSource(reader, start.first(), e -> failure.compareAndSet(null, e));
        this.queried = options.queried();
        this.rejects = queried == null
                ? new LoadRejects(options, journal, this::rejectFileCreated, this::rowsRead, this::fail)
                : queried.rejects(this::rowsRead, this::fail);
        this.attachRecords = !reader.canLookUp() && !options.dryRun();
        if (attachRecords) {
            write.attachments();
        }
        this.table = start.table();
        this.parts = options.keepTimes() && !options.dryRun()
                ? new PartCounts(journal == null ? null : journal::written, PartCounts.MAX_PENDING)
                : null;
        if (parts != null) {
            write.onWritten(parts::written);
        } else if (journal != null) {
            write.onWritten(journal::written);
        }
        this.write = write.bulk().onReject(this::refused).build();
        this.writers = table != null && options.keepTimes()
                ? LoadWriters.openTimed(overdrive, write, table)
                : LoadWriters.open(overdrive, this.write);
        this.target = open(to);
        this.tableColumns = table == null
                ? writers.rows().columns()
                : table.columns().stream().map(TableSchema.Column::name).toList();
        this.tableTypes = table == null
                ? writers.rows().types()
                : table.columns().stream().map(TableSchema.Column::type).toList();
        this.partitionColumns = table == null ? 0 : table.partitionKey().size();
        reader.restrict(header -> FieldSlots.wantedColumns(header, options, tableColumns));
    }

    private RowTarget open(Function<LoadWriters, RowTarget> to) {
        try {
            return to.apply(writers);
        } catch (RuntimeException e) {
            writers.abandon();
            throw e;
        }
    }

    /**
     * Reads the beginning of the input and opens the writer.
     *
     * @param write options with a target, a table or a statement, and without columns, which follow from the input
     * @throws OverdriveException of kind INPUT if the input cannot be read, or its fields do not match the columns
     * @throws OverdriveException if the table or the statement is invalid
     */
    public static Loader open(Overdrive overdrive, WriteOptions.Builder write, LoadOptions options) {
        return open(overdrive, write, options, /* run */ null);
    }

    /**
     * As {@link #open(Overdrive, WriteOptions.Builder, LoadOptions)}, and keeps a journal, so that the load can be resumed.
     *
     * @param run the run to begin or to resume; null for none. Input that can be read only once gets no journal
     * @throws OverdriveException of kind INPUT if the run cannot be resumed, as its input or its table has changed; of kind DISK if
     *     the journal cannot be read or written
     */
    public static Loader open(
            Overdrive overdrive, WriteOptions.Builder write, LoadOptions options, @Nullable RunRequest run) {
        return open(overdrive, write, options, run, LoadJournal.MAX_POSITIONS_BYTES);
    }

    /**
     * As {@link #open(Overdrive, WriteOptions.Builder, LoadOptions)}, with another place for the rows than the cluster, which gets none over
     * CQL: the consistency level and repeated writes do not matter.
     *
     * @param to opens that place; what it throws is thrown
     */
    public static Loader openInto(
            Overdrive overdrive, WriteOptions.Builder write, LoadOptions options, Function<LoadWriters, RowTarget> to) {
        write.consistency(DefaultConsistencyLevel.LOCAL_ONE).allowNonIdempotent();
        LoadOptions.Builder dry = options.toBuilder().dryRun(true);
        if (options.savesRejects()) {
            dry.rejects(options.rejectDirectory(), options.rejectName());
        }
        return open(overdrive, write, dry.build(), /* run */ null, LoadJournal.MAX_POSITIONS_BYTES, to);
    }

    /**
     * Prepares reading keys of a table: the values of the whole partition key, and of clustering columns from the first on. Nothing is
     * written; records that have no such key are rejected.
     *
     * @param to opens the place for the keys, whose columns are those of the writer; what it throws is thrown
     * @throws OverdriveException of kind INPUT if the input cannot be read, or its fields are not those of a key
     */
    public static Loader openKeys(
            Overdrive overdrive, TableSchema table, LoadOptions options, Function<LoadWriters, RowTarget> to) {
        LoadOptions dry =
                options.toBuilder().dryRun(true).allowExtraFields(true).build();
        LoadStart.Keys keys = LoadStart.ofKeys(overdrive, table, dry);
        keys.write().consistency(DefaultConsistencyLevel.LOCAL_ONE);
        return begin(keys.start(), overdrive, keys.write(), /* run */ null, to);
    }

    /** @param maxJournalBytes above which the journal remembers no further rows */
    static Loader open(
            Overdrive overdrive,
            WriteOptions.Builder write,
            LoadOptions options,
            @Nullable RunRequest run,
            long maxJournalBytes) {
        return open(
                overdrive,
                write,
                options,
                run,
                maxJournalBytes,
                opened -> options.dryRun() ? DryTarget.check(table(overdrive, write.build())) : new CqlTarget());
    }

    /** Null if rows are written by a statement. */
    private static @Nullable TableSchema table(Overdrive overdrive, WriteOptions target) {
        String keyspace = target.keyspace();
        String table = target.table();
        return keyspace == null || table == null ? null : overdrive.table(keyspace, table);
    }

    private static Loader open(
            Overdrive overdrive,
            WriteOptions.Builder write,
            LoadOptions options,
            @Nullable RunRequest run,
            long maxJournalBytes,
            Function<LoadWriters, RowTarget> to) {
        return begin(LoadStart.of(overdrive, write, options, run, maxJournalBytes), overdrive, write, run, to);
    }

    private static Loader begin(
            LoadStart start,
            Overdrive overdrive,
            WriteOptions.Builder write,
            @Nullable RunRequest run,
            Function<LoadWriters, RowTarget> to) {
        WriteOptions target = write.build();
        try {
            Loader loader = new Loader(start, overdrive, write, to);
            try {
                if (start.table() == null) {
                    start.headers().forEach(loader::checkMarkers);
                }
                ComputedColumns computed = ComputedColumns.of(start.options(), loader.tableColumns, loader.tableTypes);
                if (computed != null) {
                    computed.check(start.headers(), start.options());
                }
                LoadJournal journal = start.journal();
                if (journal != null && run != null) {
                    journal.begin(run, loader.target(overdrive, target), loader.options.files(), loader.begin());
                    loader.rejects.resume(journal.rejectFiles()); // not before it is known that the run is resumed
                }
            } catch (RuntimeException e) {
                loader.writers.abandon();
                loader.target.close();
                loader.rejects.close();
                throw e;
            }
            return loader;
        } catch (RuntimeException e) {
            start.close();
            throw e;
        }
    }

    /** How this run writes rows. */
    private LoadProgress.Begin begin() {
        return new LoadProgress.Begin(writers.rows().baseTimestamp(), repetition());
    }

    /** The target that a resumed run has to find unchanged. */
    private RunTarget target(Overdrive overdrive, WriteOptions target) {
        TableSchema schema = table(overdrive, target);
        if (schema != null) {
            return RunTarget.of(overdrive, schema);
        }
        RowWriter rows = writers.rows();
        return RunTarget.of(
                overdrive,
                String.valueOf(target.statement()),
                rows.keyspace(),
                rows.table(),
                rows.columns(),
                rows.types());
    }

    /** Refuses a field without a marker before the first row, as one without a column. */
    private void checkMarkers(FileHeader header) {
        FieldSlots.targetColumns(header, options, tableColumns);
    }

    /** The statement that writes the rows. */
    public String statement() {
        return writers.rows().statement();
    }

    @Override
    public List<String> warnings() {
        return target.warnings();
    }

    @Override
    public Plan plan() {
        return new Plan(target.plan(writers.rows(), write));
    }

    @Override
    public String effectOfStop() {
        return target.effectOfStop();
    }

    /** The columns that are written, as spelled in CQL. */
    public List<String> columns() {
        return writers.columns();
    }

    /** The columns that are written of partitions without a row, as spelled in CQL; empty if records always have a row. */
    public List<String> staticColumns() {
        return writers.staticColumns();
    }

    /** The run by which the load can be resumed; null if it keeps no journal. */
    public @Nullable LoadRun journaledRun() {
        LoadJournal kept = journal;
        String id = kept == null ? null : kept.id();
        return kept == null || id == null
                ? null
                : new LoadRun(
                        id, kept.isResumed(), kept.startsOver(), writtenBefore(), kept.rejectedBefore(), repetition());
    }

    @Override
    public @Nullable String runId() {
        return journal == null ? null : journal.id();
    }

    @Override
    public MessageText resumed() {
        LoadRun run = journaledRun();
        return run == null || !run.isResumed() ? MessageText.EMPTY : run.before();
    }

    private Repetition repetition() {
        return writers.rows().repetition();
    }

    private long writtenBefore() {
        return journal == null ? 0 : journal.before().count() - journal.rejectedBefore();
    }

    private long rejectedBefore() {
        return journal == null ? 0 : journal.rejectedBefore();
    }

    @Override
    public LoadSummary run() {
        LoadJournal kept = journal;
        Checkpoints checkpoints =
                kept == null ? null : Checkpoints.start(() -> kept.checkpoint(new Figures()), this::journalFailed);
        List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < options.threads(); i++) {
            Worker worker = new Worker(i);
            workers.add(worker);
            worker.start();
        }
        for (Worker worker : workers) {
            worker.await();
        }
        writers.all().forEach(each -> attempt(each::close));
        if (kept != null && checkpoints != null) {
            checkpoints.close();
            // before the rows that the cluster refused are kept: a resumed run tries these again
            if (journalFailure == null) {
                try {
                    kept.checkpoint(new Figures());
                } catch (RuntimeException e) {
                    journalFailed(e);
                }
            }
        }
        attempt(() -> rejects.lookUp(reader));
        attempt(rejects::close);
        rejects.checkLimit(/* atEnd */ true);
        attempt(this::checkFinishedBefore);
        failure.getAndUpdate(this::withWayOut);
        if (failure.get() == null && !stopping) {
            Workers.guard("these rows", this::fail, this::deliver);
        }
        attempt(target::clean);
        outcome = failure.get() != null ? Outcome.FAILED : stopping ? Outcome.STOPPED : Outcome.DONE;
        if (kept != null) {
            attempt(() -> kept.end(progress()));
            outcome = failure.get() != null ? Outcome.FAILED : outcome;
        }
        return progress();
    }

    /**
     * The fields of the mapping that no JSON record had, which may be misspelt: their columns got no values. Empty for CSV files,
     * whose header must have all of them, and if the run did not read all records. Once {@link #run} has returned.
     */
    public List<String> fieldsNotFound() {
        BitSet found = new BitSet();
        boolean isJson = false;
        for (RowMapper mapper : mappers) {
            isJson |= mapper.addFoundEntries(found);
        }
        boolean isWhole = outcome == Outcome.DONE && writtenBefore() + rejectedBefore() == 0;
        return isJson && isWhole ? options.mapping().otherFields(found) : List.of();
    }

    /**
     * The values that their columns do not keep in full, if {@link LoadOptions.Builder#countLosses} is set. Once {@link #run} has
     * returned.
     */
    public List<Loss> losses() {
        return Loss.merge(mappers.stream().flatMap(m -> m.losses().stream()).toList());
    }

    /** The number of cells that have expired, and were left out. Once {@link #run} has returned. */
    public long expiredCells() {
        return timed.stream().mapToLong(TimedRows::expiredCells).sum();
    }

    /** The number of rows that were left out, as none of their cells is left, and no row marker. Once {@link #run} has returned. */
    public long rowsLeftOut() {
        return timed.stream().mapToLong(TimedRows::rowsLeftOut).sum();
    }

    private void deliver() {
        if (!target.deliver()) {
            stopping = true;
        }
    }

    /** Names a file in the journal before it has a record: a run that is killed then empties the file when it is resumed. */
    private void rejectFileCreated(RejectFile.Saved file) {
        if (journal != null && journalFailure == null) {
            try {
                journal.rejectFileCreated(file);
            } catch (RuntimeException e) {
                journalFailed(e); // the record is kept anyway
            }
        }
    }

    private void journalFailed(RuntimeException e) {
        journalFailure = e;
        fail(e);
    }

    /** All records that earlier runs have finished must have been found in the input. */
    private void checkFinishedBefore() {
        if (journal != null
                && !stopping
                && failure.get() == null
                && finishedBefore.sum() != journal.before().count()) {
            throw new IllegalStateException(
                    "the journal has " + journal.before().count()
                            + " finished records, and only " + finishedBefore.sum()
                            + " of them are in the input, which must never happen: load the input from its start, as a"
                            + " new run, and report this");
        }
    }

    /** Figures that the journal asks for. */
    private final class Figures implements LoadJournal.Load {
        @Override
        public LoadJournal.Rejected rejected() {
            return rejects.takeNew();
        }

        @Override
        public List<InputReader.Prefix> prefixes(int fromFile) {
            return reader.prefixes(fromFile);
        }

        @Override
        public long aheadMicros() {
            WriteTimes times = target.writeTimes(writers.all(), rowsRead());
            return times == null ? 0 : times.ahead().toNanos() / 1_000;
        }

        @Override
        public LoadSummary summary() {
            return progress();
        }
    }

    /** Runs one of the last steps, which are needed even if an earlier one failed. */
    private void attempt(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** Stops reading; {@link #run} then writes what was read, and returns. */
    @Override
    public boolean stop() {
        if (!target.stop()) {
            return false;
        }
        stopping = true;
        return true;
    }

    @Override
    public LoadSummary progress() {
        Totals totals = writers.totals();
        long taken = mappers.stream().mapToLong(RowMapper::rowsTaken).sum();
        long read = rowsRead();
        long rejected = rejects.rows();
        QueriedFiles files = queried;
        return new LoadSummary(
                read + (files == null ? 0 : files.rowsRejected()),
                writtenBefore()
                        + target.rowsWritten(
                                taken, parts == null ? totals.rowsWritten() : parts.rows(), outcome == Outcome.DONE),
                rejected,
                files == null ? reader.bytesRead() : files.bytesRead(),
                files == null ? reader.totalBytes() : files.bytesTotal(),
                files == null ? Math.max(0, reader.expectedPositions() - blanks.sum()) : 0,
                files == null ? reader.filesRead() : files.filesRead(),
                files == null ? options.files().size() : files.filesTotal(),
                Duration.ofNanos(System.nanoTime() - startNanos),
                totals,
                target.imports(taken),
                target.writeTimes(writers.all(), read),
                rejects.paths(),
                rejects.first(),
                outcome,
                failure.get(),
                journaledRun(),
                files == null ? null : new LoadSummary.Query(files.rowsRead(), read));
    }

    /**
     * Adds the way out to a failure. After a full disk it is unknown which rows are missing, since rows wait in no
     * particular order.
     */
    private @Nullable RuntimeException withWayOut(@Nullable RuntimeException e) {
        boolean disk = WritableDirectory.isDiskFailure(e);
        if (e == null
                || target.isAllOrNothing()
                || !(disk || e instanceof UncheckedIOException)
                || e == journalFailure && disk) {
            return e;
        }
        Unread first = unread.get();
        String stopped =
                first == null ? "" : "reading stopped at " + first.header.place(first.line, first.position) + "; ";
        MessageText message = words -> MessageText.of(e).in(words) + " - " + stopped
                + (disk ? "rows before that may be missing too" : "not all rejected records are kept") + ": free disk"
                + " space and " + (journal == null ? "load all of the input again" : "resume the run");
        return disk ? new OverdriveException(Kind.DISK, message, e) : new OverdriveException(Kind.INPUT, message, e);
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        stopping = true;
    }

    private long rowsRead() {
        return writtenBefore()
                + rejectedBefore()
                + mappers.stream().mapToLong(RowMapper::rowsRead).sum();
    }

    /** Called by a writer for each row that the cluster rejected. */
    private void refused(RejectedRow row) {
        if (WritableDirectory.isDiskFailure(writers.rows().failure())) {
            return; // the row itself is fine: it counts as not written, like those that were on the disk
        }
        if (parts == null || parts.refused(row)) {
            rejects.refused(row);
        }
    }

    @Override
    public void close() {
        if (!readIsLeftBehind) {
            reader.close(); // else closing would wait for that read
        }
        rejects.close();
        target.close();
        if (journal != null) {
            journal.close();
        }
    }

    @Override
    public JobTimes times() {
        long now = System.nanoTime();
        long waiting = input.nanos(now);
        JobTimes reading = new JobTimes(
                        working.nanos(now),
                        queried == null ? waiting : 0, /* outputNanos */
                        0,
                        List.of(writers.rows().waits()))
                .withQuery(queried == null ? 0 : waiting);
        return target.times(reading, options.threads());
    }

    /** Processes blocks until there are no more. */
    private final class Worker extends Thread implements MappingListener {
        private volatile boolean waitsForInput;
        private List<String> columnsOfRecords = List.of();

        Worker(int number) {
            super("overdrive-load-" + number);
            setDaemon(true);
        }

        @Override
        public void run() {
            working.begin(System.nanoTime());
            try {
                Workers.guard("these records", Loader.this::fail, this::loadBlocks);
            } finally {
                working.end(System.nanoTime());
            }
        }

        private void loadBlocks() {
            RecordParser parser = new RecordParser();
            ComputedColumns computed = ComputedColumns.of(options, tableColumns, tableTypes);
            RowMapper mapper = new RowMapper(
                    options,
                    sink(),
                    partitionStatics(),
                    tableColumns,
                    computed == null ? null : computed.into(writers.rows().columns()),
                    parser,
                    attachRecords,
                    this);
            mappers.add(mapper);
            try {
                boolean hasMore = true;
                while (hasMore) {
                    hasMore = loadBlock(parser, mapper);
                }
            } catch (StopReading e) {
                // rows read so far are written
            }
        }

        private RowSink sink() {
            RowSink sink = options.keepTimes()
                    ? timed(writers.rows(), writers.cellsOnly(), writers.statics())
                    : target.sink(writers.rows());
            columnsOfRecords = sink.columns();
            return sink;
        }

        /** The sink of records with the times of their cells. */
        private TimedRows timed(RowWriter rows, @Nullable RowWriter cellsOnly, @Nullable RowWriter statics) {
            boolean isWhole = options.comparesValues();
            TimedRows sink = TimedRows.of(
                    Objects.requireNonNull(table),
                    new TimedRows.Sinks(
                            target.sink(rows),
                            cellsOnly == null || isWhole ? null : target.sink(cellsOnly),
                            statics == null ? null : target.sink(statics),
                            /* areStatics */ rows.equals(writers.statics())),
                    isWhole,
                    options.isIncrement(),
                    parts,
                    () -> System.currentTimeMillis() / 1000);
            timed.add(sink);
            return sink;
        }

        private @Nullable PartitionStatics partitionStatics() {
            RowWriter statics = writers.statics();
            return statics == null
                    ? null
                    : new PartitionStatics(
                            options.keepTimes()
                                    ? timed(statics, /* cellsOnly */ null, /* statics */ null)
                                    : target.sink(statics),
                            columnsOfRecords,
                            partitionColumns);
        }

        /**
         * Loads the next block; returns false if there is none. A separate method so that no local variable holds the block
         * before while this thread waits for the next one.
         */
        private boolean loadBlock(RecordParser parser, RowMapper mapper) {
            Block block = next();
            if (block == null) {
                return false;
            }
            long finished = 0;
            long readBefore = mapper.rowsRead();
            try {
                if (journal != null) {
                    finished = journal.before().in(block, mapper.finished());
                    finishedBefore.add(finished);
                    if (finished > 0 && finished == block.endPosition() - block.position()) {
                        reader.recycle(block);
                        return true;
                    }
                }
                mapper.start(block);
                parser.parse(block, mapper);
                blanks.add(block.endPosition() - block.position() - finished - (mapper.rowsRead() - readBefore));
                reader.recycle(block);
            } finally {
                mapper.releaseRow();
                blocks.done(block);
            }
            return true;
        }

        private @Nullable Block next() {
            if (stopping) {
                return null;
            }
            waitsForInput = true;
            input.begin(System.nanoTime());
            try {
                Block block = blocks.next();
                waitsForInput = false; // before checking for stopping: await() checks in the opposite order
                if (stopping && block != null) {
                    unread(block.header(), block.line(), block.position());
                    blocks.done(block);
                    return null;
                }
                return block;
            } finally {
                input.end(System.nanoTime());
                waitsForInput = false;
            }
        }

        @Override
        public boolean isStopping() {
            return stopping;
        }

        @Override
        public void unread(FileHeader header, long line, long position) {
            Unread here = new Unread(header, line, position);
            unread.getAndUpdate(first -> first == null || position < first.position ? here : first);
        }

        @Override
        public void rejected(RawRecord record, Problem problem) {
            rejects.reject(record, problem);
        }

        @Override
        public int numberOf(FileHeader header) {
            return rejects.numberOf(header);
        }

        @Override
        public void failed(RuntimeException e) {
            fail(e);
        }

        /** Waits for the end; once the load is stopping, a thread that blocks in a read of standard input is abandoned. */
        void await() {
            long rowsBefore = -1;
            boolean interrupted = false;
            while (isAlive() && !(stopping && waitsForInput)) {
                try {
                    join(PAUSE_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true;
                    Loader.this.stop();
                }
                long rows = rowsRead();
                if (rows == rowsBefore && waitsForInput) {
                    writers.all().forEach(RowWriter::flush); // the input pauses: no other rows may come for a long time
                }
                rowsBefore = rows;
            }
            readIsLeftBehind |= isAlive();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
