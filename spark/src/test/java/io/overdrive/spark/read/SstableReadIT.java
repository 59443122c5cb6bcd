package io.overdrive.spark.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.overdrive.NodeBeans;
import io.overdrive.TestCluster;
import io.overdrive.spark.TestSpark;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.management.JMException;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads snapshots of a real node, beside the same reads over CQL. */
class SstableReadIT {
    private static final String KEYSPACE = "spark_from_sstables";
    private static final String TABLE = "merged";
    private static final String ALL = "p, q, c, s, v, `L`, u, f, `writetime(v)`, `ttl(v)` > 800000,"
            + " `writetime(L)`, `writetime(s)`, size(`ttl(L)`)";
    private static Path snapshot = Path.of("");

    private final Path directory;

    SstableReadIT(@TempDir Path directory) {
        this.directory = directory;
    }

    /** Rows that are overwritten, deleted and expire, in several SSTables, which are not compacted; a partition is wide. */
    @BeforeAll
    static void fillTable() throws IOException, JMException, InterruptedException {
        TestSpark.keyspace(KEYSPACE);
        String table = KEYSPACE + "." + TABLE;
        TestSpark.cql("CREATE TABLE " + table + " (p int, q text, c int, s text STATIC, v text, \"L\" list<int>,"
                + " u set<text>, f frozen<map<int, text>>, PRIMARY KEY ((p, q), c)) WITH CLUSTERING ORDER BY (c DESC)"
                + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 200; i++) {
                insert(table, (i * 7 + round) % 40, i, round);
            }
            for (int i = 0; i < 300; i++) {
                insert(table, 77, 10_000 + 100 * round + i, round);
            }
            TestSpark.cql("INSERT INTO " + table + " (p, q, s) VALUES (" + (1000 + round) + ", 'q', 'only a static')");
            TestSpark.cql("UPDATE " + table + " SET s = 'static " + round + "' WHERE p = " + round + " AND q = 'q'");
            TestSpark.cql("DELETE FROM " + table + " WHERE p = " + (10 + round) + " AND q = 'q'");
            TestSpark.cql(
                    "DELETE FROM " + table + " WHERE p = " + (20 + round) + " AND q = 'q' AND c > 50 AND c < 150");
            TestSpark.cql("DELETE v FROM " + table + " WHERE p = 30 AND q = 'q' AND c = " + (round + 1));
            TestSpark.cql("INSERT INTO " + table + " (p, q, c, v) VALUES (5, 'q', " + (2000 + round)
                    + ", 'lives') USING TTL 900000");
            TestSpark.cql("INSERT INTO " + table + " (p, q, c, v) VALUES (5, 'q', " + (1000 + round)
                    + ", 'expires') USING TTL 1");
            snapshot = NodeBeans.snapshot(KEYSPACE, TABLE, "round" + round); // flushes
        }
        while (TestSpark.cql("SELECT v FROM " + table + " WHERE p = 5 AND q = 'q' AND c = 1002")
                        .size()
                > 0) {
            Thread.sleep(100);
        }
    }

    private static void insert(String table, int p, int c, int round) {
        TestSpark.cql("INSERT INTO " + table + " (p, q, c, v, \"L\", u, f) VALUES (" + p + ", 'q', " + c + ", 'v"
                + round + "', [" + round + ", " + c + "], {'a', 'b" + round + "'}, {" + c + ": 'x'})");
    }

    private static DataFrameReader reader(String table, String... options) {
        DataFrameReader reader = TestSpark.spark()
                .read()
                .format("cassandra")
                .option("keyspace", KEYSPACE)
                .option("table", table);
        for (int i = 0; i < options.length; i += 2) {
            reader.option(options[i], options[i + 1]);
        }
        return reader;
    }

    private static Dataset<Row> byCql() {
        return reader(TABLE).load();
    }

    private static Dataset<Row> bySstables(String... more) {
        return reader(TABLE, more).option("from.sstables", snapshot.toString()).load();
    }

    private static List<String> shown(Dataset<Row> rows) {
        return rows.collectAsList().stream().map(Row::toString).sorted().toList();
    }

    private static Dataset<Row> withTimes(Dataset<Row> rows) {
        return rows.selectExpr(Stream.of(ALL.split(",")).map(String::strip).toArray(String[]::new));
    }

    @Test
    void hasTheRowsValuesAndTimesOfAReadOverCql() {
        List<String> rows = shown(withTimes(byCql()));
        assertThat(rows).hasSizeGreaterThan(600);
        assertThat(shown(withTimes(bySstables()))).isEqualTo(rows);
        assertThat(shown(bySstables("splitCount", "70"))).isEqualTo(shown(byCql()));
        assertThat(bySstables("splitCount", "70").rdd().getNumPartitions()).isEqualTo(70);
        assertThat(TestSpark.explain(bySstables())).contains("SSTables: 3 (0 MB)");
    }

    @Test
    void sparkEvaluatesWhatIsNotPushedDown() {
        for (String condition : List.of(
                "p = 5 AND q = 'q'",
                "p IN (1, 2, 77, 4000) AND q IN ('q', 'r') AND c > 100",
                "p = 5",
                "c < 20",
                "p = 77 AND q = 'q' AND c BETWEEN 10050 AND 10350",
                "s IS NULL",
                "v = 'v2' AND array_contains(u, 'b2')",
                "p = 5 AND q = 'q' AND p = 6",
                "true")) {
            List<String> rows = shown(byCql().where(condition));
            assertThat(shown(bySstables().where(condition))).as(condition).isEqualTo(rows);
            String sums = "count(*), count(v), count(s), min(c), max(c), sum(c)";
            assertThat(shown(bySstables().where(condition).selectExpr(sums.split(", "))))
                    .as(condition)
                    .isEqualTo(shown(byCql().where(condition).selectExpr(sums.split(", "))));
        }
        for (String column : List.of("s", "q", "c")) {
            assertThat(shown(bySstables().select(column))).isEqualTo(shown(byCql().select(column)));
        }
        assertThat(bySstables().count()).isEqualTo(byCql().count());
        assertThat(bySstables().limit(7).collectAsList()).hasSize(7);
        assertThat(shown(bySstables().orderBy("p", "c").limit(9)))
                .isEqualTo(shown(byCql().orderBy("p", "c").limit(9)));
        assertThat(bySstables()
                        .join(byCql(), List.of("p", "q", "c").toArray(String[]::new))
                        .count())
                .isEqualTo(byCql().where("c IS NOT NULL").count());
    }

    /** Spark would also find the rows without it. */
    @Test
    void readsOnlyThePartitionsOfWholeKeys() {
        Dataset<Row> query = bySstables().where("p IN (5, 6) AND q = 'q'");
        assertThat(TestSpark.explain(query)).contains("Partitions: 2");
        assertThat(TestSpark.rowsRead(query)).isEqualTo(query.count()).isLessThan(50);
    }

    @Test
    void mergesDirectoriesThatAPatternNames() throws IOException {
        for (String node : List.of("one", "two")) {
            copy(snapshot, Files.createDirectories(directory.resolve(node).resolve("monday")));
        }
        assertThat(shown(reader(TABLE)
                        .option("from.sstables", directory + "/*/monday")
                        .load()))
                .isEqualTo(shown(byCql()));
        assertThat(shown(reader(TABLE)
                        .option("from.sstables", directory + "/one/monday, " + snapshot)
                        .load()))
                .isEqualTo(shown(byCql()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader(TABLE)
                        .option("from.sstables", directory + "/*/tuesday")
                        .load()
                        .count())
                .withMessage("option \"from.sstables\" is " + directory + "/*/tuesday, which matches no directory");
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static Path data(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith("-Data.db"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void missingAndDamagedFilesAreErrors() throws IOException {
        copy(snapshot, directory);
        Path data = data(directory);
        DataFrameReader reader = reader(TABLE).option("from.sstables", directory.toString());
        Dataset<Row> planned = reader.load();
        assertThat(TestSpark.explain(planned)).contains("SSTables: 3");
        try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
            file.seek(file.length() / 2);
            int before = file.read();
            file.seek(file.length() / 2);
            file.write(before ^ 4);
        }
        assertThatThrownBy(() -> reader.load().collectAsList())
                .hasStackTraceContaining(data.toString())
                .hasStackTraceContaining("damaged");
        Files.write(data, new byte[10]);
        assertThatThrownBy(planned::collectAsList)
                .hasStackTraceContaining(data + " has 10 bytes on this machine, and ")
                .hasStackTraceContaining("option \"from.sstables\" must name the same files everywhere");
        Files.delete(data);
        assertThatThrownBy(planned::collectAsList).hasStackTraceContaining(data + " is missing on this machine");
        assertThatThrownBy(() -> reader.load().count())
                .hasMessageContaining(data.getFileName().toString())
                .hasMessageContaining("is missing; copy all files of the SSTable");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader(TABLE)
                        .option("from.sstables", snapshot + "," + directory + "/none")
                        .load()
                        .count())
                .withMessage("option \"from.sstables\" is " + directory + "/none, which is not a directory");
    }

    @Test
    void refusesOptionsAboutTheClusterAndWrites() {
        for (List<String> option : List.of(
                List.of("readConsistency", "ALL"),
                List.of("directJoinSetting", "on"),
                List.of("nearest", "ORDER BY v ANN OF [1] LIMIT 1"),
                List.of("tokenBuckets", "4"),
                List.of("pageRows", "10"))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> bySstables(option.get(0), option.get(1)).count())
                    .withMessageContaining("is about reading from the cluster: it does not go with \"from.sstables\"");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> byCql().write()
                        .format("cassandra")
                        .option("keyspace", KEYSPACE)
                        .option("table", TABLE)
                        .option("from.sstables", snapshot.toString())
                        .mode("append")
                        .save())
                .withMessageContaining("\"from.sstables\" is for reads of DataFrames only");
        TestSpark.spark().conf().set("spark.overdrive.from.sstables", snapshot.toString());
        try {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> byCql().count())
                    .withMessageContaining(
                            "set for a session or a catalog, where every read would read the same files");
        } finally {
            TestSpark.spark().conf().unset("spark.overdrive.from.sstables");
        }
        assertThatThrownBy(() -> TestSpark.spark()
                        .readStream()
                        .format("cassandra")
                        .option("keyspace", KEYSPACE)
                        .option("table", TABLE)
                        .option("from.sstables", snapshot.toString())
                        .load()
                        .writeStream()
                        .format("noop")
                        .start())
                .hasMessageContaining("stream");
    }

    @Test
    void readsATableOfACatalogAndRefusesWhatIsNoTable() {
        Dataset<Row> rows = TestSpark.spark()
                .read()
                .option("from.sstables", snapshot.toString())
                .table("cass." + KEYSPACE + "." + TABLE);
        assertThat(shown(rows.select("p", "v"))).isEqualTo(shown(byCql().select("p", "v")));
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".counters (p int PRIMARY KEY, n counter)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> reader("counters")
                        .option("from.sstables", snapshot.toString())
                        .load()
                        .count())
                .withMessageContaining("counter");
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".other (k text PRIMARY KEY, n int)");
        assertThatThrownBy(() -> reader("other")
                        .option("from.sstables", snapshot.toString())
                        .load()
                        .count())
                .hasStackTraceContaining("-Data.db");
    }
}
