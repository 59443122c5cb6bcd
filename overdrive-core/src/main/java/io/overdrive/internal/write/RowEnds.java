package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RejectedRow;
import io.overdrive.RowCallback;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports to the program how its rows ended: rejected rows to its handler, and rows with a callback to that. Each has a thread, as
 * the program's code may wait, and write files. Thread-safe.
 */
final class RowEnds {
    private final Sender sender;
    private final @Nullable Consumer<RejectedRow> onReject;
    private final Executor rejects;
    private final Acknowledgements acknowledgements;

    /** @param onReject null: rejected rows fail the run */
    RowEnds(Sender sender, @Nullable Consumer<RejectedRow> onReject) {
        this.sender = sender;
        this.onReject = onReject;
        this.rejects = sender.transport.executor("overdrive-rejects");
        this.acknowledgements = new Acknowledgements(
                sender.transport.executor("overdrive-acknowledgements"), this::call, sender::ended);
    }

    /** Has the rows of a request handed over, which then finishes it; returns false if there is no handler. */
    boolean reject(WriteRequest write, String reason) {
        Consumer<RejectedRow> handler = onReject;
        if (handler == null) {
            return false;
        }
        rejects.execute(() -> handOver(handler, write, reason));
        return true;
    }

    private void handOver(Consumer<RejectedRow> handler, WriteRequest write, String reason) {
        write.refusal = reason;
        try {
            synchronized (handler) { // shared with separate writers
                for (int i = 0; i < write.rows() && !sender.isClosed(); i++) {
                    handler.accept(new RejectedRow(write.positions[i], write.attachment(i), reason));
                    sender.counts().rowsRejected.increment();
                    write.rowsRejected++;
                }
            }
            sender.finish(write);
        } catch (RuntimeException e) {
            sender.failWith(
                    new OverdriveException(Kind.WRITE, "the handler of rejected rows failed: " + e.getMessage(), e));
            sender.finish(write);
        } catch (Throwable e) {
            sender.broken(write, e);
        }
    }

    /** Has the callbacks of a finished request called. */
    void acknowledge(WriteRequest write) {
        acknowledgements.add(write);
    }

    private void call(RowCallback callback, WriteRequest write, int row) {
        try {
            callback.ended(write.positions[row], write.isWritten ? null : failureOf(write, row));
        } catch (Throwable e) {
            sender.failWith(new OverdriveException(
                    Kind.WRITE,
                    "[" + sender.layout.tableName + "] the callback of the row at position " + write.positions[row]
                            + " failed: " + e,
                    e));
        }
    }

    private @Nullable OverdriveException failureOf(WriteRequest write, int row) {
        return row >= write.rowsRejected
                ? sender.failure()
                : new OverdriveException(
                        Kind.ROW,
                        "[" + sender.layout.tableName + "] the row at position " + write.positions[row]
                                + " was rejected: " + write.refusal);
    }
}
