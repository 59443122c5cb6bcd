package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.ProtocolConstants.DataType;
import io.overdrive.simulated.Column.Kind;
import io.overdrive.simulated.Statement.Condition;
import io.overdrive.simulated.Statement.Select;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a table of the user, in the order of their tokens: the first column of its key is made of the token, numbers
 * are the row's number, and texts have it. Immutable.
 *
 * @param first of the rows, in the table
 */
record ComputedRows(TokenRows rows, long first, long size) implements SelectedRows {

    static ComputedRows of(Select select, List<@Nullable ByteBuffer> values) {
        TokenRows rows = select.table().rows();
        long first = 0;
        long end = rows.size();
        if (end > 0) { // without rows, no condition matters
            for (Condition condition : select.where()) {
                ComputedRows some = some(rows, select.table(), condition, values);
                first = Math.max(first, some.first);
                end = Math.min(end, some.first + some.size);
            }
        }
        return new ComputedRows(rows, first, Math.max(0, end - first));
    }

    /** The rows that a single condition leaves. */
    private static ComputedRows some(
            TokenRows rows, Table table, Condition condition, List<@Nullable ByteBuffer> values) {
        ByteBuffer value = condition.values().get(0).value(values);
        String column = condition.column();
        if (value == null || condition.values().size() > 1) {
            throw Refusal.notSimulated("condition with IN or null on a table that has rows");
        }
        if (column != null) {
            if (table.column(column).kind() != Kind.PARTITION_KEY
                    || !condition.operator().equals("=")) {
                throw Refusal.notSimulated("condition but on the token, and = on the partition key");
            }
            long row = rows.find(value);
            return row < 0 ? new ComputedRows(rows, 0, 0) : new ComputedRows(rows, row, 1);
        }
        long token = value.getLong(value.position());
        long before = token == Long.MIN_VALUE ? 0 : rows.upTo(token - 1);
        return switch (condition.operator()) {
            case ">" -> from(rows, rows.upTo(token));
            case ">=" -> from(rows, before);
            case "<=" -> new ComputedRows(rows, 0, rows.upTo(token));
            case "<" -> new ComputedRows(rows, 0, before);
            default -> throw Refusal.notSimulated("condition " + condition.operator() + " on the token");
        };
    }

    private static ComputedRows from(TokenRows rows, long first) {
        return new ComputedRows(rows, first, rows.size() - first);
    }

    @Override
    public ByteBuffer cell(long row, Column column) {
        long number = first + row;
        return switch (column.raw().id) {
            case DataType.UUID -> rows.key(number);
            case DataType.BIGINT -> Cells.bigint(number);
            default -> Cells.text("row " + number);
        };
    }

    @Override
    public long token(long row) {
        return rows.token(first + row);
    }
}
