package io.overdrive.bench.spark;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.fasterxml.jackson.databind.JsonNode;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.experiments.kit.WideRows;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An experiment each of whose runs is a job of Spark, by Overdrive's connector and, if there is a Spark 3.5, by the connector for Spark 3.
 * Spark is started before the first run of a connector and ends after the last; the CPU of its driver and executors is the client's.
 * Immutable.
 */
public abstract class SparkExperiment implements Experiment {
    static final String CONNECTOR = "connector";
    /** The session of the connector for Spark 3 is notified of a new table by an event, and waits for a second for more of them. */
    private static final long SCHEMA_EVENT_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

    private final SparkOptions options;

    SparkExperiment(SparkOptions options) {
        this.options = options;
    }

    /** All of them, in the order in which they are listed and run. */
    public static List<Experiment> all(SparkOptions options) {
        return List.of(
                new SparkGroupingOrder(options),
                new SparkLongRun(options),
                new SparkTaskGranularity(options),
                new SparkSortFirst(options),
                new SparkReadSplitMemory(options),
                new SparkRead(options),
                new SparkDcIsolation(options));
    }

    /** The connectors that are compared: both if there is a Spark for each. */
    final List<Connector> connectors() {
        return options.peer() == null ? List.of(Connector.OVERDRIVE) : List.of(Connector.values());
    }

    /** Whether this connector has RDDs: Overdrive's has them in a separate jar. */
    final boolean hasRdds(Connector connector) {
        return connector == Connector.PEER || options.jarHasRdds();
    }

    /** Settings of Spark that all runs need. */
    Map<String, String> settings() {
        return Map.of();
    }

    /** Prepares whatever all runs need, such as a table to be read, and says what a run of an arm does. */
    abstract Jobs jobs(ExperimentContext context);

    /** The jobs of an experiment's runs. */
    interface Jobs {
        /** Prepares a run: a new table, for example. */
        Run run(Arm arm);

        /** Wraps the job of a run in further work. The job is not closed by itself. */
        default Work around(Arm arm, SparkWork work) {
            return work;
        }
    }

    /**
     * A run of a job.
     *
     * @param rowBytes of the values of a row
     * @param rowsFound how many rows the cluster has, or was to return, by what Spark answered
     */
    record Run(SparkJob job, int rowBytes, ToLongFunction<JsonNode> rowsFound) {}

    /** Writes the rows of a query into a new table of {@link WideRows}. */
    static Run write(ExperimentContext context, String query, Map<String, String> options) {
        WideRows.createTable(context);
        return new Run(
                SparkJob.writing(query, SparkJob.table(context, WideRows.TABLE, options)),
                WideRows.ROW_BYTES,
                answer -> context.countRows(WideRows.TABLE, DefaultConsistencyLevel.LOCAL_QUORUM));
    }

    /**
     * Compares an observed sum with the sum of the rows that were written.
     *
     * @return rows
     * @throws IllegalStateException if it differs
     */
    static long checked(JsonNode answer, long expectedSum, long rows) {
        long sum = answer.get("sum").asLong();
        if (sum != expectedSum) {
            throw new IllegalStateException(
                    "the sum of all rows is " + sum + ", not that of the rows that were written, " + expectedSum);
        }
        return rows;
    }

    /** @throws IllegalArgumentException if a Spark or the connector's jar is missing */
    @Override
    public final Prepared prepare(ExperimentContext context) {
        options.requirePossible();
        return new Sparks(context, jobs(context));
    }

    /** The Sparks that have been started. Confined to one thread. */
    private final class Sparks implements Prepared {
        private final ExperimentContext context;
        private final Jobs jobs;
        private final Map<Connector, SparkProcess> started = new EnumMap<>(Connector.class);

        Sparks(ExperimentContext context, Jobs jobs) {
            this.context = context;
            this.jobs = jobs;
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
                Map<String, String> settings = new HashMap<>(SparkJob.connection(context));
                settings.putAll(settings());
                spark = SparkProcess.start(options, connector, settings, context::stopped);
                started.put(connector, spark);
            }
            Run run = jobs.run(arm);
            if (connector == Connector.PEER) {
                LockSupport.parkNanos(SCHEMA_EVENT_NANOS);
            }
            return jobs.around(arm, new SparkWork(spark, run));
        }

        @Override
        public void close() {
            started.values().forEach(SparkProcess::close);
        }
    }

    /** One job. Confined to one thread. */
    static final class SparkWork implements Work {
        private final SparkProcess spark;
        private final Run of;
        private @Nullable JsonNode answer;

        SparkWork(SparkProcess spark, Run of) {
            this.spark = spark;
            this.of = of;
        }

        SparkProcess spark() {
            return spark;
        }

        /** Spark's answer. */
        JsonNode answer() {
            return Objects.requireNonNull(answer, "no run");
        }

        @Override
        public RunOutcome run() {
            long cpu = spark.cpuNanos();
            JsonNode done = spark.run(of.job());
            answer = done;
            double seconds = done.get("seconds").asDouble();
            double cpuSeconds = (spark.cpuNanos() - cpu) / 1e9;
            long rows = done.get("rows").asLong();
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
            return of.rowsFound().applyAsLong(answer());
        }
    }
}
