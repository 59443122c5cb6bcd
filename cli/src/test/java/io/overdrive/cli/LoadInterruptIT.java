package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.overdrive.TestCluster;
import io.overdrive.cli.options.Amount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A signal ends a load, which is a separate process here, in an orderly way, and its figures are those of the table. After
 * SIGKILL, which leaves no time for that, the same command completes the table.
 */
@Timeout(300)
class LoadInterruptIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_interrupt");
    private static final String NOTE = "so much text that a block of the input is soon full";
    private static final int A_FEW_BLOCKS = 20_000;
    /** Value of {@code --rows-per-second}, so that a load does not get far ahead of the test. */
    private static final String SLOWLY = "20000";

    private static final String TIMESTAMP = "1700000000000000";
    private static final int KEYS = 20_000;

    private final Path out;
    private final Path err;
    private @Nullable Process process;

    LoadInterruptIT(@TempDir Path directory) {
        out = directory.resolve("out");
        err = directory.resolve("err");
    }

    @AfterEach
    void end() {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Test
    void sigintWhileRecordsComeIn() throws Exception {
        assumeThat(Child.isIgnored(Child.SIGINT))
                .as("started in the background by a shell that shields us, and so our children, from SIGINT")
                .isFalse();
        String table = KEYSPACE + ".flowing";
        Process load = start(table);
        feed(load, Integer.MAX_VALUE);
        awaitRows(load, table);
        assertEndsOrderly(load, "INT", table);
    }

    @Test
    @Tag("nightly")
    void sighupAsWhenTheTerminalIsClosed() throws Exception {
        assumeThat(Child.isIgnored(Child.SIGHUP)).as("started by nohup").isFalse();
        String table = KEYSPACE + ".hangup";
        Process load = start(table);
        feed(load, Integer.MAX_VALUE);
        awaitRows(load, table);
        assertEndsOrderly(load, "HUP", table);
    }

    @Test
    @Tag("nightly")
    void sigtermWhileTheInputPauses() throws Exception {
        String table = KEYSPACE + ".pausing";
        Process load = start(table);
        Feed feed = feed(load, A_FEW_BLOCKS);
        while (feed.written() < A_FEW_BLOCKS) {
            assertThat(load.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(50);
        } // and the pipe stays open
        awaitRows(load, table);
        assertEndsOrderly(load, "TERM", table);
    }

    @Test
    void sigkillAndTheSameCommandAgain() throws Exception {
        String columns = " (p int, c int, v text, PRIMARY KEY (p, c))";
        String table = KEYSPACE + ".killed";
        TestCluster.execute("CREATE TABLE " + table + columns);
        String[] command = {"load", "-", table, "--timestamp", TIMESTAMP, "--rows-per-second", SLOWLY};
        // The rows of a partition are far apart and wait in memory, and each key comes three times.
        IntFunction<String> record = i -> i % KEYS % 1_000 + "," + i % KEYS / 1_000 + "," + NOTE + i;
        Process killed = run(command);
        Feed.start(killed, "p,c,v", record, 2 * KEYS);
        awaitRows(killed, table);
        killed.destroyForcibly().waitFor();
        assertThat(killed.exitValue()).isEqualTo(128 + 9);

        Process again = run(command);
        Feed.start(again, "p,c,v", record, 0).endAt(3 * KEYS);
        assertWhole(again, 3 * KEYS);
        String clean = KEYSPACE + ".clean";
        TestCluster.execute("CREATE TABLE " + clean + columns);
        String input = IntStream.range(0, 3 * KEYS).mapToObj(record).collect(Collectors.joining("\n", "p,c,v\n", "\n"));
        Cli load = Cli.runWithInput(input, "load", "-", clean, "--timestamp", TIMESTAMP, "--host", TestCluster.host());
        assertThat(load.code()).isEqualTo(Main.DONE);
        String query = "SELECT p, c, v, writetime(v) FROM ";
        Set<String> rows = texts(query + table);
        assertThat(rows).hasSize(KEYS);
        assertThat(rows.equals(texts(query + clean))).as("the same rows").isTrue();
    }

    /** The same write times again would double them. */
    @Test
    @Tag("nightly")
    void sigkillOfALoadOfListsWhichNeedsLaterWriteTimes() throws Exception {
        String table = KEYSPACE + ".lists";
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, l list<int>)");
        IntFunction<String> record = i -> i + ",\"[" + i + ", 1, 2]\"";
        Cli refused = Cli.runWithInput(
                "id,l\n" + record.apply(0) + "\n",
                "load",
                "-",
                table,
                "--timestamp",
                TIMESTAMP,
                "--host",
                TestCluster.host());
        assertThat(refused.code()).isEqualTo(Main.FAILED);
        assertThat(refused.err())
                .contains("a second run with the same --timestamp would leave it with each element twice")
                .contains("or accept with --allow-non-idempotent if these write times have never been used");

        String[] command = {"load", "-", table, "--rows-per-second", SLOWLY};
        Process killed = run(command);
        Feed.start(killed, "id,l", record, A_FEW_BLOCKS / 2);
        awaitRows(killed, table);
        killed.destroyForcibly().waitFor();
        Process again = run(command);
        Feed.start(again, "id,l", record, 0).endAt(A_FEW_BLOCKS);
        assertWhole(again, A_FEW_BLOCKS);
        Set<String> expected = IntStream.range(0, A_FEW_BLOCKS)
                .mapToObj(i -> "[" + i + ", [" + i + ", 1, 2]]")
                .collect(Collectors.toSet());
        assertThat(texts("SELECT id, l FROM " + table).equals(expected))
                .as("each list once")
                .isTrue();
    }

    private Process start(String table) throws IOException {
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, note text)");
        return run("load", "-", table, "--json", "--rows-per-second", SLOWLY);
    }

    private Process run(String... args) throws IOException {
        List<String> command = Child.command(args);
        command.addAll(List.of("--host", TestCluster.host()));
        Process load = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process = load;
        return load;
    }

    private static Feed feed(Process load, int records) {
        return Feed.start(load, "id,note", i -> i + "," + NOTE, records);
    }

    private void assertWhole(Process load, int rows) throws Exception {
        assertThat(load.waitFor(240, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(load.exitValue()).as(Files.readString(err)).isEqualTo(Main.DONE);
        assertThat(out)
                .content()
                .startsWith(Amount.count(rows) + " rows read = " + Amount.count(rows) + " written + 0 rejected\n");
    }

    /** Each row as text. */
    private static Set<String> texts(String query) {
        return TestCluster.execute(query).stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(row::getObject)
                        .toList()
                        .toString())
                .collect(Collectors.toSet());
    }

    private void awaitRows(Process load, String table) throws Exception {
        while (TestCluster.execute("SELECT * FROM " + table + " LIMIT 1").isEmpty()) {
            assertThat(load.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(50);
        }
    }

    private void assertEndsOrderly(Process load, String signal, String table) throws Exception {
        Child.signal(load, signal);
        assertThat(load.waitFor(120, TimeUnit.SECONDS)).as("ended").isTrue();
        assertThat(load.exitValue()).isEqualTo(Main.INTERRUPTED);
        assertThat(err).content().contains("overdrive: stops reading, and writes what it has read");
        JsonNode summary = new JsonMapper().readTree(Files.readString(out));
        assertThat(summary.get("outcome").asText()).isEqualTo("stopped");
        assertThat(summary.get("rowsRead").asLong()).isPositive();
        assertThat(summary.get("rowsRejected").asLong()).isZero();
        assertThat(summary.get("rowsWritten").asLong())
                .isEqualTo(summary.get("rowsRead").asLong())
                .isEqualTo(TestCluster.count(table, "id"));
    }
}
