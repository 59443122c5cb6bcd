package io.overdrive.spark;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;
import scala.PartialFunction;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;

/** Options of reads that are already part of a plan. Plans (on the driver). Stateless. */
public final class ReadOption {
    private ReadOption() {}

    /**
     * The same plan, whose reads of Cassandra tables have another option.
     *
     * @param plan analyzed
     * @param name of the option
     * @throws IllegalArgumentException if the plan reads no Cassandra table
     */
    public static LogicalPlan set(LogicalPlan plan, String name, String value) {
        AtomicBoolean found = new AtomicBoolean();
        PartialFunction<LogicalPlan, LogicalPlan> change = new AbstractPartialFunction<>() {
            @Override
            public boolean isDefinedAt(LogicalPlan part) {
                return part instanceof DataSourceV2Relation relation && relation.table() instanceof CassandraTable;
            }

            @Override
            public <A extends LogicalPlan, B> B applyOrElse(A part, scala.Function1<A, B> otherwise) {
                if (!isDefinedAt(part)) {
                    return otherwise.apply(part);
                }
                found.set(true);
                @SuppressWarnings("unchecked") // B is the type of plans
                B changed = (B) with(part, name, value);
                return changed;
            }
        };
        LogicalPlan changed = (LogicalPlan) plan.transform(change);
        if (!found.get()) {
            throw new IllegalArgumentException(
                    "option \"" + name + "\" is for a read of a Cassandra table, and this query reads none: " + plan);
        }
        return changed;
    }

    /** Spark's versions differ in the number of arguments. */
    private static LogicalPlan with(LogicalPlan relation, String name, String value) {
        Object[] arguments = CollectionConverters.asJava(
                        relation.productIterator().toSeq())
                .stream()
                .map(argument ->
                        argument instanceof CaseInsensitiveStringMap options ? with(options, name, value) : argument)
                .toArray();
        return relation.makeCopy(arguments);
    }

    private static CaseInsensitiveStringMap with(CaseInsensitiveStringMap options, String name, String value) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        all.putAll(options.asCaseSensitiveMap());
        all.put(name, value);
        return new CaseInsensitiveStringMap(all);
    }
}
