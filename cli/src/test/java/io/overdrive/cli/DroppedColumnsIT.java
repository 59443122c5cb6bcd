package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server hides values of a column that was dropped and added again, if their write time is not later than the drop. */
class DroppedColumnsIT {
    private static final String KEYSPACE = TestCluster.keyspace("dropped_columns");
    private static final String DROPPED = "column \"w\" was dropped at 2";
    private static final long HOUR_MICROS = 3_600_000_000L;

    private final long before = System.currentTimeMillis() * 1000 - HOUR_MICROS;
    private final long after = before + 2 * HOUR_MICROS;

    private final Path directory;
    private final Path file;

    DroppedColumnsIT(@TempDir Path directory) {
        this.directory = directory;
        this.file = directory.resolve("in.csv");
    }

    private static String table(String name) {
        String table = KEYSPACE + "." + name;
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, v text, w int)");
        return table;
    }

    private static void dropAndAdd(String table) {
        TestCluster.execute("ALTER TABLE " + table + " DROP w");
        TestCluster.execute("ALTER TABLE " + table + " ADD w int");
    }

    private Cli run(String... arguments) {
        List<String> all = new ArrayList<>(Arrays.asList(arguments));
        all.addAll(List.of("--host", TestCluster.host(), "--rejects", directory.toString()));
        return Cli.run(all.toArray(String[]::new));
    }

    private static List<Integer> idsWithValue(String table) {
        List<Integer> ids = new ArrayList<>();
        for (Row row : TestCluster.execute("SELECT id, w FROM " + table)) {
            if (!row.isNull("w")) {
                ids.add(row.getInt("id"));
            }
        }
        ids.sort(null);
        return ids;
    }

    private static void assertRefused(Cli refused) {
        assertThat(refused.code()).as(refused.err()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains(DROPPED)
                .contains("added again, and the server hides its values with write times up to then");
    }

    @Test
    void refusesATimestampFromBeforeTheDrop() throws IOException {
        String table = table("given");
        dropAndAdd(table);
        Files.writeString(file, "id,v,w\n1,a,1\n2,b,2\n");
        String timestamp = Long.toString(before);
        assertRefused(run("load", file.toString(), table, "--timestamp", timestamp));
        assertRefused(run(
                "load", file.toString(), table, "--timestamp", timestamp, "--sstables", "--jmx", TestCluster.jmx()));
        assertRefused(run(
                "load",
                file.toString(),
                "--query",
                "INSERT INTO " + table + " (id, w) VALUES (:id, :w) USING TIMESTAMP " + timestamp,
                "--allow-extra-fields"));
        assertThat(TestCluster.execute("SELECT id FROM " + table)).isEmpty();

        Cli without = run("load", file.toString(), table, "--timestamp", timestamp, "--map", "* = -w");
        assertThat(without.code()).as(without.err()).isEqualTo(Main.DONE);
        Cli later = run("load", file.toString(), table, "--timestamp", Long.toString(after));
        assertThat(later.code()).as(later.err()).isEqualTo(Main.DONE);
        assertThat(idsWithValue(table)).containsExactly(1, 2);
    }

    @Test
    void rejectsRowsWhoseOwnWriteTimeIsFromBeforeTheDrop() throws IOException {
        Files.writeString(
                file,
                "id,v,w,t\n1,old,1," + before + "\n2,new,2," + after + "\n3,old and without a value,," + before + "\n");
        for (String name : List.of("mapped", "stated", "imported")) {
            String table = table(name);
            dropAndAdd(table);
            Cli load =
                    switch (name) {
                        case "mapped" -> run("load", file.toString(), table, "--map", "* = *, t = writetime()");
                        case "stated" ->
                            run(
                                    "load",
                                    file.toString(),
                                    "--query",
                                    "INSERT INTO " + table + " (id, v, w) VALUES (:id, :v, :w) USING TIMESTAMP :t");
                        default ->
                            run(
                                    "load",
                                    file.toString(),
                                    table,
                                    "--map",
                                    "* = *, t = writetime()",
                                    "--sstables",
                                    "--jmx",
                                    TestCluster.jmx());
                    };
            assertThat(load.code()).as(load.err()).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(idsWithValue(table)).containsExactly(2);
            boolean isStatement =
                    name.equals("stated"); // of which it is unknown whether the marker has the column's value
            assertThat(TestCluster.execute("SELECT id FROM " + table)).hasSize(isStatement ? 1 : 2);
            Path rejected = directory.resolve("in.csv.rejected");
            assertThat(Files.readAllLines(rejected))
                    .hasSize(isStatement ? 3 : 2)
                    .contains("1,old,1," + before);
            assertThat(directory.resolve("in.csv.rejected.reasons"))
                    .content()
                    .contains("was dropped at 2", "this one has the write time", "(" + before + " microseconds)");
            Files.delete(rejected);
            Files.delete(directory.resolve("in.csv.rejected.reasons"));
        }
    }

    @Test
    void rejectsRowsOfACopyThatKeepsTimesFromBeforeTheDrop() throws IOException {
        String source = table("source");
        TestCluster.execute("INSERT INTO " + source + " (id, v, w) VALUES (1, 'a', 1) USING TIMESTAMP " + before);
        TestCluster.execute("INSERT INTO " + source + " (id, v, w) VALUES (2, 'b', 2) USING TIMESTAMP " + after);
        TestCluster.execute("INSERT INTO " + source + " (id, v) VALUES (3, 'c') USING TIMESTAMP " + before);
        TestCluster.execute("INSERT INTO " + source + " (id, v) VALUES (4, 'd') USING TIMESTAMP " + after);
        TestCluster.execute("UPDATE " + source + " USING TIMESTAMP " + before + " SET w = 4 WHERE id = 4");
        for (String[] way : new String[][] {{}, {"--sstables", "--jmx", TestCluster.jmx()}}) {
            String target = table("target" + way.length);
            dropAndAdd(target);
            List<String> arguments = new ArrayList<>(List.of("copy", source, target, "--keep-times"));
            arguments.addAll(List.of(way));
            Cli copy = run(arguments.toArray(String[]::new));
            assertThat(copy.code()).as(copy.err()).isEqualTo(Main.DONE_WITH_REJECTS);
            assertThat(copy.out()).contains("2 written + 2 rejected");
            assertThat(idsWithValue(target)).containsExactly(2);
            assertThat(TestCluster.execute("SELECT id FROM " + target)).hasSize(2);
            Path rejects = directory.resolve(target + ".rejected.jsonl");
            assertThat(rejects).content().contains("{\"id\":1}", "{\"id\":4}", "column \\\"w\\\" was dropped at 2");

            arguments.addAll(List.of("--map", "* = -w"));
            Cli without = run(arguments.toArray(String[]::new));
            assertThat(without.code()).as(without.err()).isEqualTo(Main.DONE);
            assertThat(TestCluster.execute("SELECT id FROM " + target)).hasSize(4);
        }
    }
}
