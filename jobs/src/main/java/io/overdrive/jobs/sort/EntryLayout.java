package io.overdrive.jobs.sort;

import com.datastax.oss.driver.api.core.type.DataType;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.TableSchema.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The columns of entries, and their order. Immutable.
 *
 * <p>Columns are counted in the order in which they are read from the table: the whole primary key, then the others that
 * the files fill.
 */
public final class EntryLayout {
    private final List<Column> columns;
    private final KeyOrder order;
    private final int partitionColumns;
    private final int keyColumns;
    private final int[] statics;
    private final int[] regulars;
    private final int[] sources;
    private final int[] staticSources;
    private final boolean hasRows;
    private final boolean hasTimes;

    /**
     * @param filled names of the columns that the files fill, in the order in which they fill them
     * @param filledStatics as {@code filled}, of records that have no row, only the static columns of a partition
     * @param hasTimes whether records have their own write times
     */
    public EntryLayout(
            TableSchema table, KeyOrder order, List<String> filled, List<String> filledStatics, boolean hasTimes) {
        this.order = order;
        this.hasTimes = hasTimes;
        List<Column> all = new ArrayList<>(table.partitionKey());
        partitionColumns = all.size();
        all.addAll(table.clusteringColumns());
        keyColumns = all.size();
        table.columns().stream()
                .filter(c -> !c.isKey() && filled.contains(c.name()))
                .forEach(all::add);
        columns = List.copyOf(all);
        statics = withRole(Role.STATIC);
        regulars = withRole(Role.REGULAR);
        sources = sources(filled);
        staticSources = sources(filledStatics);
        hasRows = IntStream.range(0, keyColumns).allMatch(c -> sources[c] >= 0);
    }

    private int[] sources(List<String> filled) {
        return columns.stream().mapToInt(c -> filled.indexOf(c.name())).toArray();
    }

    private int[] withRole(Role role) {
        return IntStream.range(0, columns.size())
                .filter(c -> columns.get(c).role() == role)
                .toArray();
    }

    public KeyOrder order() {
        return order;
    }

    public int columns() {
        return columns.size();
    }

    public List<String> names() {
        return columns.stream().map(Column::name).toList();
    }

    public DataType type(int column) {
        return columns.get(column).type();
    }

    public String name(int column) {
        return columns.get(column).name();
    }

    public int partitionColumns() {
        return partitionColumns;
    }

    /** The number of columns of the primary key. */
    public int keyColumns() {
        return keyColumns;
    }

    /** The number of columns of the key of an entry. */
    int keyColumns(boolean ofStatics) {
        return ofStatics ? partitionColumns : keyColumns;
    }

    /** The columns besides the key that an entry has. */
    public int[] values(boolean ofStatics) {
        return ofStatics ? statics : regulars;
    }

    /** The column of the files' rows that fills each column; negative if none does. */
    int[] sources() {
        return sources;
    }

    /** As {@link #sources}, of records that have no row, only the static columns of a partition. */
    int[] staticSources() {
        return staticSources;
    }

    /** Whether the files have rows; else they have only static columns of partitions. */
    public boolean hasRows() {
        return hasRows;
    }

    /** Whether records have their own write times, which then decide which of two records with one key wins. */
    public boolean hasTimes() {
        return hasTimes;
    }
}
