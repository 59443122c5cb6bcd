package io.overdrive.spark.write;

import io.overdrive.Totals;
import java.util.Arrays;
import java.util.Locale;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/** What Spark's pages show of a write. Spark makes objects of the nested classes by their names. Stateless. */
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
            new HighLatency()
        };
    }

    static CustomTaskMetric[] of(Totals totals) {
        return new CustomTaskMetric[] {
            new Value("rowsWritten", totals.rowsWritten()),
            new Value("rowsExisting", totals.rowsExisting()),
            new Value("bytesWritten", totals.bytesWritten()),
            new Value("writeRequests", totals.requests()),
            new Value("batchedRows", totals.batchedRows()),
            new Value("writeRetries", totals.retries()),
            new Value("rowsSpilled", totals.rowsSpilled()),
            new Value("writesInFlight", totals.inFlightRequests()),
            new Value("writeLatencyP50", totals.p50().toNanos() / 1000),
            new Value("writeLatencyP99", totals.p99().toNanos() / 1000)
        };
    }

    private record Value(String name, long value) implements CustomTaskMetric {}

    /** Figures of all tasks, added up. */
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

    /** Microseconds that requests took, retries included: that of the median task, and of the slowest. */
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
            super("rowsExisting", "rows of them that were there already and stay (ifNotExists)");
        }
    }

    public static final class BytesWritten extends Sum {
        public BytesWritten() {
            super("bytesWritten", "bytes written to Cassandra");
        }

        @Override
        public String aggregateTaskMetrics(long[] values) {
            return String.format(Locale.ROOT, "%.1f MB", Arrays.stream(values).sum() / 1e6);
        }
    }

    public static final class Requests extends Sum {
        public Requests() {
            super("writeRequests", "write requests");
        }
    }

    public static final class BatchedRows extends Sum {
        public BatchedRows() {
            super("batchedRows", "rows that shared a request with others of their partition");
        }
    }

    public static final class Retries extends Sum {
        public Retries() {
            super("writeRetries", "write requests sent again");
        }
    }

    public static final class RowsSpilled extends Sum {
        public RowsSpilled() {
            super("rowsSpilled", "rows that went to disk to find their partition");
        }
    }

    public static final class InFlight extends Sum {
        public InFlight() {
            super("writesInFlight", "write requests under way");
        }
    }

    public static final class MedianLatency extends Latency {
        public MedianLatency() {
            super("writeLatencyP50", "write latency, median");
        }
    }

    public static final class HighLatency extends Latency {
        public HighLatency() {
            super("writeLatencyP99", "write latency, 99 % of requests");
        }
    }
}
