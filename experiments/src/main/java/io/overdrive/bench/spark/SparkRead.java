package io.overdrive.bench.spark;

import static io.overdrive.bench.Figure.ROWS_PER_SECOND;

import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.Preload;
import io.overdrive.bench.stress.Values;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The read tests of spark-cassandra-stress, on its table of orders of T-shirts. */
final class SparkRead extends SparkExperiment {
    private static final String READING = "reading";

    private static final String TABLE = "orders";
    private static final String STORE = "Store ";
    private static final int ROWS_PER_STORE = 20;
    private static final int SHARE_OF_KEYS = 10;
    private static final int KEYS_OF_IN = 2_000;
    /** Time of the first order of each store; the others follow by a second each. */
    private static final long FIRST_ORDER_MILLIS = 1_700_000_000_000L;

    /** Bytes of the values of a row, about. */
    private static final int ROW_BYTES = 12 + 8 + 16 + 6 + 2 + 4;

    /** The columns that are read. */
    private enum Reading {
        ONE("1 column", "store"),
        TWO("2 columns", "store, order_time"),
        THREE("3 columns", "store, order_time, order_number"),
        FOUR("4 columns", "store, order_time, order_number, color"),
        FIVE("5 columns", "store, order_time, order_number, color, size"),
        ALL("6 columns", "*"),
        COUNT("count", "count(*) AS n"),
        CLUSTERING("condition on a clustering column", "*"),
        IN("IN of 2,000 keys", "*"),
        JOIN("join by RDD", ""),
        REPLICA_JOIN("join by RDD, by replica", "");

        private final String words;
        private final String columns;

        Reading(String words, String columns) {
            this.words = words;
            this.columns = columns;
        }

        boolean isRdd() {
            return columns.isEmpty();
        }

        @Override
        public String toString() {
            return words;
        }
    }

