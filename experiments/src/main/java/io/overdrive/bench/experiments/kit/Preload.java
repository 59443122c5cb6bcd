package io.overdrive.bench.experiments.kit;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import io.overdrive.RowBuffer;
import io.overdrive.RowWriter;
import io.overdrive.ScanOptions;
import io.overdrive.WriteOptions;
import io.overdrive.bench.ExperimentContext;
import java.util.List;

/** Fills a table that is to be read, and has the nodes write it to disk. Stateless. */
public final class Preload {
    private static final int TASK_ROWS = 2_000;
    private static final int TASKS_AT_ONCE = 4;

    private Preload() {}

    /** Generates a row from its number. Called by several threads at once. */
    public interface Filler {
        void fill(RowBuffer row, long number);
    }

    /**
     * Options to read such a table: at LOCAL_ONE, which is the default of the connectors for Spark, DSBulk and the
     * driver, so that all read alike. Each replica has all rows.
     */
    public static ScanOptions.Builder reading(ExperimentContext context, String table) {
        return ScanOptions.from(context.keyspace(), table).consistency(DefaultConsistencyLevel.LOCAL_ONE);
    }

    /**
     * Writes rows from number 0 on.
     *
     * @param columns in the order in which the filler sets them
     * @throws IllegalStateException if not all rows were acknowledged, unless the user wants to stop
     */
    public static void rows(ExperimentContext context, String table, List<String> columns, long count, Filler filler) {
        context.progress("writes the rows to read");
        RowWriter writer = context.overdrive()
                .writer(WriteOptions.into(context.keyspace(), table)
                        .bulk()
                        .columns(columns)
                        .consistency(DefaultConsistencyLevel.ALL) // every replica then has each row
                        .build());
        try {
            Tasks.run(Math.toIntExact((count + TASK_ROWS - 1) / TASK_ROWS), TASKS_AT_ONCE, context::stopped, task -> {
                RowWriter fork = writer.fork();
                long end = Math.min(count, (task + 1L) * TASK_ROWS);
                for (long number = (long) task * TASK_ROWS; number < end; number++) {
                    filler.fill(fork.row(), number);
                    fork.send();
                }
            });
            writer.close();
        } finally {
            writer.abandon();
        }
        long written = writer.totals().rowsWritten();
        if (written != count && !context.stopped()) {
            throw new IllegalStateException(
                    table + " should have " + count + " rows, and " + written + " were written");
        }
        context.flush();
    }
}
