package io.overdrive.jobs.load;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.Repetition;
import io.overdrive.WriteSetting;
import io.overdrive.formats.records.InputFile;
import io.overdrive.formats.records.InputReader;
import io.overdrive.internal.disk.Ahead;
import io.overdrive.internal.names.JobOption;
import io.overdrive.jobs.journal.Journal;
import io.overdrive.jobs.journal.LaterTimes;
import io.overdrive.jobs.journal.RunDirectory;
import io.overdrive.jobs.journal.RunInfo;
import io.overdrive.jobs.journal.RunRequest;
import io.overdrive.jobs.journal.RunStatus;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunTarget;
import io.overdrive.jobs.load.LoadProgress.Begin;
import io.overdrive.jobs.load.LoadProgress.Checkpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a load: which positions need not be read again, because their rows are acknowledged, or their records are in a
 * reject file that is on disk. Rows that the cluster refused are not among them; a resumed run tries them again.
 *
 * <p>Acknowledgements come on I/O threads, by {@link #written}, and files of rejected records by {@link #rejectFileCreated}, from any
 * other thread. The rest is called by one thread at a time: the one that opens and runs the load, and between these the thread of the
 * journal.
 */
final class LoadJournal implements AutoCloseable {
    /**
     * Maximum bytes of remembered positions: rows at further positions are written again when the run is resumed, with
     * the same write times.
     */
    static final long MAX_POSITIONS_BYTES = 32 << 20;

    private final PositionQueue acknowledged = new PositionQueue();
    private final PositionBits collected = new PositionBits();
    /** Changed under the lock of this. */
    private final LoadProgress progress = new LoadProgress();

    private final long maxBytes;
    private volatile @Nullable RunDirectory run;
    /** The run whose place this one takes: locked until this one is, so that no other process begins one meanwhile. */
    private @Nullable RunDirectory replaced;

    private @Nullable Journal journal;
    /** Positions that earlier runs have finished. Not changed any more when the workers start. */
    private WrittenBefore before = WrittenBefore.NOTHING;

    private long rejectedBefore;
    private boolean isResumed;
    /** Whether a resumed run writes all rows again. */
    private boolean startsOver;

    /** Whether positions are no longer remembered. */
    private boolean isFull;

    private List<RejectFile.Saved> lastRejects = List.of();

    /** @param maxBytes of positions, such as {@link #MAX_POSITIONS_BYTES} */
    LoadJournal(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** The load, as far as the journal needs it. */
    interface Load {
        /** The records rejected until now, and their files, when these are written; the two belong together. */
        Rejected rejected();

        /** The part of each input file that was read, from a file on. */
        List<InputReader.Prefix> prefixes(int fromFile);

        /** How far the write times are ahead of the clock, in microseconds. */
        long aheadMicros();

        /** How far the load is. */
        LoadSummary summary();
    }

    /**
     * Rejected records.
     *
     * @param positions those rejected since the last call
     * @param count number of all rejected records, including earlier runs
     */
    record Rejected(PositionSet positions, long count, List<RejectFile.Saved> files) {}

    /**
     * Opens the journal of the run to resume, and compares the input with what that has read.
     *
     * @return the difference of the input, if the run is to be resumed only if it is; null if it is resumed
     * @throws OverdriveException of kind INPUT if the input is another one, or the run cannot be resumed
     */
    @Nullable String resume(RunRequest request, List<InputFile> files) {
        RunDirectory resumed = request.resume();
        run = resumed;
        isResumed = true;
        journal = Journal.open(resumed.files(), resumed.path().toString(), progress::replay);
        String other = otherInput(resumed.info().inputs(), files);
        Begin begun = progress.begin();
        if (other != null) {
            if (request.onlyIfInputIsSame()) {
                if (begun != null && begun.repetition() == Repetition.CHANGES_ROWS) {
                    throw new OverdriveException(
                            Kind.INPUT,
                            words -> "the run did not finish, and its input is not the same now: " + other
                                    + "; rows of its input that are loaded again would count twice, so that no new run"
                                    + " begins: load what the run has not read, without "
                                    + words.of(JobOption.RESUME_IF_ANY));
                }
                return other;
            }
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "the run cannot be resumed, because its input is not the same: " + other + "; "
                            + RunInfo.WAY_OUT.in(words));
        }
        startsOver = begun != null && begun.repetition() == Repetition.NEEDS_LATER_TIMES;
        lastRejects = progress.rejects();
        rejectedBefore = startsOver ? 0 : progress.rejected();
        before = new WrittenBefore(progress.takePositions());
        return null;
    }

    private @Nullable String otherInput(List<RunInfo.Input> then, List<InputFile> now) {
        for (int i = 0; i < Math.max(then.size(), now.size()); i++) {
            if (i >= now.size()
                    || i >= then.size()
                    || !then.get(i).path().equals(now.get(i).name())) {
                return i < now.size() && i < then.size()
                        ? "input " + (i + 1) + " was " + then.get(i).path() + ", and is "
                                + now.get(i).name()
                        : i < now.size()
                                ? now.get(i).name() + " was not among the inputs"
                                : then.get(i).path() + " is no longer among the inputs";
            }
            String other = otherInput(then.get(i), now.get(i));
            if (other != null) {
                return other;
            }
        }
        return otherContent(progress.prefixes(), now);
    }

    private static @Nullable String otherContent(List<InputReader.Prefix> prefixes, List<InputFile> now) {
        try (Ahead<Boolean> same =
                new Ahead<>(prefixes.size(), number -> now.get(number).isReadAhead(), number -> now.get(number)
                        .startsWith(prefixes.get(number)))) {
            for (int i = 0; i < prefixes.size(); i++) {
                if (!same.take(i)) {
                    return now.get(i).name() + ": the first " + prefixes.get(i).bytes()
                            + " bytes, which the run has read, are not the same any more";
                }
                now.get(i).checkSum(prefixes.get(i));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e); // interrupted
        }
        return null;
    }

    private static @Nullable String otherInput(RunInfo.Input then, InputFile now) {
        long bytes = now.sizeBytes().orElse(-1);
        if (bytes != then.bytes()) {
            return now.name() + " had " + then.bytes() + " bytes, and has " + bytes;
        }
        Instant modified = now.modified().orElse(Instant.EPOCH);
        return modified.equals(then.modified())
                ? null
                : now.name() + " was last changed at " + then.modified() + " when the run began, and now at "
                        + modified;
    }

    /** The write time of position 0 of the run, if the rows that are resumed get the same as before. */
    @Nullable Long baseTimestamp() {
        Begin begin = progress.begin();
        return begin == null || startsOver ? null : begin.baseTimestamp();
    }

    /** Files of rejected records to continue. */
    List<RejectFile.Saved> rejectFiles() {
        return lastRejects;
    }

    /** Waits until the clock is beyond all write times of the run, if its rows need later ones. */
    void awaitLaterTimes(boolean isTimestampGiven) {
        if (!startsOver) {
            return;
        }
        if (isTimestampGiven) {
            throw new OverdriveException(
                    Kind.INPUT,
                    words -> "the run cannot be resumed: it writes lists that are not frozen, which need later write"
                            + " times, and " + words.of(WriteSetting.TIMESTAMP) + " gives the same ones: begin a new"
                            + " run with a later one");
        }
        LaterTimes.await(progress.latestWriteTime());
    }

    /** Waits until the clock is beyond all write times of the run, so that a new run which has its place wins. */
    void awaitItsTimes() {
        LaterTimes.await(progress.latestWriteTime());
    }

    /** The journal of a new run in place of this one, which is closed, but for the lock of its run. */
    LoadJournal inPlace() {
        LoadJournal next = new LoadJournal(maxBytes);
        next.replaced = run;
        run = null;
        close();
        return next;
    }

    /**
     * Begins a run, or continues the resumed one, before the first row is written.
     *
     * @throws OverdriveException of kind INPUT if the table is not that of the run; of kind DISK if the journal cannot be written
     */
    void begin(RunRequest request, RunTarget target, List<InputFile> files, Begin now) {
        RunDirectory current = run;
        if (current == null) {
            current = request.begin(
                    List.of(target),
                    files.stream()
                            .map(each -> new RunInfo.Input(
                                    each.name(),
                                    each.sizeBytes().orElse(-1),
                                    each.modified().orElse(Instant.EPOCH)))
                            .toList(),
                    Map.of());
            run = current;
            journal = Journal.open(current.files(), current.path().toString(), each -> {});
            release();
        } else {
            current.info().requireSameTargets(List.of(target));
        }
        startsOver = now.repetition() == Repetition.NEEDS_LATER_TIMES;
        if (progress.begin() == null || startsOver) {
            Journal to = opened();
            to.append(progress.begin(now));
            to.sync();
        }
    }

    private Journal opened() {
        Journal opened = journal;
        if (opened == null) {
            throw new IllegalStateException("no run was begun");
        }
        return opened;
    }

    /** The run's id, as users type it; null before {@link #begin}. */
    @Nullable String id() {
        RunDirectory current = run;
        return current == null ? null : current.id();
    }

    /** Whether the run was begun by another process. */
    boolean isResumed() {
        return isResumed;
    }

    /** Whether a resumed run writes all rows again, with later write times. */
    boolean startsOver() {
        return startsOver;
    }

    WrittenBefore before() {
        return before;
    }

    /** Number of records that earlier runs have rejected. */
    long rejectedBefore() {
        return rejectedBefore;
    }

    /** Notes acknowledged rows. Any thread; does not wait. */
    void written(long[] positions) {
        acknowledged.add(positions);
    }

    /**
     * Records finished work, in this order: rows that are acknowledged until now, rejected records with their files, which are
     * forced, and the positions read, which include all of those.
     *
     * @throws OverdriveException of kind DISK if it cannot be written
     */
    void checkpoint(Load load) {
        PositionSet positions = takeAcknowledged();
        if (startsOver) {
            lastRejects = load.rejected().files();
            append(new Checkpoint(
                    positions, 0, emptied(lastRejects), progress.filesEnded(), prefixes(load), latest(load)));
        } else if (!isFull) {
            Rejected rejected = load.rejected();
            positions.addAll(rejected.positions());
            positions.compact();
            isFull = before.bytes() + progress.positionsBytes() + positions.bytes() > maxBytes;
            if (!isFull) {
                if (!rejected.files().equals(lastRejects)) {
                    RejectFile.force(rejected.files());
                    lastRejects = rejected.files();
                }
                append(new Checkpoint(
                        positions,
                        rejected.count(),
                        rejected.files(),
                        progress.filesEnded(),
                        prefixes(load),
                        latest(load)));
            }
        }
        write();
        status(State.RUNNING, load.summary());
    }

    private PositionSet takeAcknowledged() {
        if (startsOver || isFull) {
            acknowledged.drain(position -> {});
        } else {
            acknowledged.drain(collected::add);
        }
        return collected.take();
    }

    /**
     * Appends a checkpoint under a lock that is not held while the load gives its figures, as it may wait for {@link
     * #rejectFileCreated} then.
     */
    private synchronized void append(Checkpoint checkpoint) {
        opened().append(progress.add(checkpoint));
    }

    private synchronized void write() {
        Journal to = opened();
        if (to.wantsSnapshot()) {
            to.replace(progress.snapshot(before.positions()));
        } else {
            to.sync();
        }
    }

    /**
     * Names a file of rejected records that was created and is still empty. A resumed run empties it, unless a later checkpoint has
     * its length. Any thread; waits for the disk.
     *
     * @throws OverdriveException of kind DISK if it cannot be written
     */
    synchronized void rejectFileCreated(RejectFile.Saved file) {
        Journal to = opened();
        to.append(progress.add(file));
        to.sync();
    }

    private List<InputReader.Prefix> prefixes(Load load) {
        return progress.longer(load.prefixes(progress.filesEnded()));
    }

    /** A bound for the write times until the next checkpoint. */
    private long latest(Load load) {
        long ahead = load.aheadMicros();
        Begin begin = progress.begin();
        if (ahead == 0 || begin == null) {
            return 0;
        }
        long last = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) + ahead;
        return last + (last - begin.baseTimestamp());
    }

    private static List<RejectFile.Saved> emptied(List<RejectFile.Saved> files) {
        return files.stream()
                .map(each -> new RejectFile.Saved(each.path(), each.shape(), 0, 0))
                .toList();
    }

    private void status(State state, LoadSummary now) {
        RunDirectory current = run;
        if (current != null) {
            RuntimeException failure = now.failure();
            current.status(new RunStatus(
                    state,
                    Instant.now(),
                    now.rowsWritten() + now.rowsRejected(),
                    now.done(),
                    failure == null ? "" : current.described(failure)));
        }
    }

    /** Records how the load ended. */
    void end(LoadSummary end) {
        boolean isWhole = end.rowsRead() == end.rowsWritten() + end.rowsRejected();
        State state =
                switch (end.outcome()) {
                    case DONE -> isWhole ? State.DONE : State.FAILED;
                    case STOPPED -> State.STOPPED;
                    case FAILED, RUNNING -> State.FAILED;
                };
        status(state, end);
    }

    private void release() {
        RunDirectory before = replaced;
        replaced = null;
        if (before != null) {
            before.close();
        }
    }

    /** Releases the run. */
    @Override
    public void close() {
        release();
        Journal opened = journal;
        journal = null;
        RunDirectory current = run;
        run = null;
        try (current) {
            if (opened != null) {
                opened.close();
            }
        }
    }
}
