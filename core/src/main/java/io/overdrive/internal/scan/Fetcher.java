package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.error.ReadFailure;
import com.datastax.oss.protocol.internal.response.error.Unavailable;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.ScanSetting;
import io.overdrive.ScanTotals;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.BytesByPlace;
import io.overdrive.internal.flow.Gate;
import io.overdrive.internal.flow.JavaHeap;
import io.overdrive.internal.flow.Latencies;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.Limits;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.internal.flow.WaitTime;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.names.JobOption;
import io.overdrive.internal.names.MessageText;
import io.overdrive.internal.request.Backoff;
import io.overdrive.internal.request.Ending;
import io.overdrive.internal.request.Exchange;
import io.overdrive.internal.request.InFlight;
import io.overdrive.internal.request.Patience;
import io.overdrive.internal.request.RememberedSizes;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.internal.request.ServerMessage;
import io.overdrive.internal.request.Waiting;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.BulkWork;
import io.overdrive.internal.wire.RawMessage;
import io.overdrive.internal.wire.RawRows;
import io.overdrive.internal.wire.Transport;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests the pages of one scan, or one lookup, from replicas, and retries: for as long as {@link ScanOptions#patience}
 * lasts while the cluster does not take requests, else {@link ScanOptions#maxAttempts} times. Thread-safe; answers come on
 * the driver's I/O threads, timeouts and retries on the connection's timer, and none of these waits. Read step 2.
 *
 * <p>Above 500 lines because all that can happen to the request of a page is decided in one place, as for writes in {@code Sender}.
 */
public final class Fetcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Fetcher.class);
    private static final Backoff BACKOFF = new Backoff(5_000);
    /** Upper bound of the search for the size of pages. */
    public static final int MAX_FOUND_PAGE_BYTES = 1 << 20;
    /** Upper bound of the search for the number of splits that are read at once from each node. */
    public static final int MAX_FOUND_SPLITS = 16;

    private static final int MIN_FOUND_PAGE_BYTES = 64 << 10;
    private static final long PAGES_AT_FIRST = 2;
    /** Maximum number of page requests in flight to each node. */
    private static final int MAX_REQUESTS = 4096;

    /** A reason in the answer of a replica (native_protocol_v5.spec, section 8). */
    private static final int TOO_MANY_TOMBSTONES = 1;

    private static final int TOMBSTONE_ATTEMPTS = 3;
    private static final MessageText TOMBSTONE_ADVICE =
            words -> "; so many deleted rows lie side by side that a smaller page does not help: raise"
                    + " tombstone_failure_threshold in cassandra.yaml until they are read, compact the table once"
                    + " gc_grace_seconds have passed, or read a snapshot of its files in place of the cluster ("
                    + words.of(JobOption.FROM_SSTABLES) + "), to which the limit does not apply";

    private static final OverdriveException NO_MEMORY =
            new OverdriveException(Kind.READ, "cannot read: " + JavaHeap.tooSmall());
    private final Transport transport;
    final ScanLayout layout;
    private final ScanOptions options;
    private final PageSize pageSize;
    private final int maxPageRows;
    private final Limiter limiter;
    private final int maxAttempts;
    private final long patienceNanos;
    private final boolean isOneAggregate;
    private final ReplicaChoice replicas;
    private final InFlight inFlight;
    private final BulkWork work;
    private final RememberedSizes remembered;
    private final CurrentRing ring;
    /** Whether the driver had the table in its schema at first: it leaves out the tables of the system. */
    private final boolean knewTable;

    private final LongAdder rowsRead = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder pages = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder pendingOfCounts = new LongAdder();
    /** Readers with a page request in flight or backing off. The thread that removes one must notify it of the result. */
    private final Set<PageReader> waiting = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    private final WaitTime threads = new WaitTime();
    private final WaitTime forPages = new WaitTime();
    private final BytesByPlace bytesBySplit = new BytesByPlace();
    private final Latencies latencies = new Latencies();

    public Fetcher(Transport transport, ScanLayout layout, ScanOptions options) {
        this.transport = transport;
        this.layout = layout;
        this.options = options;
        this.remembered = new RememberedSizes(transport, layout.tableName(), layout.prepared.text());
        this.pageSize = new PageSize(
                options.pageRows(),
                layout.query.hasGroupBy() ? PageSize.FIRST_GROUPS : PageSize.FIRST_ROWS,
                remembered.rowBytes());
        this.maxPageRows = options.pageRows();
        this.limiter = new Limiter(
                new Limits(MAX_REQUESTS, options.pageMemory(), options.rowsPerSecond(), options.bytesPerSecond()),
                options.inFlightControl(),
                PAGES_AT_FIRST * (options.pageBytes() + Gate.REQUEST_COST),
                transport::nanoTime,
                "reads of " + layout.tableName(),
                transport::decided);
        this.maxAttempts = options.maxAttempts();
        this.patienceNanos = options.patience().toNanos();
        this.isOneAggregate = layout.query.isAggregate() && !layout.query.isSplit();
        this.ring = transport.ring(layout.keyspace);
        this.knewTable = layout.isKnown(transport.metadata());
        this.replicas = new ReplicaChoice(node -> limiter.gate(node).load());
        // An aggregate over the whole table takes its time, and cannot be split.
        Duration timeout = isOneAggregate ? Duration.ofHours(1) : options.requestTimeout();
        this.inFlight = new InFlight(transport, limiter, timeout.toNanos(), () -> {});
        this.work = transport.bulkWork(layout.keyspace, layout.table, limiter::setShare);
    }

    /**
     * Must be called before the first page is requested. It may wait, see {@link BulkWork#begin}.
     *
     * @throws OverdriveException of kind CONNECT if the guard of the connection cannot measure latency
     */
    public void begin() {
        limiter.heldBack(work::begin);
    }

    /** A thread begins to read splits. */
    public void beginThread() {
        threads.begin(nanoTime());
    }

    public void endThread() {
        threads.end(nanoTime());
    }

    /** A thread begins to wait for a page. */
    public void beginWait() {
        forPages.begin(nanoTime());
    }

    public void endWait() {
        forPages.end(nanoTime());
    }

    /** @param splits of the scan */
    public Waits waits(int splits) {
        long heldBack = limiter.heldBackNanos();
        long queuedHeldBack = 0;
        for (Gate gate : limiter.gates().values()) {
            queuedHeldBack += gate.times().queuedHeldBackNanos();
        }
        long now = nanoTime();
        return new Waits(
                /* isRead */ true,
                threads.nanos(now),
                limiter.pacer().waitedNanos(),
                heldBack,
                /* diskNanos */ 0,
                forPages.nanos(now),
                queuedHeldBack,
                inFlight.waits(),
                splits < 2 ? List.of() : bytesBySplit.snapshot());
    }

    public ThreadWaits threadWaits() {
        return new ThreadWaits(forPages.nanos(nanoTime()), limiter.pacer().waitedNanos());
    }

    /**
     * Starts to find sizes. Must be called before the first page is requested.
     *
     * @param findsPageBytes whether the size of pages is to be found
     * @param splits to read at once, for each node, to begin with
     * @param maxSplits up to which their number is to be found; the same as {@code splits} if it is fixed
     */
    public void findSizes(boolean findsPageBytes, int splits, int maxSplits) {
        limiter.findSizes(
                findsPageBytes
                        ? remembered.search(
                                ScanSetting.PAGE_BYTES.name(),
                                options.pageBytes(),
                                MIN_FOUND_PAGE_BYTES,
                                MAX_FOUND_PAGE_BYTES,
                                "bytes")
                        : null,
                maxSplits > splits
                        ? remembered.search(
                                ScanSetting.SPLITS_IN_FLIGHT.name(), splits, /* min */ 1, maxSplits, "splits")
                        : null);
    }

    /** Bytes of all rows of the table in the last scan of them over the same session; 0 if there was none. */
    int earlierBytes() {
        return remembered.allBytes();
    }

    /** All splits were read to their ends. Answers to conditions and aggregates do not show how much the servers read for them. */
    public void onAllRead() {
        boolean isWholeTable = options.hasWholeRing() && options.query() == null && options.where() == null;
        if (isWholeTable && !layout.query.isAggregate() && !layout.query.hasGroupBy()) {
            remembered.keepAllBytes(bytesRead.sum());
        }
    }

    /** Splits to read at once, for each node; 0 if their number is fixed. */
    public int splits() {
        return limiter.splits();
    }

    /** A thread waits for a page. */
    public void waited() {
        limiter.waited();
    }

    /** There are no more splits to begin. */
    public void endSplits() {
        limiter.endSplits();
    }

    /** The size of the next page, in bytes, at most {@code max}. */
    int pageBytes(int max) {
        int found = limiter.requestBytes();
        return found == 0 ? max : Math.min(found, max);
    }

    long nanoTime() {
        return transport.nanoTime();
    }

    /**
     * Rows to request in the next page.
     *
     * @param of the query that the reader sends
     * @param lastRowBytes mean row size of the previous page of the split; 0 if there was none
     */
    int pageRows(ScanLayout of, int pageBytes, double lastRowBytes) {
        return of.query.isAggregate() ? maxPageRows : pageSize.rows(pageBytes, lastRowBytes);
    }

    /** Waits until the rate limits allow what was read. */
    void pace(Page page) {
        limiter.pacer().pace(page.rows(), page.bytes());
    }

    /** Lifts the rate limits, and stops the source, since the scan is to end. */
    public void stop() {
        limiter.pacer().cancel();
        RowSource source = options.source();
        if (source != null) {
            source.stop();
        }
    }

    /** Requests the next page of a reader, which is notified exactly once. Does not wait. */
    void fetch(PageReader reader) {
        waiting.add(reader);
        guarded(reader, () -> send(reader, choose(reader.token(), null), /* isRetry */ false));
        if (closed) {
            endClosed(reader);
        }
    }

    /** Returns false if there is no node, or no use for the page any more. */
    private boolean send(PageReader reader, @Nullable Node node, boolean isRetry) {
        if (!waiting.contains(reader)) {
            return false; // closed in the meantime
        }
        if (node == null) {
            retryPatiently(reader, null, ReplicaChoice.NO_NODE);
            return false;
        }
        if (limiter.gate(node)
                .acquireOrQueue(reader.cost(), () -> guarded(reader, () -> sendPermitted(reader, node, isRetry)))) {
            sendPermitted(reader, node, isRetry);
        }
        return true;
    }

    private void sendPermitted(PageReader reader, Node node, boolean isRetry) {
        RawMessage message;
        PageRequest request;
        try {
            if (!waiting.contains(reader)) {
                limiter.gate(node).release(reader.cost());
                return; // closed while it was queued
            }
            message = new RawMessage(Opcode.EXECUTE, reader.nextRequest());
            request = new PageRequest(reader, node, isRetry);
        } catch (Throwable e) {
            limiter.gate(node).release(reader.cost());
            throw e;
        }
        request.send(message);
    }

    /** The nodes of the cluster as it is now. */
    public Ring ring() {
        return ring.now();
    }

    /**
     * Chooses a node for a page. The token decides between nodes with the same load: the same node for all pages of a
     * split, others for other splits.
     */
    private @Nullable Node choose(long token, @Nullable Node last) {
        return replicas.choose(ring(), token, last, Long.hashCode(token * 0x9E3779B97F4A7C15L));
    }

    private final class PageRequest extends Exchange {
        private final PageReader reader;
        private final boolean isRetry;

        PageRequest(PageReader reader, Node node, boolean isRetry) {
            super(inFlight, node, reader.cost());
            this.reader = reader;
            this.isRetry = isRetry;
        }

        @Override
        protected boolean isRetry() {
            return isRetry;
        }

        @Override
        protected void onEnd() {
            limiter.gate(node).release(bytes);
        }

        @Override
        protected int answeredBytes(Message answer) {
            return answer instanceof RawRows rows ? rows.body().length : 0;
        }

        @Override
        public void onAnswer(Message answer) {
            if (answer instanceof RawRows rows) {
                arrived(reader, rows);
            } else if (answer instanceof Error error) {
                refused(reader, node, error);
            } else {
                fail(reader, "the server answered with " + answer.getClass().getSimpleName());
            }
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            if (sent) {
                shrinkAndRetry(reader, node, reason);
            } else {
                retryPatiently(reader, node, reason);
            }
        }

        @Override
        public void onException(Throwable cause) {
            broken(reader, cause);
        }
    }

    /** Sends a request whose statement the node had forgotten. */
    private record AfterPrepare(Fetcher fetcher, PageReader reader, Node node) implements Ending {
        @Override
        public void onAnswer(Message answer) {
            if (answer instanceof Error error) {
                if (fetcher.isTableGone() || error.code == ErrorCode.UNAUTHORIZED) {
                    fetcher.fail(reader, ServerMessage.of(error));
                } else { // a node that has just started may not have the table yet
                    fetcher.retryLater(reader, node, error.message);
                }
            } else if (answer instanceof Prepared prepared && !reader.layout().isStill(prepared)) {
                fetcher.fail(reader, "the table was changed while it was read; start again");
            } else if (reader.countPrepare() > 1) {
                fetcher.retryPatiently(
                        reader, node, NodeName.of(node) + " forgets the statement whenever it is prepared");
            } else {
                fetcher.send(reader, node, /* isRetry */ false);
            }
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            fetcher.retryPatiently(reader, node, reason);
        }

        @Override
        public void onException(Throwable cause) {
            fetcher.broken(reader, cause);
        }
    }

    /** An unexpected exception ends the reader, since nothing else would. */
    private void guarded(PageReader reader, Runnable action) {
        try {
            action.run();
        } catch (Throwable e) {
            broken(reader, e);
        }
    }

    private void broken(PageReader reader, Throwable cause) {
        OverdriveException failure = NO_MEMORY;
        try {
            LOG.error("[{}] the scan fails", layout.tableName(), cause);
            if (!(cause instanceof OutOfMemoryError)) {
                failure = new OverdriveException(
                        Kind.READ, "[" + layout.tableName() + "] cannot read: internal error: " + cause, cause);
            }
        } catch (Throwable again) {
            failure = NO_MEMORY; // made beforehand
        }
        waiting.remove(reader);
        reader.failed(failure);
    }

    private void arrived(PageReader reader, RawRows answer) {
        RowsMetadata header;
        try {
            header = answer.header();
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            malformed(reader, "its header: " + e.getMessage());
            return;
        }
        // Before version 5 of the protocol only their number can show that "*" has other columns now.
        if (header.newResultMetadataId != null
                || header.columnCount != reader.layout().columns.names().size()) {
            fail(reader, "the table was changed while it was read; start again");
            return;
        }
        int at = answer.rowsStart();
        int bytes = answer.body().length - at - 4;
        int rows = bytes < 0 ? -1 : Bytes.getInt(answer.body(), at);
        if (rows < 0 || 4L * rows * header.columnCount > bytes || (rows == 0 && bytes > 0)) {
            malformed(reader, rows == 0 ? bytes + " bytes follow its rows" : rows + " rows in " + bytes + " bytes");
            return;
        }
        ByteBuffer state = header.pagingState;
        byte[] pagingState = state == null ? null : PagingState.accepted(Bytes.copyOf(state));
        if (pagingState != null && reader.hasSent(pagingState)) {
            malformed(reader, "its paging state is the one that was sent, so reading would never end");
            return;
        }
        if (!waiting.remove(reader)) {
            return;
        }
        pageSize.observe(rows, bytes);
        rowsRead.add(rows);
        bytesRead.add(bytes);
        bytesBySplit.add(reader.place(), bytes);
        pages.increment();
        latencies.record(transport.nanoTime() - reader.startNanos());
        reader.arrived(answer.body(), at + 4, rows, pagingState);
    }

    /** A page has come from a {@link RowSource}: counts it, and waits until the rate limits allow it. */
    void given(Page page) {
        rowsRead.add(page.rows());
        bytesRead.add(page.bytes());
        pages.increment();
        pace(page);
    }

    /** This many more, or fewer, of the rows that are counted here belong to a number that is not complete yet. */
    void countsHere(long rows) {
        pendingOfCounts.add(rows);
    }

    /** Rows that are counted here, and belong to a number that is not complete yet. */
    public long pendingOfCounts() {
        return pendingOfCounts.sum();
    }

    private boolean isTableGone() {
        return knewTable && !layout.isKnown(transport.metadata());
    }

    private void refused(PageReader reader, Node node, Error error) {
        if (error.code != ErrorCode.UNPREPARED && isTableGone()) {
            fail(reader, "the table does not exist any more: " + error.message);
            return;
        }
        switch (error.code) {
            case ErrorCode.OVERLOADED, ErrorCode.IS_BOOTSTRAPPING -> retryPatiently(reader, node, error.message);
            case ErrorCode.UNAVAILABLE -> retryPatiently(reader, node, error);
            case ErrorCode.READ_TIMEOUT, ErrorCode.SERVER_ERROR -> shrinkAndRetry(reader, node, error.message);
            case ErrorCode.READ_FAILURE -> retrySmaller(reader, node, error);
            case ErrorCode.UNPREPARED ->
                inFlight.prepare(node, reader.layout().prepared.text(), new AfterPrepare(this, reader, node));
            default -> fail(reader, ServerMessage.of(error));
        }
    }

    /** Retries with a smaller request. */
    private void shrinkAndRetry(PageReader reader, Node node, String reason) {
        if (reader.countHere()) {
            LOG.info(
                    "[{}] reads rows to count them here, as the server does not in time: {}",
                    layout.tableName(),
                    reason);
        } else {
            reader.shrink();
        }
        retryLater(reader, node, reason);
    }

    /**
     * A READ_FAILURE comes at once and would repeat, mostly for the number of tombstones: the request shrinks without
     * counting an attempt; only when it cannot shrink further, attempts count. Of tombstones, these are few, for other replicas.
     */
    private void retrySmaller(PageReader reader, Node node, Error error) {
        String reason = error.message;
        if (reader.shrink() || reader.countHere()) {
            LOG.debug("[{}] retries with a smaller page: {}", layout.tableName(), reason);
            retries.increment();
            send(reader, choose(reader.token(), node), /* isRetry */ false);
        } else if (error instanceof ReadFailure failure && failure.reasonMap.containsValue(TOO_MANY_TOMBSTONES)) {
            String which = whichPartitions(reader);
            MessageText advice = words -> TOMBSTONE_ADVICE.in(words) + which;
            retryLater(reader, node, reason, Math.min(maxAttempts, TOMBSTONE_ATTEMPTS), advice);
        } else {
            retryLater(reader, node, reason, maxAttempts, words -> "; " + whereTheReasonIs(error));
        }
    }

    /** Nodes say what they could not read in their logs only. */
    private String whereTheReasonIs(Error error) {
        String replicas = error instanceof ReadFailure failure
                ? failure.reasonMap.keySet().stream()
                        .map(InetAddress::getHostAddress)
                        .sorted()
                        .collect(Collectors.joining(", "))
                : "";
        return (replicas.isEmpty() ? "the log of the replica that failed" : "the log of " + replicas)
                + " says why, next to the name of table " + layout.tableName();
    }

    /** The query that shows the partitions of the token range; empty if the message names the key. */
    private String whichPartitions(PageReader reader) {
        String key = layout.partitionKey(transport.metadata());
        return reader.isByKey() || key.isEmpty()
                ? ""
                : "; its partitions: SELECT DISTINCT " + key + " FROM " + layout.tableName() + " WHERE token(" + key
                        + ") > " + reader.range().start() + " AND token(" + key + ") <= "
                        + reader.range().end();
    }

    private void retryLater(PageReader reader, Node last, String reason) {
        retryLater(reader, last, reason, maxAttempts, MessageText.EMPTY);
    }

    /** @param advice what follows the reason when there is no other attempt */
    private void retryLater(PageReader reader, Node last, String reason, int most, MessageText advice) {
        int attempts = reader.countAttempt();
        if (attempts >= most) {
            fail(reader, words -> reason + advice.in(words) + " (given up after " + attempts + " attempts)");
            return;
        }
        LOG.debug("[{}] retries after attempt {}: {}", layout.tableName(), attempts, reason);
        sendAfter(BACKOFF.pauseMillis(attempts, ThreadLocalRandom.current()), reader, last, reason);
    }

    /** The cluster does not take the request: retries until it does or patience is used up. */
    private void retryPatiently(PageReader reader, @Nullable Node last, String reason) {
        retryPatiently(reader, last, reason, /* shortage */ "", /* wayOut */ MessageText.EMPTY);
    }

    /** Too few replicas are up: if the level needs several, a lower one may do. */
    private void retryPatiently(PageReader reader, Node last, Error error) {
        if (!(error instanceof Unavailable few) || few.required < 2) {
            retryPatiently(reader, last, error.message);
            return;
        }
        DefaultConsistencyLevel level = options.consistency();
        DefaultConsistencyLevel lowest =
                level.isDcLocal() ? DefaultConsistencyLevel.LOCAL_ONE : DefaultConsistencyLevel.ONE;
        retryPatiently(
                reader,
                last,
                "too few replicas are up",
                ServerMessage.shortage(few),
                few.alive < 1
                        ? MessageText.EMPTY
                        : words -> "; a new run with " + words.of(ScanSetting.CONSISTENCY) + " " + lowest + " needs 1,"
                                + " and leaves out the rows that only the missing replicas have");
    }

    /**
     * The same, with more to say.
     *
     * @param shortage what follows the reason
     * @param wayOut what follows when patience is used up
     */
    private void retryPatiently(
            PageReader reader, @Nullable Node last, String reason, String shortage, MessageText wayOut) {
        String what = ReplicaChoice.nodesDown(ring(), reader.token(), reason, transport::whyDown) + shortage;
        long pauseMillis = reader.refused(what, transport.nanoTime(), patienceNanos);
        LOG.debug("[{}] not taken, retries in {} ms: {}", layout.tableName(), pauseMillis, what);
        if (pauseMillis < 0) {
            MessageText usedUp = reader.usedUp(patienceNanos);
            fail(reader, words -> usedUp.in(words) + wayOut.in(words));
        } else {
            sendAfter(pauseMillis, reader, last, what);
        }
    }

    private void sendAfter(long pauseMillis, PageReader reader, @Nullable Node last, String reason) {
        if (transport.isClosed()) {
            fail(reader, Transport.CLOSED);
            return;
        }
        var unused = transport
                .timer()
                .schedule(() -> retryInBudget(reader, last, reason), pauseMillis, TimeUnit.MILLISECONDS);
    }

    /** The page is requested when the budget permits the retry. */
    private void retryInBudget(PageReader reader, @Nullable Node last, String reason) {
        guarded(reader, () -> {
            long since = transport.nanoTime();
            inFlight.retry(() -> retry(reader, last, since, reason));
        });
    }

    /** Returns whether the request is sent, or will be when the node's limit permits it. */
    private boolean retry(PageReader reader, @Nullable Node last, long since, String reason) {
        try {
            if (transport.nanoTime() - since > patienceNanos) {
                fail(reader, Patience.usedUp(reason, patienceNanos));
                return false;
            }
            retries.increment();
            return send(reader, choose(reader.token(), last), /* isRetry */ true);
        } catch (Throwable e) {
            broken(reader, e);
            return false;
        }
    }

    /** The reason why pages wait, if they have waited for longer than a few seconds; else null. */
    private @Nullable String waiting() {
        Waiting longest = new Waiting();
        long now = transport.nanoTime();
        for (PageReader reader : waiting) {
            longest.add(reader.waitingNanos(now), reader::waitsFor);
        }
        if (!isOneAggregate) { // an aggregate takes long even if no node is slow
            inFlight.addTo(longest);
        }
        return longest.text();
    }

    private void fail(PageReader reader, String reason) {
        fail(reader, MessageText.plain(reason));
    }

    private void fail(PageReader reader, MessageText reason) {
        if (waiting.remove(reader)) {
            String what = "[" + layout.tableName() + "] cannot read " + reader.what() + ": ";
            reader.failed(new OverdriveException(Kind.READ, words -> what + reason.in(words)));
        }
    }

    private void malformed(PageReader reader, String what) {
        if (waiting.remove(reader)) {
            reader.failed(layout.malformed(what));
        }
    }

    private void endClosed(PageReader reader) {
        if (waiting.remove(reader)) {
            reader.failed(new OverdriveException(Kind.INTERRUPTED, "[" + layout.tableName() + "] reading was closed"));
        }
    }

    /** The totals so far. */
    public ScanTotals totals(int splits, int splitsRead) {
        return new ScanTotals(
                rowsRead.sum(),
                bytesRead.sum(),
                pages.sum(),
                retries.sum(),
                splits,
                splitsRead,
                waiting.size(),
                latencies.snapshot(),
                waiting());
    }

    /** Readers that wait for a page fail with an exception of kind INTERRUPTED. */
    @Override
    public void close() {
        closed = true;
        inFlight.close();
        work.close();
        waiting.forEach(this::endClosed);
        remembered.keepRowBytes(pageSize.largestRowBytes());
        remembered.keep(ScanSetting.PAGE_BYTES.name(), limiter.foundBytes());
        remembered.keep(ScanSetting.SPLITS_IN_FLIGHT.name(), limiter.foundSplits());
    }
}
