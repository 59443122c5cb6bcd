package io.overdrive.bench.spark;

import com.fasterxml.jackson.databind.JsonNode;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.RunOutcome;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * An experiment each of whose runs is a job of Spark, by Overdrive's connector and, if there is a Spark 3.5, by the connector for Spark 3.
 * Spark is started before the first run of a connector and ends after the last; its CPU, that of driver and executors, is the client's.
 * Immutable.
 */
public abstract class SparkExperiment implements Experiment {
    static final String CONNECTOR = "connector";

    private final SparkOptions options;

    SparkExperiment(SparkOptions options) {
        this.options = options;
    }

    /** All of them, in the order in which they are listed and run. */
    public static List<Experiment> all(SparkOptions options) {
        return List.of(new SparkGroupingOrder(options));
    }

    /** The connectors that are compared: both if there is a Spark for each. */
    final List<Connector> connectors() {
        return options.peer() == null ? List.of(Connector.OVERDRIVE) : List.of(Connector.values());
    }

    /** Prepares what a run of this arm does. */
    abstract Run run(ExperimentContext context, Arm arm);

    /**
     * What a run does.
     *
     * @param rowBytes of the values of a row
     * @param rowsFound how many rows the cluster has
     */
    record Run(SparkJob job, int rowBytes, LongSupplier rowsFound) {}

    /** @throws IllegalArgumentException if a Spark or the connector's jar is missing */
    @Override
    public final Prepared prepare(ExperimentContext context) {
        options.requirePossible();
        return new Sparks(context);
    }

    /** The Sparks that have been started. Confined to one thread. */
    private final class Sparks implements Prepared {
        private final ExperimentContext context;
        private final Map<Connector, SparkProcess> started = new EnumMap<>(Connector.class);

        Sparks(ExperimentContext context) {
            this.context = context;
        }

        @Override
        public Work work(Arm arm) {
            Connector connector = arm.level(CONNECTOR, Connector.class);
            SparkProcess spark = started.get(connector);
            if (spark == null || !spark.isAlive()) {
                if (spark != null) {
                    spark.close();
                }
                context.progress("starts Spark for " + connector);
                spark = SparkProcess.start(options, connector, context::stopped);
                started.put(connector, spark);
            }
            return new SparkWork(spark, run(context, arm));
        }

        @Override
        public void close() {
            started.values().forEach(SparkProcess::close);
        }
    }

    /** One job. Confined to one thread. */
    private record SparkWork(SparkProcess spark, Run of) implements Work {
        @Override
        public RunOutcome run() {
            long cpu = spark.cpuNanos();
            long start = System.nanoTime();
            JsonNode answer = spark.run(of.job());
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpuSeconds = (spark.cpuNanos() - cpu) / 1e9;
            long rows = answer.get("rows").asLong();
            return new RunOutcome(rows, rows * of.rowBytes(), 0, null, Map.of(), List.of())
                    .with(Map.of(
                            Figure.SECONDS,
                            seconds,
                            Figure.ROWS_PER_SECOND,
                            rows / seconds,
                            Figure.CLIENT_LOAD,
                            100 * cpuSeconds / seconds,
                            Figure.CLIENT_CPU,
                            rows == 0 ? 0 : 1e6 * cpuSeconds / rows));
        }

        @Override
        public long rowsFound() {
            return of.rowsFound().getAsLong();
        }
    }
}
