package io.overdrive.spark.write;

import static org.apache.spark.sql.functions.expr;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.ImportingSidecar;
import io.overdrive.TestCluster;
import io.overdrive.spark.TestSpark;
import io.overdrive.spark.config.Settings;
import io.overdrive.spark.config.SharedEngines;
import io.overdrive.sstable.sort.TokenOwners;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskKilled;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.sql.DataFrameWriter;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.QueryExecutionListener;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;

/** Writes by SSTables into a real node of this host, beside the same rows over CQL. */
class SstableWriteIT {
    private static final String KEYSPACE = "spark_sstables";
    private static final String COLUMNS = "p int, q text, c timestamp, d text, s text STATIC, v text, i int, w decimal,"
            + " l list<int>, u set<text>, m map<int, text>, f frozen<list<int>>,"
            + " PRIMARY KEY ((p, q), c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)";
    /** Each key comes up to four times, with other values or none. */
    private static final String ROWS = "SELECT CAST(k % 40 AS INT) AS p, if(k % 3 = 0, 'é', 'q') AS q,"
            + " timestamp_seconds(1700000000 + k % 7) AS c, concat('d', k) AS d,"
            + " if(id % 5 = 0, NULL, concat('s', id)) AS s, if(id % 4 = 0, NULL, concat('a text ', id)) AS v,"
            + " CAST(id AS INT) AS i, CAST(id / 4 AS DECIMAL(20, 2)) AS w,"
            + " array(CAST(id AS INT), 1) AS l, if(id % 3 = 0, NULL, array('b', concat('a', id % 5))) AS u,"
            + " map(CAST(id % 9 AS INT), 'x', 100, 'y') AS m, array(3, CAST(id AS INT), 1) AS f"
            + " FROM (SELECT id, id * 7919 % {keys} AS k FROM range(0, {rows}, 1, 1))";

    private final Path directory;

    SstableWriteIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void createKeyspace() {
        TestSpark.keyspace(KEYSPACE);
    }

    private static void table(String name, String columns) {
        TestSpark.cql("CREATE TABLE " + KEYSPACE + "." + name + " (" + columns);
    }

    private static Dataset<Row> rows(int count) {
        return TestSpark.spark().sql(ROWS.replace("{keys}", count / 3 + "").replace("{rows}", count + ""));
    }

    private static DataFrameWriter<Row> writer(Dataset<Row> rows, String table, String... options) {
        DataFrameWriter<Row> writer = rows.write()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", table)
                .mode("append");
        for (int i = 0; i < options.length; i += 2) {
            writer.option(options[i], options[i + 1]);
        }
        return writer;
    }

    private DataFrameWriter<Row> sstables(Dataset<Row> rows, String table, String... options) {
        return writer(rows, table, options)
                .option("sstables", "true")
                .option("sstables.directory", directory.toString())
                .option("sstables.jmx", "127.0.0.1:" + TestCluster.node().jmxPort());
    }

    private DataFrameWriter<Row> bySidecar(Dataset<Row> rows, String table, int port) {
        return writer(rows, table)
                .option("sstables", "true")
                .option("sstables.directory", directory.toString())
                .option("sstables.sidecar", "http://{host}:" + port);
    }

    private static List<String> stored(String table) {
        return TestSpark.cql("SELECT * FROM " + KEYSPACE + "." + table).stream()
                .map(row -> row.getFormattedContents())
                .sorted()
                .toList();
    }

