package io.overdrive.spark.join;

import io.overdrive.TableSchema;
import io.overdrive.spark.cell.KeyTypes;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.read.CassandraScan;
import io.overdrive.spark.read.LookupTask;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.Inner$;
import org.apache.spark.sql.catalyst.plans.JoinType;
import org.apache.spark.sql.catalyst.plans.LeftAnti$;
import org.apache.spark.sql.catalyst.plans.LeftOuter$;
import org.apache.spark.sql.catalyst.plans.LeftSemi$;
import org.apache.spark.sql.catalyst.plans.RightOuter$;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Plans a join as a {@link DirectJoinExec}, which looks up the keys of the other side, if its condition has an equality
 * for each column of the partition key of a Cassandra table and lookups cost less than reading the table. Plans (on the
 * driver). Stateless.
 */
public final class DirectJoinStrategy extends SparkStrategy {
    /**
     * Assumed size of a table that is not small and has no estimates, so that few keys are looked up and many are not.
     */
    private static final long UNKNOWN_TABLE_BYTES = 10 << 20;

    @Override
    public Seq<SparkPlan> apply(LogicalPlan plan) {
        SparkPlan direct = null;
        if (plan instanceof Join join && join.condition().isDefined()) {
            direct = directJoin(join, /* tableIsRight */ true);
            direct = direct != null ? direct : directJoin(join, /* tableIsRight */ false);
        }
        return CollectionConverters.asScala(direct == null ? List.<SparkPlan>of() : List.of(direct))
                .toSeq();
    }

    private @Nullable SparkPlan directJoin(Join join, boolean tableIsRight) {
        DirectJoinExec.Kind kind = kind(join.joinType(), tableIsRight);
        Side table = Side.of(tableIsRight ? join.right() : join.left());
        if (kind == null || table == null || !table.scan.isWholeTable()) {
            return null;
        }
        LogicalPlan keys = tableIsRight ? join.left() : join.right();
        Map<String, Expression> wanted = keyValues(join.condition().get(), keys, table);
        List<String> columns = new ArrayList<>();
        for (TableSchema.Column column : table.scan.table().partitionKey()) {
            if (!wanted.containsKey(column.name())) {
                return null;
            }
            columns.add(column.name());
        }
        for (TableSchema.Column column : table.scan.table().clusteringColumns()) {
            if (!wanted.containsKey(column.name()) || !table.scan.task().where().isEmpty()) {
                break;
            }
            columns.add(column.name());
        }
        if (!isWorthIt(table.scan, keys)) {
            return null;
        }
        return new DirectJoinExec(
                planLater(keys),
                new LookupTask(table.scan.task(), columns),
                seq(columns.stream().map(wanted::get).toList()),
                table.relation.output(),
                table.filters,
                table.output,
                join.condition().get(),
                kind,
                tableIsRight,
                join.output());
    }

    private static DirectJoinExec.@Nullable Kind kind(JoinType type, boolean tableIsRight) {
        if (type == Inner$.MODULE$) {
            return DirectJoinExec.Kind.INNER;
        }
        if (type == LeftOuter$.MODULE$ && tableIsRight || type == RightOuter$.MODULE$ && !tableIsRight) {
            return DirectJoinExec.Kind.OUTER;
        }
        if (type == LeftSemi$.MODULE$ && tableIsRight) {
            return DirectJoinExec.Kind.SEMI;
        }
        return type == LeftAnti$.MODULE$ && tableIsRight ? DirectJoinExec.Kind.ANTI : null;
    }

    /** The expression that each key column must equal; empty if the join has no column of the partition key. */
    private static Map<String, Expression> keyValues(Expression condition, LogicalPlan keys, Side table) {
        Map<String, Expression> values = new HashMap<>();
        for (EqualTo equal : equalities(condition)) {
            table.keyColumn(equal.left(), equal.right(), keys, values);
            table.keyColumn(equal.right(), equal.left(), keys, values);
        }
        if (table.scan.table().partitionKey().stream().noneMatch(column -> values.containsKey(column.name()))) {
            return Map.of();
        }
        // Spark has moved constant equalities from the join to the table.
        for (Expression filter : CollectionConverters.asJava(table.filters)) {
            for (EqualTo equal : equalities(filter)) {
                table.keyConstant(equal.left(), equal.right(), values);
                table.keyConstant(equal.right(), equal.left(), values);
            }
        }
        return values;
    }

