package io.overdrive.spark;

import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.join.DirectJoinStrategy;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.TempResolvedColumn;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.LateralColumnAliasReference;
import scala.Function1;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Extensions of Spark that a data source alone cannot add, enabled by {@code
 * spark.sql.extensions=io.overdrive.spark.OverdriveExtensions}: the functions {@code ttl(column)} and {@code
 * writetime(column)}, joins that look up keys instead of reading the table, and filters on elements of collections that
 * use indexes. If the application's configuration names a cluster, connecting to it begins when the session starts.
 * Plans (on the driver).
 *
 * @param <U> Scala's {@code Unit}, which Java cannot name: scalac infers it in
 *     {@code withExtensions(new CassandraSparkExtensions)}
 */
public class OverdriveExtensions<U> extends AbstractFunction1<SparkSessionExtensions, U> {
    @Override
    @SuppressWarnings("unchecked") // the result is not used
    public U apply(SparkSessionExtensions extensions) {
        SparkVersion.require();
        injectColumnFunction(
                extensions, "ttl", "Remaining time to live, in seconds, of the value of a Cassandra column");
        injectColumnFunction(
                extensions, "writetime", "Write time of the value of a Cassandra column, in microseconds since 1970");
        extensions.injectResolutionRule(session -> new OpenViews());
        extensions.injectOptimizerRule(session -> new ElementFilters());
        extensions.injectPlannerStrategy(session -> new DirectJoinStrategy());
        SparkEnv environment = SparkEnv.get();
        if (environment != null) {
            Map<String, String> application = new HashMap<>();
            for (Tuple2<String, String> setting : environment.conf().getAll()) {
                application.put(setting._1(), setting._2());
            }
            SharedEngines.connectAhead(application);
        }
        return (U) BoxedUnit.UNIT;
    }

    /** A function of a column, not of its value: it is replaced by the metadata column of the same name. */
    private static void injectColumnFunction(SparkSessionExtensions extensions, String name, String usage) {
        Function1<Seq<Expression>, Expression> builder = arguments -> {
            Expression argument = arguments.size() == 1 ? arguments.apply(0) : null;
            if (argument instanceof TempResolvedColumn inHaving) {
                argument = inHaving.child();
            }
            if (argument instanceof LateralColumnAliasReference alias) {
                throw new IllegalArgumentException(
                        name + "() takes a column of a Cassandra table, and \"" + alias.name()
                                + "\" is an alias in this SELECT: write " + name
                                + "(column) with the table's column");
            }
            if (!(argument instanceof Attribute column)) {
                throw new IllegalArgumentException(
                        name + "() takes one column of a Cassandra table, got " + arguments.mkString(", "));
            }
            return new UnresolvedAttribute(column.qualifier()
                    .appended(MetadataColumns.name(name, column.name()))
                    .toSeq());
        };
        extensions.injectFunction(new Tuple3<>(
                new FunctionIdentifier(name),
                new ExpressionInfo(OverdriveExtensions.class.getName(), "", name, "_FUNC_(column) - " + usage, ""),
                builder));
    }
}
