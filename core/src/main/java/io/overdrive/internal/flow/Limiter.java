package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.Node;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.FlowDecision;
import io.overdrive.InFlightControl;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleFunction;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The only place where producers wait for the cluster: for a permit of a node ({@link Gate}), and for the rate limits in rows
 * and bytes a second. A {@link LimitController} for each node decides how much may be in flight to it. Shared by a writer and those
 * separate from it. Thread-safe; on the hot path (write step 4).
 */
public final class Limiter {
    /** An upper bound above any cost that is used. */
    private static final long MAX_COST = Long.MAX_VALUE / 2;

    /**
     * Share of the limit at the previous size to start the next size with: low enough to see round trips without a
     * queue.
     */
    private static final double SHARE_TO_START_WITH = 0.25;

    /** One node in this many may be drained at the same time. */
    private static final int DRAINED_AT_ONCE = 10;

    private static final long TICK_MILLIS = 25;
    /** Tick without controllers; frequent enough for pauses of gates. */
    private static final long SLOW_TICK_MILLIS = 100;

    private final int maxRequests;
    private final long maxBytes;
    /** Makes a controller that starts with this limit; null without controllers. */
    private final @Nullable DoubleFunction<LimitController> controllers;

    private final double startLimit;

    private final Pacer pacer;
    private final LongSupplier clock;
    private final ConcurrentHashMap<Node, Controlled> nodes = new ConcurrentHashMap<>();
    private final Object adaptLock = new Object();
    private final long startNanos;
    private volatile double share = 1;
    private volatile int requestBytes;
    private volatile int splits;
    /** Whether the job has waited for the cluster in this slot, as far as the gates do not show it. */
    private volatile boolean hasWaited;

    private final String job;
    private final Consumer<FlowDecision> onDecision;

    /** Null if sizes are fixed. */
    @GuardedBy("adaptLock") private @Nullable Trials trials;

    /** Nodes that are draining, as far as the current tick knows. */
    @GuardedBy("adaptLock") private int draining;

    private final WaitTime heldBack = new WaitTime();
    private final WaitTime answers = new WaitTime();

    /** A controller and its last decision. */
    private static final class Steering {
        private final LimitController controller;
        private LimitController.Decision decision;

        Steering(LimitController controller) {
            this.controller = controller;
            this.decision = controller.first();
        }
    }

    /** A node and its controllers: one for each size of requests, as round trips depend on the size. */
    private static final class Controlled {
        private final Node node;
        private final Gate gate;
        private final Map<Integer, Steering> bySize = new HashMap<>();
        private volatile @Nullable Steering steering;
        /** Whether the sizes found by an earlier run were reported. */
        private boolean hasReportedStart;
        /** Whether {@link #draining} counts this node. */
        private boolean isCounted;

        Controlled(Node node, Gate gate, @Nullable LimitController controller) {
            this.node = node;
            this.gate = gate;
            if (controller != null) {
                steer(new Steering(controller));
            }
        }

        void steer(Steering chosen) {
            steering = chosen;
            gate.limit(chosen.decision.limit());
        }

        /**
         * Whether a drain waits for answers. Without requests in flight a drain may last for ever, as no window ends.
         */
        boolean isDraining() {
            Steering now = steering;
            return now != null && now.decision.isDrain() && gate.requests() > 0;
        }
    }

    /**
     * @param startCost first limit of a controller
     * @param clock as {@link System#nanoTime}
     * @param job for the decisions
     * @param onDecision takes each decision; must be quick
     */
    public Limiter(
            Limits limits,
            InFlightControl control,
            long startCost,
            LongSupplier clock,
            String job,
            Consumer<FlowDecision> onDecision) {
        this(
                limits,
                controllers(
                        control, Math.min(limits.bytes(), MAX_COST) + (double) limits.requests() * Gate.REQUEST_COST),
                startCost,
                clock,
                job,
                onDecision);
    }

    Limiter(
            Limits limits,
            @Nullable DoubleFunction<LimitController> controllers,
            double startLimit,
            LongSupplier clock,
            String job,
            Consumer<FlowDecision> onDecision) {
        this.maxRequests = limits.requests();
        this.maxBytes = limits.bytes();
        this.controllers = controllers;
        this.startLimit = startLimit;
        this.pacer = new Pacer(limits.rowsPerSecond(), limits.bytesPerSecond());
        this.clock = clock;
        this.job = job;
        this.onDecision = onDecision;
        this.startNanos = clock.getAsLong();
    }

    /** Counts requests in flight, and limits nothing. */
    public static Limiter unlimited() {
        return new Limiter(Limits.NONE, InFlightControl.FIXED, /* startCost */ 0, System::nanoTime, "", decision -> {});
    }

    /** The permits of one node. */
    public Gate gate(Node node) {
        Controlled found = nodes.get(node);
        return (found != null ? found : nodes.computeIfAbsent(node, this::control)).gate;
    }

    /** The gates of all nodes to which something was sent. */
    public Map<Node, Gate> gates() {
        Map<Node, Gate> gates = new HashMap<>();
        nodes.values().forEach(each -> gates.put(each.node, each.gate));
        return gates;
    }

