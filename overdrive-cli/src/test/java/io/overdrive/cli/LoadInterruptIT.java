package io.overdrive.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A signal ends a load, which is a process of its own here, in good order, and its figures are those of the table. */
@Timeout(300)
class LoadInterruptIT {
    private static final String KEYSPACE = TestCluster.keyspace("cli_interrupt");
    private static final String NOTE = "so much text that a block of the input is soon full";
    private static final int A_FEW_BLOCKS = 20_000;

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
        assumeThat(Child.sigintIsIgnored())
                .as("started in the background by a shell that shields us, and so our children, from SIGINT")
                .isFalse();
        String table = KEYSPACE + ".flowing";
        Process load = start(table);
        feed(load, Integer.MAX_VALUE);
        awaitRows(load, table);
        assertEndsInGoodOrder(load, "INT", table);
    }

    @Test
    void sighupAsWhenTheTerminalIsClosed() throws Exception {
        String table = KEYSPACE + ".hangup";
        Process load = start(table);
        feed(load, Integer.MAX_VALUE);
        awaitRows(load, table);
        assertEndsInGoodOrder(load, "HUP", table);
    }

    @Test
    void sigtermWhileTheInputPauses() throws Exception {
        String table = KEYSPACE + ".pausing";
        Process load = start(table);
        feed(load, A_FEW_BLOCKS).join(); // and the pipe stays open
        awaitRows(load, table);
        assertEndsInGoodOrder(load, "TERM", table);
    }

    private Process start(String table) throws IOException {
        TestCluster.execute("CREATE TABLE " + table + " (id int PRIMARY KEY, note text)");
        Process load = new ProcessBuilder(Child.command("load", "-", table, "--host", TestCluster.host(), "--json"))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        process = load;
        return load;
    }

    /** Writes records to the process, a few each millisecond. */
    private static Thread feed(Process load, int records) {
        OutputStream stdin = load.getOutputStream();
        Thread feeder = new Thread(() -> {
            try {
                Writer csv = new BufferedWriter(new OutputStreamWriter(stdin, StandardCharsets.UTF_8));
                csv.write("id,note\n");
                for (int i = 0; i < records; i++) {
                    csv.write(i + "," + NOTE + "\n");
                    if (i % 100 == 99) {
                        csv.flush();
                        Thread.sleep(1);
                    }
                }
            } catch (IOException | InterruptedException e) {
                // the load has ended, and takes no more
            }
        });
        feeder.setDaemon(true);
        feeder.start();
        return feeder;
    }

    private void awaitRows(Process load, String table) throws Exception {
        while (TestCluster.execute("SELECT id FROM " + table + " LIMIT 1").isEmpty()) {
            assertThat(load.isAlive()).as("runs: %s", Files.readString(err)).isTrue();
            Thread.sleep(50);
        }
    }

    private void assertEndsInGoodOrder(Process load, String signal, String table) throws Exception {
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
