package io.overdrive.spark;

import io.overdrive.Split;
import io.overdrive.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;

/** A read of a table by token ranges. Lives where Spark plans; what the executors need is a {@link ScanTask}. */
final class CassandraScan implements Scan, Batch, SupportsReportStatistics {
    private static final long BYTES_PER_MB = 1 << 20;

    private final Settings settings;
    private final TableSchema table;
    private final ScanTask task;
    private final List<Split> splits;

    CassandraScan(Settings settings, TableSchema table, StructType columns) {
        this.settings = settings;
        this.table = table;
        this.task = new ScanTask(UUID.randomUUID(), settings, table.keyspace(), table.table(), columns);
        try (io.overdrive.Scan scan = task.open()) {
            splits = scan.splits();
        }
    }

    @Override
    public StructType readSchema() {
        return task.columns();
    }

    @Override
    public String description() {
        return "cassandra " + table.cqlName() + " ["
                + String.join(", ", task.columns().fieldNames()) + "]";
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public Statistics estimateStatistics() {
        long bytes = splits.stream().mapToLong(Split::estimatedBytes).sum();
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return bytes == 0 ? OptionalLong.empty() : OptionalLong.of(bytes);
            }

            @Override
            public OptionalLong numRows() {
                return OptionalLong.empty();
            }
        };
    }

    @Override
    public InputPartition[] planInputPartitions() {
        long bytes = splits.stream().mapToLong(Split::estimatedBytes).sum();
        int parallelism = SparkSession.active().sparkContext().defaultParallelism();
        long wanted = settings.find(Setting.SPLIT_COUNT) != null
                ? settings.number(Setting.SPLIT_COUNT)
                : Math.max(1 + 2L * parallelism, bytes / BYTES_PER_MB / settings.number(Setting.SPLIT_MB));
        return SplitPartition.group(splits, (int) Math.max(1, Math.min(wanted, splits.size())))
                .toArray(new InputPartition[0]);
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return task;
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return new CustomMetric[0];
    }

    /** Splits that one task reads, and where they are. */
    record SplitPartition(List<Split> splits) implements InputPartition {
        private static final long serialVersionUID = 1;

        /** Deals neighbours in the plan, which lie on different nodes, to different partitions. */
        static List<SplitPartition> group(List<Split> splits, int count) {
            List<List<Split>> groups = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                groups.add(new ArrayList<>());
            }
            for (int i = 0; i < splits.size(); i++) {
                groups.get(i % count).add(splits.get(i));
            }
            return groups.stream().map(SplitPartition::new).toList();
        }

        @Override
        public String[] preferredLocations() {
            return splits.stream()
                    .flatMap(split -> split.replicas().stream())
                    .distinct()
                    .toArray(String[]::new);
        }
    }
}
