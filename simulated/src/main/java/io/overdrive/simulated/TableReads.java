package io.overdrive.simulated;

import com.datastax.oss.protocol.internal.request.query.QueryOptions;
import com.datastax.oss.protocol.internal.response.Result;
import com.datastax.oss.protocol.internal.response.result.DefaultRows;
import com.datastax.oss.protocol.internal.response.result.RowsMetadata;
import io.overdrive.simulated.Statement.Select;
import io.overdrive.simulated.Statement.Selector;
import io.overdrive.simulated.Statement.Selector.Kind;
import io.overdrive.simulated.Statement.Term;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads a page of a table: of a table of the user, rows that are computed, in the order of their tokens; of a table of Cassandra's own, rows
 * that it lists. Its paging state is the number of the row that follows. Stateless.
 */
final class TableReads {
    private static final int[] NO_KEY = {};
    /** Rows in the answer to a request without a page size. */
    private static final int MAX_ROWS = 100_000;

    /** The write time of each cell that is computed, in microseconds since 1970. */
    private static final long WRITE_TIME = 1_700_000_000_000_000L;

    /** Time from the epoch of UUIDs to 1970. */
    private static final long UUID_EPOCH_MILLIS = 12_219_292_800_000L;

    private TableReads() {}

    static Result read(SimulatedNode node, Select select, List<@Nullable ByteBuffer> values, QueryOptions options) {
        boolean isUsers = select.table().systemRows() == null;
        SelectedRows rows = isUsers ? ComputedRows.of(select, values) : ListedRows.of(node, select, values);
        DefaultRows page = isCount(select)
                ? new DefaultRows(
                        metadata(select, options, null), new ArrayDeque<>(List.of(counts(select, rows.size()))))
                : page(select, rows, limit(select, values), options);
        if (isUsers) {
            node.sent(page.getData().size());
        }
        return page;
    }

    /** Whether it counts all rows; with GROUP BY, a count is the count of a partition. */
    private static boolean isCount(Select select) {
        return !select.isGrouped() && select.selectors().stream().anyMatch(selector -> selector.kind() == Kind.COUNT);
    }

    private static long limit(Select select, List<@Nullable ByteBuffer> values) {
        Term limit = select.limit();
        ByteBuffer value = limit == null ? null : limit.value(values);
        return value == null ? Long.MAX_VALUE : value.getInt(value.position());
    }

    private static DefaultRows page(Select select, SelectedRows rows, long limit, QueryOptions options) {
        long end = Math.min(rows.size(), limit);
        ByteBuffer state = options.pagingState;
        long first = state == null ? 0 : state.getLong(state.position());
        long last = Math.min(end, first + (options.pageSize > 0 ? options.pageSize : MAX_ROWS));
        if (last < end && options.pageSize <= 0) {
            throw Refusal.notSimulated("answer of more than " + MAX_ROWS + " rows without pages");
        }
        Queue<List<@Nullable ByteBuffer>> page = new ArrayDeque<>();
        for (long row = first; row < last; row++) {
            page.add(cells(select, rows, row));
        }
        return new DefaultRows(metadata(select, options, last < end ? Cells.bigint(last) : null), page);
    }

    private static RowsMetadata metadata(Select select, QueryOptions options, @Nullable ByteBuffer state) {
        return options.skipMetadata
                ? new RowsMetadata(select.result().size(), state, NO_KEY, /* newResultMetadataId */ null)
                : new RowsMetadata(select.result(), state, NO_KEY, /* newResultMetadataId */ null);
    }

    private static List<@Nullable ByteBuffer> counts(Select select, long count) {
        List<@Nullable ByteBuffer> cells = new ArrayList<>();
        for (Selector selector : select.selectors()) {
            if (selector.kind() != Kind.COUNT) {
                throw Refusal.notSimulated("aggregate with other columns than count(*)");
            }
            cells.add(Cells.bigint(count));
        }
        return cells;
    }

    private static List<@Nullable ByteBuffer> cells(Select select, SelectedRows rows, long row) {
        List<@Nullable ByteBuffer> cells = new ArrayList<>(select.selectors().size());
        for (Selector selector : select.selectors()) {
            Column column = selector.column();
            cells.add(
                    switch (selector.kind()) {
                        case COLUMN -> rows.cell(row, Objects.requireNonNull(column));
                        case COUNT -> Cells.bigint(1); // each row is a partition
                        case WRITE_TIME -> Cells.bigint(WRITE_TIME);
                        case TTL -> null;
                        case TOKEN -> Cells.bigint(rows.token(row));
                        case NOW -> now();
                    });
        }
        return cells;
    }

    private static ByteBuffer now() {
        long time = (System.currentTimeMillis() + UUID_EPOCH_MILLIS) * 10_000;
        long high = time << 32 | (time >>> 32 & 0xffff) << 16 | 0x1000 | time >>> 48;
        return Cells.uuid(new UUID(high, 0x8000_0000_0000_0000L));
    }
}
