package io.overdrive.internal.guard;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.ConnectOptions;
import io.overdrive.GuardLimit;
import io.overdrive.GuardTotals;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.guard.GuardController.Decision;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.internal.wire.BulkGuard;
import io.overdrive.internal.wire.BulkWork;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the bulk work of a connection back while it slows the cluster's other users down: one for all writers, scans and lookups of
 * the connection. Starts with the first bulk request and rests while there is no bulk work. Thread-safe; decides on the timer of its
 * connections. Only {@link Work#begin} waits.
 */
public final class Guard implements BulkGuard {
    private static final Logger LOG = LoggerFactory.getLogger(Guard.class);
    /** First probes, which wait for connections and cold code, do not count. */
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** How many windows are measured before the first bulk request, if the limit is relative. */
    private static final int BASELINE_WINDOWS = 5;

    private static final long FIGURES_NANOS = TimeUnit.SECONDS.toNanos(5);
    /** Nodes that are asked at a time, at least: all of a small cluster. */
    private static final int MIN_ASKED = 40;
    /** Rounds until all nodes of a large cluster have been asked: less than a minute. */
    private static final int ROUNDS = 8;
    /** Maximum age of the latency before the job; after a longer rest, it is measured again. */
    private static final long BASELINE_AGE_NANOS = TimeUnit.MINUTES.toNanos(5);

    private enum Phase {
        RESTING,
        WARMING_UP,
        BASELINE,
        GUARDING,
        CLOSED
    }

    private record Table(CqlIdentifier keyspace, CqlIdentifier name) {}

    private final GuardLimit limit;
    private final Supplier<ProbeSession> opener;
    private volatile Consumer<GuardTotals> onDecision = decision -> {};
    /** Held while connections are opened and keys sampled. */
    private final Object opening = new Object();

    /** Work that has begun. Weak, so that a scan that is never closed does not keep the probes running when it is unreachable. */
    @GuardedBy("this") private final Set<Work> works = Collections.newSetFromMap(new WeakHashMap<>());

    @GuardedBy("this") private final Set<Table> probedTables = new LinkedHashSet<>();

    @GuardedBy("this") private final Set<String> probed = new LinkedHashSet<>();

    @GuardedBy("this") private final SlowGates gates = new SlowGates();

    @GuardedBy("this") private Phase phase = Phase.RESTING;

    @GuardedBy("this") private long phaseEndNanos;

    @GuardedBy("this") private long nextFiguresNanos;

    /** The node that is asked next, counted on from round to round. */
    @GuardedBy("this") private int nextAsked;

    @GuardedBy("this") private long restingSinceNanos;

    @GuardedBy("this") private @Nullable ProbeSession session;

    @GuardedBy("this") private @Nullable Probes probes;

    @GuardedBy("this") private @Nullable GuardController controller;

    @GuardedBy("this") private double share = 1;

    @GuardedBy("this") private boolean hasBegun;

    @GuardedBy("this") private long begunNanos;

    /** Null until they are known. */
    @GuardedBy("this") private @Nullable LatencyLimits limits;

    @GuardedBy("this") private final GuardTally tally = new GuardTally();

    /** The windows before the first bulk request. */
    @GuardedBy("this") private final List<ProbeWindow> before = new ArrayList<>();

    /** Why the latency before the job is not known. */
    @GuardedBy("this") private @Nullable RuntimeException failure;

    /** Whether the last step ended with an unexpected exception. */
    @GuardedBy("this") private boolean isFailing;

    /** @param bulk the connection of the bulk work */
    public Guard(Wire bulk, ConnectOptions options, GuardLimit limit) {
        this(limit, () -> new OwnConnections(bulk, options));
    }

    Guard(GuardLimit limit, Supplier<ProbeSession> opener) {
        this.limit = limit;
        this.opener = opener;
    }

    /** Sets what takes a snapshot after each decision. */
    public void onDecision(Consumer<GuardTotals> handler) {
        onDecision = handler;
    }

    /** A writer, scan or lookup that is held back. */
    final class Work implements BulkWork {
        private final Table table;
        private final DoubleConsumer limiter;
        private volatile boolean begun;
        private boolean ended;

        private Work(Table table, DoubleConsumer limiter) {
            this.table = table;
            this.limiter = limiter;
        }

        /**
         * The first call of the connection opens the guard's connections and samples keys, and if the limit is relative, waits until the
         * latency has been measured.
         *
         * @throws OverdriveException of kind CONNECT if the cluster takes no more connections, or no probe is answered
         */
        @Override
        public void begin() {
            if (!begun) {
                start();
                awaitBaseline();
                begun = true;
            }
        }

        /** As {@link #begin}, but does not wait for the baseline. */
        void start() {
            startFor(this);
        }

        @Override
        public void close() {
            synchronized (Guard.this) {
                ended = true;
                works.remove(this);
            }
        }
    }

    @Override
    public Work register(CqlIdentifier keyspace, CqlIdentifier table, DoubleConsumer limiter) {
        return new Work(new Table(keyspace, table), limiter);
    }

    private void startFor(Work work) {
        synchronized (opening) {
            ProbeSession open;
            boolean isNew;
            synchronized (this) {
                open = session;
                isNew = !probedTables.contains(work.table);
            }
            if (open == null) {
                open = opener.get();
            }
            ProbeReads reads = isNew ? open.sample(work.table.keyspace, work.table.name) : null;
            if (!begin(work, open, reads)) {
                open.close(); // without the lock: waits for threads that may wait for it
                throw new OverdriveException(Kind.CONNECT, "the connection is closed");
            }
        }
    }

    /** Returns false if the guard was closed in the meantime. */
    private synchronized boolean begin(Work work, ProbeSession open, @Nullable ProbeReads reads) {
        if (phase == Phase.CLOSED) {
            return false;
        }
        session = open;
        if (reads != null) {
            add(open.transport(), work.table, reads);
        }
        if (work.ended) {
            return true; // in the meantime
        }
        works.add(work);
        if (phase == Phase.RESTING) {
            wake(open.transport());
        }
        work.limiter.accept(share);
        return true;
    }

    @GuardedBy("this") private void add(Transport transport, Table table, ProbeReads reads) {
        if (reads != ProbeReads.SYSTEM) { // else the table may have rows when the next work begins
            probedTables.add(table);
        }
        boolean isNew = probed.add(reads.table());
        Probes known = probes;
        if (known == null) {
            probes = new Probes(transport, reads.messages());
        } else if (isNew) {
            known.add(reads.messages());
        }
    }

    @GuardedBy("this") private void wake(Transport transport) {
        Probes sender = probes;
        if (sender == null) {
            return; // there are reads once a table has been sampled
        }
        long now = transport.nanoTime();
        if (limit.p99() == null && now - restingSinceNanos > BASELINE_AGE_NANOS) {
            limits = null;
            controller = null;
        }
        failure = null;
        if (!hasBegun) {
            hasBegun = true;
            begunNanos = now;
        }
        phase = Phase.WARMING_UP;
        phaseEndNanos = now + WARM_UP_NANOS;
        nextFiguresNanos = now;
        setShare(controller == null ? GuardController.FIRST_SHARE : share);
        sender.start();
        schedule(transport, WARM_UP_NANOS);
    }

    private void schedule(Transport transport, long nanos) {
        var unused = transport.timer().schedule(this::tick, nanos, TimeUnit.NANOSECONDS);
    }

    synchronized void awaitBaseline() {
        boolean interrupted = false;
        while (failure == null && phase != Phase.CLOSED && isRelativeAndUnknown()) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true; // the row is accepted already; its producer checks the flag before the next
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        RuntimeException failed = failure;
        if (failed != null) {
            throw failed;
        }
    }

    @GuardedBy("this") private boolean isRelativeAndUnknown() {
        return limit.p99() == null && limits == null;
    }

    private void tick() {
        step().ifPresent(onDecision); // without the lock, as the handler may have its own
    }

    /** The totals after a decision; empty if there was nothing to decide. */
    private synchronized Optional<GuardTotals> step() {
        ProbeSession open = session;
        Probes sender = probes;
        if (open == null || sender == null || phase == Phase.CLOSED) {
            return Optional.empty();
        }
        long decided = tally.windows();
        try {
            long now = open.transport().nanoTime();
            step(open, sender, now);
            if (phase != Phase.RESTING) {
                schedule(open.transport(), phaseEndNanos - now);
            }
            isFailing = false;
        } catch (RuntimeException | java.lang.Error e) {
            failed(open, sender, e);
        }
        return tally.windows() > decided ? totals() : Optional.empty();
    }

    /** An unexpected exception: bulk work continues at its lowest share until the next decision, or fails if it waits for the baseline. */
    @GuardedBy("this") private void failed(ProbeSession open, Probes sender, Throwable e) {
        if (!isFailing) {
            LOG.warn("the guard failed, bulk work continues at its lowest share until it decides again", e);
        }
        isFailing = true;
        setShare(GuardController.FLOOR);
        tally.reason("the guard failed: " + e);
        if (isRelativeAndUnknown()) {
            failure = new OverdriveException(Kind.CONNECT, "the guard failed: " + e, e);
            phase = Phase.RESTING; // the next work measures again
            sender.stop();
            notifyAll();
        } else {
            schedule(open.transport(), WINDOW_NANOS);
        }
    }

    @GuardedBy("this") private void step(ProbeSession open, Probes sender, long now) {
        ProbeWindow window = sender.takeWindow();
        switch (phase) {
            case WARMING_UP -> {
                Duration p99 = limit.p99();
                if (p99 != null && controller == null) {
                    guardAt(LatencyLimits.ofP99(p99.toNanos()));
                }
                if (isRelativeAndUnknown()) {
                    phase = Phase.BASELINE;
                    before.clear();
                    phaseEndNanos = now + WINDOW_NANOS;
                } else {
                    guard(sender, now);
                }
            }
            case BASELINE -> {
                before.add(window);
                if (before.size() < BASELINE_WINDOWS) {
                    phaseEndNanos = now + WINDOW_NANOS;
                } else {
                    endBaseline(sender, now);
                    notifyAll();
                }
            }
            case GUARDING -> {
                if (works.isEmpty()) {
                    rest(sender, now);
                } else {
                    decide(sender, window, now);
                    askNodes(open, now);
                    phaseEndNanos = now + WINDOW_NANOS;
                }
            }
            case RESTING, CLOSED -> {}
        }
    }

    @GuardedBy("this") private void endBaseline(Probes sender, long now) {
        LatencyLimits relative = LatencyLimits.relativeTo(before, limit.factor());
        if (relative == null) {
            failure = new OverdriveException(Kind.CONNECT, noBaseline(sender));
            rest(sender, now);
        } else {
            guardAt(relative);
            guard(sender, now);
        }
    }

    private static String noBaseline(Probes sender) {
        String error = sender.lastError();
        return "the latency before the job cannot be measured: "
                + (error == null ? ReplicaChoice.NO_NODE : error)
                + "; give a latency, such as guard p99=20ms, if the job is to start anyway";
    }

    @GuardedBy("this") private void guardAt(LatencyLimits known) {
        limits = known;
        controller = new GuardController(known);
    }

    @GuardedBy("this") private void guard(Probes sender, long now) {
        sender.record();
        phase = Phase.GUARDING;
        phaseEndNanos = now + WINDOW_NANOS;
    }

    @GuardedBy("this") private void rest(Probes sender, long now) {
        phase = Phase.RESTING;
        restingSinceNanos = now;
        tally.rest(now);
        sender.stop();
    }

    @GuardedBy("this") private void decide(Probes sender, ProbeWindow window, long now) {
        GuardController decides = controller;
        if (decides == null) {
            return;
        }
        List<String> closed = gates.closed(now);
        Decision decision = decides.next(window, closed.size());
        LatencyLimits known = Objects.requireNonNull(limits);
        String why = decision.share() == 1 ? null : GuardTally.why(decision.cause(), window, known, sender, closed);
        if (tally.decided(decision, window, why, now)) { // for programs without a progress line
            LOG.info(
                    "bulk work is {}",
                    tally.holdsBack() ? "held back for the cluster's users: " + why : "not held back any more");
        }
        setShare(decision.share());
    }

    @GuardedBy("this") private void setShare(double newShare) {
        share = newShare;
        for (Work work : works) {
            work.limiter.accept(newShare);
        }
    }

    /** Every few seconds; the answers count at the next decision. */
    @GuardedBy("this") private void askNodes(ProbeSession open, long now) {
        if (now - nextFiguresNanos < 0) {
            return;
        }
        nextFiguresNanos = now + FIGURES_NANOS;
        List<Node> up = open.transport().metadata().getNodes().values().stream()
                .filter(node -> node.getDistance() == NodeDistance.LOCAL && ReplicaChoice.isUp(node))
                .toList();
        gates.forgetAllBut(up.stream().map(NodeName::of).toList());
        int count = Math.min(up.size(), Math.max(MIN_ASKED, up.size() / ROUNDS));
        for (int i = 0; i < count; i++) {
            Node node = up.get(Math.floorMod(nextAsked++, up.size()));
            open.figures(
                    node,
                    figures -> take(NodeName.of(node), figures, open.transport().nanoTime()));
        }
    }

    private synchronized void take(String node, NodeFigures figures, long nanos) {
        gates.update(node, figures, nanos);
    }

    /** A snapshot; empty before the first bulk work. */
    public synchronized Optional<GuardTotals> totals() {
        ProbeSession open = session;
        Probes sender = probes;
        if (open == null || sender == null) {
            return Optional.empty();
        }
        long now = open.transport().nanoTime();
        String measuring = isRelativeAndUnknown() && phase != Phase.RESTING
                ? "measuring the latency before the job, for "
                        + TimeUnit.NANOSECONDS.toSeconds(WARM_UP_NANOS + BASELINE_WINDOWS * WINDOW_NANOS) + " s"
                : null;
        return Optional.of(
                tally.totals(now, now - begunNanos, share, limits, sender, String.join(", ", probed), measuring));
    }

    /** Ends the probes and closes their connections. Work on it must have ended. */
    @Override
    public void close() {
        ProbeSession open;
        synchronized (this) {
            phase = Phase.CLOSED;
            open = session;
            Probes sender = probes;
            if (sender != null) {
                sender.stop();
            }
            notifyAll();
        }
        if (open != null) {
            open.close(); // waits for threads that may wait for this object
        }
    }
}
