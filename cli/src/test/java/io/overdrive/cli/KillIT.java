package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.KillPoint;
import io.overdrive.RowCursor;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Seeds;
import io.overdrive.TestCluster;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads are killed and resumed, and at the end the table has what one clean run makes of the file: every row, and the last one of each
 * key. In each build they are killed at named places of the program; the tests with the tag {@code kills} do it at random moments, and
 * print their seed: {@code -Doverdrive.seed} repeats a run, {@code -Doverdrive.kills} and {@code -Doverdrive.rows} make it larger
 * (docs/concepts/faults.md has the command).
 */
@Timeout(value = 12, unit = TimeUnit.HOURS)
class KillIT {
    private static final int KILLS = Integer.getInteger("overdrive.kills", 20);
    private static final int ROWS = Integer.getInteger("overdrive.rows", 1_000_000);
    private static final int FEW_ROWS = 50_000;
    /** So that a load lasts for more than one checkpoint. */
    private static final int SECONDS = 3;

    private static final long SEED = Seeds.seed();
    private static final int ROWS_OF_A_PARTITION = 50;
    private static final String KEYSPACE = TestCluster.keyspace("kills");
    private static final int TTL = 100_000;
    private static final String JOURNAL = "io.overdrive.jobs.load.LoadJournal";

    private final Path directory;
    private final Random random = new Random(SEED);

    KillIT(@TempDir Path directory) {
        this.directory = directory;
    }

    /** The last record in the file of each key, and its values; these are the rows of the table. */
    private static final class Model {
        /** The number of the last record of each key; -1 for a key that no record has. */
        private final int[] last;

        private final BitSet withN = new BitSet();
        private final BitSet withTtl = new BitSet();

        Model(int keys) {
            last = new int[keys];
            Arrays.fill(last, -1);
        }

        void put(int key, int record, boolean hasN, boolean hasTtl) {
            last[key] = record;
            withN.set(record, hasN);
            withTtl.set(record, hasTtl);
        }

        String row(int key) {
            int record = last[key];
            return rowText("v" + record, withN.get(record) ? record : null, withTtl.get(record));
        }
    }

    private static String rowText(@Nullable String v, @Nullable Integer n, boolean expires) {
        return v + " " + n + (expires ? " expires" : "");
    }

    /** 5 % of the records have the key of another one. */
    private int key(int record, int keys) {
        return record % 20 == 0 ? random.nextInt(keys) : record;
    }

    private int[] shuffled(int rows) {
        int[] records = IntStream.range(0, rows).toArray();
        for (int i = rows - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int record = records[i];
            records[i] = records[other];
            records[other] = record;
        }
        return records;
    }

    private Model write(Path file, int rows) throws IOException {
        Model model = new Model(rows);
        try (BufferedWriter csv = Files.newBufferedWriter(file)) {
            csv.write("p,c,v,n,ttl\n");
            for (int record : shuffled(rows)) {
                int key = key(record, rows);
                boolean hasN = random.nextInt(4) > 0;
                boolean hasTtl = random.nextInt(4) == 0;
                csv.write(key / ROWS_OF_A_PARTITION + "," + key % ROWS_OF_A_PARTITION + ",v" + record + ","
                        + (hasN ? record : "") + "," + (hasTtl ? TTL : "") + "\n");
                model.put(key, record, hasN, hasTtl);
            }
        }
        return model;
    }

    private List<String> load(Path file, String table) {
        TestCluster.execute(
                "CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, v text, n int, PRIMARY KEY (p, c))");
        return List.of(
                "load",
                file.toString(),
                KEYSPACE + "." + table,
                "--map",
                "* = *, ttl = ttl()",
                "--write-nulls",
                "--grouping-memory",
                "1MB",
                "--spill-directory",
                directory.toString());
    }

    private static void assertRows(String table, Model model, String when) {
        assertRows(
                model.last,
                model::row,
                ScanOptions.from(KEYSPACE, table).columns("p", "c", "v", "n", "ttl(v)"),
                row -> rowText(row.text(2), row.isNull(3) ? null : row.getInt(3), !row.isNull(4)),
                when);
    }

