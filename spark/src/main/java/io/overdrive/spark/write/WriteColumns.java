package io.overdrive.spark.write;

import com.datastax.oss.driver.api.core.CqlIdentifier;
import com.datastax.oss.driver.api.core.type.ListType;
import io.overdrive.CollectionChange;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.spark.cell.ColumnNames;
import io.overdrive.spark.config.Setting;
import io.overdrive.spark.config.Settings;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Where each field of Spark's rows goes: into a column, or into the time to live or the write time of its row. Plans
 * (on the driver) and travels to the executors. Immutable.
 *
 * @param names of the columns to write, as the table has them
 * @param fields for each of these columns, the index of its field in Spark's rows
 * @param ttl of all rows or of each row, in seconds
 * @param writeTime likewise, in microseconds since 1970; if not set, the connector assigns it
 * @param changes changes to collections that are not replaced, by column
 * @param counts whether the columns are counters
 * @param repeatable whether a row may be written twice
 * @param deletes whether the columns, which are the first ones of the primary key, name rows to delete
 * @param cellsOnly whether rows get no row marker
 */
public record WriteColumns(
        List<String> names,
        List<Integer> fields,
        RowTime ttl,
        RowTime writeTime,
        Map<String, CollectionChange> changes,
        boolean counts,
        boolean repeatable,
        boolean deletes,
        boolean cellsOnly)
        implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int NO_FIELD = -1;

    /**
     * A constant for all rows, or the field that contains each row's value, or neither.
     *
     * @param field index in Spark's rows, or -1
     */
    record RowTime(@Nullable Long constant, int field) implements Serializable {
        private static final long serialVersionUID = 1;

        boolean isSet() {
            return constant != null || field != NO_FIELD;
        }

        boolean isField() {
            return field != NO_FIELD;
        }

        /** Time to live with which rows do not expire, also in a table whose rows do by default. */
        private static final String FOREVER = "forever";

        /** A whole number is a constant, with 0 for none; anything else is the name of a field. */
        static RowTime of(Settings settings, Setting setting, TableSchema table, List<String> fields) {
            String value = settings.find(setting);
            if (value == null) {
                return new RowTime(null, NO_FIELD);
            }
            if (value.strip().matches("[+-]?\\d+")) {
                long constant = settings.number(setting);
                return new RowTime(constant == 0 ? null : constant, NO_FIELD);
            }
            int field = ColumnNames.indexOf(value, fields);
            if (field < 0 && setting == Setting.TTL && value.strip().equalsIgnoreCase(FOREVER)) {
                return new RowTime(0L, NO_FIELD);
            }
            if (field < 0) {
                throw new IllegalArgumentException("[" + table.cqlName() + "] option \"" + setting.option + "\" is \""
                        + value + "\", which is neither a whole number nor one of the columns to write: "
                        + ColumnNames.quoted(fields));
            }
            return new RowTime(null, field);
        }
    }

    /**
     * Matches Spark's columns with those of the table by name: exactly, or else ignoring letter case.
     *
     * @throws IllegalArgumentException if a column is unknown, or a key column is missing
     */
    public static WriteColumns of(Settings settings, TableSchema table, StructType schema) {
        return of(settings, table, Arrays.asList(schema.fieldNames()));
    }

    /**
     * Matches by position, as SQL does for an INSERT without column names. The order follows Cassandra's metadata,
     * which may differ from CREATE TABLE, so a query that looks like a mistake is refused.
     *
     * @throws IllegalArgumentException if there are more or fewer columns than the table has, or one has the name of
     *     another column of the table
     */
    public static WriteColumns inOrder(Settings settings, TableSchema table, StructType schema) {
        List<String> columnNames = table.columns().stream().map(Column::name).toList();
        List<String> fieldNames = Arrays.asList(schema.fieldNames());
        int ttl = RowTime.of(settings, Setting.TTL, table, fieldNames).field;
        int writeTime = RowTime.of(settings, Setting.WRITE_TIME, table, fieldNames).field;
        List<String> inOrder = new ArrayList<>();
        List<String> given = new ArrayList<>();
        for (int i = 0; i < fieldNames.size(); i++) {
            boolean isTime = i == ttl || i == writeTime;
            if (!isTime) {
                given.add(fieldNames.get(i));
            }
            inOrder.add(
                    isTime || given.size() > columnNames.size()
                            ? fieldNames.get(i)
                            : columnNames.get(given.size() - 1));
        }
        boolean isMistake = given.size() != columnNames.size();
        for (int i = 0; i < given.size(); i++) {
            int named = ColumnNames.indexOf(given.get(i), columnNames);
            isMistake |= named >= 0 && named != i;
        }
        if (isMistake) {
            throw new IllegalArgumentException("[" + table.cqlName()
                    + "] an INSERT without column names must have the columns "
                    + ColumnNames.quoted(columnNames) + " in this order, got " + ColumnNames.quoted(given)
                    + ": name the columns, INSERT INTO table (column, …) …, or write INSERT INTO table BY NAME …");
        }
        return of(settings, table, inOrder);
    }

    /**
     * As {@link #of(Settings, TableSchema, StructType)}, for rows with these fields.
     *
     * @throws IllegalArgumentException if a field is no column, or a key column is missing
     */
    static WriteColumns of(Settings settings, TableSchema table, List<String> fieldNames) {
        List<String> columnNames = table.columns().stream().map(Column::name).toList();
        RowTime ttl = RowTime.of(settings, Setting.TTL, table, fieldNames);
        RowTime writeTime = RowTime.of(settings, Setting.WRITE_TIME, table, fieldNames);
        List<String> names = new ArrayList<>();
        List<Integer> fields = new ArrayList<>();
        for (int i = 0; i < fieldNames.size(); i++) {
            if (i == ttl.field || i == writeTime.field) {
                continue;
            }
            int column = ColumnNames.indexOf(fieldNames.get(i), columnNames);
            if (column < 0) {
                throw new IllegalArgumentException("[" + table.cqlName() + "] has no column \"" + fieldNames.get(i)
                        + "\"; its columns are " + ColumnNames.quoted(columnNames)
                        + ". Columns are matched by name: rename it, or drop it");
            }
            int before = names.indexOf(columnNames.get(column));
            if (before >= 0) {
                throw new IllegalArgumentException("[" + table.cqlName() + "] column \"" + columnNames.get(column)
                        + "\" would be written from two columns of the query, \"" + fieldNames.get(fields.get(before))
                        + "\" and \""
                        + fieldNames.get(i) + "\": drop one");
            }
            names.add(columnNames.get(column));
            fields.add(i);
        }
        checkKey(table, names, fieldNames);
        Map<String, CollectionChange> changes = changes(settings, table, names);
        boolean addsToLists = changes.entrySet().stream()
                .anyMatch(change -> change.getValue() != CollectionChange.REMOVE
                        && column(table, change.getKey()).type() instanceof ListType);
        return new WriteColumns(
                List.copyOf(names),
                List.copyOf(fields),
                ttl,
                writeTime,
                changes,
                table.isCounter(),
                !table.isCounter() && !addsToLists,
                /* deletes */ false,
                /* cellsOnly */ false);
    }

    /**
     * Columns of keys to delete: each row deletes the partition, the rows with the same first clustering columns, or
     * the row that it names.
     *
     * @throws IllegalArgumentException if these are not the whole partition key and the first clustering columns
     */
    public static WriteColumns ofKeys(Settings settings, TableSchema table, StructType schema) {
        List<String> fieldNames = Arrays.asList(schema.fieldNames());
        RowTime writeTime = RowTime.of(settings, Setting.WRITE_TIME, table, fieldNames);
        List<String> names = new ArrayList<>();
        List<Integer> fields = new ArrayList<>();
        for (Column column : table.columns()) {
            int field = ColumnNames.indexOf(column.name(), fieldNames);
            if (field < 0 || !column.isKey()) {
                break;
            }
            names.add(column.name());
            fields.add(field);
        }
        int others = writeTime.isField() ? 1 : 0;
        if (names.size() < table.partitionKey().size() || names.size() + others != fieldNames.size()) {
            throw new IllegalArgumentException("[" + table.cqlName() + "] cannot delete by columns "
                    + ColumnNames.quoted(fieldNames) + ": option \"" + Setting.DELETE.option
                    + "\" needs the whole partition key, "
                    + ColumnNames.quoted(
                            table.partitionKey().stream().map(Column::name).toList())
                    + (table.clusteringColumns().isEmpty()
                            ? ""
                            : ", maybe followed by the first of the clustering columns "
                                    + ColumnNames.quoted(table.clusteringColumns().stream()
                                            .map(Column::name)
                                            .toList()))
                    + ", and no other columns: select them");
        }
        return new WriteColumns(
                List.copyOf(names),
                List.copyOf(fields),
                new RowTime(null, NO_FIELD),
                writeTime,
                Map.of(),
                table.isCounter(),
                /* repeatable */ true,
                /* deletes */ true,
                /* cellsOnly */ false);
    }

    /**
     * The columns of a row of the whole table that are written, each as a whole.
     *
     * @param wanted includes the primary key
     */
    static WriteColumns ofRow(Settings settings, TableSchema table, StructType schema, Set<String> wanted) {
        List<String> fieldNames = Arrays.asList(schema.fieldNames());
        List<String> names = new ArrayList<>();
        List<Integer> fields = new ArrayList<>();
        for (int i = 0; i < fieldNames.size(); i++) {
            if (wanted.contains(fieldNames.get(i))) {
                names.add(fieldNames.get(i));
                fields.add(i);
            }
        }
        return new WriteColumns(
                List.copyOf(names),
                List.copyOf(fields),
                RowTime.of(settings, Setting.TTL, table, fieldNames),
                RowTime.of(settings, Setting.WRITE_TIME, table, fieldNames),
                Map.of(),
                /* counts */ false,
                /* repeatable */ true,
                /* deletes */ false,
                /* cellsOnly */ false);
    }

    /** The same columns of rows that exist, without a new row marker. */
    WriteColumns withoutMarker() {
        return new WriteColumns(
                names, fields, ttl, writeTime, changes, counts, repeatable, deletes, /* cellsOnly */ true);
    }

    private static Map<String, CollectionChange> changes(Settings settings, TableSchema table, List<String> names) {
        Map<String, CollectionChange> changes = new HashMap<>();
        for (String part : settings.get(Setting.COLLECTIONS).split(",", -1)) {
            String[] pair = part.split("=", 2);
            if (part.isBlank()) {
                continue;
            }
            int column = ColumnNames.indexOf(pair[0].strip(), names);
            if (column < 0) {
                throw new IllegalArgumentException("[" + table.cqlName() + "] option \"" + Setting.COLLECTIONS.option
                        + "\" names column \"" + pair[0].strip() + "\", which is not written; written columns are "
                        + ColumnNames.quoted(names));
            }
            String how = pair.length < 2 ? "" : pair[1].strip().toLowerCase(Locale.ROOT);
            switch (how) {
                case "append", "add" -> changes.put(names.get(column), CollectionChange.ADD);
                case "prepend" -> changes.put(names.get(column), CollectionChange.PREPEND);
                case "remove" -> changes.put(names.get(column), CollectionChange.REMOVE);
                case "overwrite" -> {}
                default ->
                    throw Settings.wrong(
                            Setting.COLLECTIONS, part.strip(), "column=append, prepend, remove or overwrite");
            }
        }
        return Map.copyOf(changes);
    }

    /** Checks that the key is complete; without the clustering columns, only static columns can be written. */
    private static void checkKey(TableSchema table, List<String> names, List<String> fieldNames) {
        boolean statics = names.stream().anyMatch(name -> role(table, name) == TableSchema.Role.STATIC);
        boolean others = names.stream()
                .anyMatch(name -> role(table, name) == TableSchema.Role.REGULAR
                        || role(table, name) == TableSchema.Role.CLUSTERING);
        List<Column> key = statics && !others
                ? table.partitionKey()
                : table.columns().stream().filter(Column::isKey).toList();
        List<String> missing = key.stream()
                .map(Column::name)
                .filter(name -> !names.contains(name))
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("[" + table.cqlName() + "] primary key column "
                    + ColumnNames.quoted(missing)
                    + " is missing: every row needs it. Columns to write: " + ColumnNames.quoted(fieldNames)
                    + "; the primary key is "
                    + ColumnNames.quoted(table.columns().stream()
                            .filter(Column::isKey)
                            .map(Column::name)
                            .toList()));
        }
    }

    private static TableSchema.Role role(TableSchema table, String name) {
        return column(table, name).role();
    }

    static Column column(TableSchema table, String name) {
        return table.column(name).orElseThrow();
    }

    /** The server sets the write time of counters. */
    boolean hasTimeMarker() {
        return deletes && !counts;
    }

    /** The marker of the first column in the statement. */
    int firstMarker() {
        return hasTimeMarker() ? 1 : 0;
    }

    /** @param table in CQL */
    String deletion(String table) {
        return "DELETE FROM " + table + (hasTimeMarker() ? " USING TIMESTAMP ?" : "") + " WHERE "
                + names.stream()
                        .map(name -> CqlIdentifier.fromInternal(name).asCql(/* pretty */ true) + " = ?")
                        .collect(Collectors.joining(" AND "));
    }

    /** Sets the columns, their changes, and the rows' times in the options of a writer. */
    void set(WriteOptions.Builder options) {
        options.columns(names);
        changes.forEach(options::change);
        if (cellsOnly) {
            options.cellsOnly();
        }
        if (ttl.isField()) {
            options.rowTtl();
        } else if (ttl.constant != null) {
            options.ttl(Math.toIntExact(ttl.constant));
        }
        if (writeTime.isSet()) {
            options.rowTimestamp();
        }
    }

    /** The index of the field that goes into a column. */
    int fieldOf(String column) {
        return fields.get(names.indexOf(column));
    }
}
