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
import io.overdrive.bench.experiments.kit.WideRows.Order;
import java.util.List;
import java.util.Map;

/** E4, in Spark: rows in random order are sorted by key before they are written, within each task, or all of them. */
final class SparkSortFirst extends SparkExperiment {
    private static final String SORTED = "sorted";
    private static final int ROWS_PER_PARTITION = 100;

    /** Which rows are sorted first. */
    private enum Sorted {
        NOT("not at all", ""),
        IN_TASK("in each task", " SORT BY key, col1"),
        ALL("all rows", " ORDER BY key, col1");

        private final String words;
        private final String clause;

        Sorted(String words, String clause) {
            this.words = words;
            this.clause = clause;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    SparkSortFirst(SparkOptions options) {
        super(options);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(4_000);
            case LAPTOP -> Size.rows(240_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(240_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(2_000_000).repeat(10).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(CONNECTOR, connectors()), Map.entry(SORTED, List.of(Sorted.values())));
    }

    @Override
    Jobs jobs(ExperimentContext context) {
        String rows = SparkRows.of(context, ROWS_PER_PARTITION, Order.SHUFFLED).query(SparkProcess.tasksAtOnce());
        return arm -> write(context, rows + arm.level(SORTED, Sorted.class).clause, Map.of());
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
        return List.of(
                new Chart(
                        "How fast rows are written, sorting included",
                        Chart.Kind.BARS,
                        ROWS_PER_SECOND,
                        SORTED,
                        CONNECTOR),
                new Chart("What a row costs Spark", Chart.Kind.BARS, Figure.CLIENT_CPU, SORTED, CONNECTOR),
                new Chart("What a row costs the nodes", Chart.Kind.BARS, Figure.SERVER_CPU, SORTED, CONNECTOR));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings ours = findings.where(CONNECTOR, Connector.OVERDRIVE);
        Findings peer = findings.where(CONNECTOR, Connector.PEER);
        Findings unsorted = peer.where(SORTED, Sorted.NOT);
        return List.of(
                Check.atLeast(
                                1.5,
                                "By the connector for Spark 3, with all rows sorted first, the whole job is at least 1.5 times as fast (published:"
                                        + " several times)",
                                peer.where(SORTED, Sorted.ALL).ratioTo(unsorted, ROWS_PER_SECOND))
                        .named("all-sorted"),
                Check.atLeast(
                                1.3,
                                "By the connector for Spark 3, with the rows of each task sorted first, the whole job is at least 1.3 times as fast",
                                peer.where(SORTED, Sorted.IN_TASK).ratioTo(unsorted, ROWS_PER_SECOND))
                        .named("task-sorted"),
                Check.atLeast(
                                0.9,
                                "By Overdrive, unsorted rows are at least 0.9 times as fast as sorted ones (Overdrive's README)",
                                ours.where(SORTED, Sorted.NOT).ratioTo(ours.where(SORTED, Sorted.ALL), ROWS_PER_SECOND))
                        .named("unsorted-overdrive"),
                Check.atLeast(
                                1,
                                "Overdrive is at least as fast without sorting as the connector for Spark 3 with all rows sorted",
                                ours.where(SORTED, Sorted.NOT).ratioTo(peer.where(SORTED, Sorted.ALL), ROWS_PER_SECOND))
                        .named("overdrive-to-sorted"));
    }
}
