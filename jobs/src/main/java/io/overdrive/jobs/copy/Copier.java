package io.overdrive.jobs.copy;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RejectedRow;
import io.overdrive.Repetition;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema.Column;
import io.overdrive.Totals;
import io.overdrive.WriteOptions;
import io.overdrive.WriteSetting;
import io.overdrive.internal.disk.WritableDirectory;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.names.MessageText;
import io.overdrive.jobs.CellTimes;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.KeyJson;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.RowTarget;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.journal.Checkpoints;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Remaining;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Copies the rows of a table into another one, of the same cluster or another: several splits at once, cells as they
 * are in the page if both types have the same bytes, and else converted through text. Null cells leave the cells of the
 * target unchanged. {@link #run} is called once; {@link #progress} and {@link #stop} from any thread.
 *
 * <p>Rows get the writer's write times, unless the options keep the source's. Then cells of a row with the same
 * write time and time to live are written together, and others as additional rows of the same key. Three things cannot
 * be read, and therefore differ from the source:
 *
 * <ul>
 *   <li>the row marker, which keeps a row alive if all its other columns are null: it gets the write time of the
 *       youngest cell, or the time of the copy if the row has no cells. From SSTables ({@link ScanOptions#source}) it
 *       can be read, and is kept: cells of other times are then written by UPDATE, which leaves it as it is;
 *   <li>deletes: one in the source, later than a write in the target, is not copied;
 *   <li>collections and UDTs that are not frozen and whose elements were written at different times: a row with one is
 *       rejected. If it is static, only the static column is left out, and the first row of its partition counts as
 *       rejected.
 * </ul>
 *
 * <p>Copying twice with times kept changes nothing, except that lists that are not frozen then have their elements
 * twice: they are refused unless the writer's options allow non-idempotent writes. A time to live is what is left when the row is copied.
 */
public final class Copier implements Job<CopySummary> {
    private static final int POSITIONS_AT_ONCE = 4096;

    private final CopyOptions options;
    private final CopyPlan plan;
    private final Scan scan;
    private final boolean keepsMarkers;
    private final CopyWriters copyWriters;
    private final List<RowWriter> writers;
    private final CopyRejects rejects;
    private final @Nullable SplitJournal splitJournal;
    private final @Nullable CopyJournal journal;
    private final boolean isResumed;
    private final long rowsBefore;
    private final long rejectedBefore;
    private final int splitsBefore;
    private final Queue<Worker> workers = new ConcurrentLinkedQueue<>();
    private final AtomicLong positions = new AtomicLong();
    private final long startNanos = System.nanoTime();
    private final LongAdder rowsRead = new LongAdder();
    private final LongAdder rowsLost = new LongAdder();
    private final LongAdder rowsLeftOut = new LongAdder();
    private final LongAdder partsRejected = new LongAdder();
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
    private final WriteOptions write;
    private final RowTarget target;
    private boolean stopped;
    private volatile Outcome outcome = Outcome.RUNNING;

    /** @see CopyBuilder#open */
    Copier(
            CopyOptions options,
            CopyStart start,
            Overdrive target,
            WriteOptions.Builder write,
            boolean isResumed,
            @Nullable SplitJournal splits,
            Function<List<RowWriter>, RowTarget> to) {
        this.options = options;
        this.isResumed = isResumed;
        this.plan = start.plan();
        this.scan = start.scan();
        this.keepsMarkers = start.keepsMarkers();
        this.splitJournal = splits;
        this.rowsBefore = splits == null ? 0 : splits.sum(CopyJournal.ROWS);
        this.rejectedBefore = splits == null ? 0 : splits.sum(CopyJournal.REJECTED);
        this.splitsBefore = splits == null ? 0 : splits.finished();
        rowsRead.add(rowsBefore);
        rowsLeftOut.add(splits == null ? 0 : splits.sum(CopyJournal.LEFT_OUT));
        this.rejects = new CopyRejects(options.rejectDirectory(), options.rejectName(), keys());
        this.journal = splits == null ? null : new CopyJournal(splits, rejects);
        boolean isTimestampGiven = write.build().timestamp() != null;
        if (journal != null && !isTimestampGiven) {
            journal.awaitLaterTimes();
        }
        write.bulk().attachments().onReject(this::refused);
        this.write = write.build();
        copyWriters = CopyWriters.open(target, write, plan, keepsMarkers);
        writers = copyWriters.all();
        this.target = open(to);
        if (journal != null) {
            positions.set(journal.firstPosition(isTimestampGiven));
            journal.start(writers, positions.get());
        }
    }

    private RowTarget open(Function<List<RowWriter>, RowTarget> to) {
        try {
            return to.apply(writers);
        } catch (RuntimeException e) {
            writers.forEach(RowWriter::abandon);
            throw e;
        }
    }

    /**
     * Begins to prepare a copy.
     *
     * @param read the source's table; its columns, if any are chosen, come with the primary key
     * @param write the target's table, without columns, which follow from the mapping
     */
    public static CopyBuilder of(
            Overdrive source,
            ScanOptions.Builder read,
            Overdrive target,
            WriteOptions.Builder write,
            CopyOptions options) {
        return new CopyBuilder(source, read, target, write, options);
    }

    static String whyNotResumable(Scan scan) {
        return scan.whyNotSplit().isEmpty() ? "" : "the table is read as one: " + scan.whyNotSplit();
    }

    /** Why the copy has no journal even if one is wanted; empty if it can have one. */
    public String whyNotResumable() {
        return whyNotResumable(scan);
    }

    @Override
    public MessageText resumed() {
        MessageText done = Job.rowsDoneBefore(rowsBefore);
        boolean twice = isResumed && repetition() == Repetition.CHANGES_ROWS;
        return twice
                ? words -> done.in(words) + (done.isEmpty() ? "" : "; ") + "rows of token ranges that the run had begun"
                        + " and not finished are applied twice (" + words.of(WriteSetting.ALLOW_NON_IDEMPOTENT) + ")"
                : done;
    }

    @Override
    public @Nullable String runId() {
        return splitJournal == null ? null : splitJournal.id();
    }

    private KeyJson keys() {
        List<Column> key = plan.read().subList(0, plan.keyColumns());
        return new KeyJson(
                key.stream().map(Column::name).toList(),
                key.stream().map(Column::type).toList());
    }

    @Override
    public Plan plan() {
        return new Plan(Plan.reads(scan), target.plan(writers.get(0), write)).of(options.after());
    }

    @Override
    public String effectOfStop() {
        return target.effectOfStop();
    }

    @Override
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(target.warnings());
        warnings.addAll(warnings(scan, plan, keepsMarkers));
        return warnings;
    }

    static List<String> warnings(Scan scan, CopyPlan plan, boolean keepsMarkers) {
        List<String> warnings = new ArrayList<>();
        String why = scan.whyNotSplit();
        if (!why.isEmpty()) {
            warnings.add("the table is not split by token but read as one: " + why);
        }
        if (keepsMarkers && !plan.leftOut().isEmpty()) {
            warnings.add("rows that were only updated, and have nothing but values of columns that are left out ("
                    + String.join(", ", plan.leftOut()) + "), are not written, and count as copied");
        }
        return warnings;
    }

    /** The statements that write the rows. */
    public List<String> statements() {
        return writers.stream().map(RowWriter::statement).toList();
    }

    /** The effect of writing rows a second time, as a resumed run does with splits that were not finished. */
    public Repetition repetition() {
        return writers.get(0).repetition();
    }

    /** The columns that are written, as spelled in CQL. */
    public List<String> columns() {
        return writers.stream()
                .flatMap(w -> w.columns().stream())
                .distinct()
                .map(c -> CqlIdentifier.fromInternal(c).asCql(true))
                .toList();
    }

    @Override
    public CopySummary run() {
        CopyJournal to = journal;
        Map<Split, Remaining> remaining = SplitJournal.remaining(splitJournal, scan.splits());
        Checkpoints regular = to == null ? null : Checkpoints.start(() -> to.checkpoint(positions.get()), this::fail);
        Workers.guard(
                "these rows",
                this::ended,
                () -> scan.forEachSplit(
                        options.threads(),
                        split -> new SplitCopier(
                                Objects.requireNonNull(remaining.get(split)).number())));
        if (regular != null) {
            regular.close();
        }
        boolean allWritten = true;
        for (RowWriter writer : writers) {
            allWritten &= attempt(writer::close);
        }
        boolean isWritten = allWritten;
        checkLimit(/* atEnd */ true);
        if (to != null) {
            attempt(() -> to.end(howItEnded(), isWritten, positions.get(), failure.get()));
        }
        attempt(rejects::close);
        if (howItEnded() == Outcome.DONE) {
            Workers.guard("these rows", this::fail, this::deliver);
        }
        attempt(target::clean);
        outcome = howItEnded();
        return progress();
    }

    private void deliver() {
        if (!target.deliver()) {
            stopped = true;
        }
    }

    private void ended(RuntimeException early) {
        if (early instanceof OverdriveException e && e.kind() == Kind.INTERRUPTED) {
            stopped = true;
        } else {
            fail(early);
        }
    }

    private Outcome howItEnded() {
        return failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
    }

    /** Runs one of the last steps, which are needed even if an earlier one failed; returns whether it did not. */
    @CanIgnoreReturnValue
    private boolean attempt(Runnable step) {
        try {
            step.run();
            return true;
        } catch (RuntimeException e) {
            fail(e);
            return false;
        }
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
        scan.stop();
    }

    /** Stops reading; {@link #run} then writes what was read, and returns. */
    @Override
    public boolean stop() {
        if (!target.stop()) {
            return false;
        }
        scan.stop();
        return true;
    }

    @Override
    public CopySummary progress() {
        long read = rowsRead.sum();
        Totals totals = totals();
        long rejected = rejectedBefore + rejects.rows();
        long pending = totals.rowsTaken() - totals.rowsWritten() - partsRejected.sum();
        long leftOut = rowsLeftOut.sum();
        long taken = Math.max(0, read - rejected - leftOut - rowsLost.sum());
        long acknowledged = Math.max(0, taken - Math.max(0, pending));
        return new CopySummary(
                read,
                target.rowsWritten(taken, acknowledged, outcome == Outcome.DONE),
                rejected,
                leftOut,
                rowsBefore,
                splitsBefore,
                Duration.ofNanos(System.nanoTime() - startNanos),
                scan.totals(),
                totals,
                target.imports(taken),
                target.writeTimes(writers, positions.get()),
                rejects.paths(),
                rejects.first(),
                outcome,
                failure.get());
    }

    @Override
    public JobTimes times() {
        Waits reads = scan.waits();
        List<Waits> all = Stream.concat(Stream.of(reads), writers.stream().map(RowWriter::waits))
                .toList();
        return target.times(
                new JobTimes(reads.threadNanos(), /* inputNanos */ 0, /* outputNanos */ 0, all), options.threads());
    }

    private Totals totals() {
        return writers.stream().map(RowWriter::totals).reduce(Totals.NONE, Totals::plus);
    }

    /** Called by a writer for each part of a row that the cluster rejected. */
    private void refused(RejectedRow row) {
        if (writers.stream().anyMatch(writer -> WritableDirectory.isDiskFailure(writer.failure()))) {
            return; // the row itself is fine; it counts as not written
        }
        ByteBuffer attached = ByteBuffer.wrap(Objects.requireNonNull(row.attachment()));
        int split = attached.getInt();
        byte[] key = new byte[attached.remaining()];
        attached.get(key);
        reject(split, row.position(), key, row.reason());
        partsRejected.increment();
    }

    private void reject(int split, long position, byte[] key, String reason) {
        if (journal != null) {
            attempt(journal::beforeReject);
        }
        attempt(() -> rejects.reject(split, position, key, reason));
        checkLimit(/* atEnd */ false);
    }

    private void checkLimit(boolean atEnd) {
        long rejected = rejectedBefore + rejects.rows();
        long read = rowsRead.sum();
        RejectLimit limit = options.maxRejects();
        if (atEnd ? limit.isExceededAtEnd(rejected, read) : limit.isExceeded(rejected, read)) {
            fail(limit.exceeded("rows", "the first is " + rejects.first()));
        }
    }

    @Override
    public void close() {
        scan.close();
        rejects.close();
        target.close();
        if (splitJournal != null) {
            splitJournal.close();
        }
    }

    /** State for copying rows, used by one thread at a time. */
    private final class Worker {
        final KeyJson keys = keys();
        final RowCopier copier =
                new RowCopier(plan, copyWriters, target, keys, options, keepsMarkers, scan.types(), CellTimes::now);
        long nextPosition;
        long lastPosition;

        long position() {
            if (nextPosition == lastPosition) {
                nextPosition = positions.getAndAdd(POSITIONS_AT_ONCE);
                lastPosition = nextPosition + POSITIONS_AT_ONCE;
                if (journal != null) {
                    journal.require(lastPosition);
                }
            }
            return nextPosition++;
        }
    }

    /** Copies the rows of one split; rows of a partition are adjacent. */
    private final class SplitCopier implements Scan.SplitHandler {
        private final int partitionColumns = plan.partitionColumns();
        private final boolean hasClustering = plan.keyColumns() > partitionColumns;
        private final int number;
        /** Rows of the current split, and those left out; used by one thread at a time. */
        private long rowsOfSplit, leftOutOfSplit;
        /** The partition whose static columns were sent. */
        private byte[] lastPartition = {};

        SplitCopier(int number) {
            this.number = number;
        }

        @Override
        public void page(RowCursor rows) {
            Worker known = workers.poll();
            Worker worker = known != null ? known : new Worker();
            CopyJournal to = journal;
            if (to != null) {
                to.copying().lock();
            }
            try {
                while (failure.get() == null && rows.next()) {
                    copy(worker, rows);
                }
            } finally {
                if (to != null) {
                    to.copying().unlock();
                }
            }
            workers.add(worker);
        }

        @Override
        public void end() {
            if (journal != null && failure.get() == null) {
                journal.ended(number, rowsOfSplit, leftOutOfSplit);
            }
        }

        private void copy(Worker worker, RowCursor row) {
            boolean hasRow = !hasClustering || !row.isNull(partitionColumns);
            if (!hasRow && !plan.copiesStatics()) {
                return;
            }
            boolean withStatics = plan.staticsApart() && isNewPartition(row);
            rowsRead.increment();
            rowsOfSplit++;
            long position = worker.position();
            String problem;
            try {
                problem = worker.copier.copy(row, number, position, withStatics, hasRow);
            } catch (RuntimeException e) {
                rowsLost.increment();
                fail(e);
                throw e;
            }
            if (problem != null) {
                reject(number, position, worker.keys.bytes(row), problem);
            } else if (worker.copier.leftOut()) {
                rowsLeftOut.increment();
                leftOutOfSplit++;
            }
            if (worker.copier.sentStatics()) {
                lastPartition = Arrays.copyOfRange(row.array(), row.rowStart(), partitionEnd(row));
            }
        }

        private int partitionEnd(RowCursor row) {
            int last = partitionColumns - 1;
            return row.offset(last) + row.length(last);
        }

        private boolean isNewPartition(RowCursor row) {
            return !Arrays.equals(
                    row.array(), row.rowStart(), partitionEnd(row), lastPartition, 0, lastPartition.length);
        }
    }
}
