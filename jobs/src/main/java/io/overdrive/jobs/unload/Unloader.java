package io.overdrive.jobs.unload;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.formats.records.RecordWriter;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.flow.JobTimes;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.scan.RowDigest;
import io.overdrive.jobs.Job;
import io.overdrive.jobs.Plan;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.Workers;
import io.overdrive.jobs.journal.Checkpoints;
import io.overdrive.jobs.journal.OutputLock;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import io.overdrive.jobs.journal.SplitJournal.Remaining;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of a table or a query to files: several splits at once, cells directly from the page to text. {@link
 * #run} is called once; {@link #progress} and {@link #stop} from any thread.
 */
public final class Unloader implements Job<UnloadSummary> {
    /** Memory for rows that are written by the batch, apart from the copy that is written. */
    private static final long BATCH_MEMORY = 64 << 20;

    private static final int MIN_BATCH_BYTES = 256 << 10;

    final UnloadOptions options;
    final RowFeed rows;
    /** The number of columns, without the columns of times. */
    private final int columns;

    private final OutputFields fields;
    private final Output output;
    private final Queue<RowEncoder> encoders = new ConcurrentLinkedQueue<>();
    /** The number of splits with rows that wait for others. */
    private final AtomicInteger openBatches = new AtomicInteger();

    private final RowDigest digest = new RowDigest();
    private final LongAdder rowsWritten = new LongAdder();
    private final LongAdder rowsOfEndedSplits = new LongAdder();
    final LongAdder bytesWritten = new LongAdder();
    final AtomicInteger overlongFieldLines = new AtomicInteger();
    private final AtomicReference<NotKept> notKept = new AtomicReference<>(NotKept.NOTHING);
    private final NotKeptCounter.WithoutEmpty withoutEmpty;

    final long startNanos;
    private final @Nullable SplitJournal journal;
    private final String whyNotResumable;
    private final @Nullable OutputLock lock;
    private final long rowsBefore;
    private final int splitsBefore;
    /** Raised by each checkpoint, so that splits give a new position. */
    private final AtomicInteger checkpoints = new AtomicInteger();

    private boolean stopped;
    private volatile Outcome outcome = Outcome.RUNNING;
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    private Unloader(
            UnloadOptions options,
            UnloadScan from,
            OutputFields fields,
            NotKeptCounter.WithoutEmpty withoutEmpty,
            Output output,
            @Nullable OutputLock lock,
            @Nullable SplitJournal journal,
            String whyNotResumable) {
        this.options = options;
        this.rows = from.rows();
        this.startNanos = rows.startNanos();
        this.columns = from.columns().size();
        this.fields = fields;
        this.withoutEmpty = withoutEmpty;
        this.output = output;
        this.lock = lock;
        this.journal = journal;
        this.whyNotResumable = whyNotResumable;
        rowsBefore = journal == null ? 0 : journal.sum(Position.ROWS);
        splitsBefore = journal == null ? 0 : journal.finished();
        if (journal != null) {
            rowsWritten.add(rowsBefore);
            bytesWritten.add(journal.sum(Position.BYTES));
            for (Reached each : journal.reached()) {
                Position position = Position.of(each);
                addNotKept(position.notKept());
                if (each.isFinished()) {
                    addEnded(position);
                }
            }
        }
    }

    void addNotKept(NotKept more) {
        notKept.accumulateAndGet(more, NotKept::plus);
    }

    private void addEnded(Position position) {
        rowsOfEndedSplits.add(position.rows());
        digest.add(position.digestFirst(), position.digestSecond());
    }

    /**
     * Plans the scan and prepares the output.
     *
     * @throws OverdriveException of kind INPUT if the output cannot be written
     * @throws OverdriveException if the table or the query is invalid
     */
    public static Unloader open(Overdrive overdrive, ScanOptions read, UnloadOptions options) {
        return open(overdrive, read, options, /* request */ null);
    }

    /**
     * As {@link #open(Overdrive, ScanOptions, UnloadOptions)}, with a journal, by which the run can be resumed; or resumes a run.
     *
     * @param request without effect if the unload cannot be resumed ({@link #whyNotResumable}); null for no journal
     * @throws OverdriveException of kind INPUT also if a run cannot be resumed
     */
    public static Unloader open(
            Overdrive overdrive, ScanOptions read, UnloadOptions options, @Nullable RunRequest request) {
        return open(overdrive, read, options, UnloadScan.open(overdrive, read, options), request);
    }

    /** As {@link #open(Overdrive, ScanOptions, UnloadOptions, RunRequest)}, with the rows, which are closed if it fails. */
    static Unloader open(
            Overdrive overdrive,
            ScanOptions read,
            UnloadOptions options,
            UnloadScan from,
            @Nullable RunRequest request) {
        RowFeed rows = from.rows();
        SplitJournal journal = null;
        OutputLock lock = null;
        try {
            boolean isResume = request != null && request.isResume();
            if (!isResume) {
                DirectoryOutput.createMissing(options.directory());
                lock = lock(options);
            }
            OutputFields fields = OutputFields.of(options, overdrive, read, from);
            RecordWriter records = fields.writer(options);
            String whyNot = from.whyNotResumable(options);
            if (request != null && whyNot.isEmpty()) {
                journal = SplitJournal.open(
                        request, List.of(from.target(overdrive, read).rowsOf(read.source())));
            } else if (request != null && request.isResume()) {
                throw new OverdriveException(Kind.INPUT, "the run cannot be resumed: " + whyNot);
            }
            Path directory = options.directory();
            boolean isMissing = directory != null && !Files.exists(directory);
            if (isResume && !isMissing) {
                lock = lock(options); // after the run's lock, whose refusal says more
            }
            Output output = Output.of(options, rows.table(), records, journal);
            if (isMissing) {
                lock = lock(options); // it is created unless files of the run would be missing
            }
            if (journal != null) {
                from.prepare(journal);
            }
            return new Unloader(
                    options,
                    from,
                    fields,
                    NotKeptCounter.withoutEmpty(overdrive, read, rows, options),
                    output,
                    lock,
                    journal,
                    whyNot);
        } catch (RuntimeException e) {
            rows.close();
            if (lock != null) {
                lock.close();
            }
            if (journal != null) {
                journal.closeAfter(e);
            }
            throw e;
        }
    }

    /** Held until {@link #close}; null if rows go to standard output or to an object store. */
    private static @Nullable OutputLock lock(UnloadOptions options) {
        Path directory = options.directory();
        Path file = options.file();
        Path local = directory != null ? directory : file;
        if (local == null || !Location.isLocal(local)) {
            return null; // an object store has an object instead
        }
        return directory != null ? OutputLock.in(local) : OutputLock.of(local);
    }

    /** Why the unload has no journal even if one is wanted; empty if it can have one. */
    public String whyNotResumable() {
        return whyNotResumable;
    }

    @Override
    public MessageText resumed() {
        return Job.rowsDoneBefore(rowsBefore);
    }

    @Override
    public List<String> warnings() {
        return rows.warnings();
    }

    @Override
    public @Nullable String runId() {
        return journal == null ? null : journal.id();
    }

    @Override
    public Plan plan() {
        return new Plan(rows.plan()).of(options.after());
    }

    @Override
    public String effectOfStop() {
        return journal == null
                ? "stops, and deletes files that are not complete"
                : "stops, and keeps what it has written for a resumed run";
    }

    /** Maximum bytes of pages in memory, if no row is larger than a page. */
    public long pageMemory() {
        return rows.pageMemory();
    }

    @Override
    public UnloadSummary run() {
        SplitJournal to = journal;
        Map<Split, Remaining> bySplit = SplitJournal.remaining(to, rows.splits());
        Checkpoints regular = to == null ? null : Checkpoints.start(() -> checkpoint(to), this::failAndStop);
        Workers.guard(
                "these rows",
                this::ended,
                () -> rows.forEachSplit(
                        options.threads(), split -> new SplitWriter(Objects.requireNonNull(bySplit.get(split)))));
        if (regular != null) {
            regular.close();
        }
        if (to != null) {
            attempt(() -> checkpoint(to));
        }
        if (!stopped && failure.get() == null) {
            attempt(() -> output.finish(rowsWritten.sum(), options));
        }
        output.close();
        outcome = failure.get() != null ? Outcome.FAILED : stopped ? Outcome.STOPPED : Outcome.DONE;
        if (to != null) {
            attempt(() -> to.status(State.valueOf(outcome.name()), to.sum(Position.ROWS), failure.get()));
            outcome = failure.get() != null ? Outcome.FAILED : outcome;
        }
        return progress();
    }

    private void ended(RuntimeException early) {
        if (early instanceof OverdriveException e && e.kind() == Kind.INTERRUPTED) {
            stopped = true;
        } else {
            fail(early);
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            fail(cannotWrite(e));
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private static OverdriveException cannotWrite(IOException e) {
        return new OverdriveException(Kind.INPUT, "the output cannot be written: " + e.getMessage(), e);
    }

    private void fail(RuntimeException e) {
        failure.compareAndSet(null, e);
    }

    private void failAndStop(RuntimeException e) {
        fail(e);
        rows.stop();
    }

    private void checkpoint(SplitJournal to) {
        try {
            output.checkpoint(to);
        } catch (IOException e) {
            throw cannotWrite(e);
        }
        checkpoints.incrementAndGet();
        if (outcome == Outcome.RUNNING) {
            to.status(State.RUNNING, to.sum(Position.ROWS), null);
        }
    }

    /** Stops reading; {@link #run} then returns. It deletes incomplete files, unless the run has a journal. */
    @Override
    public boolean stop() {
        rows.stop();
        output.stop();
        return true;
    }

    @Override
    public UnloadSummary progress() {
        long given = rowsWritten.sum();
        long written = outcome == Outcome.RUNNING
                ? given
                : output.rowsKept(given, rowsOfEndedSplits.sum() + Position.rowsInFilesOfRest(journal));
        boolean isIncomplete = outcome == Outcome.FAILED || outcome == Outcome.STOPPED;
        return new UnloadSummary(
                written,
                journal != null && isIncomplete ? Math.max(0, journal.sum(Position.ROWS) - written) : 0,
                bytesWritten.sum(),
                output.storedBytes.sum(),
                rowsBefore,
                splitsBefore,
                Duration.ofNanos(System.nanoTime() - startNanos),
                rows.totals(),
                List.copyOf(output.files()),
                overlongFieldLines.get(),
                Objects.requireNonNull(notKept.get()),
                options.after() == null ? digest.toString() : "",
                outcome,
                failure.get());
    }

    @Override
    public JobTimes times() {
        return rows.times(output.writing.nanos(System.nanoTime()));
    }

    @Override
    public void close() {
        rows.close();
        if (lock != null) {
            lock.close();
        }
        if (journal != null) {
            journal.close();
        }
    }

    PageEncoder pageEncoder() {
        return new PageEncoder(this, fields.writer(options), fields, withoutEmpty);
    }

    /** The size of a batch, so that those of all splits being written fit into their memory, and files end near their limit. */
    int batchBytes() {
        long share = BATCH_MEMORY / Math.max(1, openBatches.get());
        return (int) Math.max(MIN_BATCH_BYTES, Math.min(share, options.limit().batchBytes()));
    }

    /** Writer of splits, used by one thread at a time, as the sink is. */
    final class SplitWriter implements Scan.SplitHandler {
        final Output.Sink to;
        private final RowDigest rowsOfSplit = new RowDigest();
        private final RowDigest.Part part = rowsOfSplit.part();
        final Bytes lastStatics = new Bytes(0); // of NewerCells.take
        long rows;
        long bytes;
        NotKept notKeptOfSplit;
        private final NextPosition next = new NextPosition(checkpoints.get());
        /** The encoder that holds rows of the split; null if none does. */
        private @Nullable RowEncoder held;

        SplitWriter(Remaining from) {
            Reached reached = from.reached();
            Position position = reached == null ? Position.START : Position.of(reached);
            to = output.split(from.number(), position);
            rows = position.rows();
            bytes = position.bytes();
            notKeptOfSplit = position.notKept();
            rowsOfSplit.add(position.digestFirst(), position.digestSecond());
        }

        /** Adds the values of a row to the digest, without their times. */
        void add(RowCursor row) {
            part.add(row, columns);
        }

        /** @param canWait whether a position should not be given without need */
        boolean wantsPosition(boolean canWait) {
            return journal != null && Unloader.this.rows.hasTokens() && next.isWanted(checkpoints.get(), canWait);
        }

        /** Whether the row is the first with its token. Called for all rows since a position is wanted. */
        boolean isAtNextToken(RowCursor row) {
            return next.isAtNextToken(row.token());
        }

        /** All rows up to the last token are written. */
        void reached() throws IOException {
            to.reached(position(next.give(checkpoints.get()), /* isFinished */ false));
        }

        private Position position(long upTo, boolean isFinished) {
            part.finish();
            return new Position(
                    upTo,
                    isFinished,
                    rows,
                    bytes,
                    rowsOfSplit.first(),
                    rowsOfSplit.second(),
                    Position.Place.START,
                    notKeptOfSplit);
        }

        @Override
        public void page(RowCursor page) {
            RowEncoder encoder = encoder();
            long before = rows;
            try {
                encoder.write(page, this);
            } catch (IOException e) {
                throw cannotWrite(e);
            }
            rowsWritten.add(rows - before);
            if (encoder.isBatched()) {
                held = encoder;
            } else {
                encoders.add(encoder);
            }
        }

        private RowEncoder encoder() {
            RowEncoder own = held;
            if (own != null) {
                return own;
            }
            RowEncoder free = encoders.poll();
            RowEncoder encoder = free != null ? free : RowEncoder.of(Unloader.this);
            if (encoder.isBatched()) {
                openBatches.incrementAndGet();
            }
            return encoder;
        }

        /** Writes the rows that wait for others. */
        private void release() {
            RowEncoder own = held;
            if (own == null) {
                return;
            }
            try {
                own.flush(this);
            } catch (IOException e) {
                throw cannotWrite(e);
            }
            held = null;
            openBatches.decrementAndGet();
            encoders.add(own);
        }

        @Override
        public void end() {
            release();
            Position last = position(Long.MAX_VALUE, /* isFinished */ true);
            try {
                to.end(last);
            } catch (IOException e) {
                throw cannotWrite(e);
            }
            addEnded(last);
        }
    }
}
