package io.overdrive.spark.read;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import io.overdrive.spark.cell.SparkTypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.Literal;
import org.apache.spark.sql.connector.expressions.NamedReference;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.Decimal;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of Spark's conditions Cassandra evaluates, completely and as Spark would, without a request to the
 * cluster. Plans (on the driver). Immutable.
 *
 * <ul>
 *   <li>The partition key: all of its columns by {@code =} or {@code IN}, which form a list of keys to look up, or
 *       none.
 *   <li>Clustering columns in order: {@code =} or {@code IN}, then ranges, or how text starts, on the next column.
 *   <li>Regular columns: {@code =}, ranges and how text starts, if an index answers at least one condition.
 *   <li>Parts of the key and static columns: {@code =} and ranges, if they have an SAI index that answers them.
 *   <li>Ranges of {@code timeuuid}, which only Cassandra orders by time.
 *   <li>For each column {@code =}, or else {@code IN}, or else how text starts, or else a lower and an upper bound.
 * </ul>
 *
 * <p>Conditions on elements of collections ({@link ElementConditions}) only spare Spark rows that it would drop.
 *
 * @param pushed predicates that Cassandra evaluates
 * @param left predicates that Spark must evaluate
 * @param keyValues values of the columns of the partition key that have {@code =} or {@code IN}, by column name
 * @param isLookup whether these cover the whole partition key and are looked up
 * @param clustering conditions on clustering columns, in their order
 * @param others further conditions in CQL, which indexes answer, without those on a partition key that is looked up
 * @param byPartOfKey whether some of these are on parts of the partition key, which rules out lookups
 */
