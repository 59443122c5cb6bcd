package io.overdrive.simulated;

import io.overdrive.simulated.Statement.Condition;
import io.overdrive.simulated.Statement.Select;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Rows of a table of Cassandra's own. Immutable. */
record ListedRows(List<String> columns, List<List<@Nullable ByteBuffer>> rows) implements SelectedRows {

    static ListedRows of(SimulatedNode node, Select select, List<@Nullable ByteBuffer> values) {
        Table table = select.table();
        List<String> columns = List.copyOf(table.columns().keySet());
        List<List<@Nullable ByteBuffer>> rows = Objects.requireNonNull(table.systemRows()).apply(node).stream()
                .filter(row -> select.where().stream().allMatch(each -> holds(each, row, columns, values)))
                .toList();
        return new ListedRows(columns, rows);
    }

    private static boolean holds(
            Condition condition,
            List<@Nullable ByteBuffer> row,
            List<String> columns,
            List<@Nullable ByteBuffer> values) {
        String column = condition.column();
        boolean isEqual =
                condition.operator().equals("=") || condition.operator().equals("in");
        if (column == null || !isEqual) {
            throw Refusal.notSimulated("condition but = and IN on a table of the system");
        }
        ByteBuffer cell = row.get(columns.indexOf(column));
        return condition.values().stream().anyMatch(term -> Objects.equals(term.value(values), cell));
    }

    @Override
    public long size() {
        return rows.size();
    }

    @Override
    public @Nullable ByteBuffer cell(long row, Column column) {
        return rows.get((int) row).get(columns.indexOf(column.name()));
    }

    @Override
    public long token(long row) {
        throw Refusal.notSimulated("token in a table of the system");
    }
}
