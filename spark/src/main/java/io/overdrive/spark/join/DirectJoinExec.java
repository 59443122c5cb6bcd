package io.overdrive.spark.join;

import io.overdrive.spark.metric.LimitedBy;
import io.overdrive.spark.read.LookupTask;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * A join with a Cassandra table that looks up the keys of the other side, its child: many keys concurrently, and a key
 * that repeats while it is in flight only once. Plans (on the driver). Immutable; public because Spark copies it by
 * reflection.
 */
public final class DirectJoinExec extends SparkPlan {
    private static final long serialVersionUID = 1;

    /** Which rows of the keys' side are returned. */
    public enum Kind {
        /** Each with every matching row of the table. */
        INNER,
        /** Likewise, and those without a match with nulls. */
        OUTER,
        /** Rows with a match, without the table's columns. */
        SEMI,
        /** Rows without a match. */
        ANTI
    }

    private final SparkPlan keys;
    private final LookupTask lookup;
    private final Seq<Expression> keyValues;
    private final Seq<AttributeReference> read;
    private final Seq<Expression> filters;
    private final Seq<NamedExpression> tableOutput;
    private final Expression condition;
    private final Kind kind;
    private final Boolean tableIsRight;
    private final Seq<Attribute> output;
    private final transient java.util.Map<String, SQLMetric> metrics;

    /**
     * Has all of a plan's elements as parameters, because Spark copies plans with their elements.
     *
     * @param keyValues expressions on the keys' rows, one for each column of the lookup
     * @param read columns that a lookup returns
     * @param filters on the columns that are read
     * @param tableOutput the table's side of the join, derived from the columns that are read
     * @param condition of the join, on the keys' columns and the table's output
     */
    public DirectJoinExec(
            SparkPlan keys,
            LookupTask lookup,
            Seq<Expression> keyValues,
            Seq<AttributeReference> read,
            Seq<Expression> filters,
            Seq<NamedExpression> tableOutput,
            Expression condition,
            Kind kind,
            Boolean tableIsRight,
            Seq<Attribute> output) {
        this.keys = keys;
        this.lookup = lookup;
        this.keyValues = keyValues;
        this.read = read;
        this.filters = filters;
        this.tableOutput = tableOutput;
        this.condition = condition;
        this.kind = kind;
        this.tableIsRight = tableIsRight;
        this.output = output;
        this.metrics = java.util.Map.of(
                "keys",
                SQLMetrics.createMetric(sparkContext(), "number of keys looked up"),
                "numOutputRows",
                SQLMetrics.createMetric(sparkContext(), "number of output rows"),
                LimitedBy.NAME,
                SQLMetrics.createV2CustomMetric(sparkContext(), new LimitedBy()));
    }

    @Override
    public RDD<InternalRow> doExecute() {
        DirectJoin join = new DirectJoin(
                lookup,
                keyValues,
                keys.output(),
                new DirectJoin.TableSide(read, filters, tableOutput),
                condition,
                kind,
                tableIsRight,
                new DirectJoin.Metrics(longMetric("keys"), longMetric("numOutputRows"), longMetric(LimitedBy.NAME)));
        ClassTag<InternalRow> tag = ClassTag$.MODULE$.apply(InternalRow.class);
        Function1<Iterator<InternalRow>, Iterator<InternalRow>> run = join;
        return keys.execute().mapPartitions(run, /* preservesPartitioning */ true, tag);
    }

    @Override
    public Seq<Attribute> output() {
        return output;
    }

    @Override
    public Partitioning outputPartitioning() {
        return keys.outputPartitioning();
    }

    @Override
    public Map<String, SQLMetric> metrics() {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(metrics));
    }

    @Override
    public Seq<SparkPlan> children() {
        return DirectJoinStrategy.seq(List.of(keys));
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> children) {
        return new DirectJoinExec(
                children.apply(0),
                lookup,
                keyValues,
                read,
                filters,
                tableOutput,
                condition,
                kind,
                tableIsRight,
                output);
    }

    @Override
    public String nodeName() {
        return "CassandraDirectJoin";
    }

    @Override
    public String simpleString(int maxFields) {
        return nodeName() + " " + kind + " " + lookup.description() + " = [" + keyValues.mkString(", ")
                + "], condition " + condition + (filters.isEmpty() ? "" : ", filters [" + filters.mkString(", ") + "]");
    }

    @Override
    public int productArity() {
        return 10;
    }

    @Override
    public Object productElement(int n) {
        return switch (n) {
            case 0 -> keys;
            case 1 -> lookup;
            case 2 -> keyValues;
            case 3 -> read;
            case 4 -> filters;
            case 5 -> tableOutput;
            case 6 -> condition;
            case 7 -> kind;
            case 8 -> tableIsRight;
            case 9 -> output;
            default -> throw new IndexOutOfBoundsException(n);
        };
    }

    @Override
    public boolean canEqual(Object that) {
        return that instanceof DirectJoinExec;
    }

    @Override
    public boolean equals(Object that) {
        if (!(that instanceof DirectJoinExec other)) {
            return false;
        }
        for (int i = 0; i < productArity(); i++) {
            if (!productElement(i).equals(other.productElement(i))) {
                return false;
            }
        }
        return true;
    }
}
