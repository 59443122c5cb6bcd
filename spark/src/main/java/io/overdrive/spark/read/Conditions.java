package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.cql.ColumnDefinitions;
import com.datastax.oss.driver.api.core.data.GettableByIndex;
import com.datastax.oss.driver.api.core.data.TupleValue;
import com.datastax.oss.driver.api.core.data.UdtValue;
import com.datastax.oss.driver.api.core.type.DataType;
import com.datastax.oss.driver.api.core.type.ListType;
import com.datastax.oss.driver.api.core.type.MapType;
import com.datastax.oss.driver.api.core.type.SetType;
import com.datastax.oss.driver.api.core.type.UserDefinedType;
import com.datastax.oss.driver.api.core.type.codec.registry.CodecRegistry;
import io.overdrive.TableSchema;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Failures;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Conditions in CQL whose bind markers are replaced by literals, as the conditions of a scan must have no markers. The server
 * says which types the values have. Plans (on the driver). Stateless.
 */
public final class Conditions {
    /** Quoted text, a marker, or IN before a marker that stands for a whole list. */
    private static final Pattern PART = Pattern.compile(
            "'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|\\$\\$.*?\\$\\$|(?<in>\\bin\\s*)?(?<marker>\\?|(?<![\\w:]):[a-z]\\w*)",
            Pattern.DOTALL | Pattern.CASE_INSENSITIVE);

    private Conditions() {}

    /**
     * The conditions with literals.
     *
     * @param cql as after WHERE, with markers {@code ?} or {@code :name}
     * @param values of the markers, in their order
     * @param convert the value as the driver has it for a type
     * @throws IllegalArgumentException if the number of values is wrong, a value does not fit, or the server refuses the
     *     conditions
     */
    public static String withValues(
            CqlSession session,
            TableSchema table,
            String cql,
            List<@Nullable Object> values,
            BiFunction<@Nullable Object, DataType, @Nullable Object> convert) {
        List<MatchResult> markers = PART.matcher(cql)
                .results()
                .filter(part -> part.group(2) != null)
                .toList();
        if (markers.size() != values.size()) {
            throw new IllegalArgumentException("[" + table.cqlName() + "] the conditions have " + markers.size()
                    + " markers, and there are " + values.size() + " values: " + cql);
        }
        if (markers.isEmpty()) {
            return cql;
        }
        ColumnDefinitions types = types(session, table, cql);
        List<String> literals = new ArrayList<>();
        for (int i = 0; i < markers.size(); i++) {
            boolean isList = markers.get(i).group(1) != null;
            literals.add(literal(
                    table,
                    cql,
                    types.get(i).getName().asInternal(),
                    types.get(i).getType(),
                    isList,
                    values.get(i),
                    convert));
        }
        StringBuilder text = new StringBuilder();
        int end = 0;
        for (int i = 0; i < markers.size(); i++) {
            MatchResult marker = markers.get(i);
            text.append(cql, end, marker.start(2)).append(literals.get(i));
            end = marker.end();
        }
        return text.append(cql.substring(end)).toString();
    }

    private static ColumnDefinitions types(CqlSession session, TableSchema table, String cql) {
        String statement = "SELECT " + table.partitionKey().get(0).cqlName() + " FROM " + table.cqlName() + " WHERE "
                + cql + (cql.toLowerCase(Locale.ROOT).contains("allow filtering") ? "" : " ALLOW FILTERING");
        try {
            return session.prepare(statement).getVariableDefinitions();
        } catch (DriverException e) {
            throw Failures.ofSpark(e, statement);
        }
    }

    private static String literal(
            TableSchema table,
            String cql,
            String name,
            DataType type,
            boolean isList,
            @Nullable Object value,
            BiFunction<@Nullable Object, DataType, @Nullable Object> convert) {
        try {
            Object converted = convert.apply(value, type);
            if (converted == null) {
                throw new IllegalArgumentException("it is null, and no row has a null there");
            }
            if (isList && type instanceof ListType list && converted instanceof List<?> elements) {
                return elements(list.getElementType(), elements, "(", ")");
            }
            return format(type, converted);
        } catch (ArithmeticException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "[" + table.cqlName() + "] the value " + value + " for " + name + ", "
                            + SparkTypes.cql(type) + ", does not fit: " + e.getMessage()
                            + "; conditions: " + cql,
                    e);
        }
    }

    /** A value as a literal. */
    static String format(DataType type, Object value) {
        if (value instanceof Instant instant) {
            return String.valueOf(instant.toEpochMilli()); // as text, years before the first would be others
        } else if (value instanceof TupleValue tuple) {
            List<DataType> types = tuple.getType().getComponentTypes();
            return components(tuple, types, /* names */ i -> "", "(", ")");
        } else if (value instanceof UdtValue udt) {
            UserDefinedType of = udt.getType();
            return components(
                    udt, of.getFieldTypes(), i -> of.getFieldNames().get(i).asCql(/* pretty */ true) + ": ", "{", "}");
        } else if (type instanceof ListType list && value instanceof List<?> elements) {
            return elements(list.getElementType(), elements, "[", "]");
        } else if (type instanceof SetType set && value instanceof Set<?> elements) {
            return elements(set.getElementType(), elements, "{", "}");
        } else if (type instanceof MapType map && value instanceof Map<?, ?> pairs) {
            return pairs.entrySet().stream()
                    .map(pair -> format(map.getKeyType(), pair.getKey()) + ": "
                            + format(map.getValueType(), pair.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        return CodecRegistry.DEFAULT.codecFor(type, value).format(value);
    }

    private static String elements(DataType type, Collection<?> values, String start, String end) {
        return values.stream().map(value -> format(type, value)).collect(Collectors.joining(", ", start, end));
    }

    /** The driver would write a null as an empty collection. */
    private static String components(
            GettableByIndex value, List<DataType> types, IntFunction<String> name, String start, String end) {
        return IntStream.range(0, types.size())
                .mapToObj(i -> name.apply(i) + (value.isNull(i) ? "null" : format(types.get(i), value.getObject(i))))
                .collect(Collectors.joining(", ", start, end));
    }
}
