package io.overdrive.internal.write;

import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RejectedRow;
import io.overdrive.RowCallback;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports to the program how its rows ended: rejected rows to its handler, and rows with a callback to that. Each has a thread, as
 * the program's code may wait, and write files. Thread-safe.
 */
final class RowEnds {
    /** Rejected rows that may wait for their handler, in bytes. While there are more, producers wait. */
    static final long MAX_WAITING_BYTES = 8 << 20;

    /** Memory of a request in addition to its body and attachments. */
    private static final int REQUEST_BYTES = 256;

    private static final long CHECK_MILLIS = 100;

    private final Sender sender;
    private final @Nullable Consumer<RejectedRow> onReject;
    private final Executor rejects;
    private final Acknowledgements acknowledgements;
    private final AtomicLong waitingBytes = new AtomicLong();
    private final Object room = new Object();
    /** The one that calls the reject handler at this moment, which may write rows itself. */
    private volatile @Nullable Thread handing;

    /** @param onReject null: rejected rows fail the run */
    RowEnds(Sender sender, @Nullable Consumer<RejectedRow> onReject) {
        this.sender = sender;
        this.onReject = onReject;
        this.rejects = sender.transport.executor("overdrive-rejects");
        this.acknowledgements = new Acknowledgements(
                sender.transport.executor("overdrive-acknowledgements"), this::call, sender::ended);
    }

    /** Hands over the rows of a request, which then finishes it; returns false if there is no handler. */
    boolean reject(WriteRequest write, String reason) {
        Consumer<RejectedRow> handler = onReject;
        if (handler == null) {
            return false;
        }
        long bytes = bytes(write);
        waitingBytes.addAndGet(bytes);
        try {
            rejects.execute(() -> handOver(handler, write, reason, bytes));
        } catch (Throwable e) {
            handedOver(bytes);
            throw e;
        }
        return true;
    }

    private static long bytes(WriteRequest write) {
        long bytes = REQUEST_BYTES + write.body.length + (long) write.rows() * Long.BYTES;
        for (int i = 0; write.attachments != null && i < write.rows(); i++) {
            byte[] attachment = write.attachment(i);
            bytes += attachment == null ? 0 : attachment.length;
        }
        return bytes;
    }

    /** Whether the reject handler keeps up, so that this thread need not wait for it. */
    boolean hasRoom() {
        return waitingBytes.get() <= MAX_WAITING_BYTES || Thread.currentThread() == handing;
    }

    /** Waits while the reject handler has too much to do, until the run fails. Called by producers. */
    void awaitRoom() {
        if (hasRoom()) {
            return;
        }
        boolean interrupted = false;
        synchronized (room) {
            while (waitingBytes.get() > MAX_WAITING_BYTES && sender.failure() == null) {
                try {
                    room.wait(CHECK_MILLIS);
                } catch (InterruptedException e) {
                    interrupted = true; // the row is accepted already; its producer checks the flag before the next
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** @throws IllegalStateException if the reject handler or a callback has called this, for which {@link Sender#drain} would wait */
    void requireOtherThread() {
        if (Thread.currentThread() == handing || acknowledgements.isCalling()) {
            throw new IllegalStateException("[" + sender.layout.tableName
                    + "] close() waits for the reject handler and for callbacks, so these must not call it: let another"
                    + " thread do that, or call abandon()");
        }
    }

    private void handedOver(long bytes) {
        if (waitingBytes.addAndGet(-bytes) <= MAX_WAITING_BYTES) {
            synchronized (room) {
                room.notifyAll();
            }
        }
    }

    private void handOver(Consumer<RejectedRow> handler, WriteRequest write, String reason, long bytes) {
        handing = Thread.currentThread();
        try {
            handOver(handler, write, reason);
        } finally {
            handing = null;
            handedOver(bytes);
        }
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

    /** Calls the callbacks of a finished request. */
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
