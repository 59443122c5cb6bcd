package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkExecutorInfo;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.connector.read.SupportsRuntimeV2Filtering;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read of a table, by token ranges or by keys. Lives where Spark plans, which asks the cluster for nothing before it has
 * to; what the executors need is a {@link ScanTask}. Thread-safe.
 */
public final class CassandraScan implements Scan, Batch, SupportsReportStatistics, SupportsRuntimeV2Filtering {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraScan.class);

    private static final long BYTES_PER_MB = 1 << 20;
    /** What a column of no fixed size takes, and what a row takes besides. */
    private static final int SOME_BYTES = 8;
    /** Keys that a join makes of columns one by one may be many more than it has rows. */
    private static final int MAX_KEYS_PER_VALUE = 10;
    /** So many are looked up for a join in any case. */
    private static final int FEW_KEYS = 20_000;
    /** What can be scanned in the time of a look-up. */
    private static final int BYTES_PER_LOOKUP = 4096;

    private static final int MAX_PARTITIONS = 1_000_000;
    /** What one task sums up: so much takes a minute or so. */
    private static final long MAX_BYTES_OF_ONE_AGGREGATE = 4L << 30;

    /** What a request counts of a table without estimates. */
    private static final int MAX_COUNTED_ROWS = 5000;

    private static final Duration COUNT_TIMEOUT = Duration.ofSeconds(10);

    private final Settings settings;
    private final TableSchema table;
    private final StructType tableColumns;
    private final ScanTask task;
    private final PushDown pushDown;

    /** From filters, and at run time from joins. */
    @GuardedBy("this") private Map<String, List<Object>> keyValues;

    @GuardedBy("this") private boolean isLookup;

    @GuardedBy("this") private @Nullable List<Split> splits;

    /** Rows of a table without estimates: up to {@link #MAX_COUNTED_ROWS}, or one more. */
    @GuardedBy("this") private @Nullable Integer countedRows;

    /** @param splits of the table, where they are known already, or null */
    CassandraScan(
            Settings settings,
            TableSchema table,
            StructType tableColumns,
            ScanTask task,
            PushDown pushDown,
            @Nullable List<Split> splits) {
        this.settings = settings;
        this.table = table;
        this.tableColumns = tableColumns;
        this.task = task;
        this.pushDown = pushDown;
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

    /** Whether every row of the table that fits its conditions comes out, and not sums or some rows or keys. */
    public boolean isWholeTable() {
        return task.sums() == null
                && task.limit() == Integer.MAX_VALUE
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
        return text.toString();
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    /** Known without a look at the partitions, which would plan them. */
    @Override
    public ColumnarSupportMode columnarSupportMode() {
        return ColumnarSupportMode.UNSUPPORTED;
    }

    @Override
    public Statistics estimateStatistics() {
        long rows = mostRows();
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
     * The nodes estimate only what is on disk, every five minutes. A table without estimates may be a small one, which Spark
     * should know, or a large one that was just loaded.
     *
     * @return more than {@link #MAX_COUNTED_ROWS} if there are more, or if the cluster does not answer
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

    /** Rows that whole primary keys give; -1 if unknown. */
    private long mostRows() {
        boolean wholeKeys = table.clusteringColumns().isEmpty();
        return pushDown.isLookup() && wholeKeys
                ? PushDown.keys(pushDown.keyValues().values())
                : -1;
    }

    private static double width(StructType columns) {
        double width = SOME_BYTES;
        for (StructField field : columns.fields()) {
            width += width(field.dataType());
        }
        return width;
    }

    private static int width(DataType type) {
        return Math.max(1, type.defaultSize());
    }

    private long tableBytes() {
        return splits().stream().mapToLong(Split::estimatedBytes).sum();
    }

    private synchronized List<Split> splits() {
        List<Split> known = splits;
        if (known == null) {
            try (io.overdrive.Scan scan = task.open()) {
                known = scan.splits();
                splits = known;
            }
        }
        return known;
    }

    /** The partition key's columns, as far as they are read. */
    @Override
    public NamedReference[] filterAttributes() {
        return Arrays.stream(task.columns().fieldNames())
                .filter(name -> task.sums() == null && !pushDown.byPartOfKey())
                .filter(task.keyColumns()::contains)
                .map(name -> Expressions.column(SparkTypes.quoted(name)))
                .toArray(NamedReference[]::new);
    }

    /** Values that the other side of a join has. Where the scan cannot use them, the join does all of its work. */
    @Override
    public synchronized void filter(Predicate[] predicates) {
        if (pushDown.isLookup() && PushDown.keys(pushDown.keyValues().values()) <= 1) {
            return;
        }
        Map<String, List<Object>> values = new HashMap<>(pushDown.keyValues());
        PushDown.of(table, PushDown.Indexes.NONE, Long.MAX_VALUE, List.of(predicates))
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
        if (!keys.isEmpty()) {
            List<List<Object>> columns = table.partitionKey().stream()
                    .map(column -> keys.get(column.name()))
                    .map(Objects::requireNonNull)
                    .toList();
            return KeysPartition.of(SharedEngines.of(settings), table, columns, spark.defaultParallelism(), hosts)
                    .toArray(new InputPartition[0]);
        }
        return SplitPartition.group(splits(), partitions(spark.defaultParallelism()), hosts)
                .toArray(new InputPartition[0]);
    }

    /** Whether one task sums up a table of this size; were it larger, a task that failed would have to do too much again. */
    static boolean isOneSum(Settings settings, long tableBytes) {
        return settings.find(Setting.SPLIT_COUNT) == null && tableBytes <= MAX_BYTES_OF_ONE_AGGREGATE;
    }

    private int partitions(int parallelism) {
        if (task.isForFewRows() && task.where().isEmpty()) {
            return 1;
        }
        if (settings.find(Setting.SPLIT_COUNT) != null) {
            return (int) Math.max(1, Math.min(MAX_PARTITIONS, settings.number(Setting.SPLIT_COUNT)));
        }
        if (task.sums() != null && isOneSum(settings, tableBytes())) {
            return 1;
        }
        long bySize = tableBytes() / BYTES_PER_MB / Math.max(1, settings.number(Setting.SPLIT_MB));
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

    /** Scans that give the same rows are the same: Spark then reads once. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other == this || (other instanceof CassandraScan scan && what().equals(scan.what()));
    }

    @Override
    public int hashCode() {
        return what().hashCode();
    }

    private List<Object> what() {
        return List.of(
                settings.connection(),
                settings.get(Setting.READ_CONSISTENCY),
                table.cqlName(),
                task.columns(),
                task.selection(),
                task.where(),
                task.limit(),
                pushDown.isLookup() ? pushDown.keyValues() : Map.of());
    }

    /** Splits that one task reads, and where they are. */
    record SplitPartition(List<Split> splits, List<String> hosts) implements InputPartition {
        private static final long serialVersionUID = 1;

        /** Deals neighbours in the plan, which lie on different nodes, to different partitions. */
        static List<SplitPartition> group(List<Split> splits, int count, Hosts hosts) {
            List<List<Split>> groups = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                groups.add(new ArrayList<>());
            }
            int next = 0;
            int pieces = (count + splits.size() - 1) / splits.size();
            for (Split split : splits) {
                for (Split piece : cut(split, pieces)) {
                    groups.get(next++ % count).add(piece);
                }
            }
            return groups.stream()
                    .filter(group -> !group.isEmpty())
                    .map(group -> new SplitPartition(
                            group,
                            hosts.names(group.stream()
                                    .flatMap(split -> split.replicas().stream())
                                    .toList())))
                    .toList();
        }

        /** In pieces of as many tokens each. */
        private static List<Split> cut(Split split, int count) {
            if (count <= 1) {
                return List.of(split);
            }
            List<Split> pieces = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                List<Split.Range> ranges = new ArrayList<>();
                for (Split.Range range : split.ranges()) {
                    long step = Long.divideUnsigned(range.end() - range.start(), count);
                    long start = range.start() + i * step;
                    long end = i == count - 1 ? range.end() : start + step;
                    if (start < end) {
                        ranges.add(new Split.Range(start, end));
                    }
                }
                if (!ranges.isEmpty()) {
                    pieces.add(new Split(ranges, split.replicas(), split.estimatedBytes() / count));
                }
            }
            return pieces;
        }

        @Override
        public String[] preferredLocations() {
            return hosts.toArray(new String[0]);
        }
    }

    /**
     * How Spark calls the machines that nodes run on: by the names of its executors, which may not be those of the nodes.
     * Immutable.
     *
     * @param byAddress names of executors' hosts
     * @param isLocal whether there is but one process, which waits for other hosts for ever where a stage has tasks for its
     *     own host, too
     */
    record Hosts(Map<String, Set<String>> byAddress, boolean isLocal) {
        static Hosts of(SparkContext spark) {
            Map<String, Set<String>> byAddress = new HashMap<>();
            for (SparkExecutorInfo executor : spark.statusTracker().getExecutorInfos()) {
                try {
                    for (InetAddress address : InetAddress.getAllByName(executor.host())) {
                        byAddress
                                .computeIfAbsent(address.getHostAddress(), key -> new LinkedHashSet<>())
                                .add(executor.host());
                    }
                } catch (UnknownHostException e) {
                    // then nothing is known to be near it
                }
            }
            return new Hosts(byAddress, spark.isLocal());
        }

        /** The nodes, and all other names of their machines; none in local mode. */
        List<String> names(List<String> nodes) {
            if (isLocal) {
                return List.of();
            }
            Set<String> names = new LinkedHashSet<>(nodes);
            for (String node : nodes) {
                names.addAll(byAddress.getOrDefault(node, Set.of()));
            }
            return List.copyOf(names);
        }
    }
}
