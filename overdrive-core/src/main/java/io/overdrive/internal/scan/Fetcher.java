package io.overdrive.internal.scan;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.metadata.NodeState;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.ProtocolConstants.ErrorCode;
import com.datastax.oss.protocol.internal.ProtocolConstants.Opcode;
import com.datastax.oss.protocol.internal.request.Prepare;
import com.datastax.oss.protocol.internal.response.Error;
import com.datastax.oss.protocol.internal.response.result.Prepared;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.ScanOptions;
import io.overdrive.ScanTotals;
import io.overdrive.Split;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.flow.Latencies;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.ring.CurrentRing;
import io.overdrive.internal.ring.Ring;
import io.overdrive.internal.wire.RawRows;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests the pages of one scan, or one lookup, from replicas, and again if that may help: for as long as {@link
 * ScanOptions#patience} lasts while the cluster does not take requests, else {@link ScanOptions#maxAttempts} times. Thread-safe;
 * answers come on the driver's I/O threads, pauses and timeouts are served by one thread of its own.
 */
public final class Fetcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Fetcher.class);
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 5_000;
    private static final long MAX_WAITING_PAUSE_MILLIS = 3_000;
    private static final OverdriveException NO_MEMORY = new OverdriveException(
            Kind.READ,
            "cannot read: the Java heap is too small: give Java more (-Xmx; OVERDRIVE_JAVA_OPTIONS=-Xmx2g on the"
                    + " command line)");
    private static final String NO_NODE = "no node of the local data centre is up";
    /** A page that takes longer than this shows up as waiting. */
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Transport transport;
    private final ScanPlan plan;
    private final PageSize pageSize;
    private final int maxPageRows;
    private final Limiter ceilings;
    private final int maxAttempts;
    private final long patienceNanos;
    private final long timeoutMillis;
    private final ScheduledExecutorService timer;
    private final CurrentRing ring;
    private final LongAdder rowsRead = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder pages = new LongAdder();
    private final LongAdder retries = new LongAdder();
    /** Readers with a page request in flight. Whoever removes one must tell it how the request ended. */
    private final Set<PageReader> waiting = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    private final Latencies latencies = new Latencies();

    public Fetcher(Transport transport, ScanPlan plan, ScanOptions options) {
        this.transport = transport;
        this.plan = plan;
        this.pageSize =
                new PageSize(options.pageRows(), plan.hasGroupBy() ? PageSize.FIRST_GROUPS : PageSize.FIRST_ROWS);
        this.maxPageRows = options.pageRows();
        this.ceilings =
                new Limiter(Integer.MAX_VALUE, Long.MAX_VALUE, options.rowsPerSecond(), options.bytesPerSecond());
        this.maxAttempts = options.maxAttempts();
        this.patienceNanos = options.patience().toNanos();
        // A sum over the whole table takes its time, and cannot be asked for in smaller parts.
        boolean atOnce = plan.isAggregate() && !plan.isSplit();
        this.timeoutMillis =
                atOnce ? TimeUnit.HOURS.toMillis(1) : options.requestTimeout().toMillis();
        this.ring = transport.ring(plan.keyspace());
        this.timer = transport.timer("overdrive-scan-timer");
    }

    ScanPlan plan() {
        return plan;
    }

    long nanoTime() {
        return transport.nanoTime();
    }

    /** Rows to ask for, after a page of rows of this size in the same split, or 0. */
    int pageRows(int pageBytes, double lastRowBytes) {
        return plan.isAggregate() ? maxPageRows : pageSize.rows(pageBytes, lastRowBytes);
    }

    /** Waits until the ceilings let through what was read. */
    void pace(Page page) {
        ceilings.pace(page.rows(), page.bytes());
    }

    /** Nobody waits for the ceilings any more: the scan is to end. */
    public void cancelPacing() {
        ceilings.cancelPacing();
    }

    /** Asks for the next page of a reader, which hears of it exactly once. Does not wait. */
    void fetch(PageReader reader) {
        waiting.add(reader);
        guarded(reader, () -> send(reader, choose(reader.token(), null)));
        if (closed) {
            endClosed(reader);
        }
    }

    private void send(PageReader reader, @Nullable Node node) {
        if (!waiting.contains(reader)) {
            return; // closed in the meantime
        }
        if (node == null) {
            waitFor(reader, null, NO_NODE);
            return;
        }
        transmit(new PageRequest(reader, node));
    }

    private void transmit(Pending request) {
        try {
            request.startTimeout();
            if (!request.send()) {
                request.failed(null, /* sent */ false);
            }
        } catch (Throwable e) {
            if (request.end()) {
                broken(request.reader, e);
            }
        }
    }

    /** The nodes of the cluster as it is now. */
    public Ring ring() {
        return ring.now();
    }

    /** The live replica with the fewest pages under way, another one than last time where there is one. */
    private @Nullable Node choose(long token, @Nullable Node last) {
        Ring now = ring();
        List<Node> replicas = now.replicas(token).nodes();
        Node best = leastLoaded(replicas, token, last);
        if (best == null && last != null && isUp(last) && replicas.contains(last)) {
            return last;
        }
        return best != null ? best : leastLoaded(now.allLocalNodes().nodes(), token, null);
    }

    /** Of nodes that are equally idle, the token decides: another one for other splits, and the same for all pages of one. */
    private @Nullable Node leastLoaded(List<Node> nodes, long token, @Nullable Node not) {
        Node best = null;
        int least = Integer.MAX_VALUE;
        int first = Math.floorMod(Long.hashCode(token * 0x9E3779B97F4A7C15L), Math.max(1, nodes.size()));
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get((first + i) % nodes.size());
            int load = ceilings.gate(node).requests();
            if (node != not && isUp(node) && load < least) {
                least = load;
                best = node;
            }
        }
        return best;
    }

    private static boolean isUp(Node node) {
        return node.getState() == NodeState.UP || node.getState() == NodeState.UNKNOWN;
    }

    /** A request in flight. Ends once: by an answer, a broken connection or the timeout, whichever comes first. */
    private abstract class Pending extends Wire.Request {
        final PageReader reader;
        final Node node;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable ScheduledFuture<?> timeout;

        Pending(PageReader reader, Node node) {
            this.reader = reader;
            this.node = node;
            ceilings.gate(node).force(0);
        }

        /** Whether there was a connection to send it by. */
        abstract boolean send();

        abstract void onAnswer(Message message);

        /** @param sent whether the node may have got it */
        abstract void onSilence(boolean sent, String reason);

        final void startTimeout() {
            timeout = timer.schedule(
                    () -> finish(() ->
                            onSilence(/* sent */ true, name(node) + " did not answer within " + timeoutMillis + " ms")),
                    timeoutMillis,
                    TimeUnit.MILLISECONDS);
        }

        private boolean end() {
            if (!ended.compareAndSet(false, true)) {
                return false;
            }
            ScheduledFuture<?> pending = timeout;
            if (pending != null) {
                pending.cancel(false);
            }
            ceilings.gate(node).release(0);
            return true;
        }

        private void finish(Runnable action) {
            if (end()) {
                guarded(reader, action);
            }
        }

        @Override
        protected final void answered(Message message) {
            finish(() -> onAnswer(message));
        }

        @Override
        protected final void failed(@Nullable Throwable cause, boolean sent) {
            finish(() -> onSilence(
                    sent,
                    cause == null || cause.getMessage() == null
                            ? "the connection to " + name(node) + " is closed"
                            : cause.getMessage()));
        }
    }

    private final class PageRequest extends Pending {
        PageRequest(PageReader reader, Node node) {
            super(reader, node);
        }

        @Override
        boolean send() {
            return transport.send(node, Opcode.EXECUTE, reader.nextRequest(), this);
        }

        @Override
        void onAnswer(Message message) {
            if (message instanceof RawRows rows) {
                arrived(reader, rows);
            } else if (message instanceof Error error) {
                refused(reader, node, error);
            } else {
                fail(reader, "the server answered with " + message.getClass().getSimpleName());
            }
        }

        @Override
        void onSilence(boolean sent, String reason) {
            if (sent) {
                shrinkAndRetry(reader, node, reason);
            } else {
                waitFor(reader, node, reason);
            }
        }
    }

    /** The node has forgotten the statement (restarted, or its cache is full): it is prepared there again, then sent. */
    private final class Preparation extends Pending {
        Preparation(PageReader reader, Node node) {
            super(reader, node);
        }

        @Override
        boolean send() {
            return transport.send(node, new Prepare(plan.cql()), this);
        }

        @Override
        void onAnswer(Message message) {
            if (message instanceof Error error) {
                retryLater(reader, node, error.message);
            } else if (message instanceof Prepared prepared && !plan.isPreparedAs(prepared.preparedQueryId)) {
                fail(reader, "the table was changed while it was read; start again");
            } else if (reader.countPrepare() > 1) {
                waitFor(reader, node, name(node) + " forgets the statement whenever it is prepared");
            } else {
                Fetcher.this.send(reader, node);
            }
        }

        @Override
        void onSilence(boolean sent, String reason) {
            waitFor(reader, node, reason);
        }
    }

    private static String name(Node node) {
        String name = node.getEndPoint().toString();
        return name.startsWith("/") ? name.substring(1) : name;
    }

    /** An exception on any thread ends the reader, for which nobody else would. */
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
            LOG.error("[{}] the scan ends", plan.tableName(), cause);
            if (!(cause instanceof OutOfMemoryError)) {
                failure = new OverdriveException(
                        Kind.READ, "[" + plan.tableName() + "] cannot read: internal error: " + cause, cause);
            }
        } catch (Throwable again) {
            failure = NO_MEMORY; // made beforehand
        }
        waiting.remove(reader);
        reader.failed(failure);
    }

    private void arrived(PageReader reader, RawRows answer) {
        RowsMetadata header = answer.header();
        if (header.newResultMetadataId != null) {
            fail(reader, "the columns of the table were changed while it was read; start again");
            return;
        }
        if (header.columnCount != plan.names().size()) {
            // Before version 5 of the protocol nothing else tells that "*" means other columns now.
            fail(reader, "the columns of the table were changed while it was read; start again");
            return;
        }
        if (!waiting.remove(reader)) {
            return;
        }
        int at = answer.rowsStart();
        int rows = Bytes.getInt(answer.body(), at);
        ByteBuffer state = header.pagingState;
        byte[] pagingState = null;
        if (state != null) {
            pagingState = new byte[state.remaining()];
            state.duplicate().get(pagingState);
            pagingState = PagingState.accepted(pagingState);
        }
        int bytes = answer.body().length - at - 4;
        pageSize.observe(rows, bytes);
        rowsRead.add(rows);
        bytesRead.add(bytes);
        pages.increment();
        latencies.record(transport.nanoTime() - reader.startNanos());
        reader.arrived(answer.body(), at + 4, rows, pagingState);
    }

    private void refused(PageReader reader, Node node, Error error) {
        switch (error.code) {
            case ErrorCode.OVERLOADED, ErrorCode.UNAVAILABLE, ErrorCode.IS_BOOTSTRAPPING ->
                waitFor(reader, node, error.message);
            case ErrorCode.READ_TIMEOUT, ErrorCode.SERVER_ERROR -> shrinkAndRetry(reader, node, error.message);
            case ErrorCode.READ_FAILURE -> retrySmaller(reader, node, error.message);
            case ErrorCode.UNPREPARED -> transmit(new Preparation(reader, node));
            default -> fail(reader, error.message);
        }
    }

    /** Another try, with less to do for the server. */
    private void shrinkAndRetry(PageReader reader, Node node, String reason) {
        reader.shrink();
        retryLater(reader, node, reason);
    }

    /**
     * A READ_FAILURE comes at once and would repeat, mostly for the number of tombstones: the request shrinks without
     * counting an attempt; only when it cannot shrink further, attempts count.
     */
    private void retrySmaller(PageReader reader, Node node, String reason) {
        if (reader.shrink()) {
            LOG.debug("[{}] less of it: {}", plan.tableName(), reason);
            retries.increment();
            send(reader, choose(reader.token(), node));
        } else {
            retryLater(reader, node, reason);
        }
    }

    private void retryLater(PageReader reader, Node last, String reason) {
        int attempts = reader.countAttempt();
        if (attempts >= maxAttempts) {
            fail(reader, reason + " (given up after " + attempts + " attempts)");
            return;
        }
        LOG.debug("[{}] again after attempt {}: {}", plan.tableName(), attempts, reason);
        sendAfter(pauseMillis(attempts, MAX_PAUSE_MILLIS), reader, last);
    }

    /** The cluster does not take the request: tries again until it does or patience is used up. */
    private void waitFor(PageReader reader, @Nullable Node last, String reason) {
        String what = nodesDown(reader, reason);
        long now = transport.nanoTime();
        int waits = reader.countWait(now, what);
        LOG.debug("[{}] waits for the {}. time: {}", plan.tableName(), waits, reason);
        long left = patienceNanos - reader.waitingNanos(now);
        if (left <= 0) {
            fail(
                    reader,
                    what + "; gave up after " + TimeUnit.NANOSECONDS.toSeconds(patienceNanos)
                            + " s, which is set by patience (--patience)");
            return;
        }
        long pause = pauseMillis(waits, MAX_WAITING_PAUSE_MILLIS);
        sendAfter(Math.min(pause, TimeUnit.NANOSECONDS.toMillis(left) + 1), reader, last);
    }

    /** Which node is away, if any of those that hold the rows is: a coordinator's error does not name it. */
    private String nodesDown(PageReader reader, String reason) {
        List<String> down = ring().replicas(reader.token()).nodes().stream()
                .filter(n -> !isUp(n))
                .map(Fetcher::name)
                .toList();
        return switch (down.size()) {
            case 0 -> reason;
            case 1 -> "node " + down.get(0) + " does not answer";
            default -> "nodes " + String.join(", ", down) + " do not answer";
        };
    }

    /** Exponential back-off with jitter: half of the pause is fixed, half random. */
    private static long pauseMillis(int tries, long maxMillis) {
        long full = Math.min(maxMillis, FIRST_PAUSE_MILLIS << Math.min(20, tries - 1));
        return full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1);
    }

    private void sendAfter(long pauseMillis, PageReader reader, @Nullable Node last) {
        var unused = timer.schedule(
                () -> guarded(reader, () -> {
                    retries.increment();
                    send(reader, choose(reader.token(), last));
                }),
                pauseMillis,
                TimeUnit.MILLISECONDS);
    }

    /** What pages have waited for, in words, if they have for longer than a few seconds; else null. */
    private @Nullable String waiting() {
        long now = transport.nanoTime();
        long longest = SLOW_NANOS;
        String reason = null;
        for (PageReader reader : waiting) {
            if (reader.waitingNanos(now) > longest) {
                longest = reader.waitingNanos(now);
                reason = reader.waitsFor();
            }
        }
        return reason == null ? null : reason + ", waiting " + TimeUnit.NANOSECONDS.toSeconds(longest) + " s";
    }

    private void fail(PageReader reader, String reason) {
        if (waiting.remove(reader)) {
            reader.failed(new OverdriveException(
                    Kind.READ, "[" + plan.tableName() + "] cannot read " + reader.what() + ": " + reason));
        }
    }

    private void endClosed(PageReader reader) {
        if (waiting.remove(reader)) {
            reader.failed(new OverdriveException(Kind.INTERRUPTED, "[" + plan.tableName() + "] reading was closed"));
        }
    }

    /** What was read so far. */
    public ScanTotals totals(int splits, int splitsRead) {
        Histogram took = latencies.snapshot();
        return new ScanTotals(
                rowsRead.sum(),
                bytesRead.sum(),
                pages.sum(),
                retries.sum(),
                splits,
                splitsRead,
                waiting.size(),
                micros(took.getValueAtPercentile(50)),
                micros(took.getValueAtPercentile(99)),
                micros(took.getMaxValue()),
                waiting());
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    /** A reader of some split of this scan, or of any other ranges. */
    public PageReader reader(Split split, int pageBytes, Runnable onChange) {
        return new PageReader(this, split, pageBytes, onChange);
    }

    /** A reader of the rows of a key: the values of all markers, each with its length in front. */
    public PageReader reader(byte[] key, long token, int pageBytes) {
        return new PageReader(this, key, token, pageBytes);
    }

    /** Who waits for a page hears that none will come. */
    @Override
    public void close() {
        closed = true;
        timer.shutdownNow();
        waiting.forEach(this::endClosed);
    }
}
