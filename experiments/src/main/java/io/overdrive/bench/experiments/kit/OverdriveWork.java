package io.overdrive.bench.experiments.kit;

import io.overdrive.RowWriter;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.experiments.kit.Timeline.Counts;

/** Forks of one {@link RowWriter} write a table; the writer is closed at the end of the run. */
public class OverdriveWork extends CountedWork {
    private final int rowBytes;
    private final RowWriter writer;
    private final Runnable rows;

    /**
     * @param rowBytes of the values of a row, on average
     * @param rows sends all rows to forks of the writer
     */
    public OverdriveWork(ExperimentContext context, String table, int rowBytes, RowWriter writer, Runnable rows) {
        super(context, table);
        this.rowBytes = rowBytes;
        this.writer = writer;
        this.rows = rows;
    }

    /**
     * Writes {@link WideRows}.
     *
     * @param rows sends all rows to forks of the writer
     */
    public OverdriveWork(ExperimentContext context, RowWriter writer, Runnable rows) {
        this(context, WideRows.TABLE, WideRows.ROW_BYTES, writer, rows);
    }

    /** Writes the rows in tasks, each by its own fork. */
    public static OverdriveWork inTasks(ExperimentContext context, WideRows rows, long rowsPerTask) {
        RowWriter writer = WideRows.writer(context);
        return new OverdriveWork(
                context,
                writer,
                () -> rows.inTasks(context, rowsPerTask, (from, to) -> rows.write(context, writer.fork(), from, to)));
    }

    /** The counts of all forks. */
    public Counts counts() {
        return Counts.of(writer.totals());
    }

    @Override
    public RunOutcome run() {
        rows.run();
        writer.close();
        return RunOutcome.of(writer.totals(), writer.totals().rowsWritten() * rowBytes);
    }

    @Override
    public void close() {
        writer.abandon();
    }
}
