package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.CLIENT_CPU;
import static io.overdrive.bench.Figure.SECONDS;
import static io.overdrive.bench.Figure.SERVER_CPU;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.metadata.Node;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.DriverWriter;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Shuffle;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.CountedWork;
import io.overdrive.bench.experiments.kit.Replicas;
import io.overdrive.bench.stress.Values;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * E15. Rows that were bound beforehand are sent singly, or in batches of rows that share nothing, a replica, all replicas or their
 * partition, with several consistency levels, to a table with one row in each partition and to one with a hundred.
 */
final class WriteStrategies implements Experiment {
    private static final String SCHEMA = "schema";
    private static final String ONE_ROW = "1 row a partition";
    private static final String HUNDRED_ROWS = "100 rows a partition";
    private static final String STRATEGY = "strategy";

    /** Which rows share a batch. */
    private enum Strategy {
        INDIVIDUAL("individual"),
        ARBITRARY("any rows"),
        HOST("one replica"),
        PINNED("one replica, sent to it"),
        REPLICA_SET("replica set"),
        PARTITION("partition");

        private final String words;

        Strategy(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final String ROWS = "rows of a batch";
    private static final String CONSISTENCY = "consistency";

    private static final String TABLE = "example";
    private static final String DEFINITION =
            "(host text, bucket_time timestamp, service text, time timestamp, metric double, state text,"
                    + " PRIMARY KEY ((host, bucket_time, service), time)) WITH CLUSTERING ORDER BY (time DESC)";
    private static final String INSERT = "(host, bucket_time, service, time, metric, state) VALUES (?, ?, ?, ?, ?, ?)";
    private static final int UUID_BYTES = 36;
    private static final String STATE = "ok";
    private static final int ROW_BYTES = 2 * UUID_BYTES + 3 * Long.BYTES + STATE.length();
    private static final Instant BUCKET = Instant.parse("2016-09-07T00:00:00Z");

    private static final int IN_FLIGHT_PER_NODE = 1024;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(1_000);
            case LAPTOP -> Size.rows(40_000).repeat(10).nodes(3).replicationFactor(2);
            case DC2 -> Size.rows(40_000).repeat(4).datacenters(2).nodes(2).replicationFactor(2);
            case PAPER -> Size.rows(1_000_000).repeat(10).nodes(9).replicationFactor(3);
        };
    }

    @Override
    public List<Arm> arms(Size size) {
        boolean tiny = size.rows() < 10_000;
        boolean full = size.rows() >= 1_000_000;
        List<String> batches =
                tiny ? List.of("50") : full ? List.of("10", "50", "100", "250", "500") : List.of("50", "500");
        List<String> consistencies = tiny
                ? List.of("LOCAL_QUORUM")
                : full ? List.of("ALL", "LOCAL_QUORUM", "LOCAL_ONE") : List.of("ALL", "LOCAL_ONE");
        List<Arm> arms = new ArrayList<>();
        for (String schema : List.of(ONE_ROW, HUNDRED_ROWS)) {
            for (String consistency : consistencies) {
                arms.add(arm(schema, consistency, Strategy.INDIVIDUAL, "1"));
                for (Strategy strategy : List.of(
                        Strategy.ARBITRARY, Strategy.HOST, Strategy.PINNED, Strategy.REPLICA_SET, Strategy.PARTITION)) {
                    batches.forEach(rows -> arms.add(arm(schema, consistency, strategy, rows)));
                }
            }
        }
        return arms;
    }

