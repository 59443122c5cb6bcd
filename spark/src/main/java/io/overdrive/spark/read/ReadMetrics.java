package io.overdrive.spark.read;

import io.overdrive.internal.flow.ThreadWaits;
import io.overdrive.spark.metric.EstimatedTime;
import io.overdrive.spark.metric.LimitedBy;
import io.overdrive.spark.metric.TaskTime;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomSumMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;

/**
 * Metrics of one task's reads for Spark's UI. Pages belong to the scan that the tasks of an executor share, so each
 * task reports those that no other has reported. Executes (on the executors), and aggregates on the driver. Confined to
 * one thread.
 */
final class ReadMetrics {
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final SharedRead<?> shared;
    private final Value rows = new Value("rowsRead");
    private final Value bytes = new Value("bytesRead");
    private final Value pages = new Value("pages");
    private final Value retries = new Value("retries");
    private final Value p50 = new Value("p50PageMicros");
    private final Value p99 = new Value("p99PageMicros");
    private final Value limitedBy = new Value(LimitedBy.NAME);
    private final CustomTaskMetric[] all = {rows, bytes, pages, retries, p50, p99, limitedBy};
    private final TaskTime time = new TaskTime(System.nanoTime());
    private long lastNanos = System.nanoTime() - PAUSE_NANOS;

    ReadMetrics(SharedRead<?> shared) {
        this.shared = shared;
    }

    static CustomMetric[] supported() {
        return new CustomMetric[] {
            new RowsRead(),
            new BytesRead(),
            new Pages(),
            new Retries(),
            new MedianLatency(),
            new HighLatency(),
            new LimitedBy(),
            new EstimatedTime()
        };
    }

    /** Called every hundred rows; except for the last call, metrics that are expensive to get may be a second old. */
    CustomTaskMetric[] now(long rowsRead, long bytesRead, boolean isLast) {
        rows.value = rowsRead;
        bytes.value = bytesRead;
        long nanos = System.nanoTime();
        if (isLast || nanos - lastNanos >= PAUSE_NANOS) {
            SharedRead.Delta delta = shared.delta();
            pages.value += delta.pages();
            retries.value += delta.retries();
            p50.value = delta.p50Micros();
            p99.value = delta.p99Micros();
            ThreadWaits waits = shared.waits();
            if (waits != null) {
                time.add(waits);
                limitedBy.value = time.packed(nanos);
            }
            lastNanos = nanos;
        }
        return all;
    }

    private static final class Value implements CustomTaskMetric {
        private final String name;
        private long value;

        Value(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long value() {
            return value;
        }
    }

    // Public, as Spark instantiates these by name.

    /** Rows read from Cassandra. */
    public static final class RowsRead extends CustomSumMetric {
        @Override
        public String name() {
            return "rowsRead";
        }

        @Override
        public String description() {
            return "rows read from Cassandra";
        }
    }

    /** Bytes of these rows in wire form. */
    public static final class BytesRead extends CustomSumMetric {
        @Override
        public String name() {
            return "bytesRead";
        }

        @Override
        public String description() {
            return "bytes read from Cassandra";
        }
    }

    /** Pages, including those without rows. */
    public static final class Pages extends CustomSumMetric {
        @Override
        public String name() {
            return "pages";
        }

        @Override
        public String description() {
            return "pages read";
        }
    }

    /** Pages whose request was retried. */
    public static final class Retries extends CustomSumMetric {
        @Override
        public String name() {
            return "retries";
        }

        @Override
        public String description() {
            return "page requests retried";
        }
    }

    /** Median over the medians of the executors. */
    public static final class MedianLatency implements CustomMetric {
        @Override
        public String name() {
            return "p50PageMicros";
        }

        @Override
        public String description() {
            return "page latency, median";
        }

        @Override
        public String aggregateTaskMetrics(long[] values) {
            long[] sorted =
                    Arrays.stream(values).filter(value -> value > 0).sorted().toArray();
            return millis(sorted.length == 0 ? 0 : sorted[sorted.length / 2]);
        }
    }

    /** Maximum over the 99th percentiles of the executors. */
    public static final class HighLatency implements CustomMetric {
        @Override
        public String name() {
            return "p99PageMicros";
        }

        @Override
        public String description() {
            return "page latency, p99";
        }

        @Override
        public String aggregateTaskMetrics(long[] values) {
            return millis(Arrays.stream(values).max().orElse(0));
        }
    }

    private static String millis(long micros) {
        return micros / 1000 + "." + micros / 100 % 10 + " ms";
    }
}
