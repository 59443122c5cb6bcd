package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.result.Rows;
import io.overdrive.Grouping;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RejectedRow;
import io.overdrive.WriteOptions;
import io.overdrive.internal.flow.Latencies;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
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
 * Sends requests to a replica, and again if that may help, until they are acknowledged or given up. Thread-safe: any
 * number of producers call {@link #send}; answers come on the driver's I/O threads, which never wait here; pauses,
 * timeouts and rejects are served by one thread of its own. On the hot path (write steps 5 to 7).
 *
 * <p>A request that was surely not applied, because its node is away or overloaded, is sent again for as long as {@link
 * WriteOptions#patience} lasts; one that may have been applied, for {@link WriteOptions#maxAttempts}. An exception on
 * any thread ends the run: no request keeps its permit, and no row stays pending.
 */
final class Sender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);
    private static final OverdriveException NO_MEMORY = new OverdriveException(
            Kind.WRITE,
            "cannot write: the Java heap is too small: give Java more (-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx2g on the"
                    + " command line)");
    private static final String NO_NODE = "no node of the local data centre is up";
    /** A request that takes longer than this shows up as waiting. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Transport transport;
    private final WritePlan plan;
    private final Limiter limiter;
    private final RetryRule rule;
    private final long baseTimestamp;
    private final long patienceNanos;
    private final long timeoutNanos;
    private final @Nullable Consumer<RejectedRow> onReject;
    private final ScheduledExecutorService timer;
    private final BatchLimit batchLimit;
    private final CurrentRing ring;
    private volatile @Nullable OverdriveException failure;
    private volatile boolean closed;
    private final Set<Pending> inFlight = ConcurrentHashMap.newKeySet();
    /** Requests that pause before they are sent again. Whoever removes one must send or finish it. */
    private final Set<WriteRequest> pausing = ConcurrentHashMap.newKeySet();

    private final Set<String> nodesLost = ConcurrentHashMap.newKeySet();
    /** Nodes that were up when {@link #noticeLostNodes} last looked; the timer's own. */
    private final Set<Node> nodesUp = new HashSet<>();

    /** Rows handed to {@link #send} that are neither written nor given up yet. */
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

    Sender(Transport transport, WritePlan plan, WriteOptions options, Limiter limiter, long baseTimestamp) {
        this.transport = transport;
        this.plan = plan;
        this.ring = transport.ring(plan.keyspace);
        this.limiter = limiter;
        this.rule = new RetryRule(
                plan.idempotent,
                /* needsNewTime */ plan.writeTimeStep > 1,
                plan.conditional,
                plan.grouping == Grouping.REPLICA_SET,
                plan.maxAttempts);
        this.baseTimestamp = baseTimestamp;
        this.patienceNanos = options.patience().toNanos();
        this.timeoutNanos = options.requestTimeout().toNanos();
        this.onReject = options.onReject();
        this.batchLimit = new BatchLimit(options.batchBytes());
        this.timer = transport.timer("overdrive-timer");
        noticeLostNodes();
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

    /** Waits for a permit, then sends. Once the run has failed, drops the rows. */
    void send(WriteRequest write) {
        rowsPending.addAndGet(write.rows());
        try {
            if (failure != null) {
                finish(write);
                return;
            }
            limiter.pace(write.rows(), write.body.length);
            Node node = choose(write, null);
            Node permitOf = node != null ? node : anyNode();
            limiter.gate(permitOf).acquire(write.body.length);
            write.permitOf = permitOf;
            write.startNanos = transport.nanoTime();
            if (failure != null) {
                finish(write);
            } else if (node == null) {
                waitFor(write, permitOf, NO_NODE);
            } else {
                dispatch(write, node);
            }
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    /**
     * The live replica with the least under way, another one than last time where there is one; any live node where no
     * replica is up; null where no node is.
     */
    private @Nullable Node choose(WriteRequest write, @Nullable Node last) {
        Ring now = ring.now();
        List<Node> replicas = now.replicas(write.token).nodes();
        Node best = leastLoaded(replicas, last);
        if (best == null && last != null && isUp(last) && replicas.contains(last)) {
            return last;
        }
        return best != null ? best : leastLoaded(now.allLocalNodes().nodes(), null);
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
        List<Node> local = ring.now().allLocalNodes().nodes();
        return local.isEmpty()
                ? transport.metadata().getNodes().values().iterator().next()
                : local.get(0);
    }

    /** Sends a request that holds a permit of this node. */
    private void dispatch(WriteRequest write, Node node) {
        write.attempts++;
        transmit(new Execution(write, node));
    }

    private void transmit(Pending request) {
        try {
            inFlight.add(request);
            if (!request.send()) {
                request.failed(null, /* sent */ false);
            }
        } catch (Throwable e) {
            if (request.end()) {
                broken(request.write, e);
            }
        }
    }

    /** A request in flight. Ends once: by an answer, a broken connection or the timeout, whichever comes first. */
    private abstract class Pending extends Wire.Request {
        final WriteRequest write;
        final Node node;
        private final int bytes;
        private final long startNanos = transport.nanoTime();
        private final AtomicBoolean ended = new AtomicBoolean();

        Pending(WriteRequest write, Node node) {
            this.write = write;
            this.node = node;
            this.bytes = write.body.length;
        }

        /** Whether there was a connection to send it by. */
        abstract boolean send();

        abstract void onAnswer(Message message);

        /** @param sent whether the node may have got it */
        abstract void onSilence(boolean sent, String reason);

        final boolean end() {
            if (ended.compareAndSet(false, true)) {
                inFlight.remove(this);
                return true;
            }
            return false;
        }

        @Override
        protected final void answered(Message message) {
            if (end()) {
                try {
                    onAnswer(message);
                } catch (Throwable e) {
                    broken(write, e);
                }
            }
        }

        @Override
        protected final void failed(@Nullable Throwable cause, boolean sent) {
            if (end()) {
                try {
                    if (sent) {
                        nodesLost.add(name(node));
                    }
                    onSilence(
                            sent,
                            cause == null || cause.getMessage() == null
                                    ? "the connection to " + name(node) + " is closed"
                                    : cause.getMessage());
                } catch (Throwable e) {
                    broken(write, e);
                }
            }
        }

        final void timeOut(long now) {
            if (now - startNanos > timeoutNanos && end()) {
                try {
                    onSilence(
                            /* sent */ true,
                            name(node) + " did not answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                                    + " ms");
                } catch (Throwable e) {
                    broken(write, e);
                }
            }
        }
    }

    /** One sending of a request. */
    private final class Execution extends Pending {
        Execution(WriteRequest write, Node node) {
            super(write, node);
        }

        @Override
        boolean send() {
            return transport.send(node, write.opcode, write.body, this);
        }

        @Override
        void onAnswer(Message message) {
            if (message instanceof Error error) {
                if (error.code == ErrorCode.UNPREPARED) {
                    write.attempts--;
                    write.prepares++;
                    transmit(new Preparation(write, node));
                } else if (plan.isTableGone(transport.metadata())) {
                    fail(write, "the table does not exist any more: " + error.message);
                } else {
                    handle(write, node, rule.afterError(error.code, write), error.message);
                }
            } else if (message instanceof Rows rows && !plan.ifNotExists && !applied(rows)) {
                release(write);
                reject(write, "the condition of the statement was not met");
            } else if (message instanceof Result) {
                if (plan.ifNotExists && message instanceof Rows rows && !applied(rows)) {
                    rowsExisting.add(write.rows());
                }
                acknowledged(write);
            } else {
                fail(write, "the server answered with " + message.getClass().getSimpleName());
            }
        }

        @Override
        void onSilence(boolean sent, String reason) {
            handle(write, node, rule.afterSilence(sent, write), reason);
        }
    }

    /** The node has forgotten the statement (restarted, or its cache is full): it is prepared there again, then sent. */
    private final class Preparation extends Pending {
        Preparation(WriteRequest write, Node node) {
            super(write, node);
        }

        @Override
        boolean send() {
            return transport.send(node, new Prepare(plan.cql), this);
        }

        @Override
        void onAnswer(Message message) {
            if (message instanceof Error error) {
                refused(error);
            } else if (write.prepares > 1) {
                waitFor(write, node, name(node) + " forgets the statement whenever it is prepared");
            } else {
                dispatch(write, node);
            }
        }

        /** A node that has just started may not know the table yet; a statement without its table is the end. */
        private void refused(Error error) {
            if (plan.isTableGone(transport.metadata())) {
                fail(write, error.message);
            } else if (rule.afterError(error.code, write) == RetryRule.Decision.WAIT) {
                waitFor(write, node, error.message);
            } else if (++write.attempts < rule.maxAttempts()) {
                sendLater(write, node, RetryRule.pauseMillis(write.attempts, ThreadLocalRandom.current()));
            } else {
                fail(write, error.message);
            }
        }

        @Override
        void onSilence(boolean sent, String reason) {
            waitFor(write, node, reason);
        }
    }

    /** The first column of a conditional statement's answer says whether it was applied. */
    private static boolean applied(Rows rows) {
        List<ByteBuffer> row = rows.getData().peek();
        ByteBuffer first = row == null || row.isEmpty() ? null : row.get(0);
        return first == null || first.remaining() != 1 || first.get(first.position()) != 0;
    }

    private void acknowledged(WriteRequest write) {
        release(write);
        int rows = write.rows();
        rowsWritten.add(rows);
        bytesWritten.add(write.body.length);
        requests.increment();
        if (rows > 1) {
            batches.increment();
            batchedRows.add(rows);
        }
        latencies.record(transport.nanoTime() - write.startNanos);
        finish(write);
    }

    private void release(WriteRequest write) {
        Node permitOf = write.permitOf;
        if (permitOf != null) {
            write.permitOf = null;
            limiter.gate(permitOf).release(write.body.length);
        }
    }

    /** Gives the permit to a request that had one of another node, or shares one with the request it comes from. */
    private void takePermit(WriteRequest write, Node node) {
        if (write.permitOf != node) {
            limiter.gate(node).force(write.body.length);
            release(write);
            write.permitOf = node;
        }
    }

    private void handle(WriteRequest write, Node node, RetryRule.Decision decision, String reason) {
        switch (decision) {
            case WAIT -> {
                write.attempts--;
                waitFor(write, node, reason);
            }
            case AGAIN -> {
                LOG.debug("[{}] again after attempt {}: {}", plan.tableName, write.attempts, reason);
                write.waits = 0;
                write.mayBeApplied = true;
                sendLater(write, node, RetryRule.pauseMillis(write.attempts, ThreadLocalRandom.current()));
            }
            case SPLIT -> {
                splits.increment();
                batchLimit.refused(write.body.length, reason);
                split(write, node);
            }
            case REJECT -> {
                release(write);
                reject(
                        write,
                        write.attempts > 1 ? reason + " (given up after " + write.attempts + " attempts)" : reason);
            }
            case FAIL -> fail(write, reason);
        }
    }

    /** One half after the other, so that no more is in flight than before. */
    private void split(WriteRequest write, Node node) {
        WriteRequest[] halves = write.split(plan, baseTimestamp);
        halves[0].next = halves[1];
        halves[1].next = write.next;
        release(write);
        start(halves[0], node);
    }

    private void start(WriteRequest write, Node node) {
        try {
            takePermit(write, node);
            dispatch(write, node);
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    /** It was not applied: tries again until a node takes it or patience is used up, which ends the run. */
    private void waitFor(WriteRequest write, Node node, String reason) {
        long now = transport.nanoTime();
        if (write.waits++ == 0) {
            write.waitingSinceNanos = now;
        }
        write.waitsFor = nodesDown(write, reason);
        LOG.debug("[{}] not applied, waits for the {}. time: {}", plan.tableName, write.waits, reason);
        long left = patienceNanos - (now - write.waitingSinceNanos);
        if (left <= 0) {
            fail(
                    write,
                    write.waitsFor + "; gave up after " + TimeUnit.NANOSECONDS.toSeconds(patienceNanos)
                            + " s, which is set by patience (--patience)");
            return;
        }
        long pause = RetryRule.waitingPauseMillis(write.waits, ThreadLocalRandom.current());
        sendLater(write, node, Math.min(pause, TimeUnit.NANOSECONDS.toMillis(left) + 1));
    }

    /** Which node is away, if any of those that hold the rows is: a coordinator's error does not name it. */
    private String nodesDown(WriteRequest write, String reason) {
        List<Node> replicas = ring.now().replicas(write.token).nodes();
        List<String> down =
                replicas.stream().filter(n -> !isUp(n)).map(Sender::name).toList();
        return switch (down.size()) {
            case 0 -> reason;
            case 1 -> "node " + down.get(0) + " does not answer";
            default -> "nodes " + String.join(", ", down) + " do not answer";
        };
    }

    private static String name(Node node) {
        String name = node.getEndPoint().toString();
        return name.startsWith("/") ? name.substring(1) : name;
    }

    /** Sends the request again after a pause, preferably to another replica; the permit moves along. */
    private void sendLater(WriteRequest write, Node last, long pauseMillis) {
        pausing.add(write);
        var unused = timer.schedule(() -> sendAgain(write, last), pauseMillis, TimeUnit.MILLISECONDS);
        if (failure != null && pausing.remove(write)) {
            finish(write);
        }
    }

    private void sendAgain(WriteRequest write, Node last) {
        if (!pausing.remove(write)) {
            return; // the run has failed
        }
        try {
            Node to = choose(write, last);
            if (to == null) {
                waitFor(write, last, NO_NODE);
                return;
            }
            takePermit(write, to);
            retries.increment();
            if (write.mayBeApplied && plan.writeTimeStep > 1) {
                write.postpone(plan);
            }
            write.mayBeApplied = false;
            dispatch(write, to);
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    /** Gives the rows to the handler, on the timer thread: it may write files. Without a handler, the run fails. */
    private void reject(WriteRequest write, String reason) {
        Consumer<RejectedRow> handler = onReject;
        if (handler == null) {
            fail(write, reason);
        } else {
            timer.execute(() -> handOver(handler, write, reason));
        }
    }

    private void handOver(Consumer<RejectedRow> handler, WriteRequest write, String reason) {
        try {
            synchronized (handler) { // separate writers have it, too
                for (int i = 0; i < write.rows() && !closed; i++) {
                    handler.accept(new RejectedRow(write.positions[i], write.attachment(i), reason));
                    rowsRejected.increment();
                }
            }
            finish(write);
        } catch (RuntimeException e) {
            failWith(new OverdriveException(Kind.WRITE, "the handler of rejected rows failed: " + e.getMessage(), e));
            finish(write);
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    private void fail(WriteRequest write, String reason) {
        failWith(new OverdriveException(Kind.WRITE, "[" + plan.tableName + "] cannot write: " + reason));
        finish(write);
    }

    /** What should not happen ends the run, as nobody else would ever finish the request. */
    private void broken(WriteRequest write, Throwable cause) {
        try {
            LOG.error("[{}] the run ends", plan.tableName, cause);
            failWith(
                    cause instanceof OverdriveException known
                            ? known
                            : new OverdriveException(
                                    Kind.WRITE,
                                    "[" + plan.tableName + "] cannot write: "
                                            + (cause instanceof OutOfMemoryError
                                                    ? "a Java heap of "
                                                            + (Runtime.getRuntime()
                                                                            .maxMemory()
                                                                    >> 20)
                                                            + " MiB is too small: give Java more (-Xmx;"
                                                            + " OVERDRIVE_JAVA_OPTIONS=-Xmx2g on the command line)"
                                                    : "internal error: " + cause),
                                    cause));
        } catch (Throwable again) {
            failWith(NO_MEMORY); // made beforehand
        } finally {
            finish(write);
        }
    }

    /** Ends the run: no row is taken or sent any more, and those that pause are dropped. The first reason counts. */
    void failWith(OverdriveException e) {
        synchronized (this) {
            if (failure == null) {
                failure = e;
            }
        }
        for (WriteRequest write : pausing) {
            if (pausing.remove(write)) {
                finish(write);
            }
        }
    }

    @Nullable OverdriveException failure() {
        return failure;
    }

    void failIfFailed() {
        OverdriveException f = failure;
        if (f != null) {
            throw new OverdriveException(f.kind(), String.valueOf(f.getMessage()), f);
        }
    }

    /** Nothing is left to be done for a request: it is written or rejected, or the run has failed. */
    private void finish(WriteRequest write) {
        if (write.finished) {
            return;
        }
        write.finished = true;
        Node node = write.permitOf;
        release(write);
        WriteRequest next = write.next;
        done(write.rows());
        if (next != null) {
            startNext(next, node);
        }
    }

    private void startNext(WriteRequest next, @Nullable Node last) {
        if (failure != null) {
            finish(next);
            return;
        }
        try {
            Node node = choose(next, null);
            takePermit(next, node != null ? node : last != null ? last : anyNode());
            if (node == null) {
                waitFor(next, Objects.requireNonNull(next.permitOf), NO_NODE);
            } else {
                dispatch(next, node);
            }
        } catch (Throwable e) {
            broken(next, e);
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
            long now = transport.nanoTime();
            for (Pending request : inFlight) {
                request.timeOut(now);
            }
            noticeLostNodes();
        } catch (Throwable e) {
            LOG.warn(
                    "[{}] the check for timeouts and lost nodes failed, and will run again",
                    plan.tableName,
                    e); // else the timer ends it
        }
    }

    /** A node that goes down may have acknowledged rows before, even if no request was in flight at that moment. */
    private void noticeLostNodes() {
        for (Node node : ring.now().allLocalNodes().nodes()) {
            if (node.getState() == NodeState.UP) {
                nodesUp.add(node);
            } else if (nodesUp.remove(node)) {
                nodesLost.add(name(node));
            }
        }
    }

    /** What requests have waited for, in words, if they have for longer than a few seconds; else null. */
    @Nullable String waiting() {
        long now = transport.nanoTime();
        long longest = SLOW_NANOS;
        String reason = null;
        for (Pending request : inFlight) {
            if (now - request.startNanos > longest) {
                longest = now - request.startNanos;
                reason = "node " + name(request.node) + " does not answer";
            }
        }
        for (WriteRequest write : pausing) {
            if (write.waits > 0 && now - write.waitingSinceNanos > longest) {
                longest = now - write.waitingSinceNanos;
                reason = write.waitsFor;
            }
        }
        return reason == null ? null : reason + ", waiting " + TimeUnit.NANOSECONDS.toSeconds(longest) + " s";
    }

    /** Nodes that went down, or to which a connection broke while a request was in flight. */
    Set<String> nodesLost() {
        return new TreeSet<>(nodesLost);
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
        return inFlight.size();
    }

    long bytesInFlight() {
        return inFlight.stream().mapToLong(request -> request.bytes).sum();
    }

    /** Microseconds of all requests acknowledged so far. */
    Histogram latencies() {
        return latencies.snapshot();
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