    private Controlled control(Node node) {
        Gate gate = new Gate(maxRequests, maxBytes, clock);
        gate.share(share);
        return new Controlled(node, gate, controllers == null ? null : controllers.apply(startLimit));
    }

    static @Nullable DoubleFunction<LimitController> controllers(InFlightControl control, double max) {
        return switch (control) {
            case ROUND_TRIPS -> start -> new RoundTripController(Math.min(start, max), Gate.REQUEST_COST, max);
            case VEGAS -> start -> new VegasController(Math.min(start, max), Gate.REQUEST_COST, max);
            case GRADIENT -> start -> new GradientController(Math.min(start, max), Gate.REQUEST_COST, max);
            case AIMD -> start -> new AimdController(Math.min(start, max), Gate.REQUEST_COST, max);
            case FIXED -> null;
        };
    }

    /**
     * Starts to find sizes as well, unless limits are fixed.
     *
     * @param ofRequests finds the size of requests; null if it is fixed
     * @param ofSplits finds the number of splits that are read at once; null if it is fixed
     */
    public void findSizes(@Nullable SizeSearch ofRequests, @Nullable SizeSearch ofSplits) {
        if (controllers == null || (ofRequests == null && ofSplits == null)) {
            return;
        }
        synchronized (adaptLock) {
            Trials begun = new Trials(ofRequests, ofSplits, clock.getAsLong());
            trials = begun;
            requestBytes = begun.requestBytes();
            splits = begun.splits();
        }
    }

    /** The size at which requests are to be sent, in bytes; 0 unless it is searched for. */
    public int requestBytes() {
        return requestBytes;
    }

    /** The number of splits to read at once, for each node; 0 unless it is searched for. */
    public int splits() {
        return splits;
    }

    /** The best size of requests, in bytes; empty unless it was compared with others. */
    public OptionalInt foundBytes() {
        synchronized (adaptLock) {
            return trials == null ? OptionalInt.empty() : trials.foundBytes();
        }
    }

    /** The best number of splits at once, for each node; empty unless it was compared with others. */
    public OptionalInt foundSplits() {
        synchronized (adaptLock) {
            return trials == null ? OptionalInt.empty() : trials.foundSplits();
        }
    }

    /** The job has waited for answers, so the cluster decides how fast it is. */
    public void waited() {
        hasWaited = true;
    }

    /** There are no more splits to begin. */
    public void endSplits() {
        synchronized (adaptLock) {
            if (trials != null) {
                trials.endSplits();
            }
        }
    }

    /** How often {@link #adapt} is to be called, at least. */
    public long tickMillis() {
        return controllers == null ? SLOW_TICK_MILLIS : TICK_MILLIS;
    }

    /** Decides for each node whose window is complete. Called by the connection's timer. */
    public void adapt() {
        synchronized (adaptLock) {
            long now = clock.getAsLong();
            for (Controlled node : nodes.values()) {
                countDrain(node); // requests have begun and ended since the last tick
            }
            for (Controlled node : nodes.values()) {
                adapt(node, now);
                node.gate.runQueue(); // after a pause of the gate
            }
            Trials running = trials;
            if (running != null) {
                adaptSizes(running, now);
            }
        }
    }

    @GuardedBy("adaptLock") private void adapt(Controlled node, long now) {
        Steering steering = node.steering;
        if (steering == null || !isComplete(node.gate, steering.decision, now)) {
            return;
        }
        Window window = node.gate.takeWindow(now);
        if (window.failed() > 0 && trials != null) {
            trials.disturb();
        }
        LimitController.Decision before = steering.decision;
        LimitController.Decision after = steering.controller.next(window, mayDrain(node));
        steering.decision = after;
        countDrain(node);
        node.gate.limit(after.limit());
        onDecision.accept(new FlowDecision(
                job,
                Duration.ofNanos(now - startNanos),
                NodeName.of(node.node),
                (long) before.limit(),
                (long) after.limit(),
                share,
                window.peakCost(),
                Duration.ofNanos(window.nanos()),
                window.answered(),
                window.cost(),
                Duration.ofNanos(window.medianNanos()),
                Duration.ofNanos(after.baselineNanos()),
                window.overloaded(),
                window.timedOut(),
                window.lost(),
                requestBytes,
                splits,
                after.reason()));
    }

    private static boolean isComplete(Gate gate, LimitController.Decision decision, long now) {
        long nanos = gate.windowNanos(now);
        if (nanos < Math.min(decision.windowNanos(), TimeUnit.MILLISECONDS.toNanos(100))) {
            return false;
        }
        long ended = gate.endedInWindow();
        return gate.hasFailures()
                || (nanos >= decision.windowNanos()
                        && ended > 0
                        && (ended >= decision.minRequests() || nanos >= 8 * decision.windowNanos()));
    }

    /**
     * Drains a tenth of the nodes at a time, so that the others continue, and each node has its turn: a drain takes about a second, and each
     * node needs one every 20 s.
     */
    @GuardedBy("adaptLock") private boolean mayDrain(Controlled node) {
        int others = draining - (node.isCounted ? 1 : 0);
        return others < Math.max(1, nodes.size() / DRAINED_AT_ONCE);
    }

