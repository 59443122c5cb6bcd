package io.overdrive.bench.experiments;

import static io.overdrive.bench.Figure.MEGABYTES_PER_SECOND;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import io.overdrive.bench.Arm;
import io.overdrive.bench.Chart;
import io.overdrive.bench.Check;
import io.overdrive.bench.DriverWriter;
import io.overdrive.bench.Estimate;
import io.overdrive.bench.Experiment;
import io.overdrive.bench.ExperimentContext;
import io.overdrive.bench.Figure;
import io.overdrive.bench.Findings;
import io.overdrive.bench.Preset;
import io.overdrive.bench.RunOutcome;
import io.overdrive.bench.Size;
import io.overdrive.bench.experiments.kit.CountedWork;
import io.overdrive.bench.experiments.kit.GroupingBuffer;
import io.overdrive.bench.experiments.kit.Payload;
import io.overdrive.bench.experiments.kit.Replicas;
import io.overdrive.bench.experiments.kit.ServerLimits;
import io.overdrive.bench.experiments.kit.Tasks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * E9. The same bytes are written in requests of different sizes. A size is reached by one large row, by a batch of rows of one partition,
 * or by a batch of rows of many partitions that one node holds. All arms have the same number of bytes in flight, as far as possible.
 */
final class WriteSizeSweep implements Experiment {
    private static final String REQUEST = "request";
    private static final String MADE_OF = "made of";

    /** The content that fills a request. */
    private enum MadeOf {
        ROW("one row"),
        PARTITION("rows of one partition"),
        NODE("rows of one node");

        private final String words;

