package io.overdrive.jobs.load;

import io.overdrive.formats.records.FileHeader;
import io.overdrive.formats.records.InputReader.RawRecord;

/** Receives the rejected records of a {@link RowMapper}, and other events. */
interface MappingListener {
    /** Ends the parsing of a block; the current record does not count as read. */
    final class StopReading extends RuntimeException {
        private static final long serialVersionUID = 1;

        StopReading() {
            super("reading was stopped", null, /* enableSuppression */ false, /* writableStackTrace */ false);
        }
    }

    /** Whether to stop reading; checked before each record. */
    boolean isStopping();

    /** Called for the record at which reading stopped, which is not written. */
    void unread(FileHeader header, long line, long position);

    /** @throws StopReading if no more records are to be rejected */
    void rejected(RawRecord record, Problem problem);

    /** The listener's number for the header. */
    int numberOf(FileHeader header);

    /** Called when the sink has failed and takes no more rows. */
    void failed(RuntimeException failure);
}