public record PushDown(
        List<Predicate> pushed,
        List<Predicate> left,
        Map<String, List<Object>> keyValues,
        boolean isLookup,
        List<Condition> clustering,
        List<String> others,
        boolean byPartOfKey) {
    static final PushDown NOTHING = new PushDown(
            List.of(), List.of(), Map.of(), /* isLookup */ false, List.of(), List.of(), /* byPartOfKey */ false);

    private static final Set<String> RANGES = Set.of("<", "<=", ">", ">=");
    private static final String IS_NOT_NULL = "IS_NOT_NULL";
    private static final String STARTS_WITH = "STARTS_WITH";
    /** Maximum number of IN values pushed into one statement. */
    private static final int MAX_LISTED = 1000;

    private static final int MAX_SHOWN = 20;

    /**
     * A predicate in terms of CQL.
     *
     * @param operator of CQL, or {@code STARTS_WITH}, which has two values: the first text, and the one after the last
     */
    record Condition(Predicate predicate, Column column, String operator, List<Object> values) {
        /** One bound of a range, or both of a beginning of text. */
        List<Bound> bounds() {
            if (isList()) {
                return List.of();
            }
            return isStart()
                    ? List.of(
                            new Bound(compared(">=", values.get(0)), /* isLower */ true),
                            new Bound(compared("<", values.get(1)), /* isLower */ false))
                    : List.of(new Bound(cql(), operator.startsWith(">")));
        }

        boolean isAnsweredBy(Indexes indexes) {
            return !isIn()
                    && !values.isEmpty()
                    && (operator.equals("=") ? indexes.equality() : indexes.ranges()).contains(column.name());
        }

        boolean isList() {
            return operator.equals("=") || isIn();
        }

        boolean isIn() {
            return operator.equals("IN");
        }

        boolean isStart() {
            return operator.equals(STARTS_WITH);
        }

        String cql() {
            if (isIn()) {
                return column.cqlName() + " IN (" + joined(column, values) + ")";
            }
            return isStart()
                    ? bounds().stream().map(Bound::cql).collect(Collectors.joining(" AND "))
                    : compared(operator, values.get(0));
        }

        private String compared(String by, Object value) {
            return column.cqlName() + " " + by + " " + Literals.cql(column.type(), value);
        }
    }

    /** A condition in CQL that values are at least, or at most, another one. */
    record Bound(String cql, boolean isLower) {}

    /** The conditions in CQL, without those on a partition key that is looked up. */
    public List<String> conditions() {
        return Stream.concat(clustering.stream().map(Condition::cql), others.stream())
                .toList();
    }

    private static String joined(Column column, List<Object> values) {
        return values.stream().map(value -> Literals.cql(column.type(), value)).collect(Collectors.joining(", "));
    }

    /** The values of a key column, for EXPLAIN. */
    static String describe(Column column, List<Object> values) {
        String name = column.cqlName();
        if (values.size() == 1) {
            return name + " = " + joined(column, values);
        }
        boolean isLong = values.size() > MAX_SHOWN;
        return name + " IN (" + joined(column, isLong ? values.subList(0, MAX_SHOWN) : values)
                + (isLong ? ", ... " + values.size() + " values)" : ")");
    }

    /** @param maxKeys maximum number of keys to look up; for more, a scan is better */
    public static PushDown of(TableSchema table, Indexes indexes, long maxKeys, List<Predicate> predicates) {
        return of(table, indexes, maxKeys, predicates, /* elements */ List.of());
    }

    /**
     * @param maxKeys maximum number of keys to look up; for more, a scan is better
     * @param elements conditions on elements of collections in CQL, which indexes answer, and Spark evaluates as well
     */
    static PushDown of(
            TableSchema table, Indexes indexes, long maxKeys, List<Predicate> predicates, List<String> elements) {
        Map<String, List<Condition>> byColumn = new LinkedHashMap<>();
        for (Predicate predicate : predicates) {
            Condition condition = condition(table, predicate);
            if (condition != null) {
                byColumn.computeIfAbsent(condition.column.name(), name -> new ArrayList<>())
                        .add(condition);
            }
        }
        byColumn.replaceAll((name, conditions) -> chosen(conditions));
        byColumn.values().removeIf(indexes::mayMiss);
        List<Condition> pushed = new ArrayList<>();

        Map<String, List<Object>> keyValues = new HashMap<>();
        for (Column column : table.partitionKey()) {
            List<Condition> conditions = byColumn.getOrDefault(column.name(), List.of());
            // 1.0 and 1.00 are equal, but different keys.
            if (!conditions.isEmpty()
                    && conditions.get(0).isList()
                    && !column.type().equals(DataTypes.DECIMAL)) {
                keyValues.put(column.name(), conditions.get(0).values);
            }
        }
        boolean isLookup = keyValues.size() == table.partitionKey().size() && keys(keyValues.values()) <= maxKeys;
        if (isLookup) {
            keyValues.keySet().forEach(name -> pushed.addAll(byColumn.getOrDefault(name, List.of())));
        }

        List<Condition> clustering = clustering(table, indexes, byColumn);
        if (isLookup) {
            byColumn.keySet().removeAll(keyValues.keySet());
        }
        List<String> others = new ArrayList<>();
        if (!isLookup || keys(keyValues.values()) == 1) {
            List<Condition> byIndex = others(table, indexes, byColumn, clustering, !elements.isEmpty());
            pushed.addAll(byIndex);
            byIndex.forEach(condition -> others.add(condition.cql()));
            others.addAll(elements);
        }
        pushed.addAll(clustering);
        Set<Predicate> evaluated = pushed.stream()
                .filter(condition -> isExact(condition, indexes, isLookup))
                .map(Condition::predicate)
                .collect(Collectors.toSet());
        return split(predicates, pushed, evaluated, keyValues, isLookup, clustering, others);
    }

    /** An SAI index takes an IPv4 address in 16 bytes for the one in 4 bytes: Spark, to which they differ, evaluates the condition as well. */
    private static boolean isExact(Condition condition, Indexes indexes, boolean isLookup) {
        Column column = condition.column;
        return !column.type().equals(DataTypes.INET)
                || !indexes.equality().contains(column.name())
                || (isLookup && column.role() == Role.PARTITION_KEY);
    }

    private static PushDown split(
            List<Predicate> predicates,
            List<Condition> pushed,
            Set<Predicate> evaluated,
            Map<String, List<Object>> keyValues,
            boolean isLookup,
            List<Condition> clustering,
            List<String> others) {
        Set<String> withoutNull =
                pushed.stream().map(condition -> condition.column.name()).collect(Collectors.toSet());
        List<Predicate> done = new ArrayList<>();
        List<Predicate> left = new ArrayList<>();
        for (Predicate predicate : predicates) {
            boolean isImplied = predicate.name().equals(IS_NOT_NULL)
                    && predicate.children().length == 1
                    && withoutNull.contains(String.valueOf(column(predicate.children()[0])));
            (isImplied || evaluated.contains(predicate) ? done : left).add(predicate);
        }
        boolean byPartOfKey =
                !isLookup && pushed.stream().anyMatch(condition -> condition.column.role() == Role.PARTITION_KEY);
        return new PushDown(
                done, left, Map.copyOf(keyValues), isLookup, List.copyOf(clustering), List.copyOf(others), byPartOfKey);
    }

    /** The number of combinations of these values; {@code Long.MAX_VALUE} if it exceeds 10^18. */
    static long keys(Collection<List<Object>> values) {
        double product = 1;
        for (List<Object> each : values) {
            product *= each.size();
        }
        return product > 1e18 ? Long.MAX_VALUE : (long) product;
    }

    /**
     * Equality if there is one, the shorter of two lists, or else how text starts, or else a range. A range without a lower bound would include
     * empty values, which sort before all others in Cassandra and are null in Spark, so it gets the minimum as one.
     */
    private static List<Condition> chosen(List<Condition> conditions) {
        Condition list = null;
        Condition start = null;
        Condition from = null;
        Condition to = null;
        for (Condition each : conditions) {
            if (each.isList()) {
                list = list == null || each.values.size() < list.values.size() ? each : list;
            } else if (each.isStart()) {
                start = start == null ? each : start;
            } else if (each.operator.startsWith(">")) {
                from = from == null ? each : from;
            } else {
                to = to == null ? each : to;
            }
        }
        if (list != null) {
            return List.of(list);
        }
        if (start != null) {
            return List.of(start);
        }
        List<Condition> range = new ArrayList<>();
        if (from != null) {
            range.add(from);
        } else if (to != null && Literals.canBeEmpty(to.column.type())) {
            Object min = Literals.min(to.column.type());
            if (min == null) {
                return range;
            }
            range.add(new Condition(to.predicate, to.column, ">=", List.of(min)));
        }
        if (to != null) {
            range.add(to);
        }
        return range;
    }

    private static List<Condition> clustering(
            TableSchema table, Indexes indexes, Map<String, List<Condition>> byColumn) {
        List<Condition> pushed = new ArrayList<>();
        for (Column column : table.clusteringColumns()) {
            List<Condition> conditions = byColumn.getOrDefault(column.name(), List.of());
            if (conditions.isEmpty() || indexes.unclear().contains(column.name())) {
                break;
            }
            Condition first = conditions.get(0);
            if (first.isList() && (first.values.isEmpty() || first.values.size() > MAX_LISTED)) {
                break;
            }
            pushed.addAll(conditions);
            if (!first.isList()) {
                break;
            }
        }
        return pushed;
    }

    /**
     * @param clustering is cut at its first list if an index is used: the server does not accept both
     * @param usesIndex whether one is used in any case
     */
    private static List<Condition> others(
            TableSchema table,
            Indexes indexes,
            Map<String, List<Condition>> byColumn,
            List<Condition> clustering,
            boolean usesIndex) {
        List<Condition> pushed = new ArrayList<>();
        boolean answered = usesIndex;
        for (Column column : table.columns()) {
            if (indexes.unclear().contains(column.name())) {
                continue;
            }
            for (Condition condition : byColumn.getOrDefault(column.name(), List.of())) {
                boolean isAnswered = condition.isAnsweredBy(indexes);
                boolean comesAlong = column.role() == Role.REGULAR && !condition.isIn();
                if ((isAnswered || comesAlong) && !clustering.contains(condition)) {
                    pushed.add(condition);
                    answered |= isAnswered;
                }
            }
        }
        if (!answered) {
            return List.of();
        }
        for (int i = 0; i < clustering.size(); i++) {
            if (clustering.get(i).isIn()) {
                clustering.subList(i, clustering.size()).clear();
            }
        }
        return pushed;
    }

    /**
     * Refuses ranges of timeuuids that Cassandra does not evaluate: for Spark they are text, which begins with the low bits of the time.
     *
     * @param left filters that Spark would evaluate
     * @throws IllegalArgumentException says which column it is
     */
    static void requireNoRangeOfTimeuuids(TableSchema table, Collection<Predicate> left) {
        for (Predicate predicate : left) {
            String name = comparedTimeuuid(table, predicate);
            if (name != null) {
                throw new IllegalArgumentException("[" + table.cqlName() + "] timeuuids of column \"" + name
                        + "\" have the order of their times only in Cassandra, which cannot evaluate \"" + predicate
                        + "\", and Spark would compare their text: compare a clustering column, after = for all before it, with"
                        + " timeuuids in lower case, or compare concat(" + name + ", '') if you mean the text");
            }
        }
    }

    private static @Nullable String comparedTimeuuid(TableSchema table, Expression expression) {
        boolean isRange = expression instanceof Predicate predicate && RANGES.contains(predicate.name());
        for (Expression part : expression.children()) {
            String name = isRange ? column(part) : null;
            boolean isTimeuuid = name != null
                    && table.column(name)
                            .filter(column -> column.type().equals(DataTypes.TIMEUUID))
                            .isPresent();
            String found = isTimeuuid ? name : comparedTimeuuid(table, part);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** Null if CQL has no equivalent. */
    private static @Nullable Condition condition(TableSchema table, Predicate predicate) {
        Expression[] parts = predicate.children();
        // A join without keys has an empty list.
        if (parts.length < (predicate.name().equals("IN") ? 1 : 2)) {
            return null;
        }
        boolean isFlipped = parts.length == 2
                && parts[0] instanceof Literal
                && !predicate.name().equals(STARTS_WITH);
        String operator = isFlipped ? flipped(predicate.name()) : predicate.name();
        String name = column(parts[isFlipped ? 1 : 0]);
        Column column = name == null ? null : table.column(name).orElse(null);
        if (column == null) {
            return null;
        }
        List<Object> literals = new ArrayList<>();
        for (int i = isFlipped ? 0 : 1; i < (isFlipped ? 1 : parts.length); i++) {
            if (!(parts[i] instanceof Literal<?> literal)) {
                return null;
            }
            if (literal.value() != null) {
                literals.add(literal.value());
            } else if (!operator.equals("IN")) {
                return null;
            }
        }
        return switch (operator) {
            case "=", "<=>" -> list(predicate, column, "=", literals);
            case "IN" -> list(predicate, column, "IN", literals);
            case ">", "<=" -> range(predicate, column, operator, literals.get(0), /* up */ false);
            case "<", ">=" -> range(predicate, column, operator, literals.get(0), /* up */ true);
            case STARTS_WITH -> start(predicate, column, literals.get(0));
            default -> null;
        };
    }

    private static String flipped(String operator) {
        return switch (operator) {
            case "<" -> ">";
            case "<=" -> ">=";
            case ">" -> "<";
            case ">=" -> "<=";
            default -> operator;
        };
    }

    /** Name of a column; null for a part of a column and for any other expression. */
    private static @Nullable String column(Expression expression) {
        return expression instanceof NamedReference reference && reference.fieldNames().length == 1
                ? reference.fieldNames()[0]
                : null;
    }

    private static @Nullable Condition list(
            Predicate predicate, Column column, String operator, List<Object> literals) {
        Set<Object> values = new LinkedHashSet<>();
        for (Object literal : literals) {
            Object value = Literals.equal(column.type(), literal);
            // Only keys have a maximum length.
            if (value == null || (value == Literals.NOTHING && !column.isKey())) {
                return null;
            }
            if (value != Literals.NOTHING) {
                values.add(value);
            }
        }
        boolean isKey = column.role() == Role.PARTITION_KEY;
        if (values.isEmpty() && !isKey) {
            return null;
        }
        return new Condition(predicate, column, values.size() == 1 ? "=" : operator, List.copyOf(values));
    }

    private static @Nullable Condition start(Predicate predicate, Column column, Object literal) {
        if (column.role() == Role.PARTITION_KEY) {
            return null;
        }
        Object first = Literals.equal(column.type(), literal);
        Object end = first instanceof String text ? Literals.afterAllThatStartWith(text) : null;
        return first == null || end == null ? null : new Condition(predicate, column, STARTS_WITH, List.of(first, end));
    }

    private static @Nullable Condition range(
            Predicate predicate, Column column, String operator, Object literal, boolean up) {
        boolean hasSameOrder =
                SparkTypes.haveSameOrder(column.type()) || column.type().equals(DataTypes.TIMEUUID);
        boolean isVarintAsText = column.type().equals(DataTypes.VARINT) && !(literal instanceof Decimal);
        if (!hasSameOrder || isVarintAsText) {
            return null;
        }
        Object value = Literals.equal(column.type(), Literals.rounded(column.type(), literal, up));
        return value == null || value == Literals.NOTHING
                ? null
                : new Condition(predicate, column, operator, List.of(value));
    }
}
