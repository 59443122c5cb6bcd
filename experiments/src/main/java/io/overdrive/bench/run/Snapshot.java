package io.overdrive.bench.run;

import io.overdrive.bench.Figure;
import io.overdrive.bench.RunOutcome;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * Clocks and counters of client and nodes at one moment, or, as the difference of two, the cost of a run. Immutable.
 *
 * @param nanos the time
 * @param cpuNanos processor time of this process
 * @param collectionMillis time spent in garbage collection
 * @param servers counters of the nodes, if they can be read
 */
record Snapshot(long nanos, long cpuNanos, long collectionMillis, Optional<ServerCounts> servers) {
    /** Asks the nodes, and then reads the clocks: the cost of asking stays outside. */
    static Snapshot before(BenchCluster cluster) {
        Optional<ServerCounts> servers = cluster.counts();
        long collection = collectionMillisNow();
        long cpu = cpuNanosNow();
        return new Snapshot(System.nanoTime(), cpu, collection, servers);
    }

    /** Reads the clocks, and then asks the nodes. */
    static Snapshot after(BenchCluster cluster) {
        long nanos = System.nanoTime();
        long cpu = cpuNanosNow();
        return new Snapshot(nanos, cpu, collectionMillisNow(), cluster.counts());
    }

    Snapshot until(Snapshot end) {
        return new Snapshot(
                end.nanos - nanos,
                end.cpuNanos - cpuNanos,
                end.collectionMillis - collectionMillis,
                servers.flatMap(before -> end.servers.map(after -> after.since(before))));
    }

    /** The figures of a difference that do not depend on the outcome of the run. */
    void putInto(Map<Figure, Double> figures) {
        double seconds = nanos / 1e9;
        figures.put(Figure.SECONDS, seconds);
        figures.put(Figure.CLIENT_LOAD, 100 * cpuNanos / 1e9 / seconds);
        figures.put(Figure.GARBAGE_COLLECTION, 100 * collectionMillis / 1e3 / seconds);
        servers.ifPresent(counts -> {
            figures.put(Figure.NODE_LOAD, 100 * counts.cpuNanos() / 1e9 / counts.nodes() / seconds);
            figures.put(Figure.COMPACTED_MEGABYTES, counts.compactedBytes() / 1e6);
            if (counts.batches() > 0) {
                figures.put(Figure.PARTITIONS_PER_BATCH, (double) counts.batchPartitions() / counts.batches());
            }
        });
    }

    /** All figures of a difference. Figures that the run itself reports take precedence. */
    void putInto(Map<Figure, Double> figures, RunOutcome done) {
        putInto(figures);
        double seconds = nanos / 1e9;
        double megabytes = done.bytes() / 1e6;
        figures.put(Figure.ROWS, (double) done.rows());
        figures.put(Figure.ROWS_PER_SECOND, done.rows() / seconds);
        if (done.bytes() > 0) {
            figures.put(Figure.MEGABYTES_PER_SECOND, megabytes / seconds);
            figures.put(Figure.CLIENT_CPU_PER_MEGABYTE, cpuNanos / 1e6 / megabytes);
        }
        if (done.rows() > 0) {
            figures.put(Figure.CLIENT_CPU, cpuNanos / 1e3 / done.rows());
        }
        servers.ifPresent(counts -> {
            if (done.bytes() > 0) {
                figures.put(Figure.SERVER_CPU_PER_MEGABYTE, counts.cpuNanos() / 1e6 / megabytes);
            }
            if (done.rows() > 0) {
                figures.put(Figure.SERVER_CPU, counts.cpuNanos() / 1e3 / done.rows());
            }
        });
        if (done.requests() > 0) {
            figures.put(Figure.REQUESTS, (double) done.requests());
            figures.put(Figure.ROWS_PER_REQUEST, (double) done.rows() / done.requests());
            figures.put(Figure.BYTES_PER_REQUEST, (double) done.bytes() / done.requests());
        }
        Histogram latency = done.latency();
        if (latency != null && latency.getTotalCount() > 0) {
            figures.put(Figure.P50, latency.getValueAtPercentile(50) / 1e3);
            figures.put(Figure.P95, latency.getValueAtPercentile(95) / 1e3);
            figures.put(Figure.P99, latency.getValueAtPercentile(99) / 1e3);
            figures.put(Figure.MAX, latency.getMaxValue() / 1e3);
        }
        figures.putAll(done.figures());
    }

    private static long cpuNanosNow() {
        return Environment.system().getProcessCpuTime();
    }

    private static long collectionMillisNow() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                .sum();
    }
}
