package io.overdrive.jobs.load;

import io.overdrive.RejectedRow;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.jobs.RejectLimit;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rejected records of a load, which do not fit the table or whose rows the cluster refused: saves them, counts them,
 * and fails the load if there are more than its limit. Thread-safe.
 */
final class LoadRejects implements AutoCloseable {
    private final RejectFile file;
    private final RejectLimit limit;
    private final LongSupplier rowsRead;
    private final Consumer<RuntimeException> fail;
    private final @Nullable LoadJournal journal;
    private final ClusterRejects ofCluster = new ClusterRejects(this::keep);
    private final LongAdder rejectedHere = new LongAdder();
    private final LongAdder refusedByCluster = new LongAdder();
    private volatile boolean limitExceeded;

    /** Positions of records rejected since the last checkpoint; guarded by {@link #rejectedHere}, as is the file then. */
    private PositionSet newlyRejected = new PositionSet();

    /** Why a record could not be saved; guarded by {@link #rejectedHere}. */
    private @Nullable RuntimeException notSaved;

    /**
     * @param onCreated takes each file that is created, before it has a record
     * @param rowsRead the records read until now, including earlier runs
     * @param fail receives the failure that ends the load
     */
    LoadRejects(
            LoadOptions options,
            @Nullable LoadJournal journal,
            Consumer<RejectFile.Saved> onCreated,
            LongSupplier rowsRead,
            Consumer<RuntimeException> fail) {
        this.file = new RejectFile(
                options.savesRejects() ? options.rejectDirectory() : null,
                options.rejectName(),
                options.words(),
                onCreated);
        this.limit = options.maxRejects();
        this.journal = journal;
        this.rowsRead = rowsRead;
        this.fail = fail;
    }

    /** Continues the files of earlier runs. */
    void resume(List<RejectFile.Saved> files) {
        file.resume(files);
    }

    /**
     * Rejects a record that is not written. Under a lock, so that no record is rejected after the first one above the limit.
     *
     * @throws StopReading if the limit is exceeded
     */
    void reject(RawRecord record, Problem problem) {
        synchronized (rejectedHere) {
            if (limitExceeded) {
                throw new StopReading();
            }
            keep(record, problem);
            rejectedHere.increment();
            if (journal != null) {
                newlyRejected.add(record.position());
            }
            checkLimit(/* atEnd */ false);
        }
    }

    /** The number by which attachments of rows refer to the header. */
    int numberOf(FileHeader header) {
        return ofCluster.numberOf(header);
    }

    /** Rejects the record of a row that the cluster refused. */
    void refused(RejectedRow row) {
        ofCluster.add(row);
        refusedByCluster.increment();
        checkLimit(/* atEnd */ false);
    }

    /** Saves the records of rows that the cluster refused, by reading the input again if need be. */
    void lookUp(InputReader reader) {
        ofCluster.lookUp(reader);
    }

    /** A record that cannot be saved ends the load, but is counted, since its row is not written. */
    private void keep(RawRecord record, Problem problem) {
        try {
            file.reject(record, problem);
        } catch (RuntimeException e) {
            synchronized (rejectedHere) {
                notSaved = e;
            }
            fail.accept(e);
        }
    }

    void checkLimit(boolean atEnd) {
        // in this order, so that each rejected record has been counted as read
        long rejected = rows();
        long read = rowsRead.getAsLong();
        if (atEnd ? limit.isExceededAtEnd(rejected, read) : limit.isExceeded(rejected, read)) {
            limitExceeded = true;
            fail.accept(limit.exceeded("records", "the reasons are next to the rejected records"));
        }
    }

    /** The number of rejected records, including earlier runs. */
    long rows() {
        return before() + rejectedHere.sum() + refusedByCluster.sum();
    }

    private long before() {
        return journal == null ? 0 : journal.rejectedBefore();
    }

    /** Returns the rejects since the last checkpoint, without rows that the cluster refused. */
    LoadJournal.Rejected takeNew() {
        synchronized (rejectedHere) {
            if (notSaved != null) {
                throw notSaved;
            }
            LoadJournal.Rejected taken =
                    new LoadJournal.Rejected(newlyRejected, before() + rejectedHere.sum(), file.save());
            newlyRejected = new PositionSet();
            return taken;
        }
    }

    /** As {@link RejectFile#first}. */
    @Nullable String first() {
        return file.first();
    }

    List<Path> paths() {
        return file.paths();
    }

    @Override
    public void close() {
        file.close();
    }
}