    private static Arm arm(String schema, String consistency, Strategy strategy, String rows) {
        Map<String, String> levels = new LinkedHashMap<>();
        levels.put(SCHEMA, schema);
        levels.put(CONSISTENCY, consistency);
        levels.put(STRATEGY, strategy.toString());
        levels.put(ROWS, rows);
        return new Arm(levels);
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        context.createTable(TABLE, DEFINITION);
        List<BoundStatement> rows = rows(context, arm.level(SCHEMA).equals(ONE_ROW) ? 1 : 100);
        Replicas replicas = new Replicas(context);
        long seed = context.random("replicas").nextLong();
        Strategy strategy = arm.level(STRATEGY, Strategy.class);
        Grouping grouping =
                switch (strategy) {
                    case INDIVIDUAL, ARBITRARY -> (row, number) -> "";
                    case HOST, PINNED -> (row, number) -> replicas.any(row, Values.mix(seed, number));
                    case REPLICA_SET -> (row, number) -> replicas.of(row);
                    case PARTITION -> (row, number) -> row.getRoutingKey();
                };
        boolean pinned = strategy == Strategy.PINNED;
        int batchRows = (int) arm.number(ROWS);
        DriverWriter writer =
                new DriverWriter(context.session(), DefaultConsistencyLevel.valueOf(arm.level(CONSISTENCY)));
        // At LOCAL_ONE a replica has rows that others do not have yet.
        return new CountedWork(context, TABLE, DefaultConsistencyLevel.ALL) {
            @Override
            public RunOutcome run() {
                DriverWriter.Task task = writer.task(IN_FLIGHT_PER_NODE * context.nodes());
                BiConsumer<Object, List<BoundStatement>> send =
                        (key, group) -> task.send(group, pinned ? (Node) key : null);
                Map<Object, List<BoundStatement>> groups = new LinkedHashMap<>();
                for (int number = 0; number < rows.size() && !context.stopped(); number++) {
                    BoundStatement row = rows.get(number);
                    Object key = grouping.of(row, number);
                    List<BoundStatement> group = groups.computeIfAbsent(key, added -> new ArrayList<>());
                    group.add(row);
                    if (group.size() == batchRows) {
                        groups.remove(key);
                        send.accept(key, group);
                    }
                }
                groups.forEach(send);
                task.finish();
                return writer.done(ROW_BYTES);
            }
        };
    }

    /** Rows with equal keys may share a batch. */
    private interface Grouping {
        Object of(BoundStatement row, long number);
    }

    private static List<BoundStatement> rows(ExperimentContext context, int rowsPerPartition) {
        PreparedStatement insert =
                context.session().prepare("INSERT INTO " + context.keyspace() + "." + TABLE + " " + INSERT);
        long count = context.size().rows();
        long services = (long) Math.ceil(Math.sqrt((double) count / rowsPerPartition));
        long seed = context.random("rows").nextLong();
        Shuffle order = new Shuffle(count, seed);
        List<BoundStatement> rows = new ArrayList<>(Math.toIntExact(count));
        for (long place = 0; place < count && !context.stopped(); place++) {
            long number = order.at(place);
            long partition = number / rowsPerPartition;
            rows.add(insert.bind(
                    uuid(seed, 2 * (partition / services)),
                    BUCKET,
                    uuid(seed, 2 * (partition % services) + 1),
                    BUCKET.plusSeconds(number % rowsPerPartition),
                    (double) number,
                    STATE));
        }
        return rows;
    }

    private static String uuid(long seed, long number) {
        return new UUID(Values.mix(seed, 2 * number), Values.mix(seed, 2 * number + 1)).toString();
    }

