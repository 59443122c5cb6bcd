package io.overdrive.spark.read;

import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.spark.cell.SparkTypes;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
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
 * <p>A value without bytes ({@link Literals#canBeEmpty}) is null for Spark, and for the servers one that counts, and the least
 * of all. Ranges with one are known by that: there is a value, and the least is null. Their tasks read the rows themselves.
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
     * @param column that it is of; null for {@code count(*)}
     * @param values what counts the values of a total, which is 0 for the server and null for Spark if there are none, or of a
     *     column that can have empty ones; else null
     * @param least what gives the least value of a column that can have empty ones; null if it cannot, or for the least itself
     * @param minType type of that
     * @param canBeEmpty whether an empty value makes it another one than Spark's
     */
    record Function(
            Kind kind,
            String cql,
            DataType type,
            @Nullable String column,
            @Nullable String values,
            @Nullable String least,
            @Nullable DataType minType,
            boolean canBeEmpty)
            implements Serializable {
        private static final long serialVersionUID = 1;
    }

    /** Null where CQL has no such function, or means something else by it. */
    static @Nullable Sums of(AggregateFunc[] wanted, TableSchema table, StructType columns) {
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
            return new Function(Kind.LEAST, "min(" + name + ")", type, column.name(), values, null, null, canBeEmpty);
        }
        return function instanceof Max
                ? new Function(
                        Kind.GREATEST,
                        "max(" + name + ")",
                        type,
                        column.name(),
                        null,
                        null,
                        null,
                        /* canBeEmpty */ false)
                : null;
    }

    /** A count, or a total, which has its count beside it. */
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

    /** In a type that no table's rows can exceed; that of Spark has the same. */
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

    /** Of Spark's rows. */
    StructType columns() {
        StructType columns = new StructType();
        for (Function function : functions) {
            columns = columns.add(function.cql, function.type, /* nullable */ function.kind != Kind.COUNT);
        }
        return columns;
    }

    /** Of the rows of token ranges: Spark's columns, then the numbers of values, then the least ones, as functions need them. */
    StructType rangeColumns() {
        StructType columns = columns();
        for (Function function : functions) {
            if (function.values != null) {
                columns = columns.add("values of " + function.cql, DataTypes.LongType, /* nullable */ false);
            }
        }
        for (Function function : functions) {
            if (function.minType != null) {
                columns = columns.add("least of " + function.cql, function.minType, /* nullable */ true);
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
        for (Function function : functions) {
            if (function.least != null) {
                selection.add(function.least);
            }
        }
        return selection;
    }

    /** The columns of the table's rows, where a task has to read these. */
    StructType rowColumns(StructType tableColumns) {
        StructType columns = new StructType();
        for (String name : new LinkedHashSet<>(names)) {
            columns = columns.add(tableColumns.apply(name));
        }
        return columns;
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

        /**
         * @param range a row of {@link Sums#rangeColumns}
         * @return false if the range has empty values, so that its sums are not Spark's
         */
        boolean add(InternalRow range) {
            int counter = values.length;
            int least = values.length;
            for (Function function : functions) {
                least += function.values == null ? 0 : 1;
            }
            for (int i = 0; i < values.length; i++) {
                Function function = functions.get(i);
                long count = function.values != null
                        ? range.getLong(counter++)
                        : function.kind == Kind.COUNT ? range.getLong(i) : 0;
                boolean isLeastNull = function.least != null ? range.isNullAt(least++) : range.isNullAt(i);
                if (function.canBeEmpty && count > 0 && isLeastNull) {
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
                case LEAST, GREATEST -> value;
            };
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
