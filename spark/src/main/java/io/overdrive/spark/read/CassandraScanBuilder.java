package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.internal.cql.Columns;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownTopN;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Negotiates with Spark what a scan does in Cassandra: which columns it reads, by which conditions, how many rows, or
 * only aggregates of them. Plans (on the driver). Confined to the planning thread; sends no requests, except for the
 * size of the table if there are aggregates.
 */
public final class CassandraScanBuilder
        implements ScanBuilder,
                SupportsPushDownRequiredColumns,
                SupportsPushDownV2Filters,
                SupportsPushDownAggregates,
                SupportsPushDownTopN,
                SupportsPushDownLimit {
    private final Settings settings;
    private final TableSchema table;
    private final Indexes indexes;
    private final boolean isOn;
    private final StructType tableColumns;
    private final Map<String, String> times;
    private final Set<String> emptyForNull;
    private StructType columns;
    private final List<String> elements;
    private PushDown pushDown;
    private @Nullable Sums sums;
    private @Nullable PlannedSplits splits;
    private int limit = Integer.MAX_VALUE;
    private @Nullable String topRows;

    /**
     * @param times CQL expressions of columns that are not the table's, by column name
     * @param elements conditions of {@link ElementConditions} that Spark evaluates, too
     */
    public CassandraScanBuilder(
            Settings settings,
            TableSchema table,
            Indexes indexes,
            StructType columns,
            Map<String, String> times,
            List<String> elements) {
        this.times = times;
        this.elements = elements;
        this.settings = settings;
        this.table = table;
        this.indexes = indexes;
        this.tableColumns = columns;
        this.columns = columns;
        emptyForNull = EmptyCollections.of(table, settings);
        isOn = settings.isOn(Setting.PUSHDOWN);
        pushDown = isOn ? pushDown(List.of()) : PushDown.NOTHING;
    }

    private PushDown pushDown(List<Predicate> predicates) {
        return PushDown.of(table, indexes, settings.number(Setting.LOOKUP_MAX_KEYS), predicates, elements);
    }

    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        if (!isOn) {
            PushDown.requireNoRangeOfTimeuuids(table, List.of(predicates));
            return predicates;
        }
        pushDown = pushDown(List.of(predicates));
        PushDown.requireNoRangeOfTimeuuids(table, pushDown.left());
        return pushDown.left().toArray(new Predicate[0]);
    }

    @Override
    public Predicate[] pushedPredicates() {
        return pushDown.pushed().toArray(new Predicate[0]);
    }

    /** Each task reads at most this number of rows; Spark applies the limit to all of them. */
    @Override
    public boolean pushLimit(int rows) {
        boolean isLimited = isOn && sums == null;
        if (isLimited) {
            limit = rows;
        }
        return isLimited;
    }

    /** Each partition has at most this number of rows then; Spark sorts all of them, and applies the limit. */
    @Override
    public boolean pushTopN(SortOrder[] orders, int rows) {
        topRows = isOn && sums == null ? topRows(orders, rows) : null;
        return topRows != null;
    }

    /** Null also for a table of Cassandra's own, of which the driver knows no order. */
    private @Nullable String topRows(SortOrder[] orders, int rows) {
        return Columns.relation(
                        SharedEngines.of(settings).session().getMetadata(),
                        CqlIdentifier.fromInternal(table.keyspace()),
                        CqlIdentifier.fromInternal(table.table()))
                .map(relation -> new TopRows(
                        table, List.copyOf(relation.getClusteringColumns().values()), tableColumns))
                .map(top -> top.clause(pushDown, orders, rows))
                .orElse(null);
    }

    /** Neither a limit nor an order holds for all tasks together. */
    @Override
    public boolean isPartiallyPushed() {
        return true;
    }

    /** If a single task aggregates the whole table, Spark needs no second stage. */
    @Override
    public boolean supportCompletePushDown(Aggregation aggregation) {
        return canPush(aggregation) && CassandraScan.isSingleAggregate(settings, estimatedBytes());
    }

    /** Each task returns one row; Spark aggregates the rows of several tasks. */
    @Override
    public boolean pushAggregation(Aggregation aggregation) {
        if (!canPush(aggregation)) {
            return false;
        }
        sums = Sums.of(aggregation.aggregateExpressions(), table, tableColumns, emptyForNull);
        columns = Objects.requireNonNull(sums).columns();
        return true;
    }

    private boolean canPush(Aggregation aggregation) {
        return isOn
                && !pushDown.isLookup()
                && aggregation.groupByExpressions().length == 0
                && Sums.of(aggregation.aggregateExpressions(), table, tableColumns, emptyForNull) != null;
    }

    private long estimatedBytes() {
        PlannedSplits known = splits;
        if (known == null) {
            known = task(List.of(table.partitionKey().get(0).name())).plan(PlannedSplits::of);
            splits = known;
        }
        return known.bytes();
    }

    @Override
    public void pruneColumns(StructType required) {
        columns = required;
    }

    @Override
    public Scan build() {
        return new CassandraScan(
                settings, table, tableColumns, task(selection()), pushDown, topRows, buckets(), splits);
    }

    /** Few keys or rows, and aggregates, have few partitions. */
    private @Nullable TokenBuckets buckets() {
        return sums != null || limit < Integer.MAX_VALUE || pushDown.isLookup()
                ? null
                : TokenBuckets.of(
                        settings, table, SharedEngines.of(settings).session().getMetadata());
    }

    private ScanTask task(List<String> selection) {
        ScanTask rows = null;
        if (sums != null) {
            StructType rowColumns = sums.rowColumns(tableColumns);
            rows = task(rowColumns, names(rowColumns), /* sums */ null, /* rows */ null);
        }
        return task(columns, selection, sums, rows);
    }

    private ScanTask task(StructType output, List<String> selection, @Nullable Sums summed, @Nullable ScanTask rows) {
        return new ScanTask(
                UUID.randomUUID(),
                settings,
                table.keyspace(),
                table.table(),
                output,
                emptyForNull,
                selection,
                summed,
                where(),
                table.partitionKey().stream().map(Column::name).toList(),
                limit,
                rows,
                /* sstables */ null);
    }

    private String where() {
        String conditions = String.join(" AND ", pushDown.conditions());
        if (topRows == null) {
            return conditions;
        }
        return conditions.isEmpty() ? topRows : conditions + " " + topRows;
    }

    /** Columns that CQL selects: Spark's columns, and one more if Spark needs none or the server requires another. */
    private List<String> selection() {
        if (sums != null) {
            List<String> selection = sums.selection();
            if (isOfStaticColumns(sums.names())) {
                selection.add("count(" + table.clusteringColumns().get(0).cqlName() + ")");
            }
            return selection;
        }
        return names(columns);
    }

    private List<String> names(StructType of) {
        List<String> names = new ArrayList<>();
        for (String name : of.fieldNames()) {
            names.add(times.getOrDefault(name, name));
        }
        if (names.isEmpty()) {
            names.add(table.partitionKey().get(0).name());
        }
        if (isOfStaticColumns(names)) {
            names.add(table.clusteringColumns().get(0).name());
        }
        return names;
    }

    /**
     * Selecting only static columns, the server reads partitions and does not allow conditions on their rows, which the tasks
     * that share a partition have.
     */
    private boolean isOfStaticColumns(List<String> names) {
        return !table.clusteringColumns().isEmpty()
                && (!pushDown.conditions().isEmpty() || pushDown.isLookup())
                && names.stream()
                        .flatMap(name -> table.column(name).stream())
                        .allMatch(column -> column.role() == Role.STATIC || column.role() == Role.PARTITION_KEY);
    }
}
