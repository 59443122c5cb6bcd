package io.overdrive.jobs.journal;

import io.overdrive.RowWriter;
import io.overdrive.Totals;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for acknowledgements, so that a checkpoint can rely on rows being written. Stateless. */
public final class Acknowledged {
    private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private Acknowledged() {}

    /**
     * Sends the pending rows of writers to which nothing is given meanwhile, and waits until all are written or rejected.
     *
     * @return false if they are not after a while, or will not be before the writers are closed: rows on disk, or of a writer that
     *     has failed
     */
    public static boolean await(List<RowWriter> writers) {
        long start = System.nanoTime();
        writers.forEach(RowWriter::flush);
        for (RowWriter writer : writers) {
            for (Totals now = writer.totals();
                    now.rowsWritten() + now.rowsRejected() < now.rowsTaken();
                    now = writer.totals()) {
                if (writer.failure() != null || now.rowsSpilled() > 0 || System.nanoTime() - start > MAX_WAIT_NANOS) {
                    return false;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return true;
    }
}
