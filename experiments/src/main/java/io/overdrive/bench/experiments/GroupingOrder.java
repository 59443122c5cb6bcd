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
import io.overdrive.bench.experiments.kit.ConnectorTasks;
import io.overdrive.bench.experiments.kit.OverdriveWork;
import io.overdrive.bench.experiments.kit.Replicas;
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.List;
import java.util.Map;

/**
 * E1. Rows are written in three orders and grouped in five ways. As in the original, the rows are divided into 400 tasks, some of which run
 * at once; each has five requests in flight and makes batches of 1 kB. Overdrive's grouping, with its defaults, is compared to these.
 */
final class GroupingOrder implements Experiment {
    private static final String ORDER = "order";
    private static final String GROUPING = "grouping";

    /** Which rows share a batch, and by which writer. */
    enum Grouping {
        PARTITION("partition, in each task"),
        NONE("any rows"),
        REPLICA_SET("replica set"),
        OFF("off"),
        OVERDRIVE("partition, Overdrive");

        private final String words;

        Grouping(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final int ROWS_PER_PARTITION = 20;
    private static final int TASKS = 400;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(2_000);
            case LAPTOP -> Size.rows(160_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(160_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(2_000_000).repeat(10).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(ORDER, List.of(Order.values())), Map.entry(GROUPING, List.of(Grouping.values())));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        WideRows.createTable(context);
        WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, arm.level(ORDER, Order.class));
        long rowsPerTask = Math.max(ROWS_PER_PARTITION, rows.count() / TASKS);
        ConnectorTasks tasks = ConnectorTasks.into(context);
        return switch (arm.level(GROUPING, Grouping.class)) {
            case PARTITION -> tasks.work(rows, rowsPerTask);
            case NONE -> tasks.groupedBy(row -> "").work(rows, rowsPerTask);
            case REPLICA_SET -> tasks.groupedBy(new Replicas(context)::of).work(rows, rowsPerTask);
            case OFF -> tasks.batchesOff().work(rows, rowsPerTask);
            case OVERDRIVE -> OverdriveWork.inTasks(context, rows, rowsPerTask);
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
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU,
                Figure.ROWS_PER_REQUEST,
                Figure.PARTITIONS_PER_BATCH,
                Figure.P50,
                Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.BARS, ROWS_PER_SECOND, GROUPING, ORDER),
                new Chart("What a row costs the nodes", Chart.Kind.BARS, Figure.SERVER_CPU, GROUPING, ORDER),
                new Chart("What a row costs the client", Chart.Kind.BARS, Figure.CLIENT_CPU, GROUPING, ORDER));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings inOrder = findings.where(ORDER, Order.IN_ORDER);
        Findings shuffled = findings.where(ORDER, Order.SHUFFLED);
        Findings roundRobin = findings.where(ORDER, Order.ROUND_ROBIN);
        String asFast =
                "Batches by replica set are about as fast as batches of any rows (published: 70 against 69 and 125 against 125)";
        return List.of(
                Check.atLeast(
                                1.3,
                                "Grouped by partition in each task, rows in order are at least 1.3 times as fast as rows out of order"
                                        + " (published: 2.75 times)",
                                inOrder.where(GROUPING, Grouping.PARTITION)
                                        .ratioTo(shuffled.where(GROUPING, Grouping.PARTITION), ROWS_PER_SECOND),
                                inOrder.where(GROUPING, Grouping.PARTITION)
                                        .ratioTo(roundRobin.where(GROUPING, Grouping.PARTITION), ROWS_PER_SECOND))
                        .named("in-order-by-partition"),
                Check.atLeast(
                                1.1,
                                "In batches of any rows, rows in order are faster as well (published: 1.8 times)",
                                inOrder.where(GROUPING, Grouping.NONE)
                                        .ratioTo(shuffled.where(GROUPING, Grouping.NONE), ROWS_PER_SECOND))
                        .named("in-order-any-rows"),
                Check.atLeast(
                                1.3,
                                "Out of order, batches of any rows are at least 1.3 times as fast as batches by partition (published: 2.5 times)",
                                shuffled.where(GROUPING, Grouping.NONE)
                                        .ratioTo(shuffled.where(GROUPING, Grouping.PARTITION), ROWS_PER_SECOND))
                        .named("any-rows-shuffled"),
                findings.size().replicationFactor() < findings.nodes()
                        ? Check.between(
                                        0.8,
                                        1.25,
                                        asFast,
                                        inOrder.where(GROUPING, Grouping.REPLICA_SET)
                                                .ratioTo(inOrder.where(GROUPING, Grouping.NONE), ROWS_PER_SECOND),
                                        shuffled.where(GROUPING, Grouping.REPLICA_SET)
                                                .ratioTo(shuffled.where(GROUPING, Grouping.NONE), ROWS_PER_SECOND))
                                .named("replica-set")
                        : Check.cannotBeShown(
                                        asFast,
                                        "every node holds all rows, so there is only one replica set ("
                                                + findings.nodes()
                                                + " nodes, replication factor "
                                                + findings.size().replicationFactor() + ")")
                                .named("replica-set"),
                Check.between(
                                0.8,
                                1.25,
                                "Grouped by Overdrive, rows out of order are about as fast as rows in order (Overdrive's README)",
                                shuffled.where(GROUPING, Grouping.OVERDRIVE)
                                        .ratioTo(inOrder.where(GROUPING, Grouping.OVERDRIVE), ROWS_PER_SECOND),
                                roundRobin
                                        .where(GROUPING, Grouping.OVERDRIVE)
                                        .ratioTo(inOrder.where(GROUPING, Grouping.OVERDRIVE), ROWS_PER_SECOND))
                        .named("order-overdrive"));
    }
}
