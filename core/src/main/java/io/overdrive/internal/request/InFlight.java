package io.overdrive.internal.request;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.request.Prepare;
import io.overdrive.internal.flow.Gate;
import io.overdrive.internal.flow.Limiter;
import io.overdrive.internal.flow.NodeCounts;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.flow.Outcome;
import io.overdrive.internal.flow.Traffic;
import io.overdrive.internal.flow.Waits;
import io.overdrive.internal.wire.Transport;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of one job that are in flight. Ends those whose time is up, reports to the limiter how each one ended, and
 * prepares the statement again on nodes that have forgotten it. Thread-safe; on the hot path (write step 5).
 */
public final class InFlight implements Traffic.Job, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(InFlight.class);
    private static final long MAX_CHECK_MILLIS = 1000;

    final Transport transport;
    private final Limiter limiter;
    private final Traffic traffic;
    private final long timeoutNanos;
    final RetryBudget budget;
    private final EmptyRequests emptyRequests;
    private final Set<Exchange> exchanges = ConcurrentHashMap.newKeySet();
    private final Set<String> nodesLost = ConcurrentHashMap.newKeySet();
    private final Map<Statement, List<Ending>> preparing = new HashMap<>();
    private final long checkNanos;
    private final @Nullable Ticks ticks;
    /** When timeouts are checked next; used by the timer only. */
    private long nextCheckNanos;

    private record Statement(Node node, String cql) {}

    /** The task of the timer. It does not keep the job in memory, and ends by itself if that is never closed. Thread-safe. */
    private static final class Ticks implements Runnable {
        private final WeakReference<InFlight> job;
        private final Runnable onTick;
        private volatile @Nullable Future<?> schedule;

        Ticks(InFlight job, Runnable onTick) {
            this.job = new WeakReference<>(job);
            this.onTick = onTick;
        }

        void start(ScheduledExecutorService timer, long millis) {
            schedule = timer.scheduleWithFixedDelay(this, millis, millis, TimeUnit.MILLISECONDS);
        }

        @Override
        public void run() {
            InFlight inFlight = job.get();
            if (inFlight == null) {
                cancel();
            } else {
                inFlight.tick(onTick);
            }
        }

        void cancel() {
            Future<?> now = schedule;
            if (now != null) {
                now.cancel(false);
            }
        }
    }

    /**
     * @param timeoutNanos after which a request without an answer ends; {@link Long#MAX_VALUE} for never, and for no
     *     figures of requests in flight
     * @param onTick called about once a second on the connection's timer, or more often for short timeouts; what it refers to
     *     stays in memory until {@link #close}
     */
    public InFlight(Transport transport, Limiter limiter, long timeoutNanos, Runnable onTick) {
        this.transport = transport;
        this.limiter = limiter;
        this.traffic = transport.traffic();
        this.timeoutNanos = timeoutNanos;
        this.emptyRequests = new EmptyRequests(transport, limiter);
        this.budget = new RetryBudget(transport.timer(), transport.nanoTime());
        if (timeoutNanos == Long.MAX_VALUE) {
            checkNanos = Long.MAX_VALUE;
            ticks = null;
        } else {
            long checkMillis = Math.max(1, Math.min(MAX_CHECK_MILLIS, TimeUnit.NANOSECONDS.toMillis(timeoutNanos) / 4));
            checkNanos = TimeUnit.MILLISECONDS.toNanos(checkMillis);
            nextCheckNanos = transport.nanoTime() + checkNanos;
            long millis = Math.min(checkMillis, limiter.tickMillis());
            ticks = new Ticks(this, onTick);
            ticks.start(transport.timer(), millis);
            traffic.begin(this);
        }
    }

    void add(Exchange exchange) {
        if (ticks != null) {
            exchanges.add(exchange);
        }
    }

    void remove(Exchange exchange, Outcome outcome, int size) {
        exchanges.remove(exchange);
        if (!(exchange instanceof Preparation)) {
            long nanos = transport.nanoTime() - exchange.startNanos;
            limiter.gate(exchange.node).ended(size, nanos, outcome);
            NodeCounts counts = traffic.of(exchange.node);
            counts.ended(size, nanos, outcome);
            if (exchange.isRetry()) {
                counts.retried();
            }
        }
    }

    /** Notes that rows which this node has acknowledged may be lost. */
    public void lost(Node node) {
        nodesLost.add(NodeName.of(node));
    }

    private void tick(Runnable onTick) {
        try {
            limiter.adapt();
            long now = transport.nanoTime();
            budget.tick(now);
            emptyRequests.tick(now);
            if (now - nextCheckNanos >= 0) {
                nextCheckNanos = now + checkNanos;
                for (Exchange exchange : exchanges) {
                    exchange.timeOut(now, timeoutNanos);
                }
                onTick.run();
            }
        } catch (Throwable e) {
            try { // an exception would end the timer's task
                LOG.warn("timeout check failed, will run again", e);
            } catch (Throwable again) { // no memory for the line: what matters is the next check
            }
        }
    }

    /**
     * Prepares a statement on a node that has forgotten it (it was restarted, or its cache is full): once for all requests
     * of the node and the statement that need it before the answer arrives.
     */
    public void prepare(Node node, String cql, Ending request) {
        // Made before the entry, which nothing would remove if there were no memory for them.
        Preparation preparation = new Preparation(new Statement(node, cql));
        Prepare message = new Prepare(cql);
        synchronized (preparing) {
            List<Ending> waiting = preparing.get(preparation.statement);
            if (waiting != null) {
                waiting.add(request);
                return;
            }
            preparing.put(preparation.statement, new ArrayList<>(List.of(request)));
        }
        preparation.send(message);
    }

    private final class Preparation extends Exchange {
        private final Statement statement;

        Preparation(Statement statement) {
            super(InFlight.this, statement.node, 0);
            this.statement = statement;
        }

        @Override
        public void onAnswer(Message answer) {
            forEach(request -> request.onAnswer(answer));
        }

        @Override
        public void onSilence(boolean sent, String reason) {
            forEach(request -> request.onSilence(sent, reason));
        }

        @Override
        public void onException(Throwable cause) {
            forEach(request -> request.onException(cause));
        }

        private void forEach(Consumer<Ending> call) {
            List<Ending> requests;
            synchronized (preparing) {
                requests = preparing.remove(statement);
            }
            if (requests != null) {
                for (Ending request : requests) {
                    try {
                        call.accept(request);
                    } catch (Throwable e) {
                        request.onException(e);
                    }
                }
            }
        }
    }

    /** Nodes to which a connection was lost while a request was in flight, and those given to {@link #lost}. */
    public Set<String> nodesLost() {
        return new TreeSet<>(nodesLost);
    }

    @Override
    public Limiter limiter() {
        return limiter;
    }

    @Override
    public void forEachInFlight(ObjIntConsumer<Node> request) {
        exchanges.forEach(exchange -> request.accept(exchange.node, exchange.bytes));
    }

    public int requests() {
        return exchanges.size();
    }

    public long bytes() {
        return exchanges.stream().mapToLong(exchange -> exchange.bytes).sum();
    }

    /**
     * Where requests to each node have spent their time. From the first call on, an empty request is sent to each busy node twice a
     * second, to see how long it takes.
     */
    public List<Waits.Node> waits() {
        emptyRequests.start();
        long now = transport.nanoTime();
        Map<Node, Long> ages = new HashMap<>();
        for (Exchange exchange : exchanges) {
            if (!(exchange instanceof Preparation)) {
                ages.merge(exchange.node, Math.max(0, now - exchange.startNanos), Long::sum);
            }
        }
        List<Waits.Node> nodes = new ArrayList<>();
        limiter.gates().forEach((node, gate) -> {
            Gate.Times times = gate.times();
            EmptyRequests.Way way = emptyRequests.way(node);
            nodes.add(new Waits.Node(
                    NodeName.of(node),
                    times.threadNanos(),
                    times.queuedNanos(),
                    times.endedNanos() + ages.getOrDefault(node, 0L),
                    times.ended(),
                    times.endedNanos(),
                    way.nanos(),
                    way.share()));
        });
        return nodes;
    }

    /**
     * Sends a retry, now or when the job's budget of retries permits it ({@link RetryBudget}): by the calling thread, or by the
     * connection's timer.
     *
     * @param retry returns whether it was sent; must not throw
     */
    public void retry(BooleanSupplier retry) {
        budget.send(retry::getAsBoolean, transport.nanoTime());
    }

    /** Adds requests that have been in flight for long, for the progress line. */
    public void addTo(Waiting waiting) {
        long now = transport.nanoTime();
        waiting.add(budget.waitingNanos(now), () -> budget.waiting() + " retries are held back, as too many fail");
        for (Exchange exchange : exchanges) {
            waiting.add(now - exchange.startNanos, () -> "node " + NodeName.of(exchange.node) + " does not answer");
        }
    }

    /** Stops the ticks: from now on no request times out. */
    @Override
    public void close() {
        if (ticks != null) {
            ticks.cancel();
            traffic.end(this);
        }
    }
}
