package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.NodeBeans;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.management.JMException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code --from-sstables} as a user types it, beside the same command over CQL. */
@Timeout(300)
class FromSstablesIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_from_sstables");
    /** Rows are restored before they have expired. The server counts from its clock, whatever the write time is. */
    private static final int LIFE_SECONDS = 20;

    private final Path directory;

    FromSstablesIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static Cli run(String... arguments) {
        return Cli.run(Stream.concat(Arrays.stream(arguments), Stream.of("--host", TestCluster.host()))
                .toArray(String[]::new));
    }

    private static JsonNode json(String... arguments) throws IOException {
        Cli cli =
                run(Stream.concat(Arrays.stream(arguments), Stream.of("--json")).toArray(String[]::new));
        assertThat(cli.code()).as(cli.err()).isZero();
        return new JsonMapper().readTree(cli.out());
    }

    /** A table with overwritten, deleted and expired rows in several SSTables, which are not compacted. */
    private static String table(String name) throws IOException, JMException {
        String table = KEYSPACE + "." + name;
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, s text STATIC, v text, l list<int>,"
                + " PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)"
                + " AND compaction = {'class': 'SizeTieredCompactionStrategy', 'enabled': 'false'}");
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 200; i++) {
                int p = (i * 7 + round) % 40;
                TestCluster.execute("INSERT INTO " + table + " (p, c, v, l) VALUES (" + p + ", " + i + ", 'v" + round
                        + "', [" + round + ", " + i + "])");
            }
            TestCluster.execute("INSERT INTO " + table + " (p, s) VALUES (" + (1000 + round) + ", 'only a static')");
            TestCluster.execute("UPDATE " + table + " SET s = 'static " + round + "' WHERE p = " + round);
            TestCluster.execute("DELETE FROM " + table + " WHERE p = " + (10 + round));
            TestCluster.execute("DELETE FROM " + table + " WHERE p = " + (20 + round) + " AND c > 50 AND c < 150");
            TestCluster.execute("DELETE v FROM " + table + " WHERE p = " + (30 + round) + " AND c = " + (round + 1));
            TestCluster.execute(
                    "INSERT INTO " + table + " (p, c, v) VALUES (5, " + (1000 + round) + ", 'expires') USING TTL 1");
            snapshot(name, "round" + round); // flushes
        }
        return table;
    }

    private static Path snapshot(String table, String name) throws IOException, JMException {
        return NodeBeans.snapshot(KEYSPACE, table, name);
    }

    private static void awaitExpiry(String table) throws InterruptedException {
        while (TestCluster.execute("SELECT * FROM " + table + " WHERE p = 5 AND c >= 1000")
                        .size()
                > 0) {
            Thread.sleep(100);
        }
    }

    /** The columns are those of the target then: docs/guides/keyspaces.md. */
    @Test
    void aCopyNeedsNoOtherClusterThanTheTarget() throws Exception {
        String table = table("lonely");
        String snapshot = snapshot("lonely", "all").toString();
        awaitExpiry(table);
        long rows = TestCluster.execute("SELECT p FROM " + table).size();
        TestCluster.execute("TRUNCATE " + table);
        Cli copy = Cli.run("copy", table, "--from-sstables", snapshot, "--to-host", TestCluster.host());
        assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE);
        assertThat(TestCluster.execute("SELECT p FROM " + table)).hasSize((int) rows);
    }

    @Test
    void readsASnapshotAsTheServerReadsTheTable() throws Exception {
        String table = table("merged");
        String snapshot = snapshot("merged", "all").toString();
        awaitExpiry(table);
        JsonNode byCql = json("unload", table, directory.resolve("cql").toString());
        JsonNode byFiles = json("unload", table, directory.resolve("files").toString(), "--from-sstables", snapshot);
        assertThat(byFiles.get("digest")).isEqualTo(byCql.get("digest"));
        assertThat(byFiles.get("rowsWritten")).isEqualTo(byCql.get("rowsWritten"));
        assertThat(byFiles.get("rowsWritten").asLong()).isGreaterThan(400);
        assertThat(byFiles.get("plan").get("reads").get("sstables").asInt()).isGreaterThanOrEqualTo(3);
        assertThat(lines(directory.resolve("files")))
                .containsExactlyInAnyOrderElementsOf(lines(directory.resolve("cql")));

        assertThat(json("count", table, "--from-sstables", snapshot).get("rows"))
                .isEqualTo(byCql.get("rowsWritten"));
        assertThat(partitions(table, "--from-sstables", snapshot)).isEqualTo(partitions(table));
        for (String columns : List.of("v,p", "s", "p", "l,c")) { // also of partitions that only have a static column
            Path chosenByCql = directory.resolve("cql-" + columns);
            Path chosen = directory.resolve("files-" + columns);
            json("unload", table, chosenByCql.toString(), "--columns", columns);
            json("unload", table, chosen.toString(), "--columns", columns, "--from-sstables", snapshot);
            assertThat(lines(chosen)).containsExactlyInAnyOrderElementsOf(lines(chosenByCql));
        }

        Cli same = run("diff", table, table, "--from-sstables", snapshot);
        assertThat(same.code()).as(same.out() + same.err()).isZero();
        TestCluster.execute("UPDATE " + table + " SET v = 'later' WHERE p = 6 AND c = 998");
        Cli later = run("diff", table, table, "--from-sstables", snapshot);
        assertThat(later.code()).isEqualTo(Main.DIFFERENT);
        assertThat(later.out()).contains("\"missing-left\"", "\"c\":998").hasLineCount(1);
    }

    @Test
    void mergesDirectoriesAndRepairsATableFromThem() throws Exception {
        String table = table("restored");
        Path first = snapshot("restored", "first");
        TestCluster.execute("INSERT INTO " + table + " (p, c, v) VALUES (6, 999, 'in the second')");
        Path second = snapshot("restored", "second");
        awaitExpiry(table);
        // both have what was flushed before the first: as replicas have the same rows
        String both = first + "," + second;
        long rows = json("count", table).get("rows").asLong();
        assertThat(json("count", table, "--from-sstables", both).get("rows").asLong())
                .isEqualTo(rows);
        TestCluster.execute("TRUNCATE " + table);
        Cli repaired = run("diff", table, table, "--from-sstables", both, "--repair", "missing,different");
        assertThat(repaired.code()).as(repaired.err()).isEqualTo(Main.DIFFERENT);
        assertThat(json("count", table).get("rows").asLong()).isEqualTo(rows);
        Cli same = run("diff", table, table, "--from-sstables", both);
        assertThat(same.code()).as(same.out() + same.err()).isZero();
    }

    /** A table as a SELECT shows it, with times. */
    private static List<String> shown(String table) {
        return TestCluster.execute("SELECT p, c, s, writetime(s), v, writetime(v), l, writetime(l), \"U d\","
                        + " writetime(\"U d\"), ttl(v) FROM " + table)
                .stream()
                .map(row -> row.getFormattedContents().replaceFirst("ttl\\(v\\)\":(\\d+)\\d{3}", "ttl(v):$1"))
                .sorted()
                .toList();
    }

    /** Values, static columns, write times and what is left to live, over CQL and by SSTables. */
    @Test
    void copiesASnapshotAndKeepsTimes() throws Exception {
        TestCluster.execute("CREATE TYPE IF NOT EXISTS " + KEYSPACE + ".pair (a int, b text)");
        String table = KEYSPACE + ".timed";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, s text STATIC, v text, l set<int>, \"U d\" pair,"
                + " PRIMARY KEY (p, c))");
        for (int i = 0; i < 100; i++) {
            String time = " USING TIMESTAMP " + (1_700_000_000_000_000L + i);
            TestCluster.execute("INSERT INTO " + table + " (p, c, v, l) VALUES (" + i % 7 + ", " + i + ", 'v" + i
                    + "', {" + i + ", 1000})" + time + (i % 3 == 0 ? " AND TTL 900500" : ""));
            TestCluster.execute("UPDATE " + table + " USING TIMESTAMP " + (1_600_000_000_000_000L + i)
                    + " SET \"U d\" = {b: 'b" + i + "'} WHERE p = " + i % 7 + " AND c = " + i);
            TestCluster.execute("UPDATE " + table + time + " SET s = 's" + i + "' WHERE p = " + i % 9);
        }
        List<String> before = shown(table);
        assertThat(before).hasSize(102);
        String snapshot = snapshot("timed", "all").toString();
        for (String more : List.of("", "--sstables")) {
            String target = KEYSPACE + ".timed_copy" + more.length();
            List<String> arguments = new ArrayList<>(List.of(
                    "copy",
                    table,
                    target,
                    "--create",
                    "--keep-times",
                    "--from-sstables",
                    snapshot,
                    "--rejects",
                    directory.toString()));
            if (!more.isEmpty()) {
                arguments.addAll(List.of(more, "--jmx", TestCluster.jmx()));
            }
            JsonNode copied = json(arguments.toArray(String[]::new));
            assertThat(copied.get("rowsWritten").asLong()).isEqualTo(102);
            assertThat(shown(target)).isEqualTo(before);
        }
        TestCluster.execute("INSERT INTO " + table + " (p, c, v) VALUES (0, 0, 'written after the snapshot')");
        TestCluster.execute("DELETE FROM " + table + " WHERE p = 1 AND c = 1");
        List<String> after = shown(table);
        JsonNode restored = json(
                "copy", table, table, "--keep-times", "--from-sstables", snapshot, "--rejects", directory.toString());
        assertThat(restored.get("plan").get("reads").get("sstables").asInt()).isPositive();
        assertThat(shown(table)).isEqualTo(after);
        Cli byCql = run("copy", table, table);
        assertThat(byCql.code()).isEqualTo(Main.FAILED);
        assertThat(byCql.err()).contains("the same table");
    }

    private Cli restore(String table, String snapshot, String... more) {
        Cli restored = run(Stream.concat(
                        Stream.of(
                                "copy",
                                table,
                                table,
                                "--keep-times",
                                "--from-sstables",
                                snapshot,
                                "--rejects",
                                directory.toString()),
                        Arrays.stream(more))
                .toArray(String[]::new));
        assertThat(restored.code()).as(restored.err()).isZero();
        return restored;
    }

    private static List<Integer> keys(String table) {
        return TestCluster.execute("SELECT p FROM " + table).stream()
                .map(row -> row.getInt(0))
                .sorted()
                .toList();
    }

    /**
     * Restores in place, over CQL and by SSTables: rows are there as long as they would have been without, and no
     * longer.
     */
    @Test
    void restoresRowMarkersAsTheyWere() throws Exception {
        long time = System.currentTimeMillis() * 1000 - 3_600_000_000L;
        String[][] ways = {{}, {"--sstables", "--jmx", TestCluster.jmx()}};
        List<String> tables = new ArrayList<>();
        for (String[] way : ways) {
            String name = "markers" + way.length;
            String table = KEYSPACE + "." + name;
            tables.add(table);
            TestCluster.execute("CREATE TABLE " + table
                    + " (p int PRIMARY KEY, v text, w text) WITH default_time_to_live = 1000000");
            String at = " USING TIMESTAMP " + time + " AND TTL ";
            String later = " USING TIMESTAMP " + (time + 1000) + " AND TTL ";
            for (int p = 1; p <= 4; p++) {
                TestCluster.execute("INSERT INTO " + table + " (p) VALUES (" + p + ")" + at + 0);
            }
            TestCluster.execute("INSERT INTO " + table + " (p) VALUES (5)" + at + LIFE_SECONDS);
            TestCluster.execute("INSERT INTO " + table + " (p, v) VALUES (6, 'v')" + at + 0);
            TestCluster.execute("UPDATE " + table + later + LIFE_SECONDS + " SET v = 'expires' WHERE p = 6");
            for (int p = 7; p <= 8; p++) {
                TestCluster.execute("UPDATE " + table + at + 0 + " SET v = 'v' WHERE p = " + p);
                TestCluster.execute("UPDATE " + table + later + 0 + " SET w = 'w' WHERE p = " + p);
            }
            TestCluster.execute("INSERT INTO " + table + " (p, v, w) VALUES (9, 'v', 'w')" + at + 0);
            String snapshot = snapshot(name, "all").toString();
            TestCluster.execute("DELETE FROM " + table + " WHERE p = 1");
            TestCluster.execute("DELETE FROM " + table + " WHERE p = 7");
            TestCluster.execute("DELETE v, w FROM " + table + " WHERE p = 9");
            restore(table, snapshot, way);
            assertThat(keys(table)).contains(2, 3, 4, 6, 8, 9).doesNotContain(1, 7);
            String times = "SELECT p, v, writetime(v), w, writetime(w) FROM " + table + " WHERE p IN (2, 3, 4, 8, 9)";
            List<String> before = TestCluster.execute(times).stream()
                    .map(Row::getFormattedContents)
                    .toList();
            restore(table, snapshot, way);
            assertThat(TestCluster.execute(times).stream()
                            .map(Row::getFormattedContents)
                            .toList())
                    .isEqualTo(before);
            TestCluster.execute("DELETE v, w FROM " + table + " WHERE p = 8");
            // deletes what was written at that time and before
            TestCluster.execute("DELETE FROM " + table + " USING TIMESTAMP " + (time - 1) + " WHERE p = 2");
            TestCluster.execute("DELETE FROM " + table + " USING TIMESTAMP " + time + " WHERE p = 3");
        }
        for (String table : tables) {
            while (keys(table).contains(5)
                    || TestCluster.execute("SELECT v FROM " + table + " WHERE p = 6").stream()
                            .anyMatch(row -> !row.isNull(0))) {
                Thread.sleep(100);
            }
            assertThat(keys(table)).containsExactly(2, 4, 6, 9);
            assertThat(TestCluster.execute("SELECT v FROM " + table + " WHERE p = 6"))
                    .hasSize(1);
        }
    }

    @Test
    void restoresATableOfKeysOnly() throws Exception {
        long time = System.currentTimeMillis() * 1000 - 3_600_000_000L;
        String table = KEYSPACE + ".only_keys";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, PRIMARY KEY (p, c))");
        for (int p = 1; p <= 3; p++) {
            TestCluster.execute("INSERT INTO " + table + " (p, c) VALUES (" + p + ", 0) USING TIMESTAMP " + time);
        }
        String snapshot = snapshot("only_keys", "all").toString();
        TestCluster.execute("DELETE FROM " + table + " WHERE p = 1");
        restore(table, snapshot);
        restore(table, snapshot, "--sstables", "--jmx", TestCluster.jmx());
        assertThat(keys(table)).containsExactly(2, 3);
        TestCluster.execute("DELETE FROM " + table + " USING TIMESTAMP " + time + " WHERE p = 2");
        assertThat(keys(table)).containsExactly(3);
    }

    /** They have no row marker, and none of their cells is copied. */
    @Test
    void aSnapshotOfATableWithoutRowsIsEmpty() throws Exception {
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".nothing (p int PRIMARY KEY)");
        String snapshot = snapshot("nothing", "of_nothing").toString();
        assertThat(json("count", KEYSPACE + ".nothing", "--from-sstables", snapshot)
                        .get("rows")
                        .asLong())
                .isZero();
        Cli unload = run(
                "unload", KEYSPACE + ".nothing", directory.resolve("nothing").toString(), "--from-sstables", snapshot);
        assertThat(unload.code()).as(unload.err()).isZero();
    }

    @Test
    void saysThatRowsMayBeLeftOutWithTheirColumns() throws Exception {
        for (String[] way : new String[][] {{}, {"--sstables", "--jmx", TestCluster.jmx()}}) {
            String name = "left_out" + way.length;
            String table = KEYSPACE + "." + name;
            TestCluster.execute("CREATE TABLE " + table + " (p int PRIMARY KEY, v text, w text)");
            TestCluster.execute("INSERT INTO " + table + " (p, v) VALUES (1, 'v')");
            TestCluster.execute("UPDATE " + table + " SET w = 'w' WHERE p = 2");
            String snapshot = snapshot(name, "all").toString();
            TestCluster.execute("TRUNCATE " + table);
            List<String> arguments = new ArrayList<>(
                    List.of("copy", table, table, "--from-sstables", snapshot, "--keep-times", "--columns", "p, v"));
            arguments.addAll(List.of(way));
            Cli copy = run(arguments.toArray(new String[0]));
            assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE);
            assertThat(copy.err())
                    .contains(
                            "overdrive: rows that were only updated, and have nothing but values of columns that are left"
                                    + " out (w), are not written, and count as copied\n");
            assertThat(keys(table)).containsExactly(1);
        }
    }

    /** A column is dropped by mistake, added again, and the rows are to come from the snapshot of before. */
    @Test
    void saysWhichValuesFromBeforeADropAreLeftOut() throws Exception {
        String table = KEYSPACE + ".dropped";
        TestCluster.execute("CREATE TABLE " + table + " (p int PRIMARY KEY, n int, v text, l list<int>, x int)");
        TestCluster.execute("INSERT INTO " + table + " (p, n, v, l, x) VALUES (1, 1, 'precious', [1, 2], 1)");
        TestCluster.execute("INSERT INTO " + table + " (p, n, v) VALUES (2, 2, 'precious')");
        TestCluster.execute("UPDATE " + table + " SET v = 'only this' WHERE p = 3");
        TestCluster.execute("INSERT INTO " + table + " (p, n, v) VALUES (4, 4, 'deleted')");
        TestCluster.execute("DELETE v FROM " + table + " WHERE p = 4");
        String snapshot = snapshot("dropped", "before").toString();
        TestCluster.execute("ALTER TABLE " + table + " DROP v");
        TestCluster.execute("ALTER TABLE " + table + " DROP l");
        TestCluster.execute("ALTER TABLE " + table + " DROP x");
        TestCluster.execute("ALTER TABLE " + table + " ADD v text");
        TestCluster.execute("ALTER TABLE " + table + " ADD l list<int>");

        String said =
                "overdrive: NOT ALL that is in the SSTables was read; left out: 1 value from before column \"l\" was dropped, 3"
                        + " values from before column \"v\" was dropped, the values that 1 row has of columns that the table has"
                        + " no longer (x), 1 row that had no other values\n";
        for (String[] command : new String[][] {
            {"unload", table, directory.resolve("out").toString()}, {"copy", table, table}, {"diff", table, table}
        }) {
            Cli cli = run(Stream.concat(Arrays.stream(command), Stream.of("--from-sstables", snapshot))
                    .toArray(String[]::new));
            assertThat(cli.code()).as(cli.err()).isEqualTo(3);
            assertThat(cli.err())
                    .contains("overdrive: column \"v\" was dropped at 2")
                    .contains("and added again: values from before, which these SSTables may have, are left out")
                    .contains("overdrive: column \"x\" was dropped at 2")
                    .contains("and the table has it no longer: its values in these SSTables are left out")
                    .contains(said);
        }
        Cli count = run("count", table, "--from-sstables", snapshot);
        assertThat(count.code()).isEqualTo(3);
        assertThat(count.err()).contains("1 row that had no other values\n");
        for (String[] command : new String[][] {
            {"unload", table, directory.resolve("json").toString()}, {"copy", table, table}, {"diff", table, table}
        }) {
            Cli cli = run(Stream.concat(Arrays.stream(command), Stream.of("--json", "--from-sstables", snapshot))
                    .toArray(String[]::new));
            assertThat(cli.out() + cli.err())
                    .contains(
                            ",\"leftOut\":{\"values\":{\"l\":1,\"v\":3},\"goneColumns\":[\"x\"],\"rowsOfGoneColumns\":1,"
                                    + "\"rows\":1}");
        }
        assertThat(run("count", table, "--json", "--from-sstables", snapshot).out())
                .contains(",\"leftOut\":{\"values\":{},\"goneColumns\":[\"x\"],\"rowsOfGoneColumns\":1,\"rows\":1}");

        TestCluster.execute(
                "CREATE TABLE " + KEYSPACE + ".as_before (p int PRIMARY KEY, n int, v text, l list<int>, x int)");
        Cli all = run("copy", KEYSPACE + ".as_before", table, "--map", "* = *, * = -x", "--from-sstables", snapshot);
        assertThat(all.code()).as(all.err()).isEqualTo(Main.DONE);
        assertThat(TestCluster.execute("SELECT p FROM " + table + " WHERE v = 'precious' ALLOW FILTERING"))
                .hasSize(2);

        // once written again, they are in a snapshot, and older values count no more
        String after = snapshot("dropped", "after").toString();
        Cli complete = run(
                "unload", table, directory.resolve("complete").toString(), "--from-sstables", snapshot + "," + after);
        assertThat(complete.code()).as(complete.err()).isEqualTo(Main.DONE);
    }

    /** Such a partition is a row, also if no value of it is read. */
    @Test
    void countsPartitionsThatHadOnlyStaticValuesFromBeforeADrop() throws Exception {
        String table = KEYSPACE + ".dropped_static";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, s text STATIC, t text STATIC, v text, w int,"
                + " PRIMARY KEY (p, c))");
        TestCluster.execute("INSERT INTO " + table + " (p, s) VALUES (1, 'precious')");
        TestCluster.execute("INSERT INTO " + table + " (p, s, t) VALUES (2, 'precious', 'stays')");
        TestCluster.execute("INSERT INTO " + table + " (p, c, s, v) VALUES (3, 3, 'precious', 'stays')");
        TestCluster.execute("UPDATE " + table + " SET s = 'precious', w = 4 WHERE p = 4 AND c = 4");
        TestCluster.execute("UPDATE " + table + " SET w = 5 WHERE p = 4 AND c = 5");
        String snapshot = snapshot("dropped_static", "before").toString();
        assertThat(json("count", table, "--from-sstables", snapshot).get("rows").asInt())
                .isEqualTo(5);
        for (String column : List.of("s text STATIC", "w int")) {
            TestCluster.execute("ALTER TABLE " + table + " DROP " + column.substring(0, 1));
            TestCluster.execute("ALTER TABLE " + table + " ADD " + column);
        }

        Cli count = run("count", table, "--from-sstables", snapshot);
        assertThat(count.code()).as(count.err()).isEqualTo(3);
        assertThat(count.out()).contains("2 rows");
        assertThat(count.err())
                .contains("NOT ALL that is in the SSTables was read; left out: 3 rows that had no other values\n");
        Cli unload = run("unload", table, directory.resolve("out").toString(), "--from-sstables", snapshot);
        assertThat(unload.code()).as(unload.err()).isEqualTo(3);
        assertThat(unload.err())
                .contains(
                        "left out: 4 values from before column \"s\" was dropped, 2 values from before column \"w\" was"
                                + " dropped, 3 rows that had no other values\n");
    }

    @Test
    void aDamagedFileEndsTheRunAndLeavesNoFile() throws Exception {
        String table = table("damaged");
        Path snapshot = snapshot("damaged", "all");
        Path copy = Files.createDirectory(directory.resolve("copy"));
        Path data = null;
        try (Stream<Path> files = Files.list(snapshot)) {
            for (Path file : files.toList()) {
                Path copied = Files.copy(file, copy.resolve(file.getFileName()));
                data = copied.toString().endsWith("-Data.db") ? copied : data;
            }
        }
        try (RandomAccessFile file = new RandomAccessFile(String.valueOf(data), "rw")) {
            file.seek(file.length() / 2);
            int before = file.read();
            file.seek(file.length() / 2);
            file.write(before ^ 4);
        }
        Path out = directory.resolve("out.csv");
        Cli damaged = run("unload", table, out.toString(), "--from-sstables", copy.toString());
        assertThat(damaged.code()).isEqualTo(Main.FAILED);
        assertThat(damaged.err()).contains(String.valueOf(data), "damaged", "replica");
        assertThat(out).doesNotExist();
        Path empty = Files.createDirectory(directory.resolve("empty"));
        Cli none = run("count", table, "--from-sstables", empty.toString());
        assertThat(none.code()).isEqualTo(Main.FAILED);
        assertThat(none.err()).contains(empty.toString(), "no SSTable");
    }

    /** The rows of each partition. */
    private static Map<String, Long> partitions(String table, String... more) throws IOException {
        Map<String, Long> rows = new TreeMap<>();
        JsonNode groups = json(Stream.concat(
                                Stream.of("count", table, "--by", "partition", "--top", "1000"), Arrays.stream(more))
                        .toArray(String[]::new))
                .get("groups");
        groups.forEach(
                group -> rows.put(group.get("name").asText(), group.get("rows").asLong()));
        return rows;
    }

    private static List<String> lines(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.flatMap(file -> {
                        try {
                            return Files.readAllLines(file).stream().skip(1);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .toList();
        }
    }

    @Test
    void refusesWhatIsAboutTheCluster() throws IOException {
        String here = directory.toString();
        for (List<String> more : List.of(
                List.of("--where", "p = 1"),
                List.of("--page-bytes", "1MB"),
                List.of("--consistency", "ALL"),
                List.of("--resume"),
                List.of("--guard", "p99=5ms"))) {
            Cli refused = run(
                    Stream.concat(Stream.of("unload", "a.b", here + "/out/", "--from-sstables", here), more.stream())
                            .toArray(String[]::new));
            assertThat(refused.code()).as(refused.err()).isEqualTo(Main.USAGE);
            assertThat(refused.err()).contains(more.get(0), "--from-sstables");
        }
        Cli copy = run("copy", "a.b", "a.c", "--read-consistency", "ALL", "--from-sstables", here);
        assertThat(copy.code()).as(copy.err()).isEqualTo(Main.USAGE);
        assertThat(copy.err()).contains("--read-consistency", "--from-sstables");
        assertThat(run("count", "a.b", "--by", "node", "--from-sstables", here).err())
                .contains("--by node");
        assertThat(run("count", "a.b", "--from-sstables", here + "/none").err()).contains("/none", "directory");
    }

    @Test
    void saysOfWhatIsNoTableHowItIsRead() throws Exception {
        String here = directory.toString();
        Cli none = run("count", KEYSPACE + ".none", "--from-sstables", here);
        assertThat(none.code()).isEqualTo(Main.FAILED);
        assertThat(none.err()).contains("has no table \"none\"", "create the table, as schema.cql");
        Cli own = run("count", "system_auth.roles", "--from-sstables", here);
        assertThat(own.code()).isEqualTo(Main.FAILED);
        assertThat(own.err()).contains("[system_auth.roles] is a table of Cassandra's own", "read it over CQL");
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".viewed (p int PRIMARY KEY, v int)");
        TestCluster.execute("CREATE MATERIALIZED VIEW " + KEYSPACE + ".by_v AS SELECT * FROM " + KEYSPACE
                + ".viewed WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p)");
        Cli view = run("count", KEYSPACE + ".by_v", "--from-sstables", here);
        assertThat(view.code()).isEqualTo(Main.FAILED);
        assertThat(view.err())
                .contains("is a materialized view", "read those of its table viewed, or read it over CQL");
    }
}
