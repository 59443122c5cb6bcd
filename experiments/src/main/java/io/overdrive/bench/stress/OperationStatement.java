package io.overdrive.bench.stress;

import io.overdrive.ScanOptions;
import io.overdrive.TableSchema;
import io.overdrive.TableSchema.Column;
import io.overdrive.WriteOptions;
import io.overdrive.internal.codec.Bytes;
import io.overdrive.internal.ring.RoutingKey;
import io.overdrive.internal.scan.ScanLayout;
import io.overdrive.internal.scan.ScanPlanner;
import io.overdrive.internal.wire.Wire;
import io.overdrive.internal.write.WriteLayout;
import io.overdrive.internal.write.WritePlanner;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** A prepared statement, and how a row becomes the body of a request. Confined to the sending thread. */
abstract class OperationStatement {
    private static final int PARTITION_ROWS = 5_000;

    final String cql;
    final Bytes values = new Bytes(512);
    private final RowMaker rows;
    private final int[] columns;
    private final int[] keySlots;
    private final int[] starts;
    private final int[] ends;
    private final RoutingKey routingKey = new RoutingKey();

    /**
     * @param slots the columns whose values the markers stand for
     * @param keySlots where the columns of the partition key are among them
     */
    OperationStatement(String cql, RowMaker rows, List<String> slots, int[] keySlots) {
        this.cql = cql;
        this.rows = rows;
        this.columns = slots.stream().mapToInt(rows::column).toArray();
        this.keySlots = keySlots;
        this.starts = new int[columns.length];
        this.ends = new int[columns.length];
    }

    /** The statement for operations of this kind on the table of a load. */
    static OperationStatement of(
            OperationKind kind, Wire wire, StressOptions options, TableSchema table, RowMaker rows) {
        return switch (kind) {
            case WRITE -> new Insert(wire, options, table, rows);
            case READ -> new Select(wire, options, table, rows, keys(table, /* clustering */ true), 1);
            case PARTITION ->
                new Select(wire, options, table, rows, keys(table, /* clustering */ false), PARTITION_ROWS);
        };
    }

    private static List<String> keys(TableSchema table, boolean clustering) {
        return table.columns().stream()
                .filter(column -> clustering ? column.isKey() : column.role() == TableSchema.Role.PARTITION_KEY)
                .map(Column::name)
                .toList();
    }

    /** The body of the request for a row. */
    abstract byte[] body(long row, long operation);

    /** Puts the row's values into {@link #values}. */
    final void make(long row) {
        values.clear();
        for (int slot = 0; slot < columns.length; slot++) {
            starts[slot] = values.beginValue();
            rows.put(values, columns[slot], row);
            values.endValue(starts[slot]);
            ends[slot] = values.length();
        }
    }

    /** The token of the partition of the row that was made last. */
    final long token() {
        routingKey.start(keySlots.length);
        for (int slot : keySlots) {
            routingKey.add(values.array(), starts[slot], ends[slot] - starts[slot]);
        }
        return routingKey.token();
    }

    /** Writes a row, with a write time that is later than that of the operation before. */
    private static final class Insert extends OperationStatement {
        private final WriteLayout layout;
        private final long baseTimestamp = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

        Insert(Wire wire, StressOptions options, TableSchema table, RowMaker rows) {
            this(layout(wire, options, table), rows);
        }

        private Insert(WriteLayout layout, RowMaker rows) {
            super(
                    layout.prepared.text(),
                    rows,
                    layout.prepared.markerNames().subList(0, layout.givenMarkers),
                    layout.keyMarkers);
            this.layout = layout;
        }

        private static WriteLayout layout(Wire wire, StressOptions options, TableSchema table) {
            WriteOptions.Builder writes =
                    WriteOptions.into(options.keyspace(), options.table()).consistency(options.consistency());
            if (table.isCounter()) {
                writes.allowNonIdempotent();
            }
            return new WritePlanner(wire.session(), writes.build()).forTable(table);
        }

        @Override
        byte[] body(long row, long operation) {
            make(row);
            long writeTime = layout.writeTime(baseTimestamp, operation);
            if (layout.pinsTimestamp) {
                values.putInt(8);
                values.putLong(writeTime);
            }
            byte[] body = new byte[layout.executeOverhead() + values.length()];
            int at = layout.beginExecute(body);
            System.arraycopy(values.array(), 0, body, at, values.length());
            layout.endExecute(body, at + values.length(), writeTime);
            return body;
        }
    }

    /** Reads by key. */
    private static final class Select extends OperationStatement {
        private final ScanLayout layout;
        private final int pageRows;

        Select(Wire wire, StressOptions options, TableSchema table, RowMaker rows, List<String> key, int pageRows) {
            this(
                    new ScanPlanner(
                                    wire.session(),
                                    ScanOptions.from(options.keyspace(), options.table())
                                            .consistency(options.consistency())
                                            .build())
                            .forKeys(table, key),
                    rows,
                    pageRows);
        }

        private Select(ScanLayout layout, RowMaker rows, int pageRows) {
            super(layout.prepared.text(), rows, layout.prepared.markerNames(), layout.prepared.partitionMarkers());
            this.layout = layout;
            this.pageRows = pageRows;
        }

        @Override
        byte[] body(long row, long operation) {
            make(row);
            return layout.execute(values.toByteArray(), pageRows);
        }
    }
}
