package io.overdrive.bench.spark;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;
import static io.overdrive.bench.spark.SparkGroupingOrder.GROUPING;
import static io.overdrive.bench.spark.SparkGroupingOrder.ORDER;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.LongRuns;
import io.overdrive.bench.experiments.kit.Timeline;
import io.overdrive.bench.experiments.kit.Timeline.Counts;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import io.overdrive.bench.spark.SparkGroupingOrder.Grouping;
import java.util.List;
import java.util.Map;

/**
 * E2, in Spark: like {@link SparkGroupingOrder}, with ten times the rows in the same number of partitions. A run that fails ends, as in the
 * original.
 */
final class SparkLongRun extends SparkExperiment {
    private static final int ROWS_PER_PARTITION = 200;
    private static final int TASKS = 400;
    private static final int MIN_ROWS_PER_TASK = 2_000;

    SparkLongRun(SparkOptions options) {
        super(options);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(8_000);
            case LAPTOP -> Size.rows(800_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(800_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(20_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(
                        Map.entry(CONNECTOR, connectors()),
                        Map.entry(ORDER, List.of(Order.IN_ORDER, Order.SHUFFLED)),
                        Map.entry(GROUPING, List.of(Grouping.PARTITION, Grouping.NONE)))
                .stream()
                .filter(arm -> arm.level(CONNECTOR, Connector.class) == Connector.PEER
                        || arm.level(GROUPING, Grouping.class) == Grouping.PARTITION)
                .toList();
    }

    @Override
    Jobs jobs(ExperimentContext context) {
        return new Jobs() {
            @Override
            public Run run(Arm arm) {
                SparkRows rows = rows(arm);
                long tasks = Math.max(1, Math.min(TASKS, rows.count() / MIN_ROWS_PER_TASK));
                Run run = write(
                        context,
                        rows.query(tasks),
                        arm.level(GROUPING, Grouping.class).option());
                return new Run(run.job().withProgress(), run.rowBytes(), run.rowsFound());
            }

            @Override
            public Work around(Arm arm, SparkWork work) {
                long rows = rows(arm).count();
                return Timeline.of(
                        context,
                        work,
                        () -> new Counts(Math.round(rows * work.spark().done()), 0, null));
            }

            private SparkRows rows(Arm arm) {
                return SparkRows.of(context, ROWS_PER_PARTITION, arm.level(ORDER, Order.class));
            }
        };
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND,
                Figure.SECONDS,
                Figure.LAST_TENTH,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU,
                Figure.COMPACTED_MEGABYTES,
                Figure.COMPACTIONS_GROWTH);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.BARS, ROWS_PER_SECOND, CONNECTOR, ORDER),
                new Chart("Rate over time", Chart.Kind.TIMELINE, ROWS_PER_SECOND, null, CONNECTOR),
                new Chart(
                        "Pending compactions over time",
                        Chart.Kind.TIMELINE,
                        Figure.PENDING_COMPACTIONS,
                        null,
                        CONNECTOR));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings ours = findings.where(CONNECTOR, Connector.OVERDRIVE);
        Findings peer = findings.where(CONNECTOR, Connector.PEER);
        Findings byPartition = peer.where(GROUPING, Grouping.PARTITION);
        return List.of(
                LongRuns.fasterAtTheEnd(byPartition.where(ORDER, Order.IN_ORDER)),
                LongRuns.fasterInOrder(
                        byPartition.where(ORDER, Order.IN_ORDER), byPartition.where(ORDER, Order.SHUFFLED)),
                LongRuns.failures(peer.where(GROUPING, Grouping.NONE), byPartition),
                Check.atLeast(
                                1,
                                "In a long run as well, Overdrive is faster than the connector for Spark 3, in order and out of order",
                                ours.where(ORDER, Order.IN_ORDER)
                                        .ratioTo(byPartition.where(ORDER, Order.IN_ORDER), ROWS_PER_SECOND),
                                ours.where(ORDER, Order.SHUFFLED)
                                        .ratioTo(byPartition.where(ORDER, Order.SHUFFLED), ROWS_PER_SECOND))
                        .named("overdrive-faster"));
    }
}
