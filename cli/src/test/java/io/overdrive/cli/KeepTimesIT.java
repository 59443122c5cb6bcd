package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import io.overdrive.NodeBeans;
import io.overdrive.Overdrive;
import io.overdrive.TestCluster;
import io.overdrive.TypeZoo;
import io.overdrive.TypeZoo.Sample;
import io.overdrive.TypeZoo.TypeSamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code unload --keep-times} and {@code load --keep-times}: files bring back the write times and times to live of cells. */
@Tag("server")
class KeepTimesIT {
    private static final String KEYSPACE = "cli_keep";
    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);
    private static final String COLUMNS = "p int, c int, s text STATIC, n int STATIC, a text, b int, m map<text, int>,"
            + " f frozen<list<int>>, \"writetime(b)\" text, PRIMARY KEY (p, c)";
    private static final String SELECT =
            "p, c, s, writetime(s), ttl(s), n, writetime(n), ttl(n), a, writetime(a), ttl(a),"
                    + " b, writetime(b), ttl(b), m, writetime(m), ttl(m), f, writetime(f), \"writetime(b)\","
                    + " writetime(\"writetime(b)\"), ttl(\"writetime(b)\")";
    private static final String SOURCE = KEYSPACE + ".source";
    private static final String RENAMED = "other = \"writetime(b)\", * = *";

    private static int tables;

    private final Path directory;

    KeepTimesIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @BeforeAll
    static void create() {
        TestCluster.execute("CREATE TABLE " + SOURCE + " (" + COLUMNS + ")");
        write("INSERT INTO source (p, c, a, b, f) VALUES (1, 1, 'one', 1, [1, 2]) USING TIMESTAMP 1000");
        write(
                "UPDATE source USING TIMESTAMP 2000 AND TTL 500000 SET b = 2, \"writetime(b)\" = 'odd' WHERE p = 1 AND c = 1");
        write("UPDATE source USING TIMESTAMP 3000 SET m = {'x': 1, 'y': 2} WHERE p = 1 AND c = 1");
        write("INSERT INTO source (p, c) VALUES (1, 2) USING TIMESTAMP 1000");
        write("UPDATE source USING TIMESTAMP 4000 SET a = 'no row marker' WHERE p = 1 AND c = 3");
        write("INSERT INTO source (p, s) VALUES (1, 'static') USING TIMESTAMP 10");
        write("INSERT INTO source (p, n) VALUES (1, 7) USING TIMESTAMP 20 AND TTL 700000");
        write("INSERT INTO source (p, s, n) VALUES (2, 'no row', 8) USING TIMESTAMP 30");
        write("INSERT INTO source (p, c, a, s) VALUES (3, 1, 'z', 'later') USING TIMESTAMP 40 AND TTL 600000");
        write("INSERT INTO source (p, c, a) VALUES (3, 2, 'y') USING TIMESTAMP 50");
    }

    private static void write(String cql) {
        TestCluster.execute(cql.replace(" source", " " + SOURCE));
    }

    private static String target(String with) {
        String table = KEYSPACE + ".target" + ++tables;
        TestCluster.execute("CREATE TABLE " + table + " (" + COLUMNS + ")" + with);
        return table;
    }

    private Cli run(String command, String... arguments) {
        return Cli.run(Stream.concat(Stream.of(command, "--host", TestCluster.host()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    private Cli load(Path from, String table, String... more) {
        return run(
                "load",
                Stream.concat(
                                Stream.of(from.toString(), table, "--keep-times", "--rejects", directory.toString()),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    private Path unload(String table, String format, String... more) {
        Path out = directory.resolve("out." + format);
        Cli unload = run(
                "unload",
                Stream.concat(Stream.of(table, out + "/", "--format", format, "--keep-times"), Stream.of(more))
                        .toArray(String[]::new));
        assertThat(unload.err()).isEmpty();
        assertThat(unload.code()).isEqualTo(Main.DONE);
        return out;
    }

    private static void done(Cli cli) {
        assertThat(cli.code()).as(cli.out() + cli.err()).isEqualTo(Main.DONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"csv", "json", "parquet", "arrow"})
    void aLoadOfTheFilesBringsBackCellsWithTheirTimes(String format) {
        Path out = unload(SOURCE, format, "--map", RENAMED);
        String target = target("");
        Cli load = load(out, target, "--map", RENAMED);
        done(load);
        assertThat(load.out()).startsWith("6 rows read = 6 written + 0 rejected\n");
        assertThat(TimedCells.rows(target, SELECT)).hasSize(6).isEqualTo(TimedCells.rows(SOURCE, SELECT));
        done(load(out, target, "--map", RENAMED));
        assertThat(TimedCells.rows(target, SELECT)).isEqualTo(TimedCells.rows(SOURCE, SELECT));
        done(run("verify", out.toString(), target, "--keep-times", "--map", RENAMED));
        done(load(out, target, "--map", RENAMED, "--dry-run"));
    }

    @Test
    void aDefaultTimeToLiveIsNotGivenToCellsThatHadNone() {
        Path out = unload(SOURCE, "parquet", "--map", RENAMED);
        String target = target(" WITH default_time_to_live = 90000");
        done(load(out, target, "--map", RENAMED));
        assertThat(TimedCells.rows(target, SELECT)).isEqualTo(TimedCells.rows(SOURCE, SELECT));
    }

    @Test
    void anOlderWriteDoesNotOverwriteANewerCell() {
        Path out = unload(SOURCE, "csv", "--map", RENAMED);
        String target = target("");
        TestCluster.execute("INSERT INTO " + target + " (p, c, a, b) VALUES (1, 1, 'newer', 5) USING TIMESTAMP 1500");
        TestCluster.execute("INSERT INTO " + target + " (p, s) VALUES (1, 'newer') USING TIMESTAMP 15");
        done(load(out, target, "--map", RENAMED));
        assertThat(TimedCells.rows(target + " WHERE p = 1 AND c = 1", "s, a, writetime(a), b, writetime(b)"))
                .containsExactly("|newer|newer|1500|2|2000");
    }

    /** Also into a table with a column that has the name of another one's times, which the file does not have. */
    @ParameterizedTest
    @ValueSource(strings = {"csv", "json"})
    void aMappingThatNamesEachFieldTakesTheirTimes(String format) {
        String mapping = "p = p, c = c, city = a, n = b";
        Path out = unload(SOURCE, format, "--columns", "p,c,a,b", "--map", mapping);
        String target = target("");
        Cli load = load(out, target, "--map", mapping);
        assertThat(load.out()).startsWith("6 rows read = 5 written + 1 rejected\n"); // the partition without a row
        String times = "c, a, writetime(a), b, writetime(b), ttl(b)";
        assertThat(TimedCells.rows(target, times))
                .isEqualTo(TimedCells.rows(SOURCE + " WHERE c > 0 ALLOW FILTERING", times));
    }

    /** Rows whose own cells have expired stay away, and static cells neither keep nor take away rows. */
    @Test
    void expiredCellsDecideAboutTheirOwnRowsOnly() throws IOException {
        Path file = Files.write(
                directory.resolve("expired.csv"),
                List.of(
                        "p,c,s,writetime(s),expires(s),a,writetime(a),expires(a)",
                        "1,1,x,9,1,,,",
                        "2,1,x,9,,gone,9,1"));
        String target = target("");
        Cli load = load(file, target);
        assertThat(load.err())
                .contains("2 cells have expired", "1 row was left out: neither a cell nor a row marker is left of it");
        assertThat(TimedCells.rows(target, "p, c, s, a")).containsExactly("|1|1|null|null", "|2|null|x|null");
        Cli verify = run("verify", file.toString(), target, "--keep-times", "--rejects", directory.toString());
        assertThat(verify.err()).contains("2 rows compared: 2 the same, 0 different, 0 missing");
        TestCluster.execute("DELETE FROM " + target + " WHERE p = 1");
        assertThat(run("verify", file.toString(), target, "--keep-times").out())
                .isEqualTo("{\"kind\":\"missing-right\",\"key\":{\"p\":1,\"c\":1}}\n");
    }

    @Test
    void sstablesBringThemBack() throws IOException {
        Path out = unload(SOURCE, "parquet", "--map", RENAMED);
        String target = target("");
        Path staging = Files.createDirectory(directory.resolve("staging"));
        done(load(
                out,
                target,
                "--map",
                RENAMED,
                "--sstables",
                "--jmx",
                TestCluster.jmx(),
                "--staging-directory",
                staging.toString()));
        assertThat(TimedCells.rows(target, SELECT)).isEqualTo(TimedCells.rows(SOURCE, SELECT));
    }

    @Test
    void filesOfPartitionsAndKeysBringThemBack() {
        Path out = unload(SOURCE, "parquet", "--map", RENAMED, "--partition-by", "a");
        String target = target("");
        done(load(out, target, "--map", RENAMED));
        assertThat(TimedCells.rows(target, SELECT)).isEqualTo(TimedCells.rows(SOURCE, SELECT));
    }

    /** A partial table is created from the files: time fields are no columns. */
    @Test
    void aTableIsCreatedWithoutColumnsForTimes() throws IOException {
        Path out = unload(SOURCE, "csv", "--columns", "p,c,a,b");
        String target = KEYSPACE + ".created";
        Cli load = load(out, target, "--create", "--key", "p, c");
        assertThat(load.out()).startsWith("6 rows read = 5 written + 1 rejected\n"); // the partition without a row
        assertThat(TestCluster.execute("SELECT * FROM " + target).get(0).size()).isEqualTo(4);
        assertThat(TimedCells.rows(target, "a, writetime(a), b, writetime(b), ttl(b)"))
                .isEqualTo(TimedCells.rows(
                        SOURCE + " WHERE c > 0 ALLOW FILTERING", "a, writetime(a), b, writetime(b), ttl(b)"));
    }

    @Test
    void allTypesComeBackWithTheirTimes() {
        List<TypeSamples> zoo = TypeZoo.all(KEYSPACE).stream()
                .filter(type -> !type.cql().equals("counter"))
                .toList();
        TestCluster.execute(TypeZoo.udtDdl(KEYSPACE));
        String columns = zoo.stream()
                .map(t -> ", \"C " + t.name() + "\" " + t.cql().replace("creature", KEYSPACE + ".creature"))
                .collect(Collectors.joining());
        for (String table : List.of("zoo", "zoo_csv", "zoo_json", "zoo_arrow", "zoo_parquet")) {
            TestCluster.execute("CREATE TABLE " + KEYSPACE + "." + table + " (id text PRIMARY KEY" + columns + ")");
        }
        for (TypeSamples type : zoo) {
            int i = 0;
            for (Sample sample : type.samples()) {
                OVERDRIVE
                        .session()
                        .execute(SimpleStatement.newInstance(
                                "INSERT INTO " + KEYSPACE + ".zoo (id, \"C " + type.name()
                                        + "\") VALUES (?, ?) USING TIMESTAMP " + (1000 + i)
                                        + (i % 2 == 0 ? "" : " AND TTL 600000"),
                                type.name() + i++,
                                sample.value()));
            }
        }
        String selected = zoo.stream()
                .map(t -> ", \"C " + t.name() + "\", writetime(\"C " + t.name() + "\"), ttl(\"C " + t.name() + "\")")
                .collect(Collectors.joining());
        for (String format : List.of("csv", "json", "arrow", "parquet")) {
            Path out = unload(KEYSPACE + ".zoo", format);
            done(load(out, KEYSPACE + ".zoo_" + format, "--allow-non-idempotent"));
            assertThat(TimedCells.rows(KEYSPACE + ".zoo_" + format, "id" + selected))
                    .as(format)
                    .isEqualTo(TimedCells.rows(KEYSPACE + ".zoo", "id" + selected));
        }
    }

    @Test
    void elementsOfDifferentTimesAreNamedByTheUnloadAndRejectedByTheLoad() {
        String table = target("");
        TestCluster.execute("UPDATE " + table + " USING TIMESTAMP 1 SET m = m + {'x': 1} WHERE p = 1 AND c = 1");
        TestCluster.execute("UPDATE " + table + " USING TIMESTAMP 2 SET m = m + {'y': 1} WHERE p = 1 AND c = 1");
        TestCluster.execute("UPDATE " + table + " USING TIMESTAMP 2 SET m = m + {'y': 1} WHERE p = 1 AND c = 2");
        Path out = directory.resolve("mixed.jsonl");
        Cli unload = run("unload", table, out.toString(), "--keep-times", "--map", RENAMED);
        assertThat(unload.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(unload.err())
                .contains(
                        "NOT ALL rows can be loaded from the files with their times: 1 value has elements of different"
                                + " write times");
        Cli load = load(out, target(""), "--map", RENAMED);
        assertThat(load.code()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(load.out())
                .startsWith("2 rows read = 1 written + 1 rejected\n")
                .contains("column \"m\" has a value, and field \"writetime(m)\" has no write time for it");
    }

    @Test
    void aLoadThatFailedIsResumedWithTimes() throws IOException {
        List<String> lines = new ArrayList<>(List.of("p,c,a,writetime(a),b,writetime(b),expires(b)"));
        for (int i = 0; i < 300; i++) {
            lines.add(i % 7 + "," + i + ",x" + i + "," + (i == 299 ? "" : 10 + i) + "," + i + "," + (20 + i) + ",");
        }
        Path file = Files.write(directory.resolve("resumed.csv"), lines);
        String target = KEYSPACE + ".resumed";
        TestCluster.execute("CREATE TABLE " + target + " (p int, c int, a text, b int, PRIMARY KEY (p, c))");
        assertThat(load(file, target, "--max-rejects", "0").err())
                .contains("more records were rejected than the limit");
        Cli resumed = load(file, target, "--resume");
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE_WITH_REJECTS);
        assertThat(resumed.out()).startsWith("300 rows read = 299 written + 1 rejected\n");
        assertThat(Files.readAllLines(directory.resolve("resumed.csv.rejected")))
                .contains(lines.get(300));
        assertThat(TimedCells.rows(target, "c, a, writetime(a), b, writetime(b), ttl(b)"))
                .hasSize(299)
                .contains("|5|x5|15|5|25|none");
    }

    /** Row markers are in SSTables only: rows that were inserted and updated are distinguished. */
    @Test
    void timesOfRowMarkersComeFromSstables() throws Exception {
        String table = KEYSPACE + ".markers";
        TestCluster.execute("CREATE TABLE " + table + " (p int PRIMARY KEY, a int)");
        TestCluster.execute("INSERT INTO " + table + " (p, a) VALUES (1, 1) USING TIMESTAMP 1000");
        TestCluster.execute("INSERT INTO " + table + " (p) VALUES (2) USING TIMESTAMP 2000");
        TestCluster.execute("UPDATE " + table + " USING TIMESTAMP 3000 SET a = 3 WHERE p = 3");
        TestCluster.execute("INSERT INTO " + table + " (p) VALUES (4) USING TIMESTAMP 10 AND TTL 500000");
        TestCluster.execute("UPDATE " + table + " USING TIMESTAMP 4000 SET a = 4 WHERE p = 4");
        Path snapshot = NodeBeans.snapshot(KEYSPACE, "markers", "kept");
        String target = KEYSPACE + ".markers_restored";
        TestCluster.execute("CREATE TABLE " + target + " (p int PRIMARY KEY, a int)");
        Path out = unload(table, "parquet", "--from-sstables", snapshot.toString());
        done(load(out, target));
        assertThat(TimedCells.rows(target, "p, a, writetime(a)"))
                .isEqualTo(TimedCells.rows(table, "p, a, writetime(a)"));
        TestCluster.execute("DELETE a FROM " + target + " WHERE p IN (1, 2, 3, 4)");
        assertThat(TimedCells.rows(target, "p")).containsExactly("|1", "|2", "|4");
    }

    @Test
    void theWrongUseOfTimesIsRefused() throws IOException {
        Path out = unload(SOURCE, "csv", "--columns", "p,c,a");
        String target = target("");
        Cli without = run("load", out.toString(), target);
        assertThat(without.err()).contains("field \"writetime(a)\" has no column of its name", "--keep-times");
        assertThat(run("unload", SOURCE, directory + "/x/", "--keep-times").err())
                .contains("column \"writetime(b)\" has the name of the field with times of \"b\"", "--map \"other = ");
        Path values = Files.write(directory.resolve("values.csv"), List.of("p,c,a", "1,1,x"));
        assertThat(load(values, target).err()).contains("there is no write time for column \"a\"");
        Path times = Files.write(directory.resolve("times.csv"), List.of("p,c,writetime(a)", "1,1,5"));
        assertThat(load(times, target).err())
                .contains("field \"writetime(a)\" has the times of field \"a\", which does not exist");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "load IN a.b --keep-times --set x=1 | --set and --keep-times exclude each other",
                "load IN a.b --keep-times --write-nulls | --write-nulls and --keep-times exclude each other",
                "load IN a.b --keep-times --map x=ttl() | choose one",
                "unload a.b out/ --keep-times --set x=1 | --set and --keep-times exclude each other",
            })
    void optionsThatContradictKeptTimesAreWrongUsage(String commandAndMessage) throws IOException {
        String[] parts = commandAndMessage.split(" \\| ");
        Path file = Files.write(directory.resolve("in.csv"), List.of("a", "1"));
        Cli wrong = Cli.run(parts[0].replace("IN", file.toString()).split(" "));
        assertThat(wrong.err()).contains(parts[1]);
        assertThat(wrong.code()).isEqualTo(Main.USAGE);
    }
}
