package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.OverdriveException;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.internal.cql.SameTable;
import io.overdrive.internal.estimate.Road;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.ring.Ring;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.metric.JobEstimate;
import io.overdrive.spark.metric.RddLimit;
import io.overdrive.spark.metric.TaskTime;
import java.io.Serializable;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.SparkContext;
import org.apache.spark.executor.InputMetrics;
import org.apache.spark.sql.connector.read.InputPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read of a query for an RDD: by token ranges, if the server takes them with the query, and otherwise as one. Planned on the
 * driver, and travels to the executors. Not thread-safe while it is planned, immutable afterwards.
 */
public final class RddScan implements Serializable {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(RddScan.class);
    private static final long BYTES_PER_MB = 1 << 20;

    private final UUID id = UUID.randomUUID();
    private final Settings settings;
    private final String query;
    private final long limit;
    private @Nullable RddLimit limitedBy;

    /**
     * @param query a SELECT without markers
     * @param limit maximum number of rows of each Spark partition
     */
    public RddScan(Settings settings, String query, long limit) {
        this.settings = settings;
        this.query = query;
        this.limit = limit;
    }

    private Scan scan() {
        SstableRead.refuse(settings);
        ScanOptions.Builder options = ScanTask.withLimits(ScanOptions.query(query), settings);
        long pageRows = settings.find(Setting.PAGE_ROWS) != null
                ? settings.number(Setting.PAGE_ROWS)
                : options.build().pageRows();
        options.pageRows(Math.max(1, Math.min(limit, pageRows)));
        try {
            return SharedEngines.of(settings).scan(options.build());
        } catch (IllegalOptionException | OverdriveException e) {
            throw Failures.named(e);
        }
    }

