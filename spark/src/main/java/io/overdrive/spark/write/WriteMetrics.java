package io.overdrive.spark.write;

import io.overdrive.Totals;
import io.overdrive.spark.metric.EstimatedTime;
import io.overdrive.spark.metric.LimitedBy;
import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BinaryOperator;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/**
 * Metrics of a write in Spark's UI. Spark instantiates the nested classes by name. Executes (on the executors), and
 * aggregates on the driver. Stateless.
 */
final class WriteMetrics {
    private WriteMetrics() {}

    static CustomMetric[] all() {
        return new CustomMetric[] {
            new RowsWritten(),
            new RowsExisting(),
            new BytesWritten(),
            new Requests(),
            new BatchedRows(),
            new Retries(),
            new RowsSpilled(),
            new InFlight(),
            new MedianLatency(),
            new HighLatency(),
            new LimitedBy(),
            new EstimatedTime()
        };
    }

    /** @param limitedBy the value of {@link LimitedBy} */
    static CustomTaskMetric[] of(Totals totals, long limitedBy) {
        return new CustomTaskMetric[] {
            new Value("rowsWritten", totals.rowsWritten()),
            new Value("rowsExisting", totals.rowsExisting()),
            new Value("bytesWritten", totals.bytesWritten()),
            new Value("writeRequests", totals.requests()),
            new Value("batchedRows", totals.batchedRows()),
            new Value("writeRetries", totals.retries()),
            new Value("rowsSpilled", totals.rowsSpilled()),
            new Value("writesInFlight", totals.inFlightRequests()),
            new Value("writeLatencyP50", totals.latency().p50().toNanos() / 1000),
            new Value("writeLatencyP99", totals.latency().p99().toNanos() / 1000),
            new Value(LimitedBy.NAME, limitedBy)
        };
    }

    /** Metrics of a write by SSTables. */
    static CustomMetric[] allOfSstables() {
        return new CustomMetric[] {new RowsWritten(), new BytesWritten(), new BytesSpilled(), new EstimatedTime()};
    }

    static CustomTaskMetric[] ofSstables(long rows, long bytes, long bytesSpilled) {
        return new CustomTaskMetric[] {
            new Value("rowsWritten", rows), new Value("bytesWritten", bytes), new Value("bytesSpilled", bytesSpilled)
        };
    }

    /** Adds up the metrics of several writers of a task; of latencies, takes the maximum. */
    static CustomTaskMetric[] ofWriters(List<CustomTaskMetric[]> writers) {
        return sum(writers, LimitedBy::ofWriters);
    }

    /** As {@link #ofWriters}, of several tasks. */
    static CustomTaskMetric[] ofTasks(List<CustomTaskMetric[]> tasks) {
        return sum(tasks, LimitedBy::ofTasks);
    }

    private static CustomTaskMetric[] sum(List<CustomTaskMetric[]> all, BinaryOperator<Long> limitedBy) {
        Map<String, Long> values = new LinkedHashMap<>();
        for (CustomTaskMetric[] metrics : all) {
            for (CustomTaskMetric metric : metrics) {
                BinaryOperator<Long> sum = metric.name().equals(LimitedBy.NAME)
                        ? limitedBy
                        : metric.name().startsWith("writeLatency") ? Math::max : Long::sum;
                values.merge(metric.name(), metric.value(), sum);
            }
        }
        return values.entrySet().stream()
                .map(value -> new Value(value.getKey(), value.getValue()))
                .toArray(CustomTaskMetric[]::new);
    }

    private record Value(String name, long value) implements CustomTaskMetric, Serializable {
        private static final long serialVersionUID = 1;
    }

    /** The sum over all tasks. */
    private abstract static class Sum implements CustomMetric {
        private final String name;
        private final String description;

        Sum(String name, String description) {
            this.name = name;
            this.description = description;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String description() {
            return description;
        }

        @Override
        public String aggregateTaskMetrics(long[] values) {
            return String.format(Locale.ROOT, "%,d", Arrays.stream(values).sum());
        }
    }

    /** Latency of requests in microseconds, including retries: of the median task and of the slowest. */
    private abstract static class Latency extends Sum {
        Latency(String name, String description) {
            super(name, description);
        }

        @Override
        public String aggregateTaskMetrics(long[] values) {
            long[] sorted = Arrays.stream(values).filter(v -> v > 0).sorted().toArray();
            if (sorted.length == 0) {
                return "";
            }
            return String.format(
                    Locale.ROOT,
                    "%.1f ms (slowest task %.1f ms)",
                    sorted[sorted.length / 2] / 1000.0,
                    sorted[sorted.length - 1] / 1000.0);
        }
    }

    public static final class RowsWritten extends Sum {
        public RowsWritten() {
            super("rowsWritten", "rows written to Cassandra");
        }
    }

    public static final class RowsExisting extends Sum {
        public RowsExisting() {
            super("rowsExisting", "of these, rows that existed already and were not changed (ifNotExists)");
        }
    }

    /** A sum of bytes, shown in MB. */
    private abstract static class Megabytes extends Sum {
        Megabytes(String name, String description) {
            super(name, description);
        }

        @Override
        public String aggregateTaskMetrics(long[] values) {
            return String.format(Locale.ROOT, "%.1f MB", Arrays.stream(values).sum() / 1e6);
        }
    }

    public static final class BytesWritten extends Megabytes {
        public BytesWritten() {
            super("bytesWritten", "bytes written to Cassandra");
        }
    }

    public static final class BytesSpilled extends Megabytes {
        public BytesSpilled() {
            super("bytesSpilled", "bytes of rows spilled to disk to be sorted");
        }
    }

    public static final class Requests extends Sum {
        public Requests() {
            super("writeRequests", "write requests");
        }
    }

    public static final class BatchedRows extends Sum {
        public BatchedRows() {
            super("batchedRows", "rows sent in a batch with others of their partition");
        }
    }

    public static final class Retries extends Sum {
        public Retries() {
            super("writeRetries", "write requests retried");
        }
    }

    public static final class RowsSpilled extends Sum {
        public RowsSpilled() {
            super("rowsSpilled", "rows spilled to disk while they waited for others of their partition");
        }
    }

    public static final class InFlight extends Sum {
        public InFlight() {
            super("writesInFlight", "write requests in flight");
        }
    }

    public static final class MedianLatency extends Latency {
        public MedianLatency() {
            super("writeLatencyP50", "write latency, median");
        }
    }

    public static final class HighLatency extends Latency {
        public HighLatency() {
            super("writeLatencyP99", "write latency, p99");
        }
    }
}
