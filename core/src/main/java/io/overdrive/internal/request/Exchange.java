package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;
import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.flow.Outcome;
import io.overdrive.internal.wire.Wire;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One sending of a request to a node. It ends exactly once: by an answer, a lost connection or the timeout, whichever
 * comes first; later ones are ignored. One of {@link #onAnswer} and {@link #onSilence} is then called, by the driver's I/O
 * thread, the connection's timer or the sending thread; an exception from it, or from sending, goes to {@link #onException}.
 * Thread-safe; on the hot path (write step 5).
 */
public abstract class Exchange extends Wire.Request implements Ending {
    protected final Node node;
    protected final int bytes;
    final long startNanos;
    private final InFlight inFlight;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** @param bytes of the request */
    protected Exchange(InFlight inFlight, Node node, int bytes) {
        this.inFlight = inFlight;
        this.node = node;
        this.bytes = bytes;
        this.startNanos = inFlight.transport.nanoTime();
    }

    /** Sends the request; if there is no connection to the node, and none is being set up, it ends before this returns. */
    public final void send(Message message) {
        try {
            inFlight.add(this);
            if (!inFlight.transport.send(node, message, this)) {
                failed(null, /* sent */ false);
            }
        } catch (Throwable e) {
            if (end(Outcome.LOST)) {
                onException(e);
            }
        }
    }

    private boolean end(Outcome outcome) {
        return end(outcome, bytes);
    }

    private boolean end(Outcome outcome, int size) {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        inFlight.remove(this, outcome, size);
        onEnd();
        return true;
    }

    /** Called once however it ends, before the others: a request whose permit is for one sending returns it here. */
    protected void onEnd() {}

    @Override
    protected final void answered(Message answer) {
        Outcome outcome = answer instanceof Error error ? outcome(error.code) : Outcome.ANSWERED;
        if (end(outcome, answeredBytes(answer))) {
            try {
                count(answer);
                onAnswer(answer);
            } catch (Throwable e) {
                onException(e);
            }
        }
    }

    /** A node that has forgotten the statement has not failed. */
    private void count(Message answer) {
        if (!(answer instanceof Error error)) {
            inFlight.budget.succeeded(isRetry());
        } else if (error.code == ErrorCode.UNPREPARED && isRetry()) {
            inFlight.budget.giveBack();
        }
    }

    /** Whether this was sent by {@link InFlight#retry}. */
    protected boolean isRetry() {
        return false;
    }

    /** Size of the work that was answered, to compare round trips: for a request that reads, the size of the answer. */
    protected int answeredBytes(Message answer) {
        return bytes;
    }

    private static Outcome outcome(int errorCode) {
        return switch (errorCode) {
            case ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.WRITE_TIMEOUT, ErrorCode.READ_TIMEOUT ->
                Outcome.OVERLOADED;
            default -> Outcome.ANSWERED;
        };
    }

    @Override
    protected final void failed(@Nullable Throwable cause, boolean sent) {
        if (end(Outcome.LOST)) {
            try {
                if (sent) {
                    inFlight.lost(node);
                } else if (isRetry()) {
                    inFlight.budget.giveBack();
                }
                String message = cause == null ? null : cause.getMessage();
                onSilence(
                        sent,
                        cause == null || message == null
                                ? sent
                                        ? "the connection to " + NodeName.of(node) + " was lost"
                                        : "there is no connection to " + NodeName.of(node)
                                : reason(cause, message));
            } catch (Throwable e) {
                onException(e);
            }
        }
    }

    /** The driver's message, and its causes. */
    private static String reason(Throwable failure, String message) {
        Throwable innermost = failure;
        while (innermost.getCause() != null && innermost.getCause() != innermost) {
            innermost = innermost.getCause();
        }
        if (innermost instanceof OutOfMemoryError noMemory) {
            return JavaHeap.tooSmall(noMemory);
        }
        return innermost == failure
                ? message
                : message + ": "
                        + Objects.requireNonNullElse(
                                innermost.getMessage(), innermost.getClass().getName());
    }

    final void timeOut(long now, long timeoutNanos) {
        if (now - startNanos > timeoutNanos && end(Outcome.TIMED_OUT)) {
            try {
                onSilence(
                        /* sent */ true,
                        NodeName.of(node) + " did not answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                                + " ms");
            } catch (Throwable e) {
                onException(e);
            }
        }
    }
}
