package io.overdrive.internal.write;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.error.Unavailable;
import com.datastax.oss.protocol.internal.response.result.Rows;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.WriteOptions;
import io.overdrive.internal.flow.BytesByPlace;
import io.overdrive.internal.flow.Gate;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.request.Backoff;
import io.overdrive.internal.request.Exchange;
import io.overdrive.internal.request.InFlight;
import io.overdrive.internal.request.Patience;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.internal.request.ServerMessage;
import io.overdrive.internal.request.Waiting;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.BulkWork;
import io.overdrive.internal.wire.RawMessage;
import io.overdrive.internal.wire.Transport;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends writes to a replica and retries until they are acknowledged, rejected, or the run fails. Thread-safe: any number
 * of producers call {@link #send}; answers come on the driver's I/O threads, timeouts and retries on the connection's
 * timer, and none of these waits; rows are handed to the reject handler by a separate thread, and callbacks are called by
 * another. On the hot path (write steps 4 to 7).
 *
 * <p>A request that was surely not applied, because its node is down or overloaded, is retried for as long as {@link
 * WriteOptions#patience} lasts; one that may have been applied, for {@link WriteOptions#maxAttempts}. An exception on
 * any thread fails the run: no request keeps its permit, and no row stays pending.
 *
 * <p>Above 500 lines because all that can happen to a write is decided in one place: the permit, the rows and the retry of a request
 * depend on each other.
 */
final class Sender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sender.class);
    static final Backoff BACKOFF = new Backoff(10_000);

    final Transport transport;
    final WriteLayout layout;
    private final Limiter limiter;
    final RetryRule rule;
    private final long baseTimestamp;
    private final long patienceNanos;
    private final RowEnds rowEnds;
    private final ReplicaChoice replicas;
    private final InFlight inFlight;
    private final BulkWork work;
    private final BatchLimit batchLimit;
    private final @Nullable Gathering gathering;
    private final @Nullable Consumer<long[]> onWritten;
    private final CurrentRing ring;
    private final RunFailure failure;
    private volatile boolean closed;
    /** Requests that back off. The thread that removes one must send or finish it. */
    private final Set<WriteRequest> backingOff = ConcurrentHashMap.newKeySet();

    /** Nodes that were up when {@link #noticeLostNodes} last ran; used by the constructor, then only by the timer. */
    private final Set<Node> nodesUp = new HashSet<>();

    private final PendingRows pending = new PendingRows();
    private final WriteCounts counts = new WriteCounts();
    private final BytesByPlace bytesByPartition = new BytesByPlace();
    private volatile boolean begun;
    private final AtomicBoolean beginsAside = new AtomicBoolean();
    /** Requests that wait for a permit and have no thread that waits with them. */
    private final AtomicInteger queued = new AtomicInteger();

    /** @param gathering is notified of each acknowledged request; null if single rows never share one */
    Sender(
            Transport transport,
            WriteLayout layout,
            WriteOptions options,
            Limiter limiter,
            BatchLimit batchLimit,
            long baseTimestamp,
            @Nullable Gathering gathering) {
        this.gathering = gathering;
        this.onWritten = options.onWritten();
        this.transport = transport;
        this.layout = layout;
        this.failure = new RunFailure(layout.tableName);
        this.ring = transport.ring(layout.keyspace);
        this.limiter = limiter;
        this.rule = layout.rules.retry();
        this.baseTimestamp = baseTimestamp;
        this.patienceNanos = options.patience().toNanos();
        this.batchLimit = batchLimit;
        this.rowEnds = new RowEnds(this, options.onReject());
        this.replicas = new ReplicaChoice(node -> limiter.gate(node).load());
        noticeLostNodes();
        this.inFlight =
                new InFlight(transport, limiter, options.requestTimeout().toNanos(), this::noticeLostNodes);
        this.work = transport.bulkWork(layout.keyspace, layout.table, limiter::setShare);
        this.begun = work == BulkWork.FREE;
    }

    Ring ring() {
        return ring.now();
    }

    /** Whether the next request may be sent without waiting, as far as can be known before its node is chosen. Never waits. */
    boolean isReady() {
        if (!begun && beginsAside.compareAndSet(false, true)) {
            transport.executor("overdrive-begin").execute(this::beginWorkAside);
        }
        return begun
                && queued.get() == 0
                && rowEnds.hasRoom()
                && limiter.pacer().isReady();
    }

    /**
     * Waits while too many rejected rows wait for their handler, and for a permit, then sends, in parts if the server takes no more. Once
     * the run has failed, drops the rows.
     *
     * @param mayWait if not, which needs {@link #isReady}, the request waits for its permit, and the calling thread does not
     */
    void send(WriteRequest write, boolean mayWait) {
        if (!limitOf(write).isTooLarge(write)) {
            sendWhole(write, mayWait);
            return;
        }
        WriteRequest[] parts;
        try {
            parts = parts(write);
        } catch (Throwable e) {
            pending.add(write.rows());
            broken(write, e);
            return;
        }
        send(parts[0], mayWait);
        send(parts[1], mayWait);
    }

    private void sendWhole(WriteRequest write, boolean mayWait) {
        pending.add(write.rows());
        try {
            if (!failure.isSet()) {
                beginWork();
            }
            if (failure.isSet()) {
                finish(write);
                return;
            }
            if (mayWait) {
                rowEnds.awaitRoom();
                limiter.pacer().pace(write.rows(), write.body.length);
            } else {
                limiter.pacer().reserve(write.rows(), write.body.length);
            }
            bytesByPartition.add(write.token, write.body.length);
            Node node = choose(write, null);
            Node permitOf = node != null ? node : anyNode();
            if (mayWait) {
                limiter.gate(permitOf).acquire(write.body.length);
            } else if (!acquireOrQueue(write, node, permitOf)) {
                return;
            }
            permitted(write, node, permitOf);
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    private boolean acquireOrQueue(WriteRequest write, @Nullable Node node, Node permitOf) {
        queued.incrementAndGet();
        boolean isPermitted = limiter.gate(permitOf).acquireOrQueue(write.body.length, () -> {
            queued.decrementAndGet();
            permitted(write, node, permitOf);
        });
        if (isPermitted) {
            queued.decrementAndGet();
        }
        return isPermitted;
    }

    /** Sends a request that has a permit. */
    private void permitted(WriteRequest write, @Nullable Node node, Node permitOf) {
        try {
            write.permitOf = permitOf;
            write.startNanos = transport.nanoTime();
            if (failure.isSet()) {
                finish(write);
            } else if (node == null) {
                retryPatiently(write, permitOf, ReplicaChoice.NO_NODE);
            } else {
                dispatch(write, node);
            }
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    private void beginWorkAside() {
        try {
            beginWork();
        } catch (Throwable e) { // which no thread of the program would see
            broken(e);
        }
    }

    private void beginWork() {
        try {
            if (begun) {
                work.begin();
            } else {
                limiter.heldBack(work::begin); // only the first call may wait
                begun = true;
            }
        } catch (OverdriveException e) {
            failWith(e);
        }
    }

    /** The node for a row that is to share a request; of replicas with equal load, each gets its part of the rows. Null if none is up. */
    @Nullable Node coordinator(WriteRequest single) {
        return replicas.choose(ring.now(), single.token, /* last */ null, /* tieBreak */ single.token);
    }

    private @Nullable Node choose(WriteRequest write, @Nullable Node last) {
        Node coordinator = write.coordinator;
        if (write.isGathered && coordinator != null && coordinator != last && ReplicaChoice.isUp(coordinator)) {
            return coordinator;
        }
        return replicas.choose(ring.now(), write.token, last, /* tieBreak */ 0);
    }

    private Node anyNode() {
        List<Node> local = ring.now().allLocalNodes().nodes();
        return local.isEmpty()
                ? transport.metadata().getNodes().values().iterator().next()
                : local.get(0);
    }

    /** Sends a request that holds a permit of this node. */
    void dispatch(WriteRequest write, Node node) {
        dispatch(write, node, /* isRetry */ false);
    }

    private void dispatch(WriteRequest write, Node node, boolean isRetry) {
        if (write.attempts > 0 && limitOf(write).isTooLarge(write)) {
            split(write, node);
            return;
        }
        write.attempts++;
        new Execution(write, node, isRetry).send(new RawMessage(write.opcode, write.body));
    }

    private final class Execution extends Exchange {
        private final WriteRequest write;
        private final boolean isRetry;

        Execution(WriteRequest write, Node node, boolean isRetry) {
            super(inFlight, node, write.body.length);
            this.write = write;
            this.isRetry = isRetry;
        }

        @Override
        protected boolean isRetry() {
            return isRetry;
        }

        @Override
        public void onAnswer(Message answer) {
            if (answer instanceof Error error) {
                write.mayBeTooLarge = error.code == ErrorCode.INVALID || error.code == ErrorCode.WRITE_FAILURE;
                if (error.code == ErrorCode.UNPREPARED) {
                    write.attempts--;
                    write.prepares++;
                    inFlight.prepare(node, layout.prepared.text(), new AfterPrepare(Sender.this, write, node));
                } else if (layout.isTableGone(transport.metadata())) {
                    fail(write, "the table does not exist any more: " + error.message);
                } else if (ServerMessage.isUnsupportedLevel(error)) {
                    fail(write, ServerMessage.of(error));
                } else if (RetryRule.isDiskFull(error)) {
                    handle(
                            write,
                            node,
                            RetryRule.Decision.WAIT,
                            "a replica's disk is full, so free space there or add nodes: " + error.message);
                } else if (error instanceof Unavailable few) {
                    handle(write, node, rule.afterError(few.code, write), few.message, ServerMessage.shortage(few));
                } else {
                    handle(write, node, rule.afterError(error.code, write), ServerMessage.of(error));
                }
            } else if (answer instanceof Rows rows && !layout.rules.ifNotExists() && !WriteRules.isApplied(rows)) {
                release(write);
                reject(write, "the condition of the statement was not met");
            } else if (answer instanceof Result) {
                if (layout.rules.ifNotExists() && answer instanceof Rows rows && !WriteRules.isApplied(rows)) {
                    counts.rowsExisting.add(write.rows());
                }
                acknowledged(write);
            } else {
                fail(write, "the server answered with " + answer.getClass().getSimpleName());
            }
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            write.mayBeTooLarge = false;
            handle(write, node, rule.afterSilence(sent, write), reason);
        }

        @Override
        public void onException(Throwable cause) {
            broken(write, cause);
        }
    }

    private void acknowledged(WriteRequest write) {
        release(write);
        long now = transport.nanoTime();
        counts.acknowledged(write, now - write.startNanos);
        if (gathering != null) {
            gathering.acknowledged(write, now - write.startNanos, now);
        }
        if (onWritten != null) {
            onWritten.accept(write.positions);
        }
        write.isWritten = true;
        RefusedBatch tooLarge = write.partOf == null ? null : write.partOf.acknowledged(write);
        if (tooLarge != null) {
            limitOf(write).tookParts(tooLarge.maxRows(), tooLarge.maxBytes());
        }
        finish(write);
    }

    private void release(WriteRequest write) {
        Node permitOf = write.permitOf;
        if (permitOf != null) {
            write.permitOf = null;
            limiter.gate(permitOf).release(write.body.length);
        }
    }

    /** Moves the permit of a request to this node; the half of a split request gets one. */
    private void takePermit(WriteRequest write, Node node) {
        if (write.permitOf != node) {
            limiter.gate(node).force(write.body.length);
            release(write);
            write.permitOf = node;
        }
    }

    private void handle(WriteRequest write, Node node, RetryRule.Decision decision, String reason) {
        handle(write, node, decision, reason, /* shortage */ "");
    }

    /** @param shortage follows the reason, also if that are the replicas that are down */
    private void handle(WriteRequest write, Node node, RetryRule.Decision decision, String cause, String shortage) {
        String reason = cause + shortage;
        switch (decision) {
            case WAIT -> {
                write.attempts--;
                retryPatiently(write, node, cause, shortage);
            }
            case RETRY -> {
                LOG.debug("[{}] retries after attempt {}: {}", layout.tableName, write.attempts, reason);
                write.patience.reset();
                write.mayBeApplied = true;
                retryLater(write, node, BACKOFF.pauseMillis(write.attempts, ThreadLocalRandom.current()), reason);
            }
            case SPLIT -> {
                counts.splits.increment();
                boolean isTooLarge = limitOf(write).refused(write.body.length, reason);
                if (!isTooLarge && write.mayBeTooLarge) {
                    write.partOf = new RefusedBatch(write);
                }
                split(write, node);
            }
            case REJECT -> {
                release(write);
                reject(write, reason);
            }
            case REJECT_UNKNOWN -> giveUp(write, reason);
            case FAIL -> fail(write, reason);
        }
    }

    private void giveUp(WriteRequest write, String reason) {
        release(write);
        String attempts = write.attempts > 1 ? " (given up after " + write.attempts + " attempts)" : "";
        reject(write, reason + attempts + "; whether the row was written is unknown");
    }

    /** The limit of batches like this one. */
    private BatchLimit limitOf(WriteRequest write) {
        return gathering != null && write.isGathered ? gathering.limit() : batchLimit;
    }

    /** The halves; if the server takes a number of rows, with a multiple of it in the first. */
    private WriteRequest[] parts(WriteRequest write) {
        int rows = write.rows();
        int max = limitOf(write).rows();
        int first = rows > max ? (rows + max - 1) / max / 2 * max : rows / 2;
        return write.split(layout, baseTimestamp, first);
    }

    /** Sends the halves in sequence, so that no more is in flight than before. */
    private void split(WriteRequest write, Node node) {
        WriteRequest[] parts = parts(write);
        parts[0].next = parts[1];
        parts[1].next = write.next;
        release(write);
        start(parts[0], node);
    }

    private void start(WriteRequest write, Node node) {
        try {
            takePermit(write, node);
            dispatch(write, node);
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    /** It was not applied: retries until a node takes it or patience is used up, which fails the run. */
    void retryPatiently(WriteRequest write, Node node, String reason) {
        retryPatiently(write, node, reason, /* shortage */ "");
    }

    private void retryPatiently(WriteRequest write, Node node, String reason, String shortage) {
        String what = ReplicaChoice.nodesDown(ring.now(), write.token, reason, transport::whyDown) + shortage;
        long pauseMillis =
                write.patience.refused(what, transport.nanoTime(), patienceNanos, ThreadLocalRandom.current());
        LOG.debug("[{}] not applied, retries in {} ms: {}", layout.tableName, pauseMillis, what);
        if (pauseMillis < 0) {
            fail(write, write.patience.usedUp(patienceNanos));
        } else {
            retryLater(write, node, pauseMillis, what);
        }
    }

    /** Backs off, then retries, preferably on another replica; the permit moves along. */
    void retryLater(WriteRequest write, Node last, long pauseMillis, String reason) {
        if (transport.isClosed()) {
            fail(write, Transport.CLOSED);
            return;
        }
        backingOff.add(write);
        var unused = transport
                .timer()
                .schedule(() -> retryInBudget(write, last, reason), pauseMillis, TimeUnit.MILLISECONDS);
        if (failure.isSet() && backingOff.remove(write)) {
            finish(write);
        }
    }

    /** The request backs off until the budget permits the retry. */
    private void retryInBudget(WriteRequest write, Node last, String reason) {
        try {
            long since = transport.nanoTime();
            inFlight.retry(() -> retry(write, last, since, reason));
        } catch (Throwable e) {
            broken(write, e);
        }
    }

    /** Returns whether it was sent. */
    private boolean retry(WriteRequest write, Node last, long since, String reason) {
        if (!backingOff.remove(write)) {
            return false; // the run has failed
        }
        try {
            Node to = choose(write, last);
            if (to == null) {
                retryPatiently(write, last, ReplicaChoice.NO_NODE);
                return false;
            }
            if (transport.nanoTime() - since > patienceNanos) {
                fail(write, Patience.usedUp(reason, patienceNanos));
                return false;
            }
            takePermit(write, to);
            counts.retries.increment();
            if (write.mayBeApplied && rule.needsNewTime()) {
                write.postpone(layout);
            }
            write.mayBeApplied = false;
            dispatch(write, to, /* isRetry */ true);
        } catch (Throwable e) {
            broken(write, e);
        }
        return true;
    }

    /** Rejects the rows of a request; without a handler for rejected rows, the run fails. */
    private void reject(WriteRequest write, String reason) {
        if (!rowEnds.reject(write, reason)) {
            fail(write, reason);
        }
    }

    void fail(WriteRequest write, String reason) {
        fail(write, MessageText.plain(reason));
    }

    private void fail(WriteRequest write, MessageText reason) {
        failWith(new OverdriveException(
                Kind.WRITE, words -> "[" + layout.tableName + "] cannot write: " + reason.in(words)));
        finish(write);
    }

    /** An unexpected exception fails the run, since nothing else would ever finish the request. */
    void broken(WriteRequest write, Throwable cause) {
        try {
            broken(cause);
        } finally {
            finish(write);
        }
    }

    /** Fails the run because of an unexpected exception. */
    void broken(Throwable cause) {
        try {
            LOG.error("[{}] the run fails", layout.tableName, cause);
        } catch (Throwable again) { // no memory for the line: what matters is that the run fails
        }
        failWith(failure.of(cause));
    }

    /** Fails the run: no row is accepted or sent any more, and those that back off are dropped. The first reason counts. */
    void failWith(OverdriveException e) {
        failure.set(e);
        for (WriteRequest write : backingOff) {
            if (backingOff.remove(write)) {
                finish(write);
            }
        }
    }

    @Nullable OverdriveException failure() {
        return failure.get();
    }

    void failIfFailed() {
        failure.throwIfSet();
    }

    /** Ends a request: it is written or rejected, or the run has failed. */
    void finish(WriteRequest write) {
        if (write.finished) {
            return;
        }
        write.finished = true;
        Node node = write.permitOf;
        release(write);
        WriteRequest next = write.next;
        if (write.callbacks == null) {
            ended(write);
        } else {
            rowEnds.acknowledge(write);
        }
        if (next != null) {
            startNext(next, node);
        }
    }

    /** Its rows are not pending any more. */
    void ended(WriteRequest write) {
        pending.remove(write.rows());
        closeIfEmpty();
    }

    /** The rows still pending after {@link #close} need their timeouts. */
    private void closeIfEmpty() {
        if (closed && pending.isEmpty()) {
            inFlight.close();
            work.close();
        }
    }

    private void startNext(WriteRequest next, @Nullable Node last) {
        if (failure.isSet()) {
            finish(next);
            return;
        }
        try {
            Node node = choose(next, null);
            takePermit(next, node != null ? node : last != null ? last : anyNode());
            if (node == null) {
                retryPatiently(next, Objects.requireNonNull(next.permitOf), ReplicaChoice.NO_NODE);
            } else {
                dispatch(next, node);
            }
        } catch (Throwable e) {
            broken(next, e);
        }
    }

    /** As {@link RowEnds#requireOtherThread}. */
    void requireOtherThread() {
        rowEnds.requireOtherThread();
    }

    /** Waits until everything sent is written or rejected, or dropped because the run has failed. */
    void drain() {
        limiter.awaitAnswers(pending::awaitNone);
    }

    /** @param diskNanos time that threads have spent with spilled rows */
    Waits waits(long diskNanos) {
        long heldBack = limiter.heldBackNanos();
        for (Gate gate : limiter.gates().values()) {
            heldBack += gate.times().threadHeldBackNanos();
        }
        return new Waits(
                /* isRead */ false,
                /* threadNanos */ 0,
                limiter.pacer().waitedNanos(),
                heldBack,
                diskNanos,
                limiter.answersNanos(),
                /* queuedHeldBackNanos */ 0,
                inFlight.waits(),
                bytesByPartition.snapshot());
    }

    /** A node that goes down may have acknowledged rows before, even if no request was in flight when it did. */
    private void noticeLostNodes() {
        for (Node node : ring.now().allLocalNodes().nodes()) {
            if (node.getState() == NodeState.UP) {
                nodesUp.add(node);
            } else if (nodesUp.remove(node)) {
                inFlight.lost(node);
            }
        }
    }

    /** The reason why requests wait, if they have waited for longer than a few seconds; else null. */
    @Nullable String waiting() {
        Waiting waiting = new Waiting();
        inFlight.addTo(waiting);
        long now = transport.nanoTime();
        for (WriteRequest write : backingOff) {
            waiting.add(write.patience.waitedNanos(now), write.patience::reason);
        }
        return waiting.text();
    }

    /** Nodes that went down, or to which a connection was lost while a request was in flight. */
    Set<String> nodesLost() {
        return inFlight.nodesLost();
    }

    /** Whether it accepts no more rows, and reports no more outcomes. */
    boolean isClosed() {
        return closed;
    }

    WriteCounts counts() {
        return counts;
    }

    long requestsInFlight() {
        return inFlight.requests();
    }

    long bytesInFlight() {
        return inFlight.bytes();
    }

    /**
     * Accepts no more. Requests in flight end by their answer or timeout, since other writers wait for their permits; their
     * outcome is not reported.
     */
    @Override
    public void close() {
        failWith(new OverdriveException(Kind.WRITE, "[" + layout.tableName + "] the writer is closed"));
        closed = true;
        closeIfEmpty();
    }
}
