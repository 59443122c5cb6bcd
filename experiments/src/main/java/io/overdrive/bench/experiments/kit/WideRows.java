package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.WriteOptions;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Shuffle;
import io.overdrive.bench.stress.Values;
import java.util.List;

/**
 * The rows of spark-cassandra-stress (datastax), in one of its orders: partitions of several rows, about 140 bytes each. Row n always has
 * the same values; the order says when it comes. Immutable.
 *
 * @param partitions number of partitions
 * @param rowsPerPartition rows in each
 * @param order of the rows
 * @param seed of values and the shuffled order
 */
public record WideRows(long partitions, int rowsPerPartition, Order order, long seed, Shuffle shuffle) {
    public static final String TABLE = "wide_rows";
    public static final String DEFINITION = "(key bigint, col1 text, col2 text, col3 text, PRIMARY KEY (key, col1))";
    private static final List<String> COLUMNS = List.of("key", "col1", "col2", "col3");
    public static final String INSERT = "(key, col1, col2, col3) VALUES (?, ?, ?, ?)";

    private static final int NAME_BYTES = 6;
    private static final int TEXT_BYTES = 63;
    /** Bytes of the values of a row. */
    public static final int ROW_BYTES = Long.BYTES + NAME_BYTES + 2 * TEXT_BYTES;

    /** The order of rows. */
    public enum Order {
        /** All rows of a partition, then those of the next: WriteWideRowByPartition. */
        IN_ORDER("in order"),
        /** Random order, each row once; similar to WriteRandomWideRow, which draws some keys several times. */
        SHUFFLED("shuffled"),
        /** A row of each partition, then the next row of each: WriteWideRow. */
        ROUND_ROBIN("round robin");

        private final String words;

        Order(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** One row. */
    public record Row(long key, String col1, String col2, String col3) {}

    public WideRows(long partitions, int rowsPerPartition, Order order, long seed) {
        this(partitions, rowsPerPartition, order, seed, new Shuffle(partitions * rowsPerPartition, seed));
    }

    /** Creates as many partitions as hold the experiment's rows, at least one. */
    public static WideRows of(ExperimentContext context, int rowsPerPartition, Order order) {
        return new WideRows(
                Math.max(1, context.size().rows() / rowsPerPartition),
                rowsPerPartition,
                order,
                context.random("rows").nextLong());
    }

    /** All rows, in their order, for bulk jobs. */
    public BulkTable table(ExperimentContext context) {
        return new BulkTable(context, TABLE, DEFINITION, COLUMNS, count(), ROW_BYTES, this::fill);
    }

    /** Recreates the table. */
    public static void createTable(ExperimentContext context) {
        context.createTable(TABLE, DEFINITION);
    }

    /** The statement for the fields of a row, in their order. */
    static PreparedStatement prepare(ExperimentContext context) {
        return context.session().prepare("INSERT INTO " + context.keyspace() + "." + TABLE + " " + INSERT);
    }

    /** Options of a writer for {@link #write}. */
    public static WriteOptions.Builder options(ExperimentContext context) {
        return WriteOptions.into(context.keyspace(), TABLE).columns(COLUMNS).bulk();
    }

    /** A writer with Overdrive's defaults. */
    public static RowWriter writer(ExperimentContext context) {
        return context.overdrive().writer(options(context).build());
    }

    /** Sends the rows from one position to another, exclusive, to a writer. */
    public void write(ExperimentContext context, RowWriter writer, long from, long to) {
        for (long place = from; place < to && !context.stopped(); place++) {
            fill(writer.row(), place);
            writer.send();
        }
    }

    private void fill(RowBuffer buffer, long place) {
        Row row = at(place);
        buffer.setLong(0, row.key());
        buffer.setText(1, row.col1());
        buffer.setText(2, row.col2());
        buffer.setText(3, row.col3());
    }

    /** A task: the rows from one position to another, exclusive. */
    public interface Task {
        void write(long from, long to);
    }

    /** Divides all rows into tasks, and runs as many at once as the connector for Spark 3 would. */
    public void inTasks(ExperimentContext context, long rowsPerTask, Task task) {
        inTasks(context, rowsPerTask, ConnectorTasks.AT_ONCE_PER_NODE * context.nodes(), task);
    }

    /** @param atOnce how many tasks run at the same time */
    public void inTasks(ExperimentContext context, long rowsPerTask, int atOnce, Task task) {
        Tasks.run(
                Math.toIntExact((count() + rowsPerTask - 1) / rowsPerTask),
                atOnce,
                context::stopped,
                number -> task.write(number * rowsPerTask, Math.min(count(), (number + 1) * rowsPerTask)));
    }

    public long count() {
        return partitions * rowsPerPartition;
    }

    /** The row at this position of the order, from 0. */
    public Row at(long place) {
        long key;
        long inPartition;
        switch (order) {
            case IN_ORDER -> {
                key = place / rowsPerPartition;
                inPartition = place % rowsPerPartition;
            }
            case ROUND_ROBIN -> {
                key = place % partitions;
                inPartition = place / partitions;
            }
            case SHUFFLED -> {
                long number = shuffle.at(place);
                key = number / rowsPerPartition;
                inPartition = number % rowsPerPartition;
            }
            default -> throw new IllegalStateException(order.toString());
        }
        long number = key * rowsPerPartition + inPartition;
        String name = Long.toString(1_000_000 + inPartition).substring(1);
        return new Row(
                key, name, Values.text(seed, 2 * number, TEXT_BYTES), Values.text(seed, 2 * number + 1, TEXT_BYTES));
    }
}
