package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.driver.api.core.servererrors.ServerError;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tunes small tables. Whether a setting is better is for the unit tests: here the machine may be busy with other work. */
@Timeout(300)
class TuneIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_tune");
    private static final int ROWS = 20_000;

    private final Path directory;
    private @Nullable Process process;

    TuneIT(@TempDir Path directory) {
        this.directory = directory;
    }

    @AfterEach
    void end() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    private static String csv(int rows) {
        return IntStream.range(0, rows)
                .mapToObj(i -> i / 10 + "," + i % 10 + ",some text of the row " + i)
                .collect(Collectors.joining("\n", "p,c,v\n", "\n"));
    }

    private static String table(String name) {
        TestCluster.execute("CREATE TABLE " + KEYSPACE + "." + name + " (p int, c int, v text, PRIMARY KEY (p, c))");
        return KEYSPACE + "." + name;
    }

    private static boolean exists(String table) {
        return !TestCluster.execute("SELECT table_name FROM system_schema.tables WHERE keyspace_name = '" + KEYSPACE
                        + "' AND table_name = '" + table + "'")
                .isEmpty();
    }

    private static Cli tune(String... args) {
        String[] line = new String[args.length + 3];
        line[0] = "tune";
        System.arraycopy(args, 0, line, 1, args.length);
        line[args.length + 1] = "--host";
        line[args.length + 2] = TestCluster.host();
        return Cli.run(line);
    }

    @Test
    void answersForRowsOfTheTableWhichStaysAsItIs() throws Exception {
        String table = table("whole");
        assertThat(Cli.runWithInput(csv(ROWS), "load", "-", table, "--host", TestCluster.host())
                        .code())
                .isEqualTo(Main.DONE);
        TestCluster.execute("CREATE TABLE " + KEYSPACE + ".overdrive_tune_whole (k int PRIMARY KEY) WITH comment ="
                + " 'Scratch copy of " + table + " by overdrive tune, begun at 2026-01-01T00:00:00Z, no longer in use"
                + " after 2026-01-01T00:10:00Z: can be dropped then'");
        Path page = directory.resolve("page.html");

        Path config = Files.writeString(directory.resolve("config.toml"), "[profiles.shop]\nbatch-bytes = \"1KB\"\n");

        Cli cli = tune(
                table,
                "--time",
                "15s",
                "--json",
                "--report",
                page.toString(),
                "--config",
                config.toString(),
                "--save",
                "shop");

        assertThat(cli.code()).as(cli.err()).isEqualTo(Main.DONE);
        assertThat(cli.err())
                .contains(table + ", which is only read")
                .contains("overdrive_tune_whole is left from a run that was killed, and is dropped now")
                .contains("dropped at the end");
        JsonNode json = new JsonMapper().readTree(cli.out());
        assertThat(json.get("complete").asBoolean()).isTrue();
        assertThat(json.get("settings"))
                .extracting(each -> each.get("setting").asText())
                .containsExactly("write size", "in flight", "page size", "splits in flight");
        JsonNode writeSize = json.get("settings").get(0);
        assertThat(writeSize.get("verdict").asText()).isIn("better", "default_as_good");
        assertThat(writeSize.get("values")).isNotEmpty().allSatisfy(value -> assertThat(
                        value.get("medianRowsPerSecond").asDouble())
                .isPositive());
        assertThat(json.get("words").get(4).get("settings").has("--batch.maxSizeInBytes"))
                .isTrue();
        assertThat(cli.err()).contains("profile shop in " + config + ":\n", "\n  - batch-bytes = \"1KB\"\n");
        assertThat(config).content().startsWith("[profiles.shop]\n").doesNotContain("1KB");
        assertThat(page).content().contains("Settings for " + table, "Write size: ");
        assertThat(exists("overdrive_tune_whole")).isFalse();
        assertThat(TestCluster.count(table, "p")).isEqualTo(ROWS);
    }

    @Test
    @Tag("nightly")
    void anInterruptDropsTheScratchTable() throws Exception {
        String table = table("interrupted");
        Path file = Files.writeString(directory.resolve("rows.csv"), csv(ROWS));
        Path err = directory.resolve("err");
        Process tune = new ProcessBuilder(
                        Child.command("tune", table, file.toString(), "--time", "2m", "--host", TestCluster.host()))
                .redirectOutput(directory.resolve("out").toFile())
                .redirectError(err.toFile())
                .start();
        process = tune;
        while (!hasRows("overdrive_tune_interrupted")) {
            assertThat(tune.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(50);
        }
        assertThat(tune("--time", "15s", table, file.toString()).err())
                .contains(
                        "overdrive_tune_interrupted exists: it is the scratch table of an overdrive tune that began at");
        Child.signal(tune, Child.interrupt());
        assertThat(tune.waitFor(120, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(tune.exitValue()).isEqualTo(Main.INTERRUPTED);
        assertThat(err).content().contains("ends the run, and drops the scratch table");
        assertThat(exists("overdrive_tune_interrupted")).isFalse();
        assertThat(TestCluster.count(table, "p")).isZero();
    }

    private static boolean hasRows(String table) {
        try {
            return !TestCluster.execute("SELECT p FROM " + KEYSPACE + "." + table + " LIMIT 1")
                    .isEmpty();
        } catch (InvalidQueryException | ServerError e) {
            return false; // not created yet, or "Unknown CF" while it is being created
        }
    }

    @Test
    @Tag("nightly")
    void partitionsOfOneRowHaveNoWriteSizeAndLimitsAreKept() throws Exception {
        String table = KEYSPACE + ".single";
        TestCluster.execute("CREATE TABLE " + table + " (p int PRIMARY KEY, c int, v text)");
        Path file = Files.writeString(directory.resolve("rows.csv"), csv(ROWS));
        Cli cli = tune(
                table, file.toString(), "--time", "15s", "--json", "--rows-per-second", "5000", "--guard", "p99=10s");
        assertThat(cli.err()).contains("held back by the guard, at most 5,000 rows/s");
        JsonNode json = new JsonMapper().readTree(cli.out());
        assertThat(json.get("settings").get(0).get("verdict").asText()).isEqualTo("no_result");
        assertThat(json.get("settings").get(0).get("evidence").asText()).startsWith("each partition is one row");
        assertThat(json.get("settings").get(1).get("values")).as("%s", json).isNotEmpty();
        assertThat(json.has("guard")).isTrue();
        assertThat(exists("overdrive_tune_single")).isFalse();
    }

    @Test
    void tooFewRowsAreSaidBeforeAnythingIsCreated() {
        String table = table("few");
        TestCluster.execute("INSERT INTO " + table + " (p, c, v) VALUES (1, 1, 'one')");
        Cli cli = tune(table);
        assertThat(cli.code()).isEqualTo(Main.FAILED);
        assertThat(cli.err())
                .contains("too few rows for a result: " + table + " has 1, and 1,000 or more are needed; give a file");
        assertThat(exists("overdrive_tune_few")).isFalse();
    }
}
