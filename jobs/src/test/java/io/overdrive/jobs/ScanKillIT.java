package io.overdrive.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.overdrive.KillPoint;
import io.overdrive.Overdrive;
import io.overdrive.RowWriter;
import io.overdrive.Scan;
import io.overdrive.ScanOptions;
import io.overdrive.Seeds;
import io.overdrive.TestCluster;
import io.overdrive.WriteOptions;
import io.overdrive.formats.records.InputFormat;
import io.overdrive.formats.records.Read;
import io.overdrive.internal.scan.RowDigest;
import io.overdrive.jobs.ChildJob.Job;
import io.overdrive.jobs.count.CountSummary;
import io.overdrive.jobs.count.Counter;
import io.overdrive.jobs.journal.OutputLock;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs that read a table are killed with SIGKILL and resumed, and the result is compared with a plain model. In each build they are killed
 * at named places of the program; the tests with the tag {@code kills} do it at random moments, and {@code -Doverdrive.kills=N}, {@code
 * -Doverdrive.rows=N} and {@code -Doverdrive.seed=N} make these longer, or repeat a run.
 */
@Timeout(3600)
class ScanKillIT {
    private static final String KEYSPACE = "scan_kill";
    private static final int KILLS = Integer.getInteger("overdrive.kills", 10);
    private static final int ROWS = Integer.getInteger("overdrive.rows", 40_000);
    private static final long SEED = Seeds.seed();
    /** So that a whole run takes several checkpoints. */
    private static final int ROWS_PER_SECOND = ROWS / 15;
    /** So that it takes one. */
    private static final int MANY_ROWS_PER_SECOND = ROWS / 3;

    private static final KillPoint CHECKPOINT = place("journal.SplitJournal", "checkpoint");
    private static final KillPoint STATUS = place("journal.SplitJournal", "status");

    private static final Overdrive OVERDRIVE = TestCluster.overdrive(KEYSPACE);
    /** Each row of the table as a line of CSV. */
    private static final List<String> MODEL = new ArrayList<>();

    private final Random random = new Random(SEED);
    private final Path directory;
    /** Files with their final names, with what shows that they were written again. */
    private final Map<Path, String> complete = new HashMap<>();

    ScanKillIT(@TempDir Path directory) {
        this.directory = directory;
    }

    private static KillPoint place(String type, String method) {
        return new KillPoint("io.overdrive.jobs." + type, method);
    }

