package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.bench.DriverWriter;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.experiments.kit.Timeline.Counts;
import io.overdrive.bench.experiments.kit.WideRows.Row;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Writes {@link WideRows} with the driver in tasks, like the connector for Spark 3: each task groups its own rows and has a few requests in
 * flight. The defaults are those of that connector: rows of a partition in batches of 1 kB, up to 1000 of which are open, and five requests
 * in flight. Immutable, but for the writer; thread-safe.
 *
 * @param writer sends and counts
 * @param insert as {@link WideRows#prepare} makes it
 * @param groupOf rows with equal groups may share a batch
 * @param inFlight maximum number of requests in flight of a task
 * @param batchBytes of a batch; 0 sends single rows
 * @param openBatches batches that a task fills at the same time
 */
public record ConnectorTasks(
        ExperimentContext context,
        DriverWriter writer,
        PreparedStatement insert,
        Function<BoundStatement, Object> groupOf,
        int inFlight,
        int batchBytes,
        int openBatches) {
    /** The original had as many as its nodes had processors. */
    public static final int AT_ONCE_PER_NODE = 8;

    public static final int OPEN_BATCHES = 1000;
    private static final int IN_FLIGHT = 5;
    private static final int BATCH_BYTES = 1024;

    /** Tasks of one run, which ends at the first failed request. */
    public static ConnectorTasks into(ExperimentContext context) {
        return into(context, 0);
    }

    /** @param toleratedFailures how many requests may fail before the run ends */
    public static ConnectorTasks into(ExperimentContext context, int toleratedFailures) {
        return new ConnectorTasks(
                context,
                new DriverWriter(context.session(), DefaultConsistencyLevel.LOCAL_QUORUM, toleratedFailures),
                WideRows.prepare(context),
                row -> Objects.requireNonNull(row.getRoutingKey()),
                IN_FLIGHT,
                BATCH_BYTES,
                OPEN_BATCHES);
    }

    public ConnectorTasks groupedBy(Function<BoundStatement, Object> value) {
        return new ConnectorTasks(context, writer, insert, value, inFlight, batchBytes, openBatches);
    }

    public ConnectorTasks inFlight(int value) {
        return new ConnectorTasks(context, writer, insert, groupOf, value, batchBytes, openBatches);
    }

    public ConnectorTasks batchesOff() {
        return new ConnectorTasks(context, writer, insert, groupOf, inFlight, 0, openBatches);
    }

    public ConnectorTasks openBatches(int value) {
        return new ConnectorTasks(context, writer, insert, groupOf, inFlight, batchBytes, value);
    }

    /** Writes the rows in tasks. */
    public Work work(WideRows rows, long rowsPerTask) {
        return work(() -> rows.inTasks(context, rowsPerTask, (from, to) -> write(rows, from, to)));
    }

    /** @param rows runs all tasks */
    public Work work(Runnable rows) {
        return work(rows, Map::of);
    }

    /** @param figures further figures, read once the run is complete */
    public Work work(Runnable rows, Supplier<Map<Figure, Double>> figures) {
        return new CountedWork(context, WideRows.TABLE) {
            @Override
            public RunOutcome run() {
                rows.run();
                return writer.done(WideRows.ROW_BYTES).with(figures.get());
            }

            /** Rows that were not acknowledged may be in the table as well. */
            @Override
            public long rowsFound() {
                long found = super.rowsFound();
                return writer.rowsFailed() == 0 ? found : Math.min(found, writer.rowsWritten());
            }
        };
    }

    /** One task, on the caller's thread: the rows from one position to another, exclusive. */
    public void write(WideRows rows, long from, long to) {
        Task task = begin();
        for (long place = from; place < to && !context.stopped(); place++) {
            task.write(rows.at(place));
        }
        task.finish();
    }

    /** A task for rows in any order; confined to one thread. */
    public Task begin() {
        return new Task();
    }

    /** The counts of all tasks. */
    public Counts counts() {
        return new Counts(writer.rowsWritten(), writer.rowsFailed(), writer.latencySinceLast());
    }

    public final class Task {
        private final DriverWriter.Task requests = writer.task(inFlight);
        private final GroupingBuffer<BoundStatement> batches =
                new GroupingBuffer<>(requests::send, WideRows.ROW_BYTES, batchBytes, openBatches);

        public void write(Row row) {
            BoundStatement statement = insert.bind(row.key(), row.col1(), row.col2(), row.col3());
            batches.add(groupOf.apply(statement), statement);
        }

        /** Sends the rest, and waits for the last answer. */
        public void finish() {
            batches.flush();
            requests.finish();
        }
    }
}
