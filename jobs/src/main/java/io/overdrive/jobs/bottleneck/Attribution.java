package io.overdrive.jobs.bottleneck;

import io.overdrive.internal.flow.Waits;
import io.overdrive.jobs.bottleneck.NodeLoad.NodeWait;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Divides the time of a job's threads in a span among the work that they did and the events that they waited for. Pure: figures in, figures out. What remains
 * after all waits is work, so no share is guessed.
 */
final class Attribution {
    /**
     * Use of the processors from which on they are the bottleneck, whatever threads wait for: I/O threads, too, wait
     * for a processor.
     */
    private static final double PROCESSORS_USED_UP = 0.85;
    /** Use of the processors below which more threads would find free processors. */
    private static final double PROCESSORS_FREE = 0.6;
    /**
     * An empty request takes at least this share of a round trip if most of that is spent on the way. It waits for all that is sent before it,
     * half a request less than the others on average: with two in flight, this makes a quarter.
     */
    private static final double MOSTLY_ON_THE_WAY = 0.65;
    /** While the processors of this machine are used up, threads that wait for one delay empty requests, but by less than this. */
    private static final long MAX_WAIT_FOR_A_PROCESSOR = TimeUnit.MILLISECONDS.toNanos(100);
    /**
     * An empty request has no more to wait for than others. If it takes this many times as long while processors are used up, it waited
     * for one; while they are not, the way takes ever longer.
     */
    private static final double LONGER_THAN_OTHERS = 1.5;
    /**
     * A node processes 128 requests at a time by default, and the others wait in its queue, empty ones too. With more in flight, the way and
     * the queue look the same.
     */
    private static final double MAX_IN_FLIGHT_TO_SEE_THE_WAY = 100;

    private final Span span;
    private final Map<Cause, Double> nanos = new EnumMap<>(Cause.class);
    private final Map<String, Double> silentNanos = new HashMap<>();

    private Attribution(Span span) {
        this.span = span;
    }

    static CauseTimes of(Span span) {
        Attribution attribution = new Attribution(span);
        attribution.addWaits();
        attribution.addWork();
        return new CauseTimes(attribution.nanos, attribution.silentNanos);
    }

    private void add(Cause cause, double some) {
        if (some > 0) {
            nanos.merge(cause, some, Double::sum);
        }
    }

    private void addWaits() {
        add(Cause.INPUT, span.job().inputNanos());
        add(Cause.OUTPUT, span.job().outputNanos());
        add(Cause.QUERY, span.job().queryNanos());
        add(Cause.DISK, span.job().diskNanos());
        add(Cause.IMPORT, span.job().importNanos());
        for (Waits waits : span.job().waits()) {
            add(Cause.RATE_LIMIT, waits.pacedNanos());
            add(Cause.DISK, waits.diskNanos());
            double requestNanos = NodeLoad.requestNanos(waits);
            double all = requestNanos + waits.queuedHeldBackNanos();
            double heldBack = all == 0 ? 0 : (double) waits.answersNanos() * waits.queuedHeldBackNanos() / all;
            add(Cause.GUARD, waits.heldBackNanos() + heldBack);
            double answers = waits.answersNanos() - heldBack;
            if (requestNanos == 0) {
                add(Cause.CLUSTER, answers); // all requests back off, or are being prepared
            }
            addCluster(waits, NodeLoad.of(waits, answers));
        }
    }

    private void addCluster(Waits waits, NodeLoad load) {
        if (span.cpuShare() >= PROCESSORS_USED_UP) {
            add(Cause.CLIENT_CPU, load.nanos());
            return;
        }
        NodeLoad silent = load.silent(span.nanos());
        add(Cause.SILENT_NODE, silent.nanos());
        silent.waits().forEach(wait -> silentNanos.merge(wait.node().name(), wait.nanos(), Double::sum));
        addAnswering(waits, load.without(silent));
    }

    private void addAnswering(Waits waits, NodeLoad load) {
        if (load.isOneNode() && load.isFirstSlow()) {
            add(Cause.SLOW_NODE, load.waits().get(0).nanos());
            load.waits().stream().skip(1).forEach(this::addNode);
        } else if (Concentration.of(waits).isSkew()) {
            add(Cause.SKEW, load.nanos());
        } else if (load.isOneNode()) {
            add(Cause.SKEW, load.waits().get(0).nanos());
            load.waits().stream().skip(1).forEach(this::addNode);
        } else {
            load.waits().forEach(this::addNode);
        }
    }

    private void addNode(NodeWait wait) {
        double onTheWay = onTheWay(wait.node(), span);
        double network = onTheWay < MOSTLY_ON_THE_WAY ? 0 : onTheWay * wait.nanos();
        add(Cause.NETWORK, network);
        add(Cause.CLUSTER, wait.nanos() - network);
    }

    /** The share of a round trip that is spent between this process and the node; 0 if unknown. */
    static double onTheWay(Waits.Node node, Span span) {
        boolean isQueueLong = node.inFlightNanos() > MAX_IN_FLIGHT_TO_SEE_THE_WAY * span.nanos();
        boolean isLonger = node.requests() > 0 && node.emptyNanos() > LONGER_THAN_OTHERS * node.roundTripNanos();
        boolean maySeeProcessors =
                span.machineShare() >= PROCESSORS_USED_UP && (node.emptyNanos() < MAX_WAIT_FOR_A_PROCESSOR || isLonger);
        if (isQueueLong || maySeeProcessors) {
            return 0;
        }
        // If none has ended, a round trip takes at least as long as the span.
        return node.requests() == 0 ? Math.min(1, (double) node.emptyNanos() / span.nanos()) : node.emptyShare();
    }

    /** Work, and the pauses of garbage collection, which are taken from it as far as it goes. */
    private void addWork() {
        double waited = nanos.values().stream().mapToDouble(Double::doubleValue).sum();
        double work = Math.max(0, span.job().threadNanos() - waited);
        double gc = span.nanos() <= 0 ? 0 : Math.min(1, (double) span.gcNanos() / span.nanos()) * (waited + work);
        if (gc > work && waited > 0) {
            double kept = Math.max(0, waited - (gc - work)) / waited;
            nanos.replaceAll((cause, some) -> some * kept);
            silentNanos.replaceAll((node, some) -> some * kept);
        }
        add(Cause.GARBAGE_COLLECTION, gc);
        boolean needsThreads = span.cpuShare() < PROCESSORS_FREE && span.machineShare() < PROCESSORS_USED_UP;
        add(needsThreads ? Cause.THREADS : Cause.CLIENT_CPU, work - gc);
    }
}
