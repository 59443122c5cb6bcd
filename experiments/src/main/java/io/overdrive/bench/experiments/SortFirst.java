package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import com.datastax.oss.driver.api.core.metadata.TokenMap;
import com.datastax.oss.driver.api.core.metadata.token.Token;
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
import io.overdrive.bench.experiments.kit.WideRows;
import io.overdrive.bench.experiments.kit.WideRows.Order;
import io.overdrive.bench.experiments.kit.WideRows.Row;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * E4. Rows in random order are sorted by token and key before they are written: within each task, or all of them. Sorting is part of what is
 * measured.
 */
final class SortFirst implements Experiment {
    private static final String SORTED = "sorted";

    /** Which rows are sorted first, and by which writer they are written. */
    private enum Sorted {
        NOT("not at all"),
        IN_TASK("in each task"),
        ALL("all rows"),
        OVERDRIVE("not at all, Overdrive");

        private final String words;

        Sorted(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final int ROWS_PER_PARTITION = 100;
    /** Like the connector's 1000 for 20,000 partitions. */
    static final int PARTITIONS_FOR_AN_OPEN_BATCH = 20;

    /** A row and its token. */
    private record Placed(Token token, Row row) {}

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(4_000);
            case LAPTOP -> Size.rows(240_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(240_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(2_000_000).repeat(10).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(SORTED, List.of(Sorted.values())));
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        WideRows.createTable(context);
        WideRows rows = WideRows.of(context, ROWS_PER_PARTITION, Order.SHUFFLED);
        int threads = ConnectorTasks.AT_ONCE_PER_NODE * context.nodes();
        long rowsPerTask = rows.count() / threads + 1;
        ConnectorTasks tasks = ConnectorTasks.into(context).openBatches((int)
                Math.min(ConnectorTasks.OPEN_BATCHES, rows.partitions() / PARTITIONS_FOR_AN_OPEN_BATCH + 1));
        Sorter sorter = new Sorter(context);
        return switch (arm.level(SORTED, Sorted.class)) {
            case NOT -> tasks.work(rows, rowsPerTask);
            case IN_TASK ->
                tasks.work(
                        () -> rows.inTasks(
                                context,
                                rowsPerTask,
                                (from, to) -> write(
                                        tasks,
                                        sorter.sort(LongStream.range(from, to).mapToObj(rows::at)))),
                        () -> sorter.figures(threads));
            case ALL ->
                tasks.work(
                        () -> {
                            List<Row> sorted = sorter.sort(
                                    LongStream.range(0, rows.count()).parallel().mapToObj(rows::at));
                            rows.inTasks(
                                    context,
                                    rowsPerTask,
                                    (from, to) -> write(tasks, sorted.subList((int) from, (int) to)));
                        },
                        () -> sorter.figures(1));
            case OVERDRIVE -> OverdriveWork.inTasks(context, rows, rowsPerTask);
        };
    }

    private static void write(ConnectorTasks tasks, List<Row> rows) {
        ConnectorTasks.Task task = tasks.begin();
        rows.forEach(task::write);
        task.finish();
    }

    /** Sorts rows by token, and adds up how long that takes. Thread-safe. */
    private static final class Sorter {
        private static final Comparator<Placed> ORDER = Comparator.comparing(Placed::token)
                .thenComparingLong(placed -> placed.row().key())
                .thenComparing(placed -> placed.row().col1());

        private final TokenMap tokens;
        private final LongAdder nanos = new LongAdder();

        private Sorter(ExperimentContext context) {
            tokens = context.session()
                    .getMetadata()
                    .getTokenMap()
                    .orElseThrow(() -> new IllegalStateException("the driver has no tokens of this cluster"));
        }

        List<Row> sort(Stream<Row> unsorted) {
            Row[] rows = unsorted.toArray(Row[]::new);
            long start = System.nanoTime();
            Placed[] placed = new Placed[rows.length];
            Arrays.parallelSetAll(placed, i -> new Placed(tokens.newToken(key(rows[i])), rows[i]));
            Arrays.parallelSort(placed, ORDER);
            nanos.add(System.nanoTime() - start);
            return Arrays.stream(placed).map(Placed::row).toList();
        }

        private static ByteBuffer key(Row row) {
            return ByteBuffer.allocate(Long.BYTES).putLong(0, row.key());
        }

        /** The mean sorting time of this number of threads that called {@link #sort}. */
        Map<Figure, Double> figures(int threads) {
            return Map.of(Figure.SORTING, nanos.sum() / 1e9 / threads);
        }
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
                Figure.SORTING,
                Figure.ROWS_PER_REQUEST,
                Figure.CLIENT_CPU,
                Figure.SERVER_CPU);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart(
                        "How fast rows are written, sorting included", Chart.Kind.BARS, ROWS_PER_SECOND, SORTED, null),
                new Chart("Time for sorting", Chart.Kind.BARS, Figure.SORTING, SORTED, null),
                new Chart("What a row costs the nodes", Chart.Kind.BARS, Figure.SERVER_CPU, SORTED, null));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings unsorted = findings.where(SORTED, Sorted.NOT);
        return List.of(
                Check.atLeast(
                                1.5,
                                "With all rows sorted first, the whole job is at least 1.5 times as fast (published: several times)",
                                findings.where(SORTED, Sorted.ALL).ratioTo(unsorted, ROWS_PER_SECOND))
                        .named("all-sorted"),
                Check.atLeast(
                                1.3,
                                "With the rows of each task sorted first, the whole job is at least 1.3 times as fast",
                                findings.where(SORTED, Sorted.IN_TASK).ratioTo(unsorted, ROWS_PER_SECOND))
                        .named("task-sorted"),
                Check.atLeast(
                                1,
                                "Overdrive's grouping is at least as fast without sorting as the driver with all rows sorted",
                                findings.where(SORTED, Sorted.OVERDRIVE)
                                        .ratioTo(findings.where(SORTED, Sorted.ALL), ROWS_PER_SECOND))
                        .named("overdrive-to-sorted"));
    }
}
