package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.type.DataTypes;
import io.overdrive.Overdrive;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.spark.cell.SparkTypes;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.spark.read.Indexes;
import io.overdrive.spark.read.PossibleKeys;
import io.overdrive.spark.read.PushDown;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A DELETE that Cassandra can execute as a whole: of partitions, or of adjacent rows within them. Plans and runs on the
 * driver. Immutable.
 *
 * @param keyValues for each column of the partition key; each combination is a separate statement
 * @param conditions on clustering columns, in CQL
 */
public record Deletion(TableSchema table, List<List<Object>> keyValues, List<String> conditions) {

    /** Whether Cassandra can delete exactly these rows by their keys alone. */
    public static boolean isPossible(TableSchema table, List<Predicate> predicates) {
        return isPossible(PushDown.of(table, Indexes.NONE, Long.MAX_VALUE, predicates));
    }

    private static boolean isPossible(PushDown pushDown) {
        return pushDown.isLookup() && pushDown.left().isEmpty();
    }

    /**
     * @param obstacle why Spark cannot find rows and delete each of them instead; null if it can
     * @throws IllegalArgumentException if Cassandra cannot delete exactly these rows; says what it can delete
     */
    public static Deletion of(TableSchema table, List<Predicate> predicates, @Nullable String obstacle) {
        PushDown pushDown = PushDown.of(table, Indexes.NONE, Long.MAX_VALUE, predicates);
        Map<String, List<Object>> values = pushDown.keyValues();
        if (!isPossible(pushDown)) {
            throw new IllegalArgumentException("[" + table.cqlName() + "] cannot delete where "
                    + predicates.stream().map(Predicate::toString).collect(Collectors.joining(" AND ")) + ": "
                    + String.join(", ", reasons(table, pushDown)) + ". " + whatIsPossible(table)
                    + (obstacle == null ? "" : "; Spark cannot find other rows and delete each: " + obstacle));
        }
        return new Deletion(
                table,
                table.partitionKey().stream()
                        .map(column -> values.getOrDefault(column.name(), List.of()))
                        .toList(),
                pushDown.conditions());
    }

    private static List<String> reasons(TableSchema table, PushDown pushDown) {
        List<String> reasons = table.partitionKey().stream()
                .filter(column -> !isDecimal(column) && !pushDown.keyValues().containsKey(column.name()))
                .map(column -> "there is no = or IN for \"" + column.name() + "\"")
                .collect(Collectors.toCollection(ArrayList::new));
        if (reasons.isEmpty()) {
            pushDown.left().forEach(left -> reasons.add("Cassandra cannot delete by " + left));
        }
        return reasons;
    }

    private static String whatIsPossible(TableSchema table) {
        if (table.partitionKey().stream().anyMatch(Deletion::isDecimal)) {
            return "Of a decimal, equal values like 1.0 and 1.00 are different keys: delete these rows with CQL";
        }
        return "Partitions can be deleted by = or IN for " + names(table.partitionKey())
                + (table.clusteringColumns().isEmpty()
                        ? ""
                        : ", and rows in them by = or IN for the first of " + names(table.clusteringColumns())
                                + " and a range for the next");
    }

    private static boolean isDecimal(Column column) {
        return column.type().equals(DataTypes.DECIMAL);
    }

    private static String names(List<Column> columns) {
        return columns.stream().map(Column::name).collect(Collectors.joining(", "));
    }

    /** Returns when all rows that existed before the call are deleted. */
    public void run(Settings settings) {
        WriteOptions.Builder options = WriteOptions.statement(statement()).bulk();
        settings.setWrites(options::set);
        Overdrive overdrive = SharedEngines.of(settings);
        try (RowWriter writer = overdrive.writer(options.build())) {
            SparkTypes.requireSame(
                    table.cqlName(),
                    table.partitionKey().stream().map(Column::name).toList(),
                    table.partitionKey().stream()
                            .map(column -> SparkTypes.cql(column.type()))
                            .toList(),
                    writer.types());
            PossibleKeys possible = new PossibleKeys(table, keyValues);
            byte[][] key = new byte[keyValues.size()][];
            while (possible.next(key)) {
                RowBuffer row = writer.row();
                for (int i = 0; i < key.length; i++) {
                    row.setBytes(i, key[i], 0, key[i].length);
                }
                writer.send();
            }
        }
    }

    private String statement() {
        List<String> all = new ArrayList<>();
        table.partitionKey().forEach(column -> all.add(column.cqlName() + " = ?"));
        all.addAll(conditions);
        return "DELETE FROM " + table.cqlName() + " WHERE " + String.join(" AND ", all);
    }
}
