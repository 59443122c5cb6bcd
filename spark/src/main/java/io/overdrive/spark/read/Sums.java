package io.overdrive.spark.read;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.spark.cell.SparkTypes;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
 * Aggregates of all rows (count, min, max, sum), which the servers compute: one row for each token range. Plans (on the
 * driver), and executes on the executors, to which it travels and where each task merges the rows of its ranges.
 * Immutable.
 *
 * <p>An empty value ({@link Literals#canBeEmpty}) is null in Spark, while the servers count it and sort it before all
 * others. A range with one is recognized by its aggregates: the count is positive and the minimum is null. The task
 * then reads the rows and aggregates them itself.
 *
 * @param functions the aggregates that Spark needs, in its order
 * @param names the aggregated columns, none for {@code count(*)}
 */
record Sums(List<Function> functions, List<String> names) implements Serializable {
    private static final long serialVersionUID = 1;

    private enum Kind {
        COUNT,
        TOTAL,
        MIN,
        MAX
    }

    /**
     * @param cql the selected expression
     * @param type of Spark's value
     * @param column the aggregated column; null for {@code count(*)}
     * @param values expression that counts the values, for a total, as without values the server's is 0 and Spark's is
     *     null, and for the minimum of a column that can have empty values; otherwise null
     * @param min expression for the minimum of a column that can have empty values; null if it cannot, or if the
     *     function is the minimum itself
     * @param minType Spark's type of that minimum
     * @param canBeEmpty whether an empty value makes the server's result differ from Spark's
     */
    record Function(
            Kind kind,
            String cql,
            DataType type,
            @Nullable String column,
            @Nullable String values,
            @Nullable String min,
            @Nullable DataType minType,
            boolean canBeEmpty)
            implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /**
     * Null if CQL has no equivalent function.
     *
     * @param emptyForNull names of columns that are never null in Spark, and maybe in Cassandra
     */
    static @Nullable Sums of(AggregateFunc[] wanted, TableSchema table, StructType columns, Set<String> emptyForNull) {
        List<Function> functions = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (AggregateFunc one : wanted) {
            if (one instanceof CountStar) {
                functions.add(new Function(
                        Kind.COUNT, "count(*)", DataTypes.LongType, null, null, null, null, /* canBeEmpty */ false));
                continue;
            }
            org.apache.spark.sql.connector.expressions.Expression[] arguments = one.children();
            Column column = arguments.length == 1 ? column(arguments[0], table) : null;
            Function function = column == null ? null : function(one, column, columns);
            if (function == null || column == null || emptyForNull.contains(column.name())) {
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
        DataType type = columns.apply(column.name()).dataType();
        if (function instanceof Count count) {
            return count.isDistinct()
                    ? null
                    : counted(Kind.COUNT, "count(" + name + ")", DataTypes.LongType, column, type);
        }
        if (!type.equals(SparkTypes.type(column.type()))) {
            return null;
        }
        if (function instanceof org.apache.spark.sql.connector.expressions.aggregate.Sum sum) {
            return sum.isDistinct() ? null : total(column, type);
        }
        if (!SparkTypes.haveSameOrder(column.type())) {
            return null;
        }
        if (function instanceof Min) {
            boolean canBeEmpty = Literals.canBeEmpty(column.type());
            String values = canBeEmpty ? "count(" + name + ")" : null;
            return new Function(Kind.MIN, "min(" + name + ")", type, column.name(), values, null, null, canBeEmpty);
        }
        return function instanceof Max
                ? new Function(
                        Kind.MAX, "max(" + name + ")", type, column.name(), null, null, null, /* canBeEmpty */ false)
                : null;
    }

    /** A count, or a total with its count. */
    private static Function counted(Kind kind, String cql, DataType type, Column column, DataType columnType) {
        boolean canBeEmpty = Literals.canBeEmpty(column.type());
        return new Function(
                kind,
                cql,
                type,
                column.name(),
                kind == Kind.TOTAL ? "count(" + column.cqlName() + ")" : null,
                canBeEmpty ? "min(" + column.cqlName() + ")" : null,
                canBeEmpty ? columnType : null,
                canBeEmpty);
    }

    /** The total in Spark's result type, which the rows of a table cannot overflow. */
    private static @Nullable Function total(Column column, DataType type) {
        String name = column.cqlName();
        if (type.equals(DataTypes.DoubleType)) {
            return counted(Kind.TOTAL, "sum(" + name + ")", type, column, type);
        }
        if (type.equals(DataTypes.FloatType)) {
            return counted(Kind.TOTAL, "sum(CAST(" + name + " AS double))", DataTypes.DoubleType, column, type);
        }
        boolean isSmall = type.equals(DataTypes.ByteType)
                || type.equals(DataTypes.ShortType)
                || type.equals(DataTypes.IntegerType);
        return isSmall
                ? counted(Kind.TOTAL, "sum(CAST(" + name + " AS bigint))", DataTypes.LongType, column, type)
                : null;
    }

    /** The schema of Spark's rows. */
    StructType columns() {
        StructType columns = new StructType();
        for (Function function : functions) {
            columns = columns.add(function.cql, function.type, /* nullable */ function.kind != Kind.COUNT);
        }
        return columns;
    }

    /**
     * The schema of the rows of token ranges: Spark's columns, then the counts, then the minimums that functions need.
     */
    StructType rangeColumns() {
        StructType columns = columns();
        for (Function function : functions) {
            if (function.values != null) {
                columns = columns.add("count of " + function.cql, DataTypes.LongType, /* nullable */ false);
            }
        }
        for (Function function : functions) {
            if (function.minType != null) {
                columns = columns.add("min of " + function.cql, function.minType, /* nullable */ true);
            }
        }
        return columns;
    }

    /** The columns that CQL selects, in the order of {@link #rangeColumns}. */
    List<String> selection() {
        List<String> selection = new ArrayList<>();
        functions.forEach(function -> selection.add(function.cql));
        for (Function function : functions) {
            if (function.values != null) {
                selection.add(function.values);
            }
        }
        for (Function function : functions) {
            if (function.min != null) {
                selection.add(function.min);
            }
        }
        return selection;
    }

    /** The columns to read if a task must read the table's rows. */
    StructType rowColumns(StructType tableColumns) {
        StructType columns = new StructType();
        for (String name : new LinkedHashSet<>(names)) {
            columns = columns.add(tableColumns.apply(name));
        }
        return columns;
    }

    /** The aggregates of no rows, to which rows of token ranges are added. */
    Adder adder() {
        return new Adder(functions);
    }

    /** Merges many rows into one. Confined to one thread. */
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

        /**
         * @param range a row of {@link Sums#rangeColumns}
         * @return false if the range has empty values, so that its aggregates differ from Spark's
         */
        boolean add(InternalRow range) {
            int counter = values.length;
            int min = values.length;
            for (Function function : functions) {
                min += function.values == null ? 0 : 1;
            }
            for (int i = 0; i < values.length; i++) {
                Function function = functions.get(i);
                long count = function.values != null
                        ? range.getLong(counter++)
                        : function.kind == Kind.COUNT ? range.getLong(i) : 0;
                boolean isMinNull = function.min != null ? range.isNullAt(min++) : range.isNullAt(i);
                if (function.canBeEmpty && count > 0 && isMinNull) {
                    return false;
                }
                boolean isNull = function.kind == Kind.TOTAL ? count == 0 : range.isNullAt(i);
                if (!isNull) {
                    values[i] = merge(function.kind, values[i], range.get(i, function.type));
                }
            }
            return true;
        }

        /** @param columns of the row, by {@link Sums#rowColumns} */
        void addRow(InternalRow row, StructType columns) {
            for (int i = 0; i < values.length; i++) {
                Function function = functions.get(i);
                if (function.column == null) {
                    values[i] = merge(function.kind, values[i], 1L);
                    continue;
                }
                int field = columns.fieldIndex(function.column);
                if (!row.isNullAt(field)) {
                    Object value = row.get(field, columns.apply(field).dataType());
                    values[i] = merge(function.kind, values[i], summand(function, value));
                }
            }
        }

        private static Object summand(Function function, Object value) {
            return switch (function.kind) {
                case COUNT -> 1L;
                case TOTAL ->
                    function.type.equals(DataTypes.DoubleType)
                            ? (Object) ((Number) value).doubleValue()
                            : (Object) ((Number) value).longValue();
                case MIN, MAX -> value;
            };
        }

        private static Object merge(Kind kind, @Nullable Object before, Object more) {
            if (before == null) {
                return more instanceof UTF8String text ? text.clone() : more; // the row is reused
            }
            return switch (kind) {
                case COUNT, TOTAL ->
                    before instanceof Double total
                            ? (Object) (total + (Double) more)
                            : (Object) Math.addExact((Long) before, (Long) more);
                case MIN -> compare(more, before) < 0 ? merge(kind, null, more) : before;
                case MAX -> compare(more, before) > 0 ? merge(kind, null, more) : before;
            };
        }

        @SuppressWarnings("unchecked") // both are Spark's values of one type
        private static int compare(Object one, Object other) {
            return one instanceof byte[] bytes
                    ? Arrays.compareUnsigned(bytes, (byte[]) other)
                    : ((Comparable<Object>) one).compareTo(other);
        }

        /** A row of {@link Sums#columns}. */
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
