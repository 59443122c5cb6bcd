package io.overdrive.jobs;

import org.jspecify.annotations.Nullable;

/** The report of a job that writes the rows that it reads. */
public interface WriteSummary extends Summary {
    long rowsRead();

    long rowsWritten();

    long rowsRejected();

    /** Progress of the work on SSTables; null if rows are sent over CQL. */
    @Nullable ImportFigures imports();

    /** Whether each row that was read is written or rejected. Rows that become SSTables are not written if the run is stopped. */
    default boolean accountsForRows() {
        return rowsRead() == rowsWritten() + rowsRejected() || (imports() != null && outcome() == Outcome.STOPPED);
    }
}