    @GuardedBy("adaptLock") private void countDrain(Controlled node) {
        boolean counts = node.isDraining();
        if (counts != node.isCounted) {
            node.isCounted = counts;
            draining += counts ? 1 : -1;
        }
    }

    @GuardedBy("adaptLock") private void adaptSizes(Trials running, long now) {
        reportStart(running, now);
        if (running.hasSettled(now)) {
            running.measure(now, answeredBytes());
            hasWaited = false;
            nodes.values().forEach(node -> node.gate.forgetWaits());
        } else if (running.isOver(now)) {
            boolean hadDemand =
                    share >= 1 && (hasWaited || nodes.values().stream().anyMatch(node -> node.gate.hadWaits()));
            String change = running.next(now, answeredBytes(), hadDemand);
            int bytesBefore = requestBytes;
            requestBytes = running.requestBytes();
            splits = running.splits();
            for (Controlled node : nodes.values()) {
                double limitBefore = limit(node);
                if (requestBytes != bytesBefore) {
                    steer(node, bytesBefore, now);
                }
                if (change != null) {
                    report(node, limitBefore, now, change);
                }
            }
        }
    }

    @GuardedBy("adaptLock") private long answeredBytes() {
        return nodes.values().stream()
                .mapToLong(node -> node.gate.answeredBytes())
                .sum();
    }

    /** The sizes that an earlier run has found, once for each node. */
    @GuardedBy("adaptLock") private void reportStart(Trials running, long now) {
        for (Controlled node : nodes.values()) {
            if (!node.hasReportedStart) {
                node.hasReportedStart = true;
                running.fromEarlierRun().forEach(text -> report(node, limit(node), now, text));
            }
        }
    }

    /** Switches to the limits of {@link #requestBytes}. */
    @GuardedBy("adaptLock") private void steer(Controlled node, int bytesBefore, long now) {
        Steering old = node.steering;
        DoubleFunction<LimitController> make = controllers;
        if (old == null || make == null) {
            return;
        }
        node.gate.takeWindow(now); // of requests of the size before
        node.bySize.put(bytesBefore, old);
        node.steer(node.bySize.computeIfAbsent(
                requestBytes, size -> new Steering(make.apply(old.decision.limit() * SHARE_TO_START_WITH))));
    }

    private static double limit(Controlled node) {
        Steering steering = node.steering;
        return steering == null ? 0 : steering.decision.limit();
    }

    /** Reports a decision on sizes. */
    @GuardedBy("adaptLock") private void report(Controlled node, double limitBefore, long now, String text) {
        Steering steering = node.steering;
        if (steering == null) {
            return;
        }
        onDecision.accept(new FlowDecision(
                job,
                Duration.ofNanos(now - startNanos),
                NodeName.of(node.node),
                (long) limitBefore,
                (long) steering.decision.limit(),
                share,
                /* peakInFlight */ 0,
                Duration.ZERO,
                /* answered */ 0,
                /* answeredCost */ 0,
                Duration.ZERO,
                Duration.ofNanos(steering.decision.baselineNanos()),
                /* overloaded */ 0,
                /* timedOut */ 0,
                /* lost */ 0,
                requestBytes,
                splits,
                text));
    }

    /**
     * Holds back requests to every node, for the sake of its other users.
     *
     * @param newShare of all limits, more than 0 and at most 1. If it comes to less than one request, there are pauses between requests
     */
    public void setShare(double newShare) {
        share = newShare;
        nodes.values().forEach(node -> node.gate.share(newShare));
    }

    /** Gives each node that it has permits of, and how much may be in flight to it, in cost. */
    void forEachLimit(ObjLongConsumer<Node> limit) {
        nodes.values().forEach(each -> limit.accept(each.node, each.gate.permitted()));
    }

    /** The rate limits. */
    public Pacer pacer() {
        return pacer;
    }

    /** How long threads have waited for permits, the guard, answers and the rate limits. */
    public ThreadWaits threadWaits() {
        long cluster = heldBackNanos() + answersNanos();
        for (Controlled each : nodes.values()) {
            Gate.Times times = each.gate.times();
            cluster += times.threadNanos() + times.threadHeldBackNanos();
        }
        return new ThreadWaits(cluster, pacer.waitedNanos());
    }

    /** Runs the wait for the guard before the first request, and counts its time. */
    public void heldBack(Runnable begin) {
        counted(heldBack, begin);
    }

    /** Time that threads have waited for the guard before the first request. */
    public long heldBackNanos() {
        return heldBack.nanos(clock.getAsLong());
    }

    /** Runs the wait for the answers to all requests of a writer, and counts its time. */
    public void awaitAnswers(Runnable wait) {
        counted(answers, wait);
    }

    /** Time that threads have waited for the answers to all requests of a writer. */
    public long answersNanos() {
        return answers.nanos(clock.getAsLong());
    }

    private void counted(WaitTime time, Runnable wait) {
        time.begin(clock.getAsLong());
        try {
            wait.run();
        } finally {
            time.end(clock.getAsLong());
        }
    }
}
