package io.overdrive.jobs.copy;

import io.overdrive.RowWriter;
import io.overdrive.jobs.Summary.Outcome;
import io.overdrive.jobs.journal.Acknowledged;
import io.overdrive.jobs.journal.LaterTimes;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.SplitJournal;
import io.overdrive.jobs.journal.SplitJournal.Reached;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * The journal of a copy: which splits are copied, with all their rows acknowledged or rejected. To know that, a checkpoint has the
 * workers pause until nothing is pending; the next one then comes so late that this takes at most a fiftieth of the time. Rows that were
 * written to disk stay pending until the end, so there are no checkpoints after the first of them.
 *
 * <p>Rows of splits that are not finished are copied again by a resumed run, with later write times. Therefore the journal also has
 * a bound of the write times of the run. Thread-safe.
 */
final class CopyJournal {
    static final int ROWS = 0;
    static final int REJECTED = 1;
    static final int LEFT_OUT = 2;

    /** Positions that may be used before the next checkpoint; their write times are a microsecond apart. */
    private static final long RESERVED_AT_ONCE = 2_000_000;

    private static final int PAUSES_APART = 50;

    private final SplitJournal journal;
    private final CopyRejects rejects;
    private final ReadWriteLock copying = new ReentrantReadWriteLock();
    /** Splits whose rows may not all be acknowledged. */
    private final Queue<Reached> ended = new ConcurrentLinkedQueue<>();

    private final long reservedBefore;
    private final long lastTimeBefore;
    private List<RowWriter> writers = List.of();
    private long nextNanos = System.nanoTime();
    private volatile long reserved;
    private byte[] savedRejects;

    CopyJournal(SplitJournal journal, CopyRejects rejects) {
        this.journal = journal;
        this.rejects = rejects;
        ByteBuffer last = ByteBuffer.wrap(journal.shared());
        boolean isFirst = !last.hasRemaining();
        reservedBefore = isFirst ? 0 : last.getLong();
        lastTimeBefore = isFirst ? 0 : last.getLong();
        savedRejects = new byte[last.remaining()];
        last.get(savedRejects);
        reserved = reservedBefore;
        rejects.restore(savedRejects, saved -> {
            savedRejects = saved;
            journal.checkpoint(List.of(), shared(reservedBefore, lastTimeBefore));
        });
    }

    private byte[] shared(long reservedTo, long lastTime) {
        return ByteBuffer.allocate(2 * Long.BYTES + savedRejects.length)
                .putLong(reservedTo)
                .putLong(lastTime)
                .put(savedRejects)
                .array();
    }

    /**
     * The first position of this process. Write times that follow from the clock are later than the write times of earlier processes anyway.
     *
     * @param isTimestampGiven whether write times start from a given one
     */
    long firstPosition(boolean isTimestampGiven) {
        return isTimestampGiven ? reservedBefore : 0;
    }

    /** As {@link LaterTimes#await}. */
    void awaitLaterTimes() {
        LaterTimes.await(lastTimeBefore);
    }

    /** Called once, before the first row. */
    void start(List<RowWriter> ofCopy, long firstPosition) {
        writers = ofCopy;
        reserved = firstPosition; // with other write times than before
        reserve(firstPosition);
    }

    /** Makes sure that positions up to this one may be used. */
    void require(long position) {
        if (position > reserved) {
            reserve(position);
        }
    }

    private synchronized void reserve(long position) {
        if (position + RESERVED_AT_ONCE / 2 > reserved) {
            long to = position + RESERVED_AT_ONCE;
            journal.checkpoint(List.of(), shared(to, lastTime(to)));
            reserved = to;
        }
    }

    private long lastTime(long position) {
        return writers.stream()
                .mapToLong(writer -> writer.writeTime(position))
                .max()
                .orElse(0);
    }

    /** Held by a worker while it gives rows to the writer. */
    Lock copying() {
        return copying.readLock();
    }

    /** All rows of a split were given to the writer, or left out. */
    void ended(int split, long rows, long leftOut) {
        ended.add(new Reached(split, Long.MAX_VALUE, /* isFinished */ true, new long[] {rows, 0, leftOut}));
    }

    /** Records the splits whose rows are acknowledged. Called by the thread of the checkpoints. */
    void checkpoint(long position) {
        long start = System.nanoTime();
        if (start - nextNanos >= 0) {
            copying.writeLock().lock();
            boolean isWritten;
            List<Reached> finished;
            try {
                finished = List.copyOf(ended);
                isWritten = !finished.isEmpty() && Acknowledged.await(writers);
                if (isWritten) {
                    finished = finish(finished);
                }
            } finally {
                copying.writeLock().unlock();
            }
            long now = System.nanoTime();
            nextNanos = now + PAUSES_APART * (now - start);
            if (isWritten) {
                save(finished, position);
            }
        }
        journal.status(State.RUNNING, journal.sum(ROWS), null);
    }

    /** Names the file of a key in the journal before the first row is rejected: a resumed run continues that file. */
    synchronized void beforeReject() {
        if (!rejects.hasFile()) {
            rejects.createFile();
            savedRejects = rejects.save();
            journal.checkpoint(List.of(), shared(reserved, lastTime(reserved)));
        }
    }

    private List<Reached> finish(List<Reached> copied) {
        List<Reached> finished = new ArrayList<>();
        for (Reached each : copied) {
            ended.remove(each);
            finished.add(new Reached(
                    each.split(),
                    each.token(),
                    /* isFinished */ true,
                    new long[] {each.figures()[ROWS], rejects.finish(each.split()), each.figures()[LEFT_OUT]}));
        }
        return finished;
    }

    private synchronized void save(List<Reached> finished, long position) {
        savedRejects = rejects.save();
        long to = Math.max(reserved, position + RESERVED_AT_ONCE);
        journal.checkpoint(finished, shared(to, lastTime(to)));
        reserved = to;
    }

    /**
     * Records how the copy has ended, when its writers are closed.
     *
     * @param isWritten whether all rows that were given to them are acknowledged or rejected
     */
    void end(Outcome outcome, boolean isWritten, long position, @Nullable RuntimeException failure) {
        if (isWritten) {
            save(finish(List.copyOf(ended)), position);
        }
        journal.status(State.valueOf(outcome.name()), journal.sum(ROWS), failure);
    }
}
