package io.overdrive.internal.guard;

import com.datastax.oss.driver.api.core.loadbalancing.NodeDistance;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.protocol.internal.Message;
import com.datastax.oss.protocol.internal.response.Error;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.Latency;
import io.overdrive.internal.flow.Latencies;
import io.overdrive.internal.flow.NodeName;
import io.overdrive.internal.request.ReplicaChoice;
import io.overdrive.internal.wire.Transport;
import io.overdrive.internal.wire.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Small foreground reads at a steady rate, to each node of the local data centre that is up in turn. Open loop: each is due at its
 * time, whatever earlier ones do, and its latency counts from then; one without an answer counts with its age. So a node that
 * stalls for a second shows in all probes that were due in it.
 *
 * <p>The result of a window is the 99th percentile and the mean over the probes of all nodes together, as users' reads go to all of them,
 * without the slowest node of each twenty: in a large cluster one is always slow, for reasons of its machine. Thread-safe; sends on the
 * transport's timer, and never waits.
 */
final class Probes {
    private static final int PER_NODE_AND_SECOND = 50;
    /** Maximum rate for all nodes; with more than 40 nodes, each gets fewer. */
    private static final int MAX_PER_SECOND = 2000;
    /** Probes without an answer from a node, after which it gets no more: their ages say enough. */
    private static final int MAX_IN_FLIGHT = 100;

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** Pause while there is no node to probe, or after a failure of this class. */
    private static final long RETRY_NANOS = SECOND / 10;

    /** An error is no better for a user than a slow answer. */
    private static final long FAILED_NANOS = 2 * SECOND;
    /**
     * A node with fewer probes in a window, as it has just come up, does not count if others have more. In a large cluster all have few:
     * there, half of those that were due are enough.
     */
    private static final int MIN_PROBES = 10;

    private final Transport transport;

    @GuardedBy("this") private List<Message> reads;

    @GuardedBy("this") private final Map<Node, OfNode> nodes = new HashMap<>();

    @GuardedBy("this") private List<Node> targets = List.of();

    @GuardedBy("this") private long targetsAtNanos;

    @GuardedBy("this") private long dueNanos;

    @GuardedBy("this") private long sent;

    @GuardedBy("this") private long failed;

    @GuardedBy("this") private @Nullable String lastError;

    /** Latencies that count in the totals; null if none do yet. */
    @GuardedBy("this") private @Nullable Latencies recorded;

    @GuardedBy("this") private long windowStartNanos;

    @GuardedBy("this") private boolean stopped = true;

    /** How often they were started: a tick from before the last start, which may still be scheduled then, does nothing. */
    @GuardedBy("this") private int starts;

    /** The probes of a node in the current window. */
    private static final class OfNode {
        final Set<Probe> inFlight = new HashSet<>();
        long[] latencies = new long[2 * PER_NODE_AND_SECOND];
        int ended;
        int failed;

        void add(long nanos) {
            if (ended == latencies.length) {
                latencies = Arrays.copyOf(latencies, 2 * ended);
            }
            latencies[ended++] = nanos;
        }

        /** Starts the next window. */
        void clear() {
            ended = 0;
            failed = 0;
        }
    }

    Probes(Transport transport, List<Message> reads) {
        this.transport = transport;
        this.reads = List.copyOf(reads);
    }

    /** Reads these keys, too. */
    synchronized void add(List<Message> more) {
        List<Message> all = new ArrayList<>(reads);
        all.addAll(more);
        reads = List.copyOf(all);
    }

    /** Starts to count latencies in {@link #latency}. */
    synchronized void record() {
        if (recorded == null) {
            recorded = new Latencies();
        }
    }

    /** Latency of all probes that ended while latencies counted. */
    synchronized Latency latency() {
        return (recorded == null ? new Latencies() : recorded).snapshot();
    }

    synchronized void start() {
        stopped = false;
        starts++;
        dueNanos = transport.nanoTime();
        targetsAtNanos = dueNanos - SECOND;
        windowStartNanos = dueNanos;
        schedule(0);
    }

    /** Ends the sending. Probes in flight are answered for nothing. */
    synchronized void stop() {
        stopped = true;
        nodes.clear();
    }

    @GuardedBy("this") private void schedule(long nanos) {
        int start = starts;
        var unused = transport.timer().schedule(() -> tick(start), nanos, TimeUnit.NANOSECONDS);
    }

    private synchronized void tick(int start) {
        if (stopped || start != starts) {
            return;
        }
        long pauseNanos = RETRY_NANOS;
        try {
            pauseNanos = sendDue();
        } catch (RuntimeException | java.lang.Error e) {
            fail("the probes failed: " + e);
        }
        schedule(pauseNanos);
    }

