package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.Overdrive;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.internal.estimate.Road;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.metric.JobEstimate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportPartitioning;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.connector.read.partitioning.Partitioning;
import org.apache.spark.sql.connector.read.partitioning.UnknownPartitioning;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read of a table, by token ranges or by keys. Plans (on the driver) and sends the cluster no request before it is
 * needed; a {@link ScanTask} executes. Thread-safe.
 */
public final class CassandraScan
        implements Scan, Batch, SupportsReportStatistics, SupportsReportPartitioning, SupportsRuntimeV2Filtering {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraScan.class);

    private static final long BYTES_PER_MB = 1 << 20;
    /** Assumed overhead of a row. */
    private static final int ROW_OVERHEAD_BYTES = 8;
    /** A join filters columns one by one, whose combinations may be far more keys than it has rows. */
    private static final int MAX_KEYS_PER_VALUE = 10;
    /** Maximum number of keys that a join always looks up. */
    private static final int FEW_KEYS = 20_000;
    /** Bytes that can be scanned in the time of one lookup. */
    private static final int BYTES_PER_LOOKUP = 4096;

    static final int MAX_PARTITIONS = 1_000_000;
    /** Maximum size of a table that a single task aggregates, which takes about a minute. */
    private static final long MAX_BYTES_OF_ONE_AGGREGATE = 4L << 30;

    /** Maximum number of rows that are counted if a table has no estimates. */
    private static final int MAX_COUNTED_ROWS = 5000;

    private static final Duration COUNT_TIMEOUT = Duration.ofSeconds(10);

    private final Settings settings;
    private final TableSchema table;
    private final StructType tableColumns;
    private final ScanTask task;
    private final PushDown pushDown;
    private final @Nullable String topRows;
    private final @Nullable TokenBuckets buckets;

    /** Key values from filters, and at runtime from joins. */
    @GuardedBy("this") private Map<String, List<Object>> keyValues;

    @GuardedBy("this") private boolean isLookup;

    @GuardedBy("this") private @Nullable PlannedSplits splits;

    /** The estimate of what {@link #planInputPartitions} has planned. */
    @GuardedBy("this") private @Nullable JobEstimate estimate;

    /** Counted rows of a table without estimates, at most {@link #MAX_COUNTED_ROWS} + 1. */
    @GuardedBy("this") private @Nullable Integer countedRows;

    /**
     * @param topRows the clause after the query's conditions if it reads only the first rows of each partition, or null
     * @param buckets that Spark is informed of, or null
     * @param splits of the table if they are already known, or null
     */
    CassandraScan(
            Settings settings,
            TableSchema table,
            StructType tableColumns,
            ScanTask task,
            PushDown pushDown,
            @Nullable String topRows,
            @Nullable TokenBuckets buckets,
            @Nullable PlannedSplits splits) {
        this.settings = settings;
        this.table = table;
        this.tableColumns = tableColumns;
        this.task = task;
        this.pushDown = pushDown;
        this.topRows = topRows;
        this.buckets = buckets;
        keyValues = pushDown.keyValues();
        isLookup = pushDown.isLookup();
        this.splits = splits;
    }

    public ScanTask task() {
        return task;
    }

    public TableSchema table() {
        return table;
    }

    /** Whether it returns every row that meets the conditions: no aggregates, no limit, no keys. */
    public boolean isWholeTable() {
        return task.sums() == null
                && task.limit() == Integer.MAX_VALUE
                && topRows == null
                && !pushDown.isLookup()
                && !pushDown.byPartOfKey();
    }

    @Override
    public StructType readSchema() {
        return task.columns();
    }

    @Override
    public String description() {
        StringBuilder text = new StringBuilder("cassandra ").append(table.cqlName());
        text.append(" [").append(String.join(", ", task.columns().fieldNames())).append(']');
        List<String> pushed = new ArrayList<>();
        if (pushDown.isLookup()) {
            table.partitionKey()
                    .forEach(column -> pushed.add(PushDown.describe(
                            column, Objects.requireNonNull(pushDown.keyValues().get(column.name())))));
        }
        pushed.addAll(pushDown.conditions());
        text.append(", PushedFilters: [").append(String.join(", ", pushed)).append(']');
        if (pushDown.isLookup()) {
            text.append(", Lookups: ").append(PushDown.keys(pushDown.keyValues().values()));
        }
        if (task.limit() < Integer.MAX_VALUE) {
            text.append(", PushedLimit: ").append(task.limit());
        }
        if (topRows != null) {
            text.append(", PushedTopN: ").append(topRows);
        }
        if (buckets != null) {
            text.append(", TokenBuckets: ").append(buckets.count());
        }
        return text.toString();
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    /** Constant, as the default implementation would plan the partitions. */
    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return ColumnarSupportMode.UNSUPPORTED;
    }

    /** Unknown without buckets: a Spark partition then has many small ranges of tokens, which differ from scan to scan. */
    @Override
    public Partitioning outputPartitioning() {
        return buckets == null ? new UnknownPartitioning(0) : buckets.partitioning();
    }

    @Override
    public Statistics estimateStatistics() {
        long rows = maxRows();
        double share = width(task.columns()) / width(tableColumns);
        long estimate = rows >= 0 ? 0 : (long) (tableBytes() * share);
        int counted = rows >= 0 || estimate > 0 ? 0 : countedRows();
        long bytes = estimate > 0 ? estimate : (long) (Math.max(rows, counted) * width(task.columns()));
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return counted > MAX_COUNTED_ROWS ? OptionalLong.empty() : OptionalLong.of(Math.max(1, bytes));
            }

            @Override
            public OptionalLong numRows() {
                return rows < 0 ? OptionalLong.empty() : OptionalLong.of(rows);
            }
        };
    }

    /**
     * Nodes estimate only what is on disk, and only every five minutes. A table without estimates may be small, which
     * Spark should know, or large and just loaded.
     *
     * @return a number above {@link #MAX_COUNTED_ROWS} if there are more rows, or if the request fails
     */
    private synchronized int countedRows() {
        Integer known = countedRows;
        if (known == null) {
            int limit = MAX_COUNTED_ROWS + 1;
            int rows = 0;
            try {
                ResultSet result = SharedEngines.of(settings)
                        .session()
                        .execute(SimpleStatement.newInstance("SELECT "
                                        + table.partitionKey().get(0).cqlName() + " FROM " + table.cqlName() + " LIMIT "
                                        + limit)
                                .setConsistencyLevel(settings.consistency(Setting.READ_CONSISTENCY))
                                .setPageSize(limit)
                                .setTimeout(COUNT_TIMEOUT));
                for (Row ignored : result) {
                    rows++;
                }
            } catch (DriverException e) {
                LOG.debug("[{}] cannot count the first {} rows", table.cqlName(), limit, e);
                rows = limit;
            }
            known = rows;
            countedRows = known;
        }
        return known;
    }

    /** Maximum number of rows of a lookup by whole primary keys; -1 if unknown. */
    private long maxRows() {
        boolean wholeKeys = table.clusteringColumns().isEmpty();
        return pushDown.isLookup() && wholeKeys
                ? PushDown.keys(pushDown.keyValues().values())
                : -1;
    }

    private static double width(StructType columns) {
        double width = ROW_OVERHEAD_BYTES;
        for (StructField field : columns.fields()) {
            width += width(field.dataType());
        }
        return width;
    }

    private static int width(DataType type) {
        return Math.max(1, type.defaultSize());
    }

    private long tableBytes() {
        return planned().bytes();
    }

    private List<Split> splits() {
        return planned().splits();
    }

    private synchronized PlannedSplits planned() {
        PlannedSplits known = splits;
        if (known == null) {
            known = task.plan(PlannedSplits::of);
            splits = known;
        }
        return known;
    }

    /** Says what the read would take, unless it ends early, when it has the rows of a limit. */
    private void estimate(SparkContext spark, int tasks) {
        JobEstimate made = task.limit() < Integer.MAX_VALUE
                ? null
                : JobEstimate.of(
                        spark,
                        tasks,
                        planned().share(task.sums() == null ? Road.READ : Road.COUNT),
                        JobEstimate.SIZE_OF_NODES);
        if (made != null) {
            synchronized (this) {
                estimate = made;
            }
            made.log(LOG, table.cqlName(), "read");
        }
    }

    @Override
    public synchronized CustomTaskMetric[] reportDriverMetrics() {
        return JobEstimate.metrics(estimate);
    }

    /** The columns of the partition key that are read. */
    @Override
    public NamedReference[] filterAttributes() {
        return Arrays.stream(task.columns().fieldNames())
                .filter(name -> settings.isOn(Setting.PUSHDOWN) && task.sums() == null && !pushDown.byPartOfKey())
                .filter(task.keyColumns()::contains)
                .map(name -> Expressions.column(SparkTypes.quoted(name)))
                .toArray(NamedReference[]::new);
    }

    /** Filters by values of the other side of a join. If the scan cannot use them, the join still filters. */
    @Override
    public synchronized void filter(Predicate[] predicates) {
        if (pushDown.isLookup() && PushDown.keys(pushDown.keyValues().values()) <= 1) {
            return;
        }
        Map<String, List<Object>> values = new HashMap<>(pushDown.keyValues());
        PushDown.of(table, Indexes.NONE, Long.MAX_VALUE, List.of(predicates))
                .keyValues()
                .forEach((name, more) -> values.merge(name, more, CassandraScan::common));
        long keys = PushDown.keys(values.values());
        long longest = values.values().stream().mapToLong(List::size).max().orElse(0);
        if (values.size() == table.partitionKey().size()
                && keys <= settings.number(Setting.LOOKUP_MAX_KEYS)
                && keys / MAX_KEYS_PER_VALUE <= longest
                && (keys <= FEW_KEYS || keys <= tableBytes() / BYTES_PER_LOOKUP)) {
            keyValues = values;
            isLookup = true;
        }
    }

    private static List<Object> common(List<Object> some, List<Object> others) {
        Set<Object> kept = new HashSet<>(others);
        return some.stream().filter(kept::contains).toList();
    }

    @Override
    public InputPartition[] planInputPartitions() {
        Map<String, List<Object>> keys;
        synchronized (this) {
            keys = isLookup ? keyValues : Map.of();
        }
        SparkContext spark = SparkSession.active().sparkContext();
        Hosts hosts = Hosts.of(spark);
        Overdrive overdrive = SharedEngines.of(settings);
        if (!keys.isEmpty()) {
            List<List<Object>> columns = table.partitionKey().stream()
                    .map(column -> keys.get(column.name()))
                    .map(Objects::requireNonNull)
                    .toList();
            WidePartitions wide = PushDown.keys(columns) <= WidePartitions.MAX_KEYS ? widePartitions(overdrive) : null;
            return KeysPartition.of(overdrive, table, columns, spark.defaultParallelism(), hosts, buckets, wide)
                    .toArray(new InputPartition[0]);
        }
        List<InputPartition> wide = partitionsOfFewKeys(overdrive, spark.defaultParallelism(), hosts);
        if (!wide.isEmpty()) {
            estimate(spark, wide.size());
            return wide.toArray(new InputPartition[0]);
        }
        TokenBuckets used = isSplit() ? buckets : null;
        List<SplitPartition> partitions = used != null
                ? used.cut(splits(), hosts)
                : SplitPartition.group(splits(), partitions(spark.defaultParallelism()), hosts);
        SplitPartition.logConnections(partitions, spark, settings, table.cqlName());
        estimate(spark, partitions.size());
        return (used != null ? used.numbered(partitions) : partitions).toArray(new InputPartition[0]);
    }

    /** Null if each partition is read by one task. */
    private @Nullable WidePartitions widePartitions(Overdrive overdrive) {
        return buckets != null || task.sums() != null || task.limit() < Integer.MAX_VALUE || topRows != null
                ? null
                : WidePartitions.of(overdrive, settings, table, pushDown, task.selection());
    }

    /** The partitions of a table that has few, of which some are large, and the tokens between them; empty for any other. */
    private List<InputPartition> partitionsOfFewKeys(Overdrive overdrive, int parallelism, Hosts hosts) {
        WidePartitions wide = settings.find(Setting.SPLIT_COUNT) == null ? widePartitions(overdrive) : null;
        List<byte[][]> keys = wide == null ? null : wide.allKeys();
        if (wide == null || keys == null) {
            return List.of();
        }
        List<InputPartition> partitions = KeysPartition.ofEach(overdrive, table, keys, hosts, wide);
        if (partitions.size() <= keys.size() || !isSplit()) {
            return List.of();
        }
        // Spark keeps this plan with the DataFrame, and runs it again when more partitions may exist
        List<Split> others = SplitPartition.without(splits(), WidePartitions.tokens(keys));
        partitions.addAll(SplitPartition.group(others, parallelism, hosts));
        return partitions;
    }

    /** Whether the cluster takes ranges of tokens: for Cassandra's tables, it does not. */
    private boolean isSplit() {
        return task.plan(scan -> scan.whyNotSplit().isEmpty());
    }

    /** Whether a single task aggregates a table of this size. For a larger one, a failed task would repeat too much. */
    static boolean isSingleAggregate(Settings settings, long tableBytes) {
        return settings.find(Setting.SPLIT_COUNT) == null && tableBytes <= MAX_BYTES_OF_ONE_AGGREGATE;
    }

    private int partitions(int parallelism) {
        if (task.isForFewRows() && task.where().isEmpty()) {
            return 1;
        }
        if (settings.find(Setting.SPLIT_COUNT) != null) {
            return isSplit() ? (int) Math.min(MAX_PARTITIONS, settings.number(Setting.SPLIT_COUNT)) : 1;
        }
        if (task.sums() != null && isSingleAggregate(settings, tableBytes())) {
            return 1;
        }
        long bySize = tableBytes() / BYTES_PER_MB / settings.number(Setting.SPLIT_MB);
        return (int) Math.min(splits().size(), Math.max(1 + 2L * parallelism, bySize));
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        return task;
    }

    @Override
    public CustomMetric[] supportedCustomMetrics() {
        return ReadMetrics.supported();
    }

    /** Scans that return the same rows are equal, so that Spark reads once. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other == this
                || (other instanceof CassandraScan scan && identity().equals(scan.identity()));
    }

    @Override
    public int hashCode() {
        return identity().hashCode();
    }

    private List<Object> identity() {
        return List.of(
                settings.connection(),
                settings.get(Setting.READ_CONSISTENCY),
                table.cqlName(),
                task.columns(),
                task.emptyForNull(),
                task.selection(),
                task.where(),
                task.limit(),
                pushDown.isLookup() ? pushDown.keyValues() : Map.of(),
                buckets == null ? 0 : buckets.count());
    }
}
