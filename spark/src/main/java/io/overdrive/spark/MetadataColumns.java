package io.overdrive.spark;

import io.overdrive.TableSchema;
import io.overdrive.spark.cell.ColumnNames;
import io.overdrive.spark.cell.ElementTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.connector.catalog.MetadataColumn;
import org.apache.spark.sql.types.DataTypes;

/**
 * The columns {@code ttl(c)} and {@code writetime(c)} of each column outside the primary key. For collections and UDTs
 * that are not frozen they are arrays, with one value for each element. Plans (on the driver). Stateless.
 */
final class MetadataColumns {
    private static final List<String> FUNCTIONS = List.of("ttl", "writetime");

    private MetadataColumns() {}

    /** Name of the metadata column. */
    static String name(String function, String column) {
        return function + "(" + column + ")";
    }

    static MetadataColumn[] of(TableSchema table) {
        List<MetadataColumn> columns = new ArrayList<>();
        if (!table.isCounter()) {
            for (TableSchema.Column column : table.columns()) {
                if (!column.isKey()) {
                    columns.add(new Times("ttl", column, DataTypes.IntegerType));
                    columns.add(new Times("writetime", column, DataTypes.LongType));
                }
            }
        }
        return columns.toArray(new MetadataColumn[0]);
    }

    /**
     * Columns that the read options {@code ttl.<column>=<name>} and {@code writetime.<column>=<name>} add to the table.
     *
     * @return the columns by the names given to them
     * @throws IllegalArgumentException if there is no such column, it has no times, or the name is taken
     */
    static Map<String, MetadataColumn> named(Map<String, String> options, TableSchema table) {
        Map<String, MetadataColumn> named = new LinkedHashMap<>();
        List<String> names =
                table.columns().stream().map(TableSchema.Column::name).toList();
        for (String function : FUNCTIONS) {
            new TreeMap<>(options).forEach((option, name) -> {
                if (!option.regionMatches(/* ignoreCase */ true, 0, function + ".", 0, function.length() + 1)) {
                    return;
                }
                int column = ColumnNames.indexOf(option.substring(function.length() + 1), names);
                String wanted = column < 0 ? "" : name(function, names.get(column));
                MetadataColumn found = Arrays.stream(of(table))
                        .filter(metadata -> metadata.name().equals(wanted))
                        .findAny()
                        .orElseThrow(() -> new IllegalArgumentException("option \"" + option + "\": table "
                                + table.cqlName() + " has no such column outside the primary key; columns with a "
                                + function + " are "
                                + ColumnNames.quoted(table.columns().stream()
                                        .filter(each -> !table.isCounter() && !each.isKey())
                                        .map(TableSchema.Column::name)
                                        .toList())));
                if (ColumnNames.indexOf(name, names) >= 0 || named.put(name, found) != null) {
                    throw new IllegalArgumentException("option \"" + option + "\" names a column \"" + name
                            + "\", which table " + table.cqlName() + " already has: choose another name");
                }
            });
        }
        return named;
    }

    private record Times(String name, org.apache.spark.sql.types.DataType dataType) implements MetadataColumn {
        Times(String function, TableSchema.Column column, org.apache.spark.sql.types.DataType one) {
            this(
                    MetadataColumns.name(function, column.name()),
                    ElementTypes.hasElements(column.type()) ? DataTypes.createArrayType(one) : one);
        }

        @Override
        public boolean isNullable() {
            return true;
        }
    }
}
