package io.overdrive.spark;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.spark.read.ElementConditions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/**
 * Uses indexes of collections to choose the rows for a filter on elements, which Spark does not pass to a table. The filter
 * stays in the plan. Plans (on the driver). Stateless.
 */
final class ElementFilters extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.transform(new Choosing());
    }

    private static final class Choosing extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
        @Override
        public boolean isDefinedAt(LogicalPlan plan) {
            return plan instanceof Filter filter
                    && filter.child() instanceof DataSourceV2Relation relation
                    && relation.table() instanceof CassandraTable;
        }

        @Override
        @SuppressWarnings("unchecked") // the result is a plan in both cases, and so is A1
        public <A1 extends LogicalPlan, B1> B1 applyOrElse(A1 plan, Function1<A1, B1> otherwise) {
            if (!(plan instanceof Filter filter)
                    || !(filter.child() instanceof DataSourceV2Relation relation)
                    || !(relation.table() instanceof CassandraTable table)) {
                return otherwise.apply(plan);
            }
            List<String> conditions = ElementConditions.of(
                    filter.condition(),
                    columns(relation, table.cassandraSchema()),
                    () -> table.indexes(table.settings(relation.options())));
            return (B1)
                    (conditions.equals(table.elements())
                            ? plan
                            : filter.withNewChildren(CollectionConverters.asScala(
                                            List.of((LogicalPlan) with(relation, table.withElements(conditions))))
                                    .toSeq()));
        }

        private static Map<ExprId, Column> columns(DataSourceV2Relation relation, TableSchema table) {
            Map<ExprId, Column> columns = new HashMap<>();
            for (AttributeReference attribute : CollectionConverters.asJava(relation.output())) {
                table.column(attribute.name()).ifPresent(column -> columns.put(attribute.exprId(), column));
            }
            return columns;
        }

        /** Spark's versions differ in the number of arguments. */
        private static LogicalPlan with(DataSourceV2Relation relation, CassandraTable table) {
            Object[] arguments = CollectionConverters.asJava(
                            relation.productIterator().toSeq())
                    .stream()
                    .map(argument -> argument == relation.table() ? table : argument)
                    .toArray();
            return relation.makeCopy(arguments);
        }
    }
}