    private List<Path> left() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.toList();
        }
    }

    @Test
    void hasTheRowsOfAWriteByCqlAndLeavesNoFile() throws IOException {
        table("by_cql", COLUMNS);
        table("by_sstables", COLUMNS);
        Dataset<Row> rows = rows(3000);
        writer(rows, "by_cql").save();
        sstables(rows, "by_sstables", "sstables.tasks", "3").save();
        assertThat(stored("by_sstables")).hasSizeGreaterThan(900).isEqualTo(stored("by_cql"));
        assertThat(left()).isEmpty();
    }

    @Test
    void nodesImportBySidecar() throws IOException {
        table("beside_sidecar", COLUMNS);
        table("by_sidecar", COLUMNS);
        Dataset<Row> rows = rows(3000);
        writer(rows, "beside_sidecar").save();
        Path remote = Files.createTempDirectory("sidecar");
        try (ImportingSidecar sidecar =
                new ImportingSidecar(remote, "127.0.0.1:" + TestCluster.node().jmxPort())) {
            sidecar.refuse(true);
            assertThatThrownBy(
                            () -> bySidecar(rows, "by_sidecar", sidecar.port()).save())
                    .hasStackTraceContaining(
                            "1 of 1 nodes has not imported its SSTables, which are kept in " + directory)
                    .hasStackTraceContaining(
                            "import?extendedVerify=false answers 500: Failed to import from directories; to finish ")
                    .hasStackTraceContaining(": sh " + directory);
            assertThat(stored("by_sidecar")).isEmpty();
            sidecar.refuse(false);
            bySidecar(rows, "by_sidecar", sidecar.port()).save();
        }
        assertThat(stored("by_sidecar")).hasSizeGreaterThan(900).isEqualTo(stored("beside_sidecar"));
        assertThat(left()).hasSize(1); // of the job that was refused
        assertThat(remote).isEmptyDirectory();
        Files.delete(remote);
    }

    @Test
    void eachTaskHasARangeOfTokensInTablesOfACatalog() throws Exception {
        table("ranges", COLUMNS);
        table("no_ranges", COLUMNS);
        Dataset<Row> rows = rows(3000);
        writer(rows, "no_ranges").save();
        List<String> plans = new CopyOnWriteArrayList<>();
        Plans listener = new Plans(plans);
        TestSpark.spark().listenerManager().register(listener);
        rows.writeTo("cass." + KEYSPACE + ".ranges")
                .option("sstables", "true")
                .option("sstables.directory", directory.toString())
                .option("sstables.jmx", "127.0.0.1:" + TestCluster.node().jmxPort())
                .option("sstables.tasks", "4")
                .append();
        TestSpark.awaitListeners();
        TestSpark.spark().listenerManager().unregister(listener);
        assertThat(plans).anySatisfy(plan -> assertThat(plan)
                .containsPattern("hashpartitioning\\(\\S*token_range_4_of_" + KEYSPACE + ".ranges"));
        assertThat(stored("ranges")).isEqualTo(stored("no_ranges"));
        assertThat(left()).isEmpty();
    }

    /** Collects the plans of queries. */
    private record Plans(List<String> plans) implements QueryExecutionListener {
        @Override
        public void onSuccess(String name, QueryExecution execution, long nanos) {
            plans.add(execution.executedPlan().toString());
        }

        @Override
        public void onFailure(String name, QueryExecution execution, Exception e) {}
    }

    @Test
    void writesTimesToLiveAndWriteTimesOfRows() {
        table("times", "k int PRIMARY KEY, v int)");
        sstables(
                        TestSpark.spark()
                                .sql("SELECT CAST(id AS INT) AS k, 1 AS v, id * 1000000 AS written,"
                                        + " CAST(if(id % 2 = 0, 100000, NULL) AS INT) AS expires FROM range(1, 5)"),
                        "times",
                        "writetime",
                        "written",
                        "ttl",
                        "expires")
                .save();
        assertThat(TestSpark.cql("SELECT k, writetime(v), ttl(v) FROM " + KEYSPACE + ".times"))
                .hasSize(4)
                .allSatisfy(row -> {
                    int key = row.getInt(0);
                    assertThat(row.getLong(1)).isEqualTo(key * 1_000_000L);
                    assertThat(row.isNull(2)).isEqualTo(key % 2 == 1);
                });
    }

    @Test
    void overwritesWhenAllRowsAreWrittenAndNotBefore() throws IOException {
        table("overwritten", "k text PRIMARY KEY, v int)");
        Dataset<Row> old = TestSpark.spark().sql("SELECT concat('old', id) AS k, 1 AS v FROM range(10)");
        sstables(old, "overwritten").save();
        Dataset<Row> bad = old.union(TestSpark.spark().sql("SELECT repeat('x', 70000) AS k, 2 AS v"));
        assertThatThrownBy(() -> sstables(bad, "overwritten", "confirm.truncate", "true")
                        .mode("overwrite")
                        .save())
                .hasStackTraceContaining("key column \"k\" has 70000 bytes, 65535 is the maximum");
        assertThat(stored("overwritten")).hasSize(10);
        sstables(TestSpark.spark().sql("SELECT 'new' AS k, 3 AS v"), "overwritten", "confirm.truncate", "true")
                .mode("overwrite")
                .save();
        assertThat(stored("overwritten")).containsExactly("[k:'new', v:3]");
        assertThat(left()).isEmpty();
    }

    @Test
    void anAbortedJobLeavesNothing() throws IOException {
        table("aborted", "k text PRIMARY KEY, v int)");
        Dataset<Row> rows = TestSpark.spark()
                .sql("SELECT if(id = 900, repeat('x', 70000), concat('k', id)) AS k, 1 AS v FROM range(1000)");
        assertThatThrownBy(
                        () -> sstables(rows, "aborted", "sstables.tasks", "4").save())
                .hasStackTraceContaining(
                        "[" + KEYSPACE + ".aborted] a row cannot be written: key column \"k\" has 70000"
                                + " bytes, 65535 is the maximum");
        assertThat(stored("aborted")).isEmpty();
        assertThat(left()).isEmpty();
    }

    @Test
    void refusesTextThatTheServerWouldRefuse() throws IOException {
        table("bad_text", "k int PRIMARY KEY, v list<text>)");
        Dataset<Row> rows = TestSpark.spark().sql("SELECT 1 AS k, array('a', CAST(X'61FF' AS STRING)) AS v");
        assertThatThrownBy(() -> sstables(rows, "bad_text").save())
                .hasStackTraceContaining("column \"v\" has text that is not valid UTF-8");
        assertThat(stored("bad_text")).isEmpty();
        assertThat(left()).isEmpty();
    }

    @Test
    void refusesTimeuuidsThatTheServerWouldRefuse() throws IOException {
        table("bad_uuid", "k int PRIMARY KEY, v timeuuid)");
        Dataset<Row> rows = TestSpark.spark().sql("SELECT 1 AS k, '5f4dcc3b-5aa7-4bdb-8e4d-2f0c1b2a3d4e' AS v");
        assertThatThrownBy(() -> sstables(rows, "bad_uuid").save())
                .hasStackTraceContaining(
                        "column \"v\" has a timeuuid of version 4, not 1: write it to a column of type uuid");
        assertThat(stored("bad_uuid")).isEmpty();
        assertThat(left()).isEmpty();
    }

    /** Kills the first attempts of the tasks that write, until Spark has killed one before it ended. */
    @Test
    void hasTheSameRowsIfATaskIsKilledAndRunsAgain() throws IOException {
        table("killed", COLUMNS);
        table("not_killed", COLUMNS);
        Dataset<Row> rows = rows(20_000);
        writer(rows, "not_killed").save();
        Killer killer = new Killer();
        TestSpark.spark().sparkContext().addSparkListener(killer);
        try {
            for (int i = 0; i < 10 && !killer.killed.get(); i++) {
                TestSpark.cql("TRUNCATE " + KEYSPACE + ".killed");
                sstables(rows, "killed", "sstables.tasks", "2").save();
                TestSpark.awaitListeners();
            }
        } finally {
            TestSpark.spark().sparkContext().removeSparkListener(killer);
        }
        assertThat(killer.killed).isTrue();
        assertThat(stored("killed")).isEqualTo(stored("not_killed"));
        assertThat(left()).isEmpty();
    }

    /** Kills the first attempt of each task of a job's last stage. */
    private static final class Killer extends SparkListener {
        private final Set<Integer> stages = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean killed = new AtomicBoolean();

        @Override
        public void onStageSubmitted(SparkListenerStageSubmitted stage) {
            if (stage.stageInfo().shuffleDepId().isEmpty()) {
                stages.add(stage.stageInfo().stageId());
            }
        }

        @Override
        public void onTaskStart(SparkListenerTaskStart task) {
            if (stages.contains(task.stageId()) && task.taskInfo().attemptNumber() == 0) {
                TestSpark.spark()
                        .sparkContext()
                        .killTaskAttempt(task.taskInfo().taskId(), /* interruptThread */ true, "a test");
            }
        }

        @Override
        public void onTaskEnd(SparkListenerTaskEnd task) {
            if (stages.contains(task.stageId()) && task.reason() instanceof TaskKilled) {
                killed.set(true);
            }
        }
    }

    @Test
    void takesOneOfTwoAttemptsOfATaskAndDeletesTheOthers() throws IOException {
        table("doubled", "k int PRIMARY KEY, v text)");
        SstableWrite write = write("doubled");
        SstableTask task = write.start(TestSpark.spark().sparkContext(), /* tasks */ 3);
        assertThat(new String(
                        new JavaSerializer(new SparkConf())
                                .newInstance()
                                .serialize(task, ClassTag.apply(SstableTask.class))
                                .array(),
                        StandardCharsets.ISO_8859_1))
                .as("the owners of large clusters do not travel with each task")
                .contains(SstableTask.class.getName())
                .doesNotContain(TokenOwners.class.getName());
        Path root = left().get(0);
        DataWriter<InternalRow> failed = attempt(task, 0, 10, 0, 500);
        assertThat(root.resolve("attempts").resolve("0-10")).isDirectory();
        failed.abort();
        failed.close();
        assertThat(root.resolve("attempts").resolve("0-10")).doesNotExist();
        DataWriter<InternalRow> slow = attempt(task, 0, 11, 0, 1000);
        List<SstableTask.Finished> results = Stream.of(
                        attempt(task, 0, 12, 0, 1000), attempt(task, 1, 13, 1000, 1500), attempt(task, 2, 14, 0, 0))
                .map(SstableWriteIT::committed)
                .toList();
        DataWriter<InternalRow> late = task.createWriter(0, 15);
        late.write(row(7));
        write.commit(results);
        assertThatThrownBy(() -> late.commit())
                .hasMessageContaining("this task does not see the directory of its job: the job has ended");
        slow.abort();
        late.abort();
        assertThat(stored("doubled")).hasSize(1500).contains("[k:0, v:'v0']", "[k:1499, v:'v1499']");
        assertThat(left()).isEmpty();
    }

    /** The driver of a job whose tasks are attempted by the test. */
    private SstableWrite write(String table) {
        Map<String, String> options = new HashMap<>(Map.of("keyspace", KEYSPACE, "table", table));
        options.put("sstables.directory", directory.toString());
        options.put("sstables.jmx", "127.0.0.1:" + TestCluster.node().jmxPort());
        Settings settings = Settings.of(
                options, CollectionConverters.asJava(TestSpark.spark().conf().getAll()));
        StructType schema = new StructType().add("k", DataTypes.IntegerType).add("v", DataTypes.StringType);
        var known = SharedEngines.of(settings).table(KEYSPACE, table);
        return new SstableWrite(
                settings,
                known,
                WriteTask.of(settings, known, schema, WriteColumns.of(settings, known, schema)),
                /* truncates */ false);
    }

    /** An attempt that has written its rows. */
    private static DataWriter<InternalRow> attempt(SstableTask task, int partition, long taskId, int from, int to)
            throws IOException {
        DataWriter<InternalRow> writer = task.createWriter(partition, taskId);
        writer.writeAll(IntStream.range(from, to).mapToObj(SstableWriteIT::row).iterator());
        return writer;
    }

    private static InternalRow row(int key) {
        return new GenericInternalRow(new Object[] {key, UTF8String.fromString("v" + key)});
    }

    private static SstableTask.Finished committed(DataWriter<InternalRow> writer) {
        try (writer) {
            return (SstableTask.Finished) writer.commit();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void leavesAScriptForEachNodeIfNoneIsToImport() throws IOException {
        table("scripts", "k int PRIMARY KEY, v int)");
        Path out = directory.resolve("out");
        writer(
                        TestSpark.spark().sql("SELECT CAST(id AS INT) AS k, 1 AS v FROM range(1000)"),
                        "scripts",
                        "sstables",
                        "true",
                        "sstables.directory",
                        out.toString(),
                        "sstables.tasks",
                        "3")
                .save();
        assertThat(stored("scripts")).isEmpty();
        List<String> names;
        try (Stream<Path> all = Files.walk(out)) {
            names = all.filter(Files::isRegularFile)
                    .map(file -> out.relativize(file).toString().replaceFirst("^[^/]+/", ""))
                    .filter(name -> name.endsWith(".sh") || name.endsWith("-Data.db"))
                    .sorted()
                    .toList();
        }
        assertThat(names)
                .containsExactlyElementsOf(Stream.concat(
                                Stream.of("import.sh"),
                                IntStream.rangeClosed(1, 3)
                                        .mapToObj(i -> KEYSPACE + "/scripts/nb-" + i + "-big-Data.db"))
                        .toList());
        assertThat(out.resolve("attempts")).doesNotExist();
        assertThatThrownBy(() -> writer(
                                TestSpark.spark().sql("SELECT 1 AS k, 1 AS v"),
                                "scripts",
                                "sstables",
                                "true",
                                "sstables.directory",
                                out.toString(),
                                "confirm.truncate",
                                "true")
                        .mode("overwrite")
                        .save())
                .hasMessageContaining("would be emptied long before scripts import the rows");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "counted | k int PRIMARY KEY, n counter | SELECT 1 AS k, 1L AS n | | holds counters",
                "viewed | k int PRIMARY KEY, v int | SELECT 1 AS k, 1 AS v | | has the materialized view",
                "conditional | k int PRIMARY KEY, v int | SELECT 1 AS k, 1 AS v | ifNotExists=true | cannot have conditions",
                "deleted | k int PRIMARY KEY, v int | SELECT 1 AS k | delete=true | deletions (option \"delete\") cannot be",
                "changed | k int PRIMARY KEY, l list<int> | SELECT 1 AS k, array(1) AS l | collections=l=append | cannot change"
                        + " collections that exist",
                "listed | k int PRIMARY KEY, l list<int> | SELECT 1 AS k, array(1) AS l | writetime=7 | has a list that is not"
                        + " frozen"
            })
    void refusesWhatAnImportWouldGetWrong(String table, String columns, String query, String option, String message)
            throws IOException {
        table(table, columns + ")");
        if (table.equals("viewed")) {
            TestSpark.cql("CREATE MATERIALIZED VIEW " + KEYSPACE + ".of_viewed AS SELECT * FROM " + KEYSPACE
                    + ".viewed WHERE k IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, k)");
        }
        String[] options = option == null ? new String[0] : option.split("=", 2);
        assertThatThrownBy(() ->
                        sstables(TestSpark.spark().sql(query), table, options).save())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageContaining("leave out option \"sstables\"");
        assertThat(left()).isEmpty();
    }

    @Test
    void saysInOptionsOfSparkWhatToDoAboutANodeThatDoesNotAnswer() throws IOException {
        table("silent", "k int PRIMARY KEY, v int)");
        assertThatThrownBy(() -> sstables(TestSpark.spark().sql("SELECT 1 AS k, 1 AS v"), "silent")
                        .option("sstables.jmx", "127.0.0.1:1")
                        .save())
                .hasMessageContaining("which cannot import SSTables from here: 127.0.0.1:1 does not answer over JMX")
                .hasMessageContaining("with option \"sstables.jmx\"")
                .message()
                .doesNotContain("--");
        assertThatThrownBy(() -> bySidecar(TestSpark.spark().sql("SELECT 1 AS k, 1 AS v"), "silent", 1)
                        .save())
                .hasMessageContaining("SSTables cannot be uploaded to node ")
                .hasMessageContaining("; option \"sstables.sidecar\" needs a Cassandra Sidecar that answers for each")
                .message()
                .doesNotContain("--");
        assertThat(left()).isEmpty();
    }

    @Test
    void refusesStatementsAndStreamsThatItCannotWrite() {
        table("statements", "k int PRIMARY KEY, v int)");
        String catalog = "spark.sql.catalog.sstables";
        TestSpark.spark().conf().set(catalog, "io.overdrive.spark.CassandraCatalog");
        TestSpark.spark().conf().set(catalog + ".sstables", "true");
        for (String statement : List.of(
                "DELETE FROM %s WHERE k = 1",
                "UPDATE %s SET v = 2 WHERE k = 1",
                "MERGE INTO %s AS t USING (SELECT 1 AS k) AS s ON t.k = s.k WHEN MATCHED THEN DELETE")) {
            assertThatThrownBy(() -> TestSpark.spark()
                            .sql(statement.formatted("sstables." + KEYSPACE + ".statements"))
                            .collectAsList())
                    .hasMessageContaining("UPDATE, MERGE and DELETE cannot be written as SSTables");
        }
        assertThatThrownBy(() -> TestSpark.spark()
                        .readStream()
                        .format("rate")
                        .load()
                        .select(expr("CAST(value AS INT) AS k"), expr("1 AS v"))
                        .writeStream()
                        .format("cassandra")
                        .option("keyspace", KEYSPACE)
                        .option("table", "statements")
                        .option("sstables", "true")
                        .option("sstables.directory", directory.toString())
                        .option(
                                "checkpointLocation",
                                directory.resolve("checkpoint").toString())
                        .start()
                        .processAllAvailable())
                .hasMessageContaining("a stream cannot be written as SSTables");
    }
}
