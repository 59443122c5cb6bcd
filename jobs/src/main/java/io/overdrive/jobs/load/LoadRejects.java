package io.overdrive.jobs.load;

import io.overdrive.RejectedRow;
import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader;
import io.overdrive.formats.records.InputReader.RawRecord;
import io.overdrive.jobs.RejectLimit;
import io.overdrive.jobs.load.MappingListener.StopReading;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rejected records of a load, which do not fit the table or whose rows the cluster refused: saves them, counts them,
 * and fails the load if there are more than its limit. Thread-safe.
 */
final class LoadRejects implements AutoCloseable {
    private final RejectFile file;
    /** Null unless a query reads other records, which are rejected, too. */
    private final @Nullable RejectFile ofInput;

    private final RejectLimit limit;
    private volatile LongSupplier rowsRead;
    private volatile Consumer<RuntimeException> fail;
    private final @Nullable LoadJournal journal;
    private final ClusterRejects ofCluster;
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
        this(options, journal, file(options, options.rejectName(), onCreated), /* ofInput */ null, rowsRead, fail);
    }

    private LoadRejects(
            LoadOptions options,
            @Nullable LoadJournal journal,
            RejectFile file,
            @Nullable RejectFile ofInput,
            LongSupplier rowsRead,
            Consumer<RuntimeException> fail) {
        this.file = file;
        this.ofInput = ofInput;
        this.ofCluster = new ClusterRejects((record, problem) -> keep(file, record, problem));
        this.limit = options.maxRejects();
        this.journal = journal;
        this.rowsRead = rowsRead;
        this.fail = fail;
    }

    /** Rejects of records that a query reads, and of rows of its result, in separate files. */
    static LoadRejects ofQuery(LoadOptions options, LongSupplier rowsRead, Consumer<RuntimeException> fail) {
        return new LoadRejects(
                options,
                /* journal */ null,
                file(options, options.rejectName() + ".result.jsonl", created -> {}),
                file(options, options.rejectName(), created -> {}),
                rowsRead,
                fail);
    }

    private static RejectFile file(LoadOptions options, String name, Consumer<RejectFile.Saved> onCreated) {
        return new RejectFile(
                options.savesRejects() ? options.rejectDirectory() : null, name, options.words(), onCreated);
    }

    /**
     * Reports to another one from now on.
     *
     * @param records the records read until now
     * @param failed receives the failure that ends the load
     */
    void reportTo(LongSupplier records, Consumer<RuntimeException> failed) {
        rowsRead = records;
        fail = failed;
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
        reject(file, record, problem);
    }

    /** As {@link #reject}, for a record that a query reads. */
    void rejectInput(RawRecord record, Problem problem) {
        reject(Objects.requireNonNull(ofInput), record, problem);
    }

    private void reject(RejectFile to, RawRecord record, Problem problem) {
        synchronized (rejectedHere) {
            if (limitExceeded) {
                throw new StopReading();
            }
            keep(to, record, problem);
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
    private void keep(RejectFile to, RawRecord record, Problem problem) {
        try {
            to.reject(record, problem);
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
        String first = ofInput == null ? null : ofInput.first();
        return first == null ? file.first() : first;
    }

    List<Path> paths() {
        return ofInput == null
                ? file.paths()
                : Stream.concat(ofInput.paths().stream(), file.paths().stream()).toList();
    }

    @Override
    public void close() {
        file.close();
        if (ofInput != null) {
            ofInput.close();
        }
    }
}
