package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.result.Rows;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RejectedRow;
import io.overdrive.WriteOptions;
import io.overdrive.internal.flow.Latencies;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.Wire;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to a replica, and again where that may help, until they are acknowledged or given up. Thread-safe: any
 * number of producers call {@link #send}; answers come on the driver's I/O threads, which never wait here; pauses,
 * time-outs and rejects are served by one thread of its own. On the hot path (write steps 5 to 7).
 */
final class Sender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);
    private final Wire wire;
    private final WritePlan plan;
    private final Limiter limiter;
    private final long baseTimestamp;
    private final int maxAttempts;
    private final long timeoutNanos;
    private final @Nullable Consumer<RejectedRow> onReject;
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "overdrive-timer");
        thread.setDaemon(true);
        return thread;
    });

    private final BatchLimit batchLimit;
    private final CurrentRing ring;
    private volatile @Nullable OverdriveException failure;
    private volatile boolean closed;
    private final Set<Attempt> underWay = ConcurrentHashMap.newKeySet();

    /** Rows handed to {@link #send} that are neither written nor rejected yet. */
    private final AtomicLong rowsPending = new AtomicLong();

    private final Object idle = new Object();
    private final LongAdder rowsWritten = new LongAdder();
    private final LongAdder rowsRejected = new LongAdder();
    private final LongAdder rowsExisting = new LongAdder();
    private final LongAdder bytesWritten = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder batches = new LongAdder();
    private final LongAdder batchedRows = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder splits = new LongAdder();
    private final Latencies latencies = new Latencies();

    Sender(Wire wire, WritePlan plan, WriteOptions options, Limiter limiter, long baseTimestamp) {
        this.wire = wire;
        this.plan = plan;
        this.ring = wire.ring(plan.keyspace);
        this.limiter = limiter;
        this.baseTimestamp = baseTimestamp;
        this.maxAttempts = plan.maxAttempts;
        this.timeoutNanos = options.requestTimeout().toNanos();
        this.onReject = options.onReject();
        this.batchLimit = new BatchLimit(options.batchBytes());
        long tick = Math.max(1, Math.min(1000, options.requestTimeout().toMillis() / 4));
        var unused = timer.scheduleWithFixedDelay(this::tick, tick, tick, TimeUnit.MILLISECONDS);
    }

    Ring ring() {
        return ring.now();
    }

    /** How large batches may be; lowered when the server refuses one for its size. */
    BatchLimit batchLimit() {
        return batchLimit;
    }

    /** Waits for a permit, then sends. */
    void send(Write write) {
        rowsPending.addAndGet(write.rows());
        OverdriveException failed = failure;
        if (failed != null) {
            // By the producer itself, so that the rest of a large input does not queue up in memory.
            if (onReject != null && !closed) {
                handOver(onReject, write, notWritten(failed));
            } else {
                done(write.rows());
            }
            return;
        }
        limiter.pace(write.rows(), write.body.length);
        Node node = choose(write, null);
        if (node == null) {
            Node down = anyNode();
            limiter.gate(down).acquire(write.body.length);
            write.startNanos = System.nanoTime();
            later(write, down, "no node of the local data centre is up");
            return;
        }
        limiter.gate(node).acquire(write.body.length);
        write.startNanos = System.nanoTime();
        dispatch(write, node);
    }

    /**
     * The live replica with the least under way, another one than last time where there is one; any live node where no
     * replica is up; null where no node is.
     */
    private @Nullable Node choose(Write write, @Nullable Node last) {
        Ring now = ring.now();
        List<Node> replicas = now.replicas(write.token).nodes();
        Node best = leastLoaded(replicas, last);
        if (best == null && last != null && isUp(last) && replicas.contains(last)) {
            return last;
        }
        return best != null ? best : leastLoaded(now.everywhere().nodes(), null);
    }

    private @Nullable Node leastLoaded(List<Node> nodes, @Nullable Node not) {
        Node best = null;
        long least = Long.MAX_VALUE;
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            if (node != not && isUp(node)) {
                if (nodes.size() == 1) {
                    return node;
                }
                long load = limiter.gate(node).bytes();
                if (load < least) {
                    least = load;
                    best = node;
                }
            }
        }
        return best;
    }

    private static boolean isUp(Node node) {
        return node.getState() == NodeState.UP || node.getState() == NodeState.UNKNOWN;
    }

    private Node anyNode() {
        List<Node> local = ring.now().everywhere().nodes();
        return local.isEmpty()
                ? wire.session().getMetadata().getNodes().values().iterator().next()
                : local.get(0);
    }

    /** Sends a request that holds a permit of this node. */
    private void dispatch(Write write, Node node) {
        write.attempts++;
        Attempt attempt = new Attempt(write, node);
        underWay.add(attempt);
        if (!wire.send(node, write.opcode, write.body, attempt)) {
            attempt.failed(null, /* sent */ false);
        }
    }

    /** One sending of a request. Ends once, by whichever of answer, broken connection and time-out comes first. */
    private final class Attempt extends Wire.Request {
        private final Write write;
        private final Node node;
        private final int bytes;
        private final long startNanos = System.nanoTime();
        private final AtomicBoolean ended = new AtomicBoolean();

        Attempt(Write write, Node node) {
            this.write = write;
            this.node = node;
            this.bytes = write.body.length;
        }

        private boolean end() {
            if (ended.compareAndSet(false, true)) {
                underWay.remove(this);
                return true;
            }
            return false;
        }

        @Override
        protected void answered(Message message) {
            if (!end()) {
                return;
            }
            if (message instanceof Error error) {
                refused(error);
            } else if (message instanceof Rows rows && !plan.leavesExisting && !applied(rows)) {
                release(write, node);
                reject(write, "the condition of the statement was not met");
            } else if (message instanceof Result) {
                if (plan.leavesExisting && message instanceof Rows rows && !applied(rows)) {
                    rowsExisting.add(write.rows());
                }
                acknowledged(write, node);
            } else {
                release(write, node);
                fail(write, "the server answered with " + message.getClass().getSimpleName());
            }
        }

        private void refused(Error error) {
            if (error.code == ErrorCode.UNPREPARED && write.attempts < maxAttempts) {
                prepareAgain(write, node);
                return;
            }
            handle(write, node, RetryRule.afterError(error.code, write, plan.idempotent, maxAttempts), error.message);
        }

        @Override
        protected void failed(@Nullable Throwable cause, boolean sent) {
            if (end()) {
                String reason = cause == null || cause.getMessage() == null
                        ? "the connection to " + node.getEndPoint() + " is closed"
                        : cause.getMessage();
                handle(write, node, RetryRule.afterSilence(sent, write, plan.idempotent, maxAttempts), reason);
            }
        }

        void timeOut(long now) {
            if (now - startNanos > timeoutNanos && end()) {
                String reason = node.getEndPoint() + " did not answer within "
                        + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
                handle(write, node, RetryRule.afterSilence(true, write, plan.idempotent, maxAttempts), reason);
            }
        }
    }

    /** A conditional statement answers with a row whose first column tells whether it was applied. */
    private static boolean applied(Rows rows) {
        List<ByteBuffer> row = rows.getData().peek();
        ByteBuffer first = row == null || row.isEmpty() ? null : row.get(0);
        return first == null || first.remaining() != 1 || first.get(first.position()) != 0;
    }

    private void acknowledged(Write write, Node node) {
        release(write, node);
        int rows = write.rows();
        rowsWritten.add(rows);
        bytesWritten.add(write.body.length);
        requests.increment();
        if (rows > 1) {
            batches.increment();
            batchedRows.add(rows);
        }
        latencies.recordSince(write.startNanos);
        done(rows);
    }

    private void release(Write write, Node node) {
        limiter.gate(node).release(write.body.length);
    }

    private void handle(Write write, Node node, RetryRule.Decision decision, String reason) {
        switch (decision) {
            case AGAIN -> later(write, node, reason);
            case SPLIT -> {
                splits.increment();
                batchLimit.refused(write.body.length, reason);
                release(write, node);
                for (Write half : write.split(plan, baseTimestamp)) {
                    limiter.gate(node).force(half.body.length);
                    dispatch(half, node);
                }
            }
            case REJECT -> {
                release(write, node);
                reject(
                        write,
                        write.attempts > 1 ? reason + " (given up after " + write.attempts + " attempts)" : reason);
            }
            case FAIL -> {
                release(write, node);
                fail(write, reason);
            }
        }
    }

    /** Sends the request again after a pause, to another replica where there is one; the permit moves along. */
    private void later(Write write, Node from, String reason) {
        LOG.debug("[{}] again after attempt {}: {}", plan.tableName, write.attempts, reason);
        if (failure != null) {
            release(write, from);
            giveUp(write);
            return;
        }
        long pause = RetryRule.pauseMillis(Math.max(1, write.attempts), ThreadLocalRandom.current());
        var unused = timer.schedule(
                () -> {
                    if (closed) {
                        release(write, from);
                        done(write.rows());
                        return;
                    }
                    Node to = choose(write, from);
                    if (to == null) {
                        write.attempts++;
                        RetryRule.Decision next = RetryRule.afterSilence(false, write, plan.idempotent, maxAttempts);
                        handle(write, from, next, "no node of the local data centre is up");
                        return;
                    }
                    if (to != from) {
                        limiter.gate(to).force(write.body.length);
                        release(write, from);
                    }
                    retries.increment();
                    if (plan.writeTimeStep > 1) {
                        write.postpone(plan);
                    }
                    dispatch(write, to);
                },
                pause,
                TimeUnit.MILLISECONDS);
    }

    /** The node has forgotten the statement (restarted, or its cache is full): tell it again, then send again. */
    private void prepareAgain(Write write, Node node) {
        Wire.Request prepare = new Wire.Request() {
            private final AtomicBoolean ended = new AtomicBoolean();

            @Override
            protected void answered(Message message) {
                if (ended.compareAndSet(false, true)) {
                    if (message instanceof Error error) {
                        refused(error.message);
                    } else {
                        dispatch(write, node);
                    }
                }
            }

            @Override
            protected void failed(@Nullable Throwable cause, boolean sent) {
                if (ended.compareAndSet(false, true)) {
                    handle(write, node, next(), "the connection to " + node.getEndPoint() + " is closed");
                }
            }

            /** A node that has just started may not know the table yet; a statement without its table is the end. */
            private void refused(String reason) {
                boolean gone = plan.isTableGone(wire.session().getMetadata());
                RetryRule.Decision next = gone ? RetryRule.Decision.FAIL : next();
                handle(write, node, next == RetryRule.Decision.REJECT ? RetryRule.Decision.FAIL : next, reason);
            }

            private RetryRule.Decision next() {
                return RetryRule.afterSilence(/* sent */ false, write, plan.idempotent, maxAttempts);
            }
        };
        if (!wire.send(node, new Prepare(plan.cql), prepare)) {
            prepare.onFailure(new IllegalStateException("no connection"));
        }
    }

    /** Gives the rows to the handler, on the timer thread: it may write files. Without a handler, the run fails. */
    private void reject(Write write, String reason) {
        Consumer<RejectedRow> handler = onReject;
        if (handler == null || closed) {
            failWith(cannotWrite(reason));
            done(write.rows());
            return;
        }
        timer.execute(() -> {
            if (closed) {
                done(write.rows());
            } else {
                handOver(handler, write, reason);
            }
        });
    }

    private void handOver(Consumer<RejectedRow> handler, Write write, String reason) {
        try {
            synchronized (handler) {
                for (int i = 0; i < write.rows(); i++) {
                    handler.accept(new RejectedRow(write.positions[i], write.attachment(i), reason));
                    rowsRejected.increment();
                }
            }
        } catch (RuntimeException e) {
            failWith(new OverdriveException(Kind.WRITE, "the handler of rejected rows failed: " + e.getMessage(), e));
        } finally {
            done(write.rows());
        }
    }

    /** The run has failed: what cannot be written any more is rejected, so that nothing is lost silently. */
    private void giveUp(Write write) {
        OverdriveException f = failure;
        reject(write, f == null ? "not written" : notWritten(f));
    }

    private static String notWritten(OverdriveException failure) {
        return "not written because the run failed: " + failure.getMessage();
    }

    private void fail(Write write, String reason) {
        failWith(cannotWrite(reason));
        reject(write, reason);
    }

    private OverdriveException cannotWrite(String reason) {
        return new OverdriveException(Kind.WRITE, "[" + plan.tableName + "] cannot write: " + reason);
    }

    /** Ends the run: no row is taken or sent any more. The first reason counts. */
    synchronized void failWith(OverdriveException e) {
        if (failure == null) {
            failure = e;
        }
    }

    void failIfFailed() {
        OverdriveException f = failure;
        if (f != null) {
            throw new OverdriveException(f.kind(), String.valueOf(f.getMessage()), f);
        }
    }

    private void done(int rows) {
        if (rowsPending.addAndGet(-rows) == 0) {
            synchronized (idle) {
                idle.notifyAll();
            }
            if (closed) {
                timer.shutdown();
            }
        }
    }

    /** Waits until everything that was sent is written, rejected or given up. */
    void drain() {
        synchronized (idle) {
            try {
                while (rowsPending.get() > 0) {
                    idle.wait(100);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new OverdriveException(Kind.INTERRUPTED, "interrupted while waiting for acknowledgements");
            }
        }
    }

    private void tick() {
        try {
            long now = System.nanoTime();
            for (Attempt attempt : underWay) {
                attempt.timeOut(now);
            }
        } catch (RuntimeException e) {
            LOG.warn("[{}] the timer stumbled", plan.tableName, e);
        }
    }

    long rowsWritten() {
        return rowsWritten.sum();
    }

    long rowsRejected() {
        return rowsRejected.sum();
    }

    long rowsExisting() {
        return rowsExisting.sum();
    }

    long bytesWritten() {
        return bytesWritten.sum();
    }

    long requests() {
        return requests.sum();
    }

    long batches() {
        return batches.sum();
    }

    long batchedRows() {
        return batchedRows.sum();
    }

    long retries() {
        return retries.sum();
    }

    long splits() {
        return splits.sum();
    }

    long requestsInFlight() {
        return underWay.size();
    }

    long bytesInFlight() {
        return underWay.stream().mapToLong(attempt -> attempt.bytes).sum();
    }

    /** Microseconds of all requests acknowledged so far. */
    Histogram latencies() {
        return latencies.soFar();
    }

    /**
     * Takes no more. What is still under way ends by its answer or its time-out, as others wait for its permits; nobody
     * hears of it, and the timer ends with the last of it.
     */
    @Override
    public void close() {
        failWith(new OverdriveException(Kind.WRITE, "[" + plan.tableName + "] the writer is closed"));
        closed = true;
        if (rowsPending.get() == 0) {
            timer.shutdown();
        }
    }
}
