package io.overdrive.cli.watch;

import io.overdrive.GuardTotals;
import io.overdrive.Latency;
import io.overdrive.NodeTotals;
import io.overdrive.jobs.Figures;
import io.overdrive.jobs.Summary.Outcome;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.StateSetSnapshot;
import io.prometheus.metrics.model.snapshots.StateSetSnapshot.StateSetDataPointSnapshot;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/** Makes the metrics of a run when they are read; until the run begins there are none. Thread-safe. */
final class RunMetrics implements MultiCollector {
    /** The requests of a connection, and its guard. */
    record Connection(List<NodeTotals> nodes, Optional<GuardTotals> guard) {}

    /**
     * A run at one moment.
     *
     * @param figures null if the job did not begin
     * @param ended null while it runs
     */
    record Now(@Nullable Figures figures, List<Connection> connections, Outcome outcome, @Nullable Instant ended) {}

    /** Where the metrics of a run are from. */
    interface Source {
        /** Null before the run begins. */
        @Nullable Now now();
    }

    private static final double[] BOUNDS = DoubleStream.concat(
                    Latency.Histogram.BOUNDS.stream().mapToDouble(bound -> bound.toNanos() / 1e9),
                    DoubleStream.of(Double.POSITIVE_INFINITY))
            .toArray();

    private final Source source;
    private final Map<Metric, Long> highest = new ConcurrentHashMap<>();
    private volatile Labels labels = Labels.EMPTY;

    RunMetrics(Source source) {
        this.source = source;
    }

    /** @param table its keyspace and its name; null for a statement */
    void label(String run, String command, @Nullable TableLabels table) {
        labels = table == null
                ? Labels.of("run", run, "command", command)
                : Labels.of("run", run, "command", command, "keyspace", table.keyspace(), "table", table.table());
    }

    /** The table that a run is about: the target, if there are two; the left one of a comparison. */
    record TableLabels(String keyspace, String table) {}

    @Override
    public MetricSnapshots collect() {
        Now now = source.now();
        return now == null ? new MetricSnapshots() : new MetricSnapshots(collect(now));
    }

    private List<MetricSnapshot> collect(Now now) {
        List<MetricSnapshot> all = new ArrayList<>();
        Figures figures = now.figures();
        if (figures != null) {
            Figures.Counts counts = figures.counts();
            boolean isRunning = now.outcome() == Outcome.RUNNING;
            count(all, Metric.ROWS_READ, counts.rowsRead(), isRunning);
            count(all, Metric.ROWS_WRITTEN, counts.rowsWritten(), isRunning);
            count(all, Metric.ROWS_REJECTED, figures.rejected(), isRunning);
            count(all, Metric.ROWS_COMPARED, counts.rowsCompared(), isRunning);
            count(all, Metric.DIFFERENCES, counts.differences(), isRunning);
            count(all, Metric.READ_BYTES, counts.bytesRead(), isRunning);
            count(all, Metric.WRITTEN_BYTES, counts.bytesWritten(), isRunning);
            count(all, Metric.SPILLED_BYTES, counts.bytesSpilled(), isRunning);
            number(all, Metric.PENDING_ROWS, counts.rowsPending());
            number(all, Metric.DONE_RATIO, figures.done());
        }
        connections(all, now.connections());
        process(all);
        Instant ended = now.ended();
        if (ended != null) {
            number(all, Metric.END_TIME_SECONDS, ended.toEpochMilli() / 1000.0);
        }
        all.add(state(now.outcome()));
        return all;
    }

    /** While it runs, its figures are not of exactly one moment; a counter that falls would be taken for a restart. */
    private void count(List<MetricSnapshot> all, Metric metric, long value, boolean isRunning) {
        number(all, metric, isRunning ? highest.merge(metric, value, Math::max) : value);
    }

    /** Left out if it is negative. */
    private void number(List<MetricSnapshot> all, Metric metric, double value) {
        if (value >= 0) {
            Numbers numbers = new Numbers(metric);
            numbers.add(value, labels);
            all.add(numbers.snapshot());
        }
    }

