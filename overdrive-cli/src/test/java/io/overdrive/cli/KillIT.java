package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.cql.Row;
import io.overdrive.files.journal.RunStatus.State;
import io.overdrive.files.journal.RunStore;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads are killed at random moments and resumed, and at the end the table has what one clean run makes of the file: every row, and the
 * last one of each key. The seed is printed; {@code -Doverdrive.seed} repeats a run, {@code -Doverdrive.kills} and {@code
 * -Doverdrive.rows} make it larger (docs/faults.md has the command).
 */
@Timeout(value = 12, unit = TimeUnit.HOURS)
class KillIT {
    private static final int KILLS = Integer.getInteger("overdrive.kills", 20);
    private static final int ROWS = Integer.getInteger("overdrive.rows", 150_000);
    private static final long SEED = Long.getLong("overdrive.seed", System.nanoTime());
    private static final int ROWS_OF_A_PARTITION = 50;
    private static final String KEYSPACE = TestCluster.keyspace("kills");
    private static final int TTL = 100_000;

    private final Path directory;
    private final Random random = new Random(SEED);

    KillIT(@TempDir Path directory) {
        this.directory = directory;
    }

    /** A record of the file; {@code n} and {@code ttl} may be missing. */
    private record Line(int p, int c, String v, String n, String ttl) {
        String csv() {
            return p + "," + c + "," + v + "," + n + "," + ttl;
        }

        String key() {
            return p + "/" + c;
        }

        String values() {
            return v + " " + (n.isEmpty() ? "null" : n) + (ttl.isEmpty() ? "" : " expires");
        }
    }

    /** Shuffled, and 5 % of the records have the key of another one. */
    private List<Line> lines() {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            int key = i % 20 == 0 ? random.nextInt(ROWS) : i;
            lines.add(new Line(
                    key / ROWS_OF_A_PARTITION,
                    key % ROWS_OF_A_PARTITION,
                    "v" + i,
                    random.nextInt(4) == 0 ? "" : String.valueOf(i),
                    random.nextInt(4) == 0 ? String.valueOf(TTL) : ""));
        }
        Collections.shuffle(lines, random);
        return lines;
    }

    @Test
    void killedLoadsLoseNothingAndTheLastRowOfAKeyWins() throws Exception {
        System.err.println("KillIT: seed " + SEED + ", " + ROWS + " rows, " + KILLS + " kills");
        String table = KEYSPACE + ".rows";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, v text, n int, PRIMARY KEY (p, c))");
        List<Line> lines = lines();
        Path file = directory.resolve("rows.csv");
        Map<String, String> expected = new TreeMap<>();
        try (BufferedWriter csv = Files.newBufferedWriter(file)) {
            csv.write("p,c,v,n,ttl\n");
            for (Line line : lines) {
                csv.write(line.csv() + "\n");
                expected.put(line.key(), line.values());
            }
        }
        String[] command = {
            "load",
            file.toString(),
            table,
            "--map",
            "* = *, ttl = ttl()",
            "--write-nulls",
            "--grouping-memory",
            "1MB",
            "--spill-directory",
            directory.toString(),
            "--rows-per-second",
            String.valueOf(Math.max(20_000, ROWS / 8))
        };
        int kills = 0;
        int rounds = 0;
        while (kills < KILLS) {
            TestCluster.execute("TRUNCATE " + table);
            kills += killAndResume(command, KILLS - kills, 500, 6_000);
            rounds++;
            assertSame(expected, rows(table), "after " + kills + " kills, seed " + SEED);
        }
        System.err.println("KillIT: " + kills + " kills in " + rounds + " loads");
    }

    @Test
    void listsAreWrittenOnceMore() throws Exception {
        String table = KEYSPACE + ".lists";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, l list<int>, PRIMARY KEY (p, c))");
        int rows = ROWS / 10;
        Path file = directory.resolve("lists.csv");
        Map<String, String> expected = new TreeMap<>();
        try (BufferedWriter csv = Files.newBufferedWriter(file)) {
            csv.write("p,c,l\n");
            for (int i = 0; i < rows; i++) {
                int key = i % 20 == 0 ? random.nextInt(rows) : i;
                csv.write(key / 50 + "," + key % 50 + ",\"[" + i + ", 1, 2]\"\n");
                expected.put(key / 50 + "/" + key % 50, "[" + i + ", 1, 2]");
            }
        }
        String[] command = {
            "load", file.toString(), table, "--rows-per-second", String.valueOf(Math.max(5_000, rows / 6))
        };
        killAndResume(command, 2, 2_500, 6_000);
        Map<String, String> found = new TreeMap<>();
        for (Row row : TestCluster.execute("SELECT p, c, l FROM " + table)) {
            found.put(row.getInt(0) + "/" + row.getInt(1), String.valueOf(row.getList(2, Integer.class)));
        }
        assertSame(expected, found, "seed " + SEED);
    }

    /** Runs until the load is complete, or was killed this often and then resumed; returns how often it was killed. */
    private int killAndResume(String[] command, int maxKills, int fromMillis, int toMillis) throws Exception {
        int kills = 0;
        while (true) {
            Process load = start(command, kills > 0);
            boolean last = kills == maxKills;
            int millis = last ? 300_000 : fromMillis + random.nextInt(toMillis - fromMillis);
            if (load.waitFor(millis, TimeUnit.MILLISECONDS)) {
                assertThat(load.exitValue())
                        .as("after %s kills, seed %s: %s", kills, SEED, Files.readString(directory.resolve("err")))
                        .isEqualTo(Main.DONE);
                return kills;
            }
            assertThat(last).as("it ends").isFalse();
            load.destroyForcibly().waitFor();
            if (hasUnfinishedRun()) {
                kills++;
            } else if (kills > 0) {
                return kills; // it was done just before
            }
        }
    }

    private boolean hasUnfinishedRun() {
        return new RunStore(directory.resolve("state").resolve("runs"))
                .list().stream().anyMatch(each -> each.status().state() == State.KILLED);
    }

    private Process start(String[] command, boolean resume) throws IOException {
        List<String> all = Child.command(command);
        all.addAll(List.of("--host", TestCluster.host()));
        if (resume) {
            all.add("--resume");
        }
        ProcessBuilder builder = new ProcessBuilder(all)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("OVERDRIVE_STATE", directory.resolve("state").toString());
        return builder.start();
    }

    private static Map<String, String> rows(String table) {
        Map<String, String> rows = new TreeMap<>();
        for (Row row : TestCluster.execute("SELECT p, c, v, n, ttl(v) FROM " + table)) {
            rows.put(
                    row.getInt(0) + "/" + row.getInt(1),
                    String.format(
                            Locale.ROOT,
                            "%s %s%s",
                            row.getString(2),
                            row.isNull(3) ? "null" : row.getInt(3),
                            row.isNull(4) ? "" : " expires"));
        }
        return rows;
    }

    /** Without a text of all rows if they differ. */
    private static void assertSame(Map<String, String> expected, Map<String, String> found, String when) {
        List<String> differences = new ArrayList<>();
        expected.forEach((key, values) -> {
            if (!values.equals(found.get(key))) {
                differences.add(key + ": " + values + ", and not " + found.get(key));
            }
        });
        assertThat(differences.stream().limit(5).toList())
                .as(when + ", of " + differences.size())
                .isEmpty();
        assertThat(found).as(when).hasSameSizeAs(expected);
    }
}
