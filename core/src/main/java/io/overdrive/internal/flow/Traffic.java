package io.overdrive.internal.flow;

import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.Latency;
import io.overdrive.NodeTotals;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts what all jobs of a connection send to its nodes, and how the nodes answer. Thread-safe; only {@link #of} is on
 * the hot path (write step 7).
 */
public final class Traffic {
    private final Map<Node, NodeCounts> counts = new ConcurrentHashMap<>();
    /** Does not keep a job in memory that is never closed. */
    private final Set<Job> jobs = Collections.newSetFromMap(new WeakHashMap<>());

    /** A writer, scan or lookup that is open. Equal to itself only. */
    public interface Job {
        /** The limiter of its requests; other jobs may share it. */
        Limiter limiter();

        /** Gives the node and the bytes of each request that is in flight. */
        void forEachInFlight(ObjIntConsumer<Node> request);
    }

    /** The counts of a node. */
    public NodeCounts of(Node node) {
        NodeCounts found = counts.get(node);
        return found != null ? found : counts.computeIfAbsent(node, any -> new NodeCounts());
    }

    public void begin(Job job) {
        synchronized (jobs) {
            jobs.add(job);
        }
    }

    public void end(Job job) {
        synchronized (jobs) {
            jobs.remove(job);
        }
    }

    /** A snapshot, by address: a node that left the cluster and came back counts as one. */
    public List<NodeTotals> nodes() {
        Map<String, Sums> sums = new TreeMap<>();
        counts.forEach((node, each) -> sums(sums, node).add(each));
        List<Job> open;
        synchronized (jobs) {
            open = List.copyOf(jobs);
        }
        Set<Limiter> limiters = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Job job : open) {
            limiters.add(job.limiter());
            job.forEachInFlight((node, bytes) -> sums(sums, node).add(bytes));
        }
        for (Limiter limiter : limiters) {
            limiter.forEachLimit((node, limit) -> sums(sums, node).limit += limit);
        }
        return sums.entrySet().stream()
                .map(each -> each.getValue().totals(each.getKey()))
                .toList();
    }

    private static Sums sums(Map<String, Sums> sums, Node node) {
        Sums found = sums.computeIfAbsent(NodeName.of(node), any -> new Sums());
        found.datacenter = node.getDatacenter();
        return found;
    }

    /** Sums of one node. Confined to one thread. */
    private static final class Sums {
        private @Nullable String datacenter;
        private long requests;
        private long bytes;
        private long limit;
        private long answeredBytes;
        private long overloaded;
        private long timedOut;
        private long lost;
        private long retries;
        private Latency.Histogram latency = Latency.Histogram.NONE;

        void add(int bytesInFlight) {
            requests++;
            bytes += bytesInFlight;
        }

        void add(NodeCounts counts) {
            answeredBytes += counts.answeredBytes();
            overloaded += counts.failures(Outcome.OVERLOADED);
            timedOut += counts.failures(Outcome.TIMED_OUT);
            lost += counts.failures(Outcome.LOST);
            retries += counts.retries();
            latency = latency.plus(counts.latency());
        }

        NodeTotals totals(String node) {
            return new NodeTotals(
                    node,
                    datacenter,
                    requests,
                    bytes,
                    limit,
                    latency.count(),
                    answeredBytes,
                    overloaded,
                    timedOut,
                    lost,
                    retries,
                    latency);
        }
    }
}