    @BeforeAll
    static void fill() {
        System.out.println("overdrive.seed=" + SEED);
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".source (p int, c int, v text, PRIMARY KEY (p, c))");
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "source").build())) {
            int p = 0;
            for (int c = 0; c < ROWS; c++) {
                if (c % (p % 40 == 0 ? 1_000 : 7) == 0) {
                    p++; // some partitions have several pages
                }
                String text = "text " + c * 31L;
                writer.row().setInt(0, p).setInt(1, c).setText(2, text);
                writer.send();
                MODEL.add(p + "," + c + "," + text);
            }
        }
        MODEL.sort(null);
    }

    /** The only run in the directory; null if the job was killed before it had a journal. */
    private static RunStore.@Nullable Entry run(Path runs) {
        List<RunStore.Entry> all = new RunStore(runs).list();
        return all.isEmpty() ? null : all.get(0);
    }

    private void assertDone(Process child) throws Exception {
        assertThat(child.waitFor(300, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(child.exitValue())
                .as("seed %d: %s", SEED, Files.readString(directory.resolve("said")))
                .isZero();
    }

    /** The rows of a complete file as CSV. */
    private static String readAll(Path file) throws IOException {
        if (file.toString().endsWith("arrow") || file.toString().endsWith("parquet")) {
            return Read.file(file, InputFormat.builder().build()).records.stream()
                    .map(row -> row.raw()
                            .replaceFirst("\\{\"p\":(.*),\"c\":(.*),\"v\":\"(.*)\"}", "$1,$2,$3\n")
                            .replaceFirst("\\{\"c\":(.*),\"v\":\"(.*)\",\"p\":\"(.*)\"}", "$3,$1,$2\n"))
                    .collect(Collectors.joining("", "p,c,v\n", ""));
        }
        try (InputStream in = Files.newInputStream(file);
                InputStream text = file.toString().endsWith("gz") ? new GZIPInputStream(in) : in) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static List<Path> files(Path of) throws IOException {
        if (!Files.isDirectory(of)) {
            return Files.exists(of) ? List.of(of) : List.of();
        }
        try (Stream<Path> all = Files.walk(of)) {
            return all.filter(file -> Files.isRegularFile(file) && !file.endsWith(OutputLock.NAME))
                    .sorted()
                    .toList();
        }
    }

    /** No file that has its final name is ever written again, or is incomplete. */
    private void checkCompleteFiles(Path output) throws IOException {
        for (Path file : files(output)) {
            if (!file.toString().endsWith(".part")) {
                BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
                String shown = now.fileKey() + " " + now.lastModifiedTime() + " " + now.size();
                assertThat(complete.computeIfAbsent(file, f -> shown))
                        .as("seed %d: %s", SEED, file)
                        .isEqualTo(shown);
                assertThat(readAll(file)).startsWith("p,c,v\n").endsWith("\n");
            }
        }
        assertThat(files(output)).containsAll(complete.keySet());
    }

    private void checkRows(Path output) throws IOException {
        List<String> rows = new ArrayList<>();
        for (Path file : files(output)) {
            assertThat(file.toString()).doesNotEndWith(".part").doesNotEndWith(".tail");
            rows.addAll(readAll(file).lines().skip(1).toList());
        }
        rows.sort(null);
        assertThat(rows).as("seed %d", SEED).isEqualTo(MODEL);
    }

    private static String digest() {
        RowDigest digest = new RowDigest();
        RowDigest.Part part = digest.part();
        try (Scan scan = OVERDRIVE.scan(ScanOptions.from(KEYSPACE, "source").build())) {
            scan.forEach(1, part::add);
        }
        part.finish();
        return digest.toString();
    }

    /**
     * Waits until the job is to be killed: one in five while it starts, and the others when they have a journal, which takes seconds on a
     * busy machine. Returns whether the job has ended before that.
     */
    private boolean endsBeforeItsKill(Process child, Path runs) throws Exception {
        if (random.nextInt(5) > 0) {
            while (child.isAlive() && run(runs) == null) {
                Thread.sleep(20);
            }
        }
        return child.waitFor(random.nextInt(6_000), TimeUnit.MILLISECONDS);
    }

    /** An unload that is killed at these places, one after another, and then runs to its end. */
    private void killUnload(String name, KillPoint... places) throws Exception {
        killUnload(name, MANY_ROWS_PER_SECOND, places);
    }

    private void killUnload(String name, int rowsPerSecond, KillPoint... places) throws Exception {
        Path runs = directory.resolve("runs");
        Path output = directory.resolve(name);
        Path said = directory.resolve("said");
        String resumes = null;
        for (KillPoint place : places) {
            assertThat(place.kills(ChildJob.builder(
                            runs, resumes, rowsPerSecond, said, Job.UNLOAD, KEYSPACE, output.toString())))
                    .as("is killed at %s: %s", place, Files.readString(said))
                    .isTrue();
            checkCompleteFiles(output);
            RunStore.Entry run = Objects.requireNonNull(run(runs), Files.readString(said));
            assertThat(run.status().state()).isEqualTo(State.KILLED);
            resumes = run.id();
        }
        assertDone(ChildJob.start(
                runs, resumes, 10 * MANY_ROWS_PER_SECOND, said, Job.UNLOAD, KEYSPACE, output.toString()));
        assertThat(said).content().contains(ROWS + " rows, ", "digest " + digest());
        checkCompleteFiles(output);
        checkRows(output);
        assertNothingIsLeft();
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left)
                    .noneMatch(file ->
                            file.toString().endsWith(".part") || file.toString().endsWith(".tail"));
        }
    }

    /** Files are written and the journal does not have them yet; it has them, and they are not named yet. */
    @Test
    void anUnloadIntoADirectoryThatIsKilledAtACheckpointHasEachRowOnce() throws Exception {
        killUnload("out-gz", CHECKPOINT, place("unload.DirectoryOutput", "publish"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"out-arrow", "out-parquet"})
    @Tag("nightly")
    void anUnloadOfColumnsIntoADirectoryThatIsKilledAtACheckpointHasEachRowOnce(String name) throws Exception {
        killUnload(name, CHECKPOINT, place("unload.DirectoryOutput", "publish"));
    }

    /** The journal has files of splits that continue, and they are not named yet; a resumed run has named one of them. */
    @Test
    void anUnloadIntoFilesWithALimitThatIsKilledAtACheckpointHasEachRowOnce() throws Exception {
        killUnloadIntoLimitedFiles("out-limited-gz");
    }

    @ParameterizedTest
    @ValueSource(strings = {"out-limited", "out-limited-arrow", "out-limited-parquet"})
    @Tag("nightly")
    void anUnloadIntoFilesOfAnyFormatWithALimitThatIsKilledAtACheckpointHasEachRowOnce(String name) throws Exception {
        killUnloadIntoLimitedFiles(name);
    }

    private void killUnloadIntoLimitedFiles(String name) throws Exception {
        String output = "io.overdrive.jobs.unload.DirectoryOutput";
        killUnload(
                name,
                ROWS / 8,
                new KillPoint(output, "publish", /* time */ 2),
                new KillPoint(output, "nameComplete", /* time */ 2));
        for (Path file : files(directory.resolve(name))) {
            assertThat(readAll(file).lines().skip(1).count()).isBetween(1L, (long) ChildJob.FILE_ROWS);
        }
    }

    @Test
    @Tag("nightly")
    void anUnloadIntoDirectoriesOfValuesThatIsKilledAtACheckpointHasEachRowOnce() throws Exception {
        killUnload("by-p-parquet", CHECKPOINT, place("unload.PartitionedOutput", "publish"));
    }

    @Test
    @Tag("nightly")
    void anUnloadIntoAFileThatIsKilledAfterACheckpointHasEachRowOnce() throws Exception {
        killUnloadIntoAFile("t.csv");
    }

    @ParameterizedTest
    @ValueSource(strings = {"t.arrow", "t.parquet"})
    @Tag("nightly")
    void anUnloadOfColumnsIntoAFileThatIsKilledAfterACheckpointHasEachRowOnce(String name) throws Exception {
        killUnloadIntoAFile(name);
    }

    /**
     * The journal has a checkpoint; what followed it is cut off; all is written, and the file is not named yet; it is, and the journal does
     * not say so.
     */
    private void killUnloadIntoAFile(String name) throws Exception {
        killUnload(
                name,
                STATUS,
                place("journal.TailRemoval", "end"),
                place("unload.FileOutput", "finish"),
                place("unload.FileOutput", "close"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "out",
                "out-gz",
                "t.csv",
                "t.csv.gz",
                "t.arrow",
                "t.parquet",
                "by-p-parquet",
                "out-limited",
                "by-p-limited-parquet"
            })
    @Tag("kills")
    void anUnloadHasEachRowOnce(String name) throws Exception {
        int maxKills = (KILLS + 1) / 2;
        int kills = 0;
        int resumed = 0;
        for (int round = 0; round == 0 || kills < maxKills; round++) {
            Path runs = directory.resolve(round + "-runs");
            Path output = directory.resolve(round + "-" + name);
            Path said = directory.resolve("said");
            complete.clear();
            String resumes = null;
            boolean done = false;
            while (!done) {
                int rate = kills == maxKills ? 10 * ROWS_PER_SECOND : ROWS_PER_SECOND; // the last one is not killed
                Process child = ChildJob.start(runs, resumes, rate, said, Job.UNLOAD, KEYSPACE, output.toString());
                if (kills == maxKills || endsBeforeItsKill(child, runs)) {
                    assertDone(child);
                    assertThat(said).content().contains(ROWS + " rows, ", "digest " + digest());
                    done = true;
                    continue;
                }
                child.destroyForcibly().waitFor();
                kills++;
                checkCompleteFiles(output);
                RunStore.Entry run = run(runs);
                resumes = run == null ? null : run.id();
                resumed += run == null ? 0 : 1;
                // a kill while the connections are closed comes after the end of the job
                done = run != null && run.status().state() == State.DONE;
            }
            checkCompleteFiles(output);
            checkRows(output);
            assertNothingIsLeft();
        }
        System.out.println(name + ": " + kills + " kills, " + resumed + " of runs with a journal");
    }

    /** How a job is killed that has a journal in this directory. */
    private interface Kill {
        void kill(ProcessBuilder job, Path runs) throws Exception;
    }

    /** Kills it within a second after its journal has something. */
    private void atRandom(ProcessBuilder job, Path runs) throws Exception {
        Process killed = job.start();
        while (killed.isAlive() && !hasRows(runs)) {
            Thread.sleep(50);
        }
        killed.waitFor(random.nextInt(1_500), TimeUnit.MILLISECONDS);
        killed.destroyForcibly().waitFor();
    }

    /** When its journal has a second state, or it has ended. */
    private static void atCheckpoint(ProcessBuilder job, Path runs) throws Exception {
        STATUS.kills(job, () -> hasRows(runs));
    }

    private static boolean hasRows(Path runs) {
        RunStore.Entry run = run(runs);
        return run != null && run.status().rows() > 0;
    }

    /** Kills the job when its journal has something, resumes it, and returns the lines that it then says. */
    private List<String> killOnce(Kill kill, Job job, int rowsPerSecond, String... arguments) throws Exception {
        Path said = directory.resolve("said");
        int rate = rowsPerSecond;
        while (true) {
            Path runs = directory.resolve("runs-" + rate);
            kill.kill(ChildJob.builder(runs, null, rate, said, job, arguments), runs);
            RunStore.Entry run = Objects.requireNonNull(run(runs), Files.readString(said));
            if (run.status().state() == State.DONE && rate > 1) {
                rate = (rate + 1) / 2; // it was done before it could be killed
                assertThat(rate).as("it is killed, at this rate at last").isGreaterThan(rowsPerSecond / 32);
                continue;
            }
            assertThat(run.status().state()).isEqualTo(State.KILLED);
            assertThat(run.status().done()).isBetween(0.0, 1.0);
            Process resumed = ChildJob.start(runs, run.id(), 10 * rate, said, job, arguments);
            assertDone(resumed);
            assertThat(Objects.requireNonNull(run(runs)).status().state()).isEqualTo(State.DONE);
            assertThat(said).content().contains(ROWS + " rows").doesNotContain(" 0 before");
            return Files.readAllLines(said);
        }
    }

    @Test
    @Tag("nightly")
    void aCountThatIsKilledAtACheckpointIsThatOfOneRun() throws Exception {
        checkCount(ScanKillIT::atCheckpoint, Counter.By.PARTITION, /* seconds */ 3);
    }

    @ParameterizedTest
    @EnumSource(Counter.By.class)
    @Tag("kills")
    void aCountIsThatOfOneRun(Counter.By by) throws Exception {
        checkCount(this::atRandom, by, /* seconds */ 12);
    }

    private void checkCount(Kill kill, Counter.By by, int seconds) throws Exception {
        CountSummary model;
        int splits;
        try (Counter counter = Counter.open(
                OVERDRIVE,
                Counter.options(by, KEYSPACE, "source").splitsInFlight(1).build(),
                by,
                /* top */ 5,
                /* request */ null)) {
            splits = counter.scan().splits().size();
            model = counter.run();
        }
        assertThat(model.rows()).isEqualTo(ROWS);
        int results = by == Counter.By.PARTITION ? ROWS / 7 : splits;
        int resultsPerSecond = Math.max(1, results / seconds); // so that it is killed before its end
        List<String> said = killOnce(kill, Job.COUNT, resultsPerSecond, KEYSPACE, by.name());
        assertThat(said).contains("groups " + model.groups());
    }

    private static List<String> rows(String table) {
        List<String> rows = new ArrayList<>();
        try (Scan scan = OVERDRIVE.scan(
                ScanOptions.from(KEYSPACE, table).columns("p", "c", "v").build())) {
            scan.forEach(1, row -> rows.add(row.getInt(0) + "," + row.getInt(1) + "," + row.text(2)));
        }
        rows.sort(null);
        return rows;
    }

    @Test
    void aCopyThatIsKilledAtACheckpointHasEachRow() throws Exception {
        checkCopy(ScanKillIT::atCheckpoint, MANY_ROWS_PER_SECOND);
    }

    @Test
    @Tag("kills")
    void aCopyHasEachRow() throws Exception {
        checkCopy(this::atRandom, ROWS_PER_SECOND);
    }

    private void checkCopy(Kill kill, int rowsPerSecond) throws Exception {
        OVERDRIVE.session().execute("DROP TABLE IF EXISTS " + KEYSPACE + ".target");
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".target (p int, c int, v text, PRIMARY KEY (p, c))");
        List<String> said = killOnce(kill, Job.COPY, rowsPerSecond, KEYSPACE, directory.toString());
        assertThat(said).anyMatch(line -> line.startsWith(ROWS + " rows, " + ROWS + " written, "));
        assertThat(rows("target")).isEqualTo(MODEL);
    }

    private static List<String> fillOther() {
        OVERDRIVE.session().execute("DROP TABLE IF EXISTS " + KEYSPACE + ".other");
        OVERDRIVE.session().execute("CREATE TABLE " + KEYSPACE + ".other (p int, c int, v text, PRIMARY KEY (p, c))");
        List<String> differences = new ArrayList<>();
        try (RowWriter writer =
                OVERDRIVE.writer(WriteOptions.into(KEYSPACE, "other").build())) {
            for (String line : MODEL) {
                String[] cells = line.split(",");
                int c = Integer.parseInt(cells[1]);
                String key = "\"key\":{\"p\":" + cells[0] + ",\"c\":" + c + "}";
                if (c % 97 == 0) {
                    differences.add("{\"kind\":\"missing-right\"," + key + "}");
                    continue;
                }
                if (c % 101 == 0) {
                    differences.add("{\"kind\":\"different\"," + key + ",\"columns\":[\"v\"]}");
                }
                writer.row()
                        .setInt(0, Integer.parseInt(cells[0]))
                        .setInt(1, c)
                        .setText(2, c % 101 == 0 ? "other" : cells[2]);
                writer.send();
            }
        }
        return differences;
    }

    @Test
    @Tag("nightly")
    void aComparisonThatIsKilledAtACheckpointReportsEachDifferenceOnce() throws Exception {
        checkComparison(ScanKillIT::atCheckpoint, MANY_ROWS_PER_SECOND);
    }

    @Test
    @Tag("kills")
    void aComparisonReportsEachDifferenceOnce() throws Exception {
        checkComparison(this::atRandom, ROWS_PER_SECOND);
    }

    private void checkComparison(Kill kill, int rowsPerSecond) throws Exception {
        List<String> differences = fillOther();
        List<String> said = killOnce(kill, Job.DIFF, rowsPerSecond, KEYSPACE, "false");
        assertThat(said.stream().filter(line -> line.startsWith("{"))).containsExactlyInAnyOrderElementsOf(differences);
        assertThat(said)
                .anyMatch(line -> line.contains(" " + differences.size() + " differences, ")
                        && line.endsWith("digest " + digest()));
    }

    @Test
    @Tag("nightly")
    void aRepairThatIsKilledAtACheckpointMakesTheTablesEqual() throws Exception {
        checkRepair(ScanKillIT::atCheckpoint, MANY_ROWS_PER_SECOND);
    }

    @Test
    @Tag("kills")
    void aRepairMakesTheTablesEqual() throws Exception {
        checkRepair(this::atRandom, ROWS_PER_SECOND);
    }

    private void checkRepair(Kill kill, int rowsPerSecond) throws Exception {
        fillOther();
        killOnce(kill, Job.DIFF, rowsPerSecond, KEYSPACE, "true");
        assertThat(rows("other")).isEqualTo(MODEL);
    }
}