    private static List<EqualTo> equalities(Expression condition) {
        List<EqualTo> equalities = new ArrayList<>();
        List<Expression> open = new ArrayList<>(List.of(condition));
        while (!open.isEmpty()) {
            Expression next = open.remove(open.size() - 1);
            if (next instanceof And and) {
                open.add(and.left());
                open.add(and.right());
            } else if (next instanceof EqualTo equal) {
                equalities.add(equal);
            }
        }
        return equalities;
    }

    private static boolean isWorthIt(CassandraScan scan, LogicalPlan keys) {
        Settings settings = scan.task().settings();
        String setting = settings.get(Setting.DIRECT_JOIN).toLowerCase(Locale.ROOT);
        return switch (setting) {
            case "on" -> true;
            case "off" -> false;
            case "auto" -> {
                long table = scan.estimateStatistics().sizeInBytes().orElse(UNKNOWN_TABLE_BYTES);
                BigDecimal max =
                        BigDecimal.valueOf(table).multiply(new BigDecimal(settings.get(Setting.DIRECT_JOIN_RATIO)));
                yield new BigDecimal(keys.stats().sizeInBytes().bigInteger()).compareTo(max) < 0;
            }
            default -> throw Settings.wrong(Setting.DIRECT_JOIN, setting, "on, off or auto");
        };
    }

    static <T> Seq<T> seq(List<T> list) {
        return CollectionConverters.asScala(list).toSeq();
    }

    /** The table's side of a join: the scan, its filters, and the columns derived from it. */
    private static final class Side {
        final DataSourceV2ScanRelation relation;
        final CassandraScan scan;
        final Seq<Expression> filters;
        final Seq<NamedExpression> output;
        /** Expressions, read or returned, that are unchanged columns of the table. */
        private final Map<ExprId, TableSchema.Column> columns = new HashMap<>();

        private Side(
                DataSourceV2ScanRelation relation,
                CassandraScan scan,
                Seq<Expression> filters,
                Seq<NamedExpression> output) {
            this.relation = relation;
            this.scan = scan;
            this.filters = filters;
            this.output = output;
            for (AttributeReference attribute : CollectionConverters.asJava(relation.output())) {
                scan.table().column(attribute.name()).ifPresent(column -> columns.put(attribute.exprId(), column));
            }
            for (NamedExpression expression : CollectionConverters.asJava(output)) {
                Expression of = expression instanceof Alias alias ? alias.child() : (Expression) expression;
                TableSchema.Column column = of instanceof Attribute attribute ? columns.get(attribute.exprId()) : null;
                if (column != null) {
                    columns.put(expression.exprId(), column);
                }
            }
        }

        /** Null if the plan does more than read a Cassandra table, filter and project. */
        static @Nullable Side of(LogicalPlan plan) {
            Seq<NamedExpression> output = null;
            Seq<Expression> filters = seq(List.of());
            LogicalPlan at = plan;
            if (at instanceof Project project) {
                output = project.projectList();
                at = project.child();
            }
            if (at instanceof Filter filter) {
                filters = seq(List.of(filter.condition()));
                at = filter.child();
            }
            if (at instanceof DataSourceV2ScanRelation relation && relation.scan() instanceof CassandraScan scan) {
                if (output == null) {
                    List<NamedExpression> all = new ArrayList<>(CollectionConverters.asJava(relation.output()));
                    output = seq(all);
                }
                Side side = new Side(relation, scan, filters, output);
                return side.isDeterministic() ? side : null;
            }
            return null;
        }

        private boolean isDeterministic() {
            return CollectionConverters.asJava(filters).stream().allMatch(Expression::deterministic)
                    && CollectionConverters.asJava(output).stream()
                            .allMatch(expression -> ((Expression) expression).deterministic());
        }

        void keyColumn(Expression ofTable, Expression ofKeys, LogicalPlan keys, Map<String, Expression> values) {
            TableSchema.Column column = keyColumn(ofTable);
            if (column != null && ofKeys.deterministic() && ofKeys.references().subsetOf(keys.outputSet())) {
                values.putIfAbsent(column.name(), ofKeys);
            }
        }

        void keyConstant(Expression ofTable, Expression constant, Map<String, Expression> values) {
            TableSchema.Column column = keyColumn(ofTable);
            if (column != null && constant.foldable()) {
                values.putIfAbsent(column.name(), constant);
            }
        }

        private TableSchema.@Nullable Column keyColumn(Expression expression) {
            TableSchema.Column column =
                    expression instanceof Attribute attribute ? columns.get(attribute.exprId()) : null;
            return column != null && column.isKey() && KeyTypes.isLookedUp(column.type()) ? column : null;
        }
    }
}
