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
import io.overdrive.internal.wire.Wire;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks replicas for the pages of one scan, or one lookup, and again where that may help. Thread-safe; answers come on the driver's I/O
 * threads, pauses and time-outs are served by one thread of its own.
 */
public final class Fetcher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Fetcher.class);
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 5_000;

    private final Wire wire;
    private final ScanPlan plan;
    private final PageSize pageSize;
    private final int maxPageRows;
    private final Limiter ceilings;
    private final int maxAttempts;
    private final long timeoutMillis;
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
            1,
            task -> {
                Thread thread = new Thread(task, "overdrive-scan-timer");
                thread.setDaemon(true);
                return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy()); // after the end, when there is nothing to be timed
    private final CurrentRing ring;
    private final LongAdder rowsRead = new LongAdder();
    private final LongAdder bytesRead = new LongAdder();
    private final LongAdder pages = new LongAdder();
    private final LongAdder retries = new LongAdder();
    /** Readers whose page is on its way: who takes one out tells it how that ended. */
    private final Set<PageReader> waiting = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;
    private final Latencies latencies = new Latencies();

    public Fetcher(Wire wire, ScanPlan plan, ScanOptions options) {
        this.wire = wire;
        this.plan = plan;
        this.pageSize = new PageSize(options.pageRows(), plan.groups() ? PageSize.FIRST_GROUPS : PageSize.FIRST_ROWS);
        this.maxPageRows = options.pageRows();
        this.ceilings =
                new Limiter(Integer.MAX_VALUE, Long.MAX_VALUE, options.rowsPerSecond(), options.bytesPerSecond());
        this.maxAttempts = options.maxAttempts();
        // A sum over the whole table takes its time, and cannot be asked for in smaller parts.
        boolean atOnce = plan.sumsUp() && !plan.isSplit();
        this.timeoutMillis =
                atOnce ? TimeUnit.HOURS.toMillis(1) : options.requestTimeout().toMillis();
        this.ring = wire.ring(plan.keyspace());
        timer.setRemoveOnCancelPolicy(true);
    }

    ScanPlan plan() {
        return plan;
    }

    /** Rows to ask for, after a page of rows of this size in the same split, or 0. */
    int pageRows(int pageBytes, double lastRowBytes) {
        return plan.sumsUp() ? maxPageRows : pageSize.rows(pageBytes, lastRowBytes);
    }

    /** Waits until the ceilings let through what was read. */
    void pace(Page page) {
        ceilings.pace(page.rows(), page.bytes());
    }

    /** Nobody waits for the ceilings any more: the scan is to end. */
    public void hurry() {
        ceilings.liftCeilings();
    }

    /** Asks for the next page of a reader, which hears of it exactly once. Does not wait. */
    void fetch(PageReader reader) {
        waiting.add(reader);
        send(reader, choose(reader.token(), null));
        if (closed) {
            endClosed(reader);
        }
    }

    private void send(PageReader reader, @Nullable Node node) {
        if (!waiting.contains(reader)) {
            return; // closed in the meantime
        }
        if (node == null) {
            later(reader, null, "no node of the local data centre is up");
            return;
        }
        Attempt attempt = new Attempt(reader, node);
        attempt.timeOutAfter(timeoutMillis);
        if (!wire.send(node, Opcode.EXECUTE, reader.nextRequest(), attempt)) {
            attempt.failed(null, /* sent */ false);
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
        return best != null ? best : leastLoaded(now.everywhere().nodes(), token, null);
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

    /** One request for a page. Ends once, by whichever of answer, broken connection and time-out comes first. */
    private final class Attempt extends Wire.Request {
        private final PageReader reader;
        private final Node node;
        private final AtomicBoolean ended = new AtomicBoolean();
        private volatile @Nullable ScheduledFuture<?> timeout;

        Attempt(PageReader reader, Node node) {
            this.reader = reader;
            this.node = node;
            ceilings.gate(node).force(0);
        }

        void timeOutAfter(long millis) {
            timeout = timer.schedule(
                    () -> {
                        if (end()) {
                            again(reader, node, node.getEndPoint() + " did not answer within " + millis + " ms");
                        }
                    },
                    millis,
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

        @Override
        protected void answered(Message message) {
            if (!end()) {
                return;
            }
            if (message instanceof RawRows rows) {
                arrived(reader, rows);
            } else if (message instanceof Error error) {
                refused(reader, node, error);
            } else {
                give(reader, "the server answered with " + message.getClass().getSimpleName());
            }
        }

        @Override
        protected void failed(@Nullable Throwable cause, boolean sent) {
            if (end()) {
                String reason = cause == null || cause.getMessage() == null
                        ? "the connection to " + node.getEndPoint() + " is closed"
                        : cause.getMessage();
                again(reader, node, reason);
            }
        }
    }

    private void arrived(PageReader reader, RawRows answer) {
        RowsMetadata header = answer.header();
        if (header.newResultMetadataId != null) {
            give(reader, "the columns of the table were changed while it was read; start again");
            return;
        }
        if (header.columnCount != plan.names().size()) {
            // Before version 5 of the protocol nothing else tells that "*" means other columns now.
            give(reader, "the columns of the table were changed while it was read; start again");
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
        latencies.recordSince(reader.startNanos());
        reader.arrived(answer.body(), at + 4, rows, pagingState);
    }

    private void refused(PageReader reader, Node node, Error error) {
        switch (error.code) {
            case ErrorCode.READ_TIMEOUT,
                    ErrorCode.OVERLOADED,
                    ErrorCode.UNAVAILABLE,
                    ErrorCode.IS_BOOTSTRAPPING,
                    ErrorCode.SERVER_ERROR -> again(reader, node, error.message);
            case ErrorCode.READ_FAILURE -> smaller(reader, node, error.message);
            case ErrorCode.UNPREPARED -> prepareAgain(reader, node);
            default -> give(reader, error.message);
        }
    }

    /** Another try, with less to do for the server. */
    private void again(PageReader reader, Node node, String reason) {
        reader.easier();
        later(reader, node, reason);
    }

    /**
     * Nodes say at once that they cannot, and would again, mostly for the number of tombstones: less is asked for until they
     * can or nothing less is left. Only then attempts count.
     */
    private void smaller(PageReader reader, Node node, String reason) {
        if (reader.easier()) {
            LOG.debug("[{}] less of it: {}", plan.tableName(), reason);
            retries.increment();
            send(reader, choose(reader.token(), node));
        } else {
            later(reader, node, reason);
        }
    }

    private void later(PageReader reader, @Nullable Node last, String reason) {
        int attempts = reader.countAttempt();
        if (attempts >= maxAttempts) {
            give(reader, reason + " (given up after " + attempts + " attempts)");
            return;
        }
        LOG.debug("[{}] again after attempt {}: {}", plan.tableName(), attempts, reason);
        long full = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(20, attempts - 1));
        long pause = full / 2 + ThreadLocalRandom.current().nextLong(full / 2 + 1);
        var unused = timer.schedule(
                () -> {
                    retries.increment();
                    send(reader, choose(reader.token(), last));
                },
                pause,
                TimeUnit.MILLISECONDS);
    }

    /** The node has forgotten the statement (restarted, or its cache is full): tell it again, then ask again. */
    private void prepareAgain(PageReader reader, Node node) {
        if (reader.countAttempt() > maxAttempts) {
            give(reader, node.getEndPoint() + " forgets the statement whenever it is prepared");
            return;
        }
        Wire.Request prepare = new Wire.Request() {
            private final AtomicBoolean ended = new AtomicBoolean();

            @Override
            protected void answered(Message message) {
                if (ended.compareAndSet(false, true)) {
                    if (message instanceof Error error) {
                        later(reader, node, error.message);
                    } else if (message instanceof Prepared prepared && !plan.isPreparedAs(prepared.preparedQueryId)) {
                        give(reader, "the table was changed while it was read; start again");
                    } else {
                        send(reader, node);
                    }
                }
            }

            @Override
            protected void failed(@Nullable Throwable cause, boolean sent) {
                if (ended.compareAndSet(false, true)) {
                    later(reader, node, "the connection to " + node.getEndPoint() + " is closed");
                }
            }
        };
        if (!wire.send(node, new Prepare(plan.cql()), prepare)) {
            prepare.onFailure(new IllegalStateException("no connection"));
        }
    }

    private void give(PageReader reader, String reason) {
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
        Histogram took = latencies.soFar();
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
                micros(took.getMaxValue()));
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
