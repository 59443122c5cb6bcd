package io.overdrive.spark;

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import scala.Function1;
import scala.runtime.AbstractPartialFunction;

/**
 * Lets {@code ttl()} and {@code writetime()} see through temporary views, which hide the metadata columns of their
 * sources. A temporary view that is just a Cassandra table is replaced by the table, as the optimizer does later
 * anyway. Plans (on the driver). Stateless.
 */
final class OpenViews extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        return plan.resolveOperatorsUp(new Opening());
    }

    private static final class Opening extends AbstractPartialFunction<LogicalPlan, LogicalPlan> {
        @Override
        public boolean isDefinedAt(LogicalPlan plan) {
            return plan instanceof View view && view.isTempView() && isTable(view.child());
        }

        @Override
        @SuppressWarnings("unchecked") // the result is a plan in both cases, and so is A1
        public <A1 extends LogicalPlan, B1> B1 applyOrElse(A1 plan, Function1<A1, B1> otherwise) {
            return isDefinedAt(plan) ? (B1) ((View) plan).child() : otherwise.apply(plan);
        }

        private static boolean isTable(LogicalPlan plan) {
            Table table = plan instanceof DataSourceV2Relation relation ? relation.table() : null;
            return table instanceof CassandraTable;
        }
    }
}