    /**
     * The read of each task, with the hosts that have the rows.
     *
     * @throws IllegalArgumentException if the server refuses the query
     */
    public List<InputPartition> partitions(SparkContext spark) {
        try (Scan scan = scan()) {
            PlannedSplits planned = PlannedSplits.of(scan);
            List<SplitPartition> partitions = partitions(spark, scan, planned);
            String table = scan.keyspace() + "." + scan.table();
            if (scan.whyNotSplit().isEmpty()) {
                estimate(spark, planned, partitions.size(), table);
            }
            SplitPartition.logConnections(partitions, spark, settings, table);
            measure(spark, table);
            return List.copyOf(partitions);
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    private List<SplitPartition> partitions(SparkContext spark, Scan scan, PlannedSplits planned) {
        List<Split> splits = planned.splits();
        int count = scan.whyNotSplit().isEmpty() ? count(splits, spark.defaultParallelism()) : 1;
        return SplitPartition.group(splits, count, Hosts.of(spark));
    }

    /** The number of {@link #partitions}, for a plan of another read: the log says nothing about this one. */
    public int tasks(SparkContext spark) {
        try (Scan scan = scan()) {
            return partitions(spark, scan, PlannedSplits.of(scan)).size();
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    /**
     * The read of each task if tasks have equal ranges of tokens; the partitions of a table that have a token are read
     * by the task with the number {@link #bucket}.
     *
     * @param count of tasks
     * @throws IllegalArgumentException if the server refuses the query
     */
    public List<InputPartition> buckets(SparkContext spark, TableSchema table, int count) {
        try (Scan scan = scan()) {
            PlannedSplits planned = PlannedSplits.of(scan);
            TokenBuckets buckets = new TokenBuckets(count, table.partitionKey());
            List<SplitPartition> partitions = buckets.cut(planned.splits(), Hosts.of(spark));
            estimate(spark, planned, count, table.cqlName());
            SplitPartition.logConnections(partitions, spark, settings, table.cqlName());
            measure(spark, table.cqlName());
            return buckets.numbered(partitions);
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    private void estimate(SparkContext spark, PlannedSplits planned, int tasks, String table) {
        JobEstimate estimate = limit < Long.MAX_VALUE
                ? null // it ends when it has the rows
                : JobEstimate.of(spark, tasks, planned.share(Road.READ), JobEstimate.SIZE_OF_NODES);
        if (estimate != null) {
            estimate.log(LOG, table, "read");
        }
    }

    private void measure(SparkContext spark, String table) {
        if (limitedBy == null) {
            limitedBy = RddLimit.register(spark, table);
        }
    }

    /** @param count of {@link #buckets} */
    public static int bucket(long token, int count) {
        return TokenBuckets.bucket(token, count);
    }

    /** Whether {@link #buckets} are possible, and equal keys are in the same one. */
    public boolean hasBuckets(TableSchema table) {
        try (Scan scan = scan()) {
            return scan.whyNotSplit().isEmpty()
                    && Ring.usesMurmur3(SharedEngines.of(settings).session().getMetadata())
                    && TokenBuckets.inexactType(table) == null;
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    private int count(List<Split> splits, int parallelism) {
        if (settings.find(Setting.SPLIT_COUNT) != null) {
            return (int) Math.min(CassandraScan.MAX_PARTITIONS, settings.number(Setting.SPLIT_COUNT));
        }
        long bytes = splits.stream().mapToLong(Split::estimatedBytes).sum();
        long bySize = bytes / BYTES_PER_MB / settings.number(Setting.SPLIT_MB);
        return (int) Math.min(splits.size(), Math.max(1 + 2L * parallelism, bySize));
    }

    /**
     * Counts the rows of a table, on the servers; runs on the driver.
     *
     * @param where conditions without markers; empty for none
     * @throws IllegalArgumentException if the server refuses the conditions
     */
    public static long count(Settings settings, String keyspace, String table, String where) {
        SstableRead.refuse(settings);
        ScanOptions.Builder options = ScanTask.withLimits(ScanOptions.from(keyspace, table), settings);
        if (!where.isEmpty()) {
            options.where(where);
        }
        LongAdder rows = new LongAdder();
        try (Scan scan = SharedEngines.of(settings).count(options.build())) {
            scan.forEach(Runtime.getRuntime().availableProcessors(), range -> rows.add(range.getLong(0)));
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
        return rows.sum();
    }

    /** Spark's names of the machine of a node; empty in local mode. */
    public static List<String> hosts(SparkContext spark, String address) {
        return Hosts.of(spark).names(List.of(address));
    }

    /** @param metrics of the task */
    public RddRows open(InputPartition partition, InputMetrics metrics) {
        InputPartition rows = partition instanceof TokenBuckets.Bucket bucket ? bucket.rows() : partition;
        return new Rows(((SplitPartition) rows).splits().iterator(), metrics);
    }

    private SameTable sameTable(Scan scan) {
        return StageTable.of(id, settings, scan.keyspace(), scan.table(), scan.columns());
    }

    /** Reads splits in sequence, while the first page of the next one is in flight. Confined to one thread; on the hot path. */
    private final class Rows implements RddRows {
        private static final int OPEN = 2;
        private static final int ROWS_PER_MEASURE = 1000;

        private final SharedRead<Scan> shared =
                SharedRead.open(id, RddScan.this::scan, Scan::totals, Scan::threadWaits);
        private final TaskTime time = new TaskTime(System.nanoTime());
        private final Iterator<Split> splits;
        private final InputMetrics metrics;
        private final Deque<RowCursor> open = new ArrayDeque<>();
        private @Nullable SameTable table;
        private @Nullable RowCursor current;
        private long rows;
        private long measuredRows;
        private long bytes;
        private boolean closed;

        Rows(Iterator<Split> splits, InputMetrics metrics) {
            this.splits = splits;
            this.metrics = metrics;
        }

        @Override
        public @Nullable RowCursor next() {
            try {
                SameTable before = table;
                if (before == null) {
                    before = sameTable(shared.get());
                    table = before;
                }
                RowCursor from = current;
                while (rows < limit) {
                    if (from != null && from.next()) {
                        rows++;
                        bytes += from.rowEnd() - from.rowStart();
                        if (rows - measuredRows == ROWS_PER_MEASURE) {
                            measure();
                        }
                        return from;
                    }
                    from = nextCursor();
                    if (from == null) {
                        before.requireForRead();
                        break;
                    }
                }
                return null;
            } catch (RuntimeException e) {
                shared.forget();
                throw e;
            }
        }

        private @Nullable RowCursor nextCursor() {
            if (current != null) {
                current.close();
            }
            while (open.size() < OPEN && splits.hasNext()) {
                open.add(shared.get().open(splits.next()));
            }
            current = open.poll();
            return current;
        }

        @Override
        public List<DataType> types() {
            return shared.get().types();
        }

        private void measure() {
            metrics.incRecordsRead(rows - measuredRows);
            metrics.incBytesRead(bytes);
            measuredRows = rows;
            bytes = 0;
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                measure();
                shared.addTo(limitedBy, time);
                if (current != null) {
                    current.close();
                }
                open.forEach(RowCursor::close);
                shared.close();
            }
        }
    }
}
