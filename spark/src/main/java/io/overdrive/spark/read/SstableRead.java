package io.overdrive.spark.read;

import io.overdrive.OverdriveException;
import io.overdrive.Split;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.internal.disk.Location;
import io.overdrive.internal.names.IllegalOptionException;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.spark.config.Failures;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.sstable.read.FoundSstables;
import io.overdrive.sstable.read.SstableDirectories;
import io.overdrive.sstable.read.SstableRows;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.metric.CustomMetric;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read of a table from SSTables in place of the cluster: {@link Setting#FROM_SSTABLES}. Spark itself evaluates all conditions and
 * aggregates; whole partition keys only choose the tokens that are read. Plans (on the driver), which lists the files and opens none: a
 * {@link ScanTask} on an executor opens them. Confined to the planning thread.
 */
public final class SstableRead
        implements ScanBuilder, SupportsPushDownRequiredColumns, SupportsPushDownV2Filters, SupportsPushDownLimit {
    private static final Logger LOG = LoggerFactory.getLogger(SstableRead.class);
    private static final long BYTES_PER_MB = 1 << 20;
    /** Maximum number of keys whose tokens are searched for; for more, all rows are read. */
    private static final int MAX_KEYS = 1000;

    /** Other settings of reads are about requests. */
    private static final Set<Setting> GOES_WITH_FILES = EnumSet.of(
            Setting.FROM_SSTABLES, Setting.EMPTY_AS_NULL, Setting.READ_ROWS_PER_SECOND, Setting.READ_MB_PER_SECOND);

    private final Settings settings;
    private final TableSchema table;
    private final Map<String, String> times;
    private final FoundSstables sstables;
    private StructType columns;
    private @Nullable NavigableSet<Long> tokens;
    private int limit = Integer.MAX_VALUE;

    private SstableRead(
            Settings settings,
            TableSchema table,
            StructType columns,
            Map<String, String> times,
            FoundSstables sstables) {
        this.settings = settings;
        this.table = table;
        this.columns = columns;
        this.times = times;
        this.sstables = sstables;
    }

    /**
     * Finds the files.
     *
     * @param ofRead the options of the read alone
     * @param times CQL expressions of columns that are not the table's, by column name
     * @throws IllegalArgumentException if another option is about the cluster, or no directory is named
     */
    public static SstableRead of(
            Settings settings, Settings ofRead, TableSchema table, StructType columns, Map<String, String> times) {
        EnumSet.range(Setting.SPLIT_PARTITIONS, Setting.DIRECT_JOIN_RATIO).stream()
                .filter(each -> !GOES_WITH_FILES.contains(each) && ofRead.isGiven(each))
                .findFirst()
                .ifPresent(each -> {
                    throw new IllegalArgumentException("option \"" + each.option
                            + "\" is about reading from the cluster: it does not go with \""
                            + Setting.FROM_SSTABLES.option + "\"");
                });
        List<Path> named = new ArrayList<>();
        try {
            for (String each : settings.get(Setting.FROM_SSTABLES).split(",")) {
                if (!each.isBlank()) {
                    named.add(Location.path(each.strip()));
                }
            }
            if (named.isEmpty()) {
                throw new IllegalArgumentException(
                        "option \"" + Setting.FROM_SSTABLES.option + "\" names no directory with SSTables");
            }
            SstableRows.requireReadable(SharedEngines.of(settings), table.keyspace(), table.table());
            List<Path> directories = SstableDirectories.named(named);
            FoundSstables found = FoundSstables.in(directories, table.keyspace(), table.table());
            SstableRows.ofNodes(SstableDirectories.nodesWithoutBackup(directories))
                    .forEach(warning -> LOG.warn("[{}] {}", table.cqlName(), warning));
            return new SstableRead(settings, table, columns, times, found);
        } catch (IllegalOptionException e) {
            throw Failures.named(e);
        } catch (OverdriveException e) {
            throw Failures.ofSpark(e);
        }
    }

    /** Refuses the setting where it has no effect: other rows than those of the files would be a surprise. */
    public static void refuse(Settings settings) {
        if (settings.isGiven(Setting.FROM_SSTABLES)) {
            throw new IllegalArgumentException("\"" + Setting.FROM_SSTABLES.option
                    + "\" is for reads of DataFrames only: set it as option of such a read");
        }
    }

    @Override
    public void pruneColumns(StructType required) {
        columns = required;
    }

    /** All are left to Spark. */
    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        PushDown.requireNoRangeOfTimeuuids(table, List.of(predicates));
        PushDown keys = PushDown.of(table, Indexes.NONE, MAX_KEYS, List.of(predicates));
        tokens = settings.isOn(Setting.PUSHDOWN) && keys.isLookup() ? tokens(keys.keyValues()) : null;
        return predicates;
    }

    private NavigableSet<Long> tokens(Map<String, List<Object>> values) {
        List<List<Object>> ofColumns = new ArrayList<>();
        for (Column column : table.partitionKey()) {
            ofColumns.add(values.getOrDefault(column.name(), List.of()));
        }
        PossibleKeys keys = new PossibleKeys(table, ofColumns);
        byte[][] key = new byte[ofColumns.size()][];
        RoutingKey routingKey = new RoutingKey();
        NavigableSet<Long> found = new TreeSet<>();
        while (keys.next(key)) {
            routingKey.start(key.length);
            for (byte[] value : key) {
                routingKey.add(value, 0, value.length);
            }
            found.add(routingKey.token());
        }
        return found;
    }

    @Override
    public Predicate[] pushedPredicates() {
        return new Predicate[0];
    }

    /** Each task reads at most this number of rows; Spark applies the limit to all of them. */
    @Override
    public boolean pushLimit(int rows) {
        limit = rows;
        return true;
    }

    @Override
    public boolean isPartiallyPushed() {
        return true;
    }

    @Override
    public Scan build() {
        List<String> selection = Arrays.stream(columns.fieldNames())
                .map(name -> times.getOrDefault(name, name))
                .collect(Collectors.toCollection(ArrayList::new));
        if (selection.isEmpty()) {
            selection.add(table.partitionKey().get(0).name());
        }
        return new Files(
                new ScanTask(
                        UUID.randomUUID(),
                        settings,
                        table.keyspace(),
                        table.table(),
                        columns,
                        EmptyCollections.of(table, settings),
                        List.copyOf(selection),
                        /* sums */ null,
                        /* where */ "",
                        table.partitionKey().stream().map(Column::name).toList(),
                        limit,
                        /* rows */ null,
                        sstables),
                sstables,
                tokens == null ? null : List.copyOf(tokens));
    }

    /**
     * The planned read. Plans (on the driver). Immutable.
     *
     * @param tokens of the only partitions that are read; null for all
     */
    private record Files(ScanTask task, FoundSstables sstables, @Nullable List<Long> tokens)
            implements Scan, Batch, SupportsReportStatistics {
        @Override
        public StructType readSchema() {
            return task.columns();
        }

        @Override
        public String description() {
            return "cassandra " + task.tableName() + " ["
                    + String.join(", ", task.columns().fieldNames())
                    + "], SSTables: " + sstables.data().size() + " (" + sstables.totalBytes() / BYTES_PER_MB + " MB)"
                    + (tokens == null ? "" : ", Partitions: " + tokens.size())
                    + (task.limit() < Integer.MAX_VALUE ? ", PushedLimit: " + task.limit() : "");
        }

        @Override
        public Statistics estimateStatistics() {
            return new Statistics() {
                @Override
                public OptionalLong sizeInBytes() {
                    return OptionalLong.of(Math.max(1, sstables.totalBytes()));
                }

                @Override
                public OptionalLong numRows() {
                    return OptionalLong.empty();
                }
            };
        }

        /** Constant, as the default implementation would plan the partitions. */
        @Override
        public ColumnarSupportMode columnarSupportMode() {
            return ColumnarSupportMode.UNSUPPORTED;
        }

        @Override
        public Batch toBatch() {
            return this;
        }

        @Override
        public InputPartition[] planInputPartitions() {
            SparkContext spark = SparkSession.active().sparkContext();
            List<Split> splits = splits();
            return splits.isEmpty()
                    ? new InputPartition[0]
                    : SplitPartition.group(splits, tasks(splits, spark.defaultParallelism()), Hosts.of(spark))
                            .toArray(new InputPartition[0]);
        }

        private List<Split> splits() {
            return tokens == null
                    ? sstables.splits()
                    : tokens.stream()
                            .map(token -> new Split(List.of(new Split.Range(token - 1, token)), List.of(), 0))
                            .toList();
        }

        private int tasks(List<Split> splits, int parallelism) {
            Settings settings = task.settings();
            if (task.isForFewRows()) {
                return 1;
            }
            if (tokens == null && settings.find(Setting.SPLIT_COUNT) != null) {
                return (int) Math.min(CassandraScan.MAX_PARTITIONS, settings.number(Setting.SPLIT_COUNT));
            }
            long bySize = tokens == null ? sstables.totalBytes() / BYTES_PER_MB / settings.number(Setting.SPLIT_MB) : 0;
            return (int) Math.min(splits.size(), Math.max(1 + 2L * parallelism, bySize));
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
            return other instanceof Files files && identity().equals(files.identity());
        }

        @Override
        public int hashCode() {
            return identity().hashCode();
        }

        private List<Object> identity() {
            return List.of(
                    task.settings().connection(),
                    task.tableName(),
                    task.columns(),
                    task.emptyForNull(),
                    task.selection(),
                    task.limit(),
                    sstables,
                    tokens == null ? "all" : tokens);
        }
    }
}
