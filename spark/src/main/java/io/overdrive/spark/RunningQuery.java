package io.overdrive.spark;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.Generate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.V2WriteCommand;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec;
import org.apache.spark.sql.execution.command.ExplainCommand;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.BigInt;

/**
 * The query that Spark plans or runs in the calling thread, which Spark does not pass to a data source. Plans (on the
 * driver). Stateless.
 */
final class RunningQuery {
    private RunningQuery() {}

    /** The analyzed plan, before optimization; null if there is none. For EXPLAIN, the plan of the explained query. */
    static @Nullable LogicalPlan plan() {
        QueryExecution query = execution();
        if (query == null) {
            return null;
        }
        LogicalPlan plan = query.analyzed();
        return plan instanceof ExplainCommand explain ? explain.logicalPlan() : plan;
    }

    private static @Nullable QueryExecution execution() {
        String id = SparkSession.active().sparkContext().getLocalProperty(SQLExecution.EXECUTION_ID_KEY());
        return id == null ? null : SQLExecution.getQueryExecution(Long.parseLong(id));
    }

    /**
     * The bytes of the rows that it writes, for the write that it is about to start: those of the last shuffle, or else at most what the
     * sources have, as Spark estimates it. Empty if Spark does not know, and after joins and the like, for which its estimate is no use.
     */
    static OptionalLong bytesToWrite() {
        QueryExecution query = execution();
        if (query == null) {
            return OptionalLong.empty();
        }
        OptionalLong shuffled = bytesOfShuffle(query.executedPlan());
        if (shuffled.isPresent() || !(query.optimizedPlan() instanceof V2WriteCommand write)) {
            return shuffled;
        }
        BigInt bytes = write.query().stats().sizeInBytes();
        boolean isKnown = !changesSize(write.query())
                && bytes.isValidLong()
                && bytes.toLong() < write.query().conf().defaultSizeInBytes();
        return isKnown ? OptionalLong.of(bytes.toLong()) : OptionalLong.empty();
    }

    private static OptionalLong bytesOfShuffle(SparkPlan plan) {
        if (plan instanceof ShuffleQueryStageExec stage) {
            Option<Statistics> known = stage.computeStats();
            return known.isDefined() && known.get().sizeInBytes().isValidLong()
                    ? OptionalLong.of(known.get().sizeInBytes().toLong())
                    : OptionalLong.empty();
        } else if (plan instanceof AdaptiveSparkPlanExec adaptive) {
            return bytesOfShuffle(adaptive.executedPlan());
        } else if (plan instanceof QueryStageExec stage) {
            return bytesOfShuffle(stage.plan());
        }
        return plan.children().size() == 1 ? bytesOfShuffle(plan.children().apply(0)) : OptionalLong.empty();
    }

    /** Whether it has more rows than its sources may have, or rows of several that Spark combines. */
    private static boolean changesSize(LogicalPlan plan) {
        return plan.exists(part -> part instanceof Generate || part.children().size() > 1 && !(part instanceof Union));
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
