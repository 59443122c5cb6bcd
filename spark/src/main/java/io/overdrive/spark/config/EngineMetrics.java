package io.overdrive.spark.config;

import com.codahale.metrics.CachedGauge;
import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.overdrive.Latency;
import io.overdrive.NodeTotals;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.MetricsSystem;
import org.apache.spark.metrics.source.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Metrics of the requests of this process to nodes and of their answers, for Spark's sinks: for all nodes together, and
 * for each node as soon as it was used. Read when a sink reports; thread-safe.
 */
public class EngineMetrics implements Source {
    private static final Logger LOG = LoggerFactory.getLogger(EngineMetrics.class);
    /** The class by which users name this one. */
    private static final String NAMED = "io.overdrive.spark.MetricsSource";

    /** Figures in the order of the documentation. */
    private static final Map<String, ToLongFunction<NodeTotals>> FIGURES = Map.ofEntries(
            Map.entry("answered", NodeTotals::answered),
            Map.entry("answeredBytes", NodeTotals::answeredBytes),
            Map.entry("overloaded", NodeTotals::overloaded),
            Map.entry("timedOut", NodeTotals::timedOut),
            Map.entry("lost", NodeTotals::lost),
            Map.entry("retries", NodeTotals::retries),
            Map.entry("inFlightRequests", NodeTotals::inFlightRequests),
            Map.entry("inFlightBytes", NodeTotals::inFlightBytes),
            Map.entry("inFlightLimitBytes", NodeTotals::inFlightLimit),
            Map.entry("latencyMicros.p50", node -> micros(node.latency(), 0.5)),
            Map.entry("latencyMicros.p99", node -> micros(node.latency(), 0.99)));

    private final MetricRegistry registry = new MetricRegistry();
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final CachedGauge<Map<String, NodeTotals>> nodes = new CachedGauge<>(1, TimeUnit.SECONDS) {
        @Override
        protected Map<String, NodeTotals> loadValue() {
            Map<String, NodeTotals> now = SharedEngines.nodes();
            now.keySet().forEach(EngineMetrics.this::registerNode);
            return now;
        }
    };

    protected EngineMetrics() {
        FIGURES.forEach((name, figure) -> registry.register(name, (Gauge<Long>) () -> all(figure)));
    }

    private static long micros(Latency.Histogram latency, double quantile) {
        return TimeUnit.NANOSECONDS.toMicros(latency.quantile(quantile).toNanos());
    }

    private long all(ToLongFunction<NodeTotals> figure) {
        return nodes.getValue().values().stream()
                .reduce(NodeTotals::plus)
                .map(figure::applyAsLong)
                .orElse(0L);
    }

    private void registerNode(String node) {
        if (known.add(node)) {
            // dots and colons divide names in sinks
            String prefix = "node." + node.replace('.', '_').replace(':', '_');
            FIGURES.forEach((name, figure) -> registry.register(MetricRegistry.name(prefix, name), (Gauge<Long>) () -> {
                NodeTotals now = nodes.getValue().get(node);
                return now == null ? 0 : figure.applyAsLong(now);
            }));
        }
    }

    @Override
    public String sourceName() {
        return "overdrive";
    }

    @Override
    public MetricRegistry metricRegistry() {
        return registry;
    }

    /**
     * Registers it in a process that was to have it, and had not got this jar when Spark made its sources: executors fetch jars
     * of {@code --packages} and {@code --jars} later.
     */
    static void registerIfLate() {
        try {
            SparkEnv spark = SparkEnv.get();
            MetricsSystem metrics = spark == null ? null : spark.metricsSystem();
            if (metrics != null && metrics.metricsProperties().containsValue(NAMED)) {
                EngineMetrics source = new EngineMetrics();
                if (metrics.getSourcesByName(source.sourceName()).isEmpty()) {
                    metrics.registerSource(source);
                }
            }
        } catch (RuntimeException
                | LinkageError e) { // of a Spark whose internals differ: data matters more than metrics
            LOG.warn("metrics of overdrive are not available", e);
        }
    }
}
