package io.overdrive.spark;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.InterpretedUnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.aggregate.Count;
import org.apache.spark.sql.connector.expressions.aggregate.CountStar;
import org.apache.spark.sql.connector.expressions.aggregate.Max;
import org.apache.spark.sql.connector.expressions.aggregate.Min;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Counts, extremes and totals of all rows, which the servers make: a row for each token range. Immutable; travels to the
 * executors, whose tasks make one row of those of their ranges.
 *
 * @param functions what Spark wants to have, in its order
 * @param names the columns that they are of, without those of {@code count(*)}
 */
record Sums(List<Function> functions, List<String> names) implements Serializable {
    private static final long serialVersionUID = 1;

    private enum Kind {
        COUNT,
        TOTAL,
        LEAST,
        GREATEST
    }

    /**
     * @param cql what is selected
     * @param type of Spark's value
     * @param values what counts the values of a total, which is 0 for the server and null for Spark where there are none; else
     *     null
     */
    record Function(Kind kind, String cql, DataType type, @Nullable String values) implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /** Null where CQL has no such function, or means something else by it. */
    static @Nullable Sums of(AggregateFunc[] wanted, TableSchema table, StructType columns) {
        List<Function> functions = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (AggregateFunc one : wanted) {
            if (one instanceof CountStar) {
                functions.add(new Function(Kind.COUNT, "count(*)", DataTypes.LongType, null));
                continue;
            }
            org.apache.spark.sql.connector.expressions.Expression[] arguments = one.children();
            Column column = arguments.length == 1 ? column(arguments[0], table) : null;
            Function function = column == null ? null : function(one, column, columns);
            if (function == null || column == null) {
                return null;
            }
            functions.add(function);
            names.add(column.name());
        }
        return new Sums(List.copyOf(functions), List.copyOf(names));
    }

    private static @Nullable Column column(
            org.apache.spark.sql.connector.expressions.Expression expression, TableSchema table) {
        return expression instanceof NamedReference reference && reference.fieldNames().length == 1
                ? table.column(reference.fieldNames()[0]).orElse(null)
                : null;
    }

    private static @Nullable Function function(AggregateFunc function, Column column, StructType columns) {
        String name = column.cqlName();
        if (function instanceof Count count) {
            return count.isDistinct()
                    ? null
                    : new Function(Kind.COUNT, "count(" + name + ")", DataTypes.LongType, /* values */ null);
        }
        DataType type = columns.apply(column.name()).dataType();
        if (!type.equals(SparkTypes.type(column.type()))) {
            return null;
        }
        if (function instanceof org.apache.spark.sql.connector.expressions.aggregate.Sum sum) {
            return sum.isDistinct() ? null : total(name, type);
        }
        if (!SparkTypes.haveSameOrder(column.type())) {
            return null;
        }
        if (function instanceof Min) {
            return new Function(Kind.LEAST, "min(" + name + ")", type, /* values */ null);
        }
        return function instanceof Max
                ? new Function(Kind.GREATEST, "max(" + name + ")", type, /* values */ null)
                : null;
    }

    /** In a type that no table's rows can exceed; that of Spark has the same. */
    private static @Nullable Function total(String name, DataType type) {
        String values = "count(" + name + ")";
        if (type.equals(DataTypes.DoubleType)) {
            return new Function(Kind.TOTAL, "sum(" + name + ")", type, values);
        }
        if (type.equals(DataTypes.FloatType)) {
            return new Function(Kind.TOTAL, "sum(CAST(" + name + " AS double))", DataTypes.DoubleType, values);
        }
        boolean isSmall = type.equals(DataTypes.ByteType)
                || type.equals(DataTypes.ShortType)
                || type.equals(DataTypes.IntegerType);
        return isSmall
                ? new Function(Kind.TOTAL, "sum(CAST(" + name + " AS bigint))", DataTypes.LongType, values)
                : null;
    }

    /** Of Spark's rows. */
    StructType columns() {
        StructType columns = new StructType();
        for (Function function : functions) {
            columns = columns.add(function.cql, function.type, /* nullable */ function.kind != Kind.COUNT);
        }
        return columns;
    }

    /** Of the rows of token ranges: Spark's columns, and behind them how many values each total has. */
    StructType rangeColumns() {
        StructType columns = columns();
        for (Function function : functions) {
            if (function.values != null) {
                columns = columns.add("values of " + function.cql, DataTypes.LongType, /* nullable */ false);
            }
        }
        return columns;
    }

    /** What CQL selects, in the order of {@link #rangeColumns}. */
    List<String> selection() {
        List<String> selection = new ArrayList<>();
        functions.forEach(function -> selection.add(function.cql));
        for (Function function : functions) {
            if (function.values != null) {
                selection.add(function.values);
            }
        }
        return selection;
    }

    /** The sums of no rows, to which rows of token ranges are added. */
    Adder adder() {
        return new Adder(functions);
    }

    /** Makes one row of many. Confined to one thread. */
    static final class Adder {
        private final List<Function> functions;
        private final @Nullable Object[] values;

        private Adder(List<Function> functions) {
            this.functions = functions;
            values = new Object[functions.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = functions.get(i).kind == Kind.COUNT ? 0L : null;
            }
        }

        /** @param range a row of {@link Sums#rangeColumns} */
        void add(InternalRow range) {
            int counter = values.length;
            for (int i = 0; i < values.length; i++) {
                Function function = functions.get(i);
                boolean isNull = function.values == null ? range.isNullAt(i) : range.getLong(counter++) == 0;
                if (!isNull) {
                    values[i] = merge(function.kind, values[i], range.get(i, function.type));
                }
            }
        }

        private static Object merge(Kind kind, @Nullable Object before, Object more) {
            if (before == null) {
                return more instanceof UTF8String text ? text.clone() : more; // the row is used again
            }
            return switch (kind) {
                case COUNT, TOTAL ->
                    before instanceof Double total
                            ? (Object) (total + (Double) more)
                            : (Object) Math.addExact((Long) before, (Long) more);
                case LEAST -> compare(more, before) < 0 ? merge(kind, null, more) : before;
                case GREATEST -> compare(more, before) > 0 ? merge(kind, null, more) : before;
            };
        }

        @SuppressWarnings("unchecked") // both are what Spark has for values of one type
        private static int compare(Object one, Object other) {
            return one instanceof byte[] bytes
                    ? Arrays.compareUnsigned(bytes, (byte[]) other)
                    : ((Comparable<Object>) one).compareTo(other);
        }

        /** As {@link Sums#columns} has them. */
        UnsafeRow row() {
            List<Expression> columns = new ArrayList<>();
            for (int i = 0; i < values.length; i++) {
                columns.add(new BoundReference(i, functions.get(i).type, /* nullable */ true));
            }
            return InterpretedUnsafeProjection.createProjection(
                            CollectionConverters.asScala(columns).toSeq())
                    .apply(new GenericInternalRow(values));
        }
    }
}
