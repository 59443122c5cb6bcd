package io.overdrive.bench.experiments.kit;

import io.overdrive.RowWriter;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.RunOutcome;

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
