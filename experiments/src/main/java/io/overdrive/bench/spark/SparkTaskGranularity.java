package io.overdrive.bench.spark;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.RowsPerTask;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** E3, in Spark: the same rows in few large tasks or many small ones, with the same number at once. */
final class SparkTaskGranularity extends SparkExperiment {
    private static final String ROWS_PER_TASK = RowsPerTask.FACTOR;
    private static final int ROWS_PER_PARTITION = 20;

    SparkTaskGranularity(SparkOptions options) {
        super(options);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(4_000);
            case LAPTOP -> Size.rows(240_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(240_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(20_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(
                Map.entry(ROWS_PER_TASK, RowsPerTask.levels(size.rows(), SparkProcess.tasksAtOnce())),
                Map.entry(CONNECTOR, connectors()));
    }

    @Override
    Jobs jobs(ExperimentContext context) {
        SparkRows rows = SparkRows.of(context, ROWS_PER_PARTITION, Order.IN_ORDER);
        return arm -> {
            long tasks = Math.max(1, Math.round(rows.count() / arm.number(ROWS_PER_TASK)));
            return write(context, rows.query(tasks), options(arm.level(CONNECTOR, Connector.class)));
        };
    }

    /** Overdrive would have Spark bring the rows of a partition together first, in tasks of other sizes. */
    private static Map<String, String> options(Connector connector) {
        return connector == Connector.OVERDRIVE ? Map.of("distribution", "none") : Map.of();
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(ROWS_PER_SECOND, Figure.SECONDS, Figure.CLIENT_CPU, Figure.SERVER_CPU);
    }

    @Override
    public List<Chart> charts() {
        return RowsPerTask.charts(CONNECTOR);
    }

    @Override
    public List<Check> check(Findings findings) {
        List<Check> checks = new ArrayList<>();
        for (Connector connector : connectors()) {
            checks.addAll(connector.claims(RowsPerTask.check(
                    findings.where(CONNECTOR, connector), findings.size().rows(), SparkProcess.tasksAtOnce())));
        }
        return checks;
    }
}
