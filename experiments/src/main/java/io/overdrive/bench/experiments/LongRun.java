package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.GroupingOrder.Grouping;
import io.overdrive.bench.experiments.kit.ConnectorTasks;
import io.overdrive.bench.experiments.kit.LongRuns;
import io.overdrive.bench.experiments.kit.OverdriveWork;
import io.overdrive.bench.experiments.kit.Timeline;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.List;
import java.util.Map;

/**
 * E2. Like {@link GroupingOrder}, with ten times the rows in the same number of partitions and tasks. Failed requests are counted, and the
 * run continues, so that its course can be seen: rows, failures, latency and pending compactions of each second.
 */
final class LongRun implements Experiment {
    private static final String ORDER = "order";
    private static final String GROUPING = "grouping";

    private static final int ROWS_PER_PARTITION = 200;
    private static final int TASKS = 400;
    static final int TOLERATED_FAILURES = 1000;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(4_000);
            case LAPTOP -> Size.rows(800_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(800_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(20_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(
                Map.entry(ORDER, List.of(Order.IN_ORDER, Order.SHUFFLED)),
                Map.entry(GROUPING, List.of(Grouping.PARTITION, Grouping.NONE, Grouping.OVERDRIVE)));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        WideRows.createTable(context);
        WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, arm.level(ORDER, Order.class));
        long rowsPerTask = Math.max(1, rows.count() / TASKS);
        Grouping grouping = arm.level(GROUPING, Grouping.class);
        if (grouping == Grouping.OVERDRIVE) {
            OverdriveWork work = OverdriveWork.inTasks(context, rows, rowsPerTask);
            return Timeline.of(context, work, work::counts);
        }
        ConnectorTasks all = ConnectorTasks.into(context, TOLERATED_FAILURES);
        ConnectorTasks tasks = grouping == Grouping.NONE ? all.groupedBy(row -> "") : all;
        return Timeline.of(context, tasks.work(rows, rowsPerTask), tasks::counts);
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND,
                Figure.LAST_TENTH,
                Figure.ERRORS,
                Figure.P99,
                Figure.MAX,
                Figure.COMPACTED_MEGABYTES,
                Figure.COMPACTIONS_GROWTH);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.BARS, ROWS_PER_SECOND, GROUPING, ORDER),
                new Chart("Rate over time", Chart.Kind.TIMELINE, ROWS_PER_SECOND, null, GROUPING),
                new Chart("Latency over time", Chart.Kind.TIMELINE, Figure.P99, null, GROUPING),
                new Chart("Failed rows over time", Chart.Kind.TIMELINE, Figure.ERRORS, null, GROUPING),
                new Chart(
                        "Pending compactions over time",
                        Chart.Kind.TIMELINE,
                        Figure.PENDING_COMPACTIONS,
                        null,
                        GROUPING));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings inOrder = findings.where(ORDER, Order.IN_ORDER);
        Findings shuffled = findings.where(ORDER, Order.SHUFFLED);
        return List.of(
                LongRuns.fasterAtTheEnd(inOrder.where(GROUPING, Grouping.PARTITION)),
                LongRuns.fasterInOrder(
                        inOrder.where(GROUPING, Grouping.PARTITION), shuffled.where(GROUPING, Grouping.PARTITION)),
                LongRuns.failures(
                        findings.where(GROUPING, Grouping.NONE), findings.where(GROUPING, Grouping.PARTITION)),
                Check.atLeast(
                                0.9,
                                "Overdrive does not slow down: the rate of its last tenth is at least 0.9 times that of its first",
                                inOrder.where(GROUPING, Grouping.OVERDRIVE).mean(Figure.LAST_TENTH),
                                shuffled.where(GROUPING, Grouping.OVERDRIVE).mean(Figure.LAST_TENTH))
                        .named("overdrive-rate"));
    }
}