    /** Returns the time until the next probe is due. */
    @GuardedBy("this") private long sendDue() {
        long now = transport.nanoTime();
        if (now - dueNanos > SECOND) {
            dueNanos = now; // this process was stopped: that says nothing about the cluster
        }
        if (now - targetsAtNanos >= SECOND) {
            targets = transport.metadata().getNodes().values().stream()
                    .filter(node -> node.getDistance() == NodeDistance.LOCAL && ReplicaChoice.isUp(node))
                    .toList();
            targetsAtNanos = now;
            nodes.keySet().retainAll(targets);
        }
        int count = targets.size();
        if (count == 0) {
            dueNanos = now + RETRY_NANOS;
        } else {
            long interval = SECOND / perSecond(count);
            for (; dueNanos <= now; dueNanos += interval) {
                send(targets.get((int) (sent % count)));
            }
        }
        return Math.max(0, dueNanos - now);
    }

    private static long perSecond(int nodes) {
        return Math.min((long) nodes * PER_NODE_AND_SECOND, MAX_PER_SECOND);
    }

    @GuardedBy("this") private void send(Node node) {
        // Each node gets the keys in turn, and starts elsewhere.
        Message read = reads.get((int) ((sent / targets.size() + 31L * (sent % targets.size())) % reads.size()));
        sent++;
        OfNode of = nodes.computeIfAbsent(node, n -> new OfNode());
        if (of.inFlight.size() >= MAX_IN_FLIGHT) {
            return;
        }
        Probe probe = new Probe(node, dueNanos);
        of.inFlight.add(probe);
        try {
            if (!transport.send(node, read, probe)) {
                end(probe, "there is no connection to " + NodeName.of(node));
            }
        } catch (RuntimeException | java.lang.Error e) {
            end(probe, "a probe was not sent to " + NodeName.of(node) + ": " + e);
        }
    }

    private final class Probe extends Wire.Request {
        private final Node node;
        private final long dueNanos;

        Probe(Node node, long dueNanos) {
            this.node = node;
            this.dueNanos = dueNanos;
        }

        @Override
        protected void answered(Message answer) {
            end(this, answer instanceof Error error ? error.message : null);
        }

        @Override
        protected void failed(@Nullable Throwable cause, boolean sent) {
            end(this, "the connection to " + NodeName.of(node) + " was lost");
        }
    }

    /** @param error null if the probe was answered */
    private synchronized void end(Probe probe, @Nullable String error) {
        OfNode of = nodes.get(probe.node);
        if (of == null || !of.inFlight.remove(probe)) {
            return;
        }
        long nanos = Math.max(transport.nanoTime() - probe.dueNanos, error == null ? 0 : FAILED_NANOS);
        of.add(nanos);
        if (recorded != null) {
            recorded.record(nanos);
        }
        if (error != null) {
            of.failed++;
            fail(error);
        }
    }

    @GuardedBy("this") private void fail(String error) {
        failed++;
        lastError = error;
    }

    /** Returns the probes' results since the last call. */
    synchronized ProbeWindow takeWindow() {
        long now = transport.nanoTime();
        long answered = 0;
        long failedNow = 0;
        double due =
                (double) (now - windowStartNanos) / SECOND * perSecond(targets.size()) / Math.max(1, targets.size());
        List<long[]> many = new ArrayList<>();
        List<long[]> few = new ArrayList<>();
        for (OfNode of : nodes.values()) {
            answered += of.ended - of.failed;
            failedNow += of.failed;
            of.inFlight.forEach(probe -> of.add(now - probe.dueNanos));
            if (of.ended > 0) {
                (of.ended >= Math.min(MIN_PROBES, due / 2) ? many : few).add(Arrays.copyOf(of.latencies, of.ended));
            }
            of.clear();
        }
        long[] all = withoutSlowest(many.isEmpty() ? few : many);
        Arrays.sort(all);
        long p99 = all.length == 0 ? 0 : Math.max(1, all[(int) Math.ceil(0.99 * all.length) - 1]);
        ProbeWindow window = new ProbeWindow(now - windowStartNanos, answered, failedNow, p99, (long) mean(all));
        windowStartNanos = now;
        return window;
    }

    /** The latencies of all nodes but the slowest ones, as many as do not count. */
    private static long[] withoutSlowest(List<long[]> ofNodes) {
        int count = ofNodes.size() - SlowGates.notCounted(ofNodes.size());
        return ofNodes.stream()
                .sorted(Comparator.comparingDouble(Probes::mean))
                .limit(count)
                .flatMapToLong(Arrays::stream)
                .toArray();
    }

    private static double mean(long[] latencies) {
        return Arrays.stream(latencies).average().orElse(0);
    }

    synchronized long sent() {
        return sent;
    }

    synchronized long failed() {
        return failed;
    }

    /** The error of the last probe that failed; null if none has. */
    synchronized @Nullable String lastError() {
        return lastError;
    }
}
