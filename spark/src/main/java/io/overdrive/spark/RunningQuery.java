package io.overdrive.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.command.ExplainCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The query that Spark plans or runs in the calling thread, which Spark does not pass to a data source. Plans (on the
 * driver). Stateless.
 */
final class RunningQuery {
    private RunningQuery() {}

    /** The analyzed plan, before optimization; null if there is none. For EXPLAIN, the plan of the explained query. */
    static @Nullable LogicalPlan plan() {
        String execution = SparkSession.active().sparkContext().getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
        QueryExecution query = execution == null ? null : SQLExecution.getQueryExecution(Long.parseLong(execution));
        if (query == null) {
            return null;
        }
        LogicalPlan plan = query.analyzed();
        return plan instanceof ExplainCommand explain ? explain.logicalPlan() : plan;
    }

    /** The Cassandra tables that it reads, subqueries included, without the one that it writes. */
    static List<CassandraTable> tablesRead() {
        List<CassandraTable> tables = new ArrayList<>();
        LogicalPlan plan = plan();
        if (plan != null) {
            addTables(plan, tables);
        }
        return tables;
    }

    private static void addTables(Object part, List<CassandraTable> tables) {
        if (part instanceof DataSourceV2Relation relation && relation.table() instanceof CassandraTable table) {
            tables.add(table);
        }
        if (part instanceof LogicalPlan plan) {
            CollectionConverters.asJava(plan.children()).forEach(child -> addTables(child, tables));
            CollectionConverters.asJava(plan.subqueries()).forEach(subquery -> addTables(subquery, tables));
            // the query of CREATE and REPLACE TABLE, once it is analyzed
            CollectionConverters.asJava(plan.innerChildren()).forEach(child -> addTables(child, tables));
        }
    }
}
