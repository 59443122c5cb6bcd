package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.DataTypes;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.ArrayContains;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.ElementAt;
import org.apache.spark.sql.catalyst.expressions.EqualTo;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GetMapValue;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.expressions.MapKeys;
import org.apache.spark.sql.catalyst.expressions.MapValues;
import org.jspecify.annotations.Nullable;

/**
 * Conditions on elements of collections that indexes answer: {@code array_contains} of a list, a set, or the keys or values
 * of a map, and an entry of a map that equals a value. Spark passes no such condition to a table, so {@link
 * io.overdrive.spark.OverdriveExtensions} takes them from the plan, where they stay. Plans (on the driver). Stateless.
 */
public final class ElementConditions {
    private ElementConditions() {}

    /**
     * Conditions of a filter that indexes answer, in CQL: at most one condition for each index.
     *
     * @param columns that the filter names, by Spark's id
     * @param indexes of the table, taken only if there are such conditions
     */
    public static List<String> of(Expression filter, Map<ExprId, Column> columns, Supplier<Indexes> indexes) {
        Map<String, String> byIndex = new LinkedHashMap<>();
        List<Expression> open = new ArrayList<>(List.of(filter));
        while (!open.isEmpty()) {
            Expression next = open.remove(0);
            if (next instanceof And and) {
                open.add(and.left());
                open.add(and.right());
                continue;
            }
            Condition condition = condition(next, columns);
            if (condition != null && indexes.get().elements().contains(condition.index)) {
                byIndex.putIfAbsent(condition.index, condition.cql);
            }
        }
        return List.copyOf(byIndex.values());
    }

    /** @param index as in {@link Indexes#elements} */
    private record Condition(String index, String cql) {}

    private static @Nullable Condition condition(Expression expression, Map<ExprId, Column> columns) {
        if (expression instanceof ArrayContains contains) {
            return contains(contains.left(), contains.right(), columns);
        }
        if (expression instanceof EqualTo equal) {
            Condition condition = entry(equal.left(), equal.right(), columns);
            return condition != null ? condition : entry(equal.right(), equal.left(), columns);
        }
        return null;
    }

    private static @Nullable Condition contains(Expression array, Expression value, Map<ExprId, Column> columns) {
        if (array instanceof MapKeys keys) {
            return contains(keys.child(), "keys", " CONTAINS KEY ", value, columns);
        }
        return contains(
                array instanceof MapValues values ? values.child() : array, "values", " CONTAINS ", value, columns);
    }

    private static @Nullable Condition contains(
            Expression collection, String part, String operator, Expression value, Map<ExprId, Column> columns) {
        Column column = column(collection, columns);
        DataType type = column == null ? null : elementType(column.type(), part);
        String literal = type == null ? null : literal(type, value);
        return column == null || literal == null
                ? null
                : new Condition(part + "(" + column.name() + ")", column.cqlName() + operator + literal);
    }

    private static @Nullable Condition entry(Expression element, Expression value, Map<ExprId, Column> columns) {
        Expression map = null;
        Expression key = null;
        if (element instanceof GetMapValue of) {
            map = of.child();
            key = of.key();
        } else if (element instanceof ElementAt of) {
            map = of.left();
            key = of.right();
        }
        Column column = map == null ? null : column(map, columns);
        if (column == null || key == null || !(column.type() instanceof MapType type)) {
            return null;
        }
        String keyLiteral = literal(type.getKeyType(), key);
        String valueLiteral = literal(type.getValueType(), value);
        return keyLiteral == null || valueLiteral == null
                ? null
                : new Condition(
                        "entries(" + column.name() + ")", column.cqlName() + "[" + keyLiteral + "] = " + valueLiteral);
    }

    /** Null for any other expression, and for columns whose elements have no indexes that are used. */
    private static @Nullable Column column(Expression expression, Map<ExprId, Column> columns) {
        Column column = expression instanceof Attribute attribute ? columns.get(attribute.exprId()) : null;
        return column != null && column.role() == Role.REGULAR ? column : null;
    }

    /** Null if the type has no such part. */
    private static @Nullable DataType elementType(DataType type, String part) {
        if (type instanceof MapType map) {
            return part.equals("keys") ? map.getKeyType() : map.getValueType();
        }
        if (part.equals("keys")) {
            return null;
        }
        if (type instanceof ListType list) {
            return list.getElementType();
        }
        return type instanceof SetType set ? set.getElementType() : null;
    }

    /** Null if Spark and an index may disagree on what is equal: an index by bytes does not find 1.0 for 1.00. */
    private static @Nullable String literal(DataType type, Expression value) {
        if (type.equals(DataTypes.DECIMAL) || !(value instanceof Literal literal) || literal.value() == null) {
            return null;
        }
        Object equal = Literals.equal(type, literal.value());
        return equal == null || equal == Literals.NOTHING || Literals.isLong(type, equal)
                ? null
                : Literals.cql(type, equal);
    }
}
