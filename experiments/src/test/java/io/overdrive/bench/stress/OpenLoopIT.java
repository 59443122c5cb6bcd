package io.overdrive.bench.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.ConnectOptions;
import io.overdrive.Overdrive;
import io.overdrive.OverdriveException;
import io.overdrive.bench.run.BenchNode;
import io.overdrive.bench.stress.RateSearch.Found;
import io.overdrive.local.Node;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Loads on a real node. */
@Timeout(300)
class OpenLoopIT {
    private static final String KEYSPACE = "loads";
    private static final Node NODE = BenchNode.node().nodes().get(0);
    private static final Overdrive OVERDRIVE = connect();

    private static Overdrive connect() {
        ConnectOptions.Builder options = ConnectOptions.builder()
                .contactPoint(NODE.address())
                .datacenter(NODE.datacenter())
                .driverSetting("advanced.heartbeat.timeout", "60 seconds"); // a slow node is not dead
        return Overdrive.connect(options.build());
    }

    @AfterAll
    static void disconnect() {
        OVERDRIVE.close();
    }

    @BeforeAll
    static void makeKeyspace() {
        execute("CREATE KEYSPACE " + KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    }

    private static List<Row> execute(String cql) {
        return OVERDRIVE.session().execute(cql).all();
    }

    private static long count(String table) {
        return execute("SELECT count(*) FROM " + KEYSPACE + "." + table).get(0).getLong(0);
    }

    private static StressOptions.Builder on(String table) {
        return StressOptions.on(KEYSPACE, table)
                .rate(500)
                .duration(Duration.ofSeconds(2))
                .keys(1000);
    }

    private static StressOptions.Builder created(String table) {
        StressOptions.Builder options = on(table);
        assertThat(Stress.createIfMissing(OVERDRIVE, options.build())).hasSize(1);
        return options;
    }

    private static StressResult run(StressOptions options) {
        try (Stress load = Stress.start(OVERDRIVE, options)) {
            return load.await();
        }
    }

    @Test
    void writesAsManyRowsAsItReports() {
        StressResult result =
                run(created("written").distribution(Distribution.SEQUENTIAL).build());

        assertThat(result.errors()).isEmpty();
        assertThat(result.all().due()).isEqualTo(1000);
        assertThat(result.all().done()).isEqualTo(1000);
        assertThat(result.unsent() + result.unanswered() + result.all().inFlight())
                .isZero();
        assertThat(result.complete()).isTrue();
        assertThat(count("written")).isEqualTo(1000);
        // no operation is sent before it is due
        assertThat(result.all().to()).isGreaterThanOrEqualTo(999 / 500.0);
        assertThat(result.all().response().count()).isEqualTo(1000);
    }

    @Test
    void writesTheRowsThatPopulateWrites() {
        for (String table : List.of("one_way", "other_way")) {
            execute("CREATE TABLE " + KEYSPACE + "." + table
                    + " (a int, b text, c smallint, d timeuuid, s text static, v text, w blob, PRIMARY KEY"
                    + " ((a, b), c, d))");
        }
        Stress.populate(
                OVERDRIVE, on("one_way").rowsPerPartition(7).valueBytes(33).build());
        StressResult result = run(on("other_way")
                .rowsPerPartition(7)
                .valueBytes(33)
                .distribution(Distribution.SEQUENTIAL)
                .build());

        assertThat(result.errors()).isEmpty();
        assertThat(rows("one_way")).hasSize(1000).containsExactlyInAnyOrderElementsOf(rows("other_way"));
        assertThat(execute("SELECT DISTINCT a, b FROM " + KEYSPACE + ".one_way"))
                .hasSize(143);
        assertThat(execute("SELECT v FROM " + KEYSPACE + ".one_way LIMIT 1")
                        .get(0)
                        .getString(0))
                .hasSize(33)
                .matches("[A-Za-z0-9_-]+");
    }

    private static List<String> rows(String table) {
        return execute("SELECT * FROM " + KEYSPACE + "." + table).stream()
                .map(Row::getFormattedContents)
                .toList();
    }

    @Test
    void readsExistingRowsAndPartitions() {
        StressOptions options = created("reads")
                .workload(Workload.parse("read 0.6 partition 0.4"))
                .build();
        StressResult before = run(options);
        Stress.populate(OVERDRIVE, options);
        StressResult after = run(options);

        assertThat(before.all().done()).isEqualTo(1000);
        assertThat(before.all().missing()).isEqualTo(1000);
        assertThat(after.all().done()).isEqualTo(1000);
        assertThat(after.all().missing()).isZero();
        assertThat(after.all().responseOf()).containsOnlyKeys(OperationKind.READ, OperationKind.PARTITION);
    }

    @Test
    void logsHistogramsInTheFormatOfHdrHistogram(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("load.hlog");
        StressOptions options = created("mixed")
                .workload(Workload.parse("write 0.5 read 0.5"))
                .histogram(file)
                .build();
        Stress.populate(OVERDRIVE, options);
        List<Interval> seconds = new CopyOnWriteArrayList<>();
        StressResult result;
        double before = System.currentTimeMillis() / 1000.0;
        try (Stress load = Stress.start(OVERDRIVE, options, seconds::add)) {
            result = load.await();
        }

        Map<String, Histogram> byTag = new HashMap<>();
        List<Double> starts = new ArrayList<>();
        try (HistogramLogReader reader = new HistogramLogReader(new File(file.toString()))) {
            while (reader.hasNext()) {
                Histogram interval = (Histogram) reader.nextIntervalHistogram();
                byTag.computeIfAbsent(interval.getTag(), tag -> Latency.histogram())
                        .add(interval);
                assertThat(interval.getStartTimeStamp()).isBetween((long) (1000 * before), interval.getEndTimeStamp());
            }
            starts.add(reader.getStartTimeSec());
        }
        assertThat(starts.get(0)).isBetween(before - 0.001, System.currentTimeMillis() / 1000.0);
        assertThat(byTag).containsOnlyKeys("write", "write-service", "read", "read-service");
        Map<String, Latency> logged = new HashMap<>();
        byTag.forEach((tag, histogram) -> logged.put(tag, Latency.of(histogram)));
        for (OperationKind kind : List.of(OperationKind.WRITE, OperationKind.READ)) {
            assertThat(logged.get(kind.word()))
                    .isEqualTo(result.all().responseOf().get(kind));
            assertThat(logged.get(kind.word() + "-service"))
                    .isEqualTo(result.all().serviceOf().get(kind));
        }
        assertThat(result.all().done()).isEqualTo(1000);
        assertThat(seconds).isNotEmpty();
        assertThat(seconds.stream().mapToLong(Interval::done).sum()).isLessThanOrEqualTo(1000);
    }

    @Test
    void countsFailuresByReason() throws Exception {
        StressOptions options = created("dropped").duration(Duration.ofHours(1)).build();
        List<Interval> seconds = new CopyOnWriteArrayList<>();
        StressResult result;
        try (Stress load = Stress.start(OVERDRIVE, options, seconds::add)) {
            OVERDRIVE.changeSchema("DROP TABLE " + options.cqlTable());
            while (seconds.stream().allMatch(second -> second.failed() == 0)) {
                Thread.sleep(20);
            }
            result = load.stop();
        }

        assertThat(result.all().failed()).isPositive();
        assertThat(result.all().done() + result.all().failed() + result.unsent())
                .isEqualTo(result.all().due());
        assertThat(result.errors().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(result.all().failed());
        assertThat(result.errors().keySet())
                .anySatisfy(reason -> assertThat(reason).contains("dropped"));
    }

    @Test
    void continuesAfterTheNodeForgetsTheStatement() {
        StressOptions options =
                created("altered").distribution(Distribution.SEQUENTIAL).build();
        StressResult result;
        try (Stress load = Stress.start(OVERDRIVE, options)) {
            OVERDRIVE.changeSchema("ALTER TABLE " + options.cqlTable() + " ADD more int");
            result = load.await();
        }

        assertThat(result.errors()).isEmpty();
        assertThat(count("altered")).isEqualTo(1000);
    }

    @Test
    void endsOnRequest() {
        StressOptions options = created("ended").duration(Duration.ofHours(1)).build();
        StressResult result;
        try (Stress load = Stress.start(OVERDRIVE, options)) {
            result = load.stop();
            assertThat(load.await()).isSameAs(result);
        }

        assertThat(result.complete()).isFalse();
        assertThat(result.all().due())
                .isEqualTo(result.all().done() + result.all().failed() + result.unsent());
    }

    @Test
    void makesValuesOfAllTypes() {
        execute("CREATE TYPE " + KEYSPACE + ".udt (a int, b frozen<list<text>>)");
        execute("CREATE TABLE " + KEYSPACE + ".types (k1 boolean, k2 tinyint, k3 smallint, k4 int, k5 bigint, k6 blob,"
                + " k7 timestamp, k8 date, k9 time, k10 float, k11 double, k12 varint, k13 decimal, k14 uuid,"
                + " k15 timeuuid, k16 text, k17 ascii, k18 inet,"
                + " v1 boolean, v2 tinyint, v3 smallint, v4 int, v5 bigint, v6 blob, v7 timestamp, v8 date, v9 time,"
                + " v10 float, v11 double, v12 varint, v13 decimal, v14 uuid, v15 timeuuid, v16 text, v17 ascii,"
                + " v18 inet, v19 duration, v20 list<int>, v21 set<text>, v22 map<text, frozen<set<uuid>>>,"
                + " v23 tuple<int, text>, v24 udt, v25 frozen<udt>, v26 vector<float, 3>,"
                + " PRIMARY KEY ((k1, k2, k3, k4, k5, k6, k7, k8, k9), k10, k11, k12, k13, k14, k15, k16, k17, k18))");
        StressResult result = run(on("types")
                .rowsPerPartition(10)
                .distribution(Distribution.SEQUENTIAL)
                .workload(Workload.parse("write 1"))
                .build());
        StressResult reads = run(on("types")
                .rowsPerPartition(10)
                .workload(Workload.parse("read 1"))
                .build());

        assertThat(result.errors()).isEmpty();
        assertThat(reads.errors()).isEmpty();
        assertThat(reads.all().missing()).isZero();
        List<Row> rows = execute("SELECT * FROM " + KEYSPACE + ".types");
        assertThat(rows).hasSize(1000);
        for (Row row : rows) {
            for (int column = 0; column < row.size(); column++) {
                assertThat(row.getObject(column)).isNotNull();
            }
        }
        for (int v = 4; v <= 18; v++) {
            String column = "v" + v;
            assertThat(rows.stream()
                            .map(row -> row.getObject(column))
                            .distinct()
                            .count())
                    .as(column)
                    .isGreaterThan(900);
        }
    }

    @Test
    void addsToCounters() {
        execute("CREATE TABLE " + KEYSPACE + ".counters (k int PRIMARY KEY, c counter)");
        StressResult result = run(on("counters").keys(10).build());

        assertThat(result.errors()).isEmpty();
        assertThat(execute("SELECT sum(c) FROM " + KEYSPACE + ".counters")
                        .get(0)
                        .getLong(0))
                .isEqualTo(1000);
    }

    @Test
    void saysWhyATableIsUnsuitable() {
        execute("CREATE TABLE " + KEYSPACE + ".odd_key (k frozen<set<int>> PRIMARY KEY)");
        execute("CREATE TABLE " + KEYSPACE + ".small_key (k tinyint PRIMARY KEY)");
        execute("CREATE TABLE " + KEYSPACE + ".odd_vector (k int PRIMARY KEY, v vector<text, 2>)");

        assertRefused(on("nowhere"), "keyspace \"loads\" has no table \"nowhere\"; its tables are ");
        assertRefused(
                on("odd_key"),
                "[loads.odd_key] column \"k\" is frozen<set<int>>, for which a load has no values in a primary key:"
                        + " use another table, or have one created (--create)");
        assertRefused(
                on("small_key"),
                "[loads.small_key] cannot hold 1000 partitions, only 256, by the types of [\"k\" tinyint]: use"
                        + " fewer keys (--keys)");
        assertRefused(
                on("small_key").keys(100).rowsPerPartition(5),
                "[loads.small_key] has no clustering column, so a partition is one row, not 5: leave out"
                        + " --rows-per-partition");
        assertRefused(
                on("odd_vector"), "[loads.odd_vector] column \"v\" is vector<text, 2>, for which a load has no values");
    }

    private static void assertRefused(StressOptions.Builder options, String message) {
        assertThatThrownBy(() -> Stress.start(OVERDRIVE, options.build()))
                .isInstanceOf(OverdriveException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void searchesForTheMaximumRate() {
        StressOptions options = created("searched")
                .rate(500)
                .duration(Duration.ofMillis(200))
                .inFlight(1)
                .build();
        List<RateSearch.Step> steps = new ArrayList<>();
        Found found = RateSearch.search(OVERDRIVE, options, null, steps::add);

        assertThat(found.steps()).isEqualTo(steps).isNotEmpty();
        assertThat(steps.get(0).rate()).isEqualTo(500);
        assertThat(steps).allSatisfy(step -> assertThat(step.result().errors()).isEmpty());
        // which rates are held differs from machine to machine, and a busy one may hold none
        if (found.rate() > 0) {
            assertThat(steps).anySatisfy(step -> assertThat(step.held() ? step.rate() : 0)
                    .isEqualTo(found.rate()));
        }
    }
}