    @Override
    public Figure mainFigure() {
        return SECONDS;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                SECONDS,
                CLIENT_CPU,
                SERVER_CPU,
                Figure.NODE_LOAD,
                Figure.ROWS_PER_REQUEST,
                Figure.PARTITIONS_PER_BATCH,
                Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("How long it takes", Chart.Kind.BARS, SECONDS, STRATEGY, ROWS),
                new Chart("What a row costs the client", Chart.Kind.BARS, CLIENT_CPU, STRATEGY, ROWS),
                new Chart("What a row costs the nodes", Chart.Kind.BARS, SERVER_CPU, STRATEGY, ROWS),
                new Chart("How busy the nodes are", Chart.Kind.BARS, Figure.NODE_LOAD, STRATEGY, ROWS));
    }

    @Override
    public List<Check> check(Findings findings) {
        List<Check> all = new ArrayList<>(ofBatches(findings));
        all.addAll(ofNodes(findings));
        all.addAll(ofPartitions(findings));
        return all;
    }

    private static List<Check> ofBatches(Findings findings) {
        Findings talk = findings.where(SCHEMA, ONE_ROW);
        Findings individual = talk.where(STRATEGY, Strategy.INDIVIDUAL);
        Findings host = talk.where(STRATEGY, Strategy.HOST).where(ROWS, "50");
        return List.of(
                Check.atMost(
                                0.9,
                                "In batches of 50 rows of one replica, rows take at most 0.9 of the time of single rows (published: shorter)",
                                host.ratioTo(individual, SECONDS))
                        .named("batches-time"),
                Check.atMost(
                                0.7,
                                "In batches of 50 rows of one replica, a row costs at most 0.7 of the client CPU of a single row (published: lower)",
                                host.ratioTo(individual, CLIENT_CPU))
                        .named("batches-client-cpu"),
                Check.atMost(
                                0.9,
                                "In batches of 50 rows of one replica, a row costs at most 0.9 of the nodes' CPU of a single row (published: lower)",
                                host.ratioTo(individual, SERVER_CPU))
                        .named("batches-nodes-cpu"),
                Check.atLeast(
                                0.9,
                                "Batches of 500 rows of one replica save less than a tenth of the time of batches of 50 (published: less is more)",
                                talk.where(STRATEGY, Strategy.HOST)
                                        .where(ROWS, "500")
                                        .ratioTo(host, SECONDS))
                        .named("less-is-more"));
    }

    private static List<Check> ofNodes(Findings findings) {
        Findings talk = findings.where(SCHEMA, ONE_ROW);
        Findings host = talk.where(STRATEGY, Strategy.HOST).where(ROWS, "50");
        Findings pinned = talk.where(STRATEGY, Strategy.PINNED).where(ROWS, "50");
        return List.of(
                whereNodesDiffer(
                        findings,
                        Check.atLeast(
                                        1.1,
                                        "Batches of any rows cost the nodes at least 1.1 times the CPU of batches of one replica that are sent to it"
                                                + " (published: lower with the latter, without figures)",
                                        talk.where(STRATEGY, Strategy.ARBITRARY)
                                                .where(ROWS, "50")
                                                .ratioTo(pinned, SERVER_CPU))
                                .named("any-rows-cost")),
                withCopies(
                        findings,
                        whereNodesDiffer(
                                findings,
                                Check.atLeast(
                                                1.05,
                                                "Batches of one replica cost the nodes at least 1.05 times the CPU if they are not sent to it, as in the code"
                                                        + " of the talk (no published figure)",
                                                host.ratioTo(pinned, SERVER_CPU))
                                        .named("sent-to-replica"))),
                withCopies(
                        findings,
                        Check.atLeast(
                                        1.05,
                                        "Single rows take at least 1.05 times as long with consistency ALL as with LOCAL_ONE (no published figure)",
                                        findings.where(STRATEGY, Strategy.INDIVIDUAL)
                                                .where(CONSISTENCY, "ALL")
                                                .ratioTo(
                                                        findings.where(STRATEGY, Strategy.INDIVIDUAL)
                                                                .where(CONSISTENCY, "LOCAL_ONE"),
                                                        SECONDS))
                                .named("consistency")));
    }

    private static List<Check> ofPartitions(Findings findings) {
        Findings talk = findings.where(SCHEMA, ONE_ROW);
        Findings individual = talk.where(STRATEGY, Strategy.INDIVIDUAL);
        Findings hundred = findings.where(SCHEMA, HUNDRED_ROWS);
        Findings partition = hundred.where(STRATEGY, Strategy.PARTITION).where(ROWS, "50");
        Findings others = hundred.where(arm -> arm.level(STRATEGY, Strategy.class) != Strategy.PARTITION)
                .where(ROWS, "1", "50");
        return List.of(
                Check.between(
                                0.9,
                                1.1,
                                "With 1 row a partition, grouping by partition is the same as single rows (the abstract of the talk speaks of one"
                                        + " partition key, but in its schema each row has its own)",
                                talk.where(STRATEGY, Strategy.PARTITION)
                                        .where(ROWS, "50")
                                        .ratioTo(individual, SECONDS))
                        .named("one-row-partitions"),
                Check.atMost(
                                0.9,
                                "With 100 rows a partition, batches of 50 rows of one partition take at most 0.9 of the time, and of the nodes' CPU, of"
                                        + " the best other strategy (published: the fast path)",
                                partition.ratioTo(others.best(STRATEGY, SECONDS), SECONDS),
                                partition.ratioTo(others.best(STRATEGY, SERVER_CPU), SERVER_CPU))
                        .named("partitions"));
    }

    private static Check whereNodesDiffer(Findings findings, Check measured) {
        return findings.size().replicationFactor() < findings.nodes()
                ? measured
                : measured.with(
                        Check.Verdict.CANNOT_BE_SHOWN, "every node holds all rows: there is nothing to group by");
    }

    private static Check withCopies(Findings findings, Check measured) {
        return findings.size().replicationFactor() > 1
                ? measured
                : measured.with(Check.Verdict.CANNOT_BE_SHOWN, "each row has only one replica");
    }
}
