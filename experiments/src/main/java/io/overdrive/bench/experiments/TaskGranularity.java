package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.RowWriter;
import io.overdrive.Totals;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.ConnectorTasks;
import io.overdrive.bench.experiments.kit.CountedWork;
import io.overdrive.bench.experiments.kit.RowsPerTask;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** E3. The same rows in few large tasks or many small ones, with the same number at once. */
final class TaskGranularity implements Experiment {
    private static final String ROWS_PER_TASK = RowsPerTask.FACTOR;
    private static final String WRITER = "writer";
    private static final String DRIVER = "driver";
    private static final String OVERDRIVE = "Overdrive";

    private static final int ROWS_PER_PARTITION = 20;
    private static final long GROUPING_MEMORY = 4 << 20;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(4_000);
            case LAPTOP -> Size.rows(240_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(240_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(20_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(
                Map.entry(ROWS_PER_TASK, RowsPerTask.levels(size.rows(), atOnce(size.nodes()))),
                Map.entry(WRITER, List.of(DRIVER, OVERDRIVE)));
    }

    private static int atOnce(int nodes) {
        return ConnectorTasks.AT_ONCE_PER_NODE * nodes;
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        WideRows.createTable(context);
        WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, Order.IN_ORDER);
        long rowsPerTask = (long) arm.number(ROWS_PER_TASK);
        if (arm.level(WRITER).equals(OVERDRIVE)) {
            return byOverdrive(context, rows, rowsPerTask);
        }
        return ConnectorTasks.into(context).work(rows, rowsPerTask);
    }

    private static Work byOverdrive(ExperimentContext context, WideRows rows, long rowsPerTask) {
        RowWriter first = WideRows.writer(context);
        return new CountedWork(context, WideRows.TABLE) {
            @Override
            public RunOutcome run() {
                LongAdder written = new LongAdder();
                LongAdder requests = new LongAdder();
                rows.inTasks(context, rowsPerTask, (from, to) -> {
                    RowWriter writer = first.separate(GROUPING_MEMORY);
                    try {
                        rows.write(context, writer, from, to);
                        writer.close();
                    } finally {
                        writer.abandon();
                    }
                    Totals totals = writer.totals();
                    written.add(totals.rowsWritten());
                    requests.add(totals.requests());
                });
                return new RunOutcome(
                        written.sum(), written.sum() * WideRows.ROW_BYTES, requests.sum(), null, Map.of(), List.of());
            }

            @Override
            public void close() {
                first.abandon();
            }
        };
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(ROWS_PER_SECOND, Figure.SECONDS, Figure.ROWS_PER_REQUEST, Figure.CLIENT_CPU, Figure.SERVER_CPU);
    }

    @Override
    public List<Chart> charts() {
        return RowsPerTask.charts(WRITER);
    }

    @Override
    public List<Check> check(Findings findings) {
        return RowsPerTask.check(findings.where(WRITER, DRIVER), findings.size().rows(), atOnce(findings.nodes()));
    }
}