    private void connections(List<MetricSnapshot> all, List<Connection> connections) {
        Numbers guard = new Numbers(Metric.GUARD_SHARE_RATIO);
        Numbers requests = new Numbers(Metric.REQUESTS);
        Numbers retries = new Numbers(Metric.RETRIES);
        Numbers answeredBytes = new Numbers(Metric.ANSWERED_BYTES);
        Numbers inFlightRequests = new Numbers(Metric.IN_FLIGHT_REQUESTS);
        Numbers inFlightBytes = new Numbers(Metric.IN_FLIGHT_BYTES);
        Numbers limit = new Numbers(Metric.IN_FLIGHT_LIMIT_BYTES);
        HistogramSnapshot.Builder durations = HistogramSnapshot.builder()
                .name(Metric.REQUEST_DURATION_SECONDS.metricName())
                .help(Metric.REQUEST_DURATION_SECONDS.help);
        for (int i = 0; i < connections.size(); i++) {
            Connection connection = connections.get(i);
            Labels ofCluster = connections.size() == 1
                    ? labels
                    : labels.add(Metric.Label.CLUSTER.text, i == 0 ? "first" : "second");
            connection.guard().ifPresent(totals -> guard.add(totals.share(), ofCluster));
            for (NodeTotals node : connection.nodes()) {
                Labels ofNode = ofCluster.add(Metric.Label.NODE.text, node.node());
                requests.add(node.answered(), outcome(ofNode, "answered"));
                requests.add(node.overloaded(), outcome(ofNode, "overloaded"));
                requests.add(node.timedOut(), outcome(ofNode, "timed_out"));
                requests.add(node.lost(), outcome(ofNode, "lost"));
                retries.add(node.retries(), ofNode);
                answeredBytes.add(node.answeredBytes(), ofNode);
                inFlightRequests.add(node.inFlightRequests(), ofNode);
                inFlightBytes.add(node.inFlightBytes(), ofNode);
                limit.add(node.inFlightLimit(), ofNode);
                durations.dataPoint(histogram(node.latency(), ofNode));
            }
        }
        for (Numbers each : List.of(guard, requests, retries, answeredBytes, inFlightRequests, inFlightBytes, limit)) {
            all.add(each.snapshot());
        }
        all.add(durations.build());
    }

    private static Labels outcome(Labels ofNode, String outcome) {
        return ofNode.add(Metric.Label.OUTCOME.text, outcome);
    }

    private static HistogramDataPointSnapshot histogram(Latency.Histogram latency, Labels labels) {
        return HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(
                        BOUNDS,
                        latency.counts().stream().mapToLong(Long::longValue).toArray()))
                .sum(latency.sum().toNanos() / 1e9)
                .labels(labels)
                .build();
    }

    private void process(List<MetricSnapshot> all) {
        MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        number(all, Metric.HEAP_USED_BYTES, heap.getUsed());
        number(all, Metric.HEAP_MAX_BYTES, heap.getMax());
        number(
                all,
                Metric.GC_SECONDS,
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                                .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                                .filter(millis -> millis > 0)
                                .sum()
                        / 1000.0);
        number(
                all,
                Metric.CPU_SECONDS,
                ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .map(Duration::toMillis)
                        .map(millis -> millis / 1000.0)
                        .orElse(-1.0));
        number(
                all,
                Metric.START_TIME_SECONDS,
                ManagementFactory.getRuntimeMXBean().getStartTime() / 1000.0);
    }

    private StateSetSnapshot state(Outcome now) {
        StateSetDataPointSnapshot.Builder states =
                StateSetDataPointSnapshot.builder().labels(labels);
        for (Outcome each : Outcome.values()) {
            states.state(each.name().toLowerCase(Locale.ROOT), each == now);
        }
        return StateSetSnapshot.builder()
                .name(Metric.RUN_STATE.metricName())
                .help(Metric.RUN_STATE.help)
                .dataPoint(states.build())
                .build();
    }

    /** The values of a counter or a gauge. Confined to one thread. */
    private static final class Numbers {
        private final Metric metric;
        private final List<CounterDataPointSnapshot> counts = new ArrayList<>();
        private final List<GaugeDataPointSnapshot> values = new ArrayList<>();

        Numbers(Metric metric) {
            this.metric = metric;
        }

        void add(double value, Labels labels) {
            if (metric.kind == Metric.Kind.COUNTER) {
                counts.add(CounterDataPointSnapshot.builder()
                        .value(value)
                        .labels(labels)
                        .build());
            } else {
                values.add(GaugeDataPointSnapshot.builder()
                        .value(value)
                        .labels(labels)
                        .build());
            }
        }

        MetricSnapshot snapshot() {
            if (metric.kind == Metric.Kind.COUNTER) {
                CounterSnapshot.Builder builder =
                        CounterSnapshot.builder().name(metric.metricName()).help(metric.help);
                counts.forEach(builder::dataPoint);
                return builder.build();
            }
            GaugeSnapshot.Builder builder =
                    GaugeSnapshot.builder().name(metric.metricName()).help(metric.help);
            values.forEach(builder::dataPoint);
            return builder.build();
        }
    }
}
