package io.overdrive.bench.experiments.kit;

import io.overdrive.RowWriter;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.experiments.kit.Timeline.Counts;

/** Forks of one {@link RowWriter} write {@link WideRows}; the writer is closed at the end of the run. */
public class OverdriveWork extends CountedWork {
    private final RowWriter writer;
    private final Runnable rows;

    /** @param rows sends all rows to forks of the writer */
    public OverdriveWork(ExperimentContext context, RowWriter writer, Runnable rows) {
        super(context, WideRows.TABLE);
        this.writer = writer;
        this.rows = rows;
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
        return RunOutcome.of(writer.totals(), writer.totals().rowsWritten() * WideRows.ROW_BYTES);
    }

    @Override
    public void close() {
        writer.abandon();
    }
}