        MadeOf(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    private static final List<String> SIZES = List.of("100 B", "1 kB", "10 kB", "100 kB", "1 MB", "10 MB");
    private static final List<String> MORE_SIZES =
            List.of("100 B", "1 kB", "4 kB", "10 kB", "32 kB", "100 kB", "1 MB", "10 MB");
    private static final long ROWS_OF_A_LONG_RUN = 10_000_000;

    private static final String TABLE = "sizes";
    private static final int ROW_BYTES = 100;
    /** The key and the number of the row. */
    private static final int KEY_BYTES = Long.BYTES + Integer.BYTES;
    /** The protocol counts the rows of a batch in 16 bits. */
    private static final int MAX_ROWS_OF_A_BATCH = 50_000;

    /** Minimum for a run, however large the requests are. */
    private static final int MIN_REQUESTS = 6;
    /** Skip a request size if its minimum number of requests would write more than this multiple of a normal run. */
    private static final int MAX_MULTIPLE_OF_BYTES = 4;

    /** Rows of this size and more are written so fast that a short run writes a multiple of the bytes. */
    private static final int LARGE_ROW_BYTES = 10_000;

    private static final int MULTIPLE_FOR_LARGE_ROWS = 10;

    private static final long BYTES_IN_FLIGHT_PER_NODE = 4_000_000;
    private static final int MAX_IN_FLIGHT_PER_NODE = 2048;

    @Override
    public Size size(Preset preset) {
        return switch (preset) {
            case TINY -> Size.rows(3_000);
            case LAPTOP -> Size.rows(150_000).repeat(5).nodes(3);
            case DC2 -> Size.rows(150_000).repeat(5).datacenters(2).nodes(2);
            case PAPER -> Size.rows(20_000_000).repeat(10).nodes(5).replicationFactor(3);
        };
    }

    @Override
    public Map<String, String> serverSettings() {
        return Map.of(
                "native_transport_max_request_data_in_flight_per_ip",
                "64MiB",
                "native_transport_max_request_data_in_flight",
                "128MiB",
                "write_request_timeout",
                "20s");
    }

    /** Requests of 100 bytes are one row in any case. */
    @Override
    public List<Arm> arms(Size size) {
        List<Arm> arms = new ArrayList<>();
        for (MadeOf way : MadeOf.values()) {
            for (String request : size.rows() < ROWS_OF_A_LONG_RUN ? SIZES : MORE_SIZES) {
                Map<String, String> levels = new LinkedHashMap<>();
                levels.put(MADE_OF, way.toString());
                levels.put(REQUEST, request);
                Arm arm = new Arm(levels);
                long bytes = requestBytes(arm);
                boolean fits = bytes * MIN_REQUESTS <= MAX_MULTIPLE_OF_BYTES * size.rows() * ROW_BYTES;
                if (fits && (bytes > ROW_BYTES || way == MadeOf.ROW)) {
                    arms.add(arm);
                }
            }
        }
        return arms;
    }

    @Override
    public Prepared prepare(ExperimentContext context) {
        return arm -> work(context, arm);
    }

    private static Work work(ExperimentContext context, Arm arm) {
        int requestBytes = requestBytes(arm);
        MadeOf madeOf = arm.level(MADE_OF, MadeOf.class);
        boolean oneRow = madeOf == MadeOf.ROW;
        ServerLimits limits = ServerLimits.of(context.session());
        Optional<String> refused = oneRow ? limits.refusesRequest(requestBytes) : limits.refusesBatch(requestBytes);
        if (refused.isPresent()) {
            throw new IllegalStateException("left out because this cluster would refuse it: " + refused.get());
        }
        int rowBytes = oneRow ? requestBytes : batchRowBytes(requestBytes);
        int rowsPerRequest = requestBytes / rowBytes;
        context.createTable(TABLE, "(key bigint, number int, value blob, PRIMARY KEY (key, number))");
        PreparedStatement insert = context.session()
                .prepare("INSERT INTO " + context.keyspace() + "." + TABLE + " (key, number, value) VALUES (?, ?, ?)");
        Payload payload = new Payload(context.random("values").nextLong(), requestBytes);
        long requests = requests(arm, context.size());
        int inFlight = inFlight(requestBytes, context.nodes());
        int tasks = Math.min(inFlight, Runtime.getRuntime().availableProcessors());
        DriverWriter writer = new DriverWriter(context.session(), DefaultConsistencyLevel.LOCAL_QUORUM);
        Function<DriverWriter.Task, RequestMaker> made = madeOf == MadeOf.NODE
                ? task -> new OfNodes(task, new Replicas(context), rowBytes, requestBytes)
                : OfPartitions::new;
        return new CountedWork(context, TABLE) {
            @Override
            public RunOutcome run() {
                Tasks.run(tasks, tasks, context::stopped, number -> {
                    DriverWriter.Task task = writer.task(inFlight / tasks);
                    RequestMaker out = made.apply(task);
                    long end = requests * (number + 1) / tasks;
                    for (long request = requests * number / tasks; request < end && !context.stopped(); request++) {
                        for (int row = 0; row < rowsPerRequest; row++) {
                            long place = request * rowsPerRequest + row;
                            long key = madeOf == MadeOf.NODE ? place : request;
                            out.add(insert.bind(key, row, payload.at(place, rowBytes - KEY_BYTES)));
                        }
                        out.endOfPartition();
                    }
                    out.flush();
                    task.finish();
                });
                return writer.done(rowBytes);
            }
        };
    }

    /** The number of requests in a run. */
    static long requests(Arm arm, Size size) {
        int requestBytes = requestBytes(arm);
        boolean large = arm.level(MADE_OF, MadeOf.class) == MadeOf.ROW && requestBytes >= LARGE_ROW_BYTES;
        int times = large && size.rows() < ROWS_OF_A_LONG_RUN ? MULTIPLE_FOR_LARGE_ROWS : 1;
        long bytes = size.rows() * ROW_BYTES * times;
        return Math.max(MIN_REQUESTS, bytes / requestBytes);
    }

    static int requestBytes(Arm arm) {
        return (int) arm.number(REQUEST);
    }

    /** Bytes of each row in a batch of this many bytes. */
    static int batchRowBytes(int requestBytes) {
        return Math.max(ROW_BYTES, requestBytes / MAX_ROWS_OF_A_BATCH);
    }

    /** Maximum number of requests in flight. */
    static int inFlight(int requestBytes, int nodes) {
        return (int) Math.max(2, Math.min(MAX_IN_FLIGHT_PER_NODE, BYTES_IN_FLIGHT_PER_NODE / requestBytes) * nodes);
    }

    /** Makes requests of rows. Confined to one thread. */
    private interface RequestMaker {
        void add(BoundStatement row);

        void endOfPartition();

        void flush();
    }

    /** Each partition is a request. */
    private static final class OfPartitions implements RequestMaker {
        private final DriverWriter.Task task;
        private final List<BoundStatement> rows = new ArrayList<>();

        private OfPartitions(DriverWriter.Task task) {
            this.task = task;
        }

        @Override
        public void add(BoundStatement row) {
            rows.add(row);
        }

        @Override
        public void endOfPartition() {
            task.send(List.copyOf(rows));
            rows.clear();
        }

        @Override
        public void flush() {}
    }

    /** Rows wait for others of the same node. */
    private static final class OfNodes implements RequestMaker {
        private final Replicas replicas;
        private final GroupingBuffer<BoundStatement> buffer;

        private OfNodes(DriverWriter.Task task, Replicas replicas, int rowBytes, int requestBytes) {
            this.replicas = replicas;
            this.buffer = new GroupingBuffer<>(
                    rows -> task.send(rows, replicas.first(rows.get(0))), rowBytes, requestBytes, Integer.MAX_VALUE);
        }

        @Override
        public void add(BoundStatement row) {
            buffer.add(replicas.first(row), row);
        }

        @Override
        public void endOfPartition() {}

        @Override
        public void flush() {
            buffer.flush();
        }
    }

    @Override
    public Figure mainFigure() {
        return MEGABYTES_PER_SECOND;
    }

    @Override
    public List<Figure> tableFigures() {
        return List.of(
                MEGABYTES_PER_SECOND,
                Figure.CLIENT_CPU_PER_MEGABYTE,
                Figure.SERVER_CPU_PER_MEGABYTE,
                Figure.ROWS_PER_SECOND,
                Figure.ROWS_PER_REQUEST,
                Figure.P50,
                Figure.P99);
    }

    @Override
    public List<Chart> charts() {
        return List.of(
                new Chart("Bytes written per second", Chart.Kind.LOG_LINES, MEGABYTES_PER_SECOND, REQUEST, MADE_OF),
                new Chart(
                        "What a megabyte costs the nodes",
                        Chart.Kind.LOG_LINES,
                        Figure.SERVER_CPU_PER_MEGABYTE,
                        REQUEST,
                        MADE_OF),
                new Chart(
                        "What a megabyte costs the client",
                        Chart.Kind.LOG_LINES,
                        Figure.CLIENT_CPU_PER_MEGABYTE,
                        REQUEST,
                        MADE_OF),
                new Chart("How long requests take", Chart.Kind.LOG_LINES, Figure.P99, REQUEST, MADE_OF));
    }

    @Override
    public List<Check> check(Findings findings) {
        return List.of(
                peak(findings),
                end(findings, "1 kB", "about a ninth"),
                end(findings, "10 MB", "about a tenth"),
                Check.between(
                                0.8,
                                1.25,
                                "Bytes count, not rows: 100 kB as a thousand rows of one partition are written about as fast as in"
                                        + " one row",
                                findings.where(REQUEST, "100 kB")
                                        .where(MADE_OF, MadeOf.PARTITION)
                                        .ratioTo(
                                                findings.where(REQUEST, "100 kB")
                                                        .where(MADE_OF, MadeOf.ROW),
                                                MEGABYTES_PER_SECOND))
                        .named("rows-or-bytes"));
    }

    private static Check peak(Findings findings) {
        String claim =
                "In each of the three ways, some size of 4 to 256 kB writes more bytes per second than all smaller or"
                        + " larger ones (published: the peak is at 10 to 100 kB)";
        if (findings.arms().stream().noneMatch(arm -> requestBytes(arm) > 256_000)) {
            return Check.cannotBeShown(claim, "no larger requests were written: that needs more rows")
                    .named("peak");
        }
        return Check.atLeast(
                        1,
                        claim,
                        perWay(
                                way -> best(way.where(WriteSizeSweep::isMiddle))
                                        .ratioTo(best(way.where(arm -> !isMiddle(arm))), MEGABYTES_PER_SECOND),
                                findings))
                .named("peak");
    }

    private static boolean isMiddle(Arm arm) {
        return requestBytes(arm) >= 4_000 && requestBytes(arm) <= 256_000;
    }

    private static Check end(Findings findings, String request, String published) {
        return Check.atMost(
                        0.6,
                        "In each of the three ways, requests of " + request
                                + " write at most 0.6 of the bytes per second of the best size (published: " + published
                                + ")",
                        perWay(way -> way.where(REQUEST, request).ratioTo(best(way), MEGABYTES_PER_SECOND), findings))
                .named("size " + request);
    }

    private static Estimate[] perWay(Function<Findings, Estimate> of, Findings findings) {
        return Stream.of(MadeOf.values())
                .map(way -> of.apply(findings.where(MADE_OF, way)))
                .toArray(Estimate[]::new);
    }

    private static Findings best(Findings findings) {
        return findings.best(REQUEST, MEGABYTES_PER_SECOND);
    }
}