    /** While rows are acknowledged, after the first checkpoint, and after the last one. */
    @Test
    void loadsKilledBeforeAndAfterCheckpointsLoseNothingAndTheLastRowOfAKeyWins() throws Exception {
        Path file = directory.resolve("rows.csv");
        Model model = write(file, FEW_ROWS);
        List<String> command = load(file, "killed");
        killAt(new KillPoint(JOURNAL, "written", 100), command, /* resume */ false, FEW_ROWS / SECONDS);
        killAt(new KillPoint(JOURNAL, "status"), command, /* resume */ true, FEW_ROWS / SECONDS);
        killAt(new KillPoint(JOURNAL, "end"), command, /* resume */ true, /* rowsPerSecond */ 0);
        assertDone(start(command, /* resume */ true, /* rowsPerSecond */ 0), /* kills */ 3);
        assertRows("killed", model, "after three kills");
    }

    @Test
    @Tag("nightly")
    void listsAreWrittenAgainAfterAKill() throws Exception {
        int rows = FEW_ROWS / 10;
        int[] last = new int[rows];
        List<String> command = loadLists("listed", rows, last);
        killAt(new KillPoint(JOURNAL, "status"), command, /* resume */ false, rows / SECONDS);
        assertDone(start(command, /* resume */ true, /* rowsPerSecond */ 0), /* kills */ 1);
        assertLists("listed", last, "after a kill");
    }

    private void killAt(KillPoint place, List<String> command, boolean resume, int rowsPerSecond) throws Exception {
        assertThat(place.kills(builder(command, resume, rowsPerSecond)))
                .as("is killed at %s: %s", place, Files.readString(directory.resolve("err")))
                .isTrue();
        assertThat(hasUnfinishedRun()).as("has a journal at %s", place).isTrue();
    }

    @Test
    @Tag("kills")
    void killedLoadsLoseNothingAndTheLastRowOfAKeyWins() throws Exception {
        System.err.println("KillIT: seed " + SEED + ", " + ROWS + " rows, " + KILLS + " kills");
        Path file = directory.resolve("rows.csv");
        Model model = write(file, ROWS);
        List<String> command = load(file, "rows");
        int kills = 0;
        int rounds = 0;
        while (kills < KILLS) {
            TestCluster.execute("TRUNCATE " + KEYSPACE + ".rows");
            kills += killAndResume(command, ROWS / 25, KILLS - kills);
            rounds++;
            assertRows("rows", model, "after " + kills + " kills, seed " + SEED);
            System.err.println("KillIT: " + kills + " kills in " + rounds + " loads");
        }
    }

    @Test
    @Tag("kills")
    void listsAreWrittenAgain() throws Exception {
        int rows = ROWS / 10;
        int[] last = new int[rows];
        List<String> command = loadLists("lists", rows, last);
        killAndResume(command, rows / 6, 3);
        assertLists("lists", last, "seed " + SEED);
    }

    /** @param last gets the last record of each key, or -1 */
    private List<String> loadLists(String table, int rows, int[] last) throws IOException {
        TestCluster.execute(
                "CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, l list<int>, PRIMARY KEY (p, c))");
        Path file = directory.resolve("lists.csv");
        Arrays.fill(last, -1);
        try (BufferedWriter csv = Files.newBufferedWriter(file)) {
            csv.write("p,c,l\n");
            for (int record = 0; record < rows; record++) {
                int key = key(record, rows);
                csv.write(
                        key / ROWS_OF_A_PARTITION + "," + key % ROWS_OF_A_PARTITION + ",\"[" + record + ", 1, 2]\"\n");
                last[key] = record;
            }
        }
        return List.of("load", file.toString(), KEYSPACE + "." + table);
    }

    private static void assertLists(String table, int[] last, String when) {
        assertRows(
                last,
                key -> "[" + last[key] + ", 1, 2]",
                ScanOptions.from(KEYSPACE, table).columns("p", "c", "l"),
                row -> String.valueOf(row.get(2)),
                when);
    }

