package io.overdrive.spark;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Aggregation;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.SupportsPushDownAggregates;
import org.apache.spark.sql.connector.read.SupportsPushDownLimit;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsPushDownV2Filters;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Settles with Spark what a scan does in Cassandra: which columns it reads, by which conditions, how many rows, or only
 * sums of them. Confined to the thread that plans; asks the cluster for nothing.
 */
final class CassandraScanBuilder
        implements ScanBuilder,
                SupportsPushDownRequiredColumns,
                SupportsPushDownV2Filters,
                SupportsPushDownAggregates,
                SupportsPushDownLimit {
    private final Settings settings;
    private final TableSchema table;
    private final PushDown.Indexes indexes;
    private final boolean isOn;
    private final StructType tableColumns;
    private StructType columns;
    private PushDown pushDown = PushDown.NOTHING;
    private List<String> sums = List.of();
    private int limit = Integer.MAX_VALUE;

    CassandraScanBuilder(Settings settings, TableSchema table, PushDown.Indexes indexes, StructType columns) {
        this.settings = settings;
        this.table = table;
        this.indexes = indexes;
        this.tableColumns = columns;
        this.columns = columns;
        isOn = settings.isOn(Setting.PUSHDOWN);
    }

    @Override
    public Predicate[] pushPredicates(Predicate[] predicates) {
        if (!isOn) {
            return predicates;
        }
        pushDown = PushDown.of(table, indexes, settings.number(Setting.LOOKUP_MAX_KEYS), List.of(predicates));
        return pushDown.left().toArray(new Predicate[0]);
    }

    @Override
    public Predicate[] pushedPredicates() {
        return pushDown.pushed().toArray(new Predicate[0]);
    }

    /** Each task then reads no more; Spark takes what it wants of that. */
    @Override
    public boolean pushLimit(int rows) {
        if (isOn) {
            limit = rows;
        }
        return isOn;
    }

    /** Each token range gives one row, which Spark sums up. */
    @Override
    public boolean pushAggregation(Aggregation aggregation) {
        if (!isOn || pushDown.isLookup() || aggregation.groupByExpressions().length > 0) {
            return false;
        }
        List<String> selection = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<StructField> fields = new ArrayList<>();
        for (AggregateFunc function : aggregation.aggregateExpressions()) {
            StructField field = field(function);
            if (field == null) {
                return false;
            }
            selection.add(field.name());
            fields.add(field);
            for (Expression argument : function.children()) {
                Column column = column(argument);
                if (column != null) {
                    names.add(column.name());
                }
            }
        }
        if (isOfStaticColumns(names)) {
            selection.add("count(" + table.clusteringColumns().get(0).cqlName() + ")");
        }
        sums = selection;
        columns = DataTypes.createStructType(fields);
        return true;
    }

    /** Named by what CQL has for it; null where the two languages differ. */
    private @Nullable StructField field(AggregateFunc function) {
        if (function instanceof CountStar) {
            return DataTypes.createStructField("count(*)", DataTypes.LongType, /* nullable */ false);
        }
        if (function instanceof Count count && !count.isDistinct()) {
            Column column = column(count.column());
            return column == null
                    ? null
                    : DataTypes.createStructField(
                            "count(" + column.cqlName() + ")", DataTypes.LongType, /* nullable */ false);
        }
        if (function instanceof Min min) {
            return extreme("min", column(min.column()));
        }
        return function instanceof Max max ? extreme("max", column(max.column())) : null;
    }

    private @Nullable StructField extreme(String name, @Nullable Column column) {
        if (column == null || !SparkTypes.haveSameOrder(column.type())) {
            return null;
        }
        var type = columns.apply(column.name()).dataType();
        return type.equals(SparkTypes.type(column.type()))
                ? DataTypes.createStructField(name + "(" + column.cqlName() + ")", type, /* nullable */ true)
                : null;
    }

    private @Nullable Column column(Expression expression) {
        return expression instanceof NamedReference reference && reference.fieldNames().length == 1
                ? table.column(reference.fieldNames()[0]).orElse(null)
                : null;
    }

    @Override
    public void pruneColumns(StructType required) {
        columns = required;
    }

    @Override
    public Scan build() {
        ScanTask task = new ScanTask(
                UUID.randomUUID(),
                settings,
                table.keyspace(),
                table.table(),
                columns,
                selection(),
                !sums.isEmpty(),
                String.join(" AND ", pushDown.conditions()),
                table.partitionKey().stream().map(Column::name).toList(),
                limit);
        return new CassandraScan(settings, table, tableColumns, task, pushDown);
    }

    /** What CQL selects: Spark's columns, and more where it wants none or the server wants others. */
    private List<String> selection() {
        if (!sums.isEmpty()) {
            return sums;
        }
        List<String> names = new ArrayList<>(Arrays.asList(columns.fieldNames()));
        if (names.isEmpty()) {
            names.add(table.partitionKey().get(0).name());
        }
        if (isOfStaticColumns(names)) {
            names.add(table.clusteringColumns().get(0).name());
        }
        return names;
    }

    /** With static columns alone the server reads partitions, and takes no conditions on their rows. */
    private boolean isOfStaticColumns(List<String> names) {
        return !table.clusteringColumns().isEmpty()
                && !pushDown.conditions().isEmpty()
                && names.stream()
                        .flatMap(name -> table.column(name).stream())
                        .allMatch(column -> column.role() == Role.STATIC || column.role() == Role.PARTITION_KEY);
    }
}
