package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.OneCaseIn;
import io.overdrive.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A full disk ends a command with a message, and leaves no incomplete file that looks complete. */
@Timeout(300)
class FullDiskIT {
    private static final Path FULL = Path.of("/dev/full");
    private static final String KEYSPACE = TestCluster.keyspace("cli_full");
    private static final String TABLE = KEYSPACE + ".t";
    private static final int LARGE_PARTITION = 20_000;
    private static final int SMALL_PARTITIONS = 500;
    private static final int JOURNALED = 40_000;

    private final Path directory;
    private final Path out;
    private final Path err;

    FullDiskIT(@TempDir Path directory) {
        this.directory = directory;
        out = directory.resolve("out");
        err = directory.resolve("err");
    }

    @BeforeAll
    static void fill(@TempDir Path directory) throws IOException {
        TestCluster.execute("CREATE TABLE " + TABLE + " (p int, c int, v text, PRIMARY KEY (p, c))");
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".empty (p int, c int, v text, PRIMARY KEY (p, c))");
        List<String> lines = new ArrayList<>(List.of("p,c,v"));
        for (int i = 0; i < LARGE_PARTITION + SMALL_PARTITIONS; i++) {
            lines.add(Math.max(0, i - LARGE_PARTITION) + "," + i + ",some text of row " + i);
        }
        Path file = Files.write(directory.resolve("t.csv"), lines);
        assertThat(Cli.run("load", file.toString(), TABLE, "--host", TestCluster.host())
                        .code())
                .isZero();
    }

    @BeforeEach
    void assumeThereIsAFullDevice() {
        assumeThat(FULL).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"t.csv", "t.jsonl", "t.csv.zst"})
    void oneFileIsNotThere(String name) throws IOException {
        Path file = directory.resolve(name);
        Path unfinished = Files.createSymbolicLink(directory.resolve(name + ".part"), FULL);
        Cli unload = Cli.run("unload", TABLE, file.toString(), "--no-journal", "--host", TestCluster.host());
        assertThat(unload.code()).isEqualTo(Main.FAILED);
        assertThat(unload.err()).isEqualTo("overdrive: " + file + ": cannot be written: No space left on device\n");
        assertThat(file).doesNotExist();
        assertThat(Files.isSymbolicLink(unfinished)).isFalse();
    }

    /** The size of files can be limited for a process. */
    @Test
    void filesOfADirectoryAreComplete() throws Exception {
        Path rows = directory.resolve("rows");
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -f 100; exec \"$@\"", "sh"));
        command.addAll(
                Child.command("unload", TABLE, rows + "/", "--no-journal", "--json", "--threads", "1", "--host"));
        command.add(TestCluster.host());
        assertThat(run(command)).isEqualTo(Main.FAILED);
        assertThat(err)
                .content()
                .containsPattern("overdrive: " + rows + "/t-\\d{5}\\.csv: cannot be written: File too large\n$")
                .doesNotContain("\tat ");
        JsonNode summary = new JsonMapper().readTree(Files.readString(out));
        assertThat(summary.get("outcome").asText()).isEqualTo("failed");
        List<String> reported = new ArrayList<>();
        summary.get("files").forEach(file -> reported.add(file.asText()));
        try (Stream<Path> files = Files.list(rows)) {
            assertThat(files.map(Path::toString)).containsExactlyInAnyOrderElementsOf(reported);
        }
        for (String file : reported) {
            assertThat(Files.readString(Path.of(file)))
                    .startsWith("p,c,v\n")
                    .endsWith("\n")
                    .doesNotContain("\n0,");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"resumed/", "resumed.csv"})
    @OneCaseIn(2)
    void anUnloadIsResumedWhenThereIsSpace(String name) throws Exception {
        String output = directory + "/" + name;
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -f 100; exec \"$@\"", "sh"));
        command.addAll(Child.command("unload", TABLE, output, "--host", TestCluster.host()));
        assertThat(run(command)).isEqualTo(Main.FAILED);
        assertThat(err)
                .content()
                .containsPattern("cannot be written: File too large\noverdrive: to continue: overdrive resume \\S+\n$");
        Cli resumed = Cli.run("unload", TABLE, output, "--host", TestCluster.host(), "--resume");
        assertThat(resumed.code()).as(resumed.err()).isEqualTo(Main.DONE);
        List<String> rows = new ArrayList<>();
        try (Stream<Path> files = name.endsWith("/") ? Files.list(Path.of(output)) : Stream.of(Path.of(output))) {
            for (Path file : files.toList()) {
                assertThat(file.toString()).endsWith(".csv");
                rows.addAll(Files.readAllLines(file).stream().skip(1).toList());
            }
        }
        assertThat(rows).hasSize(LARGE_PARTITION + SMALL_PARTITIONS).doesNotHaveDuplicates();
    }

    /** Rows are acknowledged in another order than they have in the file: the journal grows by each checkpoint. */
    @Test
    @Tag("nightly")
    void aLoadWhoseJournalDoesNotFitIsResumedWhenThereIsSpace() throws Exception {
        String table = KEYSPACE + ".journaled";
        TestCluster.execute("CREATE TABLE " + table + " (p int, c int, v text, PRIMARY KEY (p, c))");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < JOURNALED; i++) {
            lines.add(i / 10 + "," + i + ",some text of row " + i);
        }
        Collections.shuffle(lines, new Random(1));
        lines.add(0, "p,c,v");
        Path file = Files.write(directory.resolve("journaled.csv"), lines);
        String state = directory.resolve("state").toString();
        List<String> load = Child.command("load", file.toString(), table, "--host", TestCluster.host());
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -f 10; exec \"$@\"", "sh"));
        command.addAll(load);
        command.addAll(List.of("--rows-per-second", "4000"));
        assertThat(run(command, state)).isEqualTo(Main.FAILED);
        assertThat(err)
                .content()
                .containsPattern("overdrive: " + state
                        + "/runs/\\S+: the journal of the run cannot be written: File too large; is the disk full\\? Free"
                        + " space, or name a directory on another disk by the environment variable OVERDRIVE_STATE, or do"
                        + " without a journal with --no-journal\noverdrive: to continue: overdrive resume \\S+\n$")
                .doesNotContain("\tat ");
        assertThat(out).content().contains("  NOT COMPLETE: to finish: overdrive resume ");
        load.add("--resume");
        assertThat(run(load, state)).as(Files.readString(err)).isEqualTo(Main.DONE);
        assertThat(out).content().startsWith("40,000 rows read = 40,000 written + 0 rejected\n");
        assertThat(TestCluster.count(table, "p")).isEqualTo(JOURNALED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "unload cli_full.t - | standard output cannot be written: its reader has ended, or the disk is full",
                "diff cli_full.t cli_full.empty | the differences cannot be written: standard output is closed, or its"
                        + " disk is full",
                "count cli_full.t | standard output is closed, or its disk is full: what it has is not complete",
                "cql SELECT/**/key/**/FROM/**/system.local | standard output is closed, or its disk is full",
                "load /dev/null cli_full.empty --format csv --json | standard output is closed, or its disk is full",
            })
    @OneCaseIn(3)
    void aFullStandardOutputIsAFailure(String commandAndMessage) throws Exception {
        String[] parts = commandAndMessage.split(" \\| ");
        List<String> command = Child.command(parts[0].split(" "));
        command.addAll(List.of("--host", TestCluster.host()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(FULL.toFile())
                .redirectError(err.toFile())
                .start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(Main.FAILED);
        assertThat(err).content().contains("overdrive: " + parts[1]).doesNotContain("\tat ");
    }

    private int run(List<String> command) throws Exception {
        return run(command, System.getenv("OVERDRIVE_STATE"));
    }

    private int run(List<String> command, String state) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().put("OVERDRIVE_STATE", state);
        Process process = builder.start();
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }
}
