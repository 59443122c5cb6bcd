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
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** E5. Single rows or batches by partition, with few or many requests in flight for each task. */
final class BatchOffConcurrency implements Experiment {
    private static final String ORDER = "order";
    private static final String BATCHES = "batches";
    private static final String IN_FLIGHT = "in flight";
    private static final String OFF = "one row";
    private static final String PARTITION = "by partition";

    private static final int FEW = 5;
    private static final int MANY = 2000;
    private static final long ROWS_FOR_ALL_LEVELS = 1_000_000;
    private static final int ROWS_PER_PARTITION = 200;
    private static final long MAX_ROWS_PER_TASK = 50_000;
    /** A task has several times the rows that it may have in flight. */
    private static final long MIN_ROWS_PER_TASK = 10_000;

    static final int TOLERATED_FAILURES = 1000;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(2_000);
            case LAPTOP -> Size.rows(120_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(120_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(20_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        List<Integer> inFlight =
                size.rows() < ROWS_FOR_ALL_LEVELS ? List.of(FEW, 128, MANY) : List.of(FEW, 50, 128, 512, MANY);
        return Arm.grid(
                Map.entry(ORDER, List.of(Order.IN_ORDER, Order.SHUFFLED)),
                Map.entry(BATCHES, List.of(OFF, PARTITION)),
                Map.entry(
                        IN_FLIGHT,
                        inFlight.stream().map(BatchOffConcurrency::level).toList()));
    }

    private static String level(int inFlight) {
        return String.format(Locale.ROOT, "%,d", inFlight);
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        WideRows.createTable(context);
        WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, arm.level(ORDER, Order.class));
        int atOnce = tasksAtOnce(rows.count(), context.nodes());
        long rowsPerTask = Math.min(MAX_ROWS_PER_TASK, rows.count() / atOnce + 1);
        ConnectorTasks grouped =
                ConnectorTasks.into(context, TOLERATED_FAILURES).inFlight((int) arm.number(IN_FLIGHT));
        ConnectorTasks tasks = arm.level(BATCHES).equals(OFF) ? grouped.batchesOff() : grouped;
        return tasks.work(() -> rows.inTasks(context, rowsPerTask, atOnce, (from, to) -> tasks.write(rows, from, to)));
    }

    static int tasksAtOnce(long rows, int nodes) {
        return (int) Math.max(1, Math.min((long) ConnectorTasks.AT_ONCE_PER_NODE * nodes, rows / MIN_ROWS_PER_TASK));
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND,
                Figure.ROWS_PER_REQUEST,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU,
                Figure.P50,
                Figure.P99,
                Figure.ERRORS);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.LOG_LINES, ROWS_PER_SECOND, IN_FLIGHT, BATCHES),
                new Chart("How long a request takes", Chart.Kind.LOG_LINES, Figure.P99, IN_FLIGHT, BATCHES),
                new Chart("What a row costs the nodes", Chart.Kind.LOG_LINES, Figure.SERVER_CPU, IN_FLIGHT, BATCHES));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings inOrder = findings.where(ORDER, Order.IN_ORDER);
        Findings shuffled = findings.where(ORDER, Order.SHUFFLED);
        return List.of(
                Check.atLeast(
                                1.05,
                                "Out of order, single rows with 2,000 requests in flight for each task are faster than batches by partition with 5"
                                        + " (published: 1.2 times as fast)",
                                singles(shuffled, MANY).ratioTo(batches(shuffled), ROWS_PER_SECOND))
                        .named("single-shuffled"),
                Check.atMost(
                                0.8,
                                "In order, single rows with 2,000 requests in flight for each task are at most 0.8 times as fast as batches by partition"
                                        + " with 5 (published: 0.31 times)",
                                singles(inOrder, MANY).ratioTo(batches(inOrder), ROWS_PER_SECOND))
                        .named("single-in-order"),
                Check.atLeast(
                                1.05,
                                "Single rows are faster with more than 5 requests in flight for each task",
                                singles(inOrder, MANY).ratioTo(singles(inOrder, FEW), ROWS_PER_SECOND),
                                singles(shuffled, MANY).ratioTo(singles(shuffled, FEW), ROWS_PER_SECOND))
                        .named("more-in-flight"));
    }

    private static Findings singles(Findings findings, int inFlight) {
        return findings.where(BATCHES, OFF).where(IN_FLIGHT, level(inFlight));
    }

    private static Findings batches(Findings findings) {
        return findings.where(BATCHES, PARTITION).where(IN_FLIGHT, level(FEW));
    }
}
