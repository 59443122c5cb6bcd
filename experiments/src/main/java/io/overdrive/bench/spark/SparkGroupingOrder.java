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
import java.util.Locale;
import java.util.Map;

/**
 * E1, in Spark: a DataFrame is written in three orders and grouped in three ways, in tasks of 5,000 rows. Overdrive has no arm for batches of any
 * rows: it takes that setting as batches of one replica set.
 */
final class SparkGroupingOrder extends SparkExperiment {
    static final String ORDER = "order";
    static final String GROUPING = "grouping";

    /** Which rows share a batch, by the words of the connector for Spark 3. */
    enum Grouping {
        PARTITION("partition"),
        NONE("any rows"),
        REPLICA_SET("replica set");

        private final String words;

        Grouping(String words) {
            this.words = words;
        }

        /** The option of a table that is written. */
        Map<String, String> option() {
            return Map.of("spark.cassandra.output.batch.grouping.key", name().toLowerCase(Locale.ROOT));
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final int ROWS_PER_PARTITION = 20;
    private static final int ROWS_PER_TASK = 5_000;

    SparkGroupingOrder(SparkOptions options) {
        super(options);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(2_000);
            case LAPTOP -> Size.rows(200_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(200_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(2_000_000).repeat(10).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(
                        Map.entry(CONNECTOR, connectors()),
                        Map.entry(ORDER, List.of(Order.values())),
                        Map.entry(GROUPING, List.of(Grouping.values())))
                .stream()
                .filter(arm -> arm.level(CONNECTOR, Connector.class) == Connector.PEER
                        || arm.level(GROUPING, Grouping.class) != Grouping.NONE)
                .toList();
    }

    @Override
    Jobs jobs(ExperimentContext context) {
        return arm -> {
            SparkRows rows = SparkRows.of(context, ROWS_PER_PARTITION, arm.level(ORDER, Order.class));
            return write(
                    context,
                    rows.query(Math.max(2, rows.count() / ROWS_PER_TASK)),
                    arm.level(GROUPING, Grouping.class).option());
        };
    }

    @Override
    public Figure mainFigure() {
        return ROWS_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                ROWS_PER_SECOND, Figure.SECONDS, Figure.CLIENT_CPU, Figure.SERVER_CPU, Figure.PARTITIONS_PER_BATCH);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How fast rows are written", Chart.Kind.BARS, ROWS_PER_SECOND, GROUPING, ORDER),
                new Chart("What a row costs Spark", Chart.Kind.BARS, Figure.CLIENT_CPU, GROUPING, ORDER),
                new Chart("What a row costs the nodes", Chart.Kind.BARS, Figure.SERVER_CPU, GROUPING, ORDER));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings ours = findings.where(CONNECTOR, Connector.OVERDRIVE).where(GROUPING, Grouping.PARTITION);
        Findings peer = findings.where(CONNECTOR, Connector.PEER);
        Findings byPartition = peer.where(GROUPING, Grouping.PARTITION);
        Findings anyRows = peer.where(GROUPING, Grouping.NONE);
        return List.of(
                Check.atLeast(
                                1.3,
                                "By the connector for Spark 3, grouped by partition, rows in order are at least 1.3 times as fast as rows out of"
                                        + " order (published: 2.75 times)",
                                byPartition
                                        .where(ORDER, Order.IN_ORDER)
                                        .ratioTo(byPartition.where(ORDER, Order.SHUFFLED), ROWS_PER_SECOND),
                                byPartition
                                        .where(ORDER, Order.IN_ORDER)
                                        .ratioTo(byPartition.where(ORDER, Order.ROUND_ROBIN), ROWS_PER_SECOND))
                        .named("in-order-by-partition"),
                Check.atLeast(
                                1.1,
                                "In batches of any rows, rows in order are faster as well (published: 1.8 times)",
                                anyRows.where(ORDER, Order.IN_ORDER)
                                        .ratioTo(anyRows.where(ORDER, Order.SHUFFLED), ROWS_PER_SECOND))
                        .named("in-order-any-rows"),
                Check.atLeast(
                                1.3,
                                "Out of order, batches of any rows are at least 1.3 times as fast as batches by partition (published: 2.5 times)",
                                anyRows.where(ORDER, Order.SHUFFLED)
                                        .ratioTo(byPartition.where(ORDER, Order.SHUFFLED), ROWS_PER_SECOND))
                        .named("any-rows-shuffled"),
                Check.between(
                                0.8,
                                1.25,
                                "By Overdrive, rows out of order are about as fast as rows in order (Overdrive's README)",
                                ours.where(ORDER, Order.SHUFFLED)
                                        .ratioTo(ours.where(ORDER, Order.IN_ORDER), ROWS_PER_SECOND),
                                ours.where(ORDER, Order.ROUND_ROBIN)
                                        .ratioTo(ours.where(ORDER, Order.IN_ORDER), ROWS_PER_SECOND))
                        .named("order-overdrive"),
                Check.atLeast(
                                1,
                                "Overdrive is faster than the connector for Spark 3, in order and out of order (Overdrive's PERFORMANCE.md: 2.3 and"
                                        + " 6.9 times)",
                                ours.where(ORDER, Order.IN_ORDER)
                                        .ratioTo(byPartition.where(ORDER, Order.IN_ORDER), ROWS_PER_SECOND),
                                ours.where(ORDER, Order.SHUFFLED)
                                        .ratioTo(byPartition.where(ORDER, Order.SHUFFLED), ROWS_PER_SECOND))
                        .named("overdrive-faster"));
    }
}