    SparkRead(SparkOptions options) {
        super(options);
    }

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(4_000);
            case LAPTOP -> Size.rows(1_000_000).repeat(3).nodes(3);
            case DC2 -> Size.rows(1_000_000).repeat(3).datacenters(2).nodes(2);
            case PAPER -> Size.rows(20_000_000).repeat(5).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        return Arm.grid(Map.entry(CONNECTOR, connectors()), Map.entry(READING, List.of(Reading.values()))).stream()
                .filter(arm ->
                        !arm.level(READING, Reading.class).isRdd() || hasRdds(arm.level(CONNECTOR, Connector.class)))
                .toList();
    }

    @Override
    Jobs jobs(ExperimentContext context) {
        long stores = stores(context.size());
        long seed = context.random("rows").nextLong();
        context.createTable(
                TABLE,
                "(store text, order_time timestamp, order_number uuid, color text, size text, qty int,"
                        + " PRIMARY KEY (store, order_time, order_number))");
        Preload.rows(
                context,
                TABLE,
                List.of("store", "order_time", "order_number", "color", "size", "qty"),
                stores * ROWS_PER_STORE,
                (row, number) -> {
                    long random = Values.mix(seed, number);
                    row.setText(0, STORE + number / ROWS_PER_STORE);
                    row.setLong(1, FIRST_ORDER_MILLIS + number % ROWS_PER_STORE * 1000);
                    row.setUuid(2, new UUID(random, number));
                    row.setText(3, Values.text(seed, number, 6));
                    row.setText(4, "XL");
                    row.setInt(5, 1);
                });
        return arm -> run(context, arm.level(READING, Reading.class), stores);
    }

    /** How many partitions a table of this size has. */
    static long stores(Size size) {
        return Math.max(SHARE_OF_KEYS, size.rows() / ROWS_PER_STORE);
    }

    private static Run run(ExperimentContext context, Reading reading, long stores) {
        if (reading.isRdd()) {
            long keys = stores / SHARE_OF_KEYS;
            SparkJob.Keys of =
                    new SparkJob.Keys(context.keyspace(), TABLE, "store", STORE, keys, reading == Reading.REPLICA_JOIN);
            return new Run(SparkJob.lookingUp(of), ROW_BYTES, answer -> keys * ROWS_PER_STORE);
        }
        long rows = rows(reading, stores);
        String sum = reading.columns.equals("*") ? "sum(qty)" : reading == Reading.COUNT ? "sum(n)" : "count(store)";
        return new Run(
                SparkJob.reading(
                        "SELECT " + reading.columns + " FROM " + SparkJob.ROWS + where(reading, stores),
                        SparkJob.table(context, TABLE, Map.of()),
                        Map.of("rows", reading == Reading.COUNT ? "sum(n)" : "count(1)", "sum", sum)),
                ROW_BYTES,
                answer -> checked(answer, rows, rows));
    }

    /** How many rows are read; the quantity of each is 1. */
    private static long rows(Reading reading, long stores) {
        return switch (reading) {
            case CLUSTERING -> stores * ROWS_PER_STORE / 2;
            case IN -> Math.min(KEYS_OF_IN, stores) * ROWS_PER_STORE;
            default -> stores * ROWS_PER_STORE;
        };
    }

    private static String where(Reading reading, long stores) {
        return switch (reading) {
            case CLUSTERING ->
                " WHERE order_time < timestamp_millis(" + (FIRST_ORDER_MILLIS + ROWS_PER_STORE / 2 * 1000) + ")";
            case IN ->
                LongStream.range(0, Math.min(KEYS_OF_IN, stores))
                        .mapToObj(number -> "'" + STORE + number * (stores / Math.min(KEYS_OF_IN, stores)) + "'")
                        .collect(Collectors.joining(", ", " WHERE store IN (", ")"));
            default -> "";
        };
    }

    @Override
    public Figure mainFigure() {
        return Figure.SECONDS;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(Figure.SECONDS, ROWS_PER_SECOND, Figure.CLIENT_CPU, Figure.SERVER_CPU);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How long a job takes", Chart.Kind.BARS, Figure.SECONDS, READING, CONNECTOR),
                new Chart("What a row costs Spark", Chart.Kind.BARS, Figure.CLIENT_CPU, READING, CONNECTOR),
                new Chart("What a row costs the nodes", Chart.Kind.BARS, Figure.SERVER_CPU, READING, CONNECTOR));
    }

    @Override
    public List<Check> check(Findings findings) {
        Findings ours = findings.where(CONNECTOR, Connector.OVERDRIVE);
        Findings peer = findings.where(CONNECTOR, Connector.PEER);
        return List.of(
                Check.atLeast(
                                1,
                                "By the connector for Spark 3, all columns take longer than one",
                                peer.where(READING, Reading.ALL)
                                        .ratioTo(peer.where(READING, Reading.ONE), Figure.SECONDS))
                        .named("columns"),
                Check.atLeast(
                                1,
                                "By the connector for Spark 3, a join takes longer if its keys are repartitioned by replica first, where executors"
                                        + " are on one machine",
                                peer.where(READING, Reading.REPLICA_JOIN)
                                        .ratioTo(peer.where(READING, Reading.JOIN), Figure.SECONDS))
                        .named("repartition"),
                faster(
                        "overdrive-columns",
                        "Overdrive reads one column, and all columns, of a table in less time",
                        ours,
                        peer,
                        Reading.ONE,
                        Reading.ALL),
                faster("overdrive-count", "Overdrive counts a table in less time", ours, peer, Reading.COUNT),
                faster(
                        "overdrive-clustering",
                        "Overdrive reads rows by a condition on a clustering column in less time",
                        ours,
                        peer,
                        Reading.CLUSTERING),
                faster("overdrive-list", "Overdrive reads a list of 2,000 keys in less time", ours, peer, Reading.IN),
                faster(
                        "overdrive-join",
                        "Overdrive joins a tenth of the keys in less time",
                        ours,
                        peer,
                        Reading.JOIN,
                        Reading.REPLICA_JOIN));
    }

    private static Check faster(String id, String claim, Findings ours, Findings peer, Reading... readings) {
        return Check.atLeast(
                        1,
                        claim + " than the connector for Spark 3",
                        List.of(readings).stream()
                                .map(reading -> peer.where(READING, reading)
                                        .ratioTo(ours.where(READING, reading), Figure.SECONDS))
                                .toArray(Estimate[]::new))
                .named(id);
    }
}
