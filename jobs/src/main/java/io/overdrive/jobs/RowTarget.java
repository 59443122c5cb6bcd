package io.overdrive.jobs;

import io.overdrive.OverdriveException;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import io.overdrive.WriteTimes;
import io.overdrive.internal.flow.JobTimes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the rows of a load or a copy end. The job opens writers, which give rows their form and their write times; a target has the writers
 * send the rows, or takes them elsewhere. The thread of {@link Job#run} calls {@link #deliver} and {@link #clean}; any thread calls the
 * others.
 */
public interface RowTarget {
    /** A sink for another thread, for rows of one of the writers. */
    RowSink sink(RowWriter writer);

    /**
     * Whether a failure leaves nothing behind of the rows that were taken. If not, some of them may be there and others missing, and the
     * user has to know how to finish the job.
     */
    boolean isAllOrNothing();

    /**
     * Completes the work when all rows were read without a failure.
     *
     * @return false if it was stopped before
     * @throws OverdriveException if it fails
     */
    default boolean deliver() {
        return true;
    }

    /** Deletes files that are not needed once the job has ended, however it did. */
    default void clean() {}

    /** Ends the work early; false if it is too late for that. */
    default boolean stop() {
        return true;
    }

    /**
     * Rows that are where they should be.
     *
     * @param taken rows that the sinks have taken
     * @param acknowledged of these, the rows that the cluster has acknowledged to the writers
     * @param isDone whether the job has ended as it should
     */
    long rowsWritten(long taken, long acknowledged, boolean isDone);

    /**
     * The write times of rows that have none in the input; null if they do not matter.
     *
     * @param writers of the job
     * @param position up to which rows were read; 0 if none was
     */
    @Nullable WriteTimes writeTimes(List<RowWriter> writers, long position);

    /**
     * Where the threads of the job have spent their time.
     *
     * @param reading their time to read, with the waits of the writers
     * @param threads that read
     */
    default JobTimes times(JobTimes reading, int threads) {
        return reading;
    }

    /**
     * The part of the plan about writing.
     *
     * @param rows the writer of most rows
     */
    default Plan.Part plan(RowWriter rows, WriteOptions options) {
        return Plan.Writes.of(rows, options);
    }

    /** The effect of {@link #stop} on the job, for the user. */
    default String effectOfStop() {
        return "stops reading, and writes what it has read";
    }

    /** Warnings for the user before the job begins, a sentence each. */
    default List<String> warnings() {
        return List.of();
    }

    /**
     * Progress of the work on SSTables; null if there are none.
     *
     * @param taken rows that the sinks have taken
     */
    default @Nullable ImportFigures imports(long taken) {
        return null;
    }

    /** Releases its resources. */
    default void close() {}
}
