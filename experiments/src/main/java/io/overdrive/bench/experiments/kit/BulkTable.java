package io.overdrive.bench.experiments.kit;

import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.OverdriveException.Kind;
import io.overdrive.RowCursor;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.ScanTotals;
import io.overdrive.WriteOptions;
import io.overdrive.bench.Experiment.Work;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.RunOutcome;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A table that bulk jobs write, and a copy of it that they read: all rows, with different settings. Row number n always has the same values.
 * Immutable.
 *
 * @param name of the table that is written
 * @param definition the parentheses of CREATE TABLE
 * @param columns in the order in which the filler sets them
 * @param rows how many
 * @param rowBytes of the values of a row, on average
 * @param filler sets the values of a row
 */
public record BulkTable(
        ExperimentContext context,
        String name,
        String definition,
        List<String> columns,
        long rows,
        int rowBytes,
        Preload.Filler filler) {
    /** Number of rows after which a job checks whether to end. */
    private static final int ROWS_PER_LOOK = 256;

    /** Bytes of 20,000 rows of {@link WideRows}. */
    private static final long TASK_BYTES = 2_800_000;

    /** The work of a job with all rows. */
    public enum Job {
        WRITE("write"),
        READ("read");

        private final String words;

        Job(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** How a job writes and reads. */
    public interface Settings {
        WriteOptions.Builder apply(WriteOptions.Builder options);

        ScanOptions.Builder apply(ScanOptions.Builder options);
    }

    public BulkTable {
        columns = List.copyOf(columns);
    }

    private String nameToRead() {
        return name + "_to_read";
    }

    /** Writes the table to be read. */
    public void preload() {
        context.createTable(nameToRead(), definition);
        Preload.rows(context, nameToRead(), columns, rows, filler);
    }

    /**
     * Prepares a job. To write, the table is recreated; to read, {@link #preload} comes first.
     *
     * @param overdrive the job's connection, which is not closed
     */
    public Work work(Job job, Overdrive overdrive, Settings settings) {
        return work(job, overdrive, settings, context::stopped);
    }

    /**
     * As {@link #work(Job, Overdrive, Settings)}, for a job that may end before all rows are written or read.
     *
     * @param ends whether the job is to end now
     */
    public Work work(Job job, Overdrive overdrive, Settings settings, BooleanSupplier ends) {
        return switch (job) {
            case WRITE -> writing(overdrive, settings, ends);
            case READ -> new Reading(this, scan(overdrive, settings), ends);
        };
    }

    /** Reads the whole table. */
    public Scan scan(Overdrive overdrive, Settings settings) {
        return overdrive.scan(
                settings.apply(Preload.reading(context, nameToRead())).build());
    }

    private Work writing(Overdrive overdrive, Settings settings, BooleanSupplier ends) {
        context.createTable(name, definition);
        RowWriter writer = overdrive.writer(settings.apply(WriteOptions.into(context.keyspace(), name)
                        .columns(columns)
                        .bulk())
                .build());
        long rowsPerTask = Math.max(1, TASK_BYTES / rowBytes);
        return new OverdriveWork(
                context,
                name,
                rowBytes,
                writer,
                () -> Tasks.run(
                        Math.toIntExact((rows + rowsPerTask - 1) / rowsPerTask),
                        ConnectorTasks.AT_ONCE_PER_NODE * context.nodes(),
                        ends,
                        task -> write(
                                writer.fork(), task * rowsPerTask, Math.min(rows, (task + 1) * rowsPerTask), ends)));
    }

    private void write(RowWriter writer, long from, long to, BooleanSupplier ends) {
        for (long number = from; number < to; number++) {
            if (number % ROWS_PER_LOOK == 0 && ends.getAsBoolean()) {
                return;
            }
            filler.fill(writer.row(), number);
            writer.send();
        }
    }

    /** Reads the table. Confined to one thread. */
    private static final class Reading implements Work {
        private final BulkTable table;
        private final Scan scan;
        private final BooleanSupplier ends;
        private volatile boolean endsEarly;
        private long rowsRead;

        Reading(BulkTable table, Scan scan, BooleanSupplier ends) {
            this.table = table;
            this.scan = scan;
            this.ends = ends;
            scan.splits(); // plans
        }

        @Override
        public RunOutcome run() {
            try {
                scan.forEachSplit(Runtime.getRuntime().availableProcessors(), split -> this::read);
            } catch (OverdriveException e) {
                if (!endsEarly || e.kind() != Kind.INTERRUPTED || table.context.stopped()) {
                    throw e;
                }
            }
            ScanTotals totals = scan.totals();
            rowsRead = totals.rowsRead();
            return RunOutcome.of(totals, rowsRead * table.rowBytes);
        }

        private void read(RowCursor page) {
            if (!endsEarly && ends.getAsBoolean()) {
                endsEarly = true;
                scan.stop();
            }
            while (page.next()) {} // the rows are not needed
        }

        @Override
        public long rowsFound() {
            return endsEarly ? rowsRead : table.rows; // pages that arrive after the end count in the scan's totals
        }

        @Override
        public void close() {
            scan.close();
        }
    }
}
