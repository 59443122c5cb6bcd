package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.OneCaseIn;
import io.overdrive.TestCluster;
import io.overdrive.jobs.StateDirectory;
import io.overdrive.jobs.journal.RunStatus.State;
import io.overdrive.jobs.journal.RunStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl-C ends an unload, a copy and a comparison, each a separate process, in an orderly way. */
@Timeout(300)
class ScanInterruptIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_scan_interrupt");
    private static final String TABLE = KEYSPACE + ".source";
    private static final JsonMapper JSON = new JsonMapper();
    private static final int PARTITIONS = 3_000;
    private static final int ROWS_EACH = 10;
    /** Value of {@code --rows-per-second}, so that no command gets through the table in less than a minute. */
    private static final String SLOWLY = "400";
    /** Likewise, if its first checkpoints are to have something. */
    private static final String RESUMED = "2000";

    private final Path directory;
    private final Path out;
    private final Path err;
    private @Nullable Process process;

    ScanInterruptIT(@TempDir Path directory) {
        this.directory = directory;
        out = directory.resolve("out");
        err = directory.resolve("err");
    }

    @BeforeAll
    static void fill(@TempDir Path directory) throws IOException {
        create("source");
        create("target");
        create("empty");
        List<String> lines = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < PARTITIONS * ROWS_EACH; i++) {
            lines.add(i / ROWS_EACH + "," + i + ",some text of row " + i);
        }
        Path file = Files.write(directory.resolve("t.csv"), lines);
        assertThat(Cli.run("load", file.toString(), TABLE, "--host", TestCluster.host())
                        .code())
                .isZero();
    }

    private static void create(String table) {
        TestCluster.execute("CREATE TABLE " + KEYSPACE + "." + table + " (p int, c int, v text, PRIMARY KEY (p, c))");
    }

    @AfterEach
    void end() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    private ProcessBuilder builder(String... args) {
        List<String> command = Child.command(args);
        command.addAll(List.of("--host", TestCluster.host()));
        return new ProcessBuilder(command).redirectError(err.toFile());
    }

    private Process start(String... args) throws IOException {
        Process started = builder(args).redirectOutput(out.toFile()).start();
        process = started;
        return started;
    }

    /** A sign that the work has begun. */
    private interface Sign {
        boolean isThere() throws IOException;
    }

    private void await(Process running, Sign sign) throws Exception {
        while (!sign.isThere()) {
            assertThat(running.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(20);
        }
    }

    private void assertEnds(Process running, String message) throws Exception {
        Child.signal(running, Child.interrupt());
        assertThat(running.waitFor(120, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(running.exitValue()).isEqualTo(Main.INTERRUPTED);
        assertThat(err)
                .content()
                .contains("overdrive: " + message + "; press Ctrl-C again to end at once")
                .doesNotContain("\tat ");
    }

    private static List<Path> files(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    @Test
    void anUnloadLeavesCompleteFilesOnly() throws Exception {
        Path into = directory.resolve("rows");
        Process unload = start(
                "unload",
                TABLE,
                into + "/",
                "--no-journal",
                "--json",
                "--rows-per-second",
                SLOWLY,
                "--splits-in-flight",
                "1");
        await(unload, () -> files(into).stream()
                .anyMatch(file -> file.toString().endsWith(".csv")));
        assertEnds(unload, "stops, and deletes files that are not complete");
        JsonNode summary = JSON.readTree(Files.readString(out));
        assertThat(summary.get("outcome").asText()).isEqualTo("stopped");
        assertThat(summary.get("rowsWritten").asInt()).isBetween(1, PARTITIONS * ROWS_EACH - 1);
        List<Path> reported = new ArrayList<>();
        summary.get("files").forEach(file -> reported.add(Path.of(file.asText())));
        assertThat(files(into)).containsExactlyInAnyOrderElementsOf(reported);
        Map<String, Integer> rows = new TreeMap<>();
        for (Path file : reported) {
            Files.readAllLines(file).stream()
                    .skip(1)
                    .forEach(line -> rows.merge(line.substring(0, line.indexOf(',')), 1, Integer::sum));
        }
        assertThat(rows).isNotEmpty().allSatisfy((partition, count) -> assertThat(count)
                .isEqualTo(ROWS_EACH));
    }

    @Test
    void anUnloadIntoOneFileLeavesNone() throws Exception {
        Path file = directory.resolve("rows.jsonl.gz");
        Path unfinished = directory.resolve("rows.jsonl.gz.part");
        Process unload = start("unload", TABLE, file.toString(), "--no-journal", "--rows-per-second", SLOWLY);
        await(unload, () -> Files.exists(unfinished) && Files.size(unfinished) > 1_000);
        assertEnds(unload, "stops, and deletes files that are not complete");
        assertThat(out).content().contains(" rows written, NOT ALL: ").doesNotContain("digest");
        assertThat(file).doesNotExist();
        assertThat(unfinished).doesNotExist();
    }

    /** The run that the last line of the output names in its command. */
    private String run() throws IOException {
        List<String> lines = Files.readAllLines(err);
        String last = lines.get(lines.size() - 1);
        assertThat(last).matches("overdrive: to continue: overdrive resume \\d{8}-\\d{6}-[a-z]{4}");
        return last.substring(last.lastIndexOf(' ') + 1);
    }

    /** Waits until a copy has written. Most of what it has read may still wait to be grouped, so there may be no checkpoint for long. */
    private void awaitRow(Process copy, String target) throws Exception {
        await(copy, () -> !TestCluster.execute("SELECT p FROM " + target + " LIMIT 1")
                .isEmpty());
    }

    /** Whether the run that is running has finished some rows, which a resumed run then skips. */
    private static boolean hasCheckpoint() {
        return new RunStore(StateDirectory.ofUser().resolve("runs"))
                .list().stream()
                        .map(RunStore.Entry::status)
                        .anyMatch(status -> status.state() == State.RUNNING && status.rows() > 0);
    }

    private static String state(String run) throws IOException {
        for (JsonNode each : JSON.readTree(Cli.run("runs", "--json").out()).get("runs")) {
            if (each.get("run").asText().equals(run)) {
                return each.get("state").asText();
            }
        }
        throw new AssertionError("no run " + run);
    }

    /** The same command without its rate limit, and with {@code --resume}. */
    private static Cli resume(String run, String... args) throws IOException {
        assertThat(state(run)).isEqualTo("stopped");
        List<String> command = new ArrayList<>(List.of(args));
        command.addAll(List.of("--host", TestCluster.host(), "--resume"));
        Cli resumed = Cli.run(command.toArray(String[]::new));
        assertThat(state(run)).as(resumed.err()).isEqualTo("done");
        return resumed;
    }

    @ParameterizedTest
    @ValueSource(strings = {"rows-of-run/", "rows-of-run.csv"})
    @OneCaseIn(2)
    void anUnloadIsResumed(String name) throws Exception {
        String output = directory + "/" + name;
        Process unload = start("unload", TABLE, output, "--rows-per-second", RESUMED);
        await(unload, ScanInterruptIT::hasCheckpoint);
        assertEnds(unload, "stops, and keeps what it has written for a resumed run");
        String run = run();
        Cli resumed = resume(run, "unload", TABLE, output);
        assertThat(resumed.plan()).contains("  reads     " + TABLE + " at LOCAL_QUORUM (");
        assertThat(resumed.code()).isEqualTo(Main.DONE);
        assertThat(resumed.err()).contains("overdrive: resumes run " + run + ": ");
        assertThat(resumed.out())
                .startsWith("30,000 rows written\n  resumed   run " + run + ", ")
                .contains("  digest    ");
        List<String> rows = rows(Path.of(output));
        assertThat(rows).hasSize(PARTITIONS * ROWS_EACH).doesNotHaveDuplicates();
    }

    /** A kill leaves no time to end in an orderly way. */
    @Test
    void anUnloadOfPartOfTheRingIsResumedAfterAKill() throws Exception {
        Path part = directory.resolve("part");
        String range = "--token-range=" + Long.MIN_VALUE + ",0";
        Process unload = start("unload", TABLE, part + "/", range, "--rows-per-second", RESUMED);
        await(unload, ScanInterruptIT::hasCheckpoint);
        unload.destroyForcibly().waitFor();
        Cli resumed = unload(part, range, "--resume");
        assertThat(resumed.err()).contains("overdrive: resumes run ");
        Path rest = directory.resolve("rest");
        unload(rest, "--token-range=0," + Long.MAX_VALUE);
        assertThat(rows(part)).hasSizeBetween(1, PARTITIONS * ROWS_EACH - 1);
        assertThat(Stream.concat(rows(part).stream(), rows(rest).stream()))
                .hasSize(PARTITIONS * ROWS_EACH)
                .doesNotHaveDuplicates();
    }

    private static Cli unload(Path into, String... options) {
        List<String> command = new ArrayList<>(List.of("unload", TABLE, into + "/", "--host", TestCluster.host()));
        command.addAll(List.of(options));
        Cli done = Cli.run(command.toArray(String[]::new));
        assertThat(done.code()).as(done.err()).isEqualTo(Main.DONE);
        return done;
    }

    /** The rows in a file, or in the files of a directory. */
    private static List<String> rows(Path output) throws IOException {
        List<String> rows = new ArrayList<>();
        for (Path file : Files.isDirectory(output) ? files(output) : List.of(output)) {
            assertThat(file.toString()).endsWith(".csv");
            rows.addAll(Files.readAllLines(file).stream().skip(1).toList());
        }
        return rows;
    }

    /** The other part of the ring stays out. */
    @Test
    @Tag("nightly")
    void aCopyOfPartOfTheRingIsResumedAfterAKill() throws Exception {
        create("part");
        String target = KEYSPACE + ".part";
        String[] command = {"copy", TABLE, target, "--token-range=" + Long.MIN_VALUE + ",0"};
        Process copy = start(Stream.concat(Stream.of(command), Stream.of("--rows-per-second", SLOWLY))
                .toArray(String[]::new));
        awaitRow(copy, target);
        copy.destroyForcibly().waitFor();
        Cli resumed = Cli.run(Stream.concat(Stream.of(command), Stream.of("--resume", "--host", TestCluster.host()))
                .toArray(String[]::new));
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE);
        assertThat(TestCluster.execute("SELECT p FROM " + target + " WHERE token(p) <= 0"))
                .hasSameSizeAs(TestCluster.execute("SELECT p FROM " + TABLE + " WHERE token(p) <= 0"))
                .isNotEmpty();
        assertThat(TestCluster.execute("SELECT p FROM " + target + " WHERE token(p) > 0 LIMIT 1"))
                .isEmpty();
    }

    @Test
    void anUnloadToStandardOutputIsNotResumed() {
        Cli refused = Cli.run("unload", TABLE, "-", "--resume", "--host", TestCluster.host());
        assertThat(refused.code()).isEqualTo(Main.USAGE);
        assertThat(refused.err()).contains("--resume does not go with standard output");
    }

    @Test
    @Tag("nightly")
    void aComparisonIsResumedAndReportsAllDifferences() throws Exception {
        create("empty_too");
        String empty = KEYSPACE + ".empty_too";
        Process diff = start("diff", TABLE, empty, "--rows-per-second", RESUMED);
        await(diff, ScanInterruptIT::hasCheckpoint);
        assertEnds(diff, "stops comparing");
        Cli resumed = resume(run(), "diff", TABLE, empty);
        assertThat(resumed.plan())
                .contains("  left      " + TABLE + " at LOCAL_QUORUM (", "  right     " + empty + " at LOCAL_QUORUM (");
        assertThat(resumed.code()).isEqualTo(Main.DIFFERENT);
        assertThat(resumed.err()).contains("  resumed   run ");
        assertThat(resumed.out().lines()).hasSize(PARTITIONS * ROWS_EACH).doesNotHaveDuplicates();
    }

    @Test
    @Tag("nightly")
    void aCountIsResumed() throws Exception {
        String[] command = {"count", TABLE, "--by", "partition", "--consistency", "ONE"};
        Process count = start(Stream.concat(Stream.of(command), Stream.of("--rows-per-second", SLOWLY))
                .toArray(String[]::new));
        await(count, ScanInterruptIT::hasCheckpoint);
        assertEnds(count, "stops");
        Cli resumed = resume(run(), command);
        assertThat(resumed.plan()).contains("  reads     " + TABLE + " at ONE (");
        assertThat(resumed.code()).isEqualTo(Main.DONE);
        assertThat(resumed.out()).startsWith("30,000 rows\n");
    }

    @Test
    void aCopyIsResumed() throws Exception {
        create("resumed");
        String target = KEYSPACE + ".resumed";
        Process copy = start("copy", TABLE, target, "--rows-per-second", SLOWLY);
        awaitRow(copy, target);
        assertEnds(copy, "stops reading, and writes what it has read");
        Cli resumed = resume(run(), "copy", TABLE, target);
        assertThat(resumed.plan()).contains("  reads     " + TABLE + " at LOCAL_QUORUM (");
        assertThat(resumed.code()).isEqualTo(Main.DONE);
        assertThat(resumed.out()).startsWith("30,000 rows read = 30,000 written + 0 rejected\n");
        assertThat(TestCluster.count(target, "p")).isEqualTo(PARTITIONS * ROWS_EACH);
    }

    @Test
    @Tag("nightly")
    void aCopyWritesWhatItHasRead() throws Exception {
        String target = KEYSPACE + ".target";
        Process copy = start("copy", TABLE, target, "--json", "--rows-per-second", SLOWLY);
        awaitRow(copy, target);
        assertEnds(copy, "stops reading, and writes what it has read");
        JsonNode summary = JSON.readTree(Files.readString(out));
        assertThat(summary.get("outcome").asText()).isEqualTo("stopped");
        assertThat(summary.get("rowsRead").asInt()).isBetween(1, PARTITIONS * ROWS_EACH - 1);
        assertThat(summary.get("rowsRejected").asInt()).isZero();
        assertThat(summary.get("rowsWritten").asLong())
                .isEqualTo(summary.get("rowsRead").asLong())
                .isEqualTo(TestCluster.count(target, "p"));
    }

    @Test
    @Tag("nightly")
    void aComparisonReportsWhatItHasFound() throws Exception {
        Process diff = start("diff", TABLE, KEYSPACE + ".empty", "--json", "--rows-per-second", SLOWLY);
        await(diff, () -> Files.size(out) > 1_000);
        assertEnds(diff, "stops comparing");
        String reported = Files.readString(err);
        JsonNode summary = JSON.readTree(reported.substring(reported.indexOf('{')));
        assertThat(summary.get("outcome").asText()).isEqualTo("stopped");
        assertThat(summary.get("whole").asBoolean()).isFalse();
        List<String> lines = Files.readAllLines(out);
        assertThat(lines)
                .hasSize(summary.get("missingRight").asInt())
                .allMatch(line -> line.matches("\\{\"kind\":\"missing-right\",\"key\":\\{\"p\":\\d+,\"c\":\\d+}}"));
    }

    /** Its output is not read, so that the first one cannot end it. */
    @Test
    void aSecondOneEndsItAtOnce() throws Exception {
        Process unload = builder("unload", TABLE, "-").start();
        process = unload;
        await(unload, () -> isStuck(unload));
        Child.signal(unload, Child.interrupt());
        await(unload, () -> Files.readString(err).contains("press Ctrl-C again to end at once"));
        Child.signal(unload, Child.interrupt());
        assertThat(unload.waitFor(120, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(unload.exitValue()).isEqualTo(Main.INTERRUPTED);
        assertThat(err).content().endsWith("overdrive: ended at once; unfinished work is lost\n");
    }

    /** Whether it has written much, and now writes no more. */
    private static boolean isStuck(Process process) throws IOException {
        int before = process.getInputStream().available();
        boolean isSame = before > 10_000;
        for (int i = 0; i < 3 && isSame; i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
            isSame = process.getInputStream().available() == before;
        }
        return isSame;
    }
}
