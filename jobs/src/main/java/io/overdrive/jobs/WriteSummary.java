package io.overdrive.jobs;

import org.jspecify.annotations.Nullable;

/** The report of a job that writes the rows that it reads. */
public interface WriteSummary extends Summary {
    /** The failure of a run that does not account for all of its rows. */
    String NOT_ACCOUNTED = "rows read are not rows written + rows rejected, which must never happen: run it again, and"
            + " report this";

    long rowsRead();

    long rowsWritten();

    long rowsRejected();

    /** Rows that were read, and are not among those to be written. */
    default long rowsLeftOut() {
        return 0;
    }

    /** Progress of the work on SSTables; null if rows are sent over CQL. */
    @Nullable ImportFigures imports();

    /** Whether each row that was read is written, rejected or left out. Rows that become SSTables are not written if the run is stopped. */
    default boolean accountsForRows() {
        return rowsRead() == rowsWritten() + rowsRejected() + rowsLeftOut()
                || (imports() != null && outcome() == Outcome.STOPPED);
    }
}
