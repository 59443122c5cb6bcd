package io.overdrive.bench.stress;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Result;
import io.overdrive.Overdrive;
import io.overdrive.TableSchema;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.request.Ending;
import io.overdrive.internal.request.Exchange;
import io.overdrive.internal.request.InFlight;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.internal.request.ServerMessage;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.wire.RawMessage;
import io.overdrive.internal.wire.RawRows;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends each operation of a load to a replica, once: a failure is counted and not retried, because a retry is an operation
 * that is not part of the load. {@link #send} is confined to the sending thread; answers come on the driver's I/O threads.
 * On the path of each operation.
 *
 * <p>There is no separate timeout. A slow server is what is to be measured, and one that never answers is noticed by the
 * driver's heartbeats, which close the connection and so end all operations in flight on it.
 */
final class OperationSender {
    private static final int MAX_REASON_LENGTH = 160;
    /** Divisor of the heap: operations in flight may take an eighth of it. */
    private static final int SHARE_OF_HEAP = 8;

    private static final int BYTES_BESIDES_BODY = 1_000;

    private final StressRecorder recorder;
    private final Map<OperationKind, OperationStatement> statements;
    private final int maxInFlight;
    private final Semaphore permits;
    private final Limiter limiter = Limiter.unlimited();
    private final ReplicaChoice replicas =
            new ReplicaChoice(node -> limiter.gate(node).requests());
    private final Transport transport;
    private final InFlight inFlight;
    private final CurrentRing ring;

    OperationSender(
            Transport transport,
            CqlIdentifier keyspace,
            Map<OperationKind, OperationStatement> statements,
            int maxInFlight,
            StressRecorder recorder) {
        this.recorder = recorder;
        this.statements = statements;
        this.maxInFlight = maxInFlight;
        this.permits = new Semaphore(maxInFlight);
        this.transport = transport;
        this.inFlight = new InFlight(transport, limiter, Long.MAX_VALUE, () -> {});
        this.ring = transport.ring(keyspace);
    }

    /** @throws io.overdrive.OverdriveException of kind SCHEMA if the table is missing, or does not fit a load */
    static OperationSender open(Overdrive overdrive, StressOptions options, StressRecorder recorder) {
        Wire wire = Wire.of(overdrive.session());
        TableSchema table = overdrive.table(options.keyspace(), options.table());
        RowMaker rows = new RowMaker(table, options);
        Map<OperationKind, OperationStatement> statements = new EnumMap<>(OperationKind.class);
        long maxLength = 0;
        for (OperationKind kind : options.workload().shares().keySet()) {
            OperationStatement statement = OperationStatement.of(kind, wire, options, table, rows);
            statements.put(kind, statement);
            maxLength = Math.max(maxLength, statement.body(0, 0).length);
        }
        long fit = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP / (maxLength + BYTES_BESIDES_BODY);
        int maxInFlight = (int) Math.max(1, Math.min(options.inFlight(), fit));
        return new OperationSender(
                wire, CqlIdentifier.fromInternal(options.keyspace()), statements, maxInFlight, recorder);
    }

    /** Takes a permit for one more operation in flight, if there is one. */
    boolean tryPermit() {
        return permits.tryAcquire();
    }

    /** Waits at most this long for a permit. */
    boolean awaitPermit(long nanos) throws InterruptedException {
        return permits.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    }

    /** Waits at most this long until nothing is in flight; nothing can be sent after it. */
    boolean awaitAnswers(long nanos) throws InterruptedException {
        return permits.tryAcquire(maxInFlight, nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Sends an operation, for which a permit was taken.
     *
     * @param operation its number in the load
     */
    void send(OperationKind kind, long row, long operation, long dueNanos) {
        OperationStatement statement = statements.get(kind);
        if (statement == null) {
            throw new IllegalStateException("the workload has no " + kind);
        }
        byte[] body = statement.body(row, operation);
        Node node = replicas.choose(ring.now(), statement.token(), /* last */ null, operation);
        long now = transport.nanoTime();
        recorder.sent.increment();
        if (node == null) {
            end(ReplicaChoice.NO_NODE);
            return;
        }
        new Operation(kind, statement.cql, node, body, dueNanos, now, /* prepared */ false).send();
    }

    private void end(@Nullable String failure) {
        if (failure != null) {
            recorder.failed(
                    failure.length() <= MAX_REASON_LENGTH ? failure : failure.substring(0, MAX_REASON_LENGTH) + "...");
        }
        permits.release();
    }

    /** One sending of an operation, of which there is a second one if the node has forgotten the statement. */
    private final class Operation extends Exchange {
        private final OperationKind kind;
        private final String cql;
        private final byte[] body;
        private final long dueNanos;
        private final long sentNanos;
        private final boolean prepared;

        Operation(
                OperationKind kind,
                String cql,
                Node node,
                byte[] body,
                long dueNanos,
                long sentNanos,
                boolean prepared) {
            super(inFlight, node, body.length);
            this.kind = kind;
            this.cql = cql;
            this.body = body;
            this.dueNanos = dueNanos;
            this.sentNanos = sentNanos;
            this.prepared = prepared;
        }

        void send() {
            limiter.gate(node).force(body.length);
            send(new RawMessage(Opcode.EXECUTE, body));
        }

        @Override
        protected void onEnd() {
            limiter.gate(node).release(body.length);
        }

        @Override
        public void onAnswer(Message answer) {
            if (answer instanceof Result) {
                if (answer instanceof RawRows rows && Bytes.getInt(rows.body(), rows.rowsStart()) == 0) {
                    recorder.foundNothing();
                }
                long now = transport.nanoTime();
                recorder.succeeded(kind, now - dueNanos, now - sentNanos);
                end(null);
            } else if (answer instanceof Error error && error.code == ErrorCode.UNPREPARED && !prepared) {
                inFlight.prepare(node, cql, new AfterPrepare(this));
            } else {
                end(
                        answer instanceof Error error
                                ? ServerMessage.of(error)
                                : "the server answered with "
                                        + answer.getClass().getSimpleName());
            }
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            end(reason);
        }

        @Override
        public void onException(Throwable cause) {
            end(cause.toString());
        }

        private void resend() {
            new Operation(kind, cql, node, body, dueNanos, sentNanos, /* prepared */ true).send();
        }
    }

    /** Sends an operation whose statement the node had forgotten. */
    private record AfterPrepare(Operation operation) implements Ending {
        @Override
        public void onAnswer(Message answer) {
            if (answer instanceof Error error) {
                operation.onSilence(/* sent */ true, ServerMessage.of(error));
            } else {
                operation.resend();
            }
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            operation.onSilence(sent, reason);
        }

        @Override
        public void onException(Throwable cause) {
            operation.onException(cause);
        }
    }
}