    /**
     * Runs until the load is complete, or was killed this often and then resumed; returns how often it was killed. Its rate is limited
     * while it may be killed, and not when it is resumed for the last time. What is killed before it has a journal does not count.
     */
    private int killAndResume(List<String> command, int rowsPerSecond, int maxKills) throws Exception {
        int kills = 0;
        while (kills < maxKills) {
            Process load = start(command, kills > 0, rowsPerSecond);
            if (endsBeforeItsKill(load)) {
                assertDone(load, kills);
                return kills;
            }
            load.destroyForcibly().waitFor();
            if (hasUnfinishedRun()) {
                kills++;
            } else if (kills > 0) {
                return kills; // it was done just before
            }
        }
        assertDone(start(command, true, 0), kills);
        return kills;
    }

    /**
     * Waits until the load is to be killed: one in five while it starts, and the others when they have begun to load, which takes seconds
     * on a busy machine. Returns whether the load has ended before that.
     */
    private boolean endsBeforeItsKill(Process load) throws Exception {
        if (random.nextInt(5) == 0) {
            return load.waitFor(random.nextInt(2_000), TimeUnit.MILLISECONDS);
        }
        Path err = directory.resolve("err");
        while (load.isAlive() && Files.size(err) == 0) { // it says what it writes when it begins
            Thread.sleep(10);
        }
        return load.waitFor(random.nextInt(4_000), TimeUnit.MILLISECONDS);
    }

    private void assertDone(Process load, int kills) throws Exception {
        assertThat(load.waitFor(300, TimeUnit.SECONDS)).as("it ends").isTrue();
        assertThat(load.exitValue())
                .as("after %s kills, seed %s: %s", kills, SEED, Files.readString(directory.resolve("err")))
                .isEqualTo(Main.DONE);
    }

    private boolean hasUnfinishedRun() {
        return new RunStore(directory.resolve("state").resolve("runs"))
                .list().stream().anyMatch(each -> each.status().state() == State.KILLED);
    }

    private Process start(List<String> command, boolean resume, int rowsPerSecond) throws IOException {
        return builder(command, resume, rowsPerSecond).start();
    }

    private ProcessBuilder builder(List<String> command, boolean resume, int rowsPerSecond) {
        List<String> all = Child.command(command.toArray(String[]::new));
        all.addAll(List.of("--host", TestCluster.host()));
        if (rowsPerSecond > 0) {
            all.addAll(List.of("--rows-per-second", String.valueOf(rowsPerSecond)));
        }
        if (resume) {
            all.add("--resume");
        }
        ProcessBuilder builder = new ProcessBuilder(all)
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(directory.resolve("err").toFile());
        builder.environment().put("OVERDRIVE_STATE", directory.resolve("state").toString());
        return builder;
    }

    /**
     * The table has each key with a record once, with the values of its last record, and no other one.
     *
     * @param last by key: its last record, or -1
     * @param expected the row of a key that has a record, as text
     * @param found the row of the table, as text
     */
    private static void assertRows(
            int[] last,
            IntFunction<String> expected,
            ScanOptions.Builder columns,
            Function<RowCursor, String> found,
            String when) {
        BitSet missing = new BitSet();
        for (int key = 0; key < last.length; key++) {
            missing.set(key, last[key] >= 0);
        }
        Differences differences = new Differences();
        try (Scan scan = TestCluster.scan(columns.build())) {
            scan.forEach(1, row -> {
                int key = row.getInt(0) * ROWS_OF_A_PARTITION + row.getInt(1);
                String text = found.apply(row);
                if (key < 0 || key >= last.length || !missing.get(key)) {
                    differences.add(key, "nothing, or nothing more", text);
                    return;
                }
                missing.clear(key);
                String wanted = expected.apply(key);
                if (!wanted.equals(text)) {
                    differences.add(key, wanted, text);
                }
            });
        }
        missing.stream().forEach(key -> differences.add(key, expected.apply(key), "nothing"));
        assertThat(differences.first).as(when + ", of " + differences.count).isEmpty();
    }

    /** All are counted, and only the first are kept. */
    private static final class Differences {
        private static final int KEPT = 5;

        private final List<String> first = new ArrayList<>();
        private int count;

        void add(int key, String expected, String found) {
            count++;
            if (first.size() < KEPT) {
                first.add(key / ROWS_OF_A_PARTITION + "/" + key % ROWS_OF_A_PARTITION + ": expected " + expected
                        + ", found " + found);
            }
        }
    }
}
